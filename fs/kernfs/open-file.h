/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library's half of an open file: for open.c, file.c and seq_file.c. */
#ifndef FS_KERNFS_OPEN_FILE_H
#define FS_KERNFS_OPEN_FILE_H

#include <urcu/list.h>

#include <kernfuse/poll.h>

#include "fs/kernfs/kernfs-internal.h"

/*
 * How far an open file is on its way to the release callback. Who has moved it
 * from due to running when the mutex is dropped runs it: exactly once, then.
 */
enum kernfs_released {
	KERNFS_RELEASE_NONE,	/* no callback, or the open is not complete */
	KERNFS_RELEASE_DUE,	/* to be run by close or by drain */
	KERNFS_RELEASE_RUNNING, /* claimed: one of them runs it */
	KERNFS_RELEASE_DONE,
};

/* Guards the open files of the nodes that hash to it. A cache line each:
 * neighbours in the table are picked independently. */
struct kernfs_open_lock {
	struct kf_mutex mutex;
} __attribute__((aligned(KF_CACHELINE)));

/* Of a file that somebody has open. All of it: the open-file mutex. */
struct kernfs_open_node {
	unsigned int nr_files;
	struct cds_list_head due; /* whose release is due, oldest first */
	/* written with the mutex, read without it in a read section: */
	unsigned int nr_due;
	unsigned int nr_to_release; /* due or running */
	/* counts notifications, for poll; 0 is what no reader has seen yet.
	 * Read without the mutex by who has the file open */
	unsigned int event;
	struct kernfs_poll_link waiters; /* oldest first */
	struct rcu_head rcu;
};

struct kf_open_file {
	struct kernfs_open_file of;
	struct kernfs_open_node *on; /* fixed while open */
	struct cds_list_head list;   /* in on->due; the open-file mutex */
	/* enum kernfs_released; the open-file mutex to write, read any time */
	int released;
	/* ops->atomic_write_len: needed when ops may be gone already */
	size_t atomic_write_len;
	/* KF_RANK_OF_MUTEX: seq, event, and one callback at a time */
	struct kf_mutex mutex;
	struct seq_file seq;
	/* on->event when the content was last read; poll looks without the
	 * mutex */
	unsigned int event;
	/* KF_RANK_PREALLOC: prealloc_buf's content */
	struct kf_mutex prealloc_mutex;
	char *prealloc_buf; /* NULL: not preallocated */
};

static inline struct kf_open_file *kf_open_file(struct kernfs_open_file *of)
{
	return caa_container_of(of, struct kf_open_file, of);
}

/*
 * An active reference for an operation on an open file: none once release was
 * claimed, even if the node is active again after a hide. Everything the node
 * points to from its user, ops first, may be touched only with it.
 */
static inline bool kernfs_get_active_of(struct kf_open_file *of)
{
	struct kernfs_node *kn = of->of.kn;

	if (!kernfs_get_active(kn))
		return false;
	if (!(kernfs_flags(kn) & KERNFS_HAS_RELEASE))
		return true;
	/* pairs with the fence in may_claim_locked(): either that sees our
	 * reference and lets the file live, or we see that it is claimed */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (READ_ONCE(of->released) <= KERNFS_RELEASE_DUE)
		return true;
	kernfs_put_active(kn);
	return false;
}

/* Remembers which content is about to be read. of->mutex held. */
static inline void kernfs_note_event(struct kf_open_file *of)
{
	/* acquire, pairs with kernfs_notify(): the number is read before the
	 * content, so that a notification that comes meanwhile counts as not
	 * seen. The store: kernfs_generic_poll() looks at any time */
	WRITE_ONCE(of->event, smp_load_acquire(&of->on->event));
}

/* --- open.c --- */

/* Remember it over the section: the node may be gone when it is unlocked. */
struct kf_mutex *kernfs_open_mutex(const struct kernfs_node *kn);

/* --- poll.c --- */

void kernfs_init_waiters(struct kernfs_open_node *on);
/* the open-file mutex held */
bool kernfs_has_waiters(const struct kernfs_open_node *on);

/* --- seq_file.c --- */

/* kernfs_fop_read() of a file with seq_show; of->mutex held. */
ssize_t kernfs_seq_read(struct kf_open_file *of, char *buf, size_t count,
			off_t pos);

#endif /* FS_KERNFS_OPEN_FILE_H */
