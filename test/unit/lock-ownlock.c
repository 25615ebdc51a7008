/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks that know their owner, who may be dead. */
#include "lock/ownlock.h"

#include <errno.h>

#include "test/unit/util.h"

#define THREADS 4
#define ROUNDS 20000

static struct kf_ownlock lock;
/* what ops says of an owner */
static enum kf_owner state[THREADS + 2];

static enum kf_owner look(void *arg, uint32_t owner)
{
	(void)arg;
	return owner < NR_OF(state) ? GET(state[owner]) : KF_OWNER_DEAD;
}

static const struct kf_ownlock_ops ops = {
	.owner = look,
	.patience = 1000000000,
};

static void setup(void)
{
	lock.word = 0;
	for (unsigned int i = 0; i < NR_OF(state); i++)
		state[i] = KF_OWNER_ALIVE;
}

START_TEST(free_or_not)
{
	ck_assert(kf_ownlock_try(&lock, 3));
	ck_assert_uint_eq(kf_ownlock_owner(&lock), 3);
	ck_assert(!kf_ownlock_try(&lock, 4));
	kf_ownlock_unlock(&lock);
	ck_assert_uint_eq(lock.word, 0);
	ck_assert_int_eq(kf_ownlock_slow(&lock, 4, &ops), 0);
	kf_ownlock_unlock(&lock);
}
END_TEST

START_TEST(dead_owner)
{
	ck_assert(kf_ownlock_try(&lock, 3));
	ck_assert(!kf_ownlock_take_over(&lock, 2, 4));
	state[3] = KF_OWNER_DEAD;
	ck_assert_int_eq(kf_ownlock_slow(&lock, 4, &ops), 3);
	ck_assert_uint_eq(kf_ownlock_owner(&lock), 4);
	kf_ownlock_unlock(&lock);
	/* words that nobody can have written */
	lock.word = KF_OWNLOCK_WAITERS | 1234567;
	ck_assert_int_eq(kf_ownlock_slow(&lock, 4, &ops), 1234567);
	state[0] = KF_OWNER_DEAD;
	lock.word = KF_OWNLOCK_WAITERS;
	ck_assert_int_eq(kf_ownlock_slow(&lock, 4, &ops), KF_OWNLOCK_NOBODY);
}
END_TEST

START_TEST(interrupted_owner)
{
	ck_assert(kf_ownlock_try(&lock, 3));
	state[3] = KF_OWNER_SELF;
	ck_assert_int_eq(kf_ownlock_slow(&lock, 4, &ops), -EDEADLK);
}
END_TEST

START_TEST(patience)
{
	struct kf_ownlock_ops hasty = ops;

	hasty.patience = 1000000;
	ck_assert(kf_ownlock_try(&lock, 3));
	ck_assert_int_eq(kf_ownlock_slow(&lock, 4, &hasty), -ETIMEDOUT);
	ck_assert_uint_eq(kf_ownlock_owner(&lock), 3);
}
END_TEST

static void *wait_for_it(void *arg)
{
	return (void *)(intptr_t)kf_ownlock_slow(&lock, *(uint32_t *)arg, &ops);
}

/* One who waits already finds out, though nobody wakes him. */
START_TEST(owner_dies_meanwhile)
{
	uint32_t me = 2;
	pthread_t id;

	ck_assert(kf_ownlock_try(&lock, 3));
	id = thread_start(wait_for_it, &me);
	give_it_time();
	ck_assert_uint_eq(GET(lock.word), 3 | KF_OWNLOCK_WAITERS);
	SET(state[3], KF_OWNER_DEAD);
	ck_assert_int_eq((intptr_t)thread_join(id), 3);
	ck_assert_uint_eq(kf_ownlock_owner(&lock), 2);
}
END_TEST

static unsigned long counted;

static void *count(void *arg)
{
	uint32_t me = *(uint32_t *)arg;

	for (int i = 0; i < ROUNDS; i++) {
		if (!kf_ownlock_try(&lock, me))
			must(kf_ownlock_slow(&lock, me, &ops) == 0);
		must(kf_ownlock_owner(&lock) == me);
		counted++;
		kf_ownlock_unlock(&lock);
	}
	return NULL;
}

START_TEST(one_at_a_time)
{
	uint32_t me[THREADS];

	for (uint32_t i = 0; i < THREADS; i++)
		me[i] = i + 1;
	counted = 0;
	run_threads(THREADS, count, me, sizeof(me[0]));
	ck_assert_uint_eq(counted, THREADS * ROUNDS);
	ck_assert_uint_eq(lock.word, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		free_or_not, dead_owner,	   interrupted_owner,
		patience,    owner_dies_meanwhile, one_at_a_time,
	};

	return test_run("lock/ownlock", tests, NR_OF(tests), setup, NULL);
}
