/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernel/ipc in a tree: IPC namespaces as directories.
 *
 *	kernel/ipc/NAME/ns		open: holds the namespace; content: the
 *					path of its region
 *	kernel/ipc/NAME/msg/...		totals, limits, the table, the queues
 *	kernel/ipc/host/msg/...		the kernel's own, read-only
 *	kernel/ipc/teardown		what is being freed
 *
 * mkdir makes a namespace, rmdir drops it. It goes when it is dropped and
 * nobody has its "ns" open any more.
 */
#ifndef FS_IPCTREE_IPCTREE_H
#define FS_IPCTREE_IPCTREE_H

#include <stddef.h>

#include "fs/ipc/msg.h"
#include "fs/ipc/teardown.h"

struct ipctree;
struct kernfs_root;
struct kernfs_syscall_ops;

/* Hooks for the root; refuse what is not below kernel/ipc. */
extern const struct kernfs_syscall_ops ipctree_syscall_ops;

struct ipctree_params {
	enum ipc_counters counters; /* of namespaces made by mkdir */
	struct ipc_teardown_params teardown;
};

/**
 * ipctree_create - kernel/ipc in a tree
 * @root: made with ipctree_syscall_ops; one of these at most
 * @params: read during the call only
 * @ret: set on success only; to be given to ipctree_destroy()
 * @why, @size: receive the reason of a failure, one line
 *
 * Regions are files in a directory of their own below that of
 * ipc_regions_dir(). What earlier trees left there that ended without a word
 * is freed.
 *
 * Context: may sleep; starts a thread.
 * Return: 0; -ENOTDIR the tree's "kernel" is no directory; -errno.
 */
int ipctree_create(struct kernfs_root *root, const struct ipctree_params *params,
		   struct ipctree **ret, char *why, size_t size);

/*
 * Ends all namespaces: whoever is in a call gets EIDRM. No server uses the
 * tree any more; its open files are closed. NULL is ignored.
 */
void ipctree_destroy(struct ipctree *tree);

#endif /* FS_IPCTREE_IPCTREE_H */
