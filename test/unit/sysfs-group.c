/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups: what is visible, updating, merging, and undoing what failed. */
#include "test/unit/sysfs-fixture.h"

static struct attribute a = { .name = "a", .mode = 0644 };
static struct attribute b = { .name = "b", .mode = 0444 };
static struct attribute *attrs[] = { &a, &b, NULL };

static ssize_t read_none(struct file *filp, struct kobject *kobj,
			 const struct bin_attribute *attr, char *buf, off_t pos,
			 size_t count)
{
	(void)filp, (void)kobj, (void)attr, (void)buf, (void)pos, (void)count;
	return 0;
}

static const struct bin_attribute bin = __BIN_ATTR(bin, 0400, read_none, NULL,
						   10);
static const struct bin_attribute *const bin_attrs[] = { &bin, NULL };

/* what is_visible answers, by index, and who it was asked about */
static mode_t visible[2], bin_visible;
static unsigned int asked;

static umode_t is_visible(struct kobject *kobj, struct attribute *attr, int nr)
{
	ck_assert_ptr_eq(kobj, &obj);
	ck_assert_ptr_eq(attr, attrs[nr]);
	asked++;
	return visible[nr];
}

static umode_t is_bin_visible(struct kobject *kobj,
			      const struct bin_attribute *attr, int nr)
{
	ck_assert_ptr_eq(kobj, &obj);
	ck_assert_ptr_eq(attr, bin_attrs[nr]);
	return bin_visible;
}

static size_t bin_size(struct kobject *kobj, const struct bin_attribute *attr,
		       int nr)
{
	(void)kobj, (void)nr;
	return attr->size + 1;
}

static const struct attribute_group plain = { .attrs = attrs };
static const struct attribute_group named = {
	.name = "g",
	.attrs = attrs,
	.bin_attrs = bin_attrs,
};
static const struct attribute_group choosy = {
	.name = "g",
	.attrs = attrs,
	.bin_attrs = bin_attrs,
	.is_visible = is_visible,
	.is_bin_visible = is_bin_visible,
	.bin_size = bin_size,
};

static void create(const struct attribute_group *grp)
{
	ck_assert_int_eq(sysfs_create_group(&obj, grp), 0);
}

static void update(const struct attribute_group *grp)
{
	ck_assert_int_eq(sysfs_update_group(&obj, grp), 0);
}

static void show_as(mode_t mode_a, mode_t mode_b, mode_t mode_bin)
{
	visible[0] = mode_a;
	visible[1] = mode_b;
	bin_visible = mode_bin;
}

START_TEST(unnamed)
{
	create(&plain);
	expect_mode("obj/a", 0644);
	expect_mode("obj/b", 0444);
	sysfs_remove_group(&obj, &plain);
	expect_absent("obj/a");
	expect_absent("obj/b");
	expect_there("obj");
}
END_TEST

START_TEST(with_a_directory)
{
	create(&named);
	expect_mode("obj/g", 0755);
	expect_content("obj/g/a", "value\n");
	ck_assert_ptr_eq(seen.kobj, &obj);
	expect_mode("obj/g/bin", 0400);
	ck_assert_int_eq(stat_at("obj/g/bin").st_size, 10);
	ck_assert_int_eq(sysfs_create_group(&obj, &named), -EEXIST);
	expect_said(1, "cannot create duplicate filename '/obj/g'");
	sysfs_remove_group(&obj, &named);
	expect_absent("obj/g");
	sysfs_remove_group(&obj, &named);
}
END_TEST

START_TEST(empty)
{
	const struct attribute_group nothing = { .name = "g" };

	create(&nothing);
	expect_absent("obj/g");
	ck_assert_int_eq(sysfs_create_groups(&obj, NULL), 0);
	sysfs_remove_groups(&obj, NULL);
}
END_TEST

START_TEST(refusals)
{
	struct kobject bare = { .name = "bare", .ktype = &fixture_ktype };

	ck_assert_int_eq(sysfs_create_group(&bare, &plain), -EINVAL);
	ck_assert_int_eq(sysfs_create_group(NULL, &plain), -EINVAL);
	ck_assert_int_eq(sysfs_update_group(&bare, &plain), -EINVAL);
	ck_assert_int_eq(sysfs_merge_group(&bare, &named), -ENOENT);
	sysfs_remove_group(&bare, &plain);
}
END_TEST

START_TEST(visibility)
{
	show_as(0, 0440, 0);
	create(&choosy);
	expect_absent("obj/g/a");
	expect_mode("obj/g/b", 0440);
	expect_absent("obj/g/bin");
	sysfs_remove_group(&obj, &choosy);
	show_as(0600, 0, 0444);
	create(&choosy);
	expect_mode("obj/g/a", 0600);
	expect_absent("obj/g/b");
	expect_mode("obj/g/bin", 0444);
	ck_assert_int_eq(stat_at("obj/g/bin").st_size, 11);
}
END_TEST

START_TEST(modes_are_cut)
{
	show_as(0777, SYSFS_PREALLOC | 0664, 0);
	create(&choosy);
	expect_mode("obj/g/a", 0664);
	expect_mode("obj/g/b", 0664);
	expect_said(1, "attribute 'a': invalid permissions 0777");
}
END_TEST

/* Only the first attribute can hide the group, and not an unnamed one. */
START_TEST(invisible)
{
	struct attribute_group grp = choosy;

	show_as(SYSFS_GROUP_INVISIBLE, 0444, 0444);
	create(&choosy);
	expect_absent("obj/g");
	show_as(0, SYSFS_GROUP_INVISIBLE | 0444, 0);
	create(&choosy);
	expect_there("obj/g");
	expect_mode("obj/g/b", 0444);
	sysfs_remove_group(&obj, &choosy);

	show_as(SYSFS_GROUP_INVISIBLE, 0444, 0);
	grp.name = NULL;
	create(&grp);
	expect_absent("obj/a");
	expect_there("obj/b");

	grp = choosy;
	grp.attrs = NULL;
	bin_visible = SYSFS_GROUP_INVISIBLE;
	create(&grp);
	expect_absent("obj/g");
}
END_TEST

START_TEST(updates)
{
	struct kernfs_open_file *of;
	char c;

	show_as(0644, 0, 0);
	create(&choosy);
	of = open_at("obj/g/a", O_RDONLY);
	show_as(0444, 0444, 0400);
	update(&choosy);
	expect_mode("obj/g/a", 0444);
	expect_there("obj/g/b");
	expect_there("obj/g/bin");
	/* it is another file now */
	ck_assert_int_eq(kernfs_fop_read(of, &c, 1, 0), -ENODEV);
	kernfs_fop_release(of);
	show_as(0, 0444, 0);
	update(&choosy);
	expect_absent("obj/g/a");
	expect_absent("obj/g/bin");
	ck_assert_uint_eq(nr_said, 0);
}
END_TEST

START_TEST(updates_make_and_remove_the_directory)
{
	show_as(SYSFS_GROUP_INVISIBLE, 0, 0);
	create(&choosy);
	update(&choosy);
	expect_absent("obj/g");
	show_as(0444, 0444, 0);
	update(&choosy);
	expect_there("obj/g/a");
	show_as(SYSFS_GROUP_INVISIBLE, 0444, 0);
	update(&choosy);
	expect_absent("obj/g");
	/* one of a plain group, too */
	update(&plain);
	expect_there("obj/a");
	update(&plain);
	expect_there("obj/a");
}
END_TEST

/* A failure in the middle leaves nothing of the group behind. */
START_TEST(undoes_what_failed)
{
	const struct attribute_group *groups[] = { &named, &plain, NULL };

	ck_assert_int_eq(sysfs_create_file(&obj, &b), 0);
	ck_assert_int_eq(sysfs_create_group(&obj, &plain), -EEXIST);
	expect_absent("obj/a");
	ck_assert_int_eq(sysfs_create_file(&obj, &b), 0);
	ck_assert_int_eq(sysfs_create_groups(&obj, groups), -EEXIST);
	expect_absent("obj/g");
	ck_assert_int_eq(sysfs_create_groups(&obj, groups), 0);
	ck_assert_int_eq(sysfs_update_groups(&obj, groups), 0);
	expect_there("obj/g/bin");
	expect_there("obj/b");
	sysfs_remove_groups(&obj, groups);
	expect_absent("obj/g");
	expect_absent("obj/b");

	obj.ktype = NULL;
	ck_assert_int_eq(sysfs_create_group(&obj, &named), -EINVAL);
	expect_absent("obj/g");
}
END_TEST

START_TEST(merges)
{
	struct attribute c = { .name = "c", .mode = 0400 };
	struct attribute *more[] = { &c, NULL };
	struct attribute *again[] = { &c, &a, NULL };
	struct attribute_group grp = {
		.name = "g",
		.attrs = more,
		.is_visible = is_visible,
	};

	ck_assert_int_eq(sysfs_merge_group(&obj, &grp), -ENOENT);
	create(&named);
	ck_assert_int_eq(sysfs_merge_group(&obj, &grp), 0);
	expect_mode("obj/g/c", 0400);
	expect_there("obj/g/a");
	ck_assert_uint_eq(asked, 0);
	sysfs_unmerge_group(&obj, &grp);
	expect_absent("obj/g/c");
	/* the second is there: neither stays */
	grp.attrs = again;
	ck_assert_int_eq(sysfs_merge_group(&obj, &grp), -EEXIST);
	expect_absent("obj/g/c");
	expect_there("obj/g/a");
	sysfs_remove_group(&obj, &named);
	sysfs_unmerge_group(&obj, &grp);
}
END_TEST

/* --- the macros --- */

static bool first_group_visible(struct kobject *kobj)
{
	return kobj == &obj;
}

static umode_t first_attr_visible(struct kobject *kobj, struct attribute *attr,
				  int nr)
{
	(void)kobj;
	return nr ? attr->mode : 0;
}

static bool second_group_visible(struct kobject *kobj)
{
	return kobj != &obj;
}

DEFINE_SYSFS_GROUP_VISIBLE(first)
DEFINE_SIMPLE_SYSFS_GROUP_VISIBLE(second)

START_TEST(visible_macros)
{
	const struct attribute_group first = {
		.name = "first",
		.attrs = attrs,
		.is_visible = SYSFS_GROUP_VISIBLE(first),
	};
	const struct attribute_group second = {
		.name = "second",
		.attrs = attrs,
		.is_visible = SYSFS_GROUP_VISIBLE(second),
	};

	create(&first);
	create(&second);
	expect_absent("obj/first/a");
	expect_there("obj/first/b");
	expect_absent("obj/second");
}
END_TEST

/* --- updates under readers --- */

static bool stop;

static void *read_thread(void *arg)
{
	(void)arg;
	while (!GET(stop)) {
		struct kernfs_node *kn =
			kernfs_walk_and_get(top.sd, "obj/g/b");
		struct kernfs_open_file *of;
		char buf[16];
		ssize_t len;

		if (kn && kernfs_fop_open(kn, O_RDONLY, &of) == 0) {
			len = kernfs_fop_read(of, buf, sizeof(buf), 0);
			must(len == 6 || len == -ENODEV);
			kernfs_fop_release(of);
		}
		kernfs_put(kn);
	}
	return NULL;
}

START_TEST(updates_under_readers)
{
	pthread_t id[2];
	uint64_t end = now_ms() + 300;

	create(&named);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(read_thread, NULL);
	while (now_ms() < end)
		must(sysfs_update_group(&obj, &named) == 0);
	SET(stop, true);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		thread_join(id[i]);
	ck_assert_uint_eq(nr_said, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		unnamed,
		with_a_directory,
		empty,
		refusals,
		visibility,
		modes_are_cut,
		invisible,
		updates,
		updates_make_and_remove_the_directory,
		undoes_what_failed,
		merges,
		visible_macros,
		updates_under_readers,
	};

	return test_run("sysfs-group", tests, NR_OF(tests), setup, teardown);
}
