// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The four calls. Where a program was started without a namespace they are
 * the C library's.
 */
#include "fs/ipc/preload/preload.h"

#include <errno.h>
#include <pthread.h>
#include <sys/single_threaded.h>

static ssize_t result(ssize_t ret)
{
	if (likely(ret >= 0))
		return ret;
	errno = (int)-ret;
	return -1;
}

/*
 * msgsnd() and msgrcv() are cancellation points, but the C library sends its
 * signal only to threads that it knows to be in one. So where there are
 * threads a call that has to sleep is made anew, open to cancellation at any
 * instruction: to the queue that is a caller who died there.
 */
static bool may_be_cancelled(int flg)
{
	return !(flg & IPC_NOWAIT) && unlikely(!__libc_single_threaded);
}

KF_CALL int msgget(key_t key, int flg)
{
	int err;
	struct ipc_namespace *ns = kf_ns(&err);

	if (unlikely(!ns))
		return err ? (int)result(err) : kf_real()->msgget(key, flg);
	return (int)result(ksys_msgget(ns, kf_task_cred(), key, flg));
}

static int send_cancellable(struct ipc_namespace *ns,
			    const struct ipc_cred *cred, int id,
			    const void *msgp, size_t size, int flg)
{
	int ret, type;

	pthread_testcancel();
	ret = ksys_msgsnd(ns, cred, id, msgp, size, flg | IPC_NOWAIT);
	if (ret != -EAGAIN)
		return ret;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	ret = ksys_msgsnd(ns, cred, id, msgp, size, flg);
	pthread_setcanceltype(type, NULL);
	return ret;
}

KF_CALL int msgsnd(int id, const void *msgp, size_t size, int flg)
{
	int err;
	struct ipc_namespace *ns = kf_ns(&err);

	if (unlikely(!ns))
		return err ? (int)result(err) :
			     kf_real()->msgsnd(id, msgp, size, flg);
	if (may_be_cancelled(flg))
		return (int)result(send_cancellable(ns, kf_task_cred(), id,
						    msgp, size, flg));
	return (int)result(
		ksys_msgsnd(ns, kf_task_cred(), id, msgp, size, flg));
}

static ssize_t receive_cancellable(struct ipc_namespace *ns,
				   const struct ipc_cred *cred, int id,
				   void *msgp, size_t size, long type, int flg)
{
	ssize_t ret;
	int cancel_type;

	pthread_testcancel();
	/* of the flags that ask for IPC_NOWAIT by themselves, or else fail */
	if (flg & MSG_COPY)
		return ksys_msgrcv(ns, cred, id, msgp, size, type, flg);
	ret = ksys_msgrcv(ns, cred, id, msgp, size, type, flg | IPC_NOWAIT);
	if (ret != -ENOMSG)
		return ret;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &cancel_type);
	ret = ksys_msgrcv(ns, cred, id, msgp, size, type, flg);
	pthread_setcanceltype(cancel_type, NULL);
	return ret;
}

KF_CALL ssize_t msgrcv(int id, void *msgp, size_t size, long type, int flg)
{
	int err;
	struct ipc_namespace *ns = kf_ns(&err);

	if (unlikely(!ns))
		return err ? result(err) :
			     kf_real()->msgrcv(id, msgp, size, type, flg);
	if (may_be_cancelled(flg))
		return result(receive_cancellable(ns, kf_task_cred(), id, msgp,
						  size, type, flg));
	return result(
		ksys_msgrcv(ns, kf_task_cred(), id, msgp, size, type, flg));
}

KF_CALL int msgctl(int id, int cmd, struct msqid_ds *buf)
{
	int err;
	struct ipc_namespace *ns = kf_ns(&err);

	if (unlikely(!ns))
		return err ? (int)result(err) :
			     kf_real()->msgctl(id, cmd, buf);
	return (int)result(ksys_msgctl(ns, kf_task_cred(), id, cmd, buf));
}
