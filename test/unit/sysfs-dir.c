/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trees, the directories of objects, moving them, mount points. */
#include "test/unit/sysfs-fixture.h"

static struct kobject child = { .name = "child", .ktype = &fixture_ktype };

static void add_child(void)
{
	child.parent = &obj;
	ck_assert_int_eq(sysfs_create_dir_ns(&child, NULL), 0);
}

static void owned_by(const struct kobject *kobj, uid_t *uid, gid_t *gid)
{
	(void)kobj;
	*uid = 12;
	*gid = 34;
}

static const struct kobj_type owned_ktype = {
	.sysfs_ops = &fixture_ops,
	.get_ownership = owned_by,
};

START_TEST(creates_and_removes)
{
	add_child();
	ck_assert_uint_eq(stat_at("obj/child").st_mode, S_IFDIR | 0755);
	ck_assert_ptr_eq(at("obj/child"), child.sd);
	ck_assert_ptr_eq(kernfs_priv(child.sd), &child);
	sysfs_remove_dir(&child);
	ck_assert_ptr_null(child.sd);
	expect_absent("obj/child");
}
END_TEST

START_TEST(owner_by_the_type)
{
	struct attribute attr = { .name = "attr", .mode = 0644 };

	child.ktype = &owned_ktype;
	add_child();
	expect_owner("obj/child", 12, 34);
	ck_assert_int_eq(sysfs_create_file(&child, &attr), 0);
	expect_owner("obj/child/attr", 12, 34);
	sysfs_remove_dir(&child);
}
END_TEST

START_TEST(refusals)
{
	struct kobject orphan = { .name = "orphan", .parent = &child };
	struct kobject twin = { .name = "obj" };

	ck_assert_int_eq(sysfs_create_dir_ns(&orphan, NULL), -ENOENT);
	ck_assert_int_eq(sysfs_create_dir_ns(&twin, NULL), -EEXIST);
	expect_said(1, "cannot create duplicate filename '/obj'");
	ck_assert_ptr_null(twin.sd);
	sysfs_set_root(NULL);
	twin.name = "other";
	ck_assert_int_eq(sysfs_create_dir_ns(&twin, NULL), -ENOENT);
	ck_assert_int_eq(sysfs_create_dir_ns(NULL, NULL), -EINVAL);
}
END_TEST

START_TEST(parent_removed_first)
{
	add_child();
	sysfs_remove_dir(&obj);
	expect_absent("obj");
	/* still a node, if one that nobody finds */
	ck_assert_ptr_nonnull(child.sd);
	ck_assert(!kernfs_active(child.sd));
	sysfs_remove_dir(&child);
}
END_TEST

START_TEST(renames_and_moves)
{
	add_child();
	ck_assert_int_eq(sysfs_rename_dir_ns(&child, "new", NULL), 0);
	ck_assert_ptr_eq(at("obj/new"), child.sd);
	ck_assert_int_eq(sysfs_move_dir_ns(&child, &top, NULL), 0);
	ck_assert_ptr_eq(at("new"), child.sd);
	ck_assert_int_eq(sysfs_rename_dir_ns(&child, "obj", NULL), -EEXIST);
	ck_assert_int_eq(sysfs_move_dir_ns(&child, &obj, NULL), 0);
	ck_assert_int_eq(sysfs_move_dir_ns(&child, NULL, NULL), 0);
	ck_assert_ptr_eq(at("new"), child.sd);
	sysfs_remove_dir(&child);
	ck_assert_int_eq(sysfs_rename_dir_ns(&child, "x", NULL), -EINVAL);
	ck_assert_int_eq(sysfs_move_dir_ns(&child, &top, NULL), -EINVAL);
}
END_TEST

START_TEST(tags)
{
	const struct ns_common one = { 1 }, two = { 2 };
	struct kobject a = { .name = "same", .parent = &child };
	struct kobject b = a;

	add_child();
	sysfs_enable_ns(child.sd);
	ck_assert_int_eq(sysfs_create_dir_ns(&a, &one), 0);
	ck_assert_int_eq(sysfs_create_dir_ns(&b, &one), -EEXIST);
	ck_assert_int_eq(sysfs_create_dir_ns(&b, &two), 0);
	ck_assert_int_eq(sysfs_create_dir_ns(&b, NULL), -EINVAL);
	ck_assert_int_eq(sysfs_rename_dir_ns(&b, "same", &one), -EEXIST);
	ck_assert_int_eq(sysfs_rename_dir_ns(&b, "other", &one), 0);
	sysfs_remove_dir(&a);
	sysfs_remove_dir(&b);
	sysfs_remove_dir(&child);
}
END_TEST

START_TEST(mount_points)
{
	struct kobject bare = { .name = "bare" };
	struct kobject inside = { .name = "inside" };

	ck_assert_int_eq(sysfs_create_mount_point(&obj, "m"), 0);
	expect_mode("obj/m", 0555);
	inside.parent = &inside;
	inside.sd = at("obj/m");
	ck_assert_int_eq(sysfs_create_mount_point(&inside, "n"), -ENOENT);
	ck_assert_int_eq(sysfs_create_mount_point(&obj, "m"), -EEXIST);
	expect_said(1, "cannot create duplicate filename '/obj/m'");
	sysfs_remove_mount_point(&obj, "m");
	expect_absent("obj/m");
	ck_assert_int_eq(sysfs_create_mount_point(&bare, "m"), -EINVAL);
}
END_TEST

/* Two trees: objects go where their parents are. */
START_TEST(another_tree)
{
	struct kobject top2 = { .ktype = &fixture_ktype };
	struct kobject obj2 = { .name = "obj", .ktype = &fixture_ktype };
	struct attribute attr = { .name = "attr", .mode = 0444 };
	struct kernfs_root *root = sysfs_create_root(NULL, &top2, NULL);

	ck_assert(!IS_ERR(root));
	obj2.parent = &top2;
	ck_assert_int_eq(sysfs_create_dir_ns(&obj2, NULL), 0);
	ck_assert_int_eq(sysfs_create_file(&top2, &attr), 0);
	ck_assert_ptr_eq(kernfs_root(obj2.sd), root);
	expect_absent("attr");
	ck_assert_int_eq(sysfs_create_link(&obj, &obj2, "link"), -EINVAL);
	sysfs_remove_dir(&obj2);
	sysfs_destroy_root(&top2);
	ck_assert_ptr_null(top2.sd);
	sysfs_destroy_root(&top2);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		creates_and_removes,
		owner_by_the_type,
		refusals,
		parent_removed_first,
		renames_and_moves,
		tags,
		mount_points,
		another_tree,
	};

	return test_run("sysfs-dir", tests, NR_OF(tests), setup, teardown);
}
