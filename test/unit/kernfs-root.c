/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Roots: their locks and figures, their birth and their end. */
#include "test/unit/kernfs-fixture.h"

START_TEST(policy_names)
{
	static const char *const name[] = {
		[KERNFS_LOCKING_HASHED] = "hashed",
		[KERNFS_LOCKING_GLOBAL] = "global",
		[KERNFS_LOCKING_RCU] = "rcu",
	};
	enum kernfs_locking locking;

	ck_assert_uint_eq(NR_OF(name), KERNFS_NR_LOCKING);
	ck_assert_int_eq(KERNFS_LOCKING_HASHED, 0);
	for (unsigned int i = 0; i < KERNFS_NR_LOCKING; i++) {
		ck_assert_str_eq(kernfs_locking_name((enum kernfs_locking)i),
				 name[i]);
		ck_assert_int_eq(kernfs_locking_parse(name[i], &locking), 0);
		ck_assert_uint_eq(locking, i);
	}
	ck_assert_ptr_null(kernfs_locking_name(KERNFS_NR_LOCKING));
	ck_assert_ptr_null(kernfs_locking_name((enum kernfs_locking)-1));
}
END_TEST

START_TEST(words_that_are_no_policy)
{
	static const char *const bad[] = { "", "rc", "rcuu", "RCU", " rcu",
					   "0" };
	enum kernfs_locking locking = KERNFS_LOCKING_RCU;

	for (unsigned int i = 0; i < NR_OF(bad); i++)
		ck_assert_int_eq(kernfs_locking_parse(bad[i], &locking),
				 -EINVAL);
	ck_assert_uint_eq(locking, KERNFS_LOCKING_RCU);
}
END_TEST

START_TEST(path_names)
{
	static const char *const name[] = {
		[KERNFS_LOCK_PERMISSION] = "permission",
		[KERNFS_LOCK_REVALIDATE] = "revalidate",
		[KERNFS_LOCK_LOOKUP] = "lookup",
		[KERNFS_LOCK_READDIR] = "readdir",
		[KERNFS_LOCK_UPDATE] = "update",
	};

	ck_assert_uint_eq(NR_OF(name), KERNFS_NR_LOCK_PATHS);
	for (unsigned int i = 0; i < KERNFS_NR_LOCK_PATHS; i++)
		ck_assert_str_eq(kernfs_lock_path_name(i), name[i]);
	ck_assert_ptr_null(kernfs_lock_path_name(KERNFS_NR_LOCK_PATHS));
}
END_TEST

/* How many locks a root has that asks for @nr_locks; 0 for -EINVAL. */
static unsigned int locks_of(enum kernfs_locking locking, unsigned int nr_locks)
{
	const struct kernfs_root_locking_params params = { locking, nr_locks };
	struct kernfs_root *r =
		kernfs_create_root_locking(NULL, 0, NULL, &params);
	unsigned int nr;

	if (IS_ERR(r)) {
		ck_assert_int_eq(PTR_ERR(r), -EINVAL);
		return 0;
	}
	ck_assert_uint_eq(kernfs_root_locking(r), locking);
	nr = kernfs_root_nr_locks(r);
	test_destroy_root(r);
	return nr;
}

START_TEST(number_of_locks)
{
	static const struct {
		unsigned int asked, given;
	} want[] = {
		{ 1, 1 },     { 2, 2 },	    { 3, 4 },	    { 4, 4 },
		{ 5, 8 },     { 16, 16 },   { 513, 1024 },  { 1024, 1024 },
		{ 1025, 0 },  { UINT_MAX, 0 },
	};
	unsigned int by_cpus =
		1U << kf_hashed_default_bits(kf_nr_possible_cpus());

	for (unsigned int i = 0; i < NR_OF(want); i++) {
		ck_assert_uint_eq(locks_of(KERNFS_LOCKING_HASHED,
					   want[i].asked),
				  want[i].given);
		ck_assert_uint_eq(locks_of(KERNFS_LOCKING_RCU, want[i].asked),
				  want[i].given);
	}
	ck_assert_uint_eq(locks_of(KERNFS_LOCKING_HASHED, 0), by_cpus);
	ck_assert_uint_eq(locks_of(KERNFS_LOCKING_RCU, 0), by_cpus);
	ck_assert_uint_eq(locks_of(KERNFS_LOCKING_GLOBAL, 0), 1);
	ck_assert_uint_eq(locks_of(KERNFS_LOCKING_GLOBAL, 64), 1);
	ck_assert_uint_eq(locks_of(KERNFS_NR_LOCKING, 4), 0);
}
END_TEST

START_TEST(default_root)
{
	int mine;
	struct kernfs_root *r = kernfs_create_root(
		NULL, KERNFS_ROOT_EXTRA_OPEN_PERM_CHECK, &mine);
	struct kernfs_node *kn;

	ck_assert(!IS_ERR(r));
	kn = kernfs_root_to_node(r);
	ck_assert_uint_eq(kernfs_root_locking(r), KERNFS_LOCKING_HASHED);
	ck_assert_ptr_eq(kernfs_priv(kn), &mine);
	ck_assert_uint_eq(kernfs_root_flags(kn),
			  KERNFS_ROOT_EXTRA_OPEN_PERM_CHECK);
	ck_assert_uint_eq(kernfs_id(kn), 1);
	ck_assert_uint_eq(kernfs_mode(kn), S_IFDIR | 0555);
	ck_assert_uint_eq(stat_of(kn).st_uid, 0);
	ck_assert_uint_eq(stat_of(kn).st_gid, 0);
	ck_assert(kernfs_active(kn));
	/* the first child of a fresh root */
	add_file(kn, "f");
	test_destroy_root(r);
}
END_TEST

START_TEST(flag_values)
{
	ck_assert_uint_eq(KERNFS_ROOT_CREATE_DEACTIVATED, 0x1);
	ck_assert_uint_eq(KERNFS_ROOT_EXTRA_OPEN_PERM_CHECK, 0x2);
	ck_assert_uint_eq(KERNFS_ROOT_INVARIANT_PARENT, 0x10);
}
END_TEST

START_TEST(deactivated_root)
{
	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	ck_assert(!kernfs_active(top));
	ck_assert_ptr_null(kernfs_get_active(top));
	kernfs_activate(top);
	ck_assert(kernfs_active(top));
}
END_TEST

/* --- the end --- */

START_TEST(destroy_of_nothing)
{
	kernfs_destroy_root(NULL);
}
END_TEST

START_TEST(destroy_removes_everything)
{
	struct kernfs_root *other = test_create_root(0);
	struct kernfs_node *a = add_dir(kernfs_root_to_node(other), "a");
	struct kernfs_node *file = add_file(add_dir(a, "b"), "f");

	add_link(a, "l", file);
	kernfs_get(file);
	kernfs_destroy_root(other);
	ck_assert(!kernfs_active(file));
	ck_assert(!kernfs_active(a));
	ck_assert_int_eq(PTR_ERR(try_file(kernfs_root_to_node(other), "x",
					  NULL)),
			 -ENOENT);
	kernfs_put(file);
}
END_TEST

static void *destroy_thread(void *done)
{
	kernfs_destroy_root(root);
	SET(*(bool *)done, true);
	return NULL;
}

START_TEST(destroy_waits)
{
	struct kernfs_node *file = add_file(add_dir(top, "d"), "f");
	bool done = false;
	pthread_t id;

	kernfs_get(file);
	ck_assert_ptr_eq(kernfs_get_active(file), file);
	id = thread_start(destroy_thread, &done);
	wait_until(!kernfs_active(file));
	give_it_time();
	ck_assert(!GET(done));
	kernfs_put_active(file);
	thread_join(id);
	kernfs_put(file);
	setup();
}
END_TEST

/* --- figures --- */

static uint64_t runs[KERNFS_NR_LOCK_PATHS];

static void note_runs(void)
{
	struct kernfs_lock_stats stats;

	for (unsigned int path = 0; path < KERNFS_NR_LOCK_PATHS; path++) {
		ck_assert_int_eq(kernfs_root_lock_stats(root, path, &stats), 0);
		runs[path] = stats.runs;
	}
}

/* Since note_runs() @path has run @nr times more, and no other path. */
static void expect_runs(enum kernfs_lock_path which, uint64_t nr)
{
	struct kernfs_lock_stats stats;

	for (unsigned int path = 0; path < KERNFS_NR_LOCK_PATHS; path++) {
		kernfs_root_lock_stats(root, path, &stats);
		ck_assert_uint_eq(stats.runs - runs[path],
				  path == which ? nr : 0);
		ck_assert_uint_eq(stats.waits, 0);
	}
	note_runs();
}

static bool take_all(void *ctx, const struct kernfs_dirent *de)
{
	(void)ctx, (void)de;
	return true;
}

START_TEST(what_is_counted)
{
	const struct kernfs_iattr chmod = { KERNFS_ATTR_MODE, .mode = 0700 };
	struct kernfs_node *file = add_file(top, "f");
	struct kernfs_lock_stats stats;
	struct kernfs_dentry d, neg;

	note_runs();
	kernfs_iop_permission(file, &kernfs_root_cred, KERNFS_MAY_READ);
	expect_runs(KERNFS_LOCK_PERMISSION, 1);
	stat_of(file);
	expect_runs(KERNFS_LOCK_PERMISSION, 1);
	ck_assert_int_eq(kernfs_iop_lookup(top, "f", NULL, &d), 0);
	ck_assert_int_eq(kernfs_iop_lookup(top, "x", NULL, &neg), -ENOENT);
	kernfs_put(kernfs_find_and_get(top, "f"));
	expect_runs(KERNFS_LOCK_LOOKUP, 3);
	ck_assert(kernfs_dop_revalidate(&d));
	ck_assert(kernfs_dop_revalidate(&neg));
	expect_runs(KERNFS_LOCK_REVALIDATE, 2);
	kernfs_put(d.kn);
	kernfs_fop_readdir(top, NULL, 0, take_all, NULL);
	expect_runs(KERNFS_LOCK_READDIR, 1);
	kernfs_setattr(file, &chmod);
	expect_runs(KERNFS_LOCK_UPDATE, 1);
	/* linking and activating */
	add_file(top, "g");
	expect_runs(KERNFS_LOCK_UPDATE, 2);
	ck_assert_int_eq(kernfs_rename(file, top, "h"), 0);
	expect_runs(KERNFS_LOCK_UPDATE, 1);
	ck_assert_int_eq(kernfs_root_lock_stats(root, KERNFS_NR_LOCK_PATHS,
						&stats),
			 -EINVAL);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		policy_names,
		words_that_are_no_policy,
		path_names,
		number_of_locks,
		default_root,
		flag_values,
		deactivated_root,
		destroy_of_nothing,
		destroy_removes_everything,
		destroy_waits,
		what_is_counted,
	};

	return test_run("kernfs-root", tests, NR_OF(tests), setup, teardown);
}
