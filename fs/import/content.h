/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One imported file's content: the object behind the node, and the callback
 * tables that serve it. Private to fs/import; the store's life is in import.h.
 */
#ifndef FS_IMPORT_CONTENT_H
#define FS_IMPORT_CONTENT_H

#include "kernfuse/file.h"

struct kf_content;
struct kf_content_store;

/**
 * kf_content_create - an object that holds a value or an errno
 * @data, @len: the value, copied; ignored with an errno
 * @error: positive errno that reads return, or 0
 *
 * Return: the object, owned by the caller until kf_content_store_add(); NULL
 * no memory.
 */
struct kf_content *kf_content_create(const void *data, size_t len, int error);

/* of one that is in no store; NULL is ignored */
void kf_content_free(struct kf_content *content);

/**
 * kf_content_store_add - hand an object over to a store
 *
 * Context: may sleep. Takes KF_RANK_CONTENT.
 */
void kf_content_store_add(struct kf_content_store *store,
			  struct kf_content *content);

/* positive errno, or 0. Only before the node exists: takes no lock. */
int kf_content_error(const struct kf_content *content);

/**
 * kf_content_ops - the callbacks of a file
 * @content: what will be the node's priv; NULL for a file nobody can read
 * @mode: permission bits: any read bit gives show or read, any write bit
 *	gives write
 *
 * Only before the node exists: takes no lock.
 */
const struct kernfs_ops *kf_content_ops(const struct kf_content *content,
					mode_t mode);

/**
 * kf_content_size - st_size of a file that does not come from a real sysfs
 * @content: as for kf_content_ops()
 *
 * Return: one page for what looks like a text attribute or has no value;
 * otherwise the length in bytes.
 */
off_t kf_content_size(const struct kf_content *content);

#endif /* FS_IMPORT_CONTENT_H */
