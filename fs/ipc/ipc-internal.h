/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of fs/ipc share. Order of locks, low first:
 *
 *	reap < ids < queue (ascending, LOCK_ALL only) < arena < heap
 *
 * None is held while a thread sleeps for anything but a lock, while it copies
 * from or to a caller's memory, or while it calls back.
 */
#ifndef FS_IPC_IPC_INTERNAL_H
#define FS_IPC_IPC_INTERNAL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fs/ipc/layout.h"
#include "fs/ipc/msg.h"
#include "lock/atomic.h"
#include "lock/percpu_counter.h"
#include "lock/presence.h"
#include "lock/rank.h"

/*
 * A store that others, or whoever repairs after this thread's death, must see
 * in program order: a death at an instruction keeps what was stored before it.
 * Release, for readers on other CPUs; they load with acquire or hold a lock
 * that was taken from the dead.
 */
#define ipc_step(x, v) smp_store_release(&(x), (v))

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* How long a lock may be kept by somebody who lives before calls give up. */
#define IPC_PATIENCE_NS 30000000000ull

/* Sleepers that are woken only once the lock is free. */
#define IPC_NR_WAKES 16

enum ipc_counter {
	IPC_MSG_HDRS,
	IPC_MSG_BYTES,
	IPC_NR_COUNTERS,
};

struct ipc_namespace {
	char *base;
	size_t limit; /* bytes of address space at base */
	int fd;
	bool gone; /* the mapping was replaced, see ipc_ns_fault() */
	/* as they were checked when it was mapped; not read again */
	uint64_t off_arenas, off_slots, off_queues, off_units, off_heap;
	uint64_t far_slots, far_queues, far_units;
	uint32_t nr_arenas, nr_units;
	enum ipc_counters counters_mode;
	struct ipc_owner owner;
	uint64_t secret;
	uint64_t patience; /* nanoseconds */
	struct percpu_counter counters[IPC_NR_COUNTERS];
	/* this process's, atomic; see trim.c */
	uint64_t *touched; /* a bit for each part; NULL: not counted */
	unsigned int nr_touched, max_touched;
	unsigned int nr_again; /* of those, let go of twice already */
	struct ipc_namespace *next; /* list in region.c */
};

/* One call in progress, on the caller's stack. */
struct ipc_call {
	struct ipc_namespace *ns;
	struct ipc_super *super;
	struct ipc_slot *slot;
	struct kf_presence *self;
	void *outer;	     /* list_op_pending before */
	uint32_t nr;	     /* of the slot, from 1 */
	uint32_t generation; /* of the process that began it */
	uint32_t me;	     /* owner of locks: nr and the slot's call count */
	unsigned int depth;  /* 1, or more in signal handlers */
	bool saw_dead;	     /* a slot of one who died was passed over */
	unsigned int nr_wakes;
	uint32_t wakes[IPC_NR_WAKES]; /* slots to be woken after unlocking */
};

/* --- region.c --- */

/* Makes sure that these bytes of the file have memory. -ENOMEM. */
int ipc_region_reserve(struct ipc_namespace *ns, uint64_t off, uint64_t len);
/* Is @ns (which may be no pointer any more) mapped? */
bool ipc_region_known(const struct ipc_namespace *ns);
/* Something in the region cannot be: says so. Always -EIO. */
int ipc_damaged(const char *what, uint32_t where);

static inline struct ipc_super *ipc_super(const struct ipc_namespace *ns)
{
	return (struct ipc_super *)(void *)ns->base;
}

static inline void *ipc_at(const struct ipc_namespace *ns, uint64_t off)
{
	return ns->base + off;
}

/* @nr is 1..ipc_nr_slots() */
static inline struct ipc_slot *ipc_slot_at(const struct ipc_namespace *ns,
					   uint32_t nr)
{
	if (likely(nr <= IPC_NEAR_SLOTS))
		return (struct ipc_slot *)ipc_at(ns, ns->off_slots) + nr - 1;
	return (struct ipc_slot *)ipc_at(ns, ns->far_slots) + nr - 1 -
	       IPC_NEAR_SLOTS;
}

static inline uint32_t ipc_nr_slots(const struct ipc_namespace *ns)
{
	uint32_t nr = smp_load_acquire(&ipc_super(ns)->nr_slots);

	return nr > IPC_NR_SLOTS ? IPC_NR_SLOTS : nr;
}

/* @index is below IPC_NR_QUEUES and has memory */
static inline struct ipc_queue *ipc_queue_at(const struct ipc_namespace *ns,
					     uint32_t index)
{
	if (likely(index < IPC_NEAR_QUEUES))
		return (struct ipc_queue *)ipc_at(ns, ns->off_queues) + index;
	return (struct ipc_queue *)ipc_at(ns, ns->far_queues) + index -
	       IPC_NEAR_QUEUES;
}

static inline uint32_t ipc_queue_index(const struct ipc_namespace *ns,
				       const struct ipc_queue *q)
{
	uint64_t off = (uint64_t)((const char *)q - ns->base);

	if (likely(off < ns->off_heap))
		return (uint32_t)((off - ns->off_queues) / sizeof(*q));
	return (uint32_t)((off - ns->far_queues) / sizeof(*q)) +
	       IPC_NEAR_QUEUES;
}

/* NULL if the index has never been in use */
struct ipc_queue *ipc_queue_find(const struct ipc_namespace *ns,
				 uint32_t index);

static inline uint32_t *ipc_keys(const struct ipc_namespace *ns)
{
	return ipc_at(ns, IPC_OFF_KEYS);
}

static inline uint64_t *ipc_idmap(const struct ipc_namespace *ns)
{
	return ipc_at(ns, IPC_OFF_IDMAP);
}

/* the map's entry of a unit below ns->nr_units */
static inline uint32_t *ipc_unit_at(const struct ipc_namespace *ns,
				    uint32_t unit)
{
	if (likely(unit < IPC_NEAR_UNITS))
		return (uint32_t *)ipc_at(ns, ns->off_units) + unit;
	return (uint32_t *)ipc_at(ns, ns->far_units) + unit - IPC_NEAR_UNITS;
}

static inline struct ipc_arena *ipc_arena_at(const struct ipc_namespace *ns,
					     uint32_t nr)
{
	return (struct ipc_arena *)ipc_at(ns, ns->off_arenas) + nr;
}

/* --- slot.c --- */

/*
 * Takes a slot. Every call begins with it and ends with ipc_call_end().
 * -EIO, -ENOMEM (too many callers, or no robust lists).
 */
int ipc_call_begin(struct ipc_call *c, struct ipc_namespace *ns);
void ipc_call_end(struct ipc_call *c);
/* Is this a child that was forked in a signal handler meanwhile? */
bool ipc_call_forked(const struct ipc_call *c);
/* Has ipc_note_signal() been called since it began? */
bool ipc_call_signalled(const struct ipc_call *c);

/* For kf_ownlock: is the owner of this number still there? */
enum kf_owner ipc_owner_state(void *call, uint32_t owner);
/* The slot of an owner's number, or 0. */
static inline uint32_t ipc_owner_slot(uint32_t owner)
{
	return owner & 0x7fff;
}
/* Did the caller in this slot die? */
static inline bool ipc_slot_died(const struct ipc_slot *s)
{
	return kf_presence_died(smp_load_acquire(&s->alive));
}

/* --- lock.c --- */

/*
 * Each takes a lock; if the owner died, it first repairs what the lock guards.
 * 0, -EDEADLK, or -EIO if it is beyond repair: the lock is not held then.
 */
int ipc_lock_queue(struct ipc_call *c, struct ipc_queue *q);
/* For ipc_lock_all(); let go by kf_ownlock_unlock(). */
int ipc_lock_queue_too(struct ipc_call *c, struct ipc_queue *q);
int ipc_lock_ids(struct ipc_call *c);
int ipc_lock_arena(struct ipc_call *c, uint32_t arena);
int ipc_lock_heap(struct ipc_call *c);
int ipc_lock_reap(struct ipc_call *c);
void ipc_unlock(struct ipc_call *c, struct kf_ownlock *lock);

/* --- alloc.c, heap.c --- */

/* Where messages of this many bytes of text go; NR_CLASSES: into a span. */
uint32_t ipc_size_class(uint64_t text);
uint32_t ipc_class_bytes(uint32_t class);

/*
 * A block for @text bytes into slot->msg; its owner is the slot. @queue is
 * the id of the one it is for. -ENOMEM, -EIO, -EDEADLK. Takes arena and heap
 * locks.
 */
int ipc_alloc(struct ipc_call *c, uint32_t queue, uint64_t text);
/* Frees slot->msg, if that is a block of this slot. */
void ipc_free_mine(struct ipc_call *c);
/* Is the block one of the free ones that the slot keeps? */
bool ipc_slot_keeps(const struct ipc_slot *s, uint32_t ref);
/* Frees a block that nobody else can reach; its owner may be anybody. */
void ipc_free_block(struct ipc_call *c, uint32_t ref);

/* Finishes or undoes what a dead owner had begun; the lock is held. */
void ipc_repair_arena(struct ipc_call *c, uint32_t arena, uint32_t dead);
void ipc_repair_heap(struct ipc_call *c, uint32_t dead);

/* Units with this entry in the map, noted in slot->unit, which the caller
 * clears once they have got where they go. The heap is locked. */
int ipc_heap_take(struct ipc_call *c, uint32_t entry, uint32_t units,
		  uint32_t *ret_unit);
void ipc_heap_give(struct ipc_call *c, uint32_t unit, uint32_t units);
/* offset of the end of the first @units */
uint64_t ipc_units_end(const struct ipc_namespace *ns, uint32_t units);

/* The block of a reference, if there is one at that place; else NULL. */
struct ipc_msg *ipc_msg_at(const struct ipc_namespace *ns, uint32_t ref);
/* How many bytes of text fit into it; @ref is good. */
uint64_t ipc_msg_room(const struct ipc_namespace *ns, uint32_t ref);

static inline char *ipc_msg_text(struct ipc_msg *m)
{
	return (char *)(m + 1);
}

/* --- types.c: the index by type. The queue is locked. --- */

/* All -EIO if they find damage; else 0, or a reference. */
int ipc_types_insert(struct ipc_call *c, struct ipc_queue *q, uint32_t ref);
int ipc_types_remove(struct ipc_call *c, struct ipc_queue *q, uint32_t ref);
/* the oldest of this type; of the lowest type, if not above @limit */
int64_t ipc_types_find(struct ipc_call *c, struct ipc_queue *q, int64_t type);
int64_t ipc_types_lowest(struct ipc_call *c, struct ipc_queue *q,
			 int64_t limit);
/* nodes that the last search of this thread looked at; for tests */
extern __thread unsigned int ipc_types_steps;

/* --- fifo.c: messages of a queue. The queue is locked. --- */

/* slot->msg is linked at the end; it is the queue's then. Counts. */
int ipc_fifo_append(struct ipc_call *c, struct ipc_queue *q);
/* @ref is unlinked and put into slot->msg, for delivery. Counts. */
int ipc_fifo_take(struct ipc_call *c, struct ipc_queue *q, uint32_t ref);
/* A block of a dead receiver goes back to its place. Counts. */
int ipc_fifo_return(struct ipc_call *c, struct ipc_queue *q, uint32_t ref);
/* Frees all messages of a removed queue, and makes its index free. */
void ipc_fifo_purge(struct ipc_call *c, struct ipc_queue *q);
/* Finds out what the chain of messages is, and makes all else agree. */
int ipc_fifo_rebuild(struct ipc_call *c, struct ipc_queue *q);

/* --- select.c --- */

enum ipc_select {
	IPC_SELECT_ANY,
	IPC_SELECT_LOWEST,
	IPC_SELECT_EQUAL,
	IPC_SELECT_OTHER,
	IPC_SELECT_NUMBER,
};
enum ipc_select ipc_select_mode(long *type, int flg);
bool ipc_select_accepts(enum ipc_select mode, int64_t want, int64_t type);
/* reference, 0 for none, -EIO */
int64_t ipc_select_find(struct ipc_call *c, struct ipc_queue *q,
			enum ipc_select mode, int64_t want);

/* --- wait.c: sleepers. The queue is locked but where it says otherwise. --- */

void ipc_wait_join(struct ipc_call *c, struct ipc_queue *q,
		   struct ipc_list *list, uint32_t nr);
void ipc_wait_leave(struct ipc_call *c, struct ipc_queue *q,
		    struct ipc_list *list, uint32_t nr);
/* Out of the list, with a result; wakes if that takes a system call. */
void ipc_wait_finish(struct ipc_call *c, struct ipc_queue *q,
		     struct ipc_list *list, uint32_t nr, uint32_t status);
/* Not locked: the system calls that finish() has left for later. */
void ipc_wait_wake(struct ipc_call *c);
/* Not locked: sleeps until there is a result, or a while has passed. 0,
 * -EINTR, -ETIMEDOUT: nothing has happened. */
int ipc_wait_sleep(struct ipc_call *c, unsigned int *nap);
/* Room for a text of @size? */
bool ipc_queue_fits(const struct ipc_queue *q, uint64_t size);
/* Gives slot->msg to the first receiver that takes it; 1 if one did. */
int ipc_wait_handoff(struct ipc_call *c, struct ipc_queue *q);
/* Wakes those senders whose text has room now. */
void ipc_wait_senders(struct ipc_call *c, struct ipc_queue *q);
/* Sends everybody on his way. */
void ipc_wait_all(struct ipc_call *c, struct ipc_queue *q,
		  struct ipc_list *list, uint32_t status);
int ipc_wait_rebuild(struct ipc_call *c, struct ipc_queue *q);

/* --- recover.c --- */

/* A queue whose lock was taken from the slot @dead. If that fails the queue
 * is broken and unlocked. */
int ipc_repair_queue(struct ipc_call *c, struct ipc_queue *q, uint32_t dead);
int ipc_repair_ids(struct ipc_call *c);
/* Puts back what receivers have taken who died since. Locked. How many, or
 * -EIO. Cheap if all that was taken has been delivered. */
int ipc_settle(struct ipc_call *c, struct ipc_queue *q);
/* All dead callers; no lock held. How many. */
int ipc_recover(struct ipc_call *c);
/* Locks everything that holds messages; and lets it go. */
int ipc_lock_all(struct ipc_call *c);
void ipc_unlock_all(struct ipc_call *c);
/* The counters from the queues, all of which are locked. */
int ipc_recount(struct ipc_call *c);

/* Marks a locked queue as damaged, sends sleepers away. -EIDRM. */
int ipc_queue_break(struct ipc_call *c, struct ipc_queue *q);
/* Unlocks, then wakes who is to be woken. */
void ipc_unlock_queue(struct ipc_call *c, struct ipc_queue *q);

/* --- ids.c --- */

/* A new queue; ids lock held by the caller. Its id, -ENOSPC, -ENOMEM, -EIO. */
int ipc_ids_add(struct ipc_call *c, const struct ipc_cred *cred, key_t key,
		int flg);
/* Index + 1 of the queue with that key, 0, -EIO. ids lock held. */
int ipc_ids_find_key(struct ipc_call *c, key_t key);
/* Unlinks a locked queue; ids lock held. */
void ipc_ids_remove(struct ipc_call *c, struct ipc_queue *q);
/* The queue of an id, locked; slot->queue says so. -EINVAL if there is none,
 * -EIDRM if it went, or was found damaged. */
int ipc_ids_obtain(struct ipc_call *c, int id, struct ipc_queue **ret);
/* The same, also if it is damaged. */
int ipc_ids_obtain_any(struct ipc_call *c, int id, struct ipc_queue **ret);
/* The same for an index; @id is filled in. */
int ipc_ids_obtain_index(struct ipc_call *c, uint32_t index,
			 struct ipc_queue **ret);
/* The queue of a call in progress again: -EIDRM if it went meanwhile. */
int ipc_ids_relock(struct ipc_call *c, int id, struct ipc_queue *q);
/* How many indexes have memory. */
uint32_t ipc_ids_ready(const struct ipc_namespace *ns);
int ipc_ids_highest(const struct ipc_namespace *ns);

/* --- perm.c --- */

/* 0 or -EACCES, for the bits of @flg */
int ipc_perms(const struct ipc_cred *cred, const struct ipc_queue *q, int flg);
bool ipc_may_change(const struct ipc_cred *cred, const struct ipc_queue *q);

/* --- trim.c --- */

#define IPC_PART 65536u

void ipc_trim_init(struct ipc_namespace *ns);
void ipc_trim_destroy(struct ipc_namespace *ns);
void ipc_touch_slow(struct ipc_namespace *ns, uint64_t part);

/* This process is about to touch what is at @off; no lock is held. */
static inline void ipc_touch(struct ipc_namespace *ns, uint64_t off)
{
	uint64_t part = off / IPC_PART;

	if (likely(ns->touched && off < ns->limit) &&
	    unlikely(!(READ_ONCE(ns->touched[part / 64]) >> part % 64 & 1)))
		ipc_touch_slow(ns, part);
}

/* --- msg.c --- */

/* What cannot be an address of the caller's. */
static inline bool ipc_bad_pointer(const void *p, size_t len)
{
	uintptr_t start = (uintptr_t)p;

	return start < IPC_PAGE || start + len < start ||
	       (start + len) >> (sizeof(void *) * 8 - 1);
}

#endif /* FS_IPC_IPC_INTERNAL_H */
