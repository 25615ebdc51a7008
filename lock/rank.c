/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The run-time side of lock/rank.h: each thread keeps a list of what it
 * holds. No locks, no shared state: what is checked is the order within one
 * thread, and an order that every thread keeps cannot deadlock.
 */
#include "lock/rank.h"

/* not an empty file for the compiler when the checker is off */
typedef int kf_rank_c_is_not_empty;

#ifdef KF_LOCK_DEBUG

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lock/assert.h"

#define KF_MAX_HELD 32

struct held {
	const void *lock;
	enum kf_rank rank;
	bool exclusive;
};

static __thread struct held held[KF_MAX_HELD];
static __thread unsigned int nr_held;
static __thread unsigned int rcu_depth;

static void die(const char *what)
{
	kf_die("lock/rank.c", 0, what);
}

void (*kf_rank_failed)(const char *what) = die;

const char *kf_rank_name(enum kf_rank rank)
{
	static const char *const name[KF_NR_RANKS] = {
		[KF_RANK_DRAIN] = "drain",
		[KF_RANK_SESSION] = "session",
		[KF_RANK_IPC_REFRESH] = "ipc_refresh",
		[KF_RANK_PREALLOC] = "prealloc",
		[KF_RANK_OF_MUTEX] = "of->mutex",
		[KF_RANK_CONTENT] = "content",
		[KF_RANK_INODE] = "inode",
		[KF_RANK_OPEN] = "open",
		[KF_RANK_NODE] = "node",
		[KF_RANK_RENAME] = "rename",
		[KF_RANK_ID] = "id",
		[KF_RANK_IPC_DIRS] = "ipc_dirs",
		[KF_RANK_IPC] = "ipc",
		[KF_RANK_WORK] = "work",
		[KF_RANK_REGION_REAP] = "region reap",
		[KF_RANK_REGION_IDS] = "region ids",
		[KF_RANK_REGION_QUEUE] = "region queue",
		[KF_RANK_REGION_ARENA] = "region arena",
		[KF_RANK_REGION_HEAP] = "region heap",
		[KF_RANK_WAITQ] = "waitq",
		[KF_RANK_PERCPU] = "percpu",
	};

	return rank < KF_NR_RANKS && name[rank] ? name[rank] : "?";
}

static void failed(const char *what, const void *lock, enum kf_rank rank)
{
	char buf[512];
	int len = snprintf(buf, sizeof(buf), "%s: %s %p; held:", what,
			   kf_rank_name(rank), lock);

	for (unsigned int i = 0; i < nr_held && len < (int)sizeof(buf); i++)
		len += snprintf(buf + len, sizeof(buf) - (size_t)len,
				" %s %p", kf_rank_name(held[i].rank),
				held[i].lock);
	kf_rank_failed(buf);
}

static void check_order(const void *lock, enum kf_rank rank, bool nested)
{
	if (rcu_depth && rank < KF_RANK_NODE)
		failed("sleeping lock inside an RCU read section", lock, rank);
	for (unsigned int i = 0; i < nr_held; i++) {
		if (held[i].rank < rank)
			continue;
		if (nested && held[i].rank == rank &&
		    (uintptr_t)held[i].lock < (uintptr_t)lock)
			continue;
		failed("lock order", lock, rank);
		return;
	}
}

static void push(const void *lock, enum kf_rank rank, bool exclusive)
{
	if (nr_held == KF_MAX_HELD) {
		failed("too many locks", lock, rank);
		return;
	}
	held[nr_held++] = (struct held){ lock, rank, exclusive };
}

void kf_rank_acquire(const void *lock, enum kf_rank rank, bool exclusive)
{
	check_order(lock, rank, false);
	push(lock, rank, exclusive);
}

void kf_rank_acquire_nested(const void *lock, enum kf_rank rank, bool exclusive)
{
	check_order(lock, rank, true);
	push(lock, rank, exclusive);
}

void kf_rank_release(const void *lock)
{
	for (unsigned int i = nr_held; i-- > 0;) {
		if (held[i].lock != lock)
			continue;
		for (nr_held--; i < nr_held; i++)
			held[i] = held[i + 1];
		return;
	}
	failed("released but not held", lock, 0);
}

bool kf_rank_holds(const void *lock, bool exclusive)
{
	for (unsigned int i = 0; i < nr_held; i++)
		if (held[i].lock == lock)
			return held[i].exclusive || !exclusive;
	return false;
}

unsigned int kf_rank_depth(void)
{
	return nr_held;
}

void kf_rank_assert_none(const char *file, int line)
{
	char buf[128];

	if (!nr_held && !rcu_depth)
		return;
	snprintf(buf, sizeof(buf), "%s:%d: waits inside %s", file, line,
		 nr_held ? "a lock" : "an RCU read section");
	failed(buf, NULL, KF_RANK_DRAIN);
}

void kf_rank_assert_may_drain(const char *file, int line)
{
	char buf[128];
	bool may = !rcu_depth;

	for (unsigned int i = 0; i < nr_held; i++)
		may &= held[i].rank < KF_RANK_DRAIN;
	if (may)
		return;
	snprintf(buf, sizeof(buf), "%s:%d: may not drain here", file, line);
	failed(buf, NULL, KF_RANK_DRAIN);
}

void kf_rank_rcu_enter(void)
{
	rcu_depth++;
}

void kf_rank_rcu_exit(void)
{
	kf_assert(rcu_depth > 0);
	rcu_depth--;
}

bool kf_rank_in_rcu(void)
{
	return rcu_depth > 0;
}

#endif /* KF_LOCK_DEBUG */
