/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ancestors of a node as they are at one moment, for path.c and
 * symlink.c. All of it runs inside an RCU read section:
 *
 *	kernfs_chain_begin(&chain, root);
 *	do {
 *		kernfs_chain_collect(&chain, kn) ... use ...
 *	} while (kernfs_chain_retry(&chain));
 *	kernfs_chain_end(&chain);
 *
 * What is computed in the loop counts only when it ends.
 */
#ifndef FS_KERNFS_PATH_H
#define FS_KERNFS_PATH_H

#include "fs/kernfs/kernfs-internal.h"

/* Deeper than any path string can say. */
#define KERNFS_MAX_DEPTH (KERNFS_PATH_MAX / 2)

struct kernfs_chain {
	struct kernfs_root *root;
	unsigned long seq;
	unsigned int tries;
	bool locked; /* holds root->rename_lock */
	struct kernfs_node *kn;
	unsigned int depth; /* of kn; the root node's is 0 */
	/* of kn, of its parent, and so on; the root node's is left out */
	const struct kernfs_name *name[KERNFS_MAX_DEPTH];
};

void kernfs_chain_begin(struct kernfs_chain *chain, struct kernfs_root *root);
bool kernfs_chain_retry(struct kernfs_chain *chain);
void kernfs_chain_end(struct kernfs_chain *chain);

/* Return: false if @kn is deeper than any path. */
bool kernfs_chain_collect(struct kernfs_chain *chain, struct kernfs_node *kn);
/* the node itself or its ancestor, by depth */
const struct kernfs_node *kernfs_chain_at(const struct kernfs_chain *chain,
					  unsigned int depth);
/* "/a/b" below depth @from. Return: bytes; 0 if it does not fit. */
size_t kernfs_chain_names(const struct kernfs_chain *chain, unsigned int from,
			  char *buf, size_t buflen);

#endif /* FS_KERNFS_PATH_H */
