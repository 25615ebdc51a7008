/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A table of reader-writer locks, a cache line each, picked by the address of
 * what they guard.
 *
 * The address alone decides, so an object's lock never changes and two
 * objects may share one. Whoever unlocks uses the pointer it locked, never a
 * second hash: the object may be gone by then.
 */
#ifndef LOCK_HASHED_H
#define LOCK_HASHED_H

#include <stdint.h>

#include "lock/rwsem.h"

struct kf_hashed {
	unsigned int bits; /* 1 << bits locks */
	struct kf_rwsem *locks;
};

/*
 * The kernel's rule, NR_KERNFS_LOCK_BITS: twice the logarithm of the CPUs, at
 * most 10. The kernel applies it to the CPUs it was built for, distributions'
 * to hundreds; we to those the machine can have, but never below 4 bits: with
 * the 4 locks the rule gives 2 CPUs, two walks of six components each touch
 * all of them, measured at 1.8 times the global policy instead of 2.5.
 */
unsigned int kf_hashed_default_bits(unsigned int nr_cpus);

/* The CPUs this machine can have, at least 1. */
unsigned int kf_nr_possible_cpus(void);

/* Context: may sleep. Return: 0 or -ENOMEM. */
int kf_hashed_init(struct kf_hashed *table, unsigned int bits);
void kf_hashed_destroy(struct kf_hashed *table);

/* hash_ptr(): the 64-bit golden ratio, top bits */
static inline unsigned int kf_hash_ptr(const void *ptr, unsigned int bits)
{
	uint64_t h = (uint64_t)(uintptr_t)ptr * UINT64_C(0x61C8864680B583EB);

	return bits ? (unsigned int)(h >> (64 - bits)) : 0;
}

static inline struct kf_rwsem *kf_hashed_pick(const struct kf_hashed *table,
					      const void *obj)
{
	return &table->locks[kf_hash_ptr(obj, table->bits)];
}

#endif /* LOCK_HASHED_H */
