/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ids: handing them out, and finding the node that has one.
 *
 * Ids run through 31 low bits and then add one to the high word, as the
 * kernel's do. Its id allocator skips low ids still in use after a wrap; with
 * 64-bit inode numbers the high word already tells the two apart.
 *
 * The index is made of pages, a place for each of 512 ids that follow one
 * another; a page is made for the first of them and goes when the last of the
 * 512 has come and gone. A node is in its place from its allocation until its
 * last reference goes; whoever finds it there takes it only if its count can
 * still rise. Only pages that come and go need a lock.
 */
#include "fs/kernfs/kernfs-internal.h"

#include <stdlib.h>

#define PAGE_BITS 9
#define PAGE_IDS (1U << PAGE_BITS)

struct kernfs_id_page {
	struct rcu_head rcu;
	uint64_t nr;	   /* fixed: of its ids, the bits above PAGE_BITS */
	unsigned int left; /* atomic: places whose node has not gone yet */
	struct kernfs_node *node[PAGE_IDS]; /* release, acquire */
};

void kernfs_ids_init(struct kernfs_ids *ids)
{
	mutex_init(&ids->lock, KF_RANK_ID);
}

void kernfs_ids_destroy(struct kernfs_ids *ids)
{
	struct kf_rcutab *tab = ids->pages;

	/* pages of which some ids were never given out */
	for (uint32_t g = 0; tab && g < 1U << tab->bits; g++)
		for (unsigned int i = 0; i < KF_RCUTAB_ENTRIES; i++)
			free(tab->group[g].entry[i]);
	kf_rcutab_free(tab);
	mutex_destroy(&ids->lock);
}

static uint64_t new_id(struct kernfs_ids *ids)
{
	/* relaxed: unique is all an id must be */
	uint64_t n = __atomic_fetch_add(&ids->last, 1, __ATOMIC_RELAXED);
	uint64_t low = n % INT_MAX + 1;
	uint64_t high = n / INT_MAX;

	return high << 32 | low;
}

static uint32_t page_hash(uint64_t nr)
{
	uint64_t h = nr * UINT64_C(0x61C8864680B583EB);
	uint32_t hash = (uint32_t)(h >> (64 - KF_RCUTAB_HASH_BITS));

	return hash > KF_RCUTAB_DEAD ? hash : hash + KF_RCUTAB_DEAD + 1;
}

static bool has_nr(const void *entry, const void *key)
{
	return ((const struct kernfs_id_page *)entry)->nr ==
	       *(const uint64_t *)key;
}

/* In a read section, or with the lock held. */
static struct kernfs_id_page *find_page(struct kernfs_ids *ids, uint64_t id)
{
	uint64_t nr = id >> PAGE_BITS;

	/* acquire: pairs with the release in lock/rcutab.c's rebuild */
	return kf_rcutab_find(smp_load_acquire(&ids->pages), page_hash(nr),
			      has_nr, &nr);
}

static struct kernfs_id_page *new_page_locked(struct kernfs_ids *ids,
					      uint64_t id)
{
	struct kernfs_id_page *page;

	if (kf_rcutab_reserve(&ids->pages))
		return NULL;
	page = calloc(1, sizeof(*page));
	if (!page)
		return NULL;
	page->nr = id >> PAGE_BITS;
	page->left = PAGE_IDS;
	/* low ids begin with 1 */
	if (!(page->nr << PAGE_BITS & INT_MAX))
		page->left--;
	kf_rcutab_add(ids->pages, page_hash(page->nr), page);
	return page;
}

/* The page of an id whose node has not come yet, or not gone: so it stays. */
static struct kernfs_id_page *get_page(struct kernfs_ids *ids, uint64_t id)
{
	struct kernfs_id_page *page;

	kf_rcu_read_lock();
	page = find_page(ids, id);
	kf_rcu_read_unlock();
	if (page)
		return page;
	mutex_lock(&ids->lock);
	page = find_page(ids, id);
	if (!page)
		page = new_page_locked(ids, id);
	mutex_unlock(&ids->lock);
	return page;
}

static struct kernfs_node **place(struct kernfs_id_page *page, uint64_t id)
{
	return &page->node[id & (PAGE_IDS - 1)];
}

int kernfs_id_add(struct kernfs_node *kn)
{
	struct kernfs_ids *ids = &kn->root->ids;
	struct kernfs_id_page *page;

	kn->id = new_id(ids);
	page = get_page(ids, kn->id);
	/* the place stays empty, and the page until the root goes */
	if (!page)
		return -ENOMEM;
	/* pairs with the acquire in kernfs_find_and_get_node_by_id() */
	smp_store_release(place(page, kn->id), kn);
	return 0;
}

static void free_page(struct rcu_head *head)
{
	kf_rcu_callback_begin(head);
	free(caa_container_of(head, struct kernfs_id_page, rcu));
}

void kernfs_id_del(struct kernfs_node *kn)
{
	struct kernfs_ids *ids = &kn->root->ids;
	struct kernfs_id_page *page = get_page(ids, kn->id);

	/* relaxed: whoever still finds the node fails to take it, and its
	 * memory stays for a grace period */
	WRITE_ONCE(*place(page, kn->id), NULL);
	/* acquire and release: the last one comes after the others' stores */
	if (__atomic_sub_fetch(&page->left, 1, __ATOMIC_ACQ_REL))
		return;
	mutex_lock(&ids->lock);
	kf_rcutab_del(&ids->pages, page_hash(page->nr), page);
	mutex_unlock(&ids->lock);
	kf_call_rcu(&page->rcu, free_page);
}

struct kernfs_node *kernfs_find_and_get_node_by_id(struct kernfs_root *root,
						   uint64_t id)
{
	struct kernfs_node *kn = NULL;
	struct kernfs_id_page *page;

	kf_rcu_read_lock();
	page = find_page(&root->ids, id);
	if (page)
		kn = smp_load_acquire(place(page, id));
	if (kn && (!kernfs_active(kn) || !kernfs_tryget(kn)))
		kn = NULL;
	kf_rcu_read_unlock();
	return kn;
}
