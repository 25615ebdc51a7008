/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A mutex with a rank. A failure of the primitive is a bug of ours, so the
 * wrappers return nothing and die instead.
 */
#ifndef LOCK_MUTEX_H
#define LOCK_MUTEX_H

#include <pthread.h>

#include "lock/annotate.h"
#include "lock/assert.h"
#include "lock/rank.h"

struct KF_CAPABILITY("mutex") kf_mutex {
	pthread_mutex_t m;
	enum kf_rank rank;
};

#define KF_MUTEX_INITIALIZER(rank_) { PTHREAD_MUTEX_INITIALIZER, (rank_) }

static inline void mutex_init(struct kf_mutex *mutex, enum kf_rank rank)
{
	kf_assert(pthread_mutex_init(&mutex->m, NULL) == 0);
	mutex->rank = rank;
}

static inline void mutex_destroy(struct kf_mutex *mutex)
{
	kf_assert(pthread_mutex_destroy(&mutex->m) == 0);
}

static inline void mutex_lock(struct kf_mutex *mutex)
	__kf_acquires(mutex) __kf_no_analysis
{
	kf_rank_acquire(mutex, mutex->rank, true);
	kf_assert(pthread_mutex_lock(&mutex->m) == 0);
}

static inline void mutex_unlock(struct kf_mutex *mutex)
	__kf_releases(mutex) __kf_no_analysis
{
	kf_rank_release(mutex);
	kf_assert(pthread_mutex_unlock(&mutex->m) == 0);
}

#endif /* LOCK_MUTEX_H */
