/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The three policies: what readers and writers lock, and when readers retry. */
#include "lock/nodelock.h"

#include "test/unit/util.h"

#define BITS 2

static struct kf_nodelocks nl;

/* Objects to lock: obj[i] gets the i-th lock of a table of 4, as obj2[i]. */
static char memory[4096];
static const void *obj[4], *obj2[4];

static void find_objects(void)
{
	for (const char *p = memory; p < memory + sizeof(memory); p += 8) {
		unsigned int i = kf_hash_ptr(p, BITS);

		if (!obj[i])
			obj[i] = p;
		else if (!obj2[i])
			obj2[i] = p;
	}
	for (unsigned int i = 0; i < 4; i++)
		must(obj[i] && obj2[i]);
}

static void init(enum kernfs_locking locking)
{
	ck_assert_int_eq(kf_nodelocks_init(&nl, locking, BITS), 0);
}

static void setup(void)
{
	find_objects();
	init(KERNFS_LOCKING_HASHED);
}

static void teardown(void)
{
	kf_nodelocks_destroy(&nl);
}

static void replace(enum kernfs_locking locking)
{
	teardown();
	init(locking);
}

/* --- what is locked, as another thread finds it --- */

enum state { FREE, SHARED, EXCLUSIVE };

static void *probe_thread(void *lock_)
{
	pthread_rwlock_t *lock = lock_;

	if (pthread_rwlock_tryrdlock(lock))
		return (void *)EXCLUSIVE;
	pthread_rwlock_unlock(lock);
	if (pthread_rwlock_trywrlock(lock))
		return (void *)SHARED;
	pthread_rwlock_unlock(lock);
	return (void *)FREE;
}

static enum state state_of(const void *object)
{
	struct kf_rwsem *sem = kf_hashed_pick(&nl.table, object);

	return (enum state)(uintptr_t)thread_join(
		thread_start(probe_thread, &sem->l));
}

static struct kernfs_lock_stats stats_of(enum kernfs_lock_path path)
{
	struct kernfs_lock_stats stats;

	kf_nodelocks_stats(&nl, path, &stats);
	return stats;
}

START_TEST(tables)
{
	ck_assert_uint_eq(nl.table.bits, BITS);
	replace(KERNFS_LOCKING_RCU);
	ck_assert_uint_eq(nl.table.bits, BITS);
	replace(KERNFS_LOCKING_GLOBAL);
	ck_assert_uint_eq(nl.table.bits, 0);
	for (unsigned int path = 0; path < KERNFS_NR_LOCK_PATHS; path++) {
		ck_assert_uint_eq(stats_of(path).runs, 0);
		ck_assert_uint_eq(stats_of(path).waits, 0);
	}
}
END_TEST

/* --- writers --- */

static void expect_write_locks(const void *a, const void *b, const void *c,
			       unsigned int nr)
{
	const void *const given[] = { a, b, c };
	struct kf_write w;

	kf_write_lock(&w, &nl, a, b, c);
	ck_assert_uint_eq(w.nr, nr);
	for (unsigned int i = 1; i < w.nr; i++)
		ck_assert(w.lock[i - 1] < w.lock[i]);
	for (unsigned int i = 0; i < NR_OF(given); i++) {
		if (!given[i])
			continue;
		ck_assert_int_eq(state_of(given[i]), EXCLUSIVE);
		kf_assert_write_locked(&nl, given[i]);
	}
	kf_write_unlock(&w);
	for (unsigned int i = 0; i < NR_OF(obj); i++)
		ck_assert_int_eq(state_of(obj[i]), FREE);
}

START_TEST(write_sets)
{
	expect_write_locks(obj[1], NULL, NULL, 1);
	expect_write_locks(NULL, obj[1], NULL, 1);
	expect_write_locks(NULL, NULL, NULL, 0);
	expect_write_locks(obj[3], obj[0], NULL, 2);
	expect_write_locks(obj[0], NULL, obj[3], 2);
	/* every order of three */
	expect_write_locks(obj[0], obj[1], obj[2], 3);
	expect_write_locks(obj[0], obj[2], obj[1], 3);
	expect_write_locks(obj[1], obj[0], obj[2], 3);
	expect_write_locks(obj[1], obj[2], obj[0], 3);
	expect_write_locks(obj[2], obj[0], obj[1], 3);
	expect_write_locks(obj[2], obj[1], obj[0], 3);
}
END_TEST

/* A lock needed twice is taken once: the same object, or a collision. */
START_TEST(collisions_are_dropped)
{
	expect_write_locks(obj[1], obj[1], NULL, 1);
	expect_write_locks(obj[1], obj2[1], NULL, 1);
	expect_write_locks(obj[1], obj2[1], obj[1], 1);
	expect_write_locks(obj[1], obj[0], obj2[1], 2);
	expect_write_locks(obj[2], obj2[2], obj[3], 2);
	expect_write_locks(obj[0], obj[3], obj2[3], 2);
	replace(KERNFS_LOCKING_GLOBAL);
	expect_write_locks(obj[0], obj[1], obj[2], 1);
	replace(KERNFS_LOCKING_RCU);
	expect_write_locks(obj[2], obj2[2], obj[0], 2);
}
END_TEST

START_TEST(unlock_does_not_look_at_objects)
{
	char *a = calloc(1, 16), *b = calloc(1, 16);
	struct kf_write w;

	kf_write_lock(&w, &nl, a, b, NULL);
	free(a);
	free(b);
	kf_write_unlock(&w);
	for (unsigned int i = 0; i < NR_OF(obj); i++)
		ck_assert_int_eq(state_of(obj[i]), FREE);
}
END_TEST

/* --- readers with locks --- */

static void expect_locked_read(void)
{
	unsigned long seq = 0;
	unsigned int runs = 0;
	struct kf_read rd;

	kf_read_begin(&rd, &nl, obj[1], &seq, KERNFS_LOCK_PERMISSION);
	do {
		runs++;
		/* nobody can, with the lock held; it is not looked at */
		seq += 2;
		ck_assert_int_eq(state_of(obj[1]), SHARED);
	} while (kf_read_retry(&rd));
	kf_read_end(&rd);
	ck_assert_uint_eq(runs, 1);
	ck_assert_int_eq(state_of(obj[1]), FREE);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_PERMISSION).runs, 1);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_PERMISSION).waits, 0);
}

START_TEST(locked_readers)
{
	expect_locked_read();
	replace(KERNFS_LOCKING_GLOBAL);
	expect_locked_read();
}
END_TEST

/* Only the lock of the object, not its neighbours. */
START_TEST(hashed_reader_leaves_others_alone)
{
	struct kf_read rd;

	kf_read_begin(&rd, &nl, obj[1], NULL, KERNFS_LOCK_LOOKUP);
	ck_assert_int_eq(state_of(obj2[1]), SHARED);
	ck_assert_int_eq(state_of(obj[0]), FREE);
	ck_assert_int_eq(state_of(obj[2]), FREE);
	kf_read_end(&rd);
}
END_TEST

static void *reader_thread(void *object)
{
	struct kf_read rd;

	kf_read_begin(&rd, &nl, object, NULL, KERNFS_LOCK_LOOKUP);
	kf_read_end(&rd);
	return NULL;
}

START_TEST(waits_are_counted)
{
	struct kf_write w;
	pthread_t id;

	kf_write_lock(&w, &nl, obj[1], NULL, NULL);
	id = thread_start(reader_thread, (void *)obj2[1]);
	give_it_time();
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_LOOKUP).runs, 0);
	kf_write_unlock(&w);
	thread_join(id);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_LOOKUP).runs, 1);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_LOOKUP).waits, 1);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_UPDATE).runs, 1);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_UPDATE).waits, 0);
}
END_TEST

static void *writer_thread(void *object)
{
	struct kf_write w;

	kf_write_lock(&w, &nl, object, NULL, NULL);
	kf_write_unlock(&w);
	return NULL;
}

START_TEST(writers_wait_for_readers)
{
	struct kf_read rd;
	pthread_t id;

	kf_read_begin(&rd, &nl, obj[3], NULL, KERNFS_LOCK_LOOKUP);
	id = thread_start(writer_thread, (void *)obj[3]);
	give_it_time();
	kf_read_end(&rd);
	thread_join(id);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_UPDATE).runs, 1);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_UPDATE).waits, 1);
}
END_TEST

START_TEST(writers_that_look_first)
{
	static const enum kernfs_locking policy[] = { KERNFS_LOCKING_HASHED,
						      KERNFS_LOCKING_GLOBAL,
						      KERNFS_LOCKING_RCU };

	for (unsigned int i = 0; i < NR_OF(policy); i++) {
		struct kf_read rd;

		replace(policy[i]);
		kf_read_begin_locked(&rd, &nl, obj[1]);
		ck_assert_int_eq(state_of(obj[1]), SHARED);
		kf_read_end(&rd);
		ck_assert_int_eq(state_of(obj[1]), FREE);
		ck_assert_uint_eq(stats_of(KERNFS_LOCK_UPDATE).runs, 1);
	}
}
END_TEST

/* --- readers without --- */

START_TEST(rcu_reader_locks_nothing)
{
	unsigned long seq = 2;
	unsigned int runs = 0;
	struct kf_read rd;

	replace(KERNFS_LOCKING_RCU);
	kf_read_begin(&rd, &nl, obj[1], &seq, KERNFS_LOCK_READDIR);
	do {
		runs++;
		ck_assert_int_eq(state_of(obj[1]), FREE);
	} while (kf_read_retry(&rd));
	kf_read_end(&rd);
	ck_assert_uint_eq(runs, 1);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_READDIR).runs, 1);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_READDIR).waits, 0);
}
END_TEST

START_TEST(rcu_reader_retries)
{
	unsigned long seq = 2;
	unsigned int runs = 0;
	struct kf_read rd;

	replace(KERNFS_LOCKING_RCU);
	kf_read_begin(&rd, &nl, obj[1], &seq, KERNFS_LOCK_READDIR);
	do {
		if (++runs < 4) {
			write_seqcount_begin(&seq);
			write_seqcount_end(&seq);
		}
	} while (kf_read_retry(&rd));
	kf_read_end(&rd);
	ck_assert_uint_eq(runs, 4);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_READDIR).runs, 1);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_READDIR).waits, 1);
}
END_TEST

/* Nothing to check again: one look, whoever writes. */
START_TEST(rcu_reader_without_number)
{
	struct kf_write w;
	struct kf_read rd;

	replace(KERNFS_LOCKING_RCU);
	kf_write_lock(&w, &nl, obj[1], NULL, NULL);
	kf_read_begin(&rd, &nl, obj[1], NULL, KERNFS_LOCK_LOOKUP);
	ck_assert(!kf_read_retry(&rd));
	kf_read_end(&rd);
	kf_write_unlock(&w);
}
END_TEST

static unsigned long odd_seq, data;
static unsigned int attempts;

/* At work until the reader has tried often enough to give up. */
static void *slow_writer_thread(void *holds)
{
	struct kf_write w;

	kf_write_lock(&w, &nl, obj[1], NULL, NULL);
	write_seqcount_begin(&odd_seq);
	SET(*(bool *)holds, true);
	wait_until(GET(attempts) == KF_READ_TRIES);
	give_it_time();
	WRITE_ONCE(data, 7);
	write_seqcount_end(&odd_seq);
	kf_write_unlock(&w);
	return NULL;
}

START_TEST(rcu_reader_queues_in_the_end)
{
	bool holds = false, locked;
	unsigned long seen;
	struct kf_read rd;
	pthread_t id;

	replace(KERNFS_LOCKING_RCU);
	id = thread_start(slow_writer_thread, &holds);
	wait_until(GET(holds));
	kf_read_begin(&rd, &nl, obj2[1], &odd_seq, KERNFS_LOCK_PERMISSION);
	do {
		seen = READ_ONCE(data);
		locked = rd.held;
		ADD(attempts, 1);
	} while (kf_read_retry(&rd));
	ck_assert_int_eq(state_of(obj[1]), SHARED);
	kf_read_end(&rd);
	ck_assert_int_eq(state_of(obj[1]), FREE);
	ck_assert(locked);
	ck_assert_uint_eq(seen, 7);
	ck_assert_uint_eq(attempts, KF_READ_TRIES + 1);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_PERMISSION).runs, 1);
	ck_assert_uint_eq(stats_of(KERNFS_LOCK_PERMISSION).waits, 1);
	thread_join(id);
	/* and is out of its read section */
	kf_synchronize_rcu();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		tables,
		write_sets,
		collisions_are_dropped,
		unlock_does_not_look_at_objects,
		locked_readers,
		hashed_reader_leaves_others_alone,
		waits_are_counted,
		writers_wait_for_readers,
		writers_that_look_first,
		rcu_reader_locks_nothing,
		rcu_reader_retries,
		rcu_reader_without_number,
		rcu_reader_queues_in_the_end,
	};

	return test_run("lock-nodelock", tests, NR_OF(tests), setup, teardown);
}
