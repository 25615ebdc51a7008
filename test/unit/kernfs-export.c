/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* File handles: the kernel's bytes, there and back. */
#include <kernfuse/export.h>

#include "test/unit/kernfs-fixture.h"

static void setup_export(void)
{
	setup_with(KERNFS_ROOT_SUPPORT_EXPORTOP);
}

/* What the handle leads to; the reference is given back. */
static struct kernfs_node *to_node(const uint32_t *fh, int len, int type)
{
	struct kernfs_node *kn = kernfs_fh_to_node(root, fh, len, type);

	if (!IS_ERR(kn))
		kernfs_put(kn);
	return kn;
}

static struct kernfs_node *to_parent(const uint32_t *fh, int len, int type)
{
	struct kernfs_node *kn = kernfs_fh_to_parent(root, fh, len, type);

	if (!IS_ERR(kn))
		kernfs_put(kn);
	return kn;
}

START_TEST(there_and_back)
{
	struct kernfs_node *dir = add_dir(top, "d"), *kn = add_file(dir, "f");
	uint32_t fh[3] = { 7, 7, 7 };
	uint64_t id = kernfs_id(kn);
	int len = 3;

	ck_assert_int_eq(kernfs_encode_fh(kn, fh, &len), 0xfe);
	ck_assert_int_eq(len, 2);
	ck_assert_mem_eq(fh, &id, 8);
	ck_assert_uint_eq(fh[2], 7);
	ck_assert_ptr_eq(to_node(fh, 2, 0xfe), kn);
	ck_assert_ptr_eq(to_node(fh, 3, 0xfe), kn);
	ck_assert_ptr_eq(to_parent(fh, 2, 0xfe), dir);
	ck_assert_int_eq(kernfs_rename(kn, top, "g"), 0);
	ck_assert_ptr_eq(to_parent(fh, 2, 0xfe), top);
	kernfs_remove(kn);
	ck_assert_ptr_eq(to_node(fh, 2, 0xfe), ERR_PTR(-ESTALE));
	ck_assert_ptr_eq(to_parent(fh, 2, 0xfe), ERR_PTR(-ESTALE));
}
END_TEST

START_TEST(generic_handles)
{
	struct kernfs_node *dir = add_dir(top, "d");
	uint32_t fh[2] = { (uint32_t)kernfs_id(dir), 0 };

	ck_assert_ptr_eq(to_node(fh, 2, KERNFS_FILEID_INO32_GEN), dir);
	ck_assert_ptr_eq(to_node(fh, 2, KERNFS_FILEID_INO32_GEN_PARENT), dir);
	fh[1] = 1;
	ck_assert_ptr_eq(to_node(fh, 2, KERNFS_FILEID_INO32_GEN),
			 ERR_PTR(-ESTALE));
}
END_TEST

START_TEST(no_handles)
{
	uint32_t fh[2] = { 1, 0 };
	int len = 1;

	ck_assert_int_eq(kernfs_encode_fh(top, fh, &len), 0xff);
	ck_assert_int_eq(len, 2);
	ck_assert_ptr_eq(to_node(fh, 2, 0xfe), top);
	ck_assert_ptr_eq(to_parent(fh, 2, 0xfe), ERR_PTR(-ESTALE));
	ck_assert_ptr_null(to_node(fh, 1, 0xfe));
	ck_assert_ptr_null(to_node(fh, 1, KERNFS_FILEID_INO32_GEN));
	ck_assert_ptr_null(to_node(fh, 0, 0xfe));
	ck_assert_ptr_null(to_node(fh, 2, 0x81));
	ck_assert_ptr_null(to_parent(fh, 2, 0));
}
END_TEST

START_TEST(not_without_the_flag)
{
	uint32_t fh[2] = { 1, 0 };
	int len = 2;

	replace_root(0);
	ck_assert_int_eq(kernfs_encode_fh(top, fh, &len), -EOPNOTSUPP);
	ck_assert_ptr_eq(to_node(fh, 2, 0xfe), ERR_PTR(-EOPNOTSUPP));
	ck_assert_ptr_eq(to_parent(fh, 2, 0xfe), ERR_PTR(-EOPNOTSUPP));
}
END_TEST

START_TEST(never_activated)
{
	struct kernfs_node *kn;
	uint32_t fh[2];
	int len = 2;

	replace_root(KERNFS_ROOT_SUPPORT_EXPORTOP |
		     KERNFS_ROOT_CREATE_DEACTIVATED);
	kn = add_file(top, "f");
	ck_assert_int_eq(kernfs_encode_fh(kn, fh, &len), 0xfe);
	ck_assert_ptr_eq(to_node(fh, 2, 0xfe), ERR_PTR(-ESTALE));
	kernfs_activate(top);
	ck_assert_ptr_eq(to_node(fh, 2, 0xfe), kn);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		there_and_back,	      generic_handles, no_handles,
		not_without_the_flag, never_activated,
	};

	return test_run("kernfs-export", tests, NR_OF(tests), setup_export,
			teardown);
}
