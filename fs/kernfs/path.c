/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names and paths, read without node locks.
 *
 * A path is built in one pass from the immutable name records: collect them
 * from the node up, make sure that no rename came in between (rename_seq),
 * then copy. The records cannot change under the copy, so there is no second
 * pass that could find other lengths than the first.
 */
#include "fs/kernfs/path.h"

#include <string.h>

/* Attempts before renames are kept out; see KF_READ_TRIES. */
#define TRIES 16

void kernfs_chain_begin(struct kernfs_chain *chain, struct kernfs_root *root)
{
	chain->root = root;
	chain->tries = 0;
	chain->locked = false;
	chain->seq = read_seqcount_begin(&root->rename_seq);
}

bool kernfs_chain_retry(struct kernfs_chain *chain)
{
	struct kernfs_root *root = chain->root;

	if (chain->locked || !read_seqcount_retry(&root->rename_seq, chain->seq))
		return false;
	if (++chain->tries < TRIES) {
		chain->seq = read_seqcount_begin(&root->rename_seq);
		return true;
	}
	mutex_lock(&root->rename_lock);
	chain->locked = true;
	return true;
}

void kernfs_chain_end(struct kernfs_chain *chain)
{
	if (chain->locked)
		mutex_unlock(&chain->root->rename_lock);
}

bool kernfs_chain_collect(struct kernfs_chain *chain, struct kernfs_node *kn)
{
	const struct kernfs_name *name = kernfs_rcu_name(kn);

	chain->kn = kn;
	for (chain->depth = 0; name->parent; chain->depth++) {
		if (chain->depth == KERNFS_MAX_DEPTH)
			return false;
		chain->name[chain->depth] = name;
		name = kernfs_rcu_name(name->parent);
	}
	return true;
}

const struct kernfs_node *kernfs_chain_at(const struct kernfs_chain *chain,
					  unsigned int depth)
{
	return depth == chain->depth ?
		       chain->kn :
		       chain->name[chain->depth - 1 - depth]->parent;
}

size_t kernfs_chain_names(const struct kernfs_chain *chain, unsigned int from,
			  char *buf, size_t buflen)
{
	size_t used = 0;

	for (unsigned int depth = from; depth < chain->depth; depth++) {
		const char *str = chain->name[chain->depth - 1 - depth]->str;
		size_t len = strlen(str);

		if (used + len + 1 >= buflen)
			return 0;
		buf[used++] = '/';
		memcpy(buf + used, str, len);
		used += len;
	}
	buf[used] = '\0';
	return used;
}

static unsigned int depth_of(const struct kernfs_node *kn)
{
	const struct kernfs_name *name = kernfs_rcu_name(kn);
	unsigned int depth = 0;

	for (; name->parent; depth++)
		name = kernfs_rcu_name(name->parent);
	return depth;
}

/* How many levels to climb from @from, and where: the common ancestor. */
static unsigned int climb(const struct kernfs_chain *chain,
			  const struct kernfs_node *from,
			  unsigned int *ret_common)
{
	unsigned int depth = depth_of(from), up = 0;

	while (depth > chain->depth || kernfs_chain_at(chain, depth) != from) {
		from = kernfs_rcu_name(from)->parent;
		if (!from)
			break;
		depth--;
		up++;
	}
	*ret_common = depth;
	return up;
}

static int path_text(const struct kernfs_chain *chain,
		     const struct kernfs_node *from, char *buf, size_t buflen)
{
	unsigned int common;
	unsigned int up = climb(chain, from, &common);
	size_t used = 0, names;

	if (!up && common == chain->depth) {
		if (buflen < 2)
			return -E2BIG;
		strcpy(buf, "/");
		return 1;
	}
	for (; up; up--, used += 3) {
		if (used + 4 > buflen)
			return -E2BIG;
		strcpy(buf + used, "/..");
	}
	if (common == chain->depth)
		return (int)used;
	names = kernfs_chain_names(chain, common, buf + used, buflen - used);
	return names ? (int)(used + names) : -E2BIG;
}

static int copy_cut(const char *str, char *buf, size_t buflen)
{
	size_t len = strlen(str);
	size_t fits = len < buflen ? len : buflen - 1;

	memcpy(buf, str, fits);
	buf[fits] = '\0';
	return len < buflen ? (int)len : -E2BIG;
}

int kernfs_name(struct kernfs_node *kn, char *buf, size_t buflen)
{
	const struct kernfs_name *name;
	int len;

	if (!buflen)
		return -EINVAL;
	if (!kn)
		return copy_cut("(null)", buf, buflen);
	kf_rcu_read_lock();
	name = kernfs_rcu_name(kn);
	len = copy_cut(name->parent ? name->str : "/", buf, buflen);
	kf_rcu_read_unlock();
	return len;
}

int kernfs_path_from_node(struct kernfs_node *to, struct kernfs_node *from,
			  char *buf, size_t buflen)
{
	struct kernfs_chain chain;
	int len;

	if (!buflen)
		return -EINVAL;
	if (!to)
		return copy_cut("(null)", buf, buflen);
	if (!from)
		from = to->root->kn;
	if (kf_warn_on_once(to->root != from->root))
		return -EINVAL;
	kf_rcu_read_lock();
	kernfs_chain_begin(&chain, to->root);
	do {
		len = kernfs_chain_collect(&chain, to) ?
			      path_text(&chain, from, buf, buflen) :
			      -E2BIG;
	} while (kernfs_chain_retry(&chain));
	kernfs_chain_end(&chain);
	kf_rcu_read_unlock();
	if (len < 0)
		buf[0] = '\0';
	return len;
}

int kernfs_path(struct kernfs_node *kn, char *buf, size_t buflen)
{
	return kernfs_path_from_node(kn, NULL, buf, buflen);
}
