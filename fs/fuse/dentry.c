// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Remembered names: what the kernel keeps in its dentry cache and, with zero
 * timeouts, asks us about at every step of every walk.
 *
 * An inode is remembered under the one name it was found under last. A name
 * is an immutable record, so that a reader needs no lock: it is replaced as a
 * whole when its inode is found elsewhere, and freed after a grace period.
 *
 * Invariants: kfd->names holds at most one record for a (parent, name). The
 * record of an inode that is being freed leaves the index first. A record
 * that lost its place to another inode's stays its inode's until that goes.
 *
 * Only names that exist are remembered: absent ones would grow without bound,
 * and looking one up is one search as well.
 *
 * Locks: KF_RANK_INODE, one shard at a time; a search takes none.
 */
#include "fs/fuse/fuse-internal.h"

#include <stdlib.h>
#include <string.h>

struct name_key {
	const struct kernfs_node *parent;
	const char *name;
};

static uint32_t name_hash(const struct kernfs_node *parent, const char *name)
{
	return kfd_hash(parent, kernfs_name_hash(name, NULL));
}

static bool name_matches(const void *entry, const void *key)
{
	const struct kfd_dentry *dentry = entry;
	const struct name_key *k = key;

	return dentry->d.parent == k->parent &&
	       strcmp(dentry->name, k->name) == 0;
}

static struct kfd_shard *shard_of(struct kfd *kfd, uint32_t hash)
{
	return kfd_index_shard(&kfd->names, hash);
}

struct kfd_inode *kfd_dentry_find(struct kfd *kfd, struct kernfs_node *parent,
				  const char *name)
{
	struct name_key key = { parent, name };
	uint32_t hash = name_hash(parent, name);
	struct kfd_inode *inode = NULL;
	struct kfd_dentry *dentry;

	kf_rcu_read_lock();
	/* acquire: pairs with the release in lock/rcutab.c's rebuild */
	dentry = kf_rcutab_find(smp_load_acquire(&shard_of(kfd, hash)->tab),
				hash, name_matches, &key);
	/* the read section keeps the record, and with it both nodes */
	if (dentry && kernfs_dop_revalidate(&dentry->d) &&
	    !READ_ONCE(dentry->inode->retired) &&
	    kfd_inode_tryget(dentry->inode))
		inode = dentry->inode;
	kf_rcu_read_unlock();
	return inode;
}

static struct kfd_dentry *new_dentry(struct kfd_inode *inode,
				     const struct kernfs_dentry *d)
{
	size_t size = strlen(d->name) + 1;
	struct kfd_dentry *dentry = malloc(sizeof(*dentry) + size);

	if (!dentry)
		return NULL;
	*dentry = (struct kfd_dentry){
		.d = *d,
		.inode = inode,
		.hash = name_hash(d->parent, d->name),
	};
	memcpy(dentry->name, d->name, size);
	dentry->d.name = dentry->name;
	/* the same node as d->kn, but this reference lives as long as we */
	dentry->d.kn = inode->kn;
	kernfs_get(dentry->d.parent);
	return dentry;
}

void kfd_dentry_free(struct kfd_dentry *dentry)
{
	if (!dentry)
		return;
	kernfs_put(dentry->d.parent);
	free(dentry);
}

static void free_dentry_rcu(struct rcu_head *head)
{
	kf_rcu_callback_begin(head);
	kfd_dentry_free(caa_container_of(head, struct kfd_dentry, rcu));
}

static void unindex_locked(struct kfd_shard *shard, struct kfd_dentry *dentry)
{
	kf_rcutab_del(&shard->tab, dentry->hash, dentry);
	dentry->indexed = false;
}

void kfd_dentry_unindex(struct kfd *kfd, struct kfd_dentry *dentry)
{
	struct kfd_shard *shard = shard_of(kfd, dentry->hash);

	mutex_lock(&shard->lock);
	if (dentry->indexed)
		unindex_locked(shard, dentry);
	mutex_unlock(&shard->lock);
}

/* False: somebody else remembered the same already, or there is no memory. */
static bool add_locked(struct kfd_shard *shard, struct kfd_dentry *dentry)
{
	struct name_key key = { dentry->d.parent, dentry->name };
	struct kfd_dentry *old =
		kf_rcutab_find(shard->tab, dentry->hash, name_matches, &key);

	if (old && old->inode == dentry->inode)
		return false;
	/* the name stood for another node, which is gone or elsewhere */
	if (old)
		unindex_locked(shard, old);
	if (kf_rcutab_reserve(&shard->tab))
		return false;
	kf_rcutab_add(shard->tab, dentry->hash, dentry);
	dentry->indexed = true;
	return true;
}

void kfd_dentry_remember(struct kfd *kfd, struct kfd_inode *inode,
			 const struct kernfs_dentry *d)
{
	struct kfd_dentry *dentry = new_dentry(inode, d), *old;
	struct kfd_shard *shard;
	bool added;

	if (!dentry)
		return;
	shard = shard_of(kfd, dentry->hash);
	mutex_lock(&shard->lock);
	added = add_locked(shard, dentry);
	mutex_unlock(&shard->lock);
	if (!added) {
		kfd_dentry_free(dentry);
		return;
	}
	/*
	 * Each record leaves inode->dentry exactly once, so of two threads
	 * that find the inode under two names each frees another record. The
	 * last one stays, which may be the older name: then the newer one is
	 * looked up once more.
	 */
	old = __atomic_exchange_n(&inode->dentry, dentry, __ATOMIC_ACQ_REL);
	if (!old)
		return;
	kfd_dentry_unindex(kfd, old);
	kf_call_rcu(&old->rcu, free_dentry_rcu);
}
