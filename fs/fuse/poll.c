// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * POLL.
 *
 * A program that waits makes the kernel ask with a poll handle, a new one
 * each time, though all of one open file do the same. So an open file keeps
 * the last one, and one table of the tree's that is woken for all its
 * waiters; the kernel then asks again for each of them.
 *
 * The notification is sent by the thread that brings the news: the kernel
 * waits for nobody while it takes it.
 *
 * Why no wake-up is lost: the handle is stored before the table is queued, so
 * a table that is woken finds that handle or a later one.
 */
#include "fs/fuse/fuse-internal.h"

static void destroy_poll_handle(struct fuse_pollhandle *ph)
{
	if (ph)
		fuse_pollhandle_destroy(ph);
}

static void wake(struct poll_table_struct *pt)
{
	struct kfd_handle *handle = caa_container_of(pt, struct kfd_handle, pt);
	/* acquire, pairs with the release in kfd_op_poll() */
	struct fuse_pollhandle *ph =
		__atomic_exchange_n(&handle->ph, NULL, __ATOMIC_ACQUIRE);

	/* none: an earlier wake has told the kernel, and it did not ask since
	 */
	if (!ph)
		return;
	fuse_lowlevel_notify_poll(ph);
	destroy_poll_handle(ph);
}

void kfd_poll_finish(struct kfd_handle *handle)
{
	/* never asked: nothing to wait for */
	if (!handle->pt.wake)
		return;
	kernfs_fop_poll_cancel(handle->of, &handle->pt);
	destroy_poll_handle(handle->ph);
}

void kfd_op_poll(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi,
		 struct fuse_pollhandle *ph)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_POLL);
	struct kfd_handle *handle = kfd_handle(fi);

	(void)ino;
	if (!kfd->params.poll) {
		/* the kernel does not ask again, of no file of this mount, and
		 * says readable and writable by itself */
		destroy_poll_handle(ph);
		kfd_reply_err(req, -ENOSYS);
		return;
	}
	if (!ph) {
		kfd_reply_poll(req, kernfs_fop_poll(handle->of, NULL));
		return;
	}
	/* relaxed: the same value each time, and read when queued only */
	__atomic_store_n(&handle->pt.wake, wake, __ATOMIC_RELAXED);
	/* release, pairs with wake() */
	destroy_poll_handle(
		__atomic_exchange_n(&handle->ph, ph, __ATOMIC_ACQ_REL));
	kfd_reply_poll(req, kernfs_fop_poll(handle->of, &handle->pt));
}
