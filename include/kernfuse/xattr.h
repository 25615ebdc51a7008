/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes of nodes: a server's on behalf of its clients
 * (kernfs_iop_*), with prefixes and limits; a program's own, without.
 *
 * Names are full ones, "trusted.x". Values are kept with the node: not copied
 * by rename, gone when it is freed; a removed node still answers.
 */
#ifndef KERNFUSE_XATTR_H
#define KERNFUSE_XATTR_H

#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

/* Limits of user.* on one node; other prefixes are for the privileged. */
#define KERNFS_MAX_USER_XATTRS 128		 /* attributes */
#define KERNFS_USER_XATTR_SIZE_LIMIT (128 << 10) /* bytes of all values */

/* Longest name with its prefix, and largest value (the VFS's), bytes. */
#define KERNFS_XATTR_NAME_MAX 255
#define KERNFS_XATTR_SIZE_MAX 65536

/* Flags of setting, with the values of setxattr(2). */
#define KERNFS_XATTR_CREATE 1  /* -EEXIST if it is there */
#define KERNFS_XATTR_REPLACE 2 /* -ENODATA if it is not */

/**
 * kernfs_xattr_get - the value of an attribute
 * @kn: node the caller keeps alive
 * @name: full name
 * @value, @size: where to, bytes; @value NULL asks for the length
 *
 * Context: may sleep. Takes KF_RANK_NODE (read).
 * Return: bytes; -ENODATA there is none; -ERANGE @size is too small.
 */
KERNFUSE_PUBLIC ssize_t kernfs_xattr_get(struct kernfs_node *kn,
					 const char *name, void *value,
					 size_t size);

/**
 * kernfs_xattr_set - set or remove an attribute
 * @kn: node the caller keeps alive
 * @name: full name, copied
 * @value, @size: the value, bytes, copied; @value NULL removes
 * @flags: KERNFS_XATTR_CREATE or KERNFS_XATTR_REPLACE, or 0
 *
 * No permission is checked and no limit.
 *
 * Context: may sleep. Takes KF_RANK_NODE (write).
 * Return: 0; -EEXIST, -ENODATA by @flags; -ENODATA nothing to remove; -ENOMEM.
 */
KERNFUSE_PUBLIC int kernfs_xattr_set(struct kernfs_node *kn, const char *name,
				     const void *value, size_t size, int flags);

/**
 * kernfs_iop_getxattr, kernfs_iop_setxattr - on behalf of a client
 *
 * trusted.* and security.* are kept as given (whether the client may use them
 * is the server's check); user.* only on a root with
 * KERNFS_ROOT_SUPPORT_USER_XATTR, within the limits above; elsewhere there are
 * none to get.
 *
 * As in the kernel the limits are tested before an old value is looked for: a
 * value replaced at the limit is refused even if the new one is shorter.
 * Removal always works.
 *
 * Context: as kernfs_xattr_get(), kernfs_xattr_set().
 * Return: as those; also -EOPNOTSUPP the prefix is not served here; -ENOSPC a
 * limit of user.*; -E2BIG @size is above KERNFS_XATTR_SIZE_MAX; -ERANGE the
 * name is longer than KERNFS_XATTR_NAME_MAX, or empty; -EINVAL it is a prefix
 * and nothing else.
 */
KERNFUSE_PUBLIC ssize_t kernfs_iop_getxattr(struct kernfs_node *kn,
					    const char *name, void *value,
					    size_t size);
/* @value NULL removes it */
KERNFUSE_PUBLIC int kernfs_iop_setxattr(struct kernfs_node *kn,
					const char *name, const void *value,
					size_t size, int flags);

/**
 * kernfs_iop_listxattr - the names of all attributes
 * @kn: node the caller keeps alive
 * @list, @size: where to, bytes: names with their NULs; @list NULL asks for
 *	the length
 * @trusted: whether the client may see trusted.*
 *
 * As in the kernel this gives the node its attribute record.
 *
 * Context: may sleep. Takes KF_RANK_NODE (write).
 * Return: bytes; -ERANGE @size is too small; -E2BIG more than
 * KERNFS_XATTR_SIZE_MAX; -ENOMEM.
 */
KERNFUSE_PUBLIC ssize_t kernfs_iop_listxattr(struct kernfs_node *kn, char *list,
					     size_t size, bool trusted);

KERNFUSE_END_DECLS

#endif /* KERNFUSE_XATTR_H */
