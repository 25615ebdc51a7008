/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sleepers of a queue: two lists of slots, receivers and senders, in order of
 * arrival. Who gives a sleeper a result takes him off the list; the sleeper
 * then goes his way without the queue's lock.
 *
 * A sleeper wakes now and then by himself: somebody may have died before he
 * woke him, or with a message that is to go to the next one. Where others are
 * active that is found out sooner.
 */
#include "fs/ipc/ipc-internal.h"

#include "lock/futex.h"

#define FIRST_NAP_NS 300000000ull
#define LAST_NAP_NS 2000000000ull
#define ASKING_NAP_NS 200000000ull

/* A number found in a list: the slot, if it may be in it. */
static struct ipc_slot *sleeper(struct ipc_call *c, struct ipc_queue *q,
				uint32_t nr)
{
	struct ipc_slot *s;

	if (nr == 0 || nr > ipc_nr_slots(c->ns))
		return NULL;
	s = ipc_slot_at(c->ns, nr);
	if (READ_ONCE(s->queue) != ipc_queue_index(c->ns, q) + 1)
		return NULL;
	return s;
}

static void link_last(struct ipc_call *c, struct ipc_list *list, uint32_t nr)
{
	struct ipc_slot *s = ipc_slot_at(c->ns, nr);
	uint32_t last = READ_ONCE(list->last);

	s->next = 0;
	s->prev = last;
	if (last && last <= ipc_nr_slots(c->ns))
		ipc_slot_at(c->ns, last)->next = nr;
	else
		list->first = nr;
	list->last = nr;
}

void ipc_wait_join(struct ipc_call *c, struct ipc_queue *q,
		   struct ipc_list *list, uint32_t nr)
{
	struct ipc_slot *s = ipc_slot_at(c->ns, nr);

	s->ticket = ++q->ticket;
	ipc_step(s->status, IPC_ST_AWAKE);
	link_last(c, list, nr);
}

void ipc_wait_leave(struct ipc_call *c, struct ipc_queue *q,
		    struct ipc_list *list, uint32_t nr)
{
	struct ipc_slot *s = ipc_slot_at(c->ns, nr);
	uint32_t next = READ_ONCE(s->next), prev = READ_ONCE(s->prev);
	struct ipc_slot *n = sleeper(c, q, next), *p = sleeper(c, q, prev);

	if ((next && (!n || n->prev != nr)) ||
	    (prev && (!p || p->next != nr)) || (!next && list->last != nr) ||
	    (!prev && list->first != nr)) {
		ipc_damaged("list of sleepers", nr);
		s->status = IPC_ST_RETRY; /* in no list */
		ipc_wait_rebuild(c, q);
		return;
	}
	if (n)
		n->prev = prev;
	else
		list->last = prev;
	if (p)
		p->next = next;
	else
		list->first = next;
}

void ipc_wait_finish(struct ipc_call *c, struct ipc_queue *q,
		     struct ipc_list *list, uint32_t nr, uint32_t status)
{
	struct ipc_slot *s = ipc_slot_at(c->ns, nr);

	ipc_wait_leave(c, q, list, nr);
	/* pairs with the sleeper's acquire: what it was given is there */
	if (__atomic_exchange_n(&s->status, status, __ATOMIC_ACQ_REL) !=
	    IPC_ST_ASLEEP)
		return;
	if (c->nr_wakes < IPC_NR_WAKES)
		c->wakes[c->nr_wakes++] = nr;
	else
		kf_futex_wake(&s->status, 1);
}

void ipc_wait_wake(struct ipc_call *c)
{
	for (unsigned int i = 0; i < c->nr_wakes; i++)
		kf_futex_wake(&ipc_slot_at(c->ns, c->wakes[i])->status, 1);
	c->nr_wakes = 0;
}

static bool (*interrupted)(void); /* set before there are calls */

void ipc_set_interrupted(bool (*fn)(void))
{
	interrupted = fn;
}

/*
 * Longer and longer, and of no length that somebody else might choose: a
 * signal that comes at the very end of a nap goes unnoticed, unless
 * ipc_note_signal() tells.
 */
static uint64_t nap_length(const struct ipc_call *c, unsigned int nap)
{
	uint64_t ns = FIRST_NAP_NS << (nap > 8 ? 8 : nap);

	if (ns > LAST_NAP_NS)
		ns = LAST_NAP_NS;
	/* whoever is asked wants to be asked often */
	if (interrupted && ns > ASKING_NAP_NS)
		ns = ASKING_NAP_NS;
	return ns + ns / 64 * (c->self->tid * 7u % 16) + 12345;
}

/* Some ten microseconds, which is what it costs to sleep and be woken. */
#define MAX_LOOKS 512
#define MIN_LOOKS 32
/* Sleeps without a look until one is tried again. */
#define PAUSE 32

/* This thread's: how often to look, or, below 0, how many sleeps not to. */
static __thread int looks __attribute__((tls_model("initial-exec"))) =
	MAX_LOOKS;

/*
 * Does what it waits for come at once, from another CPU? Whether it is worth
 * looking is learned: twice as long if it was, half as long if not.
 */
static bool comes_at_once(const uint32_t *status)
{
	int left = looks;

	for (; left > 0; left--) {
		/* pairs with ipc_wait_finish() */
		if (smp_load_acquire(status) > IPC_ST_ASLEEP) {
			looks = looks < MAX_LOOKS / 2 ? 2 * looks : MAX_LOOKS;
			return true;
		}
		cpu_relax();
	}
	if (looks > MIN_LOOKS)
		looks /= 2;
	else if (looks > 0)
		looks = -PAUSE;
	else if (++looks >= 0)
		looks = MAX_LOOKS / 4;
	return false;
}

int ipc_wait_sleep(struct ipc_call *c, unsigned int *nap)
{
	uint32_t *status = &c->slot->status, awake = IPC_ST_AWAKE;
	uint64_t ns = nap_length(c, *nap);
	int err;

	if ((*nap)++ == 0 && comes_at_once(status))
		return 0;
	if (!__atomic_compare_exchange_n(status, &awake, IPC_ST_ASLEEP, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE) &&
	    awake != IPC_ST_ASLEEP)
		return 0;
	do {
		err = ipc_call_signalled(c) ?
			      -EINTR :
			      kf_futex_wait(status, IPC_ST_ASLEEP, ns);
		if (smp_load_acquire(status) > IPC_ST_ASLEEP)
			return 0;
		if (interrupted && interrupted())
			return -EINTR;
	} while (err != -EINTR && err != -ETIMEDOUT);
	return ipc_call_signalled(c) ? -EINTR : err;
}

/* --- receivers --- */

/* Dead sleepers are passed over: somebody will clean up after them. */
static bool takes(const struct ipc_slot *r, const struct ipc_msg *m)
{
	return !ipc_slot_died(r) && READ_ONCE(r->stage) == IPC_WAIT_RCV &&
	       ipc_select_accepts((enum ipc_select)READ_ONCE(r->mode),
				  READ_ONCE(r->type), m->type);
}

static void hand_over(struct ipc_call *c, struct ipc_queue *q, uint32_t nr,
		      struct ipc_slot *r, struct ipc_msg *m)
{
	struct ipc_slot *s = c->slot;
	uint32_t ref = s->msg;

	m->seq = ++q->seq; /* should it ever come back */
	ipc_step(s->peer, nr);
	ipc_step(s->stage, IPC_HANDOFF);
	ipc_step(r->msg, ref);
	ipc_step(m->owner, IPC_OWNER_SLOT | nr);
	ipc_step(s->msg, 0);
	q->taken++;
	q->lrpid = (int32_t)READ_ONCE(r->lrpid);
	q->rtime = q->stime;
	ipc_wait_finish(c, q, &q->receivers, nr, IPC_ST_MSG);
	ipc_step(s->stage, IPC_IDLE);
}

int ipc_wait_handoff(struct ipc_call *c, struct ipc_queue *q)
{
	struct ipc_msg *m = ipc_msg_at(c->ns, c->slot->msg);
	uint32_t nr = READ_ONCE(q->receivers.first), next;
	uint32_t left = ipc_nr_slots(c->ns);

	if (!m)
		return ipc_damaged("message", c->slot->msg);
	for (; nr; nr = next) {
		struct ipc_slot *r = sleeper(c, q, nr);

		if (!r || left-- == 0)
			return ipc_damaged("list of receivers", nr);
		next = READ_ONCE(r->next);
		if (!takes(r, m))
			continue;
		if (READ_ONCE(r->room) >= m->size) {
			hand_over(c, q, nr, r, m);
			return 1;
		}
		ipc_wait_finish(c, q, &q->receivers, nr, IPC_ST_TOOBIG);
	}
	return 0;
}

/* --- senders --- */

bool ipc_queue_fits(const struct ipc_queue *q, uint64_t size)
{
	return size + q->cbytes <= q->qbytes && q->qnum + 1 <= q->qbytes;
}

/*
 * Each who would fit now is woken, and they race for the room; the others go
 * to the end of the list. The first of those that comes by again ends it.
 */
void ipc_wait_senders(struct ipc_call *c, struct ipc_queue *q)
{
	uint32_t nr = READ_ONCE(q->senders.first), next, stop = 0;
	uint32_t left = 2 * ipc_nr_slots(c->ns);

	while (nr && nr != stop) {
		struct ipc_slot *s = sleeper(c, q, nr);

		if (!s || left-- == 0) {
			ipc_damaged("list of senders", nr);
			ipc_wait_rebuild(c, q);
			return;
		}
		next = READ_ONCE(s->next);
		if (ipc_queue_fits(q, READ_ONCE(s->room))) {
			ipc_wait_finish(c, q, &q->senders, nr, IPC_ST_RETRY);
		} else {
			if (!stop)
				stop = nr;
			ipc_wait_leave(c, q, &q->senders, nr);
			s->ticket = ++q->ticket;
			link_last(c, &q->senders, nr);
		}
		nr = next;
	}
}

/* --- everybody --- */

void ipc_wait_all(struct ipc_call *c, struct ipc_queue *q,
		  struct ipc_list *list, uint32_t status)
{
	uint32_t nr, left = ipc_nr_slots(c->ns);

	while ((nr = READ_ONCE(list->first)) != 0) {
		if (!sleeper(c, q, nr) || left-- == 0) {
			ipc_damaged("list of sleepers", nr);
			ipc_wait_rebuild(c, q);
			return;
		}
		ipc_wait_finish(c, q, list, nr, status);
	}
}

static bool sleeps(const struct ipc_slot *s, uint32_t queue)
{
	uint32_t stage = READ_ONCE(s->stage), status = READ_ONCE(s->status);

	return READ_ONCE(s->queue) == queue &&
	       (stage == IPC_WAIT_RCV || stage == IPC_WAIT_SND) &&
	       (status == IPC_ST_AWAKE || status == IPC_ST_ASLEEP) &&
	       READ_ONCE(s->alive) != 0 && !ipc_slot_died(s);
}

/* The sleeper with the lowest ticket above @after, or 0. */
static uint32_t next_ticket(struct ipc_call *c, uint32_t queue, uint64_t *after)
{
	uint64_t best = UINT64_MAX;
	uint32_t nr = 0, nr_slots = ipc_nr_slots(c->ns);

	for (uint32_t i = 1; i <= nr_slots; i++) {
		struct ipc_slot *s = ipc_slot_at(c->ns, i);
		uint64_t ticket = READ_ONCE(s->ticket);

		if (ticket > *after && ticket < best && sleeps(s, queue)) {
			best = ticket;
			nr = i;
		}
	}
	*after = best;
	return nr;
}

/* Slow, and only after a death: nobody wrote down who was in which place. */
int ipc_wait_rebuild(struct ipc_call *c, struct ipc_queue *q)
{
	uint32_t queue = ipc_queue_index(c->ns, q) + 1, nr;
	uint64_t ticket = 0;

	q->receivers = (struct ipc_list){ 0, 0 };
	q->senders = (struct ipc_list){ 0, 0 };
	while ((nr = next_ticket(c, queue, &ticket)) != 0) {
		struct ipc_slot *s = ipc_slot_at(c->ns, nr);

		link_last(c,
			  READ_ONCE(s->stage) == IPC_WAIT_RCV ? &q->receivers :
								&q->senders,
			  nr);
	}
	return 0;
}
