/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Link texts: the shortest way over a proper ancestor of the target. */
#include "test/unit/kernfs-fixture.h"

static void expect_text(struct kernfs_node *link, const char *text)
{
	char buf[KERNFS_PATH_MAX];

	ck_assert_int_eq(kernfs_iop_get_link(link, buf), (int)strlen(text));
	ck_assert_str_eq(buf, text);
}

static void expect_error(struct kernfs_node *link, int err)
{
	char buf[KERNFS_PATH_MAX];

	ck_assert_int_eq(kernfs_iop_get_link(link, buf), err);
}

START_TEST(shapes)
{
	struct kernfs_node *a = add_dir(top, "a");
	struct kernfs_node *b = add_dir(a, "b");
	struct kernfs_node *f = add_file(b, "f");
	struct kernfs_node *x = add_dir(top, "x");

	/* from the root, down */
	expect_text(add_link(top, "1", a), "a");
	expect_text(add_link(top, "2", f), "a/b/f");
	/* beside it */
	expect_text(add_link(b, "3", f), "f");
	/* below the link's directory */
	expect_text(add_link(a, "4", f), "b/f");
	/* above and down again */
	expect_text(add_link(x, "5", f), "../a/b/f");
	expect_text(add_link(b, "6", x), "../../x");
	/* a directory that the link is in: never "..", always by name */
	expect_text(add_link(a, "7", a), "../a");
	expect_text(add_link(b, "8", a), "../../a");
	expect_text(add_link(b, "9", b), "../b");
}
END_TEST

/* As in a real sysfs: class/mem/zero. */
START_TEST(class_mem_zero)
{
	struct kernfs_node *devices = add_dir(top, "devices");
	struct kernfs_node *virtual = add_dir(devices, "virtual");
	struct kernfs_node *zero = add_dir(add_dir(virtual, "mem"), "zero");
	struct kernfs_node *mem = add_dir(add_dir(top, "class"), "mem");

	expect_text(add_link(mem, "zero", zero),
		    "../../devices/virtual/mem/zero");
	expect_text(add_link(zero, "subsystem", mem),
		    "../../../../class/mem");
}
END_TEST

START_TEST(link_to_a_link)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *link = add_link(dir, "l", dir);

	expect_text(add_link(top, "m", link), "d/l");
}
END_TEST

/* The root node has no name to lead to. */
START_TEST(root_as_target)
{
	expect_error(add_link(top, "l", top), -EINVAL);
	expect_error(add_link(add_dir(top, "d"), "l", top), -EINVAL);
}
END_TEST

START_TEST(no_link)
{
	expect_error(top, -EINVAL);
	expect_error(add_file(top, "f"), -EINVAL);
}
END_TEST

/* A target that is gone has still been somewhere. */
START_TEST(removed_target)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *target = add_file(dir, "t");
	struct kernfs_node *link = add_link(top, "l", target);

	kernfs_remove(dir);
	expect_text(link, "d/t");
	kernfs_get(link);
	kernfs_remove(link);
	expect_text(link, "d/t");
	kernfs_put(link);
}
END_TEST

START_TEST(follows_renames)
{
	struct kernfs_node *a = add_dir(top, "a"), *b = add_dir(top, "b");
	struct kernfs_node *target = add_file(a, "t");
	struct kernfs_node *link = add_link(b, "l", target);

	expect_text(link, "../a/t");
	ck_assert_int_eq(kernfs_rename(target, a, "new"), 0);
	expect_text(link, "../a/new");
	ck_assert_int_eq(kernfs_rename(a, b, "below"), 0);
	expect_text(link, "below/new");
	ck_assert_int_eq(kernfs_rename(link, a, NULL), 0);
	expect_text(link, "new");
	ck_assert_int_eq(kernfs_rename(target, top, "t"), 0);
	expect_text(link, "../../t");
}
END_TEST

START_TEST(fixed_text)
{
	struct kernfs_node *link = ok_node(kernfs_create_link_text(
		add_dir(top, "d"), "l", 0, 0, "/dev/null", NULL));

	expect_text(link, "/dev/null");
	ck_assert_int_eq(kernfs_rename(link, top, "m"), 0);
	expect_text(link, "/dev/null");
}
END_TEST

/* --- lengths --- */

static char long_name[KERNFS_PATH_MAX];

static const char *name_of_length(size_t len)
{
	memset(long_name, 'n', len);
	long_name[len] = '\0';
	return long_name;
}

/* 4095 bytes at most, whether there is a way up or not. */
START_TEST(longest_text)
{
	struct kernfs_node *dir = add_dir(top, "d"), *kn;
	char buf[KERNFS_PATH_MAX];

	kn = add_file(top, name_of_length(4095));
	expect_text(add_link(top, "beside", kn), long_name);
	expect_error(add_link(dir, "up", kn), -ENAMETOOLONG);
	kn = add_file(top, name_of_length(4092));
	ck_assert_int_eq(kernfs_iop_get_link(add_link(dir, "fits", kn), buf),
			 4095);
	ck_assert_int_eq(strncmp(buf, "../nnn", 6), 0);
	kn = add_file(top, name_of_length(4093));
	expect_error(add_link(dir, "too long", kn), -ENAMETOOLONG);
	kn = add_file(dir, name_of_length(4093));
	ck_assert_int_eq(kernfs_iop_get_link(add_link(top, "down", kn), buf),
			 4095);
	kn = add_file(dir, name_of_length(4094));
	expect_error(add_link(top, "far down", kn), -ENAMETOOLONG);
}
END_TEST

START_TEST(longest_climb)
{
	struct kernfs_node *target = add_file(top, "t"), *dir = top;
	char buf[KERNFS_PATH_MAX];

	for (unsigned int i = 0; i < 1364; i++)
		dir = add_dir(dir, "d");
	ck_assert_int_eq(kernfs_iop_get_link(add_link(dir, "l", target), buf),
			 3 * 1364 + 1);
	dir = add_dir(dir, "d");
	/* 1365 times "../" are 4095 bytes, and the name is one more */
	expect_error(add_link(dir, "l", target), -ENAMETOOLONG);
	dir = add_dir(dir, "d");
	expect_error(add_link(dir, "l", target), -ENAMETOOLONG);
}
END_TEST

/* Deeper than any path, but the way is short. */
START_TEST(deep_neighbours)
{
	struct kernfs_node *dir = top;

	for (unsigned int i = 0; i < 5000; i++)
		dir = add_dir(dir, "d");
	expect_text(add_link(dir, "l", add_file(dir, "t")), "t");
	expect_text(add_link(add_dir(dir, "e"), "l", dir), "../../d");
	expect_error(add_link(top, "l", dir), -ENAMETOOLONG);
}
END_TEST

/* --- threads --- */

static bool stop;

static void *read_thread(void *link)
{
	char buf[KERNFS_PATH_MAX];

	while (!GET(stop)) {
		int len = kernfs_iop_get_link(link, buf);

		must(len > 0 && (size_t)len == strlen(buf));
		must(!strcmp(buf, "../a/short") ||
		     !strcmp(buf, "deep/deeper/a-much-longer-name"));
	}
	return NULL;
}

START_TEST(texts_are_of_one_moment)
{
	struct kernfs_node *a = add_dir(top, "a"), *b = add_dir(top, "b");
	struct kernfs_node *deeper = add_dir(add_dir(b, "deep"), "deeper");
	struct kernfs_node *target = add_file(a, "short");
	uint64_t end = now_ms() + 300;
	struct kernfs_node *link = add_link(b, "l", target);
	pthread_t id[2];

	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(read_thread, link);
	for (unsigned int i = 0; now_ms() < end; i++)
		must(kernfs_rename(target, i % 2 ? a : deeper,
				   i % 2 ? "short" : "a-much-longer-name") ==
		     0);
	SET(stop, true);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		thread_join(id[i]);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		shapes,
		class_mem_zero,
		link_to_a_link,
		root_as_target,
		no_link,
		removed_target,
		follows_renames,
		fixed_text,
		longest_text,
		longest_climb,
		deep_neighbours,
		texts_are_of_one_moment,
	};

	return test_run("kernfs-symlink", tests, NR_OF(tests), setup,
			teardown);
}
