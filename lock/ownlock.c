/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for a lock that says who owns it; see lock/ownlock.h. */
#include "lock/ownlock.h"

#include <errno.h>

#include "lock/futex.h"

/*
 * Looks away from a lock that is not free, each time for twice as long; about
 * as long in all as a sleep costs.
 */
#define FIRST_PAUSE 64
#define LAST_PAUSE 1024
#define FIRST_LOOK_NS 1000000ull
#define LAST_LOOK_NS 64000000ull

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/*
 * Whoever takes a lock again and again gets on much faster if nobody looks at
 * it meanwhile: it, and what it guards, stay in one CPU's cache. To wait a bit
 * longer then costs less than to hand over each time.
 */
static bool spin(struct kf_ownlock *lock, uint32_t me)
{
	for (int pause = FIRST_PAUSE; pause <= LAST_PAUSE; pause *= 2) {
		uint32_t word;

		for (int i = 0; i < pause; i++)
			cpu_relax();
		word = READ_ONCE(lock->word);
		if (word == 0 && kf_ownlock_try(lock, me))
			return true;
		if (word & KF_OWNLOCK_WAITERS)
			return false; /* there is a queue already */
	}
	return false;
}

int64_t kf_ownlock_slow(struct kf_ownlock *lock, uint32_t me,
			const struct kf_ownlock_ops *ops)
{
	uint64_t look = FIRST_LOOK_NS, since = 0;
	uint32_t last_owner = 0;

	if (spin(lock, me))
		return 0;
	for (;;) {
		uint32_t word = READ_ONCE(lock->word);
		uint32_t owner = word & KF_OWNLOCK_OWNER;

		if (word == 0) {
			/* others may be waiting still: the next unlock wakes */
			if (kf_ownlock_try(lock, me | KF_OWNLOCK_WAITERS))
				return 0;
			continue;
		}
		switch (ops->owner(ops->arg, owner)) {
		case KF_OWNER_DEAD:
			if (kf_ownlock_take_over(lock, owner, me))
				return owner ? owner : KF_OWNLOCK_NOBODY;
			continue;
		case KF_OWNER_SELF:
			return -EDEADLK;
		case KF_OWNER_ALIVE:
			break;
		}
		if (!(word & KF_OWNLOCK_WAITERS) &&
		    !__atomic_compare_exchange_n(
			    &lock->word, &word, word | KF_OWNLOCK_WAITERS,
			    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		if (owner != last_owner) {
			last_owner = owner;
			since = now_ns();
		} else if (now_ns() - since > ops->patience) {
			return -ETIMEDOUT;
		}
		kf_futex_wait(&lock->word, owner | KF_OWNLOCK_WAITERS, look);
		if (look < LAST_LOOK_NS)
			look *= 2;
	}
}

void kf_ownlock_wake(struct kf_ownlock *lock)
{
	kf_futex_wake(&lock->word, 1);
}
