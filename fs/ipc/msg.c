/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Getting a queue, sending, receiving. */
#include "fs/ipc/ipc-internal.h"

#include <limits.h>
#include <string.h>

#define MAY_WRITE 0222
#define MAY_READ 0444

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME_COARSE, &ts);
	return ts.tv_sec;
}

/* --- msgget --- */

static int existing(struct ipc_call *c, const struct ipc_cred *cred,
		    uint32_t index, int flg)
{
	struct ipc_queue *q;
	int ret = ipc_ids_obtain_index(c, index, &q);

	if (ret)
		return ret == -EINVAL ? -EIDRM : ret;
	ret = ipc_perms(cred, q, flg);
	if (!ret)
		ret = (int)q->id;
	ipc_unlock_queue(c, q);
	return ret;
}

static int get(struct ipc_call *c, const struct ipc_cred *cred, key_t key,
	       int flg)
{
	int found;

	if (c->super->dead)
		return -EINVAL;
	if (key == IPC_PRIVATE)
		return ipc_ids_add(c, cred, key, flg);
	found = ipc_ids_find_key(c, key);
	if (found < 0)
		return found;
	if (!found)
		return flg & IPC_CREAT ? ipc_ids_add(c, cred, key, flg) :
					 -ENOENT;
	if ((flg & IPC_CREAT) && (flg & IPC_EXCL))
		return -EEXIST;
	return existing(c, cred, (uint32_t)found - 1, flg);
}

int ksys_msgget(struct ipc_namespace *ns, const struct ipc_cred *cred,
		key_t key, int flg)
{
	struct ipc_call c;
	int ret = ipc_call_begin(&c, ns);

	if (ret)
		return ret;
	ret = ipc_lock_ids(&c);
	if (!ret) {
		ret = get(&c, cred, key, flg);
		ipc_unlock(&c, &c.super->ids_lock);
	}
	ipc_call_end(&c);
	return ret;
}

/* --- msgsnd --- */

struct send {
	struct ipc_call c;
	const struct ipc_cred *cred;
	struct ipc_queue *q;
	int id;
	int flg;
	uint64_t size;
	unsigned int nap;
};

/* The queue is unlocked when this returns. 0: try again. */
static int wait_for_room(struct send *s)
{
	struct ipc_call *c = &s->c;
	int err;

	c->slot->room = s->size;
	ipc_step(c->slot->stage, IPC_WAIT_SND);
	ipc_wait_join(c, s->q, &s->q->senders, c->nr);
	ipc_unlock_queue(c, s->q);
	for (;;) {
		err = ipc_wait_sleep(c, &s->nap);
		if (unlikely(ipc_call_forked(c)))
			return -EINTR;
		if (err == 0)
			break;
		if (ipc_lock_queue(c, s->q))
			return -EIDRM;
		if (READ_ONCE(c->slot->status) > IPC_ST_ASLEEP) {
			ipc_unlock_queue(c, s->q);
			break;
		}
		/* it was overlooked: the one to wake it has died */
		if (err == -EINTR || ipc_queue_fits(s->q, s->size)) {
			ipc_wait_leave(c, s->q, &s->q->senders, c->nr);
			ipc_step(c->slot->stage, IPC_HOLD);
			ipc_unlock_queue(c, s->q);
			return err == -EINTR ? err : 0;
		}
		ipc_unlock_queue(c, s->q);
	}
	ipc_step(c->slot->stage, IPC_HOLD);
	return c->slot->status == IPC_ST_REMOVED ? -EIDRM : 0;
}

/* Locks the queue and finds room in it; else it is not locked. */
static int enter_queue(struct send *s)
{
	struct ipc_call *c = &s->c;
	int err = ipc_ids_obtain(c, s->id, &s->q);

	for (;;) {
		if (err)
			return err;
		err = ipc_perms(s->cred, s->q, MAY_WRITE);
		if (err)
			break;
		if (likely(ipc_queue_fits(s->q, s->size)))
			return 0;
		if (s->flg & IPC_NOWAIT) {
			err = -EAGAIN;
			break;
		}
		err = wait_for_room(s);
		if (err)
			return err;
		err = ipc_ids_relock(c, s->id, s->q);
	}
	ipc_unlock_queue(c, s->q);
	return err;
}

/*
 * To a receiver that waits. Once a second it is looked whether one has died
 * with an earlier message: that one comes first.
 */
static int hand_off(struct ipc_call *c, struct ipc_queue *q)
{
	int err = 0;

	if (unlikely(q->taken != READ_ONCE(q->delivered) &&
		     q->settled != q->stime)) {
		q->settled = q->stime;
		err = ipc_settle(c, q);
	}
	return err < 0 ? err : ipc_wait_handoff(c, q);
}

static int send(struct send *s)
{
	struct ipc_call *c = &s->c;
	struct ipc_queue *q;
	int err = enter_queue(s);

	if (err)
		return err;
	q = s->q;
	q->lspid = s->cred->tgid;
	q->stime = now();
	err = q->receivers.first ? hand_off(c, q) : 0;
	if (err == 0)
		err = ipc_fifo_append(c, q);
	if (unlikely(err < 0))
		err = ipc_queue_break(c, q);
	ipc_unlock_queue(c, q);
	return err < 0 ? err : 0;
}

/* A block with the text in it: the caller's memory is read here. */
static int load_msg(struct send *s, long type, const char *text)
{
	int err = ipc_alloc(&s->c, (uint32_t)s->id, s->size);
	struct ipc_msg *m;
	uint32_t ref;

	if (err)
		return err;
	ref = READ_ONCE(s->c.slot->msg);
	m = ipc_msg_at(s->c.ns, ref);
	if (!m || ipc_msg_room(s->c.ns, ref) < s->size)
		return ipc_damaged("new block", ref);
	ipc_step(s->c.slot->stage, IPC_HOLD);
	ipc_touch(s->c.ns, (uint64_t)s->c.slot->msg * IPC_GRAIN);
	m->type = type;
	m->size = (uint32_t)s->size;
	memcpy(ipc_msg_text(m), text, s->size);
	return 0;
}

int ksys_msgsnd(struct ipc_namespace *ns, const struct ipc_cred *cred, int id,
		const void *msgp, size_t size, int flg)
{
	struct send s = { .cred = cred, .id = id, .flg = flg, .size = size };
	const char *text = (const char *)msgp + sizeof(long);
	long type;
	int err;

	if (unlikely(ns->gone))
		return -EIO;
	if (ipc_bad_pointer(msgp, sizeof(long)))
		return -EFAULT;
	memcpy(&type, msgp, sizeof(type));
	if (size > (size_t)READ_ONCE(ipc_super(ns)->msgmax) || size > INT_MAX ||
	    id < 0 || type < 1)
		return -EINVAL;
	if (size && ipc_bad_pointer(text, size))
		return -EFAULT;
	err = ipc_call_begin(&s.c, ns);
	if (err)
		return err;
	err = load_msg(&s, type, text);
	if (!err)
		err = send(&s);
	if (err && !ipc_call_forked(&s.c))
		ipc_free_mine(&s.c);
	ipc_call_end(&s.c);
	return err;
}

/* --- msgrcv --- */

struct receive {
	struct ipc_call c;
	const struct ipc_cred *cred;
	struct ipc_queue *q;
	int id;
	int flg;
	enum ipc_select mode;
	long type;
	void *msgp;
	size_t size;
	unsigned int nap;
};

/*
 * The text of a block to the caller's memory, without any lock. -EIDRM if the
 * block is not what it should be; it is looked at once.
 */
static ssize_t fill(struct receive *r, uint32_t ref)
{
	struct ipc_msg *m = ipc_msg_at(r->c.ns, ref);
	char *text = (char *)r->msgp + sizeof(long);
	size_t size;
	long type;

	size = m ? READ_ONCE(m->size) : 0;
	if (!m || READ_ONCE(m->owner) != (IPC_OWNER_SLOT | r->c.nr) ||
	    size > ipc_msg_room(r->c.ns, ref)) {
		ipc_damaged("message to be delivered", ref);
		return -EIDRM;
	}
	type = READ_ONCE(m->type);
	if (size > r->size)
		size = r->size;
	if (ipc_bad_pointer(r->msgp, sizeof(long)))
		return -EFAULT;
	memcpy(r->msgp, &type, sizeof(type));
	if (size && ipc_bad_pointer(text, size))
		return -EFAULT;
	ipc_touch(r->c.ns, (uint64_t)((const char *)m - r->c.ns->base));
	memcpy(text, ipc_msg_text(m), size);
	return (ssize_t)size;
}

/* slot->msg goes to the caller, and from there on is nobody's. */
static ssize_t deliver(struct receive *r)
{
	struct ipc_call *c = &r->c;
	ssize_t ret = fill(r, READ_ONCE(c->slot->msg));

	ipc_step(c->slot->stage, IPC_DELIVERED);
	__atomic_add_fetch(&r->q->delivered, 1, __ATOMIC_RELEASE);
	ipc_step(c->slot->stage, IPC_IDLE);
	ipc_free_mine(c);
	return ret;
}

/* What a sleeper's status means; 0: start over, 1: slot->msg is there. */
static int outcome(struct receive *r)
{
	switch (smp_load_acquire(&r->c.slot->status)) {
	case IPC_ST_MSG:
		return 1;
	case IPC_ST_TOOBIG:
		return -E2BIG;
	case IPC_ST_RETRY:
		ipc_step(r->c.slot->stage, IPC_IDLE);
		return 0;
	default:
		return -EIDRM;
	}
}

/* The queue, locked here, is unlocked when this returns; see outcome(). */
static int wait_for_message(struct receive *r)
{
	struct ipc_call *c = &r->c;
	struct ipc_slot *s = c->slot;
	int err;

	s->mode = r->mode;
	s->type = r->type;
	s->room = r->flg & MSG_NOERROR ? UINT64_MAX : r->size;
	s->lrpid = (uint32_t)r->cred->tid;
	ipc_step(s->stage, IPC_WAIT_RCV);
	ipc_wait_join(c, r->q, &r->q->receivers, c->nr);
	for (;;) {
		ipc_unlock_queue(c, r->q);
		err = ipc_wait_sleep(c, &r->nap);
		if (unlikely(ipc_call_forked(c)))
			return -EINTR;
		if (err == 0)
			return outcome(r);
		if (ipc_lock_queue(c, r->q))
			return -EIDRM;
		/* a message that came meanwhile is taken, signal or not */
		if (READ_ONCE(s->status) <= IPC_ST_ASLEEP && err == -EINTR) {
			ipc_wait_leave(c, r->q, &r->q->receivers, c->nr);
			ipc_step(s->stage, IPC_IDLE);
			ipc_unlock_queue(c, r->q);
			return -EINTR;
		}
		/* if a dead receiver's message comes back, so does this one */
		if (ipc_settle(c, r->q) < 0)
			ipc_queue_break(c, r->q);
	}
}

/* Finds a message in the locked queue; counts in who died with one. */
static int64_t find(struct receive *r)
{
	int64_t ref = ipc_select_find(&r->c, r->q, r->mode, r->type);
	int ret;

	if (ref != 0)
		return ref;
	ret = ipc_settle(&r->c, r->q);
	if (ret <= 0)
		return ret;
	return ipc_select_find(&r->c, r->q, r->mode, r->type);
}

/* 0: in slot->msg, for delivery; 1: nothing for us. The queue is locked. */
static int take(struct receive *r)
{
	int64_t ref = find(r);
	struct ipc_msg *m;

	if (ref == 0)
		return 1;
	m = ref < 0 ? NULL : ipc_msg_at(r->c.ns, (uint32_t)ref);
	if (!m)
		return -EIO;
	if (r->size < READ_ONCE(m->size) && !(r->flg & MSG_NOERROR))
		return -E2BIG;
	if (ipc_fifo_take(&r->c, r->q, (uint32_t)ref))
		return -EIO;
	r->q->rtime = now();
	r->q->lrpid = r->cred->tgid;
	if (r->q->senders.first)
		ipc_wait_senders(&r->c, r->q);
	return 0;
}

static ssize_t receive(struct receive *r)
{
	struct ipc_call *c = &r->c;
	int err = ipc_ids_obtain(c, r->id, &r->q);

	while (!err) {
		err = ipc_perms(r->cred, r->q, MAY_READ);
		if (!err)
			err = take(r);
		if (err == -EIO)
			err = ipc_queue_break(c, r->q);
		if (err == 1 && !(r->flg & IPC_NOWAIT)) {
			err = wait_for_message(r);
			if (err == 0)
				err = ipc_ids_relock(c, r->id, r->q);
			else if (err == 1)
				return deliver(r);
			continue;
		}
		ipc_unlock_queue(c, r->q);
		if (err == 0)
			return deliver(r);
		return err == 1 ? -ENOMSG : err;
	}
	return err;
}

/* --- MSG_COPY --- */

/* The message stays; slot->msg becomes its likeness. The queue is locked. */
static int copy_message(struct receive *r, uint64_t room)
{
	struct ipc_namespace *ns = r->c.ns;
	int64_t ref = find(r);
	struct ipc_msg *m, *copy;
	uint64_t size;
	uint32_t own;

	if (ref == 0)
		return -ENOMSG;
	m = ref < 0 ? NULL : ipc_msg_at(ns, (uint32_t)ref);
	own = READ_ONCE(r->c.slot->msg);
	copy = ipc_msg_at(ns, own);
	if (!m || !copy)
		return -EIO;
	size = READ_ONCE(m->size);
	if (r->size < size && !(r->flg & MSG_NOERROR))
		return -E2BIG;
	if (size > room)
		return -EINVAL;
	if (size > ipc_msg_room(ns, (uint32_t)ref) ||
	    size > ipc_msg_room(ns, own))
		return -EIO;
	copy->type = m->type;
	copy->size = (uint32_t)size;
	memcpy(ipc_msg_text(copy), ipc_msg_text(m), size);
	return 0;
}

static ssize_t receive_copy(struct receive *r)
{
	struct ipc_call *c = &r->c;
	uint64_t room = (uint64_t)(uint32_t)READ_ONCE(c->super->msgmax);
	ssize_t ret;

	if (room > r->size)
		room = r->size;
	if (room && ipc_bad_pointer(r->msgp, room))
		return -EFAULT;
	ret = ipc_alloc(c, (uint32_t)r->id, room);
	if (ret)
		return ret;
	ipc_step(c->slot->stage, IPC_HOLD);
	ret = ipc_ids_obtain(c, r->id, &r->q);
	if (ret)
		return ret;
	ret = ipc_perms(r->cred, r->q, MAY_READ);
	if (!ret)
		ret = copy_message(r, room);
	if (ret == -EIO)
		ret = ipc_queue_break(c, r->q);
	ipc_unlock_queue(c, r->q);
	if (ret)
		return ret;
	return fill(r, READ_ONCE(c->slot->msg));
}

ssize_t ksys_msgrcv(struct ipc_namespace *ns, const struct ipc_cred *cred,
		    int id, void *msgp, size_t size, long type, int flg)
{
	struct receive r = {
		.cred = cred,
		.id = id,
		.flg = flg,
		.type = type,
		.msgp = msgp,
		.size = size,
	};
	ssize_t ret;

	if (id < 0 || size > LONG_MAX)
		return -EINVAL;
	if ((flg & MSG_COPY) && ((flg & MSG_EXCEPT) || !(flg & IPC_NOWAIT)))
		return -EINVAL;
	r.mode = ipc_select_mode(&r.type, flg);
	ret = ipc_call_begin(&r.c, ns);
	if (ret)
		return ret;
	ret = flg & MSG_COPY ? receive_copy(&r) : receive(&r);
	if (!ipc_call_forked(&r.c))
		ipc_free_mine(&r.c);
	ipc_call_end(&r.c);
	return ret;
}
