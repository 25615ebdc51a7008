// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Inodes: nodes the kernel knows, and how often it was told of each.
 *
 * Invariants: a node has at most one inode with lookups left that is not
 * retired, and all with lookups left are in kfd->nodes. An inode is freed when its lookups reach 0, a grace period
 * later; whoever meets one at 0 in an index leaves it alone.
 *
 * FORGET may run while a LOOKUP finds the same inode. The count decides: a
 * lookup takes the inode only from 1 upward, the forget that reaches 0 frees
 * it. Neither needs a lock.
 *
 * Locks: KF_RANK_INODE, one shard at a time (see lock/rank.h).
 */
#include "fs/fuse/fuse-internal.h"

#include <stdlib.h>

static uint32_t node_hash(const struct kernfs_node *kn)
{
	return kfd_hash(kn, 0);
}

static bool node_matches(const void *entry, const void *key)
{
	const struct kfd_inode *inode = entry;

	return inode->kn == key && !READ_ONCE(inode->retired);
}

bool kfd_inode_tryget(struct kfd_inode *inode)
{
	uint64_t old = __atomic_load_n(&inode->nlookup, __ATOMIC_RELAXED);

	/* relaxed: what the inode points to is fixed since it was published,
	 * and the count guards nothing else */
	while (old)
		if (__atomic_compare_exchange_n(&inode->nlookup, &old, old + 1,
						true, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	return false;
}

static struct kfd_inode *new_inode(struct kernfs_node *kn)
{
	struct kfd_inode *inode =
		aligned_alloc(_Alignof(struct kfd_inode), sizeof(*inode));

	if (!inode)
		return NULL;
	*inode = (struct kfd_inode){ .kn = kn, .nlookup = 1 };
	clock_gettime(CLOCK_REALTIME_COARSE, &inode->born);
	return inode;
}

/* The inode and its name, the references they hold, at once. */
static void free_inode(struct kfd_inode *inode)
{
	kfd_dentry_free(inode->dentry);
	kernfs_put(inode->kn);
	free(inode);
}

static void free_inode_rcu(struct rcu_head *head)
{
	kf_rcu_callback_begin(head);
	free_inode(caa_container_of(head, struct kfd_inode, rcu));
}

/* Takes a dying inode out; the shard's lock is held. */
static void unindex_locked(struct kfd_shard *shard, struct kfd_inode *inode)
{
	kf_rcutab_del(&shard->tab, node_hash(inode->kn), inode);
	inode->indexed = false;
}

/* The inode that is there already, or @fresh, put in; NULL: no memory. */
static struct kfd_inode *find_or_add_locked(struct kfd_shard *shard,
					    uint32_t hash,
					    struct kfd_inode *fresh)
{
	struct kfd_inode *old =
		kf_rcutab_find(shard->tab, hash, node_matches, fresh->kn);

	if (old && kfd_inode_tryget(old))
		return old;
	if (old)
		unindex_locked(shard, old);
	if (kf_rcutab_reserve(&shard->tab))
		return NULL;
	kf_rcutab_add(shard->tab, hash, fresh);
	fresh->indexed = true;
	return fresh;
}

struct kfd_inode *kfd_inode_get(struct kfd *kfd, struct kernfs_node *kn)
{
	struct kfd_inode *fresh = new_inode(kn), *inode;
	uint32_t hash = node_hash(kn);
	struct kfd_shard *shard = kfd_index_shard(&kfd->nodes, hash);

	if (!fresh) {
		kernfs_put(kn);
		return NULL;
	}
	mutex_lock(&shard->lock);
	inode = find_or_add_locked(shard, hash, fresh);
	mutex_unlock(&shard->lock);
	/* nobody saw it */
	if (inode != fresh)
		free_inode(fresh);
	return inode;
}

static void release_inode(struct kfd *kfd, struct kfd_inode *inode)
{
	struct kfd_shard *shard =
		kfd_index_shard(&kfd->nodes, node_hash(inode->kn));

	mutex_lock(&shard->lock);
	if (inode->indexed)
		unindex_locked(shard, inode);
	mutex_unlock(&shard->lock);
	/* nobody has a lookup, so nobody changes the name any more */
	if (inode->dentry)
		kfd_dentry_unindex(kfd, inode->dentry);
	kf_call_rcu(&inode->rcu, free_inode_rcu);
}

void kfd_inode_forget(struct kfd *kfd, struct kfd_inode *inode,
		      uint64_t nlookup)
{
	/* the root has no count: it stays */
	if (inode == &kfd->root_inode)
		return;
	/* acquire and release: the last one sees what the others did to
	 * inode->dentry */
	if (__atomic_fetch_sub(&inode->nlookup, nlookup, __ATOMIC_ACQ_REL) ==
	    nlookup)
		release_inode(kfd, inode);
}

void kfd_inode_retire(struct kfd *kfd, const struct kernfs_node *kn)
{
	uint32_t hash = node_hash(kn);
	struct kfd_shard *shard = kfd_index_shard(&kfd->nodes, hash);
	struct kfd_inode *inode;

	mutex_lock(&shard->lock);
	inode = kf_rcutab_find(shard->tab, hash, node_matches, kn);
	if (inode)
		/* relaxed, pairs with node_matches() and kfd_dentry_find(): a
		 * lookup beside us may still find it, as one before us */
		WRITE_ONCE(inode->retired, true);
	mutex_unlock(&shard->lock);
}

void kfd_inode_stat(struct kfd *kfd, struct kfd_inode *inode,
		    struct stat *ret_st)
{
	const struct kfd_params *p = &kfd->params;

	kernfs_iop_getattr(inode->kn, &inode->born, ret_st);
	ret_st->st_mode &= ~p->umask;
	if (p->set_uid)
		ret_st->st_uid = p->uid;
	if (p->set_gid)
		ret_st->st_gid = p->gid;
}

void kfd_inodes_init(struct kfd *kfd)
{
	kfd_index_init(&kfd->names);
	kfd_index_init(&kfd->nodes);
	kfd->root_inode = (struct kfd_inode){
		.kn = kernfs_root_to_node(kfd->root),
		.nlookup = 1,
	};
	clock_gettime(CLOCK_REALTIME_COARSE, &kfd->root_inode.born);
}

static void free_entry(struct kfd *kfd, void *entry)
{
	(void)kfd;
	free_inode(entry);
}

void kfd_inodes_destroy(struct kfd *kfd)
{
	/* inodes forgotten a moment ago hold references, too */
	kf_rcu_barrier();
	kfd_index_for_each(&kfd->nodes, free_entry, kfd);
	kfd_index_destroy(&kfd->nodes);
	kfd_index_destroy(&kfd->names);
}
