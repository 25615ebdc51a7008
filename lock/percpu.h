/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Per-thread slots: counters without shared writes.
 *
 * Each thread has a small number, given back when it ends and then given to
 * another one. A kf_percpu holds, for each number, a slot of 64-bit counters
 * on cache lines of its own: only the thread that has the number writes it, so
 * a count is a plain load, add and store. Readers sum all slots.
 *
 * A thread that comes when all numbers are taken shares the last slot with
 * others of its kind and counts there with atomic adds.
 */
#ifndef LOCK_PERCPU_H
#define LOCK_PERCPU_H

#include <stdbool.h>
#include <stdint.h>

#include "lock/atomic.h"
#include "lock/mutex.h"

#define KF_PERCPU_CHUNK 16	/* slots allocated at once */
#define KF_PERCPU_CHUNKS 64	/* so at most 1023 threads of their own */
#define KF_PERCPU_SHARED (KF_PERCPU_CHUNK * KF_PERCPU_CHUNKS - 1)

struct kf_percpu {
	unsigned int nr_counters; /* in a slot */
	unsigned int stride;	  /* 64-bit words from slot to slot */
	/* set once, under lock; read with acquire */
	uint64_t *chunk[KF_PERCPU_CHUNKS];
	struct kf_mutex lock; /* KF_RANK_PERCPU: guards growth */
};

/* Context: may sleep. Return: 0 or -ENOMEM. */
int kf_percpu_init(struct kf_percpu *pc, unsigned int nr_counters);
void kf_percpu_destroy(struct kf_percpu *pc);

/* Sum of counter @nr over all slots; each add is seen whole or not at all. */
uint64_t kf_percpu_sum(const struct kf_percpu *pc, unsigned int nr);

/* The calling thread's number, KF_PERCPU_SHARED when there is none left. */
unsigned int kf_thread_slot_slow(void);
extern __thread unsigned int kf_thread_slot_cached; /* number + 1, or 0 */

/* slow path of kf_percpu_inc(): allocates the chunk, or counts atomically */
void kf_percpu_inc_slow(struct kf_percpu *pc, unsigned int slot,
			unsigned int nr);

static inline unsigned int kf_thread_slot(void)
{
	unsigned int n = kf_thread_slot_cached;

	return __builtin_expect(n != 0, 1) ? n - 1 : kf_thread_slot_slow();
}

/* Adds 1 to counter @nr of the calling thread's slot. Never fails, never
 * blocks: if memory for the slot cannot be had, the shared one counts. */
static inline void kf_percpu_inc(struct kf_percpu *pc, unsigned int nr)
{
	unsigned int slot = kf_thread_slot();
	uint64_t *chunk =
		smp_load_acquire(&pc->chunk[slot / KF_PERCPU_CHUNK]);
	uint64_t *word;

	if (__builtin_expect(!chunk || slot == KF_PERCPU_SHARED, 0)) {
		kf_percpu_inc_slow(pc, slot, nr);
		return;
	}
	word = &chunk[(slot % KF_PERCPU_CHUNK) * pc->stride + nr];
	/* relaxed, pairs with kf_percpu_sum(): the word has one writer, and a
	 * sum needs no order between counters, only whole values */
	WRITE_ONCE(*word, READ_ONCE(*word) + 1);
}

#endif /* LOCK_PERCPU_H */
