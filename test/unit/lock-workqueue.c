/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work items run once for each time they are asked for, and one at a time. */
#include "lock/workqueue.h"

#include <kernfuse/err.h>
#include <signal.h>

#include "test/unit/util.h"

static struct workqueue_struct *wq;
static struct work_struct work, other;
static unsigned int runs, other_runs; /* atomic */
static bool hold, inside;	      /* atomic: keep a run from ending */
static int plain;		      /* guarded by the queue's order alone */

static void run(struct work_struct *w)
{
	ck_assert_ptr_eq(w, &work);
	plain++;
	SET(inside, true);
	wait_until(!GET(hold));
	SET(inside, false);
	ADD(runs, 1);
}

static void run_other(struct work_struct *w)
{
	(void)w;
	ADD(other_runs, 1);
}

static void setup(void)
{
	wq = alloc_workqueue("a-rather-long-name");
	ck_assert(!IS_ERR(wq));
	init_work(&work, wq, run);
	init_work(&other, wq, run_other);
}

static void teardown(void)
{
	destroy_workqueue(wq);
}

START_TEST(asked_and_flushed)
{
	flush_work(&work); /* nothing to wait for */
	for (unsigned int i = 1; i <= 100; i++) {
		plain = 0;
		ck_assert(schedule_work(&work));
		flush_work(&work);
		ck_assert_uint_eq(GET(runs), i);
		ck_assert_int_eq(plain, 1);
	}
}
END_TEST

/* Pending once; and once more while it runs. */
START_TEST(asked_while_it_runs)
{
	SET(hold, true);
	ck_assert(schedule_work(&work));
	wait_until(GET(inside));
	ck_assert(schedule_work(&work));
	ck_assert(!schedule_work(&work));
	ck_assert(!schedule_work(&work));
	SET(hold, false);
	flush_work(&work);
	ck_assert_uint_eq(GET(runs), 2);
	give_it_time();
	ck_assert_uint_eq(GET(runs), 2);
}
END_TEST

START_TEST(one_after_another)
{
	SET(hold, true);
	schedule_work(&work);
	wait_until(GET(inside));
	schedule_work(&other);
	give_it_time();
	ck_assert_uint_eq(GET(other_runs), 0);
	SET(hold, false);
	flush_work(&other);
	ck_assert_uint_eq(GET(other_runs), 1);
	ck_assert_uint_eq(GET(runs), 1);
}
END_TEST

static void *flushing_thread(void *done)
{
	flush_work(&work);
	SET(*(bool *)done, true);
	return NULL;
}

START_TEST(flush_waits)
{
	bool done = false;
	pthread_t id;

	SET(hold, true);
	schedule_work(&work);
	wait_until(GET(inside));
	id = thread_start(flushing_thread, &done);
	give_it_time();
	ck_assert(!GET(done));
	SET(hold, false);
	thread_join(id);
	ck_assert_uint_eq(GET(runs), 1);
}
END_TEST

START_TEST(delayed)
{
	uint64_t start = now_ms();

	ck_assert(schedule_delayed_work(&work, 30));
	ck_assert(!schedule_delayed_work(&work, 10000)); /* not later */
	schedule_work(&other);
	flush_work(&other); /* it does not wait for the other one's time */
	wait_until(GET(runs));
	ck_assert_uint_ge(now_ms() - start, 30);
}
END_TEST

START_TEST(delayed_but_flushed)
{
	uint64_t start = now_ms();

	schedule_delayed_work(&work, 50000);
	flush_work(&work);
	ck_assert_uint_eq(GET(runs), 1);
	schedule_delayed_work(&work, 50000);
	ck_assert(!schedule_work(&work)); /* sooner */
	wait_until(GET(runs) == 2);
	ck_assert_uint_lt(now_ms() - start, 40000);
}
END_TEST

/* An item that asks for itself: a flush waits for one run of it, not for all
 * to come; and the end comes. */
static void run_again(struct work_struct *w)
{
	ADD(runs, 1);
	schedule_work(w);
}

START_TEST(asks_for_itself)
{
	init_work(&work, wq, run_again);
	schedule_work(&work);
	flush_work(&work);
	flush_work(&work);
	ck_assert_uint_ge(GET(runs), 2);
}
END_TEST

START_TEST(destroy_runs_what_is_pending)
{
	schedule_delayed_work(&work, 50000);
	schedule_work(&other);
	destroy_workqueue(wq);
	ck_assert_uint_eq(GET(runs), 1);
	ck_assert_uint_eq(GET(other_runs), 1);
	wq = NULL;
	destroy_workqueue(NULL);
}
END_TEST

static void note_signals(struct work_struct *w)
{
	sigset_t mask;

	(void)w;
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	SET(inside, sigismember(&mask, SIGTERM) == 1);
}

START_TEST(handles_no_signals)
{
	sigset_t mask;

	init_work(&work, wq, note_signals);
	schedule_work(&work);
	flush_work(&work);
	ck_assert(GET(inside));
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	ck_assert_int_eq(sigismember(&mask, SIGTERM), 0);
}
END_TEST

/* Many ask and flush: what one did before it asked, its flush has seen done. */
static unsigned int wanted, reached; /* atomic; by the item */

static void run_reach(struct work_struct *w)
{
	(void)w;
	SET(reached, GET(wanted));
}

static void *asking_thread(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < 500; i++) {
		unsigned int mine = ADD(wanted, 1);

		schedule_work(&work);
		flush_work(&work);
		must(GET(reached) >= mine);
	}
	return NULL;
}

START_TEST(many_ask)
{
	init_work(&work, wq, run_reach);
	run_threads(4, asking_thread, NULL, 0);
	ck_assert_uint_eq(GET(reached), 2000);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		asked_and_flushed,
		asked_while_it_runs,
		one_after_another,
		flush_waits,
		delayed,
		delayed_but_flushed,
		asks_for_itself,
		destroy_runs_what_is_pending,
		handles_no_signals,
		many_ask,
	};

	return test_run("lock-workqueue", tests, NR_OF(tests), setup, teardown);
}
