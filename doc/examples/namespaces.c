/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * namespaces RED-MOUNTPOINT BLUE-MOUNTPOINT - one tree, seen in two ways:
 * "motto" is in both; in net/ each has an eth0 of its own, and writing "red"
 * or "blue" to a file there moves it. Ends when both are unmounted.
 */
#include <kernfuse/kernfs.h>
#include <kernfuse/mount.h>
#include <string.h>

static const struct ns_common red = { 1 }, blue = { 2 };
static struct kernfs_node *net;

static int show(struct seq_file *sf, void *v)
{
	const struct kernfs_open_file *of = sf->private_data;

	seq_printf(sf, "%s\n", (const char *)kernfs_priv(of->kn));
	return 0;
}

static ssize_t store(struct kernfs_open_file *of, char *buf, size_t bytes,
		     off_t off)
{
	const struct ns_common *ns = strncmp(buf, "red", 3) ? &blue : &red;
	int err = kernfs_rename_ns(of->kn, net, NULL, ns);

	return err ? err : (ssize_t)bytes;
}

static const struct kernfs_ops ops = { .seq_show = show, .write = store };

static void add(struct kernfs_node *dir, const char *name, mode_t mode,
		const struct ns_common *ns, const char *text)
{
	__kernfs_create_file(dir, name, mode, 0, 0, 4096, &ops, (void *)text,
			     ns);
}

int main(int argc, char **argv)
{
	struct kernfuse_mount_params in_red = { .ns = &red };
	struct kernfuse_mount_params in_blue = { .ns = &blue };
	struct kernfs_root *root = kernfs_create_root(
		NULL, KERNFS_ROOT_EXTRA_OPEN_PERM_CHECK, NULL);
	struct kernfs_node *top = kernfs_root_to_node(root);
	struct kernfuse_mount *one, *two;

	add(top, "motto", 0444, NULL, "for all");
	net = kernfs_create_dir(top, "net", 0755, NULL);
	kernfs_enable_ns(net);
	add(net, "eth0", 0644, &red, "born red");
	add(net, "eth0", 0644, &blue, "born blue");
	add(net, "lo", 0644, &red, "wanders");
	one = kernfuse_mount(root, argc == 3 ? argv[1] : "", &in_red);
	two = kernfuse_mount(root, argc == 3 ? argv[2] : "", &in_blue);
	if (IS_ERR(one) || IS_ERR(two))
		return 1;
	kernfuse_mount_run(one);
	kernfuse_mount_run(two);
	kernfuse_unmount(one);
	kernfuse_unmount(two);
	kernfs_destroy_root(root);
	return 0;
}
