/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wait queues; see lock/wait.h. */
#include "lock/wait.h"

void init_waitqueue(struct kf_waitq *wq)
{
	mutex_init(&wq->lock, KF_RANK_WAITQ);
	kf_assert(pthread_cond_init(&wq->cond, NULL) == 0);
}

void destroy_waitqueue(struct kf_waitq *wq)
{
	kf_assert(pthread_cond_destroy(&wq->cond) == 0);
	mutex_destroy(&wq->lock);
}

void wake_up_all(struct kf_waitq *wq)
{
	mutex_lock(&wq->lock);
	kf_assert(pthread_cond_broadcast(&wq->cond) == 0);
	mutex_unlock(&wq->lock);
}
