/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changing owners of files, links, groups and objects. */
#include "test/unit/sysfs-fixture.h"

static struct attribute a = { .name = "a", .mode = 0644 };
static struct attribute b = { .name = "b", .mode = 0644 };
static struct attribute *attrs[] = { &a, &b, NULL };
static mode_t visible[2] = { 0644, 0644 };

static umode_t is_visible(struct kobject *kobj, struct attribute *attr, int nr)
{
	(void)kobj, (void)attr;
	return visible[nr];
}

static const struct attribute_group plain = {
	.attrs = attrs,
	.is_visible = is_visible,
};
static const struct attribute_group named = { .name = "g", .attrs = attrs };
static const struct attribute_group *groups[] = { &plain, &named, NULL };

static const struct kobj_type ktype = {
	.sysfs_ops = &fixture_ops,
	.default_groups = groups,
};

static struct kobject bare = { .name = "bare", .ktype = &ktype };

START_TEST(file)
{
	ck_assert_int_eq(sysfs_create_file(&obj, &a), 0);
	ck_assert_int_eq(sysfs_file_change_owner(&obj, "a", 1, 2), 0);
	expect_owner("obj/a", 1, 2);
	expect_mode("obj/a", 0644);
	ck_assert_int_eq(sysfs_file_change_owner(&obj, "b", 1, 2), -ENOENT);
	ck_assert_int_eq(sysfs_file_change_owner(&bare, "a", 1, 2), -EINVAL);
}
END_TEST

START_TEST(link_)
{
	ck_assert_int_eq(sysfs_create_link(&obj, &top, "none"), 0);
	ck_assert_int_eq(sysfs_create_link(&obj, &obj, "l"), 0);
	ck_assert_int_eq(sysfs_create_file(&obj, &a), 0);
	ck_assert_int_eq(sysfs_link_change_owner(&obj, &obj, "l", 1, 2), 0);
	expect_owner("obj/l", 1, 2);
	expect_owner("obj", 0, 0);
	ck_assert_int_eq(sysfs_link_change_owner(&obj, &obj, "x", 1, 2),
			 -ENOENT);
	ck_assert_int_eq(sysfs_link_change_owner(&obj, &obj, "a", 1, 2),
			 -EINVAL);
	ck_assert_int_eq(sysfs_link_change_owner(&obj, &top, "l", 1, 2),
			 -EINVAL);
	ck_assert_int_eq(sysfs_link_change_owner(&bare, &obj, "l", 1, 2),
			 -EINVAL);
	/* a new link has the owner its target has */
	ck_assert_int_eq(sysfs_file_change_owner(&top, "obj", 3, 4), 0);
	ck_assert_int_eq(sysfs_create_link(&top, &obj, "m"), 0);
	expect_owner("m", 3, 4);
}
END_TEST

START_TEST(group)
{
	ck_assert_int_eq(sysfs_create_groups(&obj, groups), 0);
	ck_assert_int_eq(sysfs_group_change_owner(&obj, &named, 1, 2), 0);
	expect_owner("obj/g", 1, 2);
	expect_owner("obj/g/b", 1, 2);
	expect_owner("obj", 0, 0);
	expect_owner("obj/b", 0, 0);
	/* an unnamed one owns the object's directory */
	ck_assert_int_eq(sysfs_groups_change_owner(&obj, groups, 3, 4), 0);
	expect_owner("obj", 3, 4);
	expect_owner("obj/a", 3, 4);
	expect_owner("obj/g/a", 3, 4);
	ck_assert_int_eq(sysfs_group_change_owner(&bare, &named, 1, 2),
			 -EINVAL);
	sysfs_remove_file(&obj, &b);
	ck_assert_int_eq(sysfs_group_change_owner(&obj, &plain, 5, 6),
			 -ENOENT);
	sysfs_remove_group(&obj, &named);
	ck_assert_int_eq(sysfs_group_change_owner(&obj, &named, 1, 2),
			 -ENOENT);
}
END_TEST

START_TEST(only_visible_ones)
{
	ck_assert_int_eq(sysfs_create_group(&obj, &plain), 0);
	visible[0] = 0;
	ck_assert_int_eq(sysfs_group_change_owner(&obj, &plain, 1, 2), 0);
	expect_owner("obj/a", 0, 0);
	expect_owner("obj/b", 1, 2);
	visible[0] = SYSFS_GROUP_INVISIBLE;
	ck_assert_int_eq(sysfs_group_change_owner(&obj, &plain, 3, 4), 0);
	expect_owner("obj/b", 1, 2);
}
END_TEST

START_TEST(object)
{
	struct attribute own = { .name = "own", .mode = 0444 };

	obj.ktype = &ktype;
	ck_assert_int_eq(sysfs_create_groups(&obj, groups), 0);
	ck_assert_int_eq(sysfs_create_file(&obj, &own), 0);
	ck_assert_int_eq(sysfs_change_owner(&obj, 1, 2), 0);
	expect_owner("obj", 1, 2);
	expect_owner("obj/a", 1, 2);
	expect_owner("obj/g/b", 1, 2);
	/* not of a default group */
	expect_owner("obj/own", 0, 0);
	ck_assert_int_eq(sysfs_change_owner(&bare, 1, 2), -EINVAL);
	obj.ktype = NULL;
	ck_assert_int_eq(sysfs_change_owner(&obj, 3, 4), 0);
	expect_owner("obj", 3, 4);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		file, link_, group, only_visible_ones, object,
	};

	return test_run("sysfs-owner", tests, NR_OF(tests), setup, teardown);
}
