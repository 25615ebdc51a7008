/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wait queues: nobody sleeps past a true condition, or wakes on a false one. */
#include "lock/wait.h"

#include "test/unit/util.h"

static struct kf_waitq wq;
static unsigned int value, woken;

static void setup(void)
{
	init_waitqueue(&wq);
}

static void teardown(void)
{
	destroy_waitqueue(&wq);
}

START_TEST(true_condition_does_not_sleep)
{
	wait_event(&wq, true);
	wake_up_all(&wq);
}
END_TEST

static void *sleeper_thread(void *arg)
{
	unsigned int want = *(unsigned int *)arg;

	wait_event(&wq, GET(value) >= want);
	ADD(woken, 1);
	return NULL;
}

START_TEST(false_condition_sleeps_on)
{
	unsigned int want = 2;
	pthread_t id = thread_start(sleeper_thread, &want);

	give_it_time();
	SET(value, 1);
	wake_up_all(&wq);
	give_it_time();
	ck_assert_uint_eq(GET(woken), 0);
	SET(value, 2);
	wake_up_all(&wq);
	thread_join(id);
}
END_TEST

START_TEST(all_are_woken)
{
	unsigned int want[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	pthread_t id[NR_OF(want)];

	for (unsigned int i = 0; i < NR_OF(want); i++)
		id[i] = thread_start(sleeper_thread, &want[i]);
	give_it_time();
	ck_assert_uint_eq(GET(woken), 0);
	SET(value, 1);
	wake_up_all(&wq);
	for (unsigned int i = 0; i < NR_OF(want); i++)
		thread_join(id[i]);
	ck_assert_uint_eq(woken, NR_OF(want));
}
END_TEST

/* False, but true before the sleeper could go to sleep. */
static unsigned int tests_begun;

static bool slow_condition(void)
{
	bool is_true = GET(value);

	ADD(tests_begun, 1);
	usleep(20000);
	return is_true;
}

static void *slow_thread(void *arg)
{
	(void)arg;
	wait_event(&wq, slow_condition());
	return NULL;
}

START_TEST(wake_up_between_test_and_sleep)
{
	pthread_t id = thread_start(slow_thread, NULL);

	wait_until(GET(tests_begun));
	SET(value, 1);
	wake_up_all(&wq);
	thread_join(id);
	ck_assert_uint_eq(tests_begun, 2);
}
END_TEST

/* Turn by turn as fast as it goes: one lost wake-up and it hangs. */
#define ROUNDS 20000

static void *turn_thread(void *arg)
{
	unsigned int mine = *(unsigned int *)arg;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		wait_event(&wq, GET(value) == 2 * i + mine);
		ADD(value, 1);
		wake_up_all(&wq);
	}
	return NULL;
}

START_TEST(no_wake_up_is_lost)
{
	unsigned int mine[2] = { 0, 1 };

	run_threads(2, turn_thread, mine, sizeof(mine[0]));
	ck_assert_uint_eq(value, 2 * ROUNDS);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		true_condition_does_not_sleep,
		false_condition_sleeps_on,
		all_are_woken,
		wake_up_between_test_and_sleep,
		no_wake_up_is_lost,
	};

	return test_run("lock-wait", tests, NR_OF(tests), setup, teardown);
}
