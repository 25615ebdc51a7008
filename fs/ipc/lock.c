/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The locks of a region, and what is done when their owner has died. */
#include "fs/ipc/ipc-internal.h"

/*
 * Ranks are a thread's, and a signal handler begins anew: the locks of the
 * call that it interrupted are no concern of the checker's.
 */
static void acquired(const struct ipc_call *c, const struct kf_ownlock *lock,
		     enum kf_rank rank)
{
	if (c->depth == 1)
		kf_rank_acquire(lock, rank, true);
}

static void released(const struct ipc_call *c, const struct kf_ownlock *lock)
{
	if (c->depth == 1)
		kf_rank_release(lock);
}

/* 0, the slot of the dead owner it was taken from, or -errno */
static int64_t lock_slow(struct ipc_call *c, struct kf_ownlock *lock)
{
	struct kf_ownlock_ops ops = {
		.owner = ipc_owner_state,
		.arg = c,
		.patience = c->ns->patience,
	};
	int64_t ret = kf_ownlock_slow(lock, c->me, &ops);

	if (ret == 0 || ret == -EDEADLK)
		return ret;
	if (ret == -ETIMEDOUT)
		return ipc_damaged("a lock is not let go", 0);
	__atomic_add_fetch(&c->super->recoveries, 1, __ATOMIC_RELAXED);
	ret = ipc_owner_slot((uint32_t)ret);
	/* no such slot: repair without one */
	return ret == 0 || ret > ipc_nr_slots(c->ns) ? c->nr : ret;
}

static inline int64_t take(struct ipc_call *c, struct kf_ownlock *lock,
			   enum kf_rank rank)
{
	int64_t dead = 0;

	if (unlikely(!kf_ownlock_try(lock, c->me)))
		dead = lock_slow(c, lock);
	if (dead >= 0)
		acquired(c, lock, rank);
	return dead;
}

void ipc_unlock(struct ipc_call *c, struct kf_ownlock *lock)
{
	released(c, lock);
	kf_ownlock_unlock(lock);
}

/* What was locked cannot be repaired. */
static int give_up(struct ipc_call *c, struct kf_ownlock *lock)
{
	ipc_unlock(c, lock);
	return -EIO;
}

int ipc_lock_queue(struct ipc_call *c, struct ipc_queue *q)
{
	int64_t dead = take(c, &q->lock, KF_RANK_REGION_QUEUE);

	if (unlikely(dead > 0))
		return ipc_repair_queue(c, q, (uint32_t)dead);
	return (int)dead;
}

/*
 * Further queues, in ascending order; only ipc_lock_all() has several, and
 * nobody waits for a queue who has one with a higher index.
 */
int ipc_lock_queue_too(struct ipc_call *c, struct ipc_queue *q)
{
	int64_t dead = 0;

	if (unlikely(!kf_ownlock_try(&q->lock, c->me)))
		dead = lock_slow(c, &q->lock);
	if (likely(dead <= 0))
		return (int)dead;
	acquired(c, &q->lock, KF_RANK_REGION_QUEUE);
	dead = ipc_repair_queue(c, q, (uint32_t)dead);
	if (dead == 0)
		released(c, &q->lock);
	return (int)dead;
}

int ipc_lock_ids(struct ipc_call *c)
{
	struct kf_ownlock *lock = &c->super->ids_lock;
	int64_t dead = take(c, lock, KF_RANK_REGION_IDS);

	if (unlikely(dead > 0))
		return ipc_repair_ids(c) ? give_up(c, lock) : 0;
	return (int)dead;
}

int ipc_lock_arena(struct ipc_call *c, uint32_t nr)
{
	struct kf_ownlock *lock = &ipc_arena_at(c->ns, nr)->lock;
	int64_t dead = take(c, lock, KF_RANK_REGION_ARENA);

	if (unlikely(dead > 0))
		ipc_repair_arena(c, nr, (uint32_t)dead);
	return dead < 0 ? (int)dead : 0;
}

int ipc_lock_heap(struct ipc_call *c)
{
	int64_t dead = take(c, &c->super->heap_lock, KF_RANK_REGION_HEAP);

	if (unlikely(dead > 0))
		ipc_repair_heap(c, (uint32_t)dead);
	return dead < 0 ? (int)dead : 0;
}

/* What it guards is repaired by whoever takes it: that is what it is for. */
int ipc_lock_reap(struct ipc_call *c)
{
	int64_t dead = take(c, &c->super->reap_lock, KF_RANK_REGION_REAP);

	return dead < 0 ? (int)dead : 0;
}
