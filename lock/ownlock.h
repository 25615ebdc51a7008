/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A lock in shared memory whose word says who owns it, by a number that the
 * user of the lock gives to whoever is present (see lock/presence.h). When an
 * owner has died the next one gets the lock all the same, and is told so: what
 * the lock guards may be half changed.
 *
 * Nothing wakes the waiters of an owner who dies. So a waiter sleeps for a
 * limited time and looks whether the owner is still there.
 *
 * A number must not come back for somebody else before all locks of the dead
 * owner have been taken from him; and soon afterwards neither, as a waiter may
 * have found him dead and be about to take a lock from that number.
 */
#ifndef LOCK_OWNLOCK_H
#define LOCK_OWNLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "lock/atomic.h"

#define KF_OWNLOCK_WAITERS 0x80000000u
#define KF_OWNLOCK_OWNER 0x7fffffffu
#define KF_OWNLOCK_NOBODY 0x7fffffffu /* what a damaged word is taken from */

struct kf_ownlock {
	uint32_t word; /* 0, or the owner and perhaps KF_OWNLOCK_WAITERS */
};

enum kf_owner {
	KF_OWNER_ALIVE,
	KF_OWNER_DEAD, /* or there is none of this number: take the lock */
	KF_OWNER_SELF, /* what this thread does was interrupted by itself */
};

/* How a waiter looks after the owner. @patience is in nanoseconds. */
struct kf_ownlock_ops {
	enum kf_owner (*owner)(void *arg, uint32_t owner);
	void *arg;
	uint64_t patience;
};

/*
 * kf_ownlock_slow - wait for the lock
 *
 * Return: 0; the number of the dead owner the lock was taken from; -EDEADLK
 * this thread has it; -ETIMEDOUT an owner who is alive kept it for
 * ops->patience.
 */
int64_t kf_ownlock_slow(struct kf_ownlock *lock, uint32_t me,
			const struct kf_ownlock_ops *ops);

/* Takes the lock if it is free. @me is not 0. */
static inline bool kf_ownlock_try(struct kf_ownlock *lock, uint32_t me)
{
	uint32_t nobody = 0;

	/* pairs with the release of the owner before */
	return __atomic_compare_exchange_n(&lock->word, &nobody, me, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Takes the lock from @dead, who has died with it, if that is so. */
static inline bool kf_ownlock_take_over(struct kf_ownlock *lock, uint32_t dead,
					uint32_t me)
{
	uint32_t word = READ_ONCE(lock->word);

	if ((word & KF_OWNLOCK_OWNER) != dead)
		return false;
	return __atomic_compare_exchange_n(&lock->word, &word,
					   me | KF_OWNLOCK_WAITERS, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline uint32_t kf_ownlock_owner(const struct kf_ownlock *lock)
{
	return READ_ONCE(lock->word) & KF_OWNLOCK_OWNER;
}

void kf_ownlock_wake(struct kf_ownlock *lock);

static inline void kf_ownlock_unlock(struct kf_ownlock *lock)
{
	/* pairs with the acquire of the next owner */
	if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) &
	    KF_OWNLOCK_WAITERS)
		kf_ownlock_wake(lock);
}

#endif /* LOCK_OWNLOCK_H */
