/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The messages of a queue, oldest first. The chain of next links from head is
 * what counts: a message comes and goes with one store there. Everything else,
 * the links back, the index, the figures, follows from it and is made anew
 * when somebody died in between.
 */
#include "fs/ipc/ipc-internal.h"

static void count(struct ipc_call *c, struct ipc_queue *q, int64_t messages,
		  int64_t bytes)
{
	q->qnum += (uint64_t)messages;
	q->cbytes += (uint64_t)bytes;
	percpu_counter_add_local(&c->ns->counters[IPC_MSG_HDRS], messages);
	percpu_counter_add_local(&c->ns->counters[IPC_MSG_BYTES], bytes);
}

int ipc_fifo_append(struct ipc_call *c, struct ipc_queue *q)
{
	struct ipc_slot *s = c->slot;
	uint32_t ref = s->msg, tail = READ_ONCE(q->tail);
	struct ipc_msg *m = ipc_msg_at(c->ns, ref), *last = NULL;

	if (tail)
		last = ipc_msg_at(c->ns, tail);
	if (!m || !tail != !READ_ONCE(q->head) || (tail && !last))
		return ipc_damaged("tail of a queue", tail);
	m->seq = ++q->seq;
	m->prev = tail;
	ipc_step(m->next, 0);
	ipc_step(s->stage, IPC_ENQUEUE);
	if (last)
		ipc_step(last->next, ref);
	else
		ipc_step(q->head, ref);
	ipc_step(m->owner, IPC_OWNER_QUEUE | ipc_queue_index(c->ns, q));
	q->tail = ref;
	if (ipc_types_insert(c, q, ref))
		return -EIO;
	count(c, q, 1, m->size);
	ipc_step(s->msg, 0);
	ipc_step(s->stage, IPC_IDLE);
	return 0;
}

/* Are the neighbours of @m what @m says? The links to it, or NULL. */
static bool neighbours(struct ipc_call *c, struct ipc_queue *q, uint32_t ref,
		       struct ipc_msg *m, uint32_t **from_prev,
		       uint32_t **from_next)
{
	uint32_t prev = READ_ONCE(m->prev), next = READ_ONCE(m->next);
	struct ipc_msg *n;

	*from_prev = &q->head;
	*from_next = &q->tail;
	if (prev) {
		n = ipc_msg_at(c->ns, prev);
		if (!n)
			return false;
		*from_prev = &n->next;
	}
	if (next) {
		n = ipc_msg_at(c->ns, next);
		if (!n)
			return false;
		*from_next = &n->prev;
	}
	return READ_ONCE(**from_prev) == ref && READ_ONCE(**from_next) == ref;
}

int ipc_fifo_take(struct ipc_call *c, struct ipc_queue *q, uint32_t ref)
{
	struct ipc_slot *s = c->slot;
	struct ipc_msg *m = ipc_msg_at(c->ns, ref);
	uint32_t *from_prev, *from_next;
	uint64_t size;

	if (!m || !neighbours(c, q, ref, m, &from_prev, &from_next))
		return ipc_damaged("chain of messages", ref);
	size = READ_ONCE(m->size);
	if (size > ipc_msg_room(c->ns, ref) || q->qnum == 0 || q->cbytes < size)
		return ipc_damaged("size of a message", ref);
	ipc_step(s->msg, ref);
	ipc_step(s->stage, IPC_DEQUEUE);
	ipc_step(*from_prev, m->next);
	*from_next = m->prev;
	if (ipc_types_remove(c, q, ref))
		return -EIO;
	count(c, q, -1, -(int64_t)size);
	q->taken++;
	ipc_step(m->owner, IPC_OWNER_SLOT | c->nr);
	ipc_step(s->stage, IPC_DELIVER);
	return 0;
}

/* The link to the first message younger than @seq, and the one before it. */
static int find_place(struct ipc_call *c, struct ipc_queue *q, uint64_t seq,
		      uint32_t **link, uint32_t *prev)
{
	struct ipc_msg *n;
	uint64_t last = 0;
	uint32_t at;

	*link = &q->head;
	*prev = 0;
	while ((at = READ_ONCE(**link)) != 0) {
		n = ipc_msg_at(c->ns, at);
		if (!n || READ_ONCE(n->seq) <= last)
			return ipc_damaged("chain of messages", at);
		last = READ_ONCE(n->seq);
		if (last > seq)
			break;
		*link = &n->next;
		*prev = at;
	}
	return 0;
}

int ipc_fifo_return(struct ipc_call *c, struct ipc_queue *q, uint32_t ref)
{
	struct ipc_msg *m = ipc_msg_at(c->ns, ref), *next = NULL;
	uint32_t *link, prev, at;

	if (!m || READ_ONCE(m->size) > ipc_msg_room(c->ns, ref))
		return ipc_damaged("message of a dead receiver", ref);
	if (find_place(c, q, READ_ONCE(m->seq), &link, &prev))
		return -EIO;
	at = READ_ONCE(*link);
	if (at)
		next = ipc_msg_at(c->ns, at);
	m->prev = prev;
	ipc_step(m->next, at);
	ipc_step(*link, ref);
	ipc_step(m->owner, IPC_OWNER_QUEUE | ipc_queue_index(c->ns, q));
	if (next)
		next->prev = ref;
	else
		q->tail = ref;
	if (ipc_types_insert(c, q, ref))
		return -EIO;
	count(c, q, 1, m->size);
	return 0;
}

/* The queue is out of reach for all but whoever repairs it. */
void ipc_fifo_purge(struct ipc_call *c, struct ipc_queue *q)
{
	uint32_t ref, mine = IPC_OWNER_QUEUE | ipc_queue_index(c->ns, q);

	count(c, q, (int64_t)(0 - q->qnum), (int64_t)(0 - q->cbytes));
	while ((ref = READ_ONCE(q->head)) != 0) {
		struct ipc_msg *m = ipc_msg_at(c->ns, ref);

		if (!m || READ_ONCE(m->owner) != mine) {
			q->head = 0;
			break;
		}
		ipc_step(c->slot->purge, ref);
		ipc_step(q->head, READ_ONCE(m->next));
		ipc_step(m->owner, IPC_OWNER_SLOT | c->nr);
		ipc_free_block(c, ref);
		ipc_step(c->slot->purge, 0);
	}
	q->tail = 0;
	q->types = 0;
	ipc_step(q->used, 0);
}

/*
 * Walks the chain. Each message on it becomes the queue's, whatever the dead
 * had come to; a link to what is none ends it.
 */
int ipc_fifo_rebuild(struct ipc_call *c, struct ipc_queue *q)
{
	uint32_t mine = IPC_OWNER_QUEUE | ipc_queue_index(c->ns, q);
	uint32_t *link = &q->head, prev = 0, ref, owner;
	uint64_t last = 0, bytes = 0, messages = 0;
	struct ipc_msg *m;
	int err = 0;

	q->types = 0;
	while ((ref = READ_ONCE(*link)) != 0) {
		m = ipc_msg_at(c->ns, ref);
		owner = m ? READ_ONCE(m->owner) : IPC_OWNER_FREE;
		if (!m || READ_ONCE(m->seq) <= last ||
		    READ_ONCE(m->size) > ipc_msg_room(c->ns, ref) ||
		    READ_ONCE(m->type) < 1 ||
		    (owner != mine &&
		     (owner & ~IPC_OWNER_NUMBER) != IPC_OWNER_SLOT)) {
			err = ipc_damaged("chain of messages", ref);
			ipc_step(*link, 0);
			break;
		}
		ipc_step(m->owner, mine);
		last = READ_ONCE(m->seq);
		m->prev = prev;
		if (ipc_types_insert(c, q, ref))
			return -EIO;
		messages++;
		bytes += READ_ONCE(m->size);
		prev = ref;
		link = &m->next;
	}
	q->tail = prev;
	if (q->seq < last)
		q->seq = last;
	q->qnum = messages;
	q->cbytes = bytes;
	return err;
}
