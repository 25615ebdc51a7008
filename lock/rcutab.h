/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash table of pointers that readers search without locks: the names of
 * one directory.
 *
 * Why not liburcu's cds_lfht: its chains thread through the objects, so a
 * lookup among a million entries reads several objects that are not cached,
 * measured at 20 times the time of a lookup among a thousand. Here hashes
 * and pointers stand together, five of each in a cache line, so a lookup
 * reads one line of the table and one object. Its writers also need no
 * synchronisation of their own: the directory's lock is held anyway.
 *
 * Layout: 1 << bits groups. An entry goes into the first group from its home
 * (the top bits of its 31-bit hash, so that listing order is table order)
 * that has room. It never moves within a table; growing and shrinking make a
 * new table and free the old one after a grace period.
 *
 * Readers: in a read section or with the lock held shared. An entry present
 * during the whole search is found; one that is added or removed meanwhile
 * may or may not be. Writers: with the lock held exclusively.
 */
#ifndef LOCK_RCUTAB_H
#define LOCK_RCUTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "lock/atomic.h"
#include "lock/rcu.h"

#define KF_RCUTAB_ENTRIES 5
#define KF_RCUTAB_HASH_BITS 31

/* Hashes that no entry may have. */
#define KF_RCUTAB_FREE 0 /* never used in this table: a search ends here */
#define KF_RCUTAB_DEAD 1 /* used once: a search goes on */

struct kf_rcutab_group {
	uint32_t hash[KF_RCUTAB_ENTRIES];
	void *entry[KF_RCUTAB_ENTRIES];
} __attribute__((aligned(KF_CACHELINE)));

struct kf_rcutab {
	struct rcu_head rcu;
	unsigned int bits;
	unsigned int live; /* entries */
	unsigned int dead; /* places taken by removed entries */
	struct kf_rcutab_group group[];
};

/*
 * kf_rcutab_reserve - make room for one more entry
 * @ptab: the table, NULL before the first call; replaced when it grows
 *
 * Return: 0; -ENOMEM, and the table is as before.
 */
int kf_rcutab_reserve(struct kf_rcutab **ptab);

/* Adds an entry. There must be room: see kf_rcutab_reserve(). */
void kf_rcutab_add(struct kf_rcutab *tab, uint32_t hash, void *entry);

/* Removes an entry that is there, shrinking the table when it pays. */
void kf_rcutab_del(struct kf_rcutab **ptab, uint32_t hash, void *entry);

/* Frees the table at once: no reader can be left. NULL is ignored. */
void kf_rcutab_free(struct kf_rcutab *tab);

static inline uint32_t kf_rcutab_home(const struct kf_rcutab *tab,
				      uint32_t hash)
{
	return hash >> (KF_RCUTAB_HASH_BITS - tab->bits);
}

/*
 * kf_rcutab_find - the entry with a hash that @match accepts
 * @tab: the table, or NULL
 * @match: called for entries with the same hash
 *
 * Return: the entry, or NULL.
 */
static inline __attribute__((always_inline)) void *
kf_rcutab_find(const struct kf_rcutab *tab, uint32_t hash,
	       bool (*match)(const void *entry, const void *key),
	       const void *key)
{
	uint32_t mask, g, n;

	if (!tab)
		return NULL;
	mask = (1U << tab->bits) - 1;
	g = kf_rcutab_home(tab, hash);
	for (n = 0; n <= mask; n++, g = (g + 1) & mask) {
		const struct kf_rcutab_group *group = &tab->group[g];
		bool last = false;

		for (unsigned int i = 0; i < KF_RCUTAB_ENTRIES; i++) {
			/* pairs with the release in kf_rcutab_add(): who sees
			 * the hash sees the entry and what it points to */
			uint32_t h = smp_load_acquire(&group->hash[i]);
			void *entry;

			if (h != hash) {
				last |= h == KF_RCUTAB_FREE;
				continue;
			}
			/* acquire: the place may have a newer entry by now */
			entry = smp_load_acquire(&group->entry[i]);
			if (entry && match(entry, key))
				return entry;
		}
		if (last)
			return NULL;
	}
	return NULL;
}

#endif /* LOCK_RCUTAB_H */
