/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Binary attributes: offsets, sizes, and which callbacks there are. */
#include "test/unit/sysfs-fixture.h"

static char bytes[10000];
static struct {
	unsigned int flags;
	struct kobject *kobj;
	off_t pos;
	size_t count;
	unsigned int calls;
} last;

static void note(const struct file *filp, struct kobject *kobj, off_t pos,
		 size_t count)
{
	last.flags = filp->f_flags;
	last.kobj = kobj;
	last.pos = pos;
	last.count = count;
	last.calls++;
}

static ssize_t read_bytes(struct file *filp, struct kobject *kobj,
			  const struct bin_attribute *attr, char *buf,
			  off_t pos, size_t count)
{
	(void)attr;
	note(filp, kobj, pos, count);
	memcpy(buf, bytes + pos, count);
	return (ssize_t)count;
}

static ssize_t write_bytes(struct file *filp, struct kobject *kobj,
			   const struct bin_attribute *attr, char *buf,
			   off_t pos, size_t count)
{
	(void)attr;
	note(filp, kobj, pos, count);
	memcpy(bytes + pos, buf, count);
	return (ssize_t)count;
}

static void create(const struct bin_attribute *attr)
{
	ck_assert_int_eq(sysfs_create_bin_file(&obj, attr), 0);
}

START_TEST(with_a_size)
{
	struct bin_attribute attr =
		__BIN_ATTR(data, 0600, read_bytes, write_bytes, 5000);
	char buf[KERNFS_PAGE_SIZE];

	create(&attr);
	expect_mode("obj/data", 0600);
	ck_assert_int_eq(stat_at("obj/data").st_size, 5000);
	/* a page at a time, and no further than the size */
	ck_assert_int_eq(read_at("obj/data", buf, 0), 4096);
	ck_assert_int_eq(read_at("obj/data", buf, 4000), 1000);
	ck_assert_int_eq(last.pos, 4000);
	ck_assert_uint_eq(last.count, 1000);
	ck_assert_ptr_eq(last.kobj, &obj);
	ck_assert_uint_eq(last.calls, 2);
	ck_assert_int_eq(read_at("obj/data", buf, 5000), 0);
	ck_assert_int_eq(read_at("obj/data", buf, 6000), 0);
	ck_assert_uint_eq(last.calls, 2);
	ck_assert_int_eq(write_at("obj/data", "abcd", 4, 4998), 2);
	ck_assert_int_eq(memcmp(bytes + 4998, "ab\0\0", 4), 0);
	ck_assert_uint_eq(last.flags & O_ACCMODE, O_WRONLY);
	ck_assert_int_eq(write_at("obj/data", "a", 1, 5000), -EFBIG);
	ck_assert_int_eq(write_at("obj/data", "a", 0, 5000), -EFBIG);
	ck_assert_int_eq(write_at("obj/data", "a", 0, 4999), 0);
	ck_assert_uint_eq(last.calls, 3);
}
END_TEST

START_TEST(without_a_size)
{
	struct bin_attribute attr =
		__BIN_ATTR(data, 0600, read_bytes, write_bytes, 0);
	char buf[KERNFS_PAGE_SIZE];

	create(&attr);
	ck_assert_int_eq(stat_at("obj/data").st_size, 0);
	ck_assert_int_eq(read_at("obj/data", buf, 5904), 4096);
	ck_assert_int_eq(write_at("obj/data", "xyz", 3, 9000), 3);
	ck_assert_int_eq(memcmp(bytes + 9000, "xyz", 3), 0);
}
END_TEST

START_TEST(callbacks_decide)
{
	struct bin_attribute read_only = __BIN_ATTR(r, 0644, read_bytes, NULL, 9);
	struct bin_attribute write_only =
		__BIN_ATTR(w, 0644, NULL, write_bytes, 9);
	struct bin_attribute neither = __BIN_ATTR(n, 0644, NULL, NULL, 9);

	create(&read_only);
	create(&write_only);
	create(&neither);
	expect_open("obj/r", O_RDONLY, 0);
	expect_open("obj/r", O_RDWR, -EACCES);
	expect_open("obj/w", O_RDONLY, -EACCES);
	expect_open("obj/w", O_WRONLY, 0);
	expect_open("obj/n", O_RDONLY, -EACCES);
	expect_open("obj/n", O_WRONLY, -EACCES);
}
END_TEST

static int map_nothing(struct file *filp, struct kobject *kobj,
		       const struct bin_attribute *attr,
		       struct vm_area_struct *vma)
{
	(void)filp, (void)kobj, (void)attr, (void)vma;
	ck_abort_msg("mmap is never called");
	return 0;
}

static off_t seek_somewhere(struct file *filp, struct kobject *kobj,
			    const struct bin_attribute *attr, off_t offset,
			    int whence)
{
	(void)attr;
	note(filp, kobj, offset, (size_t)whence);
	return 77;
}

/* With mmap any access may be opened, and what is missing fails then. */
START_TEST(mmap_opens_everything)
{
	struct bin_attribute attr = __BIN_ATTR(data, 0644, NULL, NULL, 100);
	struct kernfs_open_file *of;
	char c = 0;

	attr.mmap = map_nothing;
	create(&attr);
	of = open_at("obj/data", O_RDWR);
	ck_assert_int_eq(kernfs_fop_read(of, &c, 1, 0), -EIO);
	ck_assert_int_eq(kernfs_fop_write(of, &c, 1, 0), -EIO);
	ck_assert_int_eq(kernfs_fop_llseek(of, 10, 5, SEEK_CUR), 15);
	ck_assert_int_eq(kernfs_fop_llseek(of, 10, -5, SEEK_END), 95);
	ck_assert_int_eq(kernfs_fop_llseek(of, 10, -1, SEEK_SET), -EINVAL);
	attr.llseek = seek_somewhere;
	ck_assert_int_eq(kernfs_fop_llseek(of, 10, 5, SEEK_CUR), 77);
	ck_assert_int_eq(last.pos, 5);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(simple_reader)
{
	static char content[] = "abcdef";
	BIN_ATTR(blob, 0444, sysfs_bin_attr_simple_read, NULL, 6);
	char buf[KERNFS_PAGE_SIZE];

	bin_attr_blob.private = content;
	create(&bin_attr_blob);
	ck_assert_int_eq(read_at("obj/blob", buf, 2), 4);
	ck_assert_int_eq(memcmp(buf, "cdef", 4), 0);
	ck_assert_int_eq(read_at("obj/blob", buf, 6), 0);
}
END_TEST

START_TEST(refusals)
{
	struct bin_attribute attr =
		__BIN_ATTR(data, 0444, read_bytes, NULL, 1);
	struct kobject bare = { .name = "bare" };

	create(&attr);
	ck_assert_int_eq(sysfs_create_bin_file(&obj, &attr), -EEXIST);
	expect_said(1, "cannot create duplicate filename '/obj/data'");
	ck_assert_int_eq(sysfs_create_bin_file(NULL, &attr), -EINVAL);
	ck_assert_int_eq(sysfs_create_bin_file(&bare, &attr), -EINVAL);
	ck_assert_int_eq(sysfs_create_bin_file(&obj, NULL), -EINVAL);
	sysfs_remove_bin_file(&obj, &attr);
	expect_absent("obj/data");
	/* an object needs no type for it */
	obj.ktype = NULL;
	create(&attr);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		with_a_size,
		without_a_size,
		callbacks_decide,
		mmap_opens_everything,
		simple_reader,
		refusals,
	};

	return test_run("sysfs-bin", tests, NR_OF(tests), setup, teardown);
}
