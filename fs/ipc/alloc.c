/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks for messages. A slot keeps a few free ones for itself; behind it are
 * arenas, lists of free blocks by size under a lock; behind those the heap.
 *
 * Every block says who has it. What a caller is doing to a block he writes
 * into his slot first, so that whoever takes the lock from him, if he dies,
 * can tell in a moment whether it was done.
 */
#include "fs/ipc/ipc-internal.h"

/* Bytes with the head; as many as fit a unit exactly where they are large. */
static const uint32_t class_bytes[] = {
	96,   128,  160,  192,	 256,	320,   384,   512,   640,
	768,  1024, 1280, 1536,	 2048,	2560,  3072,  4096,  5120,
	6144, 8192, 9344, 10912, 13088, 16384, 21824, 32768,
};
#define NR_CLASSES (sizeof(class_bytes) / sizeof(class_bytes[0]))
_Static_assert(NR_CLASSES <= IPC_NR_CLASSES, "a class has no list");

/* the class for so many grains, the head included */
static const uint8_t small_class[33] = {
	0, 0, 0, 0, 1, 2, 3, 4, 4,  5,	5,  6,	6,  7,	7,  7,	7,
	8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10, 10, 10, 10, 10,
};

uint32_t ipc_class_bytes(uint32_t class)
{
	return class < NR_CLASSES ? class_bytes[class] : 0;
}

uint32_t ipc_size_class(uint64_t text)
{
	uint64_t grains =
		(text + sizeof(struct ipc_msg) + IPC_GRAIN - 1) / IPC_GRAIN;
	uint32_t class;

	if (likely(grains < sizeof(small_class)))
		return small_class[grains];
	for (class = 11; class < NR_CLASSES; class ++) {
		if (grains * IPC_GRAIN <= class_bytes[class])
			return class;
	}
	return IPC_NR_CLASSES;
}

/* --- references --- */

/* The unit map's entry for a block, and where in its unit the block is. */
static uint32_t unit_of(const struct ipc_namespace *ns, uint32_t ref,
			uint32_t *unit, uint32_t *pos)
{
	uint64_t off = (uint64_t)ref * IPC_GRAIN;

	if (unlikely(off < ns->off_heap))
		return 0;
	off -= ns->off_heap;
	*unit = (uint32_t)(off / IPC_UNIT);
	*pos = (uint32_t)(off % IPC_UNIT);
	if (unlikely(*unit >= ns->nr_units))
		return 0;
	return READ_ONCE(*ipc_unit_at(ns, *unit));
}

struct ipc_msg *ipc_msg_at(const struct ipc_namespace *ns, uint32_t ref)
{
	uint32_t unit, pos, bytes, units;
	uint32_t entry = unit_of(ns, ref, &unit, &pos);

	switch (entry & IPC_UNIT_KIND) {
	case IPC_UNIT_BLOCKS:
		bytes = ipc_class_bytes((entry & IPC_UNIT_REST) >> 8);
		if (unlikely(!bytes || pos % bytes || pos + bytes > IPC_UNIT))
			return NULL;
		break;
	case IPC_UNIT_SPAN:
		units = entry & IPC_UNIT_REST;
		if (pos || units == 0 || units > ns->nr_units - unit)
			return NULL;
		break;
	default:
		return NULL;
	}
	return ipc_at(ns, (uint64_t)ref * IPC_GRAIN);
}

uint64_t ipc_msg_room(const struct ipc_namespace *ns, uint32_t ref)
{
	uint32_t unit, pos;
	uint32_t entry = unit_of(ns, ref, &unit, &pos);
	uint64_t bytes = 0;

	if ((entry & IPC_UNIT_KIND) == IPC_UNIT_BLOCKS)
		bytes = ipc_class_bytes((entry & IPC_UNIT_REST) >> 8);
	else if ((entry & IPC_UNIT_KIND) == IPC_UNIT_SPAN)
		bytes = (uint64_t)(entry & IPC_UNIT_REST) * IPC_UNIT;
	return bytes < sizeof(struct ipc_msg) ? 0 :
						bytes - sizeof(struct ipc_msg);
}

/* The class and arena of a block in a unit of blocks. */
static bool home_of(const struct ipc_namespace *ns, uint32_t ref,
		    uint32_t *class, uint32_t *arena)
{
	uint32_t unit, pos;
	uint32_t entry = unit_of(ns, ref, &unit, &pos);

	*class = (entry & IPC_UNIT_REST) >> 8;
	*arena = entry & 0xff;
	return (entry & IPC_UNIT_KIND) == IPC_UNIT_BLOCKS &&
	       *class < NR_CLASSES && *arena < ns->nr_arenas;
}

static uint32_t unit_ref(const struct ipc_namespace *ns, uint32_t unit)
{
	return (uint32_t)((ns->off_heap + (uint64_t)unit * IPC_UNIT) /
			  IPC_GRAIN);
}

/* --- what a slot keeps --- */

static bool from_cache(struct ipc_call *c, uint32_t class)
{
	uint32_t *kept = &c->slot->cache[class % IPC_NR_CACHED];
	uint32_t ref = READ_ONCE(*kept), its_class, arena;
	struct ipc_msg *m;

	if (!ref)
		return false;
	m = ipc_msg_at(c->ns, ref);
	if (!m || READ_ONCE(m->owner) != (IPC_OWNER_SLOT | c->nr)) {
		WRITE_ONCE(*kept, 0);
		return false;
	}
	if (!home_of(c->ns, ref, &its_class, &arena) || its_class != class)
		return false;
	/* in both is in the cache; see ipc_slot_keeps() */
	ipc_step(c->slot->msg, ref);
	ipc_step(*kept, 0);
	return true;
}

static bool to_cache(struct ipc_call *c, uint32_t ref)
{
	uint32_t class, arena;
	uint32_t *kept;

	if (!home_of(c->ns, ref, &class, &arena))
		return false;
	kept = &c->slot->cache[class % IPC_NR_CACHED];
	if (READ_ONCE(*kept))
		return false;
	ipc_step(*kept, ref);
	ipc_step(c->slot->msg, 0);
	return true;
}

bool ipc_slot_keeps(const struct ipc_slot *s, uint32_t ref)
{
	for (unsigned int i = 0; i < IPC_NR_CACHED; i++) {
		if (READ_ONCE(s->cache[i]) == ref)
			return true;
	}
	return false;
}

/* --- arenas --- */

/* @class has no free block: a fresh unit. Arena locked. */
static int refill(struct ipc_call *c, uint32_t arena, uint32_t class)
{
	struct ipc_class *cl = &ipc_arena_at(c->ns, arena)->class[class];
	uint32_t unit;
	int err = ipc_lock_heap(c);

	if (err)
		return err;
	err = ipc_heap_take(c, IPC_UNIT_BLOCKS | class << 8 | arena, 1, &unit);
	if (!err) {
		ipc_step(cl->bump, unit_ref(c->ns, unit));
		ipc_step(c->slot->unit, 0);
	}
	ipc_unlock(c, &c->super->heap_lock);
	return err;
}

/* What the bump becomes when its block is taken; 0 at the unit's end. */
static uint32_t bump_next(const struct ipc_namespace *ns, uint32_t bump,
			  uint32_t bytes)
{
	uint64_t off = (uint64_t)bump * IPC_GRAIN - ns->off_heap;

	return off % IPC_UNIT + 2 * bytes > IPC_UNIT ? 0 :
						       bump + bytes / IPC_GRAIN;
}

/* Is this a block for such a list? Else the list is cut: it is damaged. */
static struct ipc_msg *listed(struct ipc_call *c, uint32_t *head,
			      uint32_t arena, uint32_t class, bool fresh)
{
	uint32_t ref = READ_ONCE(*head), its_class, its_arena;
	struct ipc_msg *m;

	if (!ref)
		return NULL;
	m = ipc_msg_at(c->ns, ref);
	if (m && home_of(c->ns, ref, &its_class, &its_arena) &&
	    its_class == class && its_arena == arena &&
	    (fresh || READ_ONCE(m->owner) == IPC_OWNER_FREE))
		return m;
	ipc_damaged("list of free blocks", ref);
	WRITE_ONCE(*head, 0);
	return NULL;
}

static void pop(struct ipc_call *c, uint32_t *head, uint32_t next,
		uint32_t arena, uint32_t class, struct ipc_msg *m)
{
	struct ipc_slot *s = c->slot;

	ipc_step(s->alloc_block, READ_ONCE(*head));
	ipc_step(s->alloc_arena, arena);
	ipc_step(s->alloc_class, class);
	ipc_step(s->alloc, IPC_ALLOC_POP);
	ipc_step(*head, next);
	ipc_step(m->owner, IPC_OWNER_SLOT | c->nr);
	ipc_step(s->msg, s->alloc_block);
	ipc_step(s->alloc, IPC_ALLOC_NONE);
}

/* Arena locked. */
static void push(struct ipc_call *c, struct ipc_class *cl, uint32_t ref,
		 struct ipc_msg *m)
{
	struct ipc_slot *s = c->slot;

	ipc_step(s->alloc_block, ref);
	ipc_step(s->alloc, IPC_ALLOC_PUSH);
	ipc_step(m->owner, IPC_OWNER_FREE);
	ipc_step(m->next, cl->free);
	ipc_step(cl->free, ref);
	ipc_step(s->alloc, IPC_ALLOC_NONE);
}

static int from_arena(struct ipc_call *c, uint32_t arena, uint32_t class)
{
	struct ipc_class *cl = &ipc_arena_at(c->ns, arena)->class[class];
	struct ipc_msg *m;
	int err = ipc_lock_arena(c, arena);

	if (err)
		return err;
	m = listed(c, &cl->free, arena, class, false);
	if (m) {
		pop(c, &cl->free, READ_ONCE(m->next), arena, class, m);
		goto out;
	}
	m = listed(c, &cl->bump, arena, class, true);
	if (!m) {
		err = refill(c, arena, class);
		m = err ? NULL : listed(c, &cl->bump, arena, class, true);
		if (!m)
			goto out;
	}
	pop(c, &cl->bump, bump_next(c->ns, cl->bump, class_bytes[class]), arena,
	    class, m);
out:
	ipc_unlock(c, &ipc_arena_at(c->ns, arena)->lock);
	return m || err ? err : -EIO;
}

/* Was @ref taken off its list, or put on it? The lock was @dead's. */
void ipc_repair_arena(struct ipc_call *c, uint32_t arena, uint32_t dead)
{
	struct ipc_slot *s = ipc_slot_at(c->ns, dead);
	uint32_t ref = READ_ONCE(s->alloc_block), what = READ_ONCE(s->alloc);
	uint32_t class, its_arena;
	struct ipc_class *cl;
	struct ipc_msg *m;

	if (dead == c->nr || what == IPC_ALLOC_NONE)
		return;
	m = ipc_msg_at(c->ns, ref);
	if (!m || !home_of(c->ns, ref, &class, &its_arena) ||
	    its_arena != arena) {
		ipc_step(s->alloc, IPC_ALLOC_NONE);
		return;
	}
	cl = &ipc_arena_at(c->ns, arena)->class[class];
	if (READ_ONCE(cl->free) != ref && READ_ONCE(cl->bump) != ref)
		push(c, cl, ref, m);
	if (READ_ONCE(s->msg) == ref)
		ipc_step(s->msg, 0);
	ipc_step(s->alloc, IPC_ALLOC_NONE);
}

/* --- spans --- */

static int from_heap(struct ipc_call *c, uint64_t text)
{
	uint64_t bytes = text + sizeof(struct ipc_msg);
	uint64_t units = (bytes + IPC_UNIT - 1) / IPC_UNIT;
	struct ipc_msg *m;
	uint32_t ref, unit;
	int err;

	if (units > c->ns->nr_units)
		return -ENOMEM;
	err = ipc_lock_heap(c);
	if (err)
		return err;
	err = ipc_heap_take(c, IPC_UNIT_SPAN | (uint32_t)units, (uint32_t)units,
			    &unit);
	if (!err) {
		ref = unit_ref(c->ns, unit);
		m = ipc_at(c->ns, (uint64_t)ref * IPC_GRAIN);
		ipc_step(m->owner, IPC_OWNER_SLOT | c->nr);
		ipc_step(c->slot->msg, ref);
		ipc_step(c->slot->unit, 0);
	}
	ipc_unlock(c, &c->super->heap_lock);
	return err;
}

static void free_span(struct ipc_call *c, uint32_t ref)
{
	uint32_t unit, pos, entry, units;

	if (ipc_lock_heap(c))
		return;
	entry = unit_of(c->ns, ref, &unit, &pos);
	units = entry & IPC_UNIT_REST;
	if ((entry & IPC_UNIT_KIND) == IPC_UNIT_SPAN && pos == 0 &&
	    units <= c->ns->nr_units - unit)
		ipc_heap_give(c, unit, units);
	ipc_unlock(c, &c->super->heap_lock);
}

/*
 * A unit that the dead one took: it stays taken if it has got where it was
 * to go. Both places are still as he left them: the arena was locked, too.
 */
void ipc_repair_heap(struct ipc_call *c, uint32_t dead)
{
	struct ipc_slot *s = ipc_slot_at(c->ns, dead);
	uint32_t unit = READ_ONCE(s->unit), units = READ_ONCE(s->units);
	uint32_t entry, ref, class, arena;

	if (dead == c->nr || unit == 0)
		return;
	if (unit > c->ns->nr_units || units > c->ns->nr_units - unit + 1)
		goto out;
	ref = unit_ref(c->ns, unit - 1);
	entry = READ_ONCE(*ipc_unit_at(c->ns, unit - 1));
	if (READ_ONCE(s->msg) == ref)
		goto out;
	if ((entry & IPC_UNIT_KIND) == IPC_UNIT_BLOCKS &&
	    home_of(c->ns, ref, &class, &arena) &&
	    READ_ONCE(ipc_arena_at(c->ns, arena)->class[class].bump) == ref)
		goto out;
	ipc_heap_give(c, unit - 1, units);
out:
	ipc_step(s->unit, 0);
}

/* --- the calls --- */

/*
 * Those who share a queue share an arena: blocks come back to where the next
 * sender takes them, and a process meets the pages of its queues alone.
 */
static int alloc_once(struct ipc_call *c, uint32_t queue, uint64_t text)
{
	uint32_t class = ipc_size_class(text);
	uint32_t arena = queue % c->ns->nr_arenas;
	int err = -EDEADLK;

	if (class == IPC_NR_CLASSES)
		return from_heap(c, text);
	if (from_cache(c, class))
		return 0;
	/* the arena may be locked by the call that this one interrupted; where
	 * the heap is empty the others may have some left */
	for (uint32_t i = 0; i < c->ns->nr_arenas &&
			     (err == -EDEADLK || err == -ENOMEM);
	     i++)
		err = from_arena(c, (arena + i) % c->ns->nr_arenas, class);
	return err;
}

int ipc_alloc(struct ipc_call *c, uint32_t queue, uint64_t text)
{
	int err = alloc_once(c, queue, text);

	/* the dead may have left some */
	if (err == -ENOMEM && ipc_recover(c) > 0)
		err = alloc_once(c, queue, text);
	return err;
}

void ipc_free_block(struct ipc_call *c, uint32_t ref)
{
	struct ipc_msg *m = ipc_msg_at(c->ns, ref);
	uint32_t class, arena;

	if (!m || READ_ONCE(m->owner) == IPC_OWNER_FREE) {
		ipc_damaged("freeing what is free", ref);
		return;
	}
	if (!home_of(c->ns, ref, &class, &arena)) {
		free_span(c, ref);
		return;
	}
	if (ipc_lock_arena(c, arena))
		return; /* lost until the next audit */
	push(c, &ipc_arena_at(c->ns, arena)->class[class], ref, m);
	ipc_unlock(c, &ipc_arena_at(c->ns, arena)->lock);
}

void ipc_free_mine(struct ipc_call *c)
{
	uint32_t ref = READ_ONCE(c->slot->msg);
	struct ipc_msg *m;

	if (!ref)
		return;
	m = ipc_msg_at(c->ns, ref);
	if (m && READ_ONCE(m->owner) == (IPC_OWNER_SLOT | c->nr) &&
	    !to_cache(c, ref))
		ipc_free_block(c, ref);
	ipc_step(c->slot->msg, 0);
}
