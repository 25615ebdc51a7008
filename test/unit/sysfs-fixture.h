/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of fs/sysfs share: a tree, objects, files to read and write. */
#ifndef TEST_UNIT_SYSFS_FIXTURE_H
#define TEST_UNIT_SYSFS_FIXTURE_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <kernfuse/kobject.h>

#include "fs/sysfs/sysfs-internal.h"

#include "test/unit/testroot.h"
#include "test/unit/util.h"

/* --- messages --- */

static char said[512];	     /* the last line */
static unsigned int nr_said; /* lines */

static inline void take_line(int priority, const char *line)
{
	if (priority == LOG_DEBUG)
		return;
	snprintf(said, sizeof(said), "%s", line);
	nr_said++;
}

static inline void expect_said(unsigned int nr, const char *line)
{
	ck_assert_uint_eq(nr_said, nr);
	ck_assert_str_eq(said, line);
}

/* --- attributes that remember --- */

/* What the callbacks of every text attribute did last. */
static struct {
	struct kobject *kobj;
	struct attribute *attr;
	const char *value;  /* that show gives */
	ssize_t result;	    /* of show and store instead, if not 0 */
	char stored[KERNFS_PAGE_SIZE + 1];
	size_t count;	    /* bytes of the last store */
	unsigned int shows, stores;
} seen;

static inline ssize_t fixture_show(struct kobject *kobj, struct attribute *attr,
				   char *buf)
{
	/* by several readers at once, in some cases */
	SET(seen.kobj, kobj);
	SET(seen.attr, attr);
	ADD(seen.shows, 1);
	if (seen.result)
		return seen.result;
	return sysfs_emit(buf, "%s", seen.value);
}

static inline ssize_t fixture_store(struct kobject *kobj,
				    struct attribute *attr, const char *buf,
				    size_t count)
{
	seen.kobj = kobj;
	seen.attr = attr;
	seen.stores++;
	memcpy(seen.stored, buf, count + 1);
	seen.count = count;
	return seen.result ? seen.result : (ssize_t)count;
}

static const struct sysfs_ops fixture_ops = {
	.show = fixture_show,
	.store = fixture_store,
};

static const struct kobj_type fixture_ktype = { .sysfs_ops = &fixture_ops };

/* --- a tree with one object --- */

static struct kobject top; /* the root node's */
static struct kobject obj; /* "obj" at the top */

static inline void setup(void)
{
	struct kernfs_root_locking_params params = test_locking_params(0);
	struct kernfs_root *root;

	kernfuse_set_log(take_line);
	seen.value = "value\n";
	top = (struct kobject){ .ktype = &fixture_ktype };
	root = sysfs_create_root(NULL, &top, &params);
	ck_assert(!IS_ERR(root));
	sysfs_set_root(root);
	obj = (struct kobject){ .name = "obj", .ktype = &fixture_ktype };
	ck_assert_int_eq(sysfs_create_dir_ns(&obj, NULL), 0);
}

static inline void teardown(void)
{
	ck_assert_uint_eq(kernfs_check_tree(kernfs_root(top.sd)), 0);
	sysfs_set_root(NULL);
	sysfs_remove_dir(&obj);
	sysfs_destroy_root(&top);
	ck_assert_ptr_null(top.sd);
	kf_rcu_barrier();
}

/* --- questions --- */

/* The node at a path from the top, kept by the tree; NULL. */
static inline struct kernfs_node *at(const char *path)
{
	struct kernfs_node *kn = kernfs_walk_and_get(top.sd, path);

	kernfs_put(kn);
	return kn;
}

static inline struct stat stat_at(const char *path)
{
	struct stat st;

	ck_assert_msg(at(path), "%s is missing", path);
	kernfs_iop_getattr(at(path), NULL, &st);
	return st;
}

#define expect_there(path) ck_assert_msg(at(path), "%s is missing", path)
#define expect_absent(path) ck_assert_msg(!at(path), "%s is there", path)
#define expect_mode(path, bits)                                                \
	ck_assert_uint_eq(stat_at(path).st_mode & 07777, bits)

static inline void expect_owner(const char *path, uid_t uid, gid_t gid)
{
	struct stat st = stat_at(path);

	ck_assert_uint_eq(st.st_uid, uid);
	ck_assert_uint_eq(st.st_gid, gid);
}

static inline void expect_link(const char *path, const char *text)
{
	char buf[KERNFS_PATH_MAX];

	ck_assert_int_gt(kernfs_iop_get_link(at(path), buf), 0);
	ck_assert_str_eq(buf, text);
}

/* --- open files --- */

static inline struct kernfs_open_file *open_at(const char *path, int flags)
{
	struct kernfs_open_file *of = NULL;

	expect_there(path);
	ck_assert_int_eq(kernfs_fop_open(at(path), flags, &of), 0);
	return of;
}

static inline void expect_open(const char *path, int flags, int err)
{
	struct kernfs_open_file *of = NULL;

	ck_assert_int_eq(kernfs_fop_open(at(path), flags, &of), err);
	kernfs_fop_release(of);
}

static inline void expect_read(struct kernfs_open_file *of, size_t count,
			       off_t pos, const char *text)
{
	char buf[2 * KERNFS_PAGE_SIZE];
	ssize_t len = kernfs_fop_read(of, buf, count, pos);

	ck_assert_int_eq(len, (ssize_t)strlen(text));
	ck_assert_int_eq(memcmp(buf, text, (size_t)len), 0);
}

static inline void expect_content(const char *path, const char *text)
{
	struct kernfs_open_file *of = open_at(path, O_RDONLY);

	expect_read(of, KERNFS_PAGE_SIZE, 0, text);
	kernfs_fop_release(of);
}

/* what reading a page from @pos gives, and what writing does */
static inline ssize_t read_at(const char *path, char *buf, off_t pos)
{
	struct kernfs_open_file *of = open_at(path, O_RDONLY);
	ssize_t ret = kernfs_fop_read(of, buf, KERNFS_PAGE_SIZE, pos);

	kernfs_fop_release(of);
	return ret;
}

static inline ssize_t write_at(const char *path, const void *buf, size_t count,
			       off_t pos)
{
	struct kernfs_open_file *of = open_at(path, O_WRONLY);
	ssize_t ret = kernfs_fop_write(of, buf, count, pos);

	kernfs_fop_release(of);
	return ret;
}

#endif /* TEST_UNIT_SYSFS_FIXTURE_H */
