/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Slots: who is inside a call. For the whole of a call the kernel watches the
 * slot's alive word (lock/presence.h), so that no death goes unseen.
 *
 * The owner of a lock is the number of his slot and how many calls the slot
 * has served. So a number never comes back (but after 65,536 calls of that
 * slot), and a lock whose owner is not in that very call is free for all.
 */
#include "fs/ipc/ipc-internal.h"

#include <signal.h>

#define MAX_DEPTH 8
#define SLOTS_PER_PAGE (IPC_PAGE / sizeof(struct ipc_slot))
#define OWNER_CALLS 0xffffu
/* Less than a signal's frame takes, more than the ways into a call differ by */
#define FRAME_SLACK 512

/*
 * The calls this thread is inside of: one, and another for each signal handler
 * that interrupted one. Kept here, not on the stack, because a handler may
 * leave a call by longjmp().
 */
struct open_call {
	struct ipc_namespace *ns;
	uintptr_t frame; /* address on the stack, which grows down */
	void *outer;
	uint32_t nr;
	uint32_t generation;
	unsigned int signals; /* that had been handled when it began */
};
static __thread struct {
	unsigned int depth;
	uint32_t hint; /* the slot of last time */
	unsigned int signals; /* how often ipc_note_signal() was called */
	struct open_call open[MAX_DEPTH];
} mine __attribute__((tls_model("initial-exec")));

static uint32_t owner_number(uint32_t nr, uint32_t calls)
{
	return nr | (calls & OWNER_CALLS) << 15;
}

/* Other processes see their own fork's slots as a stranger's. */
static bool is_mine(const struct ipc_call *c, uint32_t nr)
{
	for (unsigned int i = 0; i + 1 < c->depth; i++) {
		if (mine.open[i].ns == c->ns && mine.open[i].nr == nr)
			return true;
	}
	return false;
}

enum kf_owner ipc_owner_state(void *call, uint32_t owner)
{
	const struct ipc_call *c = call;
	uint32_t nr = ipc_owner_slot(owner);
	const struct ipc_slot *s;
	uint32_t alive;

	if (nr == 0 || nr > ipc_nr_slots(c->ns))
		return KF_OWNER_DEAD;
	if (nr == c->nr)
		return owner == c->me ? KF_OWNER_SELF : KF_OWNER_DEAD;
	s = ipc_slot_at(c->ns, nr);
	alive = smp_load_acquire(&s->alive);
	if (alive == 0 || kf_presence_died(alive) ||
	    owner_number(nr, READ_ONCE(s->calls)) != owner)
		return KF_OWNER_DEAD;
	return is_mine(c, nr) ? KF_OWNER_SELF : KF_OWNER_ALIVE;
}

/* --- calls that were left --- */

static bool on_other_stack(void)
{
	stack_t ss;

	return sigaltstack(NULL, &ss) == 0 && (ss.ss_flags & SS_ONSTACK);
}

/*
 * A call that this one is not further down the stack than, by a signal's frame
 * at least, is being returned to by nobody: its slot is marked as if this
 * thread had died there.
 */
static void drop_abandoned(struct kf_presence *self, uintptr_t frame)
{
	while (mine.depth > 0) {
		struct open_call *o = &mine.open[mine.depth - 1];
		struct ipc_slot *s;

		if (o->generation == self->generation) {
			if (frame + FRAME_SLACK < o->frame || on_other_stack())
				return;
			if (ipc_region_known(o->ns)) {
				s = ipc_slot_at(o->ns, o->nr);
				ipc_step(s->alive, FUTEX_OWNER_DIED);
			}
			*self->pending = o->outer;
		}
		/* else it was the parent's, whose child this is */
		mine.depth--;
	}
}

/* --- taking a slot --- */

static bool enter(struct ipc_call *c, uint32_t nr)
{
	struct ipc_slot *s = ipc_slot_at(c->ns, nr);

	if (!kf_presence_enter(c->self, &s->alive, &c->outer)) {
		c->saw_dead |= ipc_slot_died(s);
		return false;
	}
	c->slot = s;
	c->nr = nr;
	return true;
}

/* Another page of slots; several callers may do this at once. */
static int grow(struct ipc_namespace *ns, uint32_t nr)
{
	uint32_t more = nr + SLOTS_PER_PAGE;

	if (nr >= IPC_NR_SLOTS)
		return -ENOMEM;
	if (more > IPC_NR_SLOTS)
		more = IPC_NR_SLOTS;
	if (ipc_region_reserve(
		    ns, (uint64_t)((char *)ipc_slot_at(ns, nr + 1) - ns->base),
		    (more - nr) * sizeof(struct ipc_slot)))
		return -ENOMEM;
	__atomic_compare_exchange_n(&ipc_super(ns)->nr_slots, &nr, more, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return 0;
}

static int find_slot(struct ipc_call *c)
{
	uint32_t nr = ipc_nr_slots(c->ns), at = mine.hint;

	if (likely(at && at <= nr && enter(c, at)))
		return 0;
	if (!at)
		at = c->self->tid;
	for (;;) {
		for (uint32_t i = 0; i < nr; i++) {
			if (enter(c, (at + i) % nr + 1))
				return 0;
		}
		if (grow(c->ns, nr))
			return -ENOMEM;
		at = nr;
		nr = ipc_nr_slots(c->ns);
	}
}

int ipc_call_begin(struct ipc_call *c, struct ipc_namespace *ns)
{
	struct open_call *o;
	/* no variable's address: AddressSanitizer puts those elsewhere */
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	/* first: one that comes from here on is one that came meanwhile */
	unsigned int signals = READ_ONCE(mine.signals);

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	c->ns = ns;
	c->super = ipc_super(ns);
	c->saw_dead = false;
	c->nr_wakes = 0;
	c->self = kf_presence_self();
	if (unlikely(ns->gone || c->super->magic != IPC_MAGIC))
		return -EIO;
	if (unlikely(!c->self))
		return -ENOMEM;
	if (unlikely(mine.depth > 0))
		drop_abandoned(c->self, frame);
	if (unlikely(mine.depth >= MAX_DEPTH))
		return -EDEADLK;
	if (unlikely(find_slot(c)))
		return -ENOMEM;
	o = &mine.open[mine.depth];
	o->ns = ns;
	o->frame = frame;
	o->outer = c->outer;
	o->nr = c->nr;
	o->generation = c->self->generation;
	o->signals = signals;
	c->generation = o->generation;
	c->depth = ++mine.depth;
	mine.hint = c->nr;
	c->me = owner_number(c->nr, c->slot->calls + 1);
	ipc_step(c->slot->calls, c->slot->calls + 1);
	ipc_step(c->slot->stage, IPC_IDLE);
	ipc_step(c->slot->queue, 0);
	ipc_step(c->slot->msg, 0);
	if (unlikely(c->saw_dead))
		ipc_recover(c);
	return 0;
}

void ipc_call_end(struct ipc_call *c)
{
	/* a child forked in a signal handler has no part in the slot */
	if (unlikely(ipc_call_forked(c)))
		return;
	mine.depth = c->depth - 1;
	kf_presence_leave(c->self, &c->slot->alive, c->outer);
}

bool ipc_call_forked(const struct ipc_call *c)
{
	return READ_ONCE(*kf_presence_page) != c->generation;
}

/* --- signal handlers --- */

bool ipc_call_signalled(const struct ipc_call *c)
{
	return READ_ONCE(mine.signals) != mine.open[c->depth - 1].signals;
}

void ipc_note_signal(void)
{
	uint32_t asleep;

	WRITE_ONCE(mine.signals, mine.signals + 1);
	for (unsigned int i = 0; i < mine.depth; i++) {
		struct open_call *o = &mine.open[i];

		if (!kf_presence_page ||
		    READ_ONCE(*kf_presence_page) != o->generation ||
		    !ipc_region_known(o->ns))
			continue;
		/* the sleep that is about to begin does not */
		asleep = IPC_ST_ASLEEP;
		__atomic_compare_exchange_n(&ipc_slot_at(o->ns, o->nr)->status,
					    &asleep, IPC_ST_AWAKE, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}
