/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Running a file's tests, and threads that are where a test wants them.
 *
 * A test that hangs is killed by Check after TEST_SECONDS; that is what finds
 * deadlocks, so tests join their threads without further precautions.
 */
#ifndef TEST_UNIT_UTIL_H
#define TEST_UNIT_UTIL_H

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TEST_SECONDS 60

#define NR_OF(array) (sizeof(array) / sizeof((array)[0]))

/* @setup and @teardown run around each test; NULL for none. */
static inline int test_run(const char *name, const TTest *const *tests,
			   size_t nr, SFun setup, SFun teardown)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, TEST_SECONDS);
	tcase_add_checked_fixture(tcase, setup, teardown);
	for (size_t i = 0; i < nr; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/*
 * For inner loops and for threads: ck_assert() writes a record to a file each
 * time it is passed, this only if it is not.
 */
#define must(cond)                                                             \
	do {                                                                   \
		if (!(cond))                                                   \
			ck_abort_msg("%s", #cond);                             \
	} while (0)

/* --- flags that threads set and watch --- */

#define SET(flag, value) __atomic_store_n(&(flag), (value), __ATOMIC_SEQ_CST)
#define GET(flag) __atomic_load_n(&(flag), __ATOMIC_SEQ_CST)
#define ADD(flag, value) __atomic_add_fetch(&(flag), (value), __ATOMIC_SEQ_CST)

/* Sleeps until another thread has made @cond true. */
#define wait_until(cond)                                                       \
	do {                                                                   \
		while (!(cond))                                                \
			usleep(100);                                           \
	} while (0)

/* What must not happen gets this long to happen. */
static inline void give_it_time(void)
{
	usleep(20000);
}

static inline uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* --- threads --- */

static inline pthread_t thread_start(void *(*func)(void *), void *arg)
{
	pthread_t id;

	ck_assert_int_eq(pthread_create(&id, NULL, func, arg), 0);
	return id;
}

static inline void *thread_join(pthread_t id)
{
	void *ret;

	ck_assert_int_eq(pthread_join(id, &ret), 0);
	return ret;
}

/* Runs @func in @nr threads at once, each with an element of @args. */
static inline void run_threads(unsigned int nr, void *(*func)(void *),
			       void *args, size_t arg_size)
{
	pthread_t *id = calloc(nr, sizeof(*id));

	ck_assert_ptr_nonnull(id);
	for (unsigned int i = 0; i < nr; i++)
		id[i] = thread_start(func, (char *)args + i * arg_size);
	for (unsigned int i = 0; i < nr; i++)
		thread_join(id[i]);
	free(id);
}

/* --- numbers that repeat --- */

/* xorshift; @state is not 0 */
static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static inline unsigned int random_below(uint64_t *state, unsigned int limit)
{
	return (unsigned int)((random_next(state) >> 16) % limit);
}

#endif /* TEST_UNIT_UTIL_H */
