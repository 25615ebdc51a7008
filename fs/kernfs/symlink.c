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

static int link_text(const struct kernfs_node *kn, char *buf)
{
	const struct kernfs_node *target = kn->symlink.target, *above, *turn;
	size_t used = 0, names;
	unsigned int up;

	above = kernfs_rcu_name(target)->parent;
	if (!above)
		return -EINVAL;
	/* the target is not its own proper ancestor: its parent may be */
	turn = kernfs_common_ancestor(above, kernfs_rcu_name(kn)->parent, &up);
	if (!turn)
		return -ENAMETOOLONG;
	for (; up; up--, used += 3) {
		if (used + 3 >= KERNFS_PATH_MAX)
			return -ENAMETOOLONG;
		memcpy(buf + used, "../", 3);
	}
	names = kernfs_names_below(turn, target, false, buf + used,
				   KERNFS_PATH_MAX - used);
	return names ? (int)(used + names) : -ENAMETOOLONG;
}

static int fixed_text(const struct kernfs_node *kn, char *buf)
{
	size_t len = strlen(kn->symlink.text);

	memcpy(buf, kn->symlink.text, len + 1);
	return (int)len;
}

int kernfs_iop_get_link(struct kernfs_node *kn, char *buf)
{
	struct kernfs_stable s;
	int len;

	if (!kernfs_is(kn, KERNFS_LINK))
		return -EINVAL;
	if (!kn->symlink.target)
		return fixed_text(kn, buf);
	kf_rcu_read_lock();
	kernfs_stable_begin(&s, kn->root);
	do {
		len = link_text(kn, buf);
	} while (kernfs_stable_retry(&s));
	kernfs_stable_end(&s);
	kf_rcu_read_unlock();
	return len;
}
