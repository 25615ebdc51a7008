/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lock order checker, with its way of failing replaced. */
#include "lock/rank.h"

#include <stdio.h>
#include <string.h>

#include "lock/mutex.h"
#include "lock/rcu.h"
#include "test/unit/util.h"

#ifdef KF_LOCK_DEBUG

static char complaint[512];
static unsigned int complaints;

static void note(const char *what)
{
	complaints++;
	snprintf(complaint, sizeof(complaint), "%s", what);
}

/* Things to lock: only their addresses count, and those ascend. */
static char lock[64];

static void setup(void)
{
	complaints = 0;
	kf_rank_failed = note;
}

/* Exactly one complaint since last asked, and it says @what. */
static void expect_complaint(const char *what)
{
	ck_assert_uint_eq(complaints, 1);
	ck_assert_msg(strstr(complaint, what), "'%s'", complaint);
	complaints = 0;
}

START_TEST(every_pair_of_ranks)
{
	for (unsigned int a = 1; a < KF_NR_RANKS; a++) {
		for (unsigned int b = 1; b < KF_NR_RANKS; b++) {
			kf_rank_acquire(&lock[0], (enum kf_rank)a, true);
			kf_rank_acquire(&lock[1], (enum kf_rank)b, true);
			ck_assert_uint_eq(complaints, b <= a);
			complaints = 0;
			kf_rank_release(&lock[1]);
			kf_rank_release(&lock[0]);
		}
	}
	ck_assert_uint_eq(kf_rank_depth(), 0);
	ck_assert_uint_eq(complaints, 0);
}
END_TEST

/* The order counts, not the moment: a low lock let go allows it again. */
START_TEST(released_in_any_order)
{
	kf_rank_acquire(&lock[0], KF_RANK_OPEN, true);
	kf_rank_acquire(&lock[1], KF_RANK_NODE, true);
	kf_rank_acquire(&lock[2], KF_RANK_RENAME, true);
	kf_rank_release(&lock[1]);
	kf_rank_release(&lock[2]);
	kf_rank_acquire(&lock[1], KF_RANK_NODE, true);
	ck_assert_uint_eq(kf_rank_depth(), 2);
	kf_rank_release(&lock[0]);
	kf_rank_release(&lock[1]);
	ck_assert_uint_eq(complaints, 0);
}
END_TEST

START_TEST(sorted_set)
{
	kf_rank_acquire_nested(&lock[0], KF_RANK_NODE, true);
	kf_rank_acquire_nested(&lock[1], KF_RANK_NODE, true);
	kf_rank_acquire_nested(&lock[3], KF_RANK_NODE, true);
	ck_assert_uint_eq(complaints, 0);
	kf_rank_acquire_nested(&lock[2], KF_RANK_NODE, true);
	expect_complaint("lock order");
	kf_rank_acquire_nested(&lock[3], KF_RANK_NODE, true);
	expect_complaint("lock order");
}
END_TEST

/* A set is taken at once: equal rank by a plain acquire is a mistake. */
START_TEST(equal_rank_is_no_set)
{
	kf_rank_acquire(&lock[0], KF_RANK_NODE, false);
	kf_rank_acquire(&lock[1], KF_RANK_NODE, false);
	expect_complaint("lock order: node");
}
END_TEST

START_TEST(nested_is_still_ordered)
{
	kf_rank_acquire(&lock[0], KF_RANK_RENAME, true);
	kf_rank_acquire_nested(&lock[1], KF_RANK_NODE, true);
	expect_complaint("lock order");
}
END_TEST

START_TEST(release_of_what_is_not_held)
{
	kf_rank_release(&lock[0]);
	expect_complaint("not held");
	kf_rank_acquire(&lock[0], KF_RANK_NODE, true);
	kf_rank_release(&lock[1]);
	expect_complaint("not held");
	kf_rank_release(&lock[0]);
	kf_rank_release(&lock[0]);
	expect_complaint("not held");
}
END_TEST

START_TEST(too_many)
{
	for (unsigned int i = 0; i < 32; i++)
		kf_rank_acquire_nested(&lock[i], KF_RANK_NODE, true);
	ck_assert_uint_eq(complaints, 0);
	kf_rank_acquire_nested(&lock[32], KF_RANK_NODE, true);
	expect_complaint("too many");
}
END_TEST

START_TEST(holds)
{
	ck_assert(!kf_rank_holds(&lock[0], false));
	kf_rank_acquire(&lock[0], KF_RANK_OPEN, false);
	kf_rank_acquire(&lock[1], KF_RANK_NODE, true);
	ck_assert(kf_rank_holds(&lock[0], false));
	ck_assert(!kf_rank_holds(&lock[0], true));
	ck_assert(kf_rank_holds(&lock[1], false));
	ck_assert(kf_rank_holds(&lock[1], true));
	ck_assert(!kf_rank_holds(&lock[2], false));
	kf_rank_release(&lock[0]);
	ck_assert(!kf_rank_holds(&lock[0], false));
}
END_TEST

static void *other_thread(void *arg)
{
	(void)arg;
	ck_assert(!kf_rank_holds(&lock[0], false));
	ck_assert_uint_eq(kf_rank_depth(), 0);
	/* lower than what the first thread holds: no business of ours */
	kf_rank_acquire(&lock[1], KF_RANK_OPEN, true);
	kf_rank_release(&lock[1]);
	return NULL;
}

START_TEST(each_thread_for_itself)
{
	kf_rank_acquire(&lock[0], KF_RANK_NODE, true);
	thread_join(thread_start(other_thread, NULL));
	ck_assert_uint_eq(complaints, 0);
	ck_assert(kf_rank_holds(&lock[0], true));
}
END_TEST

/* Inside a read section only what never waits for a grace period. */
START_TEST(read_section)
{
	ck_assert(!kf_rank_in_rcu());
	kf_rcu_read_lock();
	kf_rcu_read_lock();
	kf_rcu_read_unlock();
	ck_assert(kf_rank_in_rcu());
	for (unsigned int r = 1; r < KF_NR_RANKS; r++) {
		kf_rank_acquire(&lock[0], (enum kf_rank)r, true);
		ck_assert_uint_eq(complaints, r < KF_RANK_NODE);
		complaints = 0;
		kf_rank_release(&lock[0]);
	}
	kf_rcu_read_unlock();
	ck_assert(!kf_rank_in_rcu());
	kf_rank_acquire(&lock[0], KF_RANK_OPEN, true);
	ck_assert_uint_eq(complaints, 0);
}
END_TEST

START_TEST(waiting_for_a_grace_period)
{
	kf_assert_none_held();
	kf_synchronize_rcu();
	ck_assert_uint_eq(complaints, 0);
	kf_rank_acquire(&lock[0], KF_RANK_PERCPU, true);
	kf_synchronize_rcu();
	expect_complaint("inside a lock");
	kf_rcu_barrier();
	expect_complaint("inside a lock");
	kf_rank_release(&lock[0]);
	kf_rcu_read_lock();
	kf_assert_none_held();
	expect_complaint("read section");
	kf_rcu_read_unlock();
}
END_TEST

/* Draining: with the mutexes a callback runs under, and nothing above. */
START_TEST(waiting_for_active_references)
{
	kf_assert_may_drain();
	for (unsigned int r = 1; r < KF_NR_RANKS; r++) {
		kf_rank_acquire(&lock[0], (enum kf_rank)r, true);
		kf_assert_may_drain();
		ck_assert_uint_eq(complaints, r >= KF_RANK_DRAIN);
		complaints = 0;
		kf_rank_release(&lock[0]);
	}
	ck_assert_int_lt(KF_RANK_OF_MUTEX, KF_RANK_DRAIN);
	ck_assert_int_lt(KF_RANK_PREALLOC, KF_RANK_OF_MUTEX);
	kf_rcu_read_lock();
	kf_assert_may_drain();
	expect_complaint("may not drain");
	kf_rcu_read_unlock();
}
END_TEST

START_TEST(names)
{
	for (unsigned int a = 1; a < KF_NR_RANKS; a++) {
		const char *name = kf_rank_name((enum kf_rank)a);

		ck_assert_str_ne(name, "?");
		for (unsigned int b = 1; b < a; b++)
			ck_assert_str_ne(name, kf_rank_name((enum kf_rank)b));
	}
	ck_assert_str_eq(kf_rank_name(0), "?");
	ck_assert_str_eq(kf_rank_name(KF_NR_RANKS), "?");
}
END_TEST

/* The message names what was wanted and all that is held. */
START_TEST(message)
{
	kf_rank_acquire(&lock[0], KF_RANK_OPEN, true);
	kf_rank_acquire(&lock[1], KF_RANK_RENAME, true);
	kf_rank_acquire(&lock[2], KF_RANK_NODE, true);
	ck_assert_ptr_nonnull(strstr(complaint, "lock order: node"));
	ck_assert_ptr_nonnull(strstr(complaint, "held: open"));
	expect_complaint(" rename ");
}
END_TEST

START_TEST(mutexes_are_checked)
{
	struct kf_mutex low, high;

	mutex_init(&low, KF_RANK_RENAME);
	mutex_init(&high, KF_RANK_WAITQ);
	mutex_lock(&low);
	mutex_lock(&high);
	kf_assert_held(&low);
	kf_assert_held_write(&high);
	mutex_unlock(&high);
	mutex_unlock(&low);
	ck_assert_uint_eq(complaints, 0);
	mutex_lock(&high);
	mutex_lock(&low);
	expect_complaint("lock order");
	mutex_unlock(&low);
	mutex_unlock(&high);
	mutex_destroy(&low);
	mutex_destroy(&high);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		every_pair_of_ranks,
		released_in_any_order,
		sorted_set,
		equal_rank_is_no_set,
		nested_is_still_ordered,
		release_of_what_is_not_held,
		too_many,
		holds,
		each_thread_for_itself,
		read_section,
		waiting_for_a_grace_period,
		waiting_for_active_references,
		names,
		message,
		mutexes_are_checked,
	};

	return test_run("lock-rank", tests, NR_OF(tests), setup, NULL);
}

#else

int main(void)
{
	puts("skipped: there is no checker without --enable-lock-debug");
	return 77;
}

#endif /* KF_LOCK_DEBUG */
