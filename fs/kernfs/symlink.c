/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link texts: fixed ones, and those that lead to a node wherever it is now.
 *
 * A computed text climbs from the link's directory to the nearest proper
 * ancestor of the target and then descends: from /a/b a link to /a reads
 * "../../a", never "..", as the kernel's does.
 */
#include "fs/kernfs/path.h"

#include <string.h>

/* Where climbing from @dir ends, by depth; *@ret_up levels on the way. */
static unsigned int turning_point(const struct kernfs_chain *target,
				  const struct kernfs_node *dir,
				  unsigned int *ret_up)
{
	const struct kernfs_name *name;
	unsigned int depth = 0;

	for (name = kernfs_rcu_name(dir); name->parent; depth++)
		name = kernfs_rcu_name(name->parent);
	*ret_up = 0;
	/* the root node is everybody's ancestor; the target is not its own */
	while (depth && (depth >= target->depth ||
			 kernfs_chain_at(target, depth) != dir)) {
		dir = kernfs_rcu_name(dir)->parent;
		/* a rename in between may shorten the way up: then retried */
		if (!dir)
			return 0;
		depth--;
		(*ret_up)++;
	}
	return depth;
}

static int link_text(struct kernfs_chain *chain, struct kernfs_node *kn,
		     char *buf)
{
	unsigned int up, depth;
	size_t used = 0, names;

	if (!kernfs_chain_collect(chain, kn->symlink.target))
		return -ENAMETOOLONG;
	if (!chain->depth)
		return -EINVAL;
	depth = turning_point(chain, kernfs_rcu_name(kn)->parent, &up);
	for (; up; up--, used += 3) {
		if (used + 3 >= KERNFS_PATH_MAX)
			return -ENAMETOOLONG;
		memcpy(buf + used, "../", 3);
	}
	/* names come with a leading '/': let the last "../" be overwritten,
	 * or drop it if there is none */
	if (used)
		used--;
	names = kernfs_chain_names(chain, depth, buf + used,
				   KERNFS_PATH_MAX - used);
	if (!names)
		return -ENAMETOOLONG;
	if (!used)
		memmove(buf, buf + 1, names--);
	return (int)(used + names);
}

static int fixed_text(const struct kernfs_node *kn, char *buf)
{
	size_t len = strlen(kn->symlink.text);

	memcpy(buf, kn->symlink.text, len + 1);
	return (int)len;
}

int kernfs_iop_get_link(struct kernfs_node *kn, char *buf)
{
	struct kernfs_chain chain;
	int len;

	if (!kernfs_is(kn, KERNFS_LINK))
		return -EINVAL;
	if (!kn->symlink.target)
		return fixed_text(kn, buf);
	kf_rcu_read_lock();
	kernfs_chain_begin(&chain, kn->root);
	do {
		len = link_text(&chain, kn, buf);
	} while (kernfs_chain_retry(&chain));
	kernfs_chain_end(&chain);
	kf_rcu_read_unlock();
	return len;
}
