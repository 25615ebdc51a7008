/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which locks a root uses, and what they have done so far.
 *
 * All three policies serve the same tree with the same results; they differ
 * only in what a reader does. doc/locking.md argues why each is correct.
 */
#ifndef KERNFUSE_LOCKING_H
#define KERNFUSE_LOCKING_H

#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

enum kernfs_locking {
	/* hashed reader-writer locks, picked by node address; the default */
	KERNFS_LOCKING_HASHED = 0,
	/* one reader-writer lock for the whole root: the kernel's old way */
	KERNFS_LOCKING_GLOBAL,
	/* readers take no lock and write no shared memory */
	KERNFS_LOCKING_RCU,
	KERNFS_NR_LOCKING,
};

/* The code paths that are counted. */
enum kernfs_lock_path {
	KERNFS_LOCK_PERMISSION, /* kernfs_iop_permission, kernfs_iop_getattr */
	KERNFS_LOCK_REVALIDATE, /* kernfs_dop_revalidate */
	KERNFS_LOCK_LOOKUP,	/* kernfs_iop_lookup, find_and_get, walk */
	KERNFS_LOCK_READDIR,	/* kernfs_fop_readdir, one for each batch */
	KERNFS_LOCK_UPDATE,	/* every exclusive section */
	KERNFS_NR_LOCK_PATHS,
};

struct kernfs_lock_stats {
	uint64_t runs;	/* times the path was taken */
	uint64_t waits; /* times it had to wait for, or retry after, a writer */
};

/**
 * kernfs_locking_name - the mount option's word for a policy
 * @locking: a policy
 *
 * Context: any. Takes no lock.
 * Return: "hashed", "global" or "rcu"; NULL for any other value.
 */
KERNFUSE_PUBLIC const char *kernfs_locking_name(enum kernfs_locking locking);

/**
 * kernfs_locking_parse - the policy a word stands for
 * @name: NUL-terminated word
 * @ret_locking: set on success only
 *
 * Context: any. Takes no lock.
 * Return: 0; -EINVAL the word names no policy.
 */
KERNFUSE_PUBLIC int kernfs_locking_parse(const char *name,
					 enum kernfs_locking *ret_locking);

/**
 * kernfs_lock_path_name - the name of a counted path
 * @path: a path
 *
 * Context: any. Takes no lock.
 * Return: "permission", "revalidate", "lookup", "readdir" or "update"; NULL
 * for any other value.
 */
KERNFUSE_PUBLIC const char *kernfs_lock_path_name(enum kernfs_lock_path path);

/**
 * kernfs_root_locking - the policy of a root, fixed at its creation
 * @root: a root the caller keeps alive
 *
 * Context: any. Takes no lock.
 */
KERNFUSE_PUBLIC enum kernfs_locking
kernfs_root_locking(const struct kernfs_root *root);

/**
 * kernfs_root_nr_locks - how many node locks a root has
 * @root: a root the caller keeps alive
 *
 * Context: any. Takes no lock.
 * Return: 1 for the global policy; otherwise a power of two. The rcu policy
 * reports the locks its writers use.
 */
KERNFUSE_PUBLIC unsigned int
kernfs_root_nr_locks(const struct kernfs_root *root);

/**
 * kernfs_root_lock_stats - how often a path ran and had to wait
 * @root: a root the caller keeps alive
 * @path: which path
 * @ret_stats: filled in
 *
 * The figures are summed from per-thread slots while they change: each is a
 * value the counter had at some moment of the call, never torn, never
 * decreasing from one call to the next.
 *
 * Context: any. Takes no lock.
 * Return: 0; -EINVAL no such path.
 */
KERNFUSE_PUBLIC int kernfs_root_lock_stats(const struct kernfs_root *root,
					   enum kernfs_lock_path path,
					   struct kernfs_lock_stats *ret_stats);

KERNFUSE_END_DECLS

#endif /* KERNFUSE_LOCKING_H */
