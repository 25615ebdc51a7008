/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The locks of a region, and what is done when their owner has died. */
#include "fs/ipc/ipc-internal.h"

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

void ipc_unlock(struct ipc_call *c, struct kf_ownlock *lock)
{
	(void)c;
	kf_ownlock_unlock(lock);
}

int ipc_lock_queue(struct ipc_call *c, struct ipc_queue *q)
{
	int64_t dead;

	if (likely(kf_ownlock_try(&q->lock, c->me)))
		return 0;
	dead = lock_slow(c, &q->lock);
	if (dead > 0)
		dead = ipc_repair_queue(c, q, (uint32_t)dead);
	return (int)dead;
}

int ipc_lock_ids(struct ipc_call *c)
{
	struct kf_ownlock *lock = &c->super->ids_lock;
	int64_t dead;

	if (likely(kf_ownlock_try(lock, c->me)))
		return 0;
	dead = lock_slow(c, lock);
	if (dead <= 0)
		return (int)dead;
	if (ipc_repair_ids(c) == 0)
		return 0;
	kf_ownlock_unlock(lock);
	return -EIO;
}

int ipc_lock_arena(struct ipc_call *c, uint32_t nr)
{
	struct kf_ownlock *lock = &ipc_arena_at(c->ns, nr)->lock;
	int64_t dead;

	if (likely(kf_ownlock_try(lock, c->me)))
		return 0;
	dead = lock_slow(c, lock);
	if (dead <= 0)
		return (int)dead;
	if (ipc_repair_arena(c, nr, (uint32_t)dead) == 0)
		return 0;
	kf_ownlock_unlock(lock);
	return -EIO;
}

int ipc_lock_heap(struct ipc_call *c)
{
	struct kf_ownlock *lock = &c->super->heap_lock;
	int64_t dead;

	if (likely(kf_ownlock_try(lock, c->me)))
		return 0;
	dead = lock_slow(c, lock);
	if (dead <= 0)
		return (int)dead;
	if (ipc_repair_heap(c, (uint32_t)dead) == 0)
		return 0;
	kf_ownlock_unlock(lock);
	return -EIO;
}

int ipc_lock_reap(struct ipc_call *c)
{
	struct kf_ownlock *lock = &c->super->reap_lock;
	int64_t dead;

	if (likely(kf_ownlock_try(lock, c->me)))
		return 0;
	dead = lock_slow(c, lock);
	return dead < 0 ? (int)dead : 0;
}
