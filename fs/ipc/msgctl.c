/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at queues, changing and removing them. */
#include "fs/ipc/ipc-internal.h"

#include <limits.h>
#include <string.h>

/* what IPC_INFO tells of a kernel that never was */
#define MSGPOOL 512000
#define MSGMAP 16384
#define MSGTQL 16384
#define MSGSSZ 16
#define MSGSEG 0xffff

#define MAY_READ 0444

/* --- status --- */

static void fill_ds(const struct ipc_queue *q, struct msqid_ds *ds)
{
	memset(ds, 0, sizeof(*ds));
	ds->msg_perm.__key = q->key;
	ds->msg_perm.uid = q->uid;
	ds->msg_perm.gid = q->gid;
	ds->msg_perm.cuid = q->cuid;
	ds->msg_perm.cgid = q->cgid;
	ds->msg_perm.mode = (unsigned short)q->mode;
	ds->msg_perm.__seq = (unsigned short)(q->id >> IPC_SEQ_SHIFT);
	ds->msg_stime = q->stime;
	ds->msg_rtime = q->rtime;
	ds->msg_ctime = q->ctime;
	ds->__msg_cbytes = q->cbytes;
	ds->msg_qnum = q->qnum;
	ds->msg_qbytes = q->qbytes;
	ds->msg_lspid = q->lspid;
	ds->msg_lrpid = q->lrpid;
}

static int stat_queue(struct ipc_call *c, const struct ipc_cred *cred, int id,
		      int cmd, struct msqid_ds *ds)
{
	struct ipc_queue *q;
	int ret;

	if (cmd == IPC_STAT)
		ret = ipc_ids_obtain(c, id, &q);
	else
		ret = ipc_ids_obtain_index(c, (uint32_t)id % IPC_NR_QUEUES, &q);
	if (ret)
		return ret;
	if (cmd != MSG_STAT_ANY)
		ret = ipc_perms(cred, q, MAY_READ);
	if (!ret) {
		/* a dead receiver's message counts */
		if (ipc_settle(c, q) < 0)
			ret = ipc_queue_break(c, q);
		fill_ds(q, ds);
		if (!ret && cmd != IPC_STAT)
			ret = (int)q->id;
	}
	ipc_unlock_queue(c, q);
	return ret;
}

/* --- changing --- */

/*
 * qbytes is an int on its way through the kernel, and compared as unsigned:
 * so is it here.
 */
static int set_queue(struct ipc_call *c, const struct ipc_cred *cred, int id,
		     const struct msqid_ds *ds)
{
	int qbytes = (int)ds->msg_qbytes;
	struct ipc_queue *q;
	struct timespec ts;
	int err = ipc_ids_obtain(c, id, &q);

	if (err)
		return err;
	err = -EPERM;
	if (!ipc_may_change(cred, q))
		goto out;
	if ((uint32_t)qbytes > (uint32_t)READ_ONCE(c->super->msgmnb) &&
	    !cred->cap_sys_resource)
		goto out;
	err = -EINVAL;
	if (ds->msg_perm.uid == (uid_t)-1 || ds->msg_perm.gid == (gid_t)-1)
		goto out;
	err = 0;
	clock_gettime(CLOCK_REALTIME_COARSE, &ts);
	q->uid = ds->msg_perm.uid;
	q->gid = ds->msg_perm.gid;
	q->mode = ds->msg_perm.mode & 0777;
	q->qbytes = (uint64_t)(int64_t)qbytes;
	q->ctime = ts.tv_sec;
	/* who sleeps may not be allowed any more, or fit now */
	ipc_wait_all(c, q, &q->receivers, IPC_ST_RETRY);
	ipc_wait_senders(c, q);
out:
	ipc_unlock_queue(c, q);
	return err;
}

static int remove_queue(struct ipc_call *c, const struct ipc_cred *cred, int id)
{
	struct ipc_queue *q;
	int err = ipc_lock_ids(c);

	if (err)
		return err;
	err = ipc_ids_obtain_any(c, id, &q);
	if (err) {
		ipc_unlock(c, &c->super->ids_lock);
		return err;
	}
	if (!ipc_may_change(cred, q)) {
		ipc_unlock(c, &c->super->ids_lock);
		ipc_unlock_queue(c, q);
		return -EPERM;
	}
	ipc_ids_remove(c, q);
	ipc_unlock(c, &c->super->ids_lock);
	ipc_wait_all(c, q, &q->receivers, IPC_ST_REMOVED);
	ipc_wait_all(c, q, &q->senders, IPC_ST_REMOVED);
	ipc_fifo_purge(c, q);
	ipc_unlock_queue(c, q);
	return 0;
}

/* --- figures --- */

static int clamp(int64_t n)
{
	return n < 0 ? 0 : n > INT_MAX ? INT_MAX : (int)n;
}

static int info(struct ipc_namespace *ns, int cmd, struct msginfo *buf)
{
	struct ipc_super *super = ipc_super(ns);
	struct ipc_totals totals;
	struct msginfo i;
	int err;

	memset(&i, 0, sizeof(i));
	i.msgmax = READ_ONCE(super->msgmax);
	i.msgmnb = READ_ONCE(super->msgmnb);
	i.msgmni = READ_ONCE(super->msgmni);
	i.msgssz = MSGSSZ;
	i.msgseg = MSGSEG;
	i.msgpool = MSGPOOL;
	i.msgmap = MSGMAP;
	i.msgtql = MSGTQL;
	if (cmd == MSG_INFO) {
		err = ipc_get_totals(ns, &totals);
		if (err)
			return err;
		i.msgpool = totals.queues;
		i.msgmap = clamp(totals.msg_hdrs);
		i.msgtql = clamp(totals.msg_bytes);
	}
	if (ipc_bad_pointer(buf, sizeof(i)))
		return -EFAULT;
	memcpy(buf, &i, sizeof(i));
	err = ipc_ids_highest(ns);
	return err < 0 ? 0 : err;
}

/* --- msgctl --- */

static int ctl_stat(struct ipc_namespace *ns, const struct ipc_cred *cred,
		    int id, int cmd, void *buf)
{
	struct msqid_ds ds;
	struct ipc_call c;
	int ret = ipc_call_begin(&c, ns);

	if (ret)
		return ret;
	ret = stat_queue(&c, cred, id, cmd, &ds);
	ipc_call_end(&c);
	if (ret < 0)
		return ret;
	if (ipc_bad_pointer(buf, sizeof(ds)))
		return -EFAULT;
	memcpy(buf, &ds, sizeof(ds));
	return ret;
}

static int ctl_change(struct ipc_namespace *ns, const struct ipc_cred *cred,
		      int id, int cmd, const void *buf)
{
	struct msqid_ds ds;
	struct ipc_call c;
	int ret;

	if (cmd == IPC_SET) {
		if (ipc_bad_pointer(buf, sizeof(ds)))
			return -EFAULT;
		memcpy(&ds, buf, sizeof(ds));
	}
	ret = ipc_call_begin(&c, ns);
	if (ret)
		return ret;
	ret = cmd == IPC_SET ? set_queue(&c, cred, id, &ds) :
			       remove_queue(&c, cred, id);
	ipc_call_end(&c);
	return ret;
}

int ksys_msgctl(struct ipc_namespace *ns, const struct ipc_cred *cred, int id,
		int cmd, void *buf)
{
	if (id < 0 || cmd < 0)
		return -EINVAL;
	switch (cmd) {
	case IPC_INFO:
	case MSG_INFO:
		return info(ns, cmd, buf);
	case IPC_STAT:
	case MSG_STAT:
	case MSG_STAT_ANY:
		return ctl_stat(ns, cred, id, cmd, buf);
	case IPC_SET:
	case IPC_RMID:
		return ctl_change(ns, cred, id, cmd, buf);
	default:
		return -EINVAL;
	}
}
