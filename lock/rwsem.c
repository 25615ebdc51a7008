/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Setting a reader-writer lock up; see lock/rwsem.h. */
#include "lock/rwsem.h"

#include <assert.h>

static_assert(sizeof(struct kf_rwsem) == KF_CACHELINE,
	      "neighbouring locks must not share a cache line");

void init_rwsem(struct kf_rwsem *sem)
{
	pthread_rwlockattr_t attr;

	kf_assert(pthread_rwlockattr_init(&attr) == 0);
#ifdef __GLIBC__
	kf_assert(pthread_rwlockattr_setkind_np(
			  &attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) ==
		  0);
#endif
	kf_assert(pthread_rwlock_init(&sem->l, &attr) == 0);
	kf_assert(pthread_rwlockattr_destroy(&attr) == 0);
}
