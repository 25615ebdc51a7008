/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of lock/rcu.h that are not on a hot path. */
#include "lock/rcu.h"

#include "lock/assert.h"

#ifdef KF_TSAN
char kf_rcu_edge;
#endif

void kf_synchronize_rcu(void)
{
	kf_assert_none_held();
	kf_tsan_release(&kf_rcu_edge);
	urcu_bp_synchronize_rcu();
	kf_tsan_acquire(&kf_rcu_edge);
}

void kf_call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	kf_tsan_release(head);
	urcu_bp_call_rcu(head, func);
}

void kf_rcu_barrier(void)
{
	kf_assert_none_held();
	urcu_bp_barrier();
	kf_tsan_acquire(&kf_rcu_edge);
}
