/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reader-writer locks: who waits, who is told so, and who goes first. */
#include "lock/rwsem.h"

#include "test/unit/util.h"

/* what is held depends on the case, which clang cannot follow */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wthread-safety-analysis"
#endif

static struct kf_rwsem sem;

static void setup(void)
{
	init_rwsem(&sem);
}

static void teardown(void)
{
	destroy_rwsem(&sem);
}

/* Does a reader find the way blocked? */
static bool readers_wait(void)
{
	int err = pthread_rwlock_tryrdlock(&sem.l);

	if (!err)
		pthread_rwlock_unlock(&sem.l);
	return err != 0;
}

START_TEST(one_line_each)
{
	static struct kf_rwsem table[2];

	ck_assert_uint_eq(sizeof(sem), KF_CACHELINE);
	ck_assert_uint_eq((uintptr_t)&table[1] % KF_CACHELINE, 0);
}
END_TEST

START_TEST(free_locks_are_had_at_once)
{
	ck_assert(!down_read(&sem));
	ck_assert(!down_read(&sem));
	up_read(&sem);
	up_read(&sem);
	ck_assert(!down_write(&sem));
	up_write(&sem);
	ck_assert(!down_read(&sem));
	up_read(&sem);
}
END_TEST

struct locker {
	bool write;
	bool waited;
	unsigned int turn; /* the how-manieth to get it */
};

static unsigned int turns, asking;

static void *locker_thread(void *arg)
{
	struct locker *l = arg;

	ADD(asking, 1);
	l->waited = l->write ? down_write(&sem) : down_read(&sem);
	l->turn = ADD(turns, 1);
	if (l->write)
		up_write(&sem);
	else
		up_read(&sem);
	return NULL;
}

/* A @second one that comes while the lock is held one way or the other. */
static void expect_wait(bool first_writes, bool second_writes, bool waits)
{
	struct locker l = { .write = second_writes };
	pthread_t id;

	SET(asking, 0);
	SET(turns, 0);
	if (first_writes)
		down_write(&sem);
	else
		down_read(&sem);
	id = thread_start(locker_thread, &l);
	wait_until(GET(asking));
	give_it_time();
	ck_assert_uint_eq(GET(turns), waits ? 0 : 1);
	if (first_writes)
		up_write(&sem);
	else
		up_read(&sem);
	thread_join(id);
	ck_assert(l.waited == waits);
}

START_TEST(who_waits)
{
	expect_wait(false, false, false);
	expect_wait(false, true, true);
	expect_wait(true, false, true);
	expect_wait(true, true, true);
}
END_TEST

/* Readers that come after a waiting writer do not overtake it. */
START_TEST(writers_first)
{
	struct locker writer = { .write = true }, reader = { .write = false };
	pthread_t w, r;

	down_read(&sem);
	w = thread_start(locker_thread, &writer);
	wait_until(readers_wait());
	r = thread_start(locker_thread, &reader);
	wait_until(GET(asking) == 2);
	give_it_time();
	ck_assert_uint_eq(GET(turns), 0);
	up_read(&sem);
	thread_join(w);
	thread_join(r);
	ck_assert_uint_eq(writer.turn, 1);
	ck_assert_uint_eq(reader.turn, 2);
	ck_assert(writer.waited);
	ck_assert(reader.waited);
}
END_TEST

/* The classic: a number that only the lock keeps whole. */
#define ROUNDS 20000

static unsigned long number[2];

static void *count_thread(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		down_write(&sem);
		number[0]++;
		number[1]++;
		up_write(&sem);
		down_read(&sem);
		must(number[0] == number[1]);
		up_read(&sem);
	}
	return NULL;
}

START_TEST(exclusion)
{
	char args[4];

	run_threads(NR_OF(args), count_thread, args, 1);
	ck_assert_uint_eq(number[0], NR_OF(args) * ROUNDS);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		one_line_each, free_locks_are_had_at_once,
		who_waits,     writers_first,
		exclusion,
	};

	return test_run("lock-rwsem", tests, NR_OF(tests), setup, teardown);
}
