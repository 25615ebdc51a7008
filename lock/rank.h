/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * THE order of locks. A thread takes a lock only if its rank is higher than
 * that of every lock it holds; doc/locking.md says why that order is right.
 *
 * Equal ranks nest only for KF_RANK_NODE, where kf_write_lock() takes several
 * at once in ascending address order.
 *
 * An active reference is not a lock, but waiting for one is: KF_RANK_DRAIN is
 * the rank of that wait. It is lower than everything a callback takes, and
 * higher than what a callback runs under: a callback may remove other nodes,
 * and then waits with the mutexes of its own open file held.
 *
 * Built with --enable-lock-debug every lock is checked as it is taken and
 * released; otherwise all of this compiles to nothing.
 */
#ifndef LOCK_RANK_H
#define LOCK_RANK_H

#include <stdbool.h>

enum kf_rank {
	/* fs/fuse: the session's start and stop */
	KF_RANK_SESSION = 1,
	/* fs/ipctree: one look at the queues of a namespace; directories are
	 * removed meanwhile */
	KF_RANK_IPC_REFRESH,
	/* of->prealloc_mutex: the preallocated buffer of one open file */
	KF_RANK_PREALLOC,
	/* of->mutex: the seq_file and position of one open file; callbacks run
	 * under it, so everything a callback may call ranks above */
	KF_RANK_OF_MUTEX,
	/* waiting for active references, or for a release in flight */
	KF_RANK_DRAIN,
	/* fs/import, fs/fuse: one attribute's content; callbacks take it */
	KF_RANK_CONTENT,
	/* fs/fuse: inode and dentry tables, open handles, jobs */
	KF_RANK_INODE,
	/* hashed: which files of a node are open */
	KF_RANK_OPEN,
	/* node locks: hashed, or the one of the global policy */
	KF_RANK_NODE,
	/* root->rename: parent and name of every node of the root */
	KF_RANK_RENAME,
	/* root->ids: pages of ids that come and go */
	KF_RANK_ID,
	/* fs/ipctree: the list of directories */
	KF_RANK_IPC_DIRS,
	/* fs/ipc: a keeper's names, the accounts of its users */
	KF_RANK_IPC,
	/* lock/workqueue: what is pending; held for a look or a change only */
	KF_RANK_WORK,
	/* fs/ipc, in a region that processes share, in this order: the slots of
	 * the dead; identifiers; one queue; lists of free blocks; the heap */
	KF_RANK_REGION_REAP,
	KF_RANK_REGION_IDS,
	KF_RANK_REGION_QUEUE,
	KF_RANK_REGION_ARENA,
	KF_RANK_REGION_HEAP,
	/* wait queues: held for the wake-up or the test only */
	KF_RANK_WAITQ,
	/* slot tables of the per-thread counters: growth only */
	KF_RANK_PERCPU,
	KF_NR_RANKS,
};

#ifdef KF_LOCK_DEBUG

/* about to take @lock; dies if a lock of the same or a higher rank is held */
void kf_rank_acquire(const void *lock, enum kf_rank rank, bool exclusive);
/* one more of a sorted set: equal rank and higher address are allowed */
void kf_rank_acquire_nested(const void *lock, enum kf_rank rank,
			    bool exclusive);
void kf_rank_release(const void *lock);
/* does this thread hold @lock (exclusively, if asked)? */
bool kf_rank_holds(const void *lock, bool exclusive);
/* dies if this thread holds any lock, or is in an RCU read section */
void kf_rank_assert_none(const char *file, int line);
/* dies if this thread may not wait for active references now */
void kf_rank_assert_may_drain(const char *file, int line);
unsigned int kf_rank_depth(void);
/* RCU read sections: nothing that sleeps may be taken inside one */
void kf_rank_rcu_enter(void);
void kf_rank_rcu_exit(void);
bool kf_rank_in_rcu(void);
const char *kf_rank_name(enum kf_rank rank);
/* replaces abort() so that the checker has tests of its own */
extern void (*kf_rank_failed)(const char *what);

#define kf_assert_held(lock) kf_assert(kf_rank_holds((lock), false))
#define kf_assert_held_write(lock) kf_assert(kf_rank_holds((lock), true))
#define kf_assert_none_held() kf_rank_assert_none(__FILE__, __LINE__)
#define kf_assert_may_drain() kf_rank_assert_may_drain(__FILE__, __LINE__)

#else

static inline void kf_rank_acquire(const void *lock, enum kf_rank rank,
				   bool exclusive)
{
	(void)lock, (void)rank, (void)exclusive;
}
static inline void kf_rank_acquire_nested(const void *lock, enum kf_rank rank,
					  bool exclusive)
{
	(void)lock, (void)rank, (void)exclusive;
}
static inline void kf_rank_release(const void *lock)
{
	(void)lock;
}
static inline void kf_rank_rcu_enter(void)
{
}
static inline void kf_rank_rcu_exit(void)
{
}

#define kf_assert_held(lock) ((void)(lock))
#define kf_assert_held_write(lock) ((void)(lock))
#define kf_assert_none_held() ((void)0)
#define kf_assert_may_drain() ((void)0)

#endif /* KF_LOCK_DEBUG */

#endif /* LOCK_RANK_H */
