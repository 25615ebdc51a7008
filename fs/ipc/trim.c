/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much of a region a process has mapped. Its exit takes each page out of
 * its page tables, one after another, whereas the kernel's queues cost their
 * users nothing then. So a process that has touched many parts of a region
 * lets go of the pages, and meets those it still uses again. The file keeps
 * what is in them.
 *
 * One that goes on using the same few parts never gets there. One that meets
 * for the third time most of what it has, once to send and once to receive not
 * counted, would let go of it for ever: it may have twice as much, and so on.
 */
#include "fs/ipc/ipc-internal.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Parts of IPC_PART bytes that a process may have touched: 4 MiB at first. */
#define FIRST_MAX_PARTS 64
#define LAST_MAX_PARTS (64 * 64)

static size_t nr_words(const struct ipc_namespace *ns)
{
	return ns->limit / IPC_PART / 64 + 1;
}

void ipc_trim_init(struct ipc_namespace *ns)
{
	/* without memory for this, exits take longer */
	ns->touched = calloc(3 * nr_words(ns), sizeof(*ns->touched));
	ns->max_touched = FIRST_MAX_PARTS;
}

/* The parts that it let go of at least once, or twice. */
static uint64_t *let_go(const struct ipc_namespace *ns, unsigned int times)
{
	return ns->touched + times * nr_words(ns);
}

/* Of the parts it has, it had let go of most twice: it may have more. */
static bool uses_them(struct ipc_namespace *ns)
{
	unsigned int max = READ_ONCE(ns->max_touched);

	if (READ_ONCE(ns->nr_again) < max / 2 || max >= LAST_MAX_PARTS)
		return false;
	WRITE_ONCE(ns->max_touched, 2 * max);
	return true;
}

static void let_all_go(struct ipc_namespace *ns)
{
	WRITE_ONCE(ns->nr_touched, 0);
	WRITE_ONCE(ns->nr_again, 0);
	for (size_t i = 0; i < nr_words(ns); i++) {
		uint64_t bits = __atomic_exchange_n(&ns->touched[i], 0,
						    __ATOMIC_RELAXED);

		if (!bits)
			continue;
		bits &= __atomic_fetch_or(&let_go(ns, 1)[i], bits,
					  __ATOMIC_RELAXED);
		__atomic_fetch_or(&let_go(ns, 2)[i], bits, __ATOMIC_RELAXED);
	}
	madvise(ns->base, ns->limit, MADV_DONTNEED);
}

void ipc_trim_destroy(struct ipc_namespace *ns)
{
	free(ns->touched);
}

void ipc_touch_slow(struct ipc_namespace *ns, uint64_t part)
{
	uint64_t bit = 1ull << part % 64;

	/* relaxed, all of these: a thread that misses another's change counts
	 * a part twice or not at all */
	if (__atomic_fetch_or(&ns->touched[part / 64], bit, __ATOMIC_RELAXED) &
	    bit)
		return;
	if (READ_ONCE(let_go(ns, 2)[part / 64]) & bit)
		__atomic_add_fetch(&ns->nr_again, 1, __ATOMIC_RELAXED);
	if (__atomic_add_fetch(&ns->nr_touched, 1, __ATOMIC_RELAXED) <
	    READ_ONCE(ns->max_touched))
		return;
	if (!uses_them(ns))
		let_all_go(ns);
}
