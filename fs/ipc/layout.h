/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a region looks like. Numbers and offsets only, no pointers; every
 * process that maps it may write anything, so whoever reads a field checks it.
 *
 *	super		limits, locks
 *	idmap		a bit for each index in use
 *	keys		hash of keys: index + 1 of the first queue
 *	counters	msg_hdrs and msg_bytes, see lock/percpu_counter.h
 *	arenas		lists of free blocks
 *	slots		one for each caller inside a call
 *	queues		one for each index
 *	units		what each unit of the heap is used for
 *	heap		units of 64 KiB: blocks of one size, or part of a span
 *	far arrays	the rest of slots, queues and units
 *
 * Only the first few slots, queues and units come before the heap, so that all
 * of a small namespace lies in one stretch that one page table maps. The file
 * is as long as it may ever be, and sparse: pages are allocated before they
 * are first touched, so that a full tmpfs is -ENOMEM and no SIGBUS.
 */
#ifndef FS_IPC_LAYOUT_H
#define FS_IPC_LAYOUT_H

#include <stdint.h>

#include "lock/ownlock.h"

#define IPC_MAGIC 0x6b66756e73797366ull
#define IPC_VERSION 1
#define IPC_BYTE_ORDER 0x01020304u

#define IPC_PAGE 4096u
#define IPC_NR_QUEUES 32768u /* 15 bits of an id */
#define IPC_SEQ_SHIFT 15
#define IPC_SEQ_MAX 65535
#define IPC_NR_SLOTS 32767u /* 15 bits of an owner, 0 is nobody */
#define IPC_NR_KEYS 4096u
#define IPC_NR_ARENAS 16u
#define IPC_NR_CLASSES 32u
#define IPC_NEAR_SLOTS 64u /* before the heap; so with queues and units */
#define IPC_NEAR_QUEUES 64u
#define IPC_NEAR_UNITS 1024u
#define IPC_NR_CACHED 8u /* free blocks that a slot keeps */

#define IPC_GRAIN 32u /* a reference counts these from the region's start */
#define IPC_UNIT 65536u

/* offsets of what is always at the same place */
#define IPC_OFF_SUPER 0u
#define IPC_OFF_IDMAP IPC_PAGE
#define IPC_OFF_KEYS (2 * IPC_PAGE)
#define IPC_OFF_COUNTERS (IPC_OFF_KEYS + IPC_NR_KEYS * 4)

/* --- a block of the heap: a message, or free --- */

/* Who has a block. Each change of hands is one store of this word. */
#define IPC_OWNER_FREE 0x4b000000u  /* an arena: it is in a list */
#define IPC_OWNER_SLOT 0x4d000000u  /* + number of the slot */
#define IPC_OWNER_QUEUE 0x51000000u /* + index */
#define IPC_OWNER_NUMBER 0x00ffffffu

struct ipc_msg {
	uint32_t owner;
	uint32_t
		next; /* in the queue, oldest first; in a list of free blocks */
	uint32_t prev; /* in the queue */
	uint32_t size; /* of the text */
	uint64_t seq;  /* place in the queue */
	int64_t type;
	/* The index by type: a treap of the oldest of each type, from each of
	 * which hang the others of its type. */
	uint32_t same;	      /* the next younger one of this type */
	uint32_t youngest;    /* of this type; in the oldest */
	uint32_t left, right; /* lower types, higher types; in the oldest */
	uint64_t unused[2];
};

/* --- a caller --- */

/*
 * What a caller is about to do or doing, and so what is to be done about his
 * message if he dies. Words of a slot are written by its caller, except:
 * status, msg and the links of one who waits, by who has the queue's lock; and
 * anything, once alive says that he died, by who has the lock that guards it.
 */
enum ipc_stage {
	IPC_IDLE, /* msg, if any, is a block to be freed; as in HOLD */
	IPC_HOLD, /* msg is being filled */
	/* under the queue's lock */
	IPC_ENQUEUE, /* msg is being linked */
	IPC_HANDOFF, /* msg is being given to slot peer */
	IPC_DEQUEUE, /* msg is being unlinked */
	/* without it */
	IPC_DELIVER,   /* msg is being copied out: back to the queue */
	IPC_DELIVERED, /* msg was: free it; being counted in q->delivered */
	IPC_WAIT_RCV,  /* asleep; msg, once there is one, as in DELIVER */
	IPC_WAIT_SND,  /* asleep; msg as in HOLD */
	IPC_LOCK_ALL,  /* holds several queues' locks */
	IPC_NR_STAGES,
};

/* What a sleeper finds in his status. */
enum ipc_status {
	IPC_ST_AWAKE,  /* in the list, looking around */
	IPC_ST_ASLEEP, /* in the list, to be woken by a system call */
	/* no longer in the list */
	IPC_ST_MSG,	/* receiver: in msg */
	IPC_ST_TOOBIG,	/* receiver: -E2BIG */
	IPC_ST_RETRY,	/* start over */
	IPC_ST_REMOVED, /* -EIDRM */
	IPC_NR_STATUS,
};

/* what a block is going through between an arena and a slot */
enum ipc_alloc {
	IPC_ALLOC_NONE,
	IPC_ALLOC_POP,
	IPC_ALLOC_PUSH,
};

struct ipc_slot {
	uint32_t alive; /* the caller's TID; lock/presence.h */
	uint32_t calls; /* so far: part of the owner's number, see slot.c */
	uint32_t stage;
	uint32_t queue; /* index + 1 of the queue stage is about */
	uint32_t msg;	/* valid if its owner is this slot, or see stage */
	uint32_t peer;	/* HANDOFF: number of the receiver's slot */
	uint32_t unit;	/* unit + 1 being taken from the heap */
	uint32_t units; /* how many */
	uint32_t alloc; /* enum ipc_alloc */
	uint32_t alloc_block;
	uint32_t alloc_arena;
	uint32_t alloc_class;
	uint32_t cache[IPC_NR_CACHED]; /* free blocks, by class modulo this */
	uint32_t id;		       /* of that queue */
	uint32_t purge; /* block of a removed queue: free it, if it is mine */
	uint32_t pad[10];

	/* sleeping; a line of its own, others write it */
	uint32_t status;     /* futex */
	uint32_t next, prev; /* slots; in the queue's list */
	uint32_t mode;	     /* receiver: how to select */
	int64_t type;	     /* receiver: what to select */
	uint64_t room;	 /* receiver: its buffer; sender: size of its text */
	uint64_t ticket; /* order of arrival */
	uint32_t lrpid;	 /* what to note when it is handed a message */
	uint32_t pad2[21];
};

/* --- a queue --- */

struct ipc_list {
	uint32_t first, last; /* slots */
};

struct ipc_queue {
	struct kf_ownlock lock;
	uint32_t id;   /* valid if used */
	uint32_t used; /* 0 free, 1 in use, 2 removed but not emptied */
	int32_t key;
	uint32_t key_next; /* index + 1; guarded by the ids' lock */
	uint32_t uid, gid, cuid, cgid, mode;
	uint32_t broken; /* damage was found */
	int32_t lspid, lrpid;
	uint32_t head, tail; /* oldest and youngest message */
	uint32_t types;	     /* root of the index by type */
	int64_t stime, rtime, ctime;
	uint64_t cbytes, qnum, qbytes;
	uint64_t seq;	 /* of the youngest message so far */
	uint64_t ticket; /* of the latest sleeper */
	struct ipc_list receivers, senders;
	uint64_t taken;	 /* messages that went into delivery */
	int64_t settled; /* when that was last looked into, for senders */
	uint64_t pad[4];

	/* a line that only receivers touch: no lock is held then */
	uint64_t delivered; /* of those taken, how many arrived */
	uint64_t pad2[7];
};

/* --- the heap --- */

/* an entry of the unit map: 0 free, else kind, class and arena or length */
#define IPC_UNIT_BLOCKS 0x40000000u /* | class << 8 | arena */
#define IPC_UNIT_SPAN 0x80000000u   /* | units */
#define IPC_UNIT_MORE 0xc0000000u   /* of the span before */
#define IPC_UNIT_KIND 0xc0000000u
#define IPC_UNIT_REST 0x3fffffffu

struct ipc_class {
	uint32_t free; /* first free block */
	uint32_t bump; /* the first of those in a unit that never were used */
};

struct ipc_arena {
	struct kf_ownlock lock;
	uint32_t pad[15];
	struct ipc_class class[IPC_NR_CLASSES];
};

struct ipc_super {
	/* written once */
	uint64_t magic;
	uint32_t version;
	uint32_t byte_order;
	uint32_t super_size;
	uint32_t slot_size, queue_size, msg_size;
	uint32_t counters; /* enum ipc_counters */
	uint32_t owner, group;
	uint32_t nr_arenas;
	uint32_t counters_size;
	uint32_t unused;
	uint64_t off_arenas, off_slots, off_queues, off_units, off_heap;
	uint64_t far_slots, far_queues, far_units;
	uint64_t limit;	 /* bytes of the file */
	uint64_t secret; /* makes the shape of treaps hard to foresee */

	/* limits, set at any time */
	int32_t msgmax __attribute__((aligned(64)));
	int32_t msgmnb, msgmni, next_id;
	uint32_t dead;
	uint32_t recount;  /* somebody died while counting: add up the queues */
	uint32_t nr_slots; /* that have memory; grows */
	uint64_t recoveries;

	/* ids: all of this under ids_lock */
	struct kf_ownlock ids_lock __attribute__((aligned(64)));
	uint32_t seq, in_use;
	int32_t last_index, highest;
	uint32_t cursor;       /* where the search for a free index begins */
	uint32_t queues_ready; /* entries that have memory */
	uint32_t keys_ready;
	uint64_t generation; /* how often a queue came or went */

	struct kf_ownlock heap_lock __attribute__((aligned(64)));
	uint32_t units_ready; /* units that have memory */
	uint32_t units_next;  /* where the search for free ones begins */

	struct kf_ownlock reap_lock __attribute__((aligned(64)));
};

_Static_assert(sizeof(struct ipc_msg) == 64, "a block's head is a line");
_Static_assert(sizeof(struct ipc_slot) == 256, "a slot is four lines");
_Static_assert(sizeof(struct ipc_queue) == 256, "a queue is four lines");
_Static_assert(sizeof(struct ipc_super) <= IPC_PAGE, "super is a page");

#endif /* FS_IPC_LAYOUT_H */
