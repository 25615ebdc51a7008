/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Roots for unit tests. The same tests run under every policy and with a
 * single lock: the environment says which.
 *
 *	KERNFUSE_TEST_LOCKING	global, hashed or rcu; default hashed
 *	KERNFUSE_TEST_NR_LOCKS	locks; default by the CPU count
 */
#ifndef TEST_UNIT_TESTROOT_H
#define TEST_UNIT_TESTROOT_H

#include <check.h>
#include <stdlib.h>

#include "fs/kernfs/kernfs-internal.h"

/* @nr_locks 0: what the environment says. */
static inline struct kernfs_root_locking_params
test_locking_params(unsigned int nr_locks)
{
	struct kernfs_root_locking_params params = { .nr_locks = nr_locks };
	const char *locking = getenv("KERNFUSE_TEST_LOCKING");
	const char *nr = getenv("KERNFUSE_TEST_NR_LOCKS");

	if (locking && *locking)
		ck_assert_int_eq(kernfs_locking_parse(locking, &params.locking),
				 0);
	if (nr && *nr && !nr_locks)
		params.nr_locks = (unsigned int)strtoul(nr, NULL, 10);
	return params;
}

static inline struct kernfs_root *test_create_root_locks(unsigned int flags,
							 unsigned int nr_locks)
{
	struct kernfs_root_locking_params params =
		test_locking_params(nr_locks);
	struct kernfs_root *root;

	root = kernfs_create_root_locking(NULL, flags, NULL, &params);
	ck_assert(!IS_ERR(root));
	return root;
}

static inline struct kernfs_root *test_create_root(unsigned int flags)
{
	return test_create_root_locks(flags, 0);
}

/* With nobody else using it any more: checks the tree, then lets go of it. */
static inline void test_destroy_root(struct kernfs_root *root)
{
	ck_assert_uint_eq(kernfs_check_tree(root), 0);
	kernfs_destroy_root(root);
	kf_rcu_barrier();
}

#endif /* TEST_UNIT_TESTROOT_H */
