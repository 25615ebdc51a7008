// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Open files and directories.
 *
 * A session may end while clients have files open; no RELEASE comes then, and
 * a release callback must run all the same. So all of them are listed.
 *
 * Locks: KF_RANK_INODE, one list at a time, never while closing.
 */
#include "fs/fuse/fuse-internal.h"

#include <stdlib.h>

void kfd_handles_init(struct kfd *kfd)
{
	for (unsigned int i = 0; i < KFD_NR_HANDLES; i++) {
		struct kfd_handles *list = &kfd->handles[i];

		mutex_init(&list->lock, KF_RANK_INODE);
		list->head.prev = list->head.next = &list->head;
	}
}

struct kfd_handle *kfd_handle_new(struct kfd *kfd)
{
	struct kfd_handles *list =
		&kfd->handles[kf_thread_slot() % KFD_NR_HANDLES];
	struct kfd_handle *handle = calloc(1, sizeof(*handle));

	if (!handle)
		return NULL;
	handle->list = list;
	handle->refs = 1;
	mutex_lock(&list->lock);
	handle->prev = &list->head;
	handle->next = list->head.next;
	handle->next->prev = handle;
	list->head.next = handle;
	mutex_unlock(&list->lock);
	return handle;
}

void kfd_handle_close(struct kfd_handle *handle)
{
	struct kfd_handles *list = handle->list;

	mutex_lock(&list->lock);
	handle->prev->next = handle->next;
	handle->next->prev = handle->prev;
	mutex_unlock(&list->lock);
	kfd_poll_finish(handle);
	kfd_handle_put(handle);
}

void kfd_handle_get(struct kfd_handle *handle)
{
	/* relaxed: the caller has one, or the kernel has */
	__atomic_add_fetch(&handle->refs, 1, __ATOMIC_RELAXED);
}

void kfd_handle_put(struct kfd_handle *handle)
{
	/* what others did to it comes before the end */
	if (__atomic_sub_fetch(&handle->refs, 1, __ATOMIC_ACQ_REL))
		return;
	kernfs_fop_release(handle->of);
	kernfs_put(handle->dir);
	free(handle);
}

static void close_all(struct kfd_handles *list)
{
	struct kfd_handle *handle, *next;

	for (handle = list->head.next; handle != &list->head; handle = next) {
		next = handle->next;
		kfd_handle_close(handle);
	}
}

void kfd_handles_destroy(struct kfd *kfd)
{
	for (unsigned int i = 0; i < KFD_NR_HANDLES; i++) {
		close_all(&kfd->handles[i]);
		mutex_destroy(&kfd->handles[i].lock);
	}
}
