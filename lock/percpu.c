/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Per-thread slots; see lock/percpu.h.
 *
 * Numbers are kept in one bitmap for the process. A number goes back when its
 * thread ends, through a pthread key's destructor; the slot keeps its counts
 * and the next owner adds to them. The bitmap's mutex orders the last store
 * of the old owner before the first load of the new one.
 */
#include "lock/percpu.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lock/assert.h"

#define WORD_BITS (sizeof(unsigned long) * CHAR_BIT)

static_assert(KF_PERCPU_SHARED % WORD_BITS == WORD_BITS - 1,
	      "the shared number is the last bit of the last word");

__thread unsigned int kf_thread_slot_cached;

static struct kf_mutex slots_lock = KF_MUTEX_INITIALIZER(KF_RANK_PERCPU);
static unsigned long slots_taken[(KF_PERCPU_SHARED + 1) / WORD_BITS]; /* slots_lock */
static pthread_key_t slots_key;
static pthread_once_t slots_once = PTHREAD_ONCE_INIT;

static void give_back(void *number_plus_one)
{
	unsigned int slot = (unsigned int)(uintptr_t)number_plus_one - 1;

	/* later destructors of this thread may still count: in the shared slot */
	kf_thread_slot_cached = KF_PERCPU_SHARED + 1;
	mutex_lock(&slots_lock);
	slots_taken[slot / WORD_BITS] &= ~(1UL << (slot % WORD_BITS));
	mutex_unlock(&slots_lock);
}

static void make_key(void)
{
	kf_assert(pthread_key_create(&slots_key, give_back) == 0);
}

static unsigned int lowest_free(void)
{
	for (unsigned int w = 0; w <= KF_PERCPU_SHARED / WORD_BITS; w++) {
		if (slots_taken[w] == ~0UL)
			continue;
		return w * WORD_BITS +
		       (unsigned int)__builtin_ctzl(~slots_taken[w]);
	}
	return KF_PERCPU_SHARED;
}

unsigned int kf_thread_slot_slow(void)
{
	unsigned int slot;

	pthread_once(&slots_once, make_key);
	mutex_lock(&slots_lock);
	slot = lowest_free();
	if (slot != KF_PERCPU_SHARED)
		slots_taken[slot / WORD_BITS] |= 1UL << (slot % WORD_BITS);
	mutex_unlock(&slots_lock);
	/* without memory for the destructor the number would never come back */
	if (slot != KF_PERCPU_SHARED &&
	    pthread_setspecific(slots_key, (void *)(uintptr_t)(slot + 1))) {
		give_back((void *)(uintptr_t)(slot + 1));
		return KF_PERCPU_SHARED;
	}
	kf_thread_slot_cached = slot + 1;
	return slot;
}

static uint64_t *new_chunk(const struct kf_percpu *pc)
{
	size_t bytes = KF_PERCPU_CHUNK * pc->stride * sizeof(uint64_t);
	uint64_t *chunk = aligned_alloc(KF_CACHELINE, bytes);

	if (chunk)
		memset(chunk, 0, bytes);
	return chunk;
}

int kf_percpu_init(struct kf_percpu *pc, unsigned int nr_counters)
{
	const unsigned int words = KF_CACHELINE / sizeof(uint64_t);

	memset(pc, 0, sizeof(*pc));
	pc->nr_counters = nr_counters;
	pc->stride = (nr_counters + words - 1) / words * words;
	/* the shared slot must exist: it counts when nothing else can */
	pc->chunk[KF_PERCPU_CHUNKS - 1] = new_chunk(pc);
	if (!pc->chunk[KF_PERCPU_CHUNKS - 1])
		return -ENOMEM;
	mutex_init(&pc->lock, KF_RANK_PERCPU);
	return 0;
}

void kf_percpu_destroy(struct kf_percpu *pc)
{
	if (!pc->chunk[KF_PERCPU_CHUNKS - 1])
		return;
	for (unsigned int i = 0; i < KF_PERCPU_CHUNKS; i++)
		free(pc->chunk[i]);
	mutex_destroy(&pc->lock);
	memset(pc, 0, sizeof(*pc));
}

static uint64_t *get_chunk(struct kf_percpu *pc, unsigned int nr)
{
	uint64_t *chunk;

	mutex_lock(&pc->lock);
	chunk = pc->chunk[nr];
	if (!chunk) {
		chunk = new_chunk(pc);
		/* pairs with the acquire in kf_percpu_inc() and _sum(): who
		 * sees the pointer sees the zeroes behind it */
		smp_store_release(&pc->chunk[nr], chunk);
	}
	mutex_unlock(&pc->lock);
	return chunk;
}

void kf_percpu_inc_slow(struct kf_percpu *pc, unsigned int slot,
			unsigned int nr)
{
	uint64_t *chunk = get_chunk(pc, slot / KF_PERCPU_CHUNK);
	uint64_t *word;

	if (chunk && slot != KF_PERCPU_SHARED) {
		word = &chunk[(slot % KF_PERCPU_CHUNK) * pc->stride + nr];
		WRITE_ONCE(*word, READ_ONCE(*word) + 1);
		return;
	}
	chunk = pc->chunk[KF_PERCPU_CHUNKS - 1];
	word = &chunk[(KF_PERCPU_CHUNK - 1) * pc->stride + nr];
	/* relaxed, pairs with kf_percpu_sum() */
	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
}

uint64_t kf_percpu_sum(const struct kf_percpu *pc, unsigned int nr)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < KF_PERCPU_CHUNKS; i++) {
		const uint64_t *chunk = smp_load_acquire(&pc->chunk[i]);

		if (!chunk)
			continue;
		/* relaxed, pairs with the stores of kf_percpu_inc() */
		for (unsigned int s = 0; s < KF_PERCPU_CHUNK; s++)
			sum += READ_ONCE(chunk[s * pc->stride + nr]);
	}
	return sum;
}
