/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links between objects. */
#include "test/unit/sysfs-fixture.h"

static struct kobject other = { .name = "other", .ktype = &fixture_ktype };

static void add_other(void)
{
	ck_assert_int_eq(sysfs_create_dir_ns(&other, NULL), 0);
}

static void setup_two(void)
{
	setup();
	add_other();
}

static void teardown_two(void)
{
	sysfs_remove_dir(&other);
	teardown();
}

START_TEST(creates_and_removes)
{
	ck_assert_int_eq(sysfs_create_link(&obj, &other, "l"), 0);
	expect_link("obj/l", "../other");
	ck_assert_int_eq(sysfs_create_link(&obj, &other, "l"), -EEXIST);
	expect_said(1, "cannot create duplicate filename '/obj/l'");
	ck_assert_int_eq(sysfs_create_link_nowarn(&obj, &other, "l"), -EEXIST);
	ck_assert_uint_eq(nr_said, 1);
	sysfs_remove_link(&obj, "l");
	expect_absent("obj/l");
	ck_assert_int_eq(sysfs_create_link_nowarn(&obj, &other, "l"), 0);
	sysfs_delete_link(&obj, &other, "l");
	expect_absent("obj/l");
	/* at the top */
	ck_assert_int_eq(sysfs_create_link(NULL, &obj, "l"), 0);
	expect_link("l", "obj");
	sysfs_remove_link(NULL, "l");
	expect_absent("l");
}
END_TEST

START_TEST(refusals)
{
	struct kobject bare = { .name = "bare" };

	ck_assert_int_eq(sysfs_create_link(&bare, &other, "l"), -EFAULT);
	ck_assert_int_eq(sysfs_create_link(&obj, &bare, "l"), -ENOENT);
	ck_assert_int_eq(sysfs_rename_link(&bare, &other, "l", "m"), -EFAULT);
	sysfs_remove_link(&bare, "l");
	sysfs_delete_link(&bare, &other, "l");
	sysfs_set_root(NULL);
	ck_assert_int_eq(sysfs_create_link(NULL, &other, "l"), -EFAULT);
}
END_TEST

START_TEST(renames)
{
	struct attribute attr = { .name = "file", .mode = 0444 };

	ck_assert_int_eq(sysfs_create_link(&obj, &other, "l"), 0);
	ck_assert_int_eq(sysfs_rename_link(&obj, &other, "l", "m"), 0);
	expect_absent("obj/l");
	expect_link("obj/m", "../other");
	ck_assert_int_eq(sysfs_rename_link(&obj, &other, "l", "n"), -ENOENT);
	ck_assert_int_eq(sysfs_rename_link(&obj, &top, "m", "n"), -EINVAL);
	ck_assert_int_eq(sysfs_create_file(&obj, &attr), 0);
	ck_assert_int_eq(sysfs_rename_link(&obj, &other, "file", "n"), -EINVAL);
	ck_assert_int_eq(sysfs_rename_link(&obj, &other, "m", "file"), -EEXIST);
}
END_TEST

/* Whatever has the name goes, a directory, too. */
START_TEST(removes_anything)
{
	sysfs_remove_link(NULL, "other");
	expect_absent("other");
}
END_TEST

START_TEST(links_take_the_tag)
{
	const struct ns_common one = { 1 }, two = { 2 };
	struct kobject net = { .name = "net", .parent = &obj };
	struct kobject a = { .name = "a", .parent = &net };
	struct kobject by_net = { .name = "by_net", .parent = &obj };

	ck_assert_int_eq(sysfs_create_dir_ns(&net, NULL), 0);
	ck_assert_int_eq(sysfs_create_dir_ns(&by_net, NULL), 0);
	sysfs_enable_ns(net.sd);
	sysfs_enable_ns(by_net.sd);
	ck_assert_int_eq(sysfs_create_dir_ns(&a, &one), 0);
	/* into a tagged directory and out of one */
	ck_assert_int_eq(sysfs_create_link(&by_net, &a, "l"), 0);
	ck_assert_int_eq(sysfs_create_link(&obj, &a, "l"), 0);
	ck_assert_int_eq(sysfs_create_link(&by_net, &obj, "l"), -EINVAL);
	ck_assert_int_eq(sysfs_rename_link_ns(&by_net, &a, "l", "m", &two), 0);
	ck_assert_int_eq(sysfs_rename_link_ns(&by_net, &a, "l", "m", &one),
			 -ENOENT);
	ck_assert_int_eq(sysfs_create_link(&by_net, &a, "l"), 0);
	sysfs_delete_link(&by_net, &a, "l");
	ck_assert_ptr_null(kernfs_find_and_get_ns(by_net.sd, "l", &one));
	sysfs_delete_link(&obj, &a, "l");
	expect_absent("obj/l");
	sysfs_remove_dir(&a);
	sysfs_remove_dir(&net);
	sysfs_remove_dir(&by_net);
}
END_TEST

START_TEST(to_an_entry)
{
	struct attribute attr = { .name = "file", .mode = 0444 };
	struct kobject bare = { .name = "bare" };

	ck_assert_int_eq(sysfs_create_file(&other, &attr), 0);
	ck_assert_int_eq(compat_only_sysfs_link_entry_to_kobj(&obj, &other,
							      "file", NULL),
			 0);
	expect_link("obj/file", "../other/file");
	ck_assert_int_eq(compat_only_sysfs_link_entry_to_kobj(&obj, &other,
							      "file", "l"),
			 0);
	expect_link("obj/l", "../other/file");
	ck_assert_int_eq(compat_only_sysfs_link_entry_to_kobj(&obj, &other,
							      "file", "l"),
			 -EEXIST);
	expect_said(1, "cannot create duplicate filename '/obj/l'");
	ck_assert_int_eq(compat_only_sysfs_link_entry_to_kobj(&obj, &other,
							      "none", NULL),
			 -ENOENT);
	ck_assert_int_eq(compat_only_sysfs_link_entry_to_kobj(&obj, &bare,
							      "file", NULL),
			 -ENOENT);
	ck_assert_int_eq(compat_only_sysfs_link_entry_to_kobj(&bare, &other,
							      "file", NULL),
			 -EINVAL);
}
END_TEST

START_TEST(in_groups)
{
	struct attribute attr = { .name = "file", .mode = 0444 };
	struct attribute *attrs[] = { &attr, NULL };
	const struct attribute_group grp = { .name = "g", .attrs = attrs };

	ck_assert_int_eq(sysfs_add_link_to_group(&obj, "g", &other, "l"),
			 -ENOENT);
	ck_assert_int_eq(sysfs_create_group(&obj, &grp), 0);
	ck_assert_int_eq(sysfs_add_link_to_group(&obj, "g", &other, "l"), 0);
	expect_link("obj/g/l", "../../other");
	ck_assert_int_eq(sysfs_add_link_to_group(&obj, "g", &other, "l"),
			 -EEXIST);
	sysfs_remove_link_from_group(&obj, "g", "l");
	expect_absent("obj/g/l");
	sysfs_remove_link_from_group(&obj, "none", "l");
}
END_TEST

/* --- a target that goes at the same time --- */

static bool stop;

static void *come_and_go(void *arg)
{
	(void)arg;
	while (!GET(stop)) {
		sysfs_remove_dir(&other);
		must(sysfs_create_dir_ns(&other, NULL) == 0);
	}
	return NULL;
}

START_TEST(target_comes_and_goes)
{
	pthread_t id = thread_start(come_and_go, NULL);
	uint64_t end = now_ms() + 300;
	char buf[KERNFS_PATH_MAX];
	unsigned int made = 0;

	while (now_ms() < end || !made) {
		int err = sysfs_create_link(&obj, &other, "l");

		must(err == 0 || err == -ENOENT);
		if (err)
			continue;
		made++;
		must(kernfs_iop_get_link(at("obj/l"), buf) == 8);
		sysfs_remove_link(&obj, "l");
	}
	SET(stop, true);
	thread_join(id);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		creates_and_removes,
		refusals,
		renames,
		removes_anything,
		links_take_the_tag,
		to_an_entry,
		in_groups,
		target_comes_and_goes,
	};

	return test_run("sysfs-link", tests, NR_OF(tests), setup_two,
			teardown_two);
}
