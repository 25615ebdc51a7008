/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Work queues; see lock/workqueue.h. One thread and one list each: there are
 * a handful of items in a process, so searching the list is cheap.
 */
#include "lock/workqueue.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <kernfuse/err.h>

#include "lock/assert.h"
#include "lock/clock.h"
#include "lock/mutex.h"

struct workqueue_struct {
	struct kf_mutex lock;	   /* KF_RANK_WORK; guards all below */
	pthread_cond_t more;	   /* pending items, a sooner time, the end */
	pthread_cond_t over;	   /* a run */
	struct work_struct *first; /* pending, oldest first */
	bool end;
	pthread_t thread;
	char name[16];
};

/* --- the thread --- */

/* Takes the first item whose time has come. Otherwise NULL, and the time of
 * the next one, or UINT64_MAX. */
static struct work_struct *take_due(struct workqueue_struct *wq,
				    uint64_t *ret_next_ms)
{
	uint64_t now = kf_now_ms();

	*ret_next_ms = UINT64_MAX;
	for (struct work_struct **link = &wq->first; *link;
	     link = &(*link)->next) {
		struct work_struct *work = *link;

		if (wq->end || work->due_ms <= now) {
			*link = work->next;
			work->pending = false;
			return work;
		}
		if (work->due_ms < *ret_next_ms)
			*ret_next_ms = work->due_ms;
	}
	return NULL;
}

static void wait_for_more(struct workqueue_struct *wq, uint64_t next_ms)
{
	struct timespec ts = {
		.tv_sec = (time_t)(next_ms / 1000),
		.tv_nsec = (long)(next_ms % 1000) * 1000000,
	};
	int ret;

	if (next_ms == UINT64_MAX)
		ret = pthread_cond_wait(&wq->more, &wq->lock.m);
	else
		ret = pthread_cond_timedwait(&wq->more, &wq->lock.m, &ts);
	kf_assert(ret == 0 || ret == ETIMEDOUT);
}

static void *worker(void *arg)
{
	struct workqueue_struct *wq = arg;
	struct work_struct *work;
	uint64_t next_ms, ticket;

	pthread_setname_np(pthread_self(), wq->name);
	mutex_lock(&wq->lock);
	for (;;) {
		work = take_due(wq, &next_ms);
		if (!work && wq->end)
			break;
		if (!work) {
			wait_for_more(wq, next_ms);
			continue;
		}
		ticket = work->asked;
		mutex_unlock(&wq->lock);
		work->func(work);
		mutex_lock(&wq->lock);
		work->done = ticket;
		kf_assert(pthread_cond_broadcast(&wq->over) == 0);
	}
	mutex_unlock(&wq->lock);
	return NULL;
}

/* --- queues --- */

static void init_conds(struct workqueue_struct *wq)
{
	pthread_condattr_t attr;

	kf_assert(pthread_condattr_init(&attr) == 0);
	kf_assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
	kf_assert(pthread_cond_init(&wq->more, &attr) == 0);
	kf_assert(pthread_cond_init(&wq->over, NULL) == 0);
	pthread_condattr_destroy(&attr);
}

static void free_queue(struct workqueue_struct *wq)
{
	kf_assert(pthread_cond_destroy(&wq->more) == 0);
	kf_assert(pthread_cond_destroy(&wq->over) == 0);
	mutex_destroy(&wq->lock);
	free(wq);
}

struct workqueue_struct *alloc_workqueue(const char *name)
{
	struct workqueue_struct *wq = calloc(1, sizeof(*wq));
	sigset_t all, before;
	int error;

	if (!wq)
		return ERR_PTR(-ENOMEM);
	snprintf(wq->name, sizeof(wq->name), "%s", name);
	mutex_init(&wq->lock, KF_RANK_WORK);
	init_conds(wq);
	/* a thread begins with the mask of its maker */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&wq->thread, NULL, worker, wq);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		free_queue(wq);
		return ERR_PTR(-error);
	}
	return wq;
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	if (!wq)
		return;
	mutex_lock(&wq->lock);
	wq->end = true;
	kf_assert(pthread_cond_broadcast(&wq->more) == 0);
	mutex_unlock(&wq->lock);
	kf_assert(pthread_join(wq->thread, NULL) == 0);
	free_queue(wq);
}

/* --- items --- */

void init_work(struct work_struct *work, struct workqueue_struct *wq,
	       void (*func)(struct work_struct *work))
{
	*work = (struct work_struct){ .func = func, .wq = wq };
}

/* At the end, so that items run in the order in which they were asked for. */
static void make_pending(struct workqueue_struct *wq, struct work_struct *work,
			 uint64_t due_ms)
{
	struct work_struct **link = &wq->first;

	while (*link)
		link = &(*link)->next;
	*link = work;
	work->next = NULL;
	work->pending = true;
	work->due_ms = due_ms;
	work->asked++;
}

bool schedule_delayed_work(struct work_struct *work, unsigned int delay_ms)
{
	struct workqueue_struct *wq = work->wq;
	uint64_t due_ms = delay_ms ? kf_now_ms() + delay_ms : 0;
	bool was_pending;

	mutex_lock(&wq->lock);
	was_pending = work->pending;
	if (was_pending && due_ms < work->due_ms)
		work->due_ms = due_ms;
	else if (!was_pending && !wq->end)
		make_pending(wq, work, due_ms);
	kf_assert(pthread_cond_signal(&wq->more) == 0);
	was_pending |= wq->end;
	mutex_unlock(&wq->lock);
	return !was_pending;
}

bool schedule_work(struct work_struct *work)
{
	return schedule_delayed_work(work, 0);
}

void flush_work(struct work_struct *work)
{
	struct workqueue_struct *wq = work->wq;
	uint64_t ticket;

	kf_assert(!pthread_equal(pthread_self(), wq->thread));
	mutex_lock(&wq->lock);
	ticket = work->asked;
	if (work->pending) {
		work->due_ms = 0;
		kf_assert(pthread_cond_signal(&wq->more) == 0);
	}
	while (work->done < ticket)
		kf_assert(pthread_cond_wait(&wq->over, &wq->lock.m) == 0);
	mutex_unlock(&wq->lock);
}
