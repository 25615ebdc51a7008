/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking at all of a region: whether what is written down twice agrees, and
 * whether each block has an owner who knows of it.
 */
#include "fs/ipc/ipc-internal.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 1024

struct audit {
	struct ipc_call c;
	struct ipc_audit *ret;
};

static void fault(struct audit *a, const char *what, uint32_t where)
{
	if (a->ret->faults++ == 0)
		snprintf(a->ret->first_fault, sizeof(a->ret->first_fault),
			 "%s (%u)", what, where);
}

/* --- messages --- */

/* Messages in the index below @ref, whose types are in [low, high]. */
static uint64_t count_types(struct audit *a, struct ipc_queue *q, uint32_t ref,
			    int64_t low, int64_t high, unsigned int depth)
{
	struct ipc_msg *m = ipc_msg_at(a->c.ns, ref), *n;
	uint64_t nr = 1, last;
	uint32_t at, youngest = ref;

	if (!m || depth > MAX_DEPTH || m->type < low || m->type > high) {
		fault(a, "index by type", ref);
		return 0;
	}
	last = m->seq;
	for (at = m->same; at && nr <= q->qnum; at = n->same, nr++) {
		n = ipc_msg_at(a->c.ns, at);
		if (!n || n->type != m->type || n->seq <= last) {
			fault(a, "messages of a type", at);
			return nr;
		}
		last = n->seq;
		youngest = at;
	}
	if (m->youngest != youngest)
		fault(a, "youngest of a type", ref);
	if (m->left)
		nr += count_types(a, q, m->left, low, m->type - 1, depth + 1);
	if (m->right)
		nr += count_types(a, q, m->right, m->type + 1, high, depth + 1);
	return nr;
}

static void audit_messages(struct audit *a, struct ipc_queue *q, uint32_t index)
{
	uint32_t prev = 0, ref;
	uint64_t last = 0, messages = 0, bytes = 0;

	for (ref = q->head; ref; messages++) {
		struct ipc_msg *m = ipc_msg_at(a->c.ns, ref);

		if (!m || m->owner != (IPC_OWNER_QUEUE | index) ||
		    m->prev != prev || m->seq <= last || m->type < 1 ||
		    m->size > ipc_msg_room(a->c.ns, ref)) {
			fault(a, "message of a queue", ref);
			break;
		}
		last = m->seq;
		bytes += m->size;
		prev = ref;
		ref = m->next;
	}
	if (q->tail != prev || last > q->seq)
		fault(a, "tail of a queue", index);
	if (q->qnum != messages || q->cbytes != bytes)
		fault(a, "figures of a queue", index);
	if ((q->types ? count_types(a, q, q->types, 1, INT64_MAX, 0) : 0) !=
	    messages)
		fault(a, "messages in the index", index);
	a->ret->messages += messages;
	a->ret->bytes += bytes;
}

/* --- sleepers --- */

static void audit_list(struct audit *a, const struct ipc_list *list,
		       uint32_t stage, uint32_t index)
{
	uint32_t nr = list->first, prev = 0, nr_slots = ipc_nr_slots(a->c.ns);
	uint32_t left = nr_slots;

	for (; nr; nr = ipc_slot_at(a->c.ns, nr)->next) {
		const struct ipc_slot *s;

		if (nr > nr_slots || left-- == 0) {
			fault(a, "list of sleepers", nr);
			return;
		}
		s = ipc_slot_at(a->c.ns, nr);
		if (s->prev != prev || s->queue != index + 1 ||
		    s->stage != stage || s->status > IPC_ST_ASLEEP)
			fault(a, "sleeper", nr);
		prev = nr;
	}
	if (list->last != prev)
		fault(a, "last sleeper", index);
}

/* --- queues --- */

static void audit_queue(struct audit *a, uint32_t index)
{
	struct ipc_queue *q = ipc_queue_at(a->c.ns, index);
	bool mapped = ipc_idmap(a->c.ns)[index / 64] >> index % 64 & 1;

	if (mapped != (q->used == 1))
		fault(a, "map of indexes", index);
	if (q->used != 1) {
		if (q->used || q->head || q->receivers.first ||
		    q->senders.first)
			fault(a, "removed queue", index);
		return;
	}
	a->ret->queues++;
	if (q->id % IPC_NR_QUEUES != index || q->mode & ~0777u || q->broken)
		fault(a, "queue", index);
	if (q->key != IPC_PRIVATE &&
	    ipc_ids_find_key(&a->c, q->key) != (int)index + 1)
		fault(a, "key of a queue", index);
	audit_messages(a, q, index);
	audit_list(a, &q->receivers, IPC_WAIT_RCV, index);
	audit_list(a, &q->senders, IPC_WAIT_SND, index);
}

static void audit_queues(struct audit *a)
{
	struct ipc_super *super = a->c.super;
	uint32_t ready = ipc_ids_ready(a->c.ns);
	int highest = -1;

	for (uint32_t i = 0; i < ready; i++) {
		audit_queue(a, i);
		if (ipc_queue_at(a->c.ns, i)->used == 1)
			highest = (int)i;
	}
	if (super->in_use != a->ret->queues)
		fault(a, "number of queues", super->in_use);
	if (super->highest != highest)
		fault(a, "highest index", (uint32_t)super->highest);
	if (super->recount)
		ipc_recount(&a->c);
	a->ret->msg_hdrs = percpu_counter_sum(&a->c.ns->counters[IPC_MSG_HDRS]);
	a->ret->msg_bytes =
		percpu_counter_sum(&a->c.ns->counters[IPC_MSG_BYTES]);
	if (a->ret->msg_hdrs != (int64_t)a->ret->messages ||
	    a->ret->msg_bytes != (int64_t)a->ret->bytes)
		fault(a, "totals", (uint32_t)a->ret->msg_hdrs);
}

/* --- blocks --- */

/* Does whoever has the block know of it? */
static void audit_block(struct audit *a, uint32_t ref, uint64_t *nr_free)
{
	struct ipc_msg *m = ipc_msg_at(a->c.ns, ref);
	uint32_t owner = m ? READ_ONCE(m->owner) : 0;
	uint32_t nr = owner & IPC_OWNER_NUMBER;
	const struct ipc_slot *s;

	switch (owner & ~IPC_OWNER_NUMBER) {
	case IPC_OWNER_FREE:
		(*nr_free)++;
		a->ret->blocks_free++;
		return;
	case IPC_OWNER_QUEUE:
		a->ret->blocks_queued++;
		return;
	case IPC_OWNER_SLOT:
		break;
	default:
		fault(a, "owner of a block", ref);
		return;
	}
	if (nr == 0 || nr > ipc_nr_slots(a->c.ns)) {
		fault(a, "owner of a block", ref);
		return;
	}
	s = ipc_slot_at(a->c.ns, nr);
	if (ipc_slot_keeps(s, ref))
		a->ret->blocks_free++;
	else if (READ_ONCE(s->alive))
		a->ret->blocks_held++;
	else
		a->ret->blocks_lost++;
}

static uint64_t count_list(struct audit *a, const struct ipc_class *cl,
			   uint32_t arena)
{
	uint64_t nr = 0, most = (uint64_t)a->c.ns->nr_units * IPC_UNIT / 96;
	uint32_t ref = cl->free;

	for (; ref; nr++) {
		struct ipc_msg *m = ipc_msg_at(a->c.ns, ref);

		if (!m || m->owner != IPC_OWNER_FREE || nr > most) {
			fault(a, "list of free blocks", arena);
			return nr;
		}
		ref = m->next;
	}
	return nr;
}

/* The blocks of a unit, but for those at its end that never were in use. */
static void audit_unit(struct audit *a, struct ipc_arena *arena, uint32_t unit,
		       uint32_t class, uint64_t *nr_free)
{
	uint32_t bytes = ipc_class_bytes(class);
	uint64_t first = ipc_units_end(a->c.ns, unit) / IPC_GRAIN;
	uint32_t nr, bump = arena->class[class].bump;

	if (!bytes) {
		fault(a, "class of a unit", unit);
		return;
	}
	nr = IPC_UNIT / bytes;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t ref = (uint32_t)first + i * (bytes / IPC_GRAIN);

		if (ref == bump)
			return;
		audit_block(a, ref, nr_free);
	}
}

static void audit_arena(struct audit *a, uint32_t nr)
{
	struct ipc_arena *arena = ipc_arena_at(a->c.ns, nr);
	uint32_t units = a->c.super->units_ready;
	uint64_t nr_free = 0, nr_listed = 0;

	if (ipc_lock_arena(&a->c, nr)) {
		fault(a, "lock of an arena", nr);
		return;
	}
	for (uint32_t u = 0; u < units && u < a->c.ns->nr_units; u++) {
		uint32_t entry = READ_ONCE(*ipc_unit_at(a->c.ns, u));

		if ((entry & IPC_UNIT_KIND) == IPC_UNIT_BLOCKS &&
		    (entry & 0xff) == nr)
			audit_unit(a, arena, u, (entry & IPC_UNIT_REST) >> 8,
				   &nr_free);
	}
	for (uint32_t i = 0; i < IPC_NR_CLASSES; i++)
		nr_listed += count_list(a, &arena->class[i], nr);
	if (nr_free != nr_listed)
		fault(a, "number of free blocks", nr);
	ipc_unlock(&a->c, &arena->lock);
}

static void audit_spans(struct audit *a)
{
	uint32_t units = a->c.super->units_ready, entry;
	uint64_t nr_free = 0;

	if (units > a->c.ns->nr_units || ipc_lock_heap(&a->c)) {
		fault(a, "heap", units);
		return;
	}
	for (uint32_t u = 0; u < units; u++) {
		entry = READ_ONCE(*ipc_unit_at(a->c.ns, u));
		if ((entry & IPC_UNIT_KIND) == IPC_UNIT_BLOCKS || entry == 0)
			continue;
		if ((entry & IPC_UNIT_KIND) != IPC_UNIT_SPAN ||
		    (entry & IPC_UNIT_REST) == 0 ||
		    (entry & IPC_UNIT_REST) > units - u) {
			fault(a, "unit", u);
			continue;
		}
		audit_block(a,
			    (uint32_t)(ipc_units_end(a->c.ns, u) / IPC_GRAIN),
			    &nr_free);
		u += (entry & IPC_UNIT_REST) - 1;
	}
	if (nr_free)
		fault(a, "free span", (uint32_t)nr_free);
	ipc_unlock(&a->c, &a->c.super->heap_lock);
}

static void audit_slots(struct audit *a)
{
	uint32_t nr_slots = ipc_nr_slots(a->c.ns);

	a->ret->slots = nr_slots;
	for (uint32_t nr = 1; nr <= nr_slots; nr++) {
		if (nr != a->c.nr && READ_ONCE(ipc_slot_at(a->c.ns, nr)->alive))
			a->ret->slots_busy++;
	}
}

int ipc_ns_audit(struct ipc_namespace *ns, struct ipc_audit *ret)
{
	struct audit a = { .ret = ret };
	int err;

	memset(ret, 0, sizeof(*ret));
	err = ipc_call_begin(&a.c, ns);
	if (err)
		return err;
	ipc_recover(&a.c);
	err = ipc_lock_all(&a.c);
	if (!err) {
		audit_queues(&a);
		for (uint32_t i = 0; i < ns->nr_arenas; i++)
			audit_arena(&a, i);
		audit_spans(&a);
		audit_slots(&a);
		if (ret->blocks_queued != ret->messages)
			fault(&a, "blocks of queues",
			      (uint32_t)ret->blocks_queued);
		if (ret->blocks_lost)
			fault(&a, "lost blocks", (uint32_t)ret->blocks_lost);
		ipc_unlock_all(&a.c);
	}
	ipc_call_end(&a.c);
	return err ? err : ret->faults ? -EIO : 0;
}
