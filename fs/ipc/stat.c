/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Figures, limits, and the table of /proc/sysvipc/msg. */
#include "fs/ipc/ipc-internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* --- limits --- */

void ipc_get_limits(struct ipc_namespace *ns, struct ipc_limits *ret)
{
	struct ipc_super *super = ipc_super(ns);

	ret->msgmax = READ_ONCE(super->msgmax);
	ret->msgmnb = READ_ONCE(super->msgmnb);
	ret->msgmni = READ_ONCE(super->msgmni);
	ret->msg_next_id = READ_ONCE(super->next_id);
}

int ipc_set_limit(struct ipc_namespace *ns, enum ipc_limit which, long value)
{
	struct ipc_super *super = ipc_super(ns);
	long most = which == IPC_LIMIT_MSGMNI ? (long)IPC_NR_QUEUES : INT_MAX;

	if (value < 0 || value > most)
		return -EINVAL;
	switch (which) {
	case IPC_LIMIT_MSGMAX:
		WRITE_ONCE(super->msgmax, (int)value);
		return 0;
	case IPC_LIMIT_MSGMNB:
		WRITE_ONCE(super->msgmnb, (int)value);
		return 0;
	case IPC_LIMIT_MSGMNI:
		WRITE_ONCE(super->msgmni, (int)value);
		return 0;
	case IPC_LIMIT_NEXT_ID:
		WRITE_ONCE(super->next_id, (int)value);
		return 0;
	}
	return -EINVAL;
}

/* --- totals --- */

/* Somebody died between a queue and its counters. */
static int recount(struct ipc_namespace *ns)
{
	struct ipc_call c;
	int err = ipc_call_begin(&c, ns);

	if (err)
		return err;
	ipc_recover(&c);
	err = ipc_lock_all(&c);
	if (!err) {
		ipc_recount(&c);
		ipc_unlock_all(&c);
	}
	ipc_call_end(&c);
	return err == -EDEADLK ? 0 : err;
}

int ipc_get_totals(struct ipc_namespace *ns, struct ipc_totals *ret)
{
	struct ipc_super *super = ipc_super(ns);
	struct percpu_counter *counters = ns->counters;
	int err;

	if (unlikely(ns->gone || super->magic != IPC_MAGIC))
		return -EIO;
	if (unlikely(READ_ONCE(super->recount))) {
		err = recount(ns);
		if (err)
			return err;
	}
	ret->msg_hdrs = percpu_counter_sum_positive(&counters[IPC_MSG_HDRS]);
	ret->msg_bytes = percpu_counter_sum_positive(&counters[IPC_MSG_BYTES]);
	ret->queues = (int)(READ_ONCE(super->in_use) & 0xffff);
	ret->highest_index = ipc_ids_highest(ns);
	ret->recoveries = READ_ONCE(super->recoveries);
	return 0;
}

int ipc_get_memory(struct ipc_namespace *ns, struct ipc_memory *ret)
{
	struct stat st;

	if (fstat(ns->fd, &st) < 0)
		return -errno;
	ret->used = (uint64_t)st.st_blocks * 512;
	ret->limit = ns->limit;
	return 0;
}

/* --- one queue --- */

static unsigned int count_list(struct ipc_call *c, uint32_t nr)
{
	unsigned int n = 0, nr_slots = ipc_nr_slots(c->ns);

	for (; nr && nr <= nr_slots && n < nr_slots; n++)
		nr = READ_ONCE(ipc_slot_at(c->ns, nr)->next);
	return n;
}

static void fill_stat(struct ipc_call *c, struct ipc_queue *q,
		      struct ipc_queue_stat *ret)
{
	*ret = (struct ipc_queue_stat){
		.id = (int)q->id,
		.key = q->key,
		.mode = q->mode,
		.uid = q->uid,
		.cuid = q->cuid,
		.gid = q->gid,
		.cgid = q->cgid,
		.cbytes = q->cbytes,
		.qnum = q->qnum,
		.qbytes = q->qbytes,
		.lspid = q->lspid,
		.lrpid = q->lrpid,
		.stime = q->stime,
		.rtime = q->rtime,
		.ctime = q->ctime,
		.receivers = count_list(c, READ_ONCE(q->receivers.first)),
		.senders = count_list(c, READ_ONCE(q->senders.first)),
	};
}

static int stat_index(struct ipc_call *c, uint32_t index,
		      struct ipc_queue_stat *ret)
{
	struct ipc_queue *q;
	int err = ipc_ids_obtain_index(c, index, &q);

	if (err)
		return err == -EINVAL ? -ENOENT : -EIO;
	if (ipc_settle(c, q) < 0)
		err = ipc_queue_break(c, q) ? -EIO : 0;
	fill_stat(c, q, ret);
	ipc_unlock_queue(c, q);
	return err;
}

int ipc_queue_stat(struct ipc_namespace *ns, int index,
		   struct ipc_queue_stat *ret)
{
	struct ipc_call c;
	int err;

	if (index < 0 || index >= IPC_INDEX_MAX)
		return -ENOENT;
	err = ipc_call_begin(&c, ns);
	if (err)
		return err;
	err = stat_index(&c, (uint32_t)index, ret);
	ipc_call_end(&c);
	return err;
}

/* --- the table --- */

static void print_row(FILE *out, const struct ipc_queue_stat *s)
{
	fprintf(out,
		"%10d %10d  %4o  %10lu %10lu %5d %5d %5u %5u %5u %5u "
		"%10lld %10lld %10lld\n",
		(int)s->key, s->id, (unsigned int)s->mode,
		(unsigned long)s->cbytes, (unsigned long)s->qnum, (int)s->lspid,
		(int)s->lrpid, (unsigned int)s->uid, (unsigned int)s->gid,
		(unsigned int)s->cuid, (unsigned int)s->cgid,
		(long long)s->stime, (long long)s->rtime, (long long)s->ctime);
}

ssize_t ipc_proc_sysvipc_msg(struct ipc_namespace *ns, char **ret_text)
{
	size_t len = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &len);
	struct ipc_queue_stat s;
	uint32_t ready;

	if (!out)
		return -ENOMEM;
	ready = ns->gone ? 0 : ipc_ids_ready(ns);
	fprintf(out,
		"%10s %10s %5s %11s %10s %5s %5s %5s %5s %5s %5s "
		"%10s %10s %10s\n",
		"key", "msqid", "perms", "cbytes", "qnum", "lspid", "lrpid",
		"uid", "gid", "cuid", "cgid", "stime", "rtime", "ctime");
	for (uint32_t i = 0; i < ready; i++) {
		if (READ_ONCE(ipc_queue_at(ns, i)->used) == 1 &&
		    ipc_queue_stat(ns, (int)i, &s) == 0)
			print_row(out, &s);
	}
	if (fclose(out) != 0) {
		free(text);
		return -ENOMEM;
	}
	*ret_text = text;
	return (ssize_t)len;
}

/* --- the end of a namespace --- */

void ipc_ns_kill(struct ipc_namespace *ns)
{
	struct ipc_call c;
	uint32_t ready;

	ipc_step(ipc_super(ns)->dead, 1);
	if (ipc_call_begin(&c, ns))
		return;
	ready = ipc_ids_ready(ns);
	for (uint32_t i = 0; i < ready; i++) {
		struct ipc_queue *q = ipc_queue_at(ns, i);

		if (READ_ONCE(q->used) != 1 || ipc_lock_queue(&c, q))
			continue;
		ipc_wait_all(&c, q, &q->receivers, IPC_ST_REMOVED);
		ipc_wait_all(&c, q, &q->senders, IPC_ST_REMOVED);
		ipc_unlock_queue(&c, q);
	}
	ipc_call_end(&c);
}
