/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notification and poll; what they promise is in kernfuse/poll.h.
 *
 * Why no news is lost: a waiter is queued before the two event numbers are
 * compared, and a notification changes the node's number before it looks at
 * the queue, the queueing and the change with the node's open-file mutex held.
 * Whichever comes first, the other sees it. Hiding and removal deactivate the
 * node before they look at the queue, and a poll looks whether it is active
 * after it was queued: the same.
 *
 * Waking is done with nothing held. The queue is taken as a whole, so that one
 * who polls again while it is woken waits for the next news and not for this;
 * those who were taken but not woken yet can still be cancelled, since their
 * list, too, is changed with the mutex held only.
 */
#include "fs/kernfs/open-file.h"

#include <kernfuse/poll.h>

#include <sys/epoll.h>

#define NO_NEWS ((unsigned int)(EPOLLIN | EPOLLOUT | EPOLLRDNORM | EPOLLWRNORM))
#define NEWS (NO_NEWS | (unsigned int)(EPOLLERR | EPOLLPRI))

/* --- the queue: a ring; the open-file mutex --- */

static void init_ring(struct kernfs_poll_link *ring)
{
	ring->prev = ring->next = ring;
}

static void add_last(struct kernfs_poll_link *ring,
		     struct kernfs_poll_link *link)
{
	link->prev = ring->prev;
	link->next = ring;
	ring->prev->next = link;
	ring->prev = link;
}

static void take_out(struct kernfs_poll_link *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
}

/* All of @from into @to, which is not a ring yet. */
static void take_over(struct kernfs_poll_link *to,
		      struct kernfs_poll_link *from)
{
	init_ring(to);
	if (from->next == from)
		return;
	*to = *from;
	to->next->prev = to->prev->next = to;
	init_ring(from);
}

void kernfs_init_waiters(struct kernfs_open_node *on)
{
	init_ring(&on->waiters);
}

bool kernfs_has_waiters(const struct kernfs_open_node *on)
{
	return on->waiters.next != &on->waiters;
}

/* --- waking --- */

/* With the mutex held, which is dropped and taken again. */
static void wake_one(struct kernfs_root *root, struct kf_mutex *mutex,
		     struct poll_table_struct *pt) __kf_must_hold(mutex)
{
	bool cancelled;

	take_out(&pt->link);
	pt->queued = false;
	/* relaxed: the mutex orders it for kernfs_fop_poll_cancel() */
	__atomic_add_fetch(&pt->waking, 1, __ATOMIC_RELAXED);
	mutex_unlock(mutex);
	/* relaxed: who polls again may set it meanwhile, to the same */
	READ_ONCE(pt->wake)(pt);
	mutex_lock(mutex);
	cancelled = pt->cancelled;
	/* release, pairs with the acquire in kernfs_fop_poll_cancel(), after
	 * which @pt may be gone */
	__atomic_sub_fetch(&pt->waking, 1, __ATOMIC_RELEASE);
	if (cancelled)
		wake_up_all(&root->deactivate_waitq);
}

/* The caller keeps @kn alive. @news: count it as an event. */
static void wake_all(struct kernfs_node *kn, bool news)
{
	struct kf_mutex *mutex = kernfs_open_mutex(kn);
	struct kernfs_poll_link woken;
	struct kernfs_open_node *on;

	init_ring(&woken);
	mutex_lock(mutex);
	on = kn->attr.open;
	if (on && news)
		/* release, pairs with kernfs_note_event(): who reads the new
		 * number reads what it stands for */
		smp_store_release(&on->event, on->event + 1);
	if (on)
		take_over(&woken, &on->waiters);
	while (woken.next != &woken)
		wake_one(kn->root, mutex,
			 caa_container_of(woken.next, struct poll_table_struct,
					  link));
	mutex_unlock(mutex);
}

void kernfs_notify(struct kernfs_node *kn)
{
	if (kf_warn_on_once(!kernfs_is(kn, KERNFS_FILE)))
		return;
	/* pairs with the fence in open.c's get_open_node_locked(): either we
	 * see that the file is open, or its opener reads what has changed */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	/* relaxed: only whether it is NULL counts */
	if (READ_ONCE(kn->attr.open))
		wake_all(kn, true);
}

void kernfs_wake_pollers(struct kernfs_node *kn)
{
	/* acquire, pairs with link_file(): the file of whoever waits was
	 * opened with an active reference, before the deactivation */
	if (kernfs_is(kn, KERNFS_FILE) && smp_load_acquire(&kn->attr.open))
		wake_all(kn, false);
}

/* --- waiting --- */

static void queue(struct kf_open_file *of, struct poll_table_struct *pt)
{
	struct kf_mutex *mutex = kernfs_open_mutex(of->of.kn);

	mutex_lock(mutex);
	if (!pt->queued) {
		add_last(&of->on->waiters, &pt->link);
		pt->queued = true;
	}
	mutex_unlock(mutex);
}

void kernfs_fop_poll_cancel(struct kernfs_open_file *of,
			    struct poll_table_struct *pt)
{
	struct kf_mutex *mutex = kernfs_open_mutex(of->kn);
	bool waking;

	kf_assert_may_drain();
	for (;;) {
		mutex_lock(mutex);
		if (pt->queued)
			take_out(&pt->link);
		pt->queued = false;
		/* relaxed: raised with the mutex held */
		waking = READ_ONCE(pt->waking);
		pt->cancelled = waking;
		mutex_unlock(mutex);
		if (!waking)
			return;
		/* then look again: wake may have polled again. Acquire, pairs
		 * with the release in wake_one() */
		wait_event(&of->kn->root->deactivate_waitq,
			   smp_load_acquire(&pt->waking) == 0);
	}
}

unsigned int kernfs_generic_poll(struct kernfs_open_file *pub,
				 struct poll_table_struct *pt)
{
	struct kf_open_file *of = kf_open_file(pub);

	if (pt)
		queue(of, pt);
	/* relaxed: @pt is queued, so what we miss wakes it; the other side of
	 * of->event is this file's own read */
	return READ_ONCE(of->event) == READ_ONCE(of->on->event) ? NO_NEWS :
								  NEWS;
}

unsigned int kernfs_fop_poll(struct kernfs_open_file *pub,
			     struct poll_table_struct *pt)
{
	struct kf_open_file *of = kf_open_file(pub);
	struct kernfs_node *kn = pub->kn;
	const struct kernfs_ops *ops;
	unsigned int mask;

	/* also for a poll callback that does not: removal is news to all */
	if (pt)
		queue(of, pt);
	if (!kernfs_get_active_of(of))
		return NEWS;
	ops = kn->attr.ops;
	mask = ops->poll ? ops->poll(pub, pt) : kernfs_generic_poll(pub, NULL);
	kernfs_put_active(kn);
	return mask;
}
