/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Per-thread counters: sums are exact, however threads come and go. */
#include "lock/percpu.h"

#include <string.h>

#include "test/unit/util.h"

#define COUNTERS 10
#define ROUNDS 10000

static struct kf_percpu pc;

static void setup(void)
{
	ck_assert_int_eq(kf_percpu_init(&pc, COUNTERS), 0);
}

static void teardown(void)
{
	kf_percpu_destroy(&pc);
}

START_TEST(counts)
{
	for (unsigned int nr = 0; nr < COUNTERS; nr++)
		ck_assert_uint_eq(kf_percpu_sum(&pc, nr), 0);
	for (unsigned int nr = 0; nr < COUNTERS; nr++)
		for (unsigned int i = 0; i < nr; i++)
			kf_percpu_inc(&pc, nr);
	for (unsigned int nr = 0; nr < COUNTERS; nr++)
		ck_assert_uint_eq(kf_percpu_sum(&pc, nr), nr);
}
END_TEST

/* Whole cache lines, so that no two threads write the same one. */
START_TEST(slots_share_no_line)
{
	static const struct {
		unsigned int counters, words;
	} want[] = { { 1, 8 }, { 8, 8 }, { 9, 16 }, { 16, 16 }, { 17, 24 } };

	for (unsigned int i = 0; i < NR_OF(want); i++) {
		struct kf_percpu other;

		ck_assert_int_eq(kf_percpu_init(&other, want[i].counters), 0);
		ck_assert_uint_eq(other.stride, want[i].words);
		kf_percpu_inc(&other, want[i].counters - 1);
		for (unsigned int c = 0; c < KF_PERCPU_CHUNKS; c++)
			ck_assert_uint_eq((uintptr_t)other.chunk[c] %
						  KF_CACHELINE,
					  0);
		kf_percpu_destroy(&other);
	}
}
END_TEST

START_TEST(counters_are_independent)
{
	struct kf_percpu other;

	ck_assert_int_eq(kf_percpu_init(&other, 1), 0);
	kf_percpu_inc(&pc, 0);
	ck_assert_uint_eq(kf_percpu_sum(&other, 0), 0);
	kf_percpu_destroy(&other);
}
END_TEST

START_TEST(destroy_of_nothing)
{
	struct kf_percpu other;

	memset(&other, 0, sizeof(other));
	kf_percpu_destroy(&other);
	ck_assert_int_eq(kf_percpu_init(&other, 1), 0);
	kf_percpu_destroy(&other);
	kf_percpu_destroy(&other);
}
END_TEST

/* --- threads --- */

struct counter {
	unsigned int slot;
	bool wait; /* until all of its kind have a number */
	unsigned int *here, all;
};

static void *counter_thread(void *arg)
{
	struct counter *c = arg;

	c->slot = kf_thread_slot();
	must(kf_thread_slot() == c->slot);
	if (c->wait) {
		ADD(*c->here, 1);
		wait_until(GET(*c->here) == c->all);
	}
	for (unsigned int i = 0; i < ROUNDS; i++)
		kf_percpu_inc(&pc, 3);
	return NULL;
}

/* Numbers go back: many threads one after another need few of them. */
START_TEST(numbers_are_given_back)
{
	struct counter c[4] = { { .wait = false } };

	for (unsigned int round = 0; round < 50; round++) {
		run_threads(NR_OF(c), counter_thread, c, sizeof(c[0]));
		for (unsigned int i = 0; i < NR_OF(c); i++)
			ck_assert_uint_lt(c[i].slot, 16);
	}
	ck_assert_uint_eq(kf_percpu_sum(&pc, 3), 50 * NR_OF(c) * ROUNDS);
	ck_assert_uint_eq(kf_percpu_sum(&pc, 2), 0);
	ck_assert_uint_eq(kf_percpu_sum(&pc, 4), 0);
}
END_TEST

/* More at a time than a chunk has slots. */
START_TEST(each_thread_has_its_own)
{
	static struct counter c[3 * KF_PERCPU_CHUNK];
	unsigned int here = 0;

	for (unsigned int i = 0; i < NR_OF(c); i++)
		c[i] = (struct counter){ 0, true, &here, NR_OF(c) };
	run_threads(NR_OF(c), counter_thread, c, sizeof(c[0]));
	for (unsigned int i = 0; i < NR_OF(c); i++)
		for (unsigned int j = 0; j < i; j++)
			must(c[i].slot != c[j].slot);
	ck_assert_uint_eq(kf_percpu_sum(&pc, 3), NR_OF(c) * ROUNDS);
}
END_TEST

#define SHARERS 4
#define SHARED_ROUNDS (20 * ROUNDS)

static void *shared_thread(void *here)
{
	/* as if it had come when all numbers were taken */
	kf_thread_slot_cached = KF_PERCPU_SHARED + 1;
	must(kf_thread_slot() == KF_PERCPU_SHARED);
	ADD(*(unsigned int *)here, 1);
	while (GET(*(unsigned int *)here) < SHARERS)
		sched_yield();
	for (unsigned int i = 0; i < SHARED_ROUNDS; i++)
		kf_percpu_inc(&pc, 3);
	return NULL;
}

START_TEST(shared_slot)
{
	unsigned int here = 0;

	kf_percpu_inc(&pc, 3);
	run_threads(SHARERS, shared_thread, &here, 0);
	ck_assert_uint_eq(kf_percpu_sum(&pc, 3), SHARERS * SHARED_ROUNDS + 1);
}
END_TEST

/*
 * A thread that counts while it ends: in a destructor that asks for a second
 * round, by when the thread has given its number back for certain.
 */
static pthread_key_t ending_key;

static void count_at_the_end(void *round_)
{
	uintptr_t round = (uintptr_t)round_;

	must(round == 1 || kf_thread_slot() == KF_PERCPU_SHARED);
	for (unsigned int i = 0; i < ROUNDS; i++)
		kf_percpu_inc(&pc, 3);
	if (round == 1)
		pthread_setspecific(ending_key, (void *)(uintptr_t)2);
}

static void *ending_thread(void *arg)
{
	(void)arg;
	pthread_setspecific(ending_key, (void *)(uintptr_t)1);
	kf_percpu_inc(&pc, 3);
	return NULL;
}

START_TEST(counting_while_the_thread_ends)
{
	pthread_t id[4];

	pthread_key_create(&ending_key, count_at_the_end);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(ending_thread, NULL);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		thread_join(id[i]);
	ck_assert_uint_eq(kf_percpu_sum(&pc, 3),
			  NR_OF(id) * (2 * ROUNDS + 1));
}
END_TEST

/* A sum taken meanwhile is a value between what was and what will be. */
static bool stop;

static void *summing_thread(void *arg)
{
	uint64_t sum, last = 0;

	(void)arg;
	while (!GET(stop)) {
		sum = kf_percpu_sum(&pc, 3);
		must(sum >= last);
		last = sum;
	}
	return NULL;
}

START_TEST(sums_never_go_down)
{
	struct counter c[4] = { { .wait = false } };
	pthread_t id = thread_start(summing_thread, NULL);

	for (unsigned int round = 0; round < 20; round++)
		run_threads(NR_OF(c), counter_thread, c, sizeof(c[0]));
	SET(stop, true);
	thread_join(id);
	ck_assert_uint_eq(kf_percpu_sum(&pc, 3), 20 * NR_OF(c) * ROUNDS);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		counts,
		slots_share_no_line,
		counters_are_independent,
		destroy_of_nothing,
		numbers_are_given_back,
		each_thread_has_its_own,
		shared_slot,
		counting_while_the_thread_ends,
		sums_never_go_down,
	};

	return test_run("lock-percpu", tests, NR_OF(tests), setup, teardown);
}
