/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * /dev/fuse traffic of kernfuse-floor: counts what arrives, and asks for
 * parallel lookups in one directory.
 *
 * libfuse before 3.17 never passes FUSE_PARALLEL_DIROPS on to the kernel,
 * which then lets only one lookup at a time into a directory. kernfuse adds
 * the flag to the INIT reply on its way out, so its floor must, too.
 */
#define FUSE_USE_VERSION 314

#include "floor.h"

#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#include <stdalign.h>
#include <stddef.h>
#include <sys/uio.h>
#include <unistd.h>

/* More threads than slots share slots: the count stays right. */
#define NR_SLOTS 64

static struct {
	alignas(64) uint64_t count; /* atomic, relaxed: a statistic */
} slots[NR_SLOTS];

static unsigned int next_slot;	      /* atomic */
static __thread unsigned int my_slot; /* plus 1; 0: none yet */
static uint64_t init_unique;	      /* atomic: the INIT request's id */

uint64_t floor_io_upcalls(void)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < NR_SLOTS; i++)
		sum += __atomic_load_n(&slots[i].count, __ATOMIC_RELAXED);
	return sum;
}

static void count_upcall(void)
{
	if (!my_slot)
		my_slot = 1 +
			  __atomic_fetch_add(&next_slot, 1, __ATOMIC_RELAXED) %
				  NR_SLOTS;
	__atomic_fetch_add(&slots[my_slot - 1].count, 1, __ATOMIC_RELAXED);
}

static ssize_t counted_read(int fd, void *buf, size_t len, void *userdata)
{
	const struct fuse_in_header *in = buf;
	const struct fuse_init_in *init = (const void *)(in + 1);
	ssize_t n = read(fd, buf, len);

	(void)userdata;
	if (n <= 0)
		return n;
	count_upcall();
	if (in->opcode == FUSE_INIT && (init->flags & FUSE_PARALLEL_DIROPS))
		__atomic_store_n(&init_unique, in->unique, __ATOMIC_RELAXED);
	return n;
}

/* The INIT reply is a header and a fuse_init_out, an element each. */
static void ask_parallel_dirops(struct iovec *iov, int count)
{
	const struct fuse_out_header *out = iov[0].iov_base;
	struct fuse_init_out *init;
	uint64_t unique = __atomic_load_n(&init_unique, __ATOMIC_RELAXED);

	if (!unique || out->unique != unique)
		return;
	/* ids are never used twice, but this one need not be compared again */
	__atomic_store_n(&init_unique, 0, __ATOMIC_RELAXED);
	if (out->error || count < 2 ||
	    iov[1].iov_len < offsetof(struct fuse_init_out, max_background))
		return;
	init = iov[1].iov_base;
	init->flags |= FUSE_PARALLEL_DIROPS;
}

static ssize_t patching_writev(int fd, struct iovec *iov, int count,
			       void *userdata)
{
	(void)userdata;
	ask_parallel_dirops(iov, count);
	return writev(fd, iov, count);
}

int floor_io_attach(struct fuse_session *se)
{
	static const struct fuse_custom_io io = {
		.read = counted_read,
		.writev = patching_writev,
	};

	return fuse_session_custom_io(se, &io, fuse_session_fd(se));
}
