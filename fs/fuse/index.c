// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tables behind inode.c and dentry.c.
 *
 * Cut into shards, so that changes of different entries do not wait for one
 * another. At most one shard's lock is held at a time, and nothing that waits
 * is done under it.
 */
#include "fs/fuse/fuse-internal.h"

#define NR_SHARDS (1U << KFD_SHARD_BITS)

void kfd_index_init(struct kfd_index *index)
{
	for (unsigned int i = 0; i < NR_SHARDS; i++) {
		mutex_init(&index->shard[i].lock, KF_RANK_INODE);
		index->shard[i].tab = NULL;
	}
}

void kfd_index_destroy(struct kfd_index *index)
{
	for (unsigned int i = 0; i < NR_SHARDS; i++) {
		kf_rcutab_free(index->shard[i].tab);
		mutex_destroy(&index->shard[i].lock);
	}
}

static void for_each_in(struct kf_rcutab *tab,
			void (*fn)(struct kfd *kfd, void *entry),
			struct kfd *kfd)
{
	for (uint32_t g = 0; tab && g < 1U << tab->bits; g++)
		for (unsigned int i = 0; i < KF_RCUTAB_ENTRIES; i++)
			if (tab->group[g].hash[i] > KF_RCUTAB_DEAD)
				fn(kfd, tab->group[g].entry[i]);
}

void kfd_index_for_each(struct kfd_index *index,
			void (*fn)(struct kfd *kfd, void *entry),
			struct kfd *kfd)
{
	for (unsigned int i = 0; i < NR_SHARDS; i++)
		for_each_in(index->shard[i].tab, fn, kfd);
}
