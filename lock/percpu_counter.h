/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters that CPUs, threads and processes add to without touching each
 * other's cache lines: the kernel's percpu_counter, in memory that several
 * processes may map, at different addresses.
 *
 * A group of counters is one piece of memory: a header, then rows of
 * PERCPU_COUNTER_ALIGN bytes with a 64-bit word for each counter.
 *
 *	the bank, nr_bank rows	written by atomic adds alone
 *	nr_slots rows		row n written on CPU n alone, see lock/rseq.h
 *
 * The value of a counter is the sum of its words. No word is ever folded into
 * another or reset: nobody but its CPU may write a word of the second kind,
 * and a plain add there would undo an atomic one. So a thread without rseq, or
 * on a CPU without a row, adds in the bank; set and limited_add use the bank's
 * first row. In atomic mode that row is all there is in use.
 *
 * A struct percpu_counter is this process's handle on one counter of a group.
 * It has pointers and stays private; the memory has none. A handle is made by
 * init or attach, and inherited over fork() if the mapping is.
 *
 * All calls but init, attach and destroy may be made by any number of threads
 * and processes at once, also in signal handlers; they take no lock and cannot
 * fail. Whoever is killed inside one has made its change or has not. They
 * order nothing: a sum sees an add for certain if a lock, waitpid() or the
 * like comes between them. Values wrap at 64 bits.
 *
 * Nothing in the memory is believed: attach checks the header against the size
 * it is told, and what is read later are only figures.
 */
#ifndef LOCK_PERCPU_COUNTER_H
#define LOCK_PERCPU_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lock/rseq.h"

/* Alignment of a group and length of a row: a processor may fetch lines of 64
 * bytes in pairs, and others have lines of 128. */
#define PERCPU_COUNTER_ALIGN 128
/* Counters in a group, at most: what fits a row. */
#define PERCPU_COUNTER_MAX (PERCPU_COUNTER_ALIGN / 8)
/* CPUs with rows of their own, at most. */
#define PERCPU_COUNTER_MAX_SLOTS 8192

/* Kept in the memory of the group. */
enum percpu_counter_mode {
	PERCPU_COUNTER_PERCPU, /* a word for each CPU; the default */
	PERCPU_COUNTER_ATOMIC, /* one word, added to atomically by all */
	PERCPU_COUNTER_NR_MODES,
};

/* Zeroes are the defaults. */
struct percpu_counter_params {
	enum percpu_counter_mode mode;
	unsigned int
		nr_slots; /* CPUs with rows; 0: all this machine can have */
};

/* A handle; zeroes: not initialised. Private to lock/percpu_counter.[ch]. */
struct percpu_counter {
	int64_t *slots;	   /* word in the row of CPU 0 */
	int64_t *bank;	   /* word in the first row */
	uint32_t nr_slots; /* 0 in atomic mode */
	uint32_t nr_bank;  /* a power of two; 1 in atomic mode */
	void *owned; /* of the first in the group: memory to free, or NULL */
};

/* --- life --- */

/*
 * percpu_counter_bytes - memory that a group of @nr counters needs
 *
 * The same in either mode. @params may be NULL.
 *
 * Return: bytes, a multiple of PERCPU_COUNTER_ALIGN; 0 if @nr or a parameter
 * is out of range.
 */
size_t percpu_counter_bytes(unsigned int nr,
			    const struct percpu_counter_params *params);

/*
 * percpu_counter_init_at - set up a group in memory of the caller
 * @fbc: array of @nr handles, filled in
 * @amount: value that each starts with
 * @mem: aligned to PERCPU_COUNTER_ALIGN, of any content, in use by nobody; the
 *	 caller's, who keeps it until all handles on it are destroyed
 * @size: of @mem; at least percpu_counter_bytes(@nr, @params)
 * @params: or NULL
 *
 * Visible: attach in other processes fails until all is there.
 *
 * Return: 0; -EINVAL, and the handles are zeroed.
 */
int percpu_counter_init_at(struct percpu_counter *fbc, int64_t amount,
			   unsigned int nr, void *mem, size_t size,
			   const struct percpu_counter_params *params);

/*
 * percpu_counter_init_many - the same in private memory, which the group owns
 *
 * Context: may sleep.
 * Return: 0; -EINVAL, -ENOMEM, and the handles are zeroed.
 */
int percpu_counter_init_many(struct percpu_counter *fbc, int64_t amount,
			     unsigned int nr,
			     const struct percpu_counter_params *params);

/* One counter; as above. */
int percpu_counter_init(struct percpu_counter *fbc, int64_t amount);

/*
 * percpu_counter_attach - handles on a group that somebody else has set up
 * @fbc: array of @nr handles, filled in
 * @nr: counters that the group must have
 * @mem: its memory, mapped here; for reading is enough if nobody adds
 * @size: bytes that may be touched
 *
 * Return: 0; -EINVAL @mem is not aligned, or there is no such group in it: not
 * there yet, damaged, of other counters, longer than @size; -EPROTONOSUPPORT
 * a layout of another version. On failure the handles are zeroed.
 */
int percpu_counter_attach(struct percpu_counter *fbc, unsigned int nr,
			  void *mem, size_t size);

/*
 * percpu_counter_destroy_many - forget the handles of a group
 *
 * Frees what init_many allocated; a caller's memory stays as it is, others may
 * be counting there. Zeroed handles are fine. Nobody uses the handles.
 */
void percpu_counter_destroy_many(struct percpu_counter *fbc, unsigned int nr);
void percpu_counter_destroy(struct percpu_counter *fbc);

static inline bool percpu_counter_initialized(const struct percpu_counter *fbc)
{
	return fbc->bank != NULL;
}

enum percpu_counter_mode percpu_counter_mode(const struct percpu_counter *fbc);

/* --- adding --- */

/* What is left when the first try failed, or none was made. */
void kf_counter_add_slow(const struct percpu_counter *fbc, int64_t amount);

/* Adds to the word of the CPU this thread is on; false: nothing was added. */
static inline __attribute__((always_inline)) bool
kf_counter_add_cpu(const struct percpu_counter *fbc, struct kf_rseq *rseq,
		   int64_t amount)
{
	/* relaxed: the kernel writes it, and kf_rseq_add() looks again. What
	 * is not registered is negative, hence too large, as is everything in
	 * atomic mode. */
	uint32_t cpu = READ_ONCE(rseq->cpu_id);
	char *slots = (char *)fbc->slots;

	if (__builtin_expect(cpu >= fbc->nr_slots, 0))
		return false;
	return kf_rseq_add(
		rseq, cpu,
		(int64_t *)(void *)(slots + (size_t)cpu * PERCPU_COUNTER_ALIGN),
		amount);
}

/* Adds @amount of either sign; see also the head of this file. */
static inline __attribute__((always_inline)) void
percpu_counter_add_local(struct percpu_counter *fbc, int64_t amount)
{
	struct kf_rseq *rseq = kf_rseq_peek();

	if (__builtin_expect(!rseq || !kf_counter_add_cpu(fbc, rseq, amount),
			     0))
		kf_counter_add_slow(fbc, amount);
}

static inline void percpu_counter_sub_local(struct percpu_counter *fbc,
					    int64_t amount)
{
	percpu_counter_add_local(fbc, (int64_t)(0 - (uint64_t)amount));
}

/*
 * The kernel folds at @batch to keep percpu_counter_read() near. Here nothing
 * is folded and read is exact, so any batch is kept: these are the same add.
 */
static inline void percpu_counter_add_batch(struct percpu_counter *fbc,
					    int64_t amount, int32_t batch)
{
	(void)batch;
	percpu_counter_add_local(fbc, amount);
}

static inline void percpu_counter_add(struct percpu_counter *fbc,
				      int64_t amount)
{
	percpu_counter_add_local(fbc, amount);
}

static inline void percpu_counter_sub(struct percpu_counter *fbc,
				      int64_t amount)
{
	percpu_counter_sub_local(fbc, amount);
}

static inline void percpu_counter_inc(struct percpu_counter *fbc)
{
	percpu_counter_add_local(fbc, 1);
}

static inline void percpu_counter_dec(struct percpu_counter *fbc)
{
	percpu_counter_add_local(fbc, -1);
}

/*
 * percpu_counter_limited_add - add unless that crosses a limit
 * @limit: not to be exceeded; not to be undercut if @amount is negative
 *
 * Exact among calls of its kind: they succeed one after another, each knowing
 * all before. Other adds are neither limited nor held off, as in the kernel.
 * Costs a sum and an atomic operation on a word that all such calls share.
 *
 * Return: true if @amount was added, or is 0; false if nothing was.
 */
bool percpu_counter_limited_add(struct percpu_counter *fbc, int64_t limit,
				int64_t amount);

/*
 * percpu_counter_set - make the sum @amount
 *
 * Adds the difference to the present sum. What others add meanwhile may or may
 * not count on top.
 */
void percpu_counter_set(struct percpu_counter *fbc, int64_t amount);

/* --- reading --- */

/*
 * percpu_counter_sum - the value
 *
 * Reads all rows and writes nothing: a few nanoseconds for a few CPUs, a cache
 * miss for each CPU that has added since the last sum.
 *
 * Visible: exact if nobody is adding. Otherwise each add counts or does not,
 * never in part; an add may be seen and an earlier one on another CPU not, so
 * a count of what comes and goes may be negative for a moment.
 */
int64_t percpu_counter_sum(const struct percpu_counter *fbc);

/* The sum; 0 if it is negative. */
int64_t percpu_counter_sum_positive(const struct percpu_counter *fbc);

/* The kernel's are rough and cheap; these are sums, see add_batch. */
static inline int64_t percpu_counter_read(const struct percpu_counter *fbc)
{
	return percpu_counter_sum(fbc);
}

static inline int64_t
percpu_counter_read_positive(const struct percpu_counter *fbc)
{
	return percpu_counter_sum_positive(fbc);
}

/* Is the sum less than, equal to, greater than @rhs? Return: -1, 0 or 1. */
int percpu_counter_compare(const struct percpu_counter *fbc, int64_t rhs);

#endif /* LOCK_PERCPU_COUNTER_H */
