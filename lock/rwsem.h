/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A reader-writer lock with the kernel's verbs, one cache line each.
 *
 * It prefers writers: with glibc's default a storm of readers never lets a
 * chmod or a create through. The price is that a thread must not take the
 * same lock shared twice, which node locks never do (one at a time, see
 * nodelock.h) and the rank checker proves.
 *
 * Each call says whether it had to wait: a try first, then the blocking call.
 */
#ifndef LOCK_RWSEM_H
#define LOCK_RWSEM_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "lock/annotate.h"
#include "lock/assert.h"
#include "lock/atomic.h"

struct KF_CAPABILITY("rwsem") kf_rwsem {
	pthread_rwlock_t l;
} __attribute__((aligned(KF_CACHELINE)));

void init_rwsem(struct kf_rwsem *sem);

static inline void destroy_rwsem(struct kf_rwsem *sem)
{
	kf_assert(pthread_rwlock_destroy(&sem->l) == 0);
}

/* Return: true if it had to wait. */
static inline bool down_read(struct kf_rwsem *sem)
	__kf_acquires_shared(sem) __kf_no_analysis
{
	int err = pthread_rwlock_tryrdlock(&sem->l);

	if (__builtin_expect(err == 0, 1))
		return false;
	/* EAGAIN: too many readers; the blocking call waits for fewer */
	kf_assert(err == EBUSY || err == EAGAIN);
	do {
		err = pthread_rwlock_rdlock(&sem->l);
	} while (err == EAGAIN);
	kf_assert(err == 0);
	return true;
}

static inline void up_read(struct kf_rwsem *sem)
	__kf_releases_shared(sem) __kf_no_analysis
{
	kf_assert(pthread_rwlock_unlock(&sem->l) == 0);
}

/* Return: true if it had to wait. */
static inline bool down_write(struct kf_rwsem *sem)
	__kf_acquires(sem) __kf_no_analysis
{
	int err = pthread_rwlock_trywrlock(&sem->l);

	if (err == 0)
		return false;
	kf_assert(err == EBUSY);
	kf_assert(pthread_rwlock_wrlock(&sem->l) == 0);
	return true;
}

static inline void up_write(struct kf_rwsem *sem)
	__kf_releases(sem) __kf_no_analysis
{
	kf_assert(pthread_rwlock_unlock(&sem->l) == 0);
}

#endif /* LOCK_RWSEM_H */
