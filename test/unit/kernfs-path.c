/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names and paths: every shape, and what does not fit. */
#include "test/unit/kernfs-fixture.h"

/* --- names --- */

START_TEST(names)
{
	struct kernfs_node *kn = add_file(top, "file");
	char buf[16];

	ck_assert_int_eq(kernfs_name(kn, buf, sizeof(buf)), 4);
	ck_assert_str_eq(buf, "file");
	ck_assert_int_eq(kernfs_name(top, buf, sizeof(buf)), 1);
	ck_assert_str_eq(buf, "/");
	ck_assert_int_eq(kernfs_name(NULL, buf, sizeof(buf)), 6);
	ck_assert_str_eq(buf, "(null)");
	ck_assert_int_eq(kernfs_rename(kn, top, "other"), 0);
	ck_assert_int_eq(kernfs_name(kn, buf, sizeof(buf)), 5);
	ck_assert_str_eq(buf, "other");
}
END_TEST

START_TEST(cut_names)
{
	struct kernfs_node *kn = add_file(top, "file");
	char buf[16] = "untouched";

	ck_assert_int_eq(kernfs_name(kn, buf, 5), 4);
	ck_assert_str_eq(buf, "file");
	ck_assert_int_eq(kernfs_name(kn, buf, 4), -E2BIG);
	ck_assert_str_eq(buf, "fil");
	ck_assert_int_eq(kernfs_name(kn, buf, 1), -E2BIG);
	ck_assert_str_eq(buf, "");
	buf[0] = 'x';
	ck_assert_int_eq(kernfs_name(kn, buf, 0), -EINVAL);
	ck_assert_int_eq(buf[0], 'x');
	ck_assert_int_eq(kernfs_name(top, buf, 1), -E2BIG);
	ck_assert_int_eq(kernfs_name(NULL, buf, 4), -E2BIG);
	ck_assert_str_eq(buf, "(nu");
}
END_TEST

/* --- paths --- */

static void expect_from(struct kernfs_node *to, struct kernfs_node *from,
			const char *path)
{
	int len = (int)strlen(path);
	char buf[KERNFS_PATH_MAX];

	ck_assert_int_eq(kernfs_path_from_node(to, from, buf, sizeof(buf)),
			 len);
	ck_assert_str_eq(buf, path);
	/* exactly as much room as it takes */
	memset(buf, 'x', sizeof(buf));
	ck_assert_int_eq(kernfs_path_from_node(to, from, buf,
					       (size_t)len + 1),
			 len);
	ck_assert_str_eq(buf, path);
	ck_assert_int_eq(buf[len + 1], 'x');
	/* and every length that is less */
	for (int room = 1; room <= len; room++) {
		memset(buf, 'x', sizeof(buf));
		ck_assert_int_eq(kernfs_path_from_node(to, from, buf,
						       (size_t)room),
				 -E2BIG);
		ck_assert_str_eq(buf, "");
		ck_assert_int_eq(buf[room], 'x');
	}
	ck_assert_int_eq(kernfs_path_from_node(to, from, buf, 0), -EINVAL);
}

START_TEST(shapes)
{
	struct kernfs_node *a = add_dir(top, "a");
	struct kernfs_node *b = add_dir(a, "bb");
	struct kernfs_node *c = add_dir(b, "ccc");
	struct kernfs_node *f = add_file(c, "f");
	struct kernfs_node *x = add_dir(top, "x");
	struct kernfs_node *y = add_dir(x, "yy");

	/* the same node */
	expect_from(top, top, "/");
	expect_from(top, NULL, "/");
	expect_from(c, c, "/");
	/* below */
	expect_from(a, NULL, "/a");
	expect_from(f, NULL, "/a/bb/ccc/f");
	expect_from(f, top, "/a/bb/ccc/f");
	expect_from(f, b, "/ccc/f");
	expect_from(f, c, "/f");
	/* above */
	expect_from(top, a, "/..");
	expect_from(a, f, "/../../..");
	expect_from(b, c, "/..");
	/* beside */
	expect_from(y, f, "/../../../../x/yy");
	expect_from(f, y, "/../../a/bb/ccc/f");
	expect_from(x, a, "/../x");
	expect_from(a, y, "/../../a");
}
END_TEST

START_TEST(siblings_of_one_name)
{
	struct kernfs_node *a = add_dir(top, "a");
	struct kernfs_node *aa = add_dir(a, "a");
	struct kernfs_node *b = add_dir(top, "b");
	struct kernfs_node *ba = add_dir(b, "a");

	expect_from(aa, ba, "/../../a/a");
	expect_from(ba, a, "/../b/a");
	expect_from(aa, a, "/a");
}
END_TEST

START_TEST(no_node)
{
	char buf[16];

	ck_assert_int_eq(kernfs_path(NULL, buf, sizeof(buf)), 6);
	ck_assert_str_eq(buf, "(null)");
	ck_assert_int_eq(kernfs_path_from_node(NULL, top, buf, 3), -E2BIG);
	ck_assert_str_eq(buf, "(n");
}
END_TEST

START_TEST(other_root)
{
	struct kernfs_root *other = test_create_root(0);
	char buf[16];

	ck_assert_int_eq(kernfs_path_from_node(top, kernfs_root_to_node(other),
					       buf, sizeof(buf)),
			 -EINVAL);
	test_destroy_root(other);
}
END_TEST

START_TEST(removed_node)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(dir, "f");

	kernfs_get(kn);
	kernfs_remove(dir);
	expect_from(kn, NULL, "/d/f");
	expect_from(top, kn, "/../..");
	kernfs_put(kn);
}
END_TEST

START_TEST(follows_renames)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(dir, "f");

	ck_assert_int_eq(kernfs_rename(dir, add_dir(top, "e"), "g"), 0);
	expect_from(kn, NULL, "/e/g/f");
	ck_assert_int_eq(kernfs_rename(kn, top, "h"), 0);
	expect_from(kn, dir, "/../../h");
}
END_TEST

/* 4095 bytes and a NUL fit, a byte more does not. */
START_TEST(longest_path)
{
	struct kernfs_node *kn = top;
	char name[KERNFS_PATH_MAX], buf[KERNFS_PATH_MAX];

	memset(name, 'n', sizeof(name));
	name[KERNFS_PATH_MAX - 2] = '\0';
	kn = add_file(top, name);
	ck_assert_int_eq(kernfs_path(kn, buf, sizeof(buf)),
			 KERNFS_PATH_MAX - 1);
	ck_assert_str_eq(buf + 1, name);
	name[KERNFS_PATH_MAX - 2] = 'n';
	name[KERNFS_PATH_MAX - 1] = '\0';
	kn = add_file(top, name);
	ck_assert_int_eq(kernfs_path(kn, buf, sizeof(buf)), -E2BIG);
}
END_TEST

/* Deeper than any path: short ways are still found. */
START_TEST(deep_nodes)
{
	struct kernfs_node *kn = top, *above = NULL, *beside;
	char buf[KERNFS_PATH_MAX];

	for (unsigned int i = 0; i < 2047; i++)
		kn = add_dir(kn, "d");
	ck_assert_int_eq(kernfs_path(kn, buf, sizeof(buf)), 4094);
	for (unsigned int i = 0; i < 3000; i++) {
		above = kn;
		kn = add_dir(kn, "d");
	}
	ck_assert_int_eq(kernfs_path(kn, buf, sizeof(buf)), -E2BIG);
	beside = add_dir(above, "e");
	expect_from(kn, above, "/d");
	expect_from(above, kn, "/..");
	expect_from(beside, kn, "/../e");
	ck_assert_int_eq(kernfs_path_from_node(top, kn, buf, sizeof(buf)),
			 -E2BIG);
}
END_TEST

/* --- threads --- */

static bool stop;
static struct kernfs_node *dir_a, *dir_b;

static void *path_thread(void *kn)
{
	char buf[KERNFS_PATH_MAX], back[KERNFS_PATH_MAX];

	while (!GET(stop)) {
		int len = kernfs_path_from_node(kn, dir_b, buf, sizeof(buf));

		must(len > 0 && (size_t)len == strlen(buf));
		must(!strcmp(buf, "/../a/sub/f") ||
		     !strcmp(buf, "/longer/name/f"));
		len = kernfs_path_from_node(dir_b, kn, back, sizeof(back));
		must(len > 0 && (size_t)len == strlen(back));
		must(!strcmp(back, "/../../../b") || !strcmp(back, "/../../.."));
	}
	return NULL;
}

/* Up and down, long and short: each answer is of one moment. */
START_TEST(renames_interfere)
{
	uint64_t end = now_ms() + 300;
	struct kernfs_node *sub, *longer, *kn;
	pthread_t id[2];

	dir_a = add_dir(top, "a");
	dir_b = add_dir(top, "b");
	longer = add_dir(dir_b, "longer");
	sub = add_dir(dir_a, "sub");
	kn = add_file(sub, "f");
	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(path_thread, kn);
	for (unsigned int i = 0; now_ms() < end; i++)
		must(kernfs_rename(sub, i % 2 ? dir_a : longer,
				   i % 2 ? "sub" : "name") == 0);
	SET(stop, true);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		thread_join(id[i]);
}
END_TEST

/* A reader whom renames never leave alone gets its answer in the end. */
static void *rename_thread(void *kn)
{
	for (unsigned int i = 0; !GET(stop); i++)
		must(kernfs_rename(kn, top, i % 2 ? "x" : "y") == 0);
	return NULL;
}

START_TEST(renames_do_not_starve_readers)
{
	struct kernfs_node *kn = add_file(top, "f");
	pthread_t id = thread_start(rename_thread, add_file(top, "x"));
	char buf[16];

	for (unsigned int i = 0; i < 20000; i++)
		must(kernfs_path(kn, buf, sizeof(buf)) == 2);
	SET(stop, true);
	thread_join(id);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		names,
		cut_names,
		shapes,
		siblings_of_one_name,
		no_node,
		other_root,
		removed_node,
		follows_renames,
		longest_path,
		deep_nodes,
		renames_interfere,
		renames_do_not_starve_readers,
	};

	return test_run("kernfs-path", tests, NR_OF(tests), setup, teardown);
}
