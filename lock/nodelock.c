/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of lock/nodelock.h that are not on a hot path. */
#include "lock/nodelock.h"

int kf_nodelocks_init(struct kf_nodelocks *nl, enum kernfs_locking locking,
		      unsigned int bits)
{
	int err;

	nl->locking = locking;
	err = kf_percpu_init(&nl->stats, KERNFS_NR_LOCK_PATHS * 2);
	if (err)
		return err;
	err = kf_hashed_init(&nl->table,
			     locking == KERNFS_LOCKING_GLOBAL ? 0 : bits);
	if (err)
		goto err_stats;
	return 0;

err_stats:
	kf_percpu_destroy(&nl->stats);
	return err;
}

void kf_nodelocks_destroy(struct kf_nodelocks *nl)
{
	kf_hashed_destroy(&nl->table);
	kf_percpu_destroy(&nl->stats);
}

void kf_nodelocks_stats(const struct kf_nodelocks *nl,
			enum kernfs_lock_path path,
			struct kernfs_lock_stats *ret_stats)
{
	ret_stats->runs = kf_percpu_sum(&nl->stats, path * 2);
	ret_stats->waits = kf_percpu_sum(&nl->stats, path * 2 + 1);
}

bool kf_read_again(struct kf_read *rd)
{
	rd->waited = true;
	if (++rd->tries < KF_READ_TRIES) {
		cpu_relax();
		rd->start = read_seqcount_begin(rd->seq);
		return true;
	}
	/* writers keep coming: queue behind them like everybody else */
	kf_rcu_read_unlock();
	rd->seq = NULL;
	kf_read_lock(rd);
	return true;
}

/* Puts @lock into its place by address; a lock that is there is not added. */
static void insert_sorted(struct kf_write *w, struct kf_rwsem *lock)
{
	unsigned int i, j;

	for (i = 0; i < w->nr && w->lock[i] < lock; i++)
		;
	if (i < w->nr && w->lock[i] == lock)
		return;
	for (j = w->nr++; j > i; j--)
		w->lock[j] = w->lock[j - 1];
	w->lock[i] = lock;
}

void kf_write_lock(struct kf_write *w, struct kf_nodelocks *nl, const void *a,
		   const void *b, const void *c)
{
	const void *const obj[KF_WRITE_MAX] = { a, b, c };
	bool waited = false;

	w->nr = 0;
	for (unsigned int i = 0; i < KF_WRITE_MAX; i++)
		if (obj[i])
			insert_sorted(w, kf_hashed_pick(&nl->table, obj[i]));
	for (unsigned int i = 0; i < w->nr; i++) {
		kf_rank_acquire_nested(w->lock[i], KF_RANK_NODE, true);
		waited |= down_write(w->lock[i]);
	}
	kf_count_run(nl, KERNFS_LOCK_UPDATE);
	if (waited)
		kf_count_wait(nl, KERNFS_LOCK_UPDATE);
}

void kf_write_unlock(struct kf_write *w)
{
	for (unsigned int i = w->nr; i-- > 0;) {
		kf_rank_release(w->lock[i]);
		up_write(w->lock[i]);
	}
}
