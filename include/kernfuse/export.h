/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * File handles: a node's id as bytes that outlive it, for a server of
 * name_to_handle_at(2) and open_by_handle_at(2).
 *
 * Only on a root with KERNFS_ROOT_SUPPORT_EXPORTOP.
 */
#ifndef KERNFUSE_EXPORT_H
#define KERNFUSE_EXPORT_H

#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

/* Types of handles, the kernel's. */
#define KERNFS_FILEID_INO32_GEN 0x01
#define KERNFS_FILEID_INO32_GEN_PARENT 0x02
#define KERNFS_FILEID_KERNFS 0xfe
#define KERNFS_FILEID_INVALID 0xff

/**
 * kernfs_encode_fh - the handle of a node
 * @kn: node the caller keeps alive
 * @fh: where to
 * @max_len: 32-bit words in @fh; set to the words that a handle has, also if
 *	there is no room
 *
 * Context: any. Takes no lock.
 * Return: KERNFS_FILEID_KERNFS: @fh holds the id, in this machine's byte
 * order; KERNFS_FILEID_INVALID: there is no room; -EOPNOTSUPP the root makes
 * none.
 */
KERNFUSE_PUBLIC int kernfs_encode_fh(const struct kernfs_node *kn, uint32_t *fh,
				     int *max_len);

/**
 * kernfs_fh_to_node, kernfs_fh_to_parent - the node of a handle, or its parent
 * @root: root the handle is of
 * @fh, @fh_len: the handle, 32-bit words; from anywhere
 * @fh_type: KERNFS_FILEID_*
 *
 * Also takes the kernel's generic handles, 32 bits of inode number and 32 of
 * generation.
 *
 * Context: any. Takes no lock.
 * Return: the node, with a reference for the caller; ERR_PTR(-ESTALE) no
 * active node has that id, or the root's parent was asked for; NULL it is no
 * handle: too short, of an unknown type; ERR_PTR(-EOPNOTSUPP) the root takes
 * none.
 */
KERNFUSE_PUBLIC struct kernfs_node *kernfs_fh_to_node(struct kernfs_root *root,
						      const uint32_t *fh,
						      int fh_len, int fh_type);
/* the same; of a node that has moved: where it is now */
KERNFUSE_PUBLIC struct kernfs_node *
kernfs_fh_to_parent(struct kernfs_root *root, const uint32_t *fh, int fh_len,
		    int fh_type);

KERNFUSE_END_DECLS

#endif /* KERNFUSE_EXPORT_H */
