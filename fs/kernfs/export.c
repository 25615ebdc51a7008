/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* File handles: ids as bytes. */
#include "fs/kernfs/kernfs-internal.h"

#include <kernfuse/export.h>

#include <string.h>

/* 32-bit words of each kind */
#define WORDS_KERNFS ((int)(sizeof(uint64_t) / sizeof(uint32_t)))
#define WORDS_INO32_GEN 2

int kernfs_encode_fh(const struct kernfs_node *kn, uint32_t *fh, int *max_len)
{
	int room = *max_len;

	if (!(kn->root->flags & KERNFS_ROOT_SUPPORT_EXPORTOP))
		return -EOPNOTSUPP;
	*max_len = WORDS_KERNFS;
	if (room < WORDS_KERNFS)
		return KERNFS_FILEID_INVALID;
	memcpy(fh, &kn->id, sizeof(kn->id));
	return KERNFS_FILEID_KERNFS;
}

/* False: it is none. */
static bool id_of_fh(const uint32_t *fh, int fh_len, int fh_type,
		     uint64_t *ret_id)
{
	switch (fh_type) {
	case KERNFS_FILEID_KERNFS:
		if (fh_len < WORDS_KERNFS)
			return false;
		memcpy(ret_id, fh, sizeof(*ret_id));
		return true;
	case KERNFS_FILEID_INO32_GEN:
	case KERNFS_FILEID_INO32_GEN_PARENT:
		if (fh_len < WORDS_INO32_GEN)
			return false;
		*ret_id = (uint64_t)fh[1] << 32 | fh[0];
		return true;
	default:
		return false;
	}
}

struct kernfs_node *kernfs_fh_to_node(struct kernfs_root *root,
				      const uint32_t *fh, int fh_len,
				      int fh_type)
{
	struct kernfs_node *kn;
	uint64_t id;

	if (!(root->flags & KERNFS_ROOT_SUPPORT_EXPORTOP))
		return ERR_PTR(-EOPNOTSUPP);
	if (!id_of_fh(fh, fh_len, fh_type, &id))
		return NULL;
	kn = kernfs_find_and_get_node_by_id(root, id);
	return kn ? kn : ERR_PTR(-ESTALE);
}

struct kernfs_node *kernfs_fh_to_parent(struct kernfs_root *root,
					const uint32_t *fh, int fh_len,
					int fh_type)
{
	struct kernfs_node *kn = kernfs_fh_to_node(root, fh, fh_len, fh_type);
	struct kernfs_node *parent;

	if (IS_ERR_OR_NULL(kn))
		return kn;
	parent = kernfs_get_parent(kn);
	kernfs_put(kn);
	return parent ? parent : ERR_PTR(-ESTALE);
}
