/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* configtree MOUNTPOINT - directories that users make and remove: each has a
 * number in a file "value". Ends when it is unmounted. */
#include <kernfuse/kernfs.h>
#include <kernfuse/mount.h>
#include <stdatomic.h>
#include <stdlib.h>

static int show(struct seq_file *sf, void *v)
{
	const struct kernfs_open_file *of = sf->private_data;

	seq_printf(sf, "%d\n", *(atomic_int *)kernfs_priv(of->kn));
	return 0;
}

static ssize_t store(struct kernfs_open_file *of, char *buf, size_t bytes,
		     off_t off)
{
	*(atomic_int *)kernfs_priv(of->kn) = atoi(buf);
	return (ssize_t)bytes;
}

static const struct kernfs_ops ops = { .seq_show = show, .write = store };

static int make(struct kernfs_node *parent, const char *name, mode_t mode)
{
	atomic_int *value = calloc(1, sizeof(*value));
	struct kernfs_node *dir = kernfs_create_dir(parent, name, mode, value);

	if (IS_ERR(dir)) {
		free(value);
		return (int)PTR_ERR(dir);
	}
	__kernfs_create_file(dir, "value", 0644, 0, 0, 4096, &ops, value, NULL);
	return 0;
}

static int drop(struct kernfs_node *kn)
{
	struct stat st;

	kernfs_iop_getattr(kn, NULL, &st);
	if (st.st_nlink > 2)
		return -ENOTEMPTY;
	/* rmdir is inside the directory: this is how to remove it from there */
	if (!kernfs_remove_self(kn))
		return -ENOENT;
	free(kernfs_priv(kn)); /* and no callback uses it any more */
	return 0;
}

static const struct kernfs_syscall_ops hooks = { .mkdir = make, .rmdir = drop };
static struct kernfuse_mount *mount;
static struct kernfs_root *root; /* what is left goes with the process */

int main(int argc, char **argv)
{
	root = kernfs_create_root(&hooks, 0, NULL);
	mount = kernfuse_mount(root, argc == 2 ? argv[1] : "", NULL);
	if (IS_ERR(mount))
		return 1;
	kernfuse_mount_run(mount);
	kernfuse_unmount(mount);
	return 0;
}
