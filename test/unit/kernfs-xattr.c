/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extended attributes: prefixes, flags, limits, and what they cost a node. */
#include <kernfuse/xattr.h>

#include "test/unit/kernfs-fixture.h"

static struct kernfs_node *file;

static void setup_file(void)
{
	setup_with(KERNFS_ROOT_SUPPORT_USER_XATTR);
	file = add_file(top, "f");
}

static int set_as_client(const char *name, size_t size, int flags)
{
	static char value[KERNFS_XATTR_SIZE_MAX + 1];

	return kernfs_iop_setxattr(file, name, value, size, flags);
}

static int remove_as_client(const char *name)
{
	return kernfs_iop_setxattr(file, name, NULL, 0, 0);
}

static void expect_value(const char *name, const char *value)
{
	char buf[64];
	ssize_t len = kernfs_iop_getxattr(file, name, buf, sizeof(buf));

	ck_assert_int_eq(len, (ssize_t)strlen(value));
	ck_assert_mem_eq(buf, value, strlen(value));
}

/* @names: each with a ';' behind it */
static void expect_list(bool trusted, const char *names)
{
	char buf[256];
	ssize_t len = kernfs_iop_listxattr(file, buf, sizeof(buf), trusted);

	ck_assert_int_eq(len, (ssize_t)strlen(names));
	for (ssize_t i = 0; i < len; i++)
		ck_assert_int_eq(buf[i] ? buf[i] : ';', names[i]);
}

START_TEST(prefixes)
{
	static const struct {
		const char *name;
		int set, get;
	} names[] = {
		{ "trusted.a", 0, 0 },
		{ "security.a", 0, 0 },
		{ "user.a", 0, 0 },
		{ "trusted.", -EINVAL, -EINVAL },
		{ "user.", -EINVAL, -EINVAL },
		{ "system.posix_acl_access", -EOPNOTSUPP, -EOPNOTSUPP },
		{ "other.a", -EOPNOTSUPP, -EOPNOTSUPP },
		{ "trusted", -EOPNOTSUPP, -EOPNOTSUPP },
		{ "", -ERANGE, -ERANGE },
	};

	for (size_t i = 0; i < NR_OF(names); i++) {
		ck_assert_int_eq(set_as_client(names[i].name, 0, 0),
				 names[i].set);
		ck_assert_int_eq(kernfs_iop_getxattr(file, names[i].name, NULL,
						     0),
				 names[i].get);
	}
}
END_TEST

START_TEST(user_needs_the_flag)
{
	replace_root(0);
	file = add_file(top, "f");
	ck_assert_int_eq(set_as_client("user.a", 1, 0), -EOPNOTSUPP);
	ck_assert_int_eq(remove_as_client("user.a"), -EOPNOTSUPP);
	ck_assert_int_eq(kernfs_iop_getxattr(file, "user.a", NULL, 0),
			 -ENODATA);
	ck_assert_int_eq(set_as_client("trusted.a", 1, 0), 0);
	/* the program itself may */
	ck_assert_int_eq(kernfs_xattr_set(file, "user.a", "v", 1, 0), 0);
	expect_value("user.a", "v");
}
END_TEST

START_TEST(values)
{
	char buf[3];

	ck_assert_int_eq(kernfs_xattr_get(file, "trusted.a", buf, 3), -ENODATA);
	ck_assert_int_eq(kernfs_xattr_set(file, "trusted.a", "abc", 3, 0), 0);
	expect_value("trusted.a", "abc");
	ck_assert_int_eq(kernfs_xattr_get(file, "trusted.a", NULL, 0), 3);
	ck_assert_int_eq(kernfs_xattr_get(file, "trusted.a", buf, 2), -ERANGE);
	ck_assert_int_eq(kernfs_xattr_get(file, "trusted.a", buf, 3), 3);
	ck_assert_int_eq(kernfs_xattr_get(file, "trusted.b", buf, 3), -ENODATA);
	ck_assert_int_eq(kernfs_xattr_set(file, "trusted.a", "", 0, 0), 0);
	expect_value("trusted.a", "");
	ck_assert_int_eq(kernfs_xattr_set(file, "trusted.a", NULL, 0, 0), 0);
	ck_assert_int_eq(kernfs_xattr_set(file, "trusted.a", NULL, 0, 0),
			 -ENODATA);
	ck_assert_int_eq(kernfs_xattr_get(file, "trusted.a", buf, 3), -ENODATA);
}
END_TEST

START_TEST(flags)
{
	ck_assert_int_eq(set_as_client("user.a", 1, KERNFS_XATTR_REPLACE),
			 -ENODATA);
	ck_assert_int_eq(set_as_client("user.a", 1, KERNFS_XATTR_CREATE), 0);
	ck_assert_int_eq(set_as_client("user.a", 1, KERNFS_XATTR_CREATE),
			 -EEXIST);
	ck_assert_int_eq(set_as_client("user.a", 2, KERNFS_XATTR_REPLACE), 0);
	ck_assert_int_eq(kernfs_iop_getxattr(file, "user.a", NULL, 0), 2);
}
END_TEST

START_TEST(lists)
{
	char buf[4];

	expect_list(true, "");
	ck_assert_int_eq(set_as_client("user.b", 1, 0), 0);
	ck_assert_int_eq(set_as_client("trusted.z", 1, 0), 0);
	ck_assert_int_eq(set_as_client("user.a", 1, 0), 0);
	ck_assert_int_eq(set_as_client("security.s", 1, 0), 0);
	ck_assert_int_eq(set_as_client("user.b", 1, 0), 0);
	expect_list(true, "user.b;user.a;trusted.z;security.s;");
	expect_list(false, "user.b;user.a;security.s;");
	ck_assert_int_eq(kernfs_iop_listxattr(file, NULL, 0, false), 25);
	ck_assert_int_eq(kernfs_iop_listxattr(file, buf, 4, false), -ERANGE);
	ck_assert_int_eq(remove_as_client("user.a"), 0);
	expect_list(false, "user.b;security.s;");
}
END_TEST

START_TEST(long_lists)
{
	char name[KERNFS_XATTR_NAME_MAX + 2];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name, "trusted.", 8);
	ck_assert_int_eq(set_as_client(name, 0, 0), -ERANGE);
	name[sizeof(name) - 2] = '\0';
	for (unsigned int i = 0; i < 256; i++) {
		name[10] = (char)('a' + i % 16);
		name[11] = (char)('a' + i / 16);
		ck_assert_int_eq(set_as_client(name, 0, 0), 0);
	}
	ck_assert_int_eq(kernfs_iop_listxattr(file, NULL, 0, true), 65536);
	ck_assert_int_eq(set_as_client("trusted.x", 0, 0), 0);
	ck_assert_int_eq(kernfs_iop_listxattr(file, NULL, 0, true), -E2BIG);
	ck_assert_int_eq(kernfs_iop_listxattr(file, NULL, 0, false), 0);
}
END_TEST

static int set_nth(unsigned int nr, size_t size)
{
	char name[32];

	snprintf(name, sizeof(name), "user.%u", nr);
	return set_as_client(name, size, 0);
}

START_TEST(number_limit)
{
	for (unsigned int i = 0; i < KERNFS_MAX_USER_XATTRS; i++)
		ck_assert_int_eq(set_nth(i, 1), 0);
	ck_assert_int_eq(set_nth(1000, 1), -ENOSPC);
	/* as in the kernel: one more is tested before the old one is found */
	ck_assert_int_eq(set_nth(5, 0), -ENOSPC);
	ck_assert_int_eq(set_as_client("trusted.a", 1, 0), 0);
	ck_assert_int_eq(remove_as_client("user.5"), 0);
	ck_assert_int_eq(set_nth(6, 0), 0);
	ck_assert_int_eq(set_nth(1000, 1), 0);
	ck_assert_int_eq(set_nth(1001, 1), -ENOSPC);
}
END_TEST

START_TEST(size_limit)
{
	ck_assert_int_eq(set_nth(0, KERNFS_XATTR_SIZE_MAX + 1), -E2BIG);
	ck_assert_int_eq(set_nth(0, KERNFS_XATTR_SIZE_MAX), 0);
	ck_assert_int_eq(set_nth(1, KERNFS_XATTR_SIZE_MAX), 0);
	ck_assert_int_eq(set_nth(2, 1), -ENOSPC);
	ck_assert_int_eq(set_nth(2, 0), 0);
	ck_assert_int_eq(set_nth(1, KERNFS_XATTR_SIZE_MAX - 1), -ENOSPC);
	ck_assert_int_eq(remove_as_client("user.1"), 0);
	ck_assert_int_eq(set_nth(1, KERNFS_XATTR_SIZE_MAX - 1), 0);
	ck_assert_int_eq(set_nth(3, 1), 0);
	ck_assert_int_eq(set_nth(4, 1), -ENOSPC);
	/* what failed was not counted */
	ck_assert_int_eq(set_as_client("user.3", 1, KERNFS_XATTR_CREATE),
			 -ENOSPC);
	ck_assert_int_eq(remove_as_client("user.3"), 0);
	ck_assert_int_eq(set_as_client("user.0", 1, KERNFS_XATTR_CREATE),
			 -EEXIST);
	ck_assert_int_eq(set_nth(3, 1), 0);
}
END_TEST

/* Times and owner of a node that gets its record for an attribute. */
START_TEST(record_comes_with_them)
{
	struct kernfs_node *owned;

	ck_assert_int_eq(stat_of(file).st_mtim.tv_sec, 0);
	ck_assert_int_eq(set_as_client("trusted.a", 1, 0), 0);
	ck_assert_int_gt(stat_of(file).st_mtim.tv_sec, 0);
	ck_assert_uint_eq(stat_of(file).st_uid, 0);
	ck_assert_uint_eq(stat_of(file).st_mode, S_IFREG | 0644);
	owned = ok_node(__kernfs_create_file(top, "owned", 0644, 5, 6, 0,
					     &no_ops, NULL, NULL));
	ck_assert_int_eq(kernfs_xattr_set(owned, "trusted.a", "v", 1, 0), 0);
	ck_assert_uint_eq(stat_of(owned).st_uid, 5);
	ck_assert_uint_eq(stat_of(owned).st_gid, 6);
}
END_TEST

START_TEST(renamed_and_removed)
{
	ck_assert_int_eq(kernfs_xattr_set(file, "trusted.a", "v", 1, 0), 0);
	ck_assert_int_eq(kernfs_rename(file, top, "g"), 0);
	expect_value("trusted.a", "v");
	kernfs_get(file);
	kernfs_remove(file);
	/* no active reference is needed */
	expect_value("trusted.a", "v");
	ck_assert_int_eq(set_as_client("trusted.b", 3, 0), 0);
	kernfs_put(file);
}
END_TEST

static void *set_and_remove(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "user.%u", *(unsigned int *)arg);
	for (unsigned int i = 0; i < 2000; i++) {
		must(set_as_client(name, 100, 0) == 0);
		must(kernfs_iop_listxattr(file, NULL, 0, false) > 0);
		must(remove_as_client(name) == 0);
	}
	return NULL;
}

START_TEST(side_by_side)
{
	unsigned int nr[4] = { 0, 1, 2, 3 };

	run_threads(4, set_and_remove, nr, sizeof(nr[0]));
	expect_list(true, "");
	/* and the accounts are empty, too */
	ck_assert_uint_eq(file->iattr->nr_user_xattrs, 0);
	ck_assert_uint_eq(file->iattr->user_xattr_size, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		prefixes,
		user_needs_the_flag,
		values,
		flags,
		lists,
		long_lists,
		number_limit,
		size_limit,
		record_comes_with_them,
		renamed_and_removed,
		side_by_side,
	};

	return test_run("kernfs-xattr", tests, NR_OF(tests), setup_file,
			teardown);
}
