/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Faults that the kernel's kernfs had and cured, each as a test; the number is
 * that of the commit that cured it. Those that need more than a page have
 * tests of their own, named here:
 *
 *	4207b556e62f, c312828c37a7	kernfs-id while_they_come_and_go
 *	071d8e4c2a3b	kernfs-active removed_while_broken, break_and_unbreak
 *	4abc99652812	also kernfs-remove by_name_many_times
 *	2fd26970cf66	also kernfs-poll none_is_lost
 *
 * 05d8f255867e is about mmap, which nobody here has (hooks-through looks that
 * it is refused). In resctrl a program read a node's name while it could be
 * freed: here nodes are opaque, and kernfs_name() copies. And a program's own
 * lock around a removal that its callbacks want, as lib/test_sysfs shows, is
 * for the program to avoid: see doc/locking.md.
 */
#include "fs/kernfs/open-file.h"
#include "test/unit/kernfs-fixture.h"

#include <fcntl.h>
#include <sys/epoll.h>

static bool over;

static struct kernfs_node *file_with(struct kernfs_node *dir, const char *name,
				     const struct kernfs_ops *ops)
{
	return ok_node(__kernfs_create_file(dir, name, 0644, 0, 0, 4096, ops,
					    NULL, NULL));
}

static struct kernfs_open_file *open_ok(struct kernfs_node *kn)
{
	struct kernfs_open_file *of;

	ck_assert_int_eq(kernfs_fop_open(kn, O_RDWR, &of), 0);
	return of;
}

/* A remembered absence. */
static struct kernfs_dentry absent(struct kernfs_node *dir, const char *name)
{
	struct kernfs_dentry d;

	ck_assert_int_eq(kernfs_iop_lookup(dir, name, NULL, &d), -ENOENT);
	ck_assert(kernfs_dop_revalidate(&d));
	return d;
}

static void expect_there(struct kernfs_node *dir, const char *name)
{
	struct kernfs_dentry d;

	ck_assert_int_eq(kernfs_iop_lookup(dir, name, NULL, &d), 0);
	kernfs_put(d.kn);
}

/* --- remembered absences --- */

/* 410d591a1954: one of an inactive node stayed valid when it was activated */
START_TEST(absence_of_the_inactive)
{
	struct kernfs_dentry d;

	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	kernfs_activate(top);
	add_file(top, "f");
	ck_assert_int_eq(kernfs_iop_lookup(top, "f", NULL, &d), -EAGAIN);
	kernfs_activate(top);
	expect_there(top, "f");
}
END_TEST

/* df38d852c681: a name that was removed and made again stayed absent */
START_TEST(absence_after_removal)
{
	struct kernfs_dentry d;

	add_dir(top, "d");
	expect_there(top, "d");
	ck_assert_int_eq(kernfs_remove_by_name(top, "d"), 0);
	d = absent(top, "d");
	add_dir(top, "d");
	ck_assert(!kernfs_dop_revalidate(&d));
	expect_there(top, "d");
}
END_TEST

/* a name that was absent became one by renaming; in the other directory, too */
START_TEST(absence_at_rename)
{
	struct kernfs_node *a = add_dir(top, "a"), *b = add_dir(top, "b");
	struct kernfs_node *kn = add_file(a, "f");
	struct kernfs_dentry to = absent(b, "g"), from = absent(a, "g");
	struct kernfs_dentry same = absent(a, "h");

	ck_assert_int_eq(kernfs_rename(kn, b, "g"), 0);
	ck_assert(!kernfs_dop_revalidate(&to));
	ck_assert(!kernfs_dop_revalidate(&from));
	ck_assert(!kernfs_dop_revalidate(&same));
	expect_there(b, "g");
	same = absent(b, "h");
	ck_assert_int_eq(kernfs_rename(kn, b, "h"), 0);
	ck_assert(!kernfs_dop_revalidate(&same));
}
END_TEST

/* --- nothing --- */

/* ad8d869343ae, 72b5d5aef246: removing NULL */
START_TEST(nothing)
{
	kernfs_remove(NULL);
	kernfs_destroy_root(NULL);
	kernfs_put(NULL);
	kernfs_fop_release(NULL);
	ck_assert_int_eq(kernfs_remove_by_name(NULL, "f"), -ENOENT);
}
END_TEST

/* The report on the second posting of per-node locks: used before they were
 * initialised, in the first addition. */
START_TEST(first_child_of_a_fresh_root)
{
	for (unsigned int i = 0; i < 20; i++) {
		struct kernfs_root *fresh = test_create_root(
			i % 2 ? KERNFS_ROOT_CREATE_DEACTIVATED : 0);
		struct kernfs_node *kn = ok_node(kernfs_create_dir(
			kernfs_root_to_node(fresh), "d", 0755, NULL));

		kernfs_activate(kn);
		add_file(kn, "f");
		test_destroy_root(fresh);
	}
}
END_TEST

/* --- notification --- */

static unsigned int shows;

static int show_cb(struct seq_file *sf, void *v)
{
	(void)v;
	ADD(shows, 1);
	seq_putc(sf, 's');
	return 0;
}

static const struct kernfs_ops text_ops = { .seq_show = show_cb };

static void count_cb(struct poll_table_struct *pt)
{
	(void)pt;
	ADD(shows, 1);
}

static void *notify_many(void *arg)
{
	for (unsigned int i = 0; i < 2000; i++)
		kernfs_notify(arg);
	return NULL;
}

/* 2fd26970cf66: a node queued twice; storms on one node */
START_TEST(notify_storm)
{
	struct kernfs_node *kn = file_with(top, "f", &text_ops);
	struct poll_table_struct pt = { .wake = count_cb };
	struct kernfs_open_file *of = open_ok(kn);
	pthread_t id[4];

	for (unsigned int i = 0; i < 4; i++)
		id[i] = thread_start(notify_many, kn);
	for (unsigned int i = 0; i < 1000; i++)
		must(kernfs_fop_poll(of, &pt) & EPOLLIN);
	for (unsigned int i = 0; i < 4; i++)
		thread_join(id[i]);
	kernfs_fop_poll_cancel(of, &pt);
	/* each was counted */
	ck_assert_uint_eq(kn->attr.open->event, 1 + 4 * 2000);
	kernfs_fop_release(of);
}
END_TEST

static void free_cb(struct kernfs_open_file *of)
{
	free(of->priv);
	of->priv = NULL;
}

static int priv_cb(struct kernfs_open_file *of)
{
	of->priv = calloc(1, 64);
	return of->priv ? 0 : -ENOMEM;
}

static unsigned int priv_poll_cb(struct kernfs_open_file *of,
				 struct poll_table_struct *pt)
{
	must(of->priv && *(char *)of->priv == 0);
	return kernfs_generic_poll(of, pt);
}

static const struct kernfs_ops priv_ops = {
	.open = priv_cb,
	.release = free_cb,
	.seq_show = show_cb,
	.poll = priv_poll_cb,
};

static void *poll_many(void *arg)
{
	struct poll_table_struct pt = { .wake = count_cb };

	while (!GET(over))
		kernfs_fop_poll(arg, &pt);
	kernfs_fop_poll_cancel(arg, &pt);
	return NULL;
}

/* The pressure triggers: the queue went with what release freed. */
START_TEST(release_with_waiters)
{
	for (unsigned int i = 0; i < 50; i++) {
		struct kernfs_node *kn = file_with(top, "f", &priv_ops);
		struct kernfs_open_file *of = open_ok(kn);
		pthread_t id[2];

		SET(over, false);
		id[0] = thread_start(poll_many, of);
		id[1] = thread_start(poll_many, of);
		usleep(500);
		kernfs_remove(kn);
		ck_assert(kernfs_fop_poll(of, NULL) & EPOLLPRI);
		SET(over, true);
		thread_join(id[0]);
		thread_join(id[1]);
		kernfs_fop_release(of);
	}
}
END_TEST

/* 3c9ba2777d6c: open, hide, show, and then poll used what release freed */
static ssize_t priv_io_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
			  off_t off)
{
	(void)buf, (void)off;
	must(of->priv);
	return (ssize_t)bytes;
}

static off_t priv_llseek_cb(struct kernfs_open_file *of, off_t pos,
			    off_t offset, int whence)
{
	(void)pos, (void)whence;
	must(of->priv);
	return offset;
}

static const struct kernfs_ops priv_io_ops = {
	.open = priv_cb,
	.release = free_cb,
	.read = priv_io_cb,
	.write = priv_io_cb,
	.llseek = priv_llseek_cb,
	.poll = priv_poll_cb,
};

START_TEST(released_by_hide_is_dead)
{
	struct kernfs_node *kn = file_with(top, "f", &priv_io_ops);
	struct kernfs_open_file *of = open_ok(kn);
	char buf[1];

	ck_assert_int_eq(kernfs_fop_read(of, buf, 1, 0), 1);
	kernfs_show(kn, false);
	kernfs_show(kn, true);
	ck_assert_int_eq(kernfs_fop_read(of, buf, 1, 0), -ENODEV);
	ck_assert_int_eq(kernfs_fop_write(of, buf, 1, 0), -ENODEV);
	ck_assert_int_eq(kernfs_fop_llseek(of, 0, 0, SEEK_SET), -ENODEV);
	ck_assert(kernfs_fop_poll(of, NULL) & EPOLLPRI);
	kernfs_fop_release(of);
	/* one opened now is alive */
	of = open_ok(kn);
	ck_assert_int_eq(kernfs_fop_read(of, buf, 1, 0), 1);
	kernfs_fop_release(of);
}
END_TEST

/* --- names while they change --- */

static struct kernfs_node *moving, *from_dir, *to_dir;

static void *move_to_and_fro(void *arg)
{
	(void)arg;
	while (!GET(over)) {
		must(!kernfs_rename(moving, to_dir, "a name that is longer"));
		must(!kernfs_rename(moving, from_dir, "short"));
	}
	return NULL;
}

static void check_path(struct kernfs_node *kn)
{
	char buf[128];

	must(kernfs_path(kn, buf, sizeof(buf)) > 0);
	must(!strcmp(buf, "/from/short") ||
	     !strcmp(buf, "/to/a name that is longer") ||
	     !strcmp(buf, "/from/a name that is longer"));
	must(strcmp(buf, "/from/a name that is longer"));
	must(kernfs_name(kn, buf, sizeof(buf)) > 0);
	must(!strcmp(buf, "short") || !strcmp(buf, "a name that is longer"));
}

static int path_cb(struct seq_file *sf, void *v)
{
	const struct kernfs_open_file *of = sf->private_data;

	(void)v;
	check_path(of->kn);
	seq_putc(sf, 'p');
	return 0;
}

static void path_wake_cb(struct poll_table_struct *pt)
{
	(void)pt;
	check_path(moving);
}

static const struct kernfs_ops path_ops = { .seq_show = path_cb };

static pthread_t start_moving(const struct kernfs_ops *ops)
{
	from_dir = add_dir(top, "from");
	to_dir = add_dir(top, "to");
	moving = file_with(from_dir, "short", ops);
	return thread_start(move_to_and_fro, NULL);
}

/* 1a702dc88e15: asking for a path from where output goes */
START_TEST(paths_in_callbacks)
{
	pthread_t id = start_moving(&path_ops);
	struct poll_table_struct pt = { .wake = path_wake_cb };
	struct kernfs_open_file *of = open_ok(moving);
	char c;

	for (unsigned int i = 0; i < 1000; i++) {
		must(kernfs_fop_read(of, &c, 1, 0) == 1);
		kernfs_fop_poll(of, &pt);
		kernfs_notify(moving);
	}
	SET(over, true);
	thread_join(id);
	kernfs_fop_poll_cancel(of, &pt);
	kernfs_fop_release(of);
}
END_TEST

static bool slow_fill(void *ctx, const struct kernfs_dirent *de)
{
	char first[32], second[32];

	(void)ctx;
	/* the name must not change, nor go, while we look */
	snprintf(first, sizeof(first), "%s", de->name);
	sched_yield();
	snprintf(second, sizeof(second), "%s", de->name);
	must(!strcmp(first, second));
	return true;
}

/* 5b2fabf7fe8f: a name or parent read while a rename frees it */
START_TEST(listing_and_parents_while_renaming)
{
	pthread_t id = start_moving(&text_ops);
	uint64_t end = now_ms() + 300;

	while (now_ms() < end) {
		struct kernfs_node *parent;

		kernfs_fop_readdir(from_dir, NULL, 0, slow_fill, NULL);
		kernfs_fop_readdir(to_dir, NULL, 0, slow_fill, NULL);
		parent = kernfs_get_parent(moving);
		must(parent == from_dir || parent == to_dir);
		kernfs_put(parent);
		check_path(moving);
	}
	SET(over, true);
	thread_join(id);
}
END_TEST

/* --- creation and removal --- */

static ssize_t slow_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
		       off_t off)
{
	(void)of, (void)buf, (void)off;
	usleep(100);
	return (ssize_t)bytes;
}

static const struct kernfs_ops slow_ops = { .read = slow_cb };

static void *create_and_remove(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < 100; i++) {
		struct kernfs_node *kn;
		struct kernfs_open_file *of;
		char c;

		__kernfs_create_file(top, "same", 0644, 0, 0, 0, &slow_ops,
				     NULL, NULL);
		kn = kernfs_find_and_get(top, "same");
		if (kn && !kernfs_fop_open(kn, O_RDONLY, &of)) {
			kernfs_fop_read(of, &c, 1, 0);
			kernfs_fop_release(of);
		}
		kernfs_put(kn);
		kernfs_remove_by_name(top, "same");
	}
	return NULL;
}

/* 4abc99652812: two removers of one name, while a callback is slow */
START_TEST(one_name_many_removers)
{
	unsigned int unused[4];

	run_threads(4, create_and_remove, unused, sizeof(unused[0]));
	ck_assert_int_eq(kernfs_remove_by_name(top, "same"), -ENOENT);
}
END_TEST

static void *grow_and_shrink(void *arg)
{
	struct kernfs_node *dir = arg;

	while (!GET(over)) {
		add_dir(dir, "b");
		must(kernfs_remove_by_name(dir, "a") == 0);
		add_dir(dir, "a");
		must(kernfs_remove_by_name(dir, "b") == 0);
	}
	return NULL;
}

/* 0559f63057f9: nlink changed under those who read it */
START_TEST(nlink_is_of_one_moment)
{
	struct kernfs_node *dir = add_dir(top, "d");
	pthread_t id;

	add_dir(dir, "a");
	id = thread_start(grow_and_shrink, dir);
	for (unsigned int i = 0; i < 20000; i++) {
		nlink_t nlink = stat_of(dir).st_nlink;

		must(nlink == 3 || nlink == 4);
	}
	SET(over, true);
	thread_join(id);
	ck_assert_uint_eq(stat_of(dir).st_nlink, 3);
}
END_TEST

static void *create_in_vain(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < 2000; i++)
		must(IS_ERR(try_file(top, "taken", NULL)));
	return NULL;
}

/* 30480b988f88: an id given back without the lock, when creation failed */
START_TEST(failed_creations_at_once)
{
	unsigned int unused[4];
	uint64_t id = kernfs_id(add_file(top, "taken"));
	struct kernfs_node *kn;

	run_threads(4, create_in_vain, unused, sizeof(unused[0]));
	kn = kernfs_find_and_get_node_by_id(root, id);
	ck_assert_ptr_nonnull(kn);
	kernfs_put(kn);
	for (uint64_t i = 1; i <= 4 * 2000; i++)
		must(!kernfs_find_and_get_node_by_id(root, id + i));
}
END_TEST

/* --- callbacks that use the tree --- */

static ssize_t walk_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
		       off_t off)
{
	struct kernfs_node *kn = kernfs_walk_and_get(top, "d/f");
	struct kernfs_open_file *other;

	(void)of, (void)off, (void)buf;
	must(kn);
	must(kernfs_fop_open(kn, O_RDWR, &other) == 0);
	kernfs_notify(kn);
	must(kernfs_fop_poll(other, NULL) & EPOLLPRI);
	kernfs_fop_release(other);
	kernfs_put(kn);
	return (ssize_t)bytes;
}

static const struct kernfs_ops walk_ops = { .write = walk_cb };

/* 16b52bbee482: a write that walks paths and opens files was reported as a
 * circle of locks; with --enable-lock-debug our checker watches */
START_TEST(writing_walks_and_opens)
{
	struct kernfs_open_file *of;

	file_with(add_dir(top, "d"), "f", &text_ops);
	of = open_ok(file_with(top, "w", &walk_ops));
	ck_assert_int_eq(kernfs_fop_write(of, "x", 1, 0), 1);
	kernfs_fop_release(of);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		absence_of_the_inactive,     absence_after_removal,
		absence_at_rename,	     nothing,
		first_child_of_a_fresh_root, notify_storm,
		release_with_waiters,	     released_by_hide_is_dead,
		paths_in_callbacks,	     listing_and_parents_while_renaming,
		one_name_many_removers,	     nlink_is_of_one_moment,
		failed_creations_at_once,    writing_walks_and_opens,
	};

	return test_run("kernfs-regressions", tests, NR_OF(tests), setup,
			teardown);
}
