/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Presence: a word in shared memory that says which thread is here, and that
 * the kernel itself marks when that thread dies, at whatever instruction.
 *
 * The kernel does this for the words on a thread's robust futex list. The list
 * proper needs pointers inside the shared memory, which anybody could bend;
 * list_op_pending, the one word that the thread is "just about" to take or to
 * leave, is private, and one is all that is needed here. So for as long as the
 * thread is present list_op_pending points to its word:
 *
 *	enter	list_op_pending = word; word: 0 -> TID
 *	leave	word = 0; list_op_pending = what it was
 *
 * A death in between makes the word FUTEX_OWNER_DIED. A death before the
 * TID is there, or after it has gone, is none of the word's business.
 *
 * glibc has registered a list for each thread and sets list_op_pending around
 * operations on robust mutexes; those do not run inside ours but in a signal
 * handler, and put nothing back there that was ours: a thread that locks robust
 * mutexes in a signal handler is not seen dying in the rest of the call that
 * the handler interrupted. Nor is the child of vfork(), which the kernel gives
 * no list.
 */
#ifndef LOCK_PRESENCE_H
#define LOCK_PRESENCE_H

#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lock/atomic.h"

/* What a thread knows about itself. */
struct kf_presence {
	void **pending;	     /* its list_op_pending */
	long offset;	     /* futex_offset of its list */
	uint32_t tid;	     /* as its own pid namespace counts */
	uint32_t generation; /* of the process; see kf_presence_self() */
};

/* in every word of a thread that is present */
#define KF_PRESENCE_TID(word) ((word)&FUTEX_TID_MASK)

/* Grows with each fork; 0 until the first use. */
extern uint32_t *kf_presence_page;
extern __thread struct kf_presence kf_presence_tls
	__attribute__((tls_model("initial-exec")));

struct kf_presence *kf_presence_refresh(void);

/*
 * This thread's record; NULL if the kernel offers no robust list. After
 * fork() the child is somebody else: the page is wiped in every child that
 * has memory of its own, so that a look at it is enough.
 */
static inline struct kf_presence *kf_presence_self(void)
{
	struct kf_presence *self = &kf_presence_tls;

	/* relaxed: only this thread, or the fork it came from, wrote both */
	if (__builtin_expect(kf_presence_page && self->generation &&
				     READ_ONCE(*kf_presence_page) ==
					     self->generation,
			     1))
		return self;
	return kf_presence_refresh();
}

/*
 * kf_presence_enter - be present in @word, if nobody is
 * @outer: filled in for kf_presence_leave()
 *
 * Return: false if somebody is there, or has died there.
 */
static inline bool kf_presence_enter(struct kf_presence *self, uint32_t *word,
				     void **outer)
{
	uint32_t nobody = 0;
	void *before = *self->pending;

	if (READ_ONCE(*word) != 0)
		return false;
	/* the compiler keeps the order; a death sees all that came before */
	__atomic_store_n(self->pending, (char *)word - self->offset,
			 __ATOMIC_RELEASE);
	if (!__atomic_compare_exchange_n(word, &nobody, self->tid, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		__atomic_store_n(self->pending, before, __ATOMIC_RELEASE);
		return false;
	}
	*outer = before;
	return true;
}

/* Leaves: pairs with the acquire in the next one's enter. */
static inline void kf_presence_leave(struct kf_presence *self, uint32_t *word,
				     void *outer)
{
	smp_store_release(word, 0);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(self->pending, outer, __ATOMIC_RELEASE);
}

/* Has the thread that was present in a word of this value died? */
static inline bool kf_presence_died(uint32_t value)
{
	return value & FUTEX_OWNER_DIED;
}

#endif /* LOCK_PRESENCE_H */
