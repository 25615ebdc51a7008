/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One interface over the three lock policies.
 *
 * Readers:
 *	struct kf_read rd;
 *
 *	kf_read_begin(&rd, nl, obj, &obj->seq, path);
 *	do {
 *		... read fields with READ_ONCE into locals ...
 *	} while (kf_read_retry(&rd));
 *	kf_read_end(&rd);
 *
 * Under global and hashed the body runs once, with obj's lock held shared.
 * Under rcu it runs inside a read section, again if a writer interfered, and
 * after KF_READ_TRIES attempts with obj's lock held shared, so that a stream
 * of writers cannot keep a reader out. A reader holds one node lock at most.
 *
 * Writers are the same under every policy: exclusive locks on up to
 * KF_WRITE_MAX objects, taken in ascending address order with duplicates
 * dropped, remembered in the token and released from it; inside, the sequence
 * number is odd around the stores that readers may see.
 *
 * A writer may not wait for anything while it holds node locks: not for
 * active references, not for a grace period, not for a callback.
 */
#ifndef LOCK_NODELOCK_H
#define LOCK_NODELOCK_H

#include <kernfuse/locking.h>

#include "lock/annotate.h"
#include "lock/hashed.h"
#include "lock/percpu.h"
#include "lock/rank.h"
#include "lock/rcu.h"
#include "lock/seqcount.h"

struct kf_nodelocks {
	enum kernfs_locking locking; /* fixed at init */
	struct kf_hashed table;	     /* global: one lock */
	struct kf_percpu stats;	     /* runs and waits, per path */
};

/* Attempts without a lock: enough that a chmod storm rarely exhausts them,
 * few enough that a preempted writer costs a reader microseconds. */
#define KF_READ_TRIES 16

#define KF_WRITE_MAX 3

struct kf_read {
	struct kf_nodelocks *nl;
	const void *obj;
	const unsigned long *seq; /* NULL: nothing to check again */
	unsigned long start;
	struct kf_rwsem *held; /* NULL while in a read section */
	enum kernfs_lock_path path;
	unsigned int tries;
	bool waited;
};

struct kf_write {
	unsigned int nr;
	struct kf_rwsem *lock[KF_WRITE_MAX];
};

/* @bits: log2 of the locks. Context: may sleep. Return: 0 or -ENOMEM. */
int kf_nodelocks_init(struct kf_nodelocks *nl, enum kernfs_locking locking,
		      unsigned int bits);
void kf_nodelocks_destroy(struct kf_nodelocks *nl);
void kf_nodelocks_stats(const struct kf_nodelocks *nl,
			enum kernfs_lock_path path,
			struct kernfs_lock_stats *ret_stats);

static inline void kf_count_run(struct kf_nodelocks *nl,
				enum kernfs_lock_path path)
{
	kf_percpu_inc(&nl->stats, path * 2);
}

static inline void kf_count_wait(struct kf_nodelocks *nl,
				 enum kernfs_lock_path path)
{
	kf_percpu_inc(&nl->stats, path * 2 + 1);
}

/* no analysis: which lock it is, and for how long, the token knows */
static inline void kf_read_lock(struct kf_read *rd) __kf_no_analysis
{
	struct kf_rwsem *lock = kf_hashed_pick(&rd->nl->table, rd->obj);

	kf_rank_acquire(lock, KF_RANK_NODE, false);
	rd->waited |= down_read(lock);
	rd->held = lock;
}

static inline void kf_read_begin(struct kf_read *rd, struct kf_nodelocks *nl,
				 const void *obj, const unsigned long *seq,
				 enum kernfs_lock_path path)
{
	rd->nl = nl;
	rd->obj = obj;
	rd->path = path;
	rd->waited = false;
	rd->held = NULL;
	if (nl->locking == KERNFS_LOCKING_RCU) {
		rd->seq = seq;
		rd->tries = 0;
		kf_rcu_read_lock();
		if (seq)
			rd->start = read_seqcount_begin(seq);
	} else {
		rd->seq = NULL;
		kf_read_lock(rd);
	}
}

/*
 * For writers that must look before they lock: @obj's lock shared under every
 * policy. Counted as an update.
 */
static inline void kf_read_begin_locked(struct kf_read *rd,
					struct kf_nodelocks *nl,
					const void *obj)
{
	rd->nl = nl;
	rd->obj = obj;
	rd->path = KERNFS_LOCK_UPDATE;
	rd->waited = false;
	rd->seq = NULL;
	kf_read_lock(rd);
}

/* slow path of kf_read_retry(): a writer came in between */
bool kf_read_again(struct kf_read *rd);

static inline bool kf_read_retry(struct kf_read *rd)
{
	if (!rd->seq ||
	    __builtin_expect(!read_seqcount_retry(rd->seq, rd->start), 1))
		return false;
	return kf_read_again(rd);
}

static inline void kf_read_end(struct kf_read *rd) __kf_no_analysis
{
	if (rd->held) {
		kf_rank_release(rd->held);
		up_read(rd->held);
	} else {
		kf_rcu_read_unlock();
	}
	kf_count_run(rd->nl, rd->path);
	if (__builtin_expect(rd->waited, 0))
		kf_count_wait(rd->nl, rd->path);
}

/*
 * kf_write_lock - lock up to three objects exclusively
 * @w: token, given to kf_write_unlock()
 * @a, @b, @c: objects the caller keeps alive; NULL ones are left out
 *
 * Context: may sleep. Takes KF_RANK_NODE; nothing of that rank may be held.
 */
void kf_write_lock(struct kf_write *w, struct kf_nodelocks *nl, const void *a,
		   const void *b, const void *c) __kf_no_analysis;
/* Does not look at the objects: they may be gone. */
void kf_write_unlock(struct kf_write *w) __kf_no_analysis;

/* debug builds: is @obj's lock held exclusively by this thread? */
#define kf_assert_write_locked(nl, obj)                                        \
	kf_assert_held_write(kf_hashed_pick(&(nl)->table, (obj)))

#endif /* LOCK_NODELOCK_H */
