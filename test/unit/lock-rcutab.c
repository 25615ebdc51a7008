/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of a directory's names, against a plain array. */
#include "lock/rcutab.h"

#include <string.h>

#include "test/unit/util.h"

#define POISON 0xdeadbeef

struct entry {
	struct rcu_head rcu;
	uint32_t hash;
	unsigned int key;
};

static struct kf_rcutab *tab;

static void teardown(void)
{
	kf_rcu_barrier();
	kf_rcutab_free(tab);
	tab = NULL;
}

static bool has_key(const void *entry_, const void *key)
{
	const struct entry *entry = entry_;

	must(READ_ONCE(entry->key) != POISON);
	return entry->key == *(const unsigned int *)key;
}

static struct entry *find(uint32_t hash, unsigned int key)
{
	return kf_rcutab_find(smp_load_acquire(&tab), hash, has_key, &key);
}

static void add(struct entry *entry)
{
	must(kf_rcutab_reserve(&tab) == 0);
	kf_rcutab_add(tab, entry->hash, entry);
}

static void del(struct entry *entry)
{
	kf_rcutab_del(&tab, entry->hash, entry);
}

START_TEST(empty)
{
	struct entry e = { .hash = 5, .key = 1 };

	ck_assert_ptr_null(find(5, 1));
	kf_rcutab_free(NULL);
	add(&e);
	ck_assert_ptr_eq(find(5, 1), &e);
	ck_assert_ptr_null(find(5, 2));
	ck_assert_ptr_null(find(6, 1));
	ck_assert_uint_eq(tab->live, 1);
	del(&e);
	ck_assert_ptr_null(find(5, 1));
	ck_assert_uint_eq(tab->live, 0);
	ck_assert_uint_eq(tab->dead, 1);
}
END_TEST

/* One group for the four that most directories have. */
START_TEST(small_tables_stay_small)
{
	struct entry e[5];

	for (unsigned int i = 0; i < NR_OF(e); i++) {
		e[i] = (struct entry){ .hash = i * 1000 + 2, .key = i };
		add(&e[i]);
		ck_assert_uint_eq(tab->bits > 0, i >= 4);
	}
}
END_TEST

/* A place given up is used again; coming and going grows nothing. */
START_TEST(places_are_used_again)
{
	struct entry keep = { .hash = 2, .key = 1 }, e = { .hash = 9, .key = 2 };
	const struct kf_rcutab *first;

	add(&keep);
	first = tab;
	for (unsigned int i = 0; i < 1000; i++) {
		add(&e);
		must(find(9, 2) == &e);
		del(&e);
		must(!find(9, 2));
		must(find(2, 1) == &keep);
	}
	ck_assert_ptr_eq(tab, first);
	ck_assert_uint_eq(tab->live, 1);
	ck_assert_uint_eq(tab->dead, 1);
}
END_TEST

/* Reserving takes no place: it may be called again, or in vain. */
START_TEST(reserve)
{
	struct entry e[64];

	for (unsigned int i = 0; i < NR_OF(e); i++) {
		e[i] = (struct entry){ .hash = i + 2, .key = i };
		for (unsigned int n = 0; n < 3; n++)
			ck_assert_int_eq(kf_rcutab_reserve(&tab), 0);
		ck_assert_uint_eq(tab->live, i);
		kf_rcutab_add(tab, e[i].hash, &e[i]);
		for (unsigned int j = 0; j <= i; j++)
			must(find(j + 2, j) == &e[j]);
	}
}
END_TEST

/* All in one chain, which wraps around the end of the table. */
START_TEST(same_hash)
{
	static const uint32_t hashes[] = { 2, 12345678, 0x7ffffffe };
	static struct entry e[100];

	for (unsigned int h = 0; h < NR_OF(hashes); h++) {
		uint32_t hash = hashes[h];

		for (unsigned int i = 0; i < NR_OF(e); i++) {
			e[i] = (struct entry){ .hash = hash, .key = i };
			add(&e[i]);
		}
		for (unsigned int i = 0; i < NR_OF(e); i += 2)
			del(&e[i]);
		for (unsigned int i = 0; i < NR_OF(e); i++)
			must(find(hash, i) == (i % 2 ? &e[i] : NULL));
		for (unsigned int i = 1; i < NR_OF(e); i += 2)
			del(&e[i]);
		ck_assert_uint_eq(tab->live, 0);
		ck_assert_uint_eq(tab->bits, 0);
	}
}
END_TEST

/* As rename has it: the same entry under two hashes, or twice under one. */
START_TEST(entry_twice)
{
	struct entry e = { .hash = 4, .key = 1 };

	add(&e);
	ck_assert_int_eq(kf_rcutab_reserve(&tab), 0);
	kf_rcutab_add(tab, 8, &e);
	ck_assert_ptr_eq(find(4, 1), &e);
	ck_assert_ptr_eq(find(8, 1), &e);
	kf_rcutab_del(&tab, 4, &e);
	ck_assert_ptr_null(find(4, 1));
	ck_assert_ptr_eq(find(8, 1), &e);
	ck_assert_int_eq(kf_rcutab_reserve(&tab), 0);
	kf_rcutab_add(tab, 8, &e);
	kf_rcutab_del(&tab, 8, &e);
	ck_assert_ptr_eq(find(8, 1), &e);
	ck_assert_uint_eq(tab->live, 1);
}
END_TEST

/* Large enough for huge pages. */
START_TEST(many)
{
	const unsigned int nr = 300000;
	struct entry *e = calloc(nr, sizeof(*e));
	uint64_t state = 1;

	ck_assert_ptr_nonnull(e);
	for (unsigned int i = 0; i < nr; i++) {
		e[i].hash = (uint32_t)(random_next(&state) >> 33 & 0x7ffffffc) +
			    2;
		e[i].key = i;
		add(&e[i]);
	}
	ck_assert_uint_eq(tab->live, nr);
	ck_assert_uint_ge(sizeof(tab->group[0]) << tab->bits, 4 << 20);
	for (unsigned int i = 0; i < nr; i++)
		must(find(e[i].hash, i) == &e[i]);
	for (unsigned int i = 0; i < nr; i++)
		del(&e[i]);
	ck_assert_uint_eq(tab->live, 0);
	ck_assert_uint_eq(tab->bits, 0);
	free(e);
}
END_TEST

/* --- random, against an array --- */

#define NR_ENTRIES 600

static struct entry entry[NR_ENTRIES];
static bool present[NR_ENTRIES];

/* few hashes, at both ends and in the middle, so that many collide */
static uint32_t random_hash(uint64_t *state)
{
	static const uint32_t from[] = { 2, 0x3fffff00, 0x7fffff80 };

	if (random_below(state, 8))
		return 2 + (random_below(state, 200) << 23);
	return from[random_below(state, 3)] + random_below(state, 20);
}

static void expect_all(void)
{
	unsigned int live = 0;

	for (unsigned int i = 0; i < NR_ENTRIES; i++) {
		must(find(entry[i].hash, i) == (present[i] ? &entry[i] : NULL));
		live += present[i];
	}
	ck_assert_uint_eq(tab ? tab->live : 0, live);
}

START_TEST(random_operations)
{
	uint64_t state = 12345;

	for (unsigned int i = 0; i < NR_ENTRIES; i++)
		entry[i] = (struct entry){ .hash = random_hash(&state),
					   .key = i };
	for (unsigned int op = 0; op < 100000; op++) {
		/* the load rises and falls, so that the table does */
		unsigned int full = op / 5000 % 2 ? 1 : 9;
		unsigned int i = random_below(&state, NR_ENTRIES);
		bool want = random_below(&state, 10) < full;

		if (want && !present[i])
			add(&entry[i]);
		else if (!want && present[i])
			del(&entry[i]);
		present[i] = want;
		must(find(entry[i].hash, i) == (want ? &entry[i] : NULL));
		if (op % 500 == 0)
			expect_all();
	}
	expect_all();
}
END_TEST

/* --- readers beside a writer --- */

#define NR_STABLE 40
#define NR_COMING 300

static struct entry stable[NR_STABLE];
static bool stop;

static void *finder_thread(void *arg)
{
	unsigned long *rounds = arg;

	while (!GET(stop)) {
		for (unsigned int i = 0; i < NR_STABLE; i++) {
			kf_rcu_read_lock();
			must(find(stable[i].hash, i) == &stable[i]);
			kf_rcu_read_unlock();
		}
		/* those that come and go: found or not, never freed ones */
		for (unsigned int i = 0; i < NR_COMING; i++) {
			kf_rcu_read_lock();
			find(stable[i % NR_STABLE].hash, NR_STABLE + i);
			kf_rcu_read_unlock();
		}
		++*rounds;
	}
	return NULL;
}

static void free_entry(struct rcu_head *head)
{
	struct entry *e = caa_container_of(head, struct entry, rcu);

	kf_rcu_callback_begin(head);
	WRITE_ONCE(e->key, POISON);
	free(e);
}

/* Full, then empty but for the stable ones, in an order that varies. */
static void fill_and_empty(uint64_t *state)
{
	struct entry *coming[NR_COMING];

	for (unsigned int i = 0; i < NR_COMING; i++) {
		coming[i] = calloc(1, sizeof(**coming));
		must(coming[i]);
		coming[i]->hash = stable[i % NR_STABLE].hash;
		coming[i]->key = NR_STABLE + i;
		add(coming[i]);
	}
	for (unsigned int left = NR_COMING; left; left--) {
		unsigned int i = random_below(state, left);

		del(coming[i]);
		kf_call_rcu(&coming[i]->rcu, free_entry);
		coming[i] = coming[left - 1];
	}
}

START_TEST(stable_entries_are_always_found)
{
	uint64_t state = 99, end = now_ms() + 500;
	unsigned long rounds[2] = { 0 };
	pthread_t id[2];

	for (unsigned int i = 0; i < NR_STABLE; i++) {
		stable[i] = (struct entry){ .hash = random_hash(&state),
					    .key = i };
		add(&stable[i]);
	}
	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(finder_thread, &rounds[i]);
	while (now_ms() < end)
		fill_and_empty(&state);
	SET(stop, true);
	for (unsigned int i = 0; i < NR_OF(id); i++) {
		thread_join(id[i]);
		ck_assert_uint_gt(rounds[i], 0);
	}
	ck_assert_uint_eq(tab->live, NR_STABLE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		empty,
		small_tables_stay_small,
		places_are_used_again,
		reserve,
		same_hash,
		entry_twice,
		many,
		random_operations,
		stable_entries_are_always_found,
	};

	return test_run("lock-rcutab", tests, NR_OF(tests), NULL, teardown);
}
