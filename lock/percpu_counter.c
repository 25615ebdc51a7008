/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters spread over CPUs; lock/percpu_counter.h says how they lie in memory
 * and what the calls promise.
 *
 * Words are read and written relaxed throughout: adds and sums pair with each
 * other, need whole words and no order.
 */
#include "lock/percpu_counter.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "lock/atomic.h"

#define COUNTER_MAGIC UINT64_C(0x746e756f6370666b) /* "kfpcount" */
#define COUNTER_VERSION 1

/* Threads without rseq are few, or the whole machine has none. */
#define MAX_BANK 16

/* Written by init, the magic last, and never again. All but the first five
 * follow from those and are there to be checked. */
struct header {
	uint64_t magic;
	uint32_t version;
	uint32_t mode;
	uint32_t nr;	   /* counters */
	uint32_t nr_slots; /* in atomic mode, too: unused then */
	uint32_t nr_bank;
	uint32_t row_bytes;
	uint64_t bytes; /* header and rows */
};

_Static_assert(sizeof(struct header) <= PERCPU_COUNTER_ALIGN,
	       "the rows follow the header");

/* --- the layout --- */

/* Completes a header that has mode, nr and nr_slots; false if one of them is
 * out of range. */
static bool lay_out(struct header *h)
{
	if (h->mode >= PERCPU_COUNTER_NR_MODES || !h->nr ||
	    h->nr > PERCPU_COUNTER_MAX || !h->nr_slots ||
	    h->nr_slots > PERCPU_COUNTER_MAX_SLOTS)
		return false;
	h->magic = COUNTER_MAGIC;
	h->version = COUNTER_VERSION;
	h->row_bytes = PERCPU_COUNTER_ALIGN;
	h->nr_bank = 1;
	while (h->nr_bank < h->nr_slots && h->nr_bank < MAX_BANK)
		h->nr_bank *= 2;
	h->bytes =
		(uint64_t)PERCPU_COUNTER_ALIGN * (1 + h->nr_bank + h->nr_slots);
	return true;
}

static bool plan(struct header *h, unsigned int nr,
		 const struct percpu_counter_params *params)
{
	unsigned int cpus = kf_rseq_nr_cpus();

	memset(h, 0, sizeof(*h));
	h->nr = nr;
	if (params) {
		h->mode = (uint32_t)params->mode;
		h->nr_slots = params->nr_slots;
	}
	if (!h->nr_slots)
		h->nr_slots = cpus < PERCPU_COUNTER_MAX_SLOTS ?
				      cpus :
				      PERCPU_COUNTER_MAX_SLOTS;
	return lay_out(h);
}

size_t percpu_counter_bytes(unsigned int nr,
			    const struct percpu_counter_params *params)
{
	struct header h;

	return plan(&h, nr, params) ? (size_t)h.bytes : 0;
}

static inline int64_t *row_of(int64_t *word, size_t row)
{
	return word + row * (PERCPU_COUNTER_ALIGN / sizeof(*word));
}

/* --- life --- */

/* Handles on the group whose header has been checked. */
static void make_handles(struct percpu_counter *fbc, void *mem,
			 const struct header *h)
{
	bool atomic = h->mode == PERCPU_COUNTER_ATOMIC;
	int64_t *first = row_of(mem, 1);

	for (uint32_t i = 0; i < h->nr; i++)
		fbc[i] = (struct percpu_counter){
			.slots = row_of(first + i, h->nr_bank),
			.bank = first + i,
			.nr_slots = atomic ? 0 : h->nr_slots,
			.nr_bank = atomic ? 1 : h->nr_bank,
		};
}

static void set_up(struct percpu_counter *fbc, int64_t amount, void *mem,
		   const struct header *h)
{
	struct header *shared = mem;

	memset(mem, 0, (size_t)h->bytes);
	*shared = *h;
	shared->magic = 0;
	make_handles(fbc, mem, h);
	for (uint32_t i = 0; i < h->nr; i++)
		*fbc[i].bank = amount;
	/* pairs with the acquire in take_header(): the magic says that all of
	 * the above is there */
	smp_store_release(&shared->magic, COUNTER_MAGIC);
}

static bool is_aligned(const void *mem)
{
	return mem && (uintptr_t)mem % PERCPU_COUNTER_ALIGN == 0;
}

int percpu_counter_init_at(struct percpu_counter *fbc, int64_t amount,
			   unsigned int nr, void *mem, size_t size,
			   const struct percpu_counter_params *params)
{
	struct header h;

	memset(fbc, 0, nr * sizeof(*fbc));
	if (!plan(&h, nr, params) || !is_aligned(mem) || size < h.bytes)
		return -EINVAL;
	set_up(fbc, amount, mem, &h);
	return 0;
}

int percpu_counter_init_many(struct percpu_counter *fbc, int64_t amount,
			     unsigned int nr,
			     const struct percpu_counter_params *params)
{
	struct header h;
	void *mem;

	memset(fbc, 0, nr * sizeof(*fbc));
	if (!plan(&h, nr, params))
		return -EINVAL;
	mem = aligned_alloc(PERCPU_COUNTER_ALIGN, (size_t)h.bytes);
	if (!mem)
		return -ENOMEM;
	set_up(fbc, amount, mem, &h);
	fbc->owned = mem;
	return 0;
}

int percpu_counter_init(struct percpu_counter *fbc, int64_t amount)
{
	return percpu_counter_init_many(fbc, amount, 1, NULL);
}

/* Takes the header out of the shared memory once: what is checked is what is
 * used. */
static int take_header(const void *mem, struct header *ret_header)
{
	const struct header *shared = mem;

	/* pairs with the release in set_up() */
	ret_header->magic = smp_load_acquire(&shared->magic);
	if (ret_header->magic != COUNTER_MAGIC)
		return -EINVAL;
	/* relaxed: nobody writes these any more, unless to do us harm */
	ret_header->version = READ_ONCE(shared->version);
	if (ret_header->version != COUNTER_VERSION)
		return -EPROTONOSUPPORT;
	ret_header->mode = READ_ONCE(shared->mode);
	ret_header->nr = READ_ONCE(shared->nr);
	ret_header->nr_slots = READ_ONCE(shared->nr_slots);
	ret_header->nr_bank = READ_ONCE(shared->nr_bank);
	ret_header->row_bytes = READ_ONCE(shared->row_bytes);
	ret_header->bytes = READ_ONCE(shared->bytes);
	return 0;
}

int percpu_counter_attach(struct percpu_counter *fbc, unsigned int nr,
			  void *mem, size_t size)
{
	struct header h = { 0 }, want = { 0 };
	int ret;

	memset(fbc, 0, nr * sizeof(*fbc));
	if (!is_aligned(mem) || size < sizeof(h))
		return -EINVAL;
	ret = take_header(mem, &h);
	if (ret)
		return ret;
	/* everything follows from these: what differs is damage */
	want.mode = h.mode;
	want.nr = nr;
	want.nr_slots = h.nr_slots;
	if (!lay_out(&want) || memcmp(&want, &h, sizeof(h)) != 0 ||
	    h.bytes > size)
		return -EINVAL;
	make_handles(fbc, mem, &h);
	return 0;
}

void percpu_counter_destroy_many(struct percpu_counter *fbc, unsigned int nr)
{
	if (!nr)
		return;
	free(fbc->owned);
	memset(fbc, 0, nr * sizeof(*fbc));
}

void percpu_counter_destroy(struct percpu_counter *fbc)
{
	percpu_counter_destroy_many(fbc, 1);
}

enum percpu_counter_mode percpu_counter_mode(const struct percpu_counter *fbc)
{
	return fbc->nr_slots ? PERCPU_COUNTER_PERCPU : PERCPU_COUNTER_ATOMIC;
}

/* --- adding --- */

/* The row goes by CPU, as far as that is known, not by thread: threads that
 * run side by side are on different CPUs. */
static int64_t *bank_row(const struct percpu_counter *fbc)
{
	unsigned int nth = 0;

	if (fbc->nr_bank > 1)
		nth = (unsigned int)sched_getcpu() & (fbc->nr_bank - 1);
	return row_of(fbc->bank, nth);
}

void kf_counter_add_slow(const struct percpu_counter *fbc, int64_t amount)
{
	struct kf_rseq *rseq = fbc->nr_slots ? kf_rseq_get() : NULL;

	for (unsigned int i = 0; rseq && i < KF_RSEQ_TRIES; i++) {
		if (kf_counter_add_cpu(fbc, rseq, amount))
			return;
		/* relaxed: as in kf_counter_add_cpu() */
		if (READ_ONCE(rseq->cpu_id) >= fbc->nr_slots)
			break; /* no row, now or ever: not just interrupted */
	}
	__atomic_fetch_add(bank_row(fbc), amount, __ATOMIC_RELAXED);
}

/* --- reading --- */

/* Bank and CPUs are adjacent; in atomic mode it is one row. */
static uint64_t sum_from(const struct percpu_counter *fbc, size_t row)
{
	size_t nr = (size_t)fbc->nr_bank + fbc->nr_slots;
	uint64_t sum = 0;

	for (; row < nr; row++)
		sum += (uint64_t)READ_ONCE(*row_of(fbc->bank, row));
	return sum;
}

int64_t percpu_counter_sum(const struct percpu_counter *fbc)
{
	return (int64_t)sum_from(fbc, 0);
}

int64_t percpu_counter_sum_positive(const struct percpu_counter *fbc)
{
	int64_t sum = percpu_counter_sum(fbc);

	return sum < 0 ? 0 : sum;
}

int percpu_counter_compare(const struct percpu_counter *fbc, int64_t rhs)
{
	int64_t sum = percpu_counter_sum(fbc);

	return (sum > rhs) - (sum < rhs);
}

/* --- adding what depends on the sum --- */

void percpu_counter_set(struct percpu_counter *fbc, int64_t amount)
{
	uint64_t sum = sum_from(fbc, 0);

	__atomic_fetch_add(fbc->bank, (int64_t)((uint64_t)amount - sum),
			   __ATOMIC_RELAXED);
}

/*
 * All of these calls change the bank's first word, by compare-and-swap: if
 * another has succeeded since the word was read, the sum is taken again.
 */
bool percpu_counter_limited_add(struct percpu_counter *fbc, int64_t limit,
				int64_t amount)
{
	int64_t first = READ_ONCE(*fbc->bank);
	int64_t next, sum;

	if (!amount)
		return true;
	do {
		sum = (int64_t)((uint64_t)first + sum_from(fbc, 1));
		if (__builtin_add_overflow(sum, amount, &sum))
			return false;
		if (amount > 0 ? sum > limit : sum < limit)
			return false;
		next = (int64_t)((uint64_t)first + (uint64_t)amount);
		/* relaxed: that the word is the same is all that counts */
	} while (!__atomic_compare_exchange_n(fbc->bank, &first, next, false,
					      __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return true;
}
