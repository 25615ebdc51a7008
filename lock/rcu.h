/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RCU as used here: liburcu's "bulletproof" flavour, which registers threads
 * by itself, so that any thread of any program may call the library.
 *
 * Rules, checked with --enable-lock-debug:
 * - inside a read section only locks of KF_RANK_NODE and above may be taken:
 *   their holders never wait for a grace period;
 * - kf_synchronize_rcu() is called with no lock held and outside any section.
 *
 * ThreadSanitizer does not see liburcu's own ordering, so the edges from a
 * section's end to the reuse of memory are drawn by hand; configure leaves
 * _LGPL_SOURCE undefined in that build.
 */
#ifndef LOCK_RCU_H
#define LOCK_RCU_H

#define URCU_API_MAP
#include <urcu/urcu-bp.h>

#include "lock/rank.h"

#ifdef KF_TSAN
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
extern char kf_rcu_edge;
#define kf_tsan_acquire(addr) __tsan_acquire((void *)(addr))
#define kf_tsan_release(addr) __tsan_release((void *)(addr))
#else
#define kf_tsan_acquire(addr) ((void)(addr))
#define kf_tsan_release(addr) ((void)(addr))
static const char kf_rcu_edge __attribute__((unused));
#endif

static inline void kf_rcu_read_lock(void)
{
	kf_rank_rcu_enter();
	urcu_bp_read_lock();
}

static inline void kf_rcu_read_unlock(void)
{
	kf_tsan_release(&kf_rcu_edge);
	urcu_bp_read_unlock();
	kf_rank_rcu_exit();
}

/* May sleep for milliseconds. Nothing held, outside any section. */
void kf_synchronize_rcu(void);

/*
 * Runs @func(@head) in a thread of liburcu's after a grace period. @func may
 * not wait for a grace period; it starts with kf_rcu_callback_begin().
 */
void kf_call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));

static inline void kf_rcu_callback_begin(const struct rcu_head *head)
{
	kf_tsan_acquire(head);
	kf_tsan_acquire(&kf_rcu_edge);
	(void)head;
}

/* Waits until every kf_call_rcu() made before has run. As synchronize. */
void kf_rcu_barrier(void);

#endif /* LOCK_RCU_H */
