/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sequence numbers: readers that write nothing, and find out afterwards
 * whether a writer came in between.
 *
 * The number is odd while a writer is at work. Writers are serialised by a
 * lock; the protected fields are read and written with READ_ONCE/WRITE_ONCE,
 * since a reader may look while they change.
 */
#ifndef LOCK_SEQCOUNT_H
#define LOCK_SEQCOUNT_H

#include <stdbool.h>

#include "lock/atomic.h"

static inline unsigned long read_seqcount_begin(const unsigned long *seq)
{
	/* pairs with the release in write_seqcount_end(): having read its
	 * number, we see the fields that writer left */
	return smp_load_acquire(seq);
}

/* Must what was read since read_seqcount_begin() be thrown away? */
static inline bool read_seqcount_retry(const unsigned long *seq,
				       unsigned long start)
{
	/* pairs with the release fence in write_seqcount_begin(): had we read
	 * a field the writer changed, we would see its odd number now */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return (start & 1) || READ_ONCE(*seq) != start;
}

static inline void write_seqcount_begin(unsigned long *seq)
{
	/* relaxed: writers are serialised, and the fence below orders it */
	WRITE_ONCE(*seq, READ_ONCE(*seq) + 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void write_seqcount_end(unsigned long *seq)
{
	smp_store_release(seq, READ_ONCE(*seq) + 1);
}

#endif /* LOCK_SEQCOUNT_H */
