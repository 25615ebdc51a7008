/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The writers' side of lock/rcutab.h. */
#include "lock/rcutab.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lock/assert.h"

static_assert(sizeof(void *) != 8 ||
		      sizeof(struct kf_rcutab_group) == KF_CACHELINE,
	      "a group is one cache line");

/*
 * Places in use at most: four of five, so that almost every search ends in
 * its first group. A table that got fuller than that is rebuilt for its live
 * entries at half that load.
 */
static unsigned int capacity(unsigned int bits)
{
	return (1U << bits) * (KF_RCUTAB_ENTRIES - 1);
}

#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_FROM (2 * HUGE_PAGE)

static struct kf_rcutab *new_table(unsigned int bits)
{
	size_t bytes = sizeof(struct kf_rcutab) +
		       sizeof(struct kf_rcutab_group) * ((size_t)1 << bits);
	struct kf_rcutab *tab;

	static_assert(sizeof(struct kf_rcutab) % KF_CACHELINE == 0,
		      "groups start on a cache line");
	if (bytes < HUGE_FROM) {
		tab = aligned_alloc(KF_CACHELINE, bytes);
	} else {
		bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
		tab = aligned_alloc(HUGE_PAGE, bytes);
	}
	if (!tab)
		return NULL;
	/* a hint: without it every search misses the TLB as well */
	if (bytes >= HUGE_FROM)
		madvise(tab, bytes, MADV_HUGEPAGE);
	memset(tab, 0, bytes);
	tab->bits = bits;
	return tab;
}

void kf_rcutab_free(struct kf_rcutab *tab)
{
	free(tab);
}

static void free_rcu(struct rcu_head *head)
{
	kf_rcu_callback_begin(head);
	free(caa_container_of(head, struct kf_rcutab, rcu));
}

/*
 * Smallest table that holds half as many again; one group while they fit,
 * since most directories are small.
 */
static unsigned int bits_for(unsigned int entries)
{
	unsigned int bits = 0;

	if (entries <= capacity(0))
		return 0;
	while (bits < KF_RCUTAB_HASH_BITS - 3 && capacity(bits) < entries + entries / 2)
		bits++;
	return bits;
}

static int rebuild(struct kf_rcutab **ptab, unsigned int bits)
{
	struct kf_rcutab *old = *ptab;
	struct kf_rcutab *tab = new_table(bits);

	if (!tab)
		return -ENOMEM;
	for (uint32_t g = 0; old && g < 1U << old->bits; g++)
		for (unsigned int i = 0; i < KF_RCUTAB_ENTRIES; i++)
			if (old->group[g].hash[i] > KF_RCUTAB_DEAD)
				kf_rcutab_add(tab, old->group[g].hash[i],
					      old->group[g].entry[i]);
	/* pairs with the readers' acquire of the table pointer: they see the
	 * old table whole or the new one whole */
	smp_store_release(ptab, tab);
	if (old)
		kf_call_rcu(&old->rcu, free_rcu);
	return 0;
}

int kf_rcutab_reserve(struct kf_rcutab **ptab)
{
	struct kf_rcutab *tab = *ptab;

	if (tab && tab->live + tab->dead < capacity(tab->bits))
		return 0;
	return rebuild(ptab, bits_for(tab ? tab->live + 1 : 1));
}

void kf_rcutab_add(struct kf_rcutab *tab, uint32_t hash, void *entry)
{
	uint32_t mask = (1U << tab->bits) - 1;
	uint32_t g = kf_rcutab_home(tab, hash);

	kf_assert(hash > KF_RCUTAB_DEAD && entry);
	for (;; g = (g + 1) & mask) {
		struct kf_rcutab_group *group = &tab->group[g];

		for (unsigned int i = 0; i < KF_RCUTAB_ENTRIES; i++) {
			if (group->hash[i] > KF_RCUTAB_DEAD)
				continue;
			tab->dead -= group->hash[i] == KF_RCUTAB_DEAD;
			tab->live++;
			/* pair with the acquires in kf_rcutab_find() */
			smp_store_release(&group->entry[i], entry);
			smp_store_release(&group->hash[i], hash);
			return;
		}
	}
}

void kf_rcutab_del(struct kf_rcutab **ptab, uint32_t hash, void *entry)
{
	struct kf_rcutab *tab = *ptab;
	uint32_t mask = (1U << tab->bits) - 1;
	uint32_t g = kf_rcutab_home(tab, hash);

	for (uint32_t n = 0; n <= mask; n++, g = (g + 1) & mask) {
		struct kf_rcutab_group *group = &tab->group[g];

		for (unsigned int i = 0; i < KF_RCUTAB_ENTRIES; i++) {
			if (group->hash[i] != hash || group->entry[i] != entry)
				continue;
			/* relaxed: a search that still sees the entry began
			 * before the removal ended, and may */
			WRITE_ONCE(group->hash[i], KF_RCUTAB_DEAD);
			WRITE_ONCE(group->entry[i], NULL);
			tab->live--;
			tab->dead++;
			/* a smaller table is a gift, not a need */
			if (tab->bits && tab->live < capacity(tab->bits) / 8)
				rebuild(ptab, bits_for(tab->live + 1));
			return;
		}
	}
	kf_assert(!"entry to remove is in the table");
}
