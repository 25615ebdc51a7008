/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is done for the dead. Two ways lead here: a lock is taken from an
 * owner who died, and then what it guards is repaired before anything else is
 * done with it; or a slot is found whose caller died.
 *
 * A dead caller's message belongs to whoever has the lock of the queue that
 * the slot names; the slot itself, to whoever has the reap lock.
 */
#include "fs/ipc/ipc-internal.h"

/* The block in @s->msg, if it is that slot's and not one of its free ones. */
static struct ipc_msg *message_of(struct ipc_call *c, struct ipc_slot *s,
				  uint32_t nr)
{
	uint32_t ref = READ_ONCE(s->msg);
	struct ipc_msg *m = ref ? ipc_msg_at(c->ns, ref) : NULL;

	if (!m || READ_ONCE(m->owner) != (IPC_OWNER_SLOT | nr) ||
	    ipc_slot_keeps(s, ref))
		return NULL;
	return m;
}

/* Was the message of a caller at this stage one of the queue's? */
static bool was_taken(uint32_t stage)
{
	return stage == IPC_DEQUEUE || stage == IPC_DELIVER ||
	       stage == IPC_WAIT_RCV;
}

/*
 * What @s, whose caller died, held of this locked queue: back to it, or free.
 * 1 if a message was returned.
 */
static int settle_slot(struct ipc_call *c, struct ipc_queue *q,
		       struct ipc_slot *s, uint32_t nr)
{
	uint32_t stage = READ_ONCE(s->stage);
	int ret = 0;

	if (message_of(c, s, nr)) {
		if (was_taken(stage) && READ_ONCE(q->used) == 1 &&
		    READ_ONCE(q->id) == READ_ONCE(s->id) &&
		    !READ_ONCE(q->broken)) {
			ret = ipc_fifo_return(c, q, s->msg);
			ret = ret < 0 ? ret : 1;
		} else {
			ipc_free_block(c, s->msg);
		}
	}
	ipc_step(s->msg, 0);
	ipc_step(s->stage, IPC_IDLE);
	ipc_step(s->queue, 0);
	if (stage == IPC_WAIT_RCV || stage == IPC_WAIT_SND)
		ipc_wait_rebuild(c, q);
	return ret;
}

/* --- a queue whose owner died --- */

/* A receiver that was given a message but not told so. */
static void finish_handoff(struct ipc_call *c, struct ipc_queue *q,
			   struct ipc_slot *s)
{
	uint32_t nr = READ_ONCE(s->peer), ref = READ_ONCE(s->msg), status;
	struct ipc_msg *m = ref ? ipc_msg_at(c->ns, ref) : NULL;
	struct ipc_slot *r;

	if (READ_ONCE(s->stage) != IPC_HANDOFF || nr == 0 ||
	    nr > ipc_nr_slots(c->ns))
		return;
	r = ipc_slot_at(c->ns, nr);
	status = READ_ONCE(r->status);
	if (READ_ONCE(r->queue) != ipc_queue_index(c->ns, q) + 1 ||
	    READ_ONCE(r->stage) != IPC_WAIT_RCV || !r->msg ||
	    (status != IPC_ST_AWAKE && status != IPC_ST_ASLEEP))
		return;
	/* the dead one had passed the message on, or had not */
	if (m && READ_ONCE(m->owner) == (IPC_OWNER_SLOT | nr))
		ipc_step(s->msg, 0);
	m = ipc_msg_at(c->ns, r->msg);
	if (!m || READ_ONCE(m->owner) != (IPC_OWNER_SLOT | nr)) {
		ipc_step(r->msg, 0);
		return;
	}
	q->taken++;
	if (__atomic_exchange_n(&r->status, IPC_ST_MSG, __ATOMIC_ACQ_REL) ==
		    IPC_ST_ASLEEP &&
	    c->nr_wakes < IPC_NR_WAKES)
		c->wakes[c->nr_wakes++] = nr;
}

/*
 * A block that was being linked or unlinked is the dead caller's for now; it
 * becomes the queue's if it is met on the chain.
 */
static void claim_block(struct ipc_call *c, struct ipc_queue *q, uint32_t ref,
			uint32_t nr)
{
	struct ipc_msg *m = ref ? ipc_msg_at(c->ns, ref) : NULL;

	if (m && READ_ONCE(m->owner) ==
			 (IPC_OWNER_QUEUE | ipc_queue_index(c->ns, q)))
		ipc_step(m->owner, IPC_OWNER_SLOT | nr);
}

static void claim(struct ipc_call *c, struct ipc_queue *q, uint32_t nr)
{
	struct ipc_slot *s = ipc_slot_at(c->ns, nr);
	uint32_t stage = READ_ONCE(s->stage);

	if (nr == c->nr || !ipc_slot_died(s))
		return;
	/* he may have been repairing this queue, on his way to another */
	claim_block(c, q, READ_ONCE(s->purge), nr);
	if (READ_ONCE(s->queue) != ipc_queue_index(c->ns, q) + 1)
		return;
	if (stage == IPC_ENQUEUE || stage == IPC_DEQUEUE)
		claim_block(c, q, READ_ONCE(s->msg), nr);
	finish_handoff(c, q, s);
}

static bool dead_at(struct ipc_call *c, uint32_t nr, uint32_t queue)
{
	struct ipc_slot *s = ipc_slot_at(c->ns, nr);

	/* in this order: a slot that names the queue later names a living one
	 * first; pairs with the stores in ipc_call_begin() and obtain() */
	return smp_load_acquire(&s->queue) == queue && ipc_slot_died(s);
}

/* Is the living caller there on his way with a message of this queue? */
static bool delivers(const struct ipc_slot *s, uint32_t queue)
{
	uint32_t stage;

	if (READ_ONCE(s->queue) != queue || READ_ONCE(s->alive) == 0)
		return false;
	/* pairs with the store that ends DELIVERED: he has been counted */
	stage = smp_load_acquire(&s->stage);
	return stage == IPC_DELIVER || stage == IPC_DELIVERED ||
	       (stage == IPC_WAIT_RCV && READ_ONCE(s->msg));
}

int ipc_settle(struct ipc_call *c, struct ipc_queue *q)
{
	uint32_t queue = ipc_queue_index(c->ns, q) + 1, open = 0;
	uint64_t delivered = smp_load_acquire(&q->delivered);
	int ret, nr_returned = 0;

	if (q->taken == delivered)
		return 0;
	for (uint32_t nr = 1; nr <= ipc_nr_slots(c->ns); nr++) {
		struct ipc_slot *s = ipc_slot_at(c->ns, nr);

		if (dead_at(c, nr, queue)) {
			ret = settle_slot(c, q, s, nr);
			if (ret < 0)
				return ret;
			nr_returned += ret;
		} else {
			open += delivers(s, queue);
		}
	}
	/* nobody is delivering: who died between the last two steps of that
	 * was not counted */
	if (!open)
		q->taken = smp_load_acquire(&q->delivered);
	else
		q->taken -= (uint64_t)nr_returned;
	if (nr_returned)
		ipc_wait_all(c, q, &q->receivers, IPC_ST_RETRY);
	return nr_returned;
}

int ipc_repair_queue(struct ipc_call *c, struct ipc_queue *q, uint32_t dead)
{
	uint32_t queue = ipc_queue_index(c->ns, q) + 1;
	uint32_t nr_slots = ipc_nr_slots(c->ns);
	int err;

	/* the dead owner may have counted, or not */
	ipc_step(c->super->recount, 1);
	claim(c, q, dead);
	if (READ_ONCE(q->used) == 0) {
		q->head = 0;
		return 0;
	}
	err = ipc_fifo_rebuild(c, q);
	for (uint32_t nr = 1; nr <= nr_slots && err >= 0; nr++) {
		if (dead_at(c, nr, queue))
			err = settle_slot(c, q, ipc_slot_at(c->ns, nr), nr);
	}
	ipc_wait_rebuild(c, q);
	if (err < 0) {
		ipc_queue_break(c, q);
		ipc_unlock_queue(c, q);
		return -EIO;
	}
	/* the dead owner may have been about to wake somebody */
	if (READ_ONCE(q->used) == 2) {
		ipc_wait_all(c, q, &q->receivers, IPC_ST_REMOVED);
		ipc_wait_all(c, q, &q->senders, IPC_ST_REMOVED);
		ipc_fifo_purge(c, q);
	} else {
		ipc_wait_all(c, q, &q->receivers, IPC_ST_RETRY);
		ipc_wait_senders(c, q);
	}
	return 0;
}

int ipc_queue_break(struct ipc_call *c, struct ipc_queue *q)
{
	ipc_step(q->broken, 1);
	ipc_wait_rebuild(c, q);
	ipc_wait_all(c, q, &q->receivers, IPC_ST_REMOVED);
	ipc_wait_all(c, q, &q->senders, IPC_ST_REMOVED);
	return -EIDRM;
}

void ipc_unlock_queue(struct ipc_call *c, struct ipc_queue *q)
{
	ipc_unlock(c, &q->lock);
	if (unlikely(c->nr_wakes))
		ipc_wait_wake(c);
}

/* --- a slot whose caller died --- */

static bool owns(const struct kf_ownlock *lock, uint32_t nr)
{
	return ipc_owner_slot(kf_ownlock_owner(lock)) == nr;
}

/*
 * Takes each lock that the dead one has, which repairs, and lets it go. False
 * if that is not possible now: the call that this one interrupted has it.
 */
static bool take_locks(struct ipc_call *c, uint32_t nr)
{
	struct ipc_super *super = c->super;
	bool all = true;

	if (owns(&super->ids_lock, nr)) {
		if (ipc_lock_ids(c) == 0)
			ipc_unlock(c, &super->ids_lock);
		all &= !owns(&super->ids_lock, nr);
	}
	/* before the arena: a unit may be on its way there */
	if (owns(&super->heap_lock, nr)) {
		if (ipc_lock_heap(c) == 0)
			ipc_unlock(c, &super->heap_lock);
		all &= !owns(&super->heap_lock, nr);
	}
	for (uint32_t i = 0; i < c->ns->nr_arenas; i++) {
		struct kf_ownlock *lock = &ipc_arena_at(c->ns, i)->lock;

		if (!owns(lock, nr))
			continue;
		if (ipc_lock_arena(c, i) == 0)
			ipc_unlock(c, lock);
		all &= !owns(lock, nr);
	}
	return all;
}

static void take_queues(struct ipc_call *c, uint32_t nr)
{
	uint32_t ready = ipc_ids_ready(c->ns);

	for (uint32_t i = 0; i < ready; i++) {
		struct ipc_queue *q = ipc_queue_at(c->ns, i);

		if (owns(&q->lock, nr) && ipc_lock_queue(c, q) == 0)
			ipc_unlock_queue(c, q);
	}
}

/* What the slot holds of a queue. -EDEADLK: not now. */
static int reap_message(struct ipc_call *c, struct ipc_slot *s, uint32_t nr)
{
	uint32_t queue = READ_ONCE(s->queue);
	struct ipc_queue *q = queue ? ipc_queue_find(c->ns, queue - 1) : NULL;
	int err;

	if (!q)
		return 0;
	err = ipc_lock_queue(c, q);
	if (err)
		return err;
	if (READ_ONCE(s->queue) == queue && settle_slot(c, q, s, nr) > 0) {
		if (q->taken != READ_ONCE(q->delivered))
			q->taken--;
		ipc_wait_all(c, q, &q->receivers, IPC_ST_RETRY);
	}
	ipc_unlock_queue(c, q);
	return 0;
}

static void reap_block(struct ipc_call *c, uint32_t *where, uint32_t nr)
{
	uint32_t ref = READ_ONCE(*where);
	struct ipc_msg *m = ref ? ipc_msg_at(c->ns, ref) : NULL;

	if (m && READ_ONCE(m->owner) == (IPC_OWNER_SLOT | nr) &&
	    !ipc_slot_keeps(ipc_slot_at(c->ns, nr), ref))
		ipc_free_block(c, ref);
	ipc_step(*where, 0);
}

/* The reap lock is held. */
static bool reap(struct ipc_call *c, uint32_t nr)
{
	struct ipc_slot *s = ipc_slot_at(c->ns, nr);
	uint32_t alive = READ_ONCE(s->alive);

	if (!kf_presence_died(alive))
		return false;
	if (!take_locks(c, nr))
		return false;
	if (READ_ONCE(s->stage) == IPC_LOCK_ALL)
		take_queues(c, nr);
	if (reap_message(c, s, nr) == -EDEADLK)
		return false;
	reap_block(c, &s->msg, nr);
	reap_block(c, &s->purge, nr);
	ipc_step(s->stage, IPC_IDLE);
	ipc_step(s->queue, 0);
	__atomic_add_fetch(&c->super->recoveries, 1, __ATOMIC_RELAXED);
	return __atomic_compare_exchange_n(&s->alive, &alive, 0, false,
					   __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

int ipc_recover(struct ipc_call *c)
{
	int nr_dead = 0;

	if (ipc_lock_reap(c))
		return 0;
	for (uint32_t nr = 1; nr <= ipc_nr_slots(c->ns); nr++)
		nr_dead += reap(c, nr);
	ipc_unlock(c, &c->super->reap_lock);
	return nr_dead;
}

int ipc_ns_recover(struct ipc_namespace *ns)
{
	struct ipc_call c;
	int ret = ipc_call_begin(&c, ns);

	if (ret)
		return ret;
	ret = ipc_recover(&c);
	ipc_call_end(&c);
	return ret;
}

/* --- all queues at once --- */

int ipc_lock_all(struct ipc_call *c)
{
	uint32_t i, ready;
	int err = ipc_lock_ids(c);

	if (err)
		return err;
	ipc_step(c->slot->stage, IPC_LOCK_ALL);
	ready = ipc_ids_ready(c->ns);
	for (i = 0; i < ready; i++) {
		err = ipc_lock_queue_too(c, ipc_queue_at(c->ns, i));
		if (err)
			break;
	}
	if (!err)
		return 0;
	while (i-- > 0)
		kf_ownlock_unlock(&ipc_queue_at(c->ns, i)->lock);
	ipc_unlock(c, &c->super->ids_lock);
	ipc_step(c->slot->stage, IPC_IDLE);
	ipc_wait_wake(c);
	return err;
}

void ipc_unlock_all(struct ipc_call *c)
{
	for (uint32_t i = ipc_ids_ready(c->ns); i-- > 0;)
		kf_ownlock_unlock(&ipc_queue_at(c->ns, i)->lock);
	ipc_unlock(c, &c->super->ids_lock);
	ipc_step(c->slot->stage, IPC_IDLE);
	ipc_wait_wake(c);
}

int ipc_recount(struct ipc_call *c)
{
	uint32_t ready = ipc_ids_ready(c->ns);
	uint64_t messages = 0, bytes = 0;

	for (uint32_t i = 0; i < ready; i++) {
		struct ipc_queue *q = ipc_queue_at(c->ns, i);

		if (q->used == 1) {
			messages += q->qnum;
			bytes += q->cbytes;
		}
	}
	percpu_counter_set(&c->ns->counters[IPC_MSG_HDRS], (int64_t)messages);
	percpu_counter_set(&c->ns->counters[IPC_MSG_BYTES], (int64_t)bytes);
	ipc_step(c->super->recount, 0);
	return 0;
}
