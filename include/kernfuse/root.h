/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Roots: a root is one hierarchy, with its node locks, its ids and its hooks.
 */
#ifndef KERNFUSE_ROOT_H
#define KERNFUSE_ROOT_H

#include <kernfuse/locking.h>
#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

/*
 * Hooks behind the directory system calls. Each is optional: without it the
 * call is refused with -EPERM. Each runs with an active reference on its node
 * arguments and with no lock held, so it may create, look up, rename and
 * remove nodes of the same root.
 */
struct kernfs_syscall_ops {
	int (*mkdir)(struct kernfs_node *parent, const char *name, mode_t mode);
	/* may succeed without removing it: then it is still there for the next
	 * lookup, as another inode */
	int (*rmdir)(struct kernfs_node *kn);
	int (*rename)(struct kernfs_node *kn, struct kernfs_node *new_parent,
		      const char *new_name);
	/*
	 * Not in the kernel. Makes the children of @dir what they should be
	 * now; called before a server looks a name up in a directory that
	 * kernfs_enable_refresh() was called for, or lists it. May create and
	 * remove its children. Several threads may be in it at once.
	 */
	void (*refresh)(struct kernfs_node *dir);
};

/* What kernfs_create_root_locking() takes beyond the kernel's arguments. */
struct kernfs_root_locking_params {
	enum kernfs_locking locking;
	/*
	 * Node locks wanted, rounded up to a power of two, at most
	 * KERNFS_MAX_LOCKS; 0 sizes the table from the CPU count. Ignored by
	 * the global policy, which has one.
	 */
	unsigned int nr_locks;
};

/* The kernel's largest table, NR_KERNFS_LOCK_BITS 10. */
#define KERNFS_MAX_LOCKS 1024

/**
 * kernfs_create_root - a new, empty hierarchy with the default locks
 * @scops: hooks, kept by reference for the root's life; NULL for none
 * @flags: KERNFS_ROOT_* flags
 * @priv: kept in the root node; see kernfs_priv()
 *
 * The root node is a directory, mode 0555, owned by root:root, with id 1, and
 * active unless KERNFS_ROOT_CREATE_DEACTIVATED is given.
 *
 * Context: may sleep. Takes no lock.
 * Return: the root, to be given to kernfs_destroy_root(); ERR_PTR(-ENOMEM).
 */
KERNFUSE_PUBLIC struct kernfs_root *
kernfs_create_root(const struct kernfs_syscall_ops *scops, unsigned int flags,
		   void *priv);

/**
 * kernfs_create_root_locking - kernfs_create_root() with chosen locks
 * @scops, @flags, @priv: as for kernfs_create_root()
 * @params: the locks; read during the call only
 *
 * Not in the kernel, where the locks are compiled in.
 *
 * Context: may sleep. Takes no lock.
 * Return: the root; ERR_PTR(-ENOMEM); ERR_PTR(-EINVAL) unknown policy or more
 * than KERNFS_MAX_LOCKS locks.
 */
KERNFUSE_PUBLIC struct kernfs_root *
kernfs_create_root_locking(const struct kernfs_syscall_ops *scops,
			   unsigned int flags, void *priv,
			   const struct kernfs_root_locking_params *params);

/**
 * kernfs_destroy_root - remove everything and drop the root
 * @root: the root, which the caller may not use afterwards; NULL is ignored
 *
 * Returns when no callback of any node runs any more. The memory goes when
 * the last reference to the last node goes.
 *
 * Context: may sleep; waits for active references, so it must not be called
 * from a callback of this root. Takes KF_RANK_NODE (write), repeatedly.
 */
KERNFUSE_PUBLIC void kernfs_destroy_root(struct kernfs_root *root);

/**
 * kernfs_root_to_node - the root node
 * @root: a root the caller keeps alive
 *
 * Context: any. Takes no lock, no reference.
 */
KERNFUSE_PUBLIC struct kernfs_node *
kernfs_root_to_node(struct kernfs_root *root);

/**
 * kernfs_root_flags - the KERNFS_ROOT_* flags of a node's root
 * @kn: a node the caller keeps alive
 *
 * Context: any. Takes no lock.
 */
KERNFUSE_PUBLIC unsigned int kernfs_root_flags(struct kernfs_node *kn);

KERNFUSE_END_DECLS

#endif /* KERNFUSE_ROOT_H */
