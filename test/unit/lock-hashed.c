/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lock tables: their size, and which object gets which lock. */
#include "lock/hashed.h"

#include <kernfuse/root.h>

#include "test/unit/util.h"

START_TEST(bits_by_cpus)
{
	static const struct {
		unsigned int cpus, bits;
	} want[] = {
		{ 1, 4 },  { 2, 4 },  { 3, 4 },	 { 4, 4 },   { 7, 4 },
		{ 8, 6 },  { 15, 6 }, { 16, 8 }, { 31, 8 },  { 32, 10 },
		{ 33, 10 }, { 64, 10 }, { 384, 10 },
	};

	for (unsigned int i = 0; i < NR_OF(want); i++)
		ck_assert_uint_eq(kf_hashed_default_bits(want[i].cpus),
				  want[i].bits);
	ck_assert_uint_eq(KERNFS_MAX_LOCKS, 1U << 10);
}
END_TEST

START_TEST(cpus)
{
	ck_assert_uint_ge(kf_nr_possible_cpus(), 1);
	ck_assert_int_ge(kf_nr_possible_cpus(),
			 (int)sysconf(_SC_NPROCESSORS_ONLN));
}
END_TEST

START_TEST(tables)
{
	for (unsigned int bits = 0; bits <= 10; bits++) {
		struct kf_hashed table;

		ck_assert_int_eq(kf_hashed_init(&table, bits), 0);
		ck_assert_uint_eq(table.bits, bits);
		for (unsigned int i = 0; i < 1U << bits; i++) {
			struct kf_rwsem *sem = &table.locks[i];

			must((uintptr_t)sem % KF_CACHELINE == 0);
			must(!down_write(sem));
			up_write(sem);
		}
		kf_hashed_destroy(&table);
		ck_assert_ptr_null(table.locks);
		kf_hashed_destroy(&table);
	}
}
END_TEST

/* The top bits of the address times the golden ratio. */
START_TEST(hash)
{
	const void *one = (const void *)(uintptr_t)1;
	const void *two = (const void *)(uintptr_t)2;

	ck_assert_uint_eq(kf_hash_ptr(one, 0), 0);
	ck_assert_uint_eq(kf_hash_ptr(one, 1), 0);
	ck_assert_uint_eq(kf_hash_ptr(two, 1), 1);
	ck_assert_uint_eq(kf_hash_ptr(one, 4), 0x6);
	ck_assert_uint_eq(kf_hash_ptr(one, 10), 0x187);
	ck_assert_uint_eq(kf_hash_ptr(two, 10), 0x30e);
}
END_TEST

START_TEST(address_alone_decides)
{
	struct kf_hashed table;
	int obj[64];

	ck_assert_int_eq(kf_hashed_init(&table, 6), 0);
	for (unsigned int i = 0; i < NR_OF(obj); i++) {
		struct kf_rwsem *sem = kf_hashed_pick(&table, &obj[i]);

		obj[i] = (int)i;
		ck_assert_ptr_eq(kf_hashed_pick(&table, &obj[i]), sem);
		ck_assert(sem >= table.locks);
		ck_assert(sem < table.locks + 64);
	}
	kf_hashed_destroy(&table);
}
END_TEST

/* Objects at equal distances, as an allocator lays them out. */
START_TEST(distribution)
{
	static const size_t sizes[] = { 16, 64, 128, 192, 208, 240, 256, 4096 };
	static unsigned int load[1024];
	const unsigned int objects = 16 * NR_OF(load);

	for (unsigned int s = 0; s < NR_OF(sizes); s++) {
		uintptr_t at = UINT64_C(0x7f3a5c000010);
		unsigned int empty = 0;

		for (unsigned int i = 0; i < NR_OF(load); i++)
			load[i] = 0;
		for (unsigned int i = 0; i < objects; i++, at += sizes[s])
			load[kf_hash_ptr((const void *)at, 10)]++;
		for (unsigned int i = 0; i < NR_OF(load); i++) {
			/* 16 on average */
			must(load[i] <= 64);
			empty += !load[i];
		}
		ck_assert_uint_lt(empty, NR_OF(load) / 4);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		bits_by_cpus, cpus,	    tables,
		hash,	      address_alone_decides, distribution,
	};

	return test_run("lock-hashed", tests, NR_OF(tests), NULL, NULL);
}
