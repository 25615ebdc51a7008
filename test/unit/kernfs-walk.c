/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths walked again and again: what is remembered, and when it is dropped. */
#include "test/unit/kernfs-fixture.h"

static const struct ns_common red = { 1 }, blue = { 2 };
static const struct kernfs_cred nobody = { .fsuid = 65534, .fsgid = 65534 };

static struct kernfs_walk *walk;

static void teardown_walk(void)
{
	kernfs_walk_destroy(walk);
	walk = NULL;
	teardown();
}

static void start(const char *path)
{
	kernfs_walk_destroy(walk);
	walk = kernfs_walk_create(top, path, NULL);
	ck_assert(!IS_ERR(walk));
}

static void expect(struct kernfs_node *kn)
{
	struct kernfs_node *found = NULL;

	ck_assert_int_eq(kernfs_walk(walk, &kernfs_root_cred, &found), 0);
	ck_assert_ptr_eq(found, kn);
}

static void expect_error_for(const struct kernfs_cred *cred, int err)
{
	struct kernfs_node *found = top;

	ck_assert_int_eq(kernfs_walk(walk, cred, &found), err);
	/* untouched */
	ck_assert_ptr_eq(found, top);
}

static void expect_error(int err)
{
	expect_error_for(&kernfs_root_cred, err);
}

static void chmod_node(struct kernfs_node *kn, mode_t mode)
{
	const struct kernfs_iattr attr = { KERNFS_ATTR_MODE, .mode = mode };

	ck_assert_int_eq(kernfs_setattr(kn, &attr), 0);
}

static uint64_t runs_of(enum kernfs_lock_path path)
{
	struct kernfs_lock_stats stats;

	kernfs_root_lock_stats(root, path, &stats);
	return stats.runs;
}

START_TEST(create)
{
	char path[KERNFS_PATH_MAX + 1];

	ck_assert_int_eq(PTR_ERR(kernfs_walk_create(top, "", NULL)), -EINVAL);
	ck_assert_int_eq(PTR_ERR(kernfs_walk_create(top, "///", NULL)),
			 -EINVAL);
	memset(path, 'n', sizeof(path));
	path[KERNFS_PATH_MAX] = '\0';
	ck_assert_int_eq(PTR_ERR(kernfs_walk_create(top, path, NULL)),
			 -ENAMETOOLONG);
	path[KERNFS_PATH_MAX - 1] = '\0';
	start(path);
	expect_error(-ENOENT);
	kernfs_walk_destroy(NULL);
}
END_TEST

START_TEST(paths)
{
	struct kernfs_node *a = add_dir(top, "a");
	struct kernfs_node *f = add_file(add_dir(a, "b"), "f");

	start("a");
	expect(a);
	start("/a//b/f/");
	expect(f);
	start("a/x");
	expect_error(-ENOENT);
	start("a/../a");
	expect_error(-ENOENT);
	start(".");
	expect_error(-ENOENT);
}
END_TEST

/* From another directory than the root, which stays for the walk. */
START_TEST(start_is_kept)
{
	struct kernfs_node *dir = add_dir(top, "d");

	walk = kernfs_walk_create(dir, "f", NULL);
	ck_assert_int_eq(dir->count, 2);
	expect(add_file(dir, "f"));
	kernfs_remove(dir);
	expect_error(-ENOENT);
}
END_TEST

/* Once walked, it looks nothing up any more and takes no reference. */
START_TEST(warm_walk)
{
	struct kernfs_node *f =
		add_file(add_dir(add_dir(top, "a"), "b"), "f");
	uint64_t lookups, revalidations, permissions;

	start("a/b/f");
	expect(f);
	ck_assert_int_eq(f->count, 2);
	lookups = runs_of(KERNFS_LOCK_LOOKUP);
	revalidations = runs_of(KERNFS_LOCK_REVALIDATE);
	permissions = runs_of(KERNFS_LOCK_PERMISSION);
	for (unsigned int i = 0; i < 10; i++)
		expect(f);
	ck_assert_uint_eq(runs_of(KERNFS_LOCK_LOOKUP), lookups);
	ck_assert_uint_eq(runs_of(KERNFS_LOCK_REVALIDATE), revalidations + 30);
	ck_assert_uint_eq(runs_of(KERNFS_LOCK_PERMISSION), permissions + 30);
	ck_assert_int_eq(f->count, 2);
}
END_TEST

START_TEST(warm_absence)
{
	struct kernfs_node *dir = add_dir(top, "d");
	uint64_t lookups;

	start("d/f");
	expect_error(-ENOENT);
	lookups = runs_of(KERNFS_LOCK_LOOKUP);
	for (unsigned int i = 0; i < 10; i++)
		expect_error(-ENOENT);
	ck_assert_uint_eq(runs_of(KERNFS_LOCK_LOOKUP), lookups);
	expect(add_file(dir, "f"));
}
END_TEST

/* An absence in the middle ends the walk there, and is noticed to end. */
START_TEST(absent_directory)
{
	struct kernfs_node *dir;

	start("d/e/f");
	expect_error(-ENOENT);
	dir = add_dir(top, "d");
	expect_error(-ENOENT);
	expect(add_file(add_dir(dir, "e"), "f"));
}
END_TEST

START_TEST(invisible)
{
	struct kernfs_node *f = add_file(add_dir(top, "d"), "f");

	start("d/f");
	kernfs_show(f, false);
	expect_error(-ENOENT);
	kernfs_show(f, true);
	expect(f);
	kernfs_show(f, false);
	expect_error(-ENOENT);
	kernfs_show(f, true);
	expect(f);
}
END_TEST

START_TEST(no_directory)
{
	struct kernfs_node *f = add_file(top, "f");

	start("f/x");
	expect_error(-ENOTDIR);
	add_link(top, "l", f);
	start("l/x");
	expect_error(-ENOTDIR);
	kernfs_walk_destroy(walk);
	walk = kernfs_walk_create(f, "x", NULL);
	expect_error(-ENOTDIR);
}
END_TEST

/* Permission to search every directory, each time, and nothing else. */
START_TEST(permission)
{
	struct kernfs_node *a = add_dir(top, "a");
	struct kernfs_node *b = add_dir(a, "b");
	struct kernfs_node *f = add_file(b, "f");
	struct kernfs_node *found;

	start("a/b/f");
	chmod_node(f, 0000);
	ck_assert_int_eq(kernfs_walk(walk, &nobody, &found), 0);
	ck_assert_ptr_eq(found, f);
	chmod_node(b, 0766);
	expect_error_for(&nobody, -EACCES);
	chmod_node(b, 0711);
	ck_assert_int_eq(kernfs_walk(walk, &nobody, &found), 0);
	chmod_node(a, 0700);
	expect_error_for(&nobody, -EACCES);
	/* root walks on */
	expect(f);
	/* who may not search is not told what is there */
	start("a/nothing");
	expect_error_for(&nobody, -EACCES);
	/* and is refused in the first directory, too */
	chmod_node(top, 0700);
	start("a");
	expect_error_for(&nobody, -EACCES);
}
END_TEST

START_TEST(renamed)
{
	struct kernfs_node *a = add_dir(top, "a");
	struct kernfs_node *b = add_dir(a, "b");
	struct kernfs_node *f = add_file(b, "f"), *other;

	start("a/b/f");
	expect(f);
	/* another one takes the place of one in the middle */
	ck_assert_int_eq(kernfs_rename(b, top, "c"), 0);
	expect_error(-ENOENT);
	other = add_file(add_dir(a, "b"), "f");
	expect(other);
	/* and of the last one */
	ck_assert_int_eq(kernfs_rename(other, top, NULL), 0);
	expect_error(-ENOENT);
	ck_assert_int_eq(kernfs_rename(f, other->name->parent, "g"), 0);
	expect_error(-ENOENT);
	/* what comes back is found again */
	ck_assert_int_eq(kernfs_remove_by_name(a, "b"), 0);
	ck_assert_int_eq(kernfs_rename(b, a, "b"), 0);
	expect_error(-ENOENT);
	ck_assert_int_eq(kernfs_rename(f, b, "f"), 0);
	expect(f);
}
END_TEST

START_TEST(removed_and_created_again)
{
	struct kernfs_node *f = add_file(add_dir(top, "d"), "f");

	start("d/f");
	expect(f);
	ck_assert_int_eq(kernfs_remove_by_name(top, "d"), 0);
	expect_error(-ENOENT);
	f = add_file(add_dir(top, "d"), "f");
	expect(f);
	kernfs_remove(f);
	expect_error(-ENOENT);
	expect_error(-ENOENT);
}
END_TEST

/* What it remembers it pins, until it walks another way or ends. */
START_TEST(references)
{
	struct kernfs_node *a = add_dir(top, "a");
	struct kernfs_node *f = add_file(a, "f");

	kernfs_get(f);
	kernfs_get(a);
	start("a/f");
	expect(f);
	ck_assert_int_eq(f->count, 3);
	kernfs_remove(a);
	ck_assert_int_eq(f->count, 2);
	expect_error(-ENOENT);
	ck_assert_int_eq(f->count, 1);
	kernfs_put(f);
	ck_assert_int_eq(a->count, 1);
	kernfs_put(a);
	kernfs_walk_destroy(walk);
	walk = NULL;
	ck_assert_int_eq(top->count, 1);
}
END_TEST

START_TEST(tags)
{
	struct kernfs_node *net = add_tagged(add_dir(top, "class"), "net");
	struct kernfs_node *r =
		add_file(add_dir_ns(net, "eth0", &red), "mtu");
	struct kernfs_node *b =
		add_file(add_dir_ns(net, "eth0", &blue), "mtu");

	walk = kernfs_walk_create(top, "class/net/eth0/mtu", &red);
	expect(r);
	expect(r);
	kernfs_walk_destroy(walk);
	walk = kernfs_walk_create(top, "class/net/eth0/mtu", &blue);
	expect(b);
	/* it goes to the other namespace */
	ck_assert_int_eq(kernfs_rename_ns(b->name->parent, net, "eth1", &red),
			 0);
	expect_error(-ENOENT);
	start("class/net/eth0/mtu");
	expect_error(-ENOENT);
}
END_TEST

/* --- threads --- */

/* Each with a walk of its own, over what others pull about. */
static bool stop;

static void *walker_thread(void *arg)
{
	struct kernfs_walk *w = kernfs_walk_create(top, "a/b/f", NULL);
	unsigned int *found = arg;

	must(!IS_ERR(w));
	while (!GET(stop)) {
		struct kernfs_node *kn;
		int err = kernfs_walk(w, &kernfs_root_cred, &kn);

		must(!err || err == -ENOENT);
		if (!err)
			must(kernfs_is(kn, KERNFS_FILE));
		*found += !err;
	}
	kernfs_walk_destroy(w);
	return NULL;
}

START_TEST(walks_side_by_side)
{
	unsigned int found[3] = { 0 };
	uint64_t end = now_ms() + 300;
	pthread_t id[3];

	add_file(add_dir(add_dir(top, "a"), "b"), "f");
	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(walker_thread, &found[i]);
	while (now_ms() < end) {
		struct kernfs_node *a = kernfs_find_and_get(top, "a");
		struct kernfs_node *b = kernfs_find_and_get(a, "b");

		must(kernfs_rename(b, top, "b") == 0);
		must(kernfs_rename(a, b, "a") == 0);
		must(kernfs_rename(a, top, "a") == 0);
		must(kernfs_rename(b, a, "b") == 0);
		usleep(100);
		must(kernfs_remove_by_name(top, "a") == 0);
		kernfs_put(b);
		kernfs_put(a);
		add_file(add_dir(add_dir(top, "a"), "b"), "f");
		usleep(100);
	}
	SET(stop, true);
	for (unsigned int i = 0; i < NR_OF(id); i++) {
		thread_join(id[i]);
		ck_assert_uint_gt(found[i], 0);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		create,
		paths,
		start_is_kept,
		warm_walk,
		warm_absence,
		absent_directory,
		invisible,
		no_directory,
		permission,
		renamed,
		removed_and_created_again,
		references,
		tags,
		walks_side_by_side,
	};

	return test_run("kernfs-walk", tests, NR_OF(tests), setup,
			teardown_walk);
}
