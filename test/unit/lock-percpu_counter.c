/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The contracts of percpu_counter, one process: the same cases per CPU,
 * atomic, and per CPU where this CPU has no row.
 */
#include "lock/percpu_counter.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>

#include "test/unit/util.h"

#define THREADS 4
#define ROUNDS 100000

static struct percpu_counter_params params;
static struct percpu_counter c[3];

static void setup(void)
{
	ck_assert_int_eq(percpu_counter_init_many(c, 0, NR_OF(c), &params), 0);
}

static void teardown(void)
{
	percpu_counter_destroy_many(c, NR_OF(c));
}

/* --- life --- */

START_TEST(one_counter)
{
	struct percpu_counter one = { 0 };

	ck_assert(!percpu_counter_initialized(&one));
	ck_assert_int_eq(percpu_counter_init(&one, -3), 0);
	ck_assert(percpu_counter_initialized(&one));
	ck_assert_int_eq(percpu_counter_sum(&one), -3);
	ck_assert_int_eq(percpu_counter_mode(&one), PERCPU_COUNTER_PERCPU);
	percpu_counter_destroy(&one);
	ck_assert(!percpu_counter_initialized(&one));
	percpu_counter_destroy(&one);
}
END_TEST

START_TEST(many_are_independent)
{
	struct percpu_counter many[PERCPU_COUNTER_MAX];

	ck_assert_int_eq(
		percpu_counter_init_many(many, 7, NR_OF(many), &params), 0);
	for (unsigned int i = 0; i < NR_OF(many); i++) {
		ck_assert_int_eq(percpu_counter_mode(&many[i]), params.mode);
		ck_assert_int_eq(percpu_counter_sum(&many[i]), 7);
		percpu_counter_add(&many[i], i);
	}
	for (unsigned int i = 0; i < NR_OF(many); i++)
		ck_assert_int_eq(percpu_counter_sum(&many[i]), 7 + i);
	percpu_counter_destroy_many(many, NR_OF(many));
	percpu_counter_destroy_many(many, 0);
}
END_TEST

/* A failed init leaves nothing: a caller unwinds what it made before. */
static void expect_failure(int want, unsigned int nr,
			   const struct percpu_counter_params *with)
{
	struct percpu_counter many[PERCPU_COUNTER_MAX + 1];

	memset(many, 0xa5, sizeof(many));
	ck_assert_int_eq(percpu_counter_init_many(many, 0, nr, with), want);
	for (unsigned int i = 0; i < nr; i++)
		ck_assert(!percpu_counter_initialized(&many[i]));
	percpu_counter_destroy_many(many, nr);
}

START_TEST(init_fails)
{
	struct percpu_counter_params odd = params;

	expect_failure(-EINVAL, 0, &params);
	expect_failure(-EINVAL, PERCPU_COUNTER_MAX + 1, NULL);
	ck_assert_uint_eq(percpu_counter_bytes(0, &params), 0);
	ck_assert_uint_eq(percpu_counter_bytes(PERCPU_COUNTER_MAX + 1, NULL),
			  0);
	odd.nr_slots = PERCPU_COUNTER_MAX_SLOTS + 1;
	expect_failure(-EINVAL, 1, &odd);
	ck_assert_uint_eq(percpu_counter_bytes(1, &odd), 0);
	odd = params;
	odd.mode = PERCPU_COUNTER_NR_MODES;
	expect_failure(-EINVAL, 1, &odd);
}
END_TEST

START_TEST(init_without_memory)
{
	struct percpu_counter_params large = params;
	const char *sanitizer = getenv("KERNFUSE_SANITIZER");
	struct rlimit none = { 0, 0 };

	if (sanitizer && strcmp(sanitizer, "no") != 0)
		return; /* its allocator would rather die */
	large.nr_slots = PERCPU_COUNTER_MAX_SLOTS; /* a megabyte */
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &none), 0);
	expect_failure(-ENOMEM, 2, &large);
}
END_TEST

/* --- memory of the caller --- */

static void *get_memory(size_t size)
{
	void *mem = aligned_alloc(PERCPU_COUNTER_ALIGN, size);

	ck_assert_ptr_nonnull(mem);
	memset(mem, 0x5a, size);
	return mem;
}

START_TEST(init_at)
{
	size_t size = percpu_counter_bytes(2, &params);
	char *mem = get_memory(size + PERCPU_COUNTER_ALIGN);
	struct percpu_counter a[2], b[2];

	ck_assert_uint_eq(size % PERCPU_COUNTER_ALIGN, 0);
	ck_assert_int_eq(percpu_counter_attach(b, 2, mem, size), -EINVAL);
	ck_assert_int_eq(percpu_counter_init_at(a, 4, 2, NULL, size, &params),
			 -EINVAL);
	ck_assert_int_eq(percpu_counter_init_at(a, 4, 2, mem + 64, size,
						&params),
			 -EINVAL);
	ck_assert_int_eq(percpu_counter_init_at(a, 4, 2, mem, size - 1,
						&params),
			 -EINVAL);
	ck_assert(!percpu_counter_initialized(a));
	ck_assert_int_eq(percpu_counter_init_at(a, 4, 2, mem, size, &params),
			 0);
	ck_assert_int_eq(percpu_counter_attach(b, 2, mem, size), 0);
	ck_assert_int_eq(percpu_counter_mode(b), params.mode);
	percpu_counter_add(&a[1], 10);
	percpu_counter_sub(&b[1], 3);
	percpu_counter_destroy_many(a, 2); /* the memory is not its own */
	percpu_counter_inc(&b[0]);
	ck_assert_int_eq(percpu_counter_sum(&b[0]), 5);
	ck_assert_int_eq(percpu_counter_sum(&b[1]), 11);
	percpu_counter_destroy_many(b, 2);
	ck_assert_mem_eq(mem + size, "\x5a\x5a\x5a\x5a\x5a\x5a\x5a\x5a", 8);
	free(mem);
}
END_TEST

START_TEST(attach_refuses)
{
	size_t size = percpu_counter_bytes(2, &params);
	char *mem = get_memory(size);
	struct percpu_counter a[3];

	ck_assert_int_eq(percpu_counter_init_at(a, 0, 2, mem, size, &params),
			 0);
	ck_assert_int_eq(percpu_counter_attach(a, 3, mem, size), -EINVAL);
	ck_assert_int_eq(percpu_counter_attach(a, 1, mem, size), -EINVAL);
	ck_assert_int_eq(percpu_counter_attach(a, 0, mem, size), -EINVAL);
	ck_assert_int_eq(percpu_counter_attach(a, 2, mem, size - 1), -EINVAL);
	ck_assert_int_eq(percpu_counter_attach(a, 2, mem, 8), -EINVAL);
	ck_assert_int_eq(percpu_counter_attach(a, 2, mem + 8, size - 8),
			 -EINVAL);
	ck_assert_int_eq(percpu_counter_attach(a, 2, NULL, size), -EINVAL);
	ck_assert(!percpu_counter_initialized(a));
	mem[8]++; /* the version, and it alone */
	ck_assert_int_eq(percpu_counter_attach(a, 2, mem, size),
			 -EPROTONOSUPPORT);
	free(mem);
}
END_TEST

/*
 * A damaged header: every value of every byte of it either is refused, or
 * gives handles that stay inside the memory.
 */
START_TEST(damaged_headers)
{
	size_t size = percpu_counter_bytes(2, &params), at;
	char *mem = get_memory(size);
	struct percpu_counter a[2];

	ck_assert_int_eq(percpu_counter_init_at(a, 0, 2, mem, size, &params),
			 0);
	for (at = 0; at < 40; at++) {
		char saved = mem[at];

		for (unsigned int value = 0; value < 256; value++) {
			mem[at] = (char)value;
			if (percpu_counter_attach(a, 2, mem, size))
				continue;
			must((char *)(a[1].bank + 1) <= mem + size);
			must(percpu_counter_mode(a) == PERCPU_COUNTER_ATOMIC ||
			     (char *)a[0].slots + PERCPU_COUNTER_ALIGN *
							  a[0].nr_slots <=
				     mem + size);
			percpu_counter_inc(&a[1]);
			percpu_counter_sum(&a[1]);
		}
		mem[at] = saved;
	}
	ck_assert_int_eq(percpu_counter_attach(a, 2, mem, size), 0);
	free(mem);
}
END_TEST

/* --- adding and reading --- */

START_TEST(all_adds)
{
	percpu_counter_add(&c[1], 100);
	percpu_counter_sub(&c[1], 1);
	percpu_counter_add_batch(&c[1], 1000, 1);
	percpu_counter_add_batch(&c[1], 1000, INT_MAX);
	percpu_counter_add_local(&c[1], 50);
	percpu_counter_sub_local(&c[1], 5);
	percpu_counter_inc(&c[1]);
	percpu_counter_dec(&c[1]);
	percpu_counter_dec(&c[1]);
	ck_assert_int_eq(percpu_counter_sum(&c[1]), 2143);
	ck_assert_int_eq(percpu_counter_read(&c[1]), 2143);
	ck_assert_int_eq(percpu_counter_sum(&c[0]), 0);
	ck_assert_int_eq(percpu_counter_sum(&c[2]), 0);
}
END_TEST

/* The kernel's per-CPU part is 32 bits wide; ours is not. */
START_TEST(large_amounts)
{
	for (unsigned int i = 0; i < 64; i++)
		percpu_counter_add_local(&c[0], INT64_C(1) << 40);
	ck_assert_int_eq(percpu_counter_sum(&c[0]), INT64_C(1) << 46);
	percpu_counter_set(&c[0], 0);
	percpu_counter_add(&c[0], INT64_MAX);
	percpu_counter_sub(&c[0], INT64_MAX);
	percpu_counter_add(&c[0], INT64_MIN);
	percpu_counter_sub(&c[0], INT64_MIN);
	ck_assert_int_eq(percpu_counter_sum(&c[0]), 0);
	percpu_counter_add(&c[0], INT64_MAX);
	percpu_counter_inc(&c[0]);
	ck_assert_int_eq(percpu_counter_sum(&c[0]), INT64_MIN);
}
END_TEST

START_TEST(negative_sums)
{
	percpu_counter_sub(&c[0], 5);
	ck_assert_int_eq(percpu_counter_sum(&c[0]), -5);
	ck_assert_int_eq(percpu_counter_sum_positive(&c[0]), 0);
	ck_assert_int_eq(percpu_counter_read_positive(&c[0]), 0);
	percpu_counter_add(&c[0], 6);
	ck_assert_int_eq(percpu_counter_sum_positive(&c[0]), 1);
	ck_assert_int_eq(percpu_counter_read_positive(&c[0]), 1);
}
END_TEST

START_TEST(comparing)
{
	percpu_counter_set(&c[0], 10);
	ck_assert_int_eq(percpu_counter_compare(&c[0], 9), 1);
	ck_assert_int_eq(percpu_counter_compare(&c[0], 10), 0);
	ck_assert_int_eq(percpu_counter_compare(&c[0], 11), -1);
	ck_assert_int_eq(percpu_counter_compare(&c[0], INT64_MIN), 1);
	ck_assert_int_eq(percpu_counter_compare(&c[0], INT64_MAX), -1);
}
END_TEST

START_TEST(setting)
{
	percpu_counter_add(&c[0], 12345);
	percpu_counter_set(&c[0], -7);
	ck_assert_int_eq(percpu_counter_sum(&c[0]), -7);
	percpu_counter_inc(&c[0]);
	ck_assert_int_eq(percpu_counter_sum(&c[0]), -6);
	percpu_counter_set(&c[0], INT64_MAX);
	ck_assert_int_eq(percpu_counter_sum(&c[0]), INT64_MAX);
}
END_TEST

START_TEST(limits)
{
	percpu_counter_add(&c[0], 5);
	ck_assert(percpu_counter_limited_add(&c[0], 10, 5));
	ck_assert(!percpu_counter_limited_add(&c[0], 10, 1));
	ck_assert(percpu_counter_limited_add(&c[0], 10, 0));
	ck_assert_int_eq(percpu_counter_sum(&c[0]), 10);
	ck_assert(percpu_counter_limited_add(&c[0], 0, -10));
	ck_assert(!percpu_counter_limited_add(&c[0], 0, -1));
	ck_assert(percpu_counter_limited_add(&c[0], -1, -1));
	ck_assert_int_eq(percpu_counter_sum(&c[0]), -1);
	/* over the limit already: room is made, none is taken */
	percpu_counter_set(&c[0], 20);
	ck_assert(!percpu_counter_limited_add(&c[0], 10, 1));
	ck_assert(percpu_counter_limited_add(&c[0], 10, -1));
	/* no wrapping around the limit */
	percpu_counter_set(&c[0], INT64_MAX);
	ck_assert(!percpu_counter_limited_add(&c[0], INT64_MAX, 1));
	percpu_counter_set(&c[0], INT64_MIN);
	ck_assert(!percpu_counter_limited_add(&c[0], INT64_MIN, -1));
}
END_TEST

/* --- threads --- */

static void *adding_thread(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		percpu_counter_add(&c[0], 3);
		percpu_counter_sub(&c[1], i);
	}
	return NULL;
}

START_TEST(threads_add)
{
	run_threads(THREADS, adding_thread, NULL, 0);
	ck_assert_int_eq(percpu_counter_sum(&c[0]), 3 * THREADS * ROUNDS);
	ck_assert_int_eq(percpu_counter_sum(&c[1]),
			 -(int64_t)THREADS * (ROUNDS - 1) * (ROUNDS / 2));
	ck_assert_int_eq(percpu_counter_sum(&c[2]), 0);
}
END_TEST

static void *limited_thread(void *granted)
{
	for (unsigned int i = 0; i < ROUNDS / 10; i++)
		if (percpu_counter_limited_add(&c[0], ROUNDS / 10, 1))
			++*(unsigned int *)granted;
	return NULL;
}

START_TEST(threads_share_a_limit)
{
	unsigned int granted[THREADS] = { 0 }, all = 0;

	run_threads(THREADS, limited_thread, granted, sizeof(granted[0]));
	for (unsigned int i = 0; i < THREADS; i++)
		all += granted[i];
	ck_assert_uint_eq(all, ROUNDS / 10);
	ck_assert_int_eq(percpu_counter_sum(&c[0]), ROUNDS / 10);
}
END_TEST

/* A sum meanwhile is between what was and what will be: one way only. */
static void *growing_thread(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < ROUNDS; i++)
		percpu_counter_inc(&c[0]);
	return NULL;
}

START_TEST(sums_meanwhile)
{
	pthread_t id[2];
	int64_t sum, last = 0;

	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(growing_thread, NULL);
	do {
		sum = percpu_counter_sum(&c[0]);
		must(sum >= last && sum <= (int64_t)NR_OF(id) * ROUNDS);
		last = sum;
	} while (sum < (int64_t)NR_OF(id) * ROUNDS);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		thread_join(id[i]);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		one_counter,
		many_are_independent,
		init_fails,
		init_without_memory,
		init_at,
		attach_refuses,
		damaged_headers,
		all_adds,
		large_amounts,
		negative_sums,
		comparing,
		setting,
		limits,
		threads_add,
		threads_share_a_limit,
		sums_meanwhile,
	};
	static const struct {
		const char *name;
		struct percpu_counter_params params;
	} kinds[] = {
		{ "percpu", { .mode = PERCPU_COUNTER_PERCPU } },
		{ "atomic", { .mode = PERCPU_COUNTER_ATOMIC } },
		{ "one slot", { .nr_slots = 1 } },
	};
	int status = EXIT_SUCCESS;

	for (unsigned int i = 0; i < NR_OF(kinds); i++) {
		params = kinds[i].params;
		if (test_run(kinds[i].name, tests, NR_OF(tests), setup,
			     teardown))
			status = EXIT_FAILURE;
	}
	return status;
}
