/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wait queues: sleep until a condition over atomics holds.
 *
 * The one who makes the condition true calls wake_up_all() afterwards. The
 * queue's mutex is held while the condition is tested and while waking, so a
 * wake-up that comes between test and sleep is not lost.
 */
#ifndef LOCK_WAIT_H
#define LOCK_WAIT_H

#include <pthread.h>

#include "lock/assert.h"
#include "lock/mutex.h"

struct kf_waitq {
	struct kf_mutex lock; /* KF_RANK_WAITQ */
	pthread_cond_t cond;
};

void init_waitqueue(struct kf_waitq *wq);
void destroy_waitqueue(struct kf_waitq *wq);
void wake_up_all(struct kf_waitq *wq);

/*
 * Sleeps until @condition is true. @condition is evaluated with wq->lock
 * held: atomics only, no locks.
 */
#define wait_event(wq, condition)                                              \
	do {                                                                   \
		mutex_lock(&(wq)->lock);                                       \
		while (!(condition))                                           \
			kf_assert(pthread_cond_wait(&(wq)->cond,               \
						    &(wq)->lock.m) == 0);      \
		mutex_unlock(&(wq)->lock);                                     \
	} while (0)

/*
 * Makes a condition true and wakes up, in one piece: for the last one who uses
 * what the woken one is going to free. @change is evaluated with wq->lock held.
 */
#define wake_up_after(wq, change)                                              \
	do {                                                                   \
		mutex_lock(&(wq)->lock);                                       \
		change;                                                        \
		kf_assert(pthread_cond_broadcast(&(wq)->cond) == 0);           \
		mutex_unlock(&(wq)->lock);                                     \
	} while (0)

#endif /* LOCK_WAIT_H */
