/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects as code from the kernel uses them: counted, added, released. */
#include "test/unit/sysfs-fixture.h"

struct device {
	int value;
	struct kobject kobj;
};

static unsigned int released;

static void device_release(struct kobject *kobj)
{
	released++;
	free(container_of(kobj, struct device, kobj));
}

static ssize_t value_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	(void)attr;
	return sysfs_emit(buf, "%d\n",
			  container_of(kobj, struct device, kobj)->value);
}

static ssize_t value_store(struct kobject *kobj, struct kobj_attribute *attr,
			   const char *buf, size_t count)
{
	(void)attr;
	container_of(kobj, struct device, kobj)->value = atoi(buf);
	return (ssize_t)count;
}

static struct kobj_attribute value_attr = __ATTR_RW(value);
static struct kobj_attribute empty_attr = {
	.attr = { .name = "empty", .mode = 0644 },
};

static struct attribute *device_attrs[] = {
	&value_attr.attr,
	&empty_attr.attr,
	NULL,
};
ATTRIBUTE_GROUPS(device);

static const struct kobj_type device_ktype = {
	.release = device_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = device_groups,
};

static struct device *new_device(int value)
{
	struct device *dev = calloc(1, sizeof(*dev));

	ck_assert_ptr_nonnull(dev);
	dev->value = value;
	return dev;
}

static struct device *add_device(struct kobject *parent, const char *name)
{
	struct device *dev = new_device(7);

	ck_assert_int_eq(kobject_init_and_add(&dev->kobj, &device_ktype, parent,
					      "%s", name),
			 0);
	return dev;
}

START_TEST(default_groups)
{
	struct device *dev = add_device(NULL, "dev0");
	char c;

	expect_content("dev0/value", "7\n");
	ck_assert_int_eq(write_at("dev0/value", "42\n", 3, 0), 3);
	ck_assert_int_eq(dev->value, 42);
	ck_assert_int_eq(read_at("dev0/empty", &c, 0), -EIO);
	ck_assert_int_eq(write_at("dev0/empty", "1", 1, 0), -EIO);
	kobject_put(&dev->kobj);
	expect_absent("dev0");
	ck_assert_uint_eq(released, 1);
}
END_TEST

START_TEST(parents_stay)
{
	struct device *parent = add_device(NULL, "parent");
	struct device *dev = add_device(&parent->kobj, "dev");

	kobject_put(&parent->kobj);
	expect_there("parent/dev/value");
	ck_assert_uint_eq(released, 0);
	kobject_put(&dev->kobj);
	ck_assert_uint_eq(released, 2);
	expect_absent("parent");
}
END_TEST

START_TEST(deleted_and_kept)
{
	struct device *dev = add_device(&obj, "dev");

	ck_assert_ptr_eq(kobject_get(&dev->kobj), &dev->kobj);
	kobject_del(&dev->kobj);
	expect_absent("obj/dev");
	ck_assert_str_eq(kobject_name(&dev->kobj), "dev");
	kobject_del(&dev->kobj);
	kobject_put(&dev->kobj);
	ck_assert_uint_eq(released, 0);
	kobject_put(&dev->kobj);
	ck_assert_uint_eq(released, 1);
}
END_TEST

START_TEST(adding_fails)
{
	struct device *dev = new_device(0), *plain = new_device(0);
	struct kobject bare = { .name = "bare" };

	ck_assert_int_eq(kobject_add(&dev->kobj, NULL, "dev"), -EINVAL);
	kobject_init(&dev->kobj, &device_ktype);
	ck_assert_int_eq(kobject_add(&dev->kobj, NULL, "%s", ""), -EINVAL);
	ck_assert_int_eq(kobject_add(&dev->kobj, &bare, "dev"), -ENOENT);
	ck_assert_int_eq(kobject_add(&dev->kobj, NULL, "obj"), -EEXIST);
	ck_assert_int_eq(kobject_add(NULL, NULL, "obj"), -EINVAL);
	ck_assert_ptr_null(dev->kobj.parent);
	ck_assert_int_eq(kobject_add(&dev->kobj, &obj, "a/%d", 5), 0);
	expect_there("obj/a!5/value");
	kobject_put(&dev->kobj);
	ck_assert_uint_eq(released, 1);
	/* its groups cannot be made: the directory goes again */
	kobject_init(&plain->kobj, &device_ktype);
	ck_assert_int_eq(kobject_set_name(&plain->kobj, "x"), 0);
	value_attr.attr.name = "empty";
	ck_assert_int_eq(kobject_add(&plain->kobj, NULL, "dev"), -EEXIST);
	value_attr.attr.name = "value";
	expect_absent("dev");
	kobject_put(&plain->kobj);
	ck_assert_uint_eq(released, 2);
}
END_TEST

START_TEST(renames_and_moves)
{
	struct device *dev = add_device(&obj, "dev");
	struct device *other = add_device(NULL, "other");

	ck_assert_int_eq(kobject_rename(&dev->kobj, "new"), 0);
	ck_assert_str_eq(kobject_name(&dev->kobj), "new");
	expect_there("obj/new/value");
	ck_assert_int_eq(kobject_move(&dev->kobj, &other->kobj), 0);
	expect_there("other/new");
	ck_assert_ptr_eq(dev->kobj.parent, &other->kobj);
	kobject_put(&other->kobj);
	ck_assert_uint_eq(released, 0);
	ck_assert_int_eq(kobject_move(&dev->kobj, NULL), 0);
	ck_assert_uint_eq(released, 1);
	expect_there("new");
	ck_assert_int_eq(kobject_rename(&dev->kobj, "obj"), -EEXIST);
	ck_assert_str_eq(kobject_name(&dev->kobj), "new");
	kobject_del(&dev->kobj);
	ck_assert_int_eq(kobject_rename(&dev->kobj, "x"), -EINVAL);
	ck_assert_int_eq(kobject_move(&dev->kobj, &obj), -EINVAL);
	kobject_put(&dev->kobj);
}
END_TEST

START_TEST(plain_directories)
{
	struct kobject *kobj = kobject_create_and_add("plain", NULL);

	ck_assert_ptr_nonnull(kobj);
	ck_assert_ptr_null(kobject_create_and_add("plain", NULL));
	ck_assert_int_eq(sysfs_create_file(kobj, &empty_attr.attr), 0);
	expect_there("plain/empty");
	kobject_put(kobj);
	expect_absent("plain");
	kobject_put(NULL);
	kobject_del(NULL);
	ck_assert_ptr_null(kobject_get(NULL));
}
END_TEST

/* --- tags --- */

static const struct ns_common ns_one = { 1 };

static const struct ns_common *one(const struct kobject *kobj)
{
	(void)kobj;
	return &ns_one;
}

static const struct kobj_ns_type_operations *
tagged(const struct kobject *kobj)
{
	static const struct kobj_ns_type_operations ops;

	(void)kobj;
	return &ops;
}

START_TEST(tags_by_the_type)
{
	const struct kobj_type class = { .child_ns_type = tagged };
	const struct kobj_type member = { .namespace = one };
	struct kobject net = { 0 }, lo = { 0 };

	ck_assert_int_eq(kobject_init_and_add(&net, &class, NULL, "net"), 0);
	ck_assert_int_eq(kobject_init_and_add(&lo, &member, &net, "lo"), 0);
	ck_assert_ptr_eq(kernfs_rcu_name(lo.sd)->ns, &ns_one);
	ck_assert_int_eq(kobject_rename(&lo, "lo1"), 0);
	ck_assert_ptr_eq(kernfs_rcu_name(lo.sd)->ns, &ns_one);
	kobject_put(&lo);
	kobject_put(&net);
	expect_absent("net");
}
END_TEST

/* --- threads --- */

static void *get_and_put(void *kobj)
{
	for (unsigned int i = 0; i < 10000; i++)
		kobject_put(kobject_get(kobj));
	return NULL;
}

START_TEST(counts_under_threads)
{
	struct device *dev = add_device(NULL, "dev");
	pthread_t id[3];

	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(get_and_put, &dev->kobj);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		thread_join(id[i]);
	ck_assert_int_eq(dev->kobj.refcount, 1);
	kobject_put(&dev->kobj);
	ck_assert_uint_eq(released, 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		default_groups,
		parents_stay,
		deleted_and_kept,
		adding_fails,
		renames_and_moves,
		plain_directories,
		tags_by_the_type,
		counts_under_threads,
	};

	return test_run("sysfs-kobject", tests, NR_OF(tests), setup, teardown);
}
