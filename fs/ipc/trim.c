/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much of a region a process has mapped. Its exit takes each page out of
 * its page tables, one after another, whereas the kernel's queues cost their
 * users nothing then. So a process that has touched many parts of a region
 * lets go of the pages, and meets those it still uses again. The file keeps
 * what is in them.
 *
 * One that goes on using the same few parts never gets there.
 */
#include "fs/ipc/ipc-internal.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Parts of IPC_PART bytes that a process may have touched: 4 MiB. */
#define MAX_PARTS 64

static size_t nr_words(const struct ipc_namespace *ns)
{
	return ns->limit / IPC_PART / 64 + 1;
}

void ipc_trim_init(struct ipc_namespace *ns)
{
	/* without memory for this, exits take longer */
	ns->touched = calloc(nr_words(ns), sizeof(*ns->touched));
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
	if (__atomic_add_fetch(&ns->nr_touched, 1, __ATOMIC_RELAXED) <
	    MAX_PARTS)
		return;
	WRITE_ONCE(ns->nr_touched, 0);
	for (size_t i = 0; i < nr_words(ns); i++)
		WRITE_ONCE(ns->touched[i], 0);
	madvise(ns->base, ns->limit, MADV_DONTNEED);
}
