/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ancestors of nodes as they are at one moment, for path.c and symlink.c:
 *
 *	kernfs_stable_begin(&s, root);
 *	do {
 *		... climb, copy names ...
 *	} while (kernfs_stable_retry(&s));
 *	kernfs_stable_end(&s);
 *
 * All of it runs inside a read section. What is found in the loop counts only
 * when it ends; until then it may be made of two moments, so every function
 * here copes with chains that lead elsewhere than they just did.
 */
#ifndef FS_KERNFS_PATH_H
#define FS_KERNFS_PATH_H

#include "fs/kernfs/kernfs-internal.h"

struct kernfs_stable {
	struct kernfs_root *root;
	unsigned long seq; /* of root->rename_seq */
	unsigned int tries;
	bool locked; /* holds root->rename_lock */
};

void kernfs_stable_begin(struct kernfs_stable *s, struct kernfs_root *root);
/* whether rename_lock is held the token knows, not the analysis */
bool kernfs_stable_retry(struct kernfs_stable *s) __kf_no_analysis;
void kernfs_stable_end(struct kernfs_stable *s) __kf_no_analysis;

/*
 * The deepest directory that has both nodes at or below it; NULL if the chains
 * changed under us. *@ret_up: how many levels it is above @from.
 */
const struct kernfs_node *kernfs_common_ancestor(const struct kernfs_node *to,
						 const struct kernfs_node *from,
						 unsigned int *ret_up);

/*
 * The names from below @top down to @kn, "a/b"; with @slash "/a/b".
 * Return: bytes without the NUL; 0 if it does not fit into @buflen, or the
 * chain changed under us.
 */
size_t kernfs_names_below(const struct kernfs_node *top,
			  const struct kernfs_node *kn, bool slash, char *buf,
			  size_t buflen);

#endif /* FS_KERNFS_PATH_H */
