/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names shared by all public headers: forward declarations, node types and
 * flags, root flags, limits.
 *
 * The values are the kernel's (fs/kernfs), so that numbers printed by either
 * side can be compared.
 */
#ifndef KERNFUSE_TYPES_H
#define KERNFUSE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
#define KERNFUSE_BEGIN_DECLS extern "C" {
#define KERNFUSE_END_DECLS }
#else
#define KERNFUSE_BEGIN_DECLS
#define KERNFUSE_END_DECLS
#endif

/* Marks what leaves libkernfuse.so; everything else is hidden. */
#if defined(__GNUC__)
#define KERNFUSE_PUBLIC __attribute__((visibility("default")))
#define KERNFUSE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define KERNFUSE_PUBLIC
#define KERNFUSE_PRINTF(fmt, args)
#endif

struct kernfs_root;
struct kernfs_node;
struct kernfs_ops;
struct kernfs_open_file;
struct kernfs_syscall_ops;
struct kernfs_walk;
struct poll_table_struct;
struct seq_file;

/*
 * Bytes one read or write callback sees at most: the kernel's page on x86-64.
 * A constant, not sysconf(): what a reader of the tree sees must not depend
 * on the machine that serves it.
 */
#define KERNFS_PAGE_SIZE 4096

/* Longest path string, NUL included (PATH_MAX of the kernel). */
#define KERNFS_PATH_MAX 4096

/*
 * Largest offset to seek to and largest size to truncate to, bytes: the
 * kernel's limit (MAX_NON_LFS) for a file system that sets none, as kernfs.
 */
#define KERNFS_MAX_BYTES INT32_MAX

/* Node types: exactly one, in the low bits of a node's flags. */
enum kernfs_node_type {
	KERNFS_DIR = 0x1,
	KERNFS_FILE = 0x2,
	KERNFS_LINK = 0x4,
};

#define KERNFS_TYPE_MASK 0x000f

/* Root flags, for kernfs_create_root(). */
enum kernfs_root_flag {
	/* new nodes stay invisible until kernfs_activate() (cgroup) */
	KERNFS_ROOT_CREATE_DEACTIVATED = 0x1,
	/* open checks mode bits and callbacks for everybody, root too (sysfs)
	 */
	KERNFS_ROOT_EXTRA_OPEN_PERM_CHECK = 0x2,
	/* file handles can be made and taken (cgroup2) */
	KERNFS_ROOT_SUPPORT_EXPORTOP = 0x4,
	/* clients may set user.* extended attributes (cgroup2) */
	KERNFS_ROOT_SUPPORT_USER_XATTR = 0x8,
	/* rename never changes the parent (cgroup) */
	KERNFS_ROOT_INVARIANT_PARENT = 0x10,
};

/*
 * A namespace tag. The caller owns the object and keeps it alive for as long
 * as a node carries it. Two tags are the same namespace if their ids are
 * equal; the id also salts the name hash, as in kernels newer than 6.19.
 */
struct ns_common {
	uint64_t ns_id; /* never 0: 0 stands for "no tag" */
};

#endif /* KERNFUSE_TYPES_H */
