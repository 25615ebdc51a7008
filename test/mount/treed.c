/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * treed RED-MOUNTPOINT BLUE-MOUNTPOINT [TIMEOUT] - a tree that is alive, for
 *the tests of what no captured tree can do. It is served through two mounts of
 *one process at once, which show what is tagged red and what is tagged blue.
 * TIMEOUT is callback_timeout in milliseconds.
 *
 *	group		clients make, remove and rename directories here; one
 *			with directories in it is busy. Each has
 *	  value		what was written last; a write notifies
 *	  name		the directory's present name
 *	  show		0 hides value, 1 shows it
 *	  remove	a write removes the directory, "self" only this file
 *	net		tagged: eth0 is another one in each mount
 *	move		"NAME red blue" moves net/NAME from red to blue
 *	slow		reading ends when "go" was written
 *	stuck		so does everything here, and asks nobody
 *	stuck-open	so does opening it
 *	inside		how many are in one of these, and how many of their
 *			open files were released
 *
 * Ends when both are unmounted.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kernfuse/kernfs.h>
#include <kernfuse/mount.h>

static const struct ns_common red = { 17 }, blue = { 4711 };
static struct kernfs_root *root;
static struct kernfs_node *net;

/* --- the files of a group --- */

struct group {
	struct kernfs_node *dir, *value_kn;
	pthread_mutex_t lock;
	char value[64];
};

static struct group *group_of(struct kernfs_open_file *of)
{
	return kernfs_priv(of->kn);
}

static int value_show(struct seq_file *sf, void *v)
{
	struct group *g = group_of(sf->private_data);

	(void)v;
	pthread_mutex_lock(&g->lock);
	seq_puts(sf, g->value);
	pthread_mutex_unlock(&g->lock);
	return 0;
}

static ssize_t value_write(struct kernfs_open_file *of, char *buf, size_t bytes,
			   off_t off)
{
	struct group *g = group_of(of);

	(void)off;
	if (bytes >= sizeof(g->value))
		return -EINVAL;
	pthread_mutex_lock(&g->lock);
	memcpy(g->value, buf, bytes + 1);
	pthread_mutex_unlock(&g->lock);
	kernfs_notify(of->kn);
	return (ssize_t)bytes;
}

static int name_show(struct seq_file *sf, void *v)
{
	char name[256];

	(void)v;
	kernfs_name(group_of(sf->private_data)->dir, name, sizeof(name));
	seq_printf(sf, "%s\n", name);
	return 0;
}

static ssize_t show_write(struct kernfs_open_file *of, char *buf, size_t bytes,
			  off_t off)
{
	(void)off;
	kernfs_show(group_of(of)->value_kn, buf[0] == '1');
	return (ssize_t)bytes;
}

static ssize_t remove_write(struct kernfs_open_file *of, char *buf,
			    size_t bytes, off_t off)
{
	struct group *g = group_of(of);

	(void)off;
	if (strncmp(buf, "self", 4) == 0)
		return kernfs_remove_self(of->kn) ? (ssize_t)bytes : -ENODEV;
	/* the directory above waits for this very callback: let go first */
	kernfs_break_active_protection(of->kn);
	kernfs_remove(g->dir);
	kernfs_unbreak_active_protection(of->kn);
	return (ssize_t)bytes;
}

static const struct kernfs_ops value_ops = {
	.seq_show = value_show,
	.write = value_write,
};
static const struct kernfs_ops name_ops = { .seq_show = name_show };
static const struct kernfs_ops show_ops = { .write = show_write };
static const struct kernfs_ops remove_ops = { .write = remove_write };

static struct kernfs_node *add(struct kernfs_node *dir, const char *name,
			       mode_t mode, const struct kernfs_ops *ops,
			       void *priv, const struct ns_common *ns)
{
	return __kernfs_create_file(dir, name, mode, 0, 0, KERNFS_PAGE_SIZE,
				    ops, priv, ns);
}

/* Groups live as long as the program: a callback may use one to the last. */
static int make_group(struct kernfs_node *parent, const char *name, mode_t mode)
{
	struct group *g = calloc(1, sizeof(*g));
	struct kernfs_node *kn;

	if (!g)
		return -ENOMEM;
	pthread_mutex_init(&g->lock, NULL);
	strcpy(g->value, "0\n");
	kn = kernfs_create_dir(parent, name, mode, g);
	if (IS_ERR(kn)) {
		free(g);
		return (int)PTR_ERR(kn);
	}
	g->dir = kn;
	kernfs_get(kn);
	g->value_kn = add(kn, "value", 0644, &value_ops, g, NULL);
	kernfs_get(g->value_kn);
	add(kn, "name", 0444, &name_ops, g, NULL);
	add(kn, "show", 0200, &show_ops, g, NULL);
	add(kn, "remove", 0200, &remove_ops, g, NULL);
	kernfs_activate(kn);
	return 0;
}

static int group_rmdir(struct kernfs_node *kn)
{
	struct stat st;

	if (!kernfs_priv(kn))
		return -EPERM;
	kernfs_iop_getattr(kn, NULL, &st);
	if (st.st_nlink > 2)
		return -EBUSY;
	/* the caller's reference is on the node that goes */
	kernfs_break_active_protection(kn);
	kernfs_remove(kn);
	kernfs_unbreak_active_protection(kn);
	return 0;
}

static int group_mkdir(struct kernfs_node *parent, const char *name,
		       mode_t mode)
{
	if (!kernfs_priv(parent))
		return -EPERM;
	if (strchr(name, '\n'))
		return -EINVAL;
	return make_group(parent, name, mode);
}

static int group_rename(struct kernfs_node *kn, struct kernfs_node *new_parent,
			const char *new_name)
{
	if (!kernfs_priv(kn) || !kernfs_priv(new_parent))
		return -EPERM;
	return kernfs_rename(kn, new_parent, new_name);
}

static const struct kernfs_syscall_ops hooks = {
	.mkdir = group_mkdir,
	.rmdir = group_rmdir,
	.rename = group_rename,
};

/* --- net, move, slow --- */

static int tag_show(struct seq_file *sf, void *v)
{
	const struct kernfs_open_file *of = sf->private_data;

	(void)v;
	seq_printf(sf, "%s\n", (const char *)kernfs_priv(of->kn));
	return 0;
}

static const struct kernfs_ops tag_ops = { .seq_show = tag_show };

static const struct ns_common *tag(const char *name)
{
	return strcmp(name, "red") ? &blue : &red;
}

static ssize_t move_write(struct kernfs_open_file *of, char *buf, size_t bytes,
			  off_t off)
{
	char name[32], from[8], to[8];
	struct kernfs_node *kn;
	int err;

	(void)of, (void)off;
	if (sscanf(buf, "%31s %7s %7s", name, from, to) != 3)
		return -EINVAL;
	kn = kernfs_find_and_get_ns(net, name, tag(from));
	if (!kn)
		return -ENOENT;
	err = kernfs_rename_ns(kn, net, name, tag(to));
	kernfs_put(kn);
	return err ? err : (ssize_t)bytes;
}

static const struct kernfs_ops move_ops = { .write = move_write };

static bool go; /* atomic */

/* A client that is killed waits no longer. */
static int slow_show(struct seq_file *sf, void *v)
{
	(void)v;
	while (!__atomic_load_n(&go, __ATOMIC_RELAXED)) {
		if (kernfs_current_interrupted())
			return -EINTR;
		usleep(20000);
	}
	seq_puts(sf, "at last\n");
	return 0;
}

static ssize_t slow_write(struct kernfs_open_file *of, char *buf, size_t bytes,
			  off_t off)
{
	(void)of, (void)buf, (void)off;
	__atomic_store_n(&go, true, __ATOMIC_RELAXED);
	return (ssize_t)bytes;
}

static const struct kernfs_ops slow_ops = {
	.seq_show = slow_show,
	.write = slow_write,
	.may_block = true,
};

static unsigned int nr_stuck, nr_released; /* atomic */

static void get_stuck(void)
{
	__atomic_add_fetch(&nr_stuck, 1, __ATOMIC_RELAXED);
	while (!__atomic_load_n(&go, __ATOMIC_RELAXED))
		usleep(10000);
	__atomic_sub_fetch(&nr_stuck, 1, __ATOMIC_RELAXED);
}

static ssize_t stuck_read(struct kernfs_open_file *of, char *buf, size_t bytes,
			  off_t off)
{
	(void)of, (void)bytes;
	get_stuck();
	if (off)
		return 0;
	memcpy(buf, "late\n", 5);
	return 5;
}

static ssize_t stuck_write(struct kernfs_open_file *of, char *buf, size_t bytes,
			   off_t off)
{
	(void)of, (void)buf, (void)off;
	get_stuck();
	return (ssize_t)bytes;
}

static int stuck_open(struct kernfs_open_file *of)
{
	(void)of;
	get_stuck();
	return 0;
}

static void stuck_release(struct kernfs_open_file *of)
{
	(void)of;
	__atomic_add_fetch(&nr_released, 1, __ATOMIC_RELAXED);
}

static int inside_show(struct seq_file *sf, void *v)
{
	(void)v;
	seq_printf(sf, "%u %u\n", __atomic_load_n(&nr_stuck, __ATOMIC_RELAXED),
		   __atomic_load_n(&nr_released, __ATOMIC_RELAXED));
	return 0;
}

static const struct kernfs_ops stuck_ops = {
	.read = stuck_read,
	.write = stuck_write,
	.release = stuck_release,
};
static const struct kernfs_ops stuck_open_ops = {
	.open = stuck_open,
	.read = stuck_read,
	.release = stuck_release,
};
static const struct kernfs_ops inside_ops = { .seq_show = inside_show };

static char born_red[] = "born red", born_blue[] = "born blue";
static char lo_of_red[] = "lo of red";

static void make_tree(void)
{
	struct kernfs_node *top = kernfs_root_to_node(root);

	make_group(top, "group", 0755);
	net = kernfs_create_dir(top, "net", 0755, NULL);
	kernfs_enable_ns(net);
	add(net, "eth0", 0444, &tag_ops, born_red, &red);
	add(net, "eth0", 0444, &tag_ops, born_blue, &blue);
	add(net, "lo", 0444, &tag_ops, lo_of_red, &red);
	add(top, "move", 0200, &move_ops, NULL, NULL);
	add(top, "slow", 0644, &slow_ops, NULL, NULL);
	add(top, "stuck", 0644, &stuck_ops, NULL, NULL);
	add(top, "stuck-open", 0444, &stuck_open_ops, NULL, NULL);
	add(top, "inside", 0444, &inside_ops, NULL, NULL);
	kernfs_activate(top);
}

/* --- serving --- */

static unsigned int timeout_ms;

static struct kernfuse_mount *mount_one(const char *mountpoint,
					const struct ns_common *ns)
{
	const struct kernfuse_mount_params params = {
		.ns = ns,
		.options = "fsname=treed",
		.callback_timeout_ms = timeout_ms,
		.max_threads = 4,
	};

	return kernfuse_mount(root, mountpoint, &params);
}

static struct kernfs_root *new_root(void)
{
	struct kernfs_root_locking_params params = { .nr_locks = 0 };
	const char *locking = getenv("KERNFUSE_TEST_LOCKING");
	const char *nr = getenv("KERNFUSE_TEST_NR_LOCKS");

	if (locking && *locking)
		kernfs_locking_parse(locking, &params.locking);
	if (nr && *nr)
		params.nr_locks = (unsigned int)strtoul(nr, NULL, 10);
	return kernfs_create_root_locking(
		&hooks,
		KERNFS_ROOT_CREATE_DEACTIVATED | KERNFS_ROOT_SUPPORT_EXPORTOP |
			KERNFS_ROOT_SUPPORT_USER_XATTR,
		NULL, &params);
}

int main(int argc, char **argv)
{
	struct kernfuse_mount *mount[2];

	if (argc != 3 && argc != 4) {
		fputs("usage: treed RED-MOUNTPOINT BLUE-MOUNTPOINT [TIMEOUT]\n",
		      stderr);
		return 99;
	}
	if (argc == 4)
		timeout_ms = (unsigned int)strtoul(argv[3], NULL, 10);
	root = new_root();
	if (IS_ERR(root))
		return 99;
	make_tree();
	mount[0] = mount_one(argv[1], &red);
	mount[1] = mount_one(argv[2], &blue);
	if (IS_ERR(mount[0]) || IS_ERR(mount[1]))
		return 99;
	kernfuse_mount_run(mount[0]);
	kernfuse_mount_run(mount[1]);
	kernfuse_unmount(mount[1]);
	kernfuse_unmount(mount[0]);
	kernfs_destroy_root(root);
	return 0;
}
