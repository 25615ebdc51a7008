/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names and paths, read without node locks.
 *
 * A path is made of immutable name records, found by climbing from the node;
 * afterwards rename_seq tells whether a rename came in between, and then it is
 * made again. Lengths are summed first and names then copied from the end of
 * the path to its start, within the space that was summed: should a name have
 * become longer meanwhile, there is no room for it and the attempt is over.
 */
#include "fs/kernfs/path.h"

#include <string.h>

/* Attempts before renames are kept out; see KF_READ_TRIES. */
#define TRIES 16

void kernfs_stable_begin(struct kernfs_stable *s, struct kernfs_root *root)
{
	s->root = root;
	s->tries = 0;
	s->locked = false;
	s->seq = read_seqcount_begin(&root->rename_seq);
}

bool kernfs_stable_retry(struct kernfs_stable *s)
{
	if (s->locked || !read_seqcount_retry(&s->root->rename_seq, s->seq))
		return false;
	if (++s->tries < TRIES) {
		s->seq = read_seqcount_begin(&s->root->rename_seq);
		return true;
	}
	mutex_lock(&s->root->rename_lock);
	s->locked = true;
	return true;
}

void kernfs_stable_end(struct kernfs_stable *s)
{
	if (s->locked)
		mutex_unlock(&s->root->rename_lock);
}

static const struct kernfs_node *parent_of(const struct kernfs_node *kn)
{
	return kernfs_rcu_name(kn)->parent;
}

static unsigned int depth_of(const struct kernfs_node *kn)
{
	unsigned int depth = 0;

	while ((kn = parent_of(kn)))
		depth++;
	return depth;
}

const struct kernfs_node *kernfs_common_ancestor(const struct kernfs_node *to,
						 const struct kernfs_node *from,
						 unsigned int *ret_up)
{
	unsigned int to_depth = depth_of(to), from_depth = depth_of(from);
	unsigned int up = 0;

	for (; to && to_depth > from_depth; to_depth--)
		to = parent_of(to);
	while (to && from && to != from) {
		from = parent_of(from);
		up++;
		if (from_depth > to_depth)
			from_depth--;
		else
			to = parent_of(to);
	}
	*ret_up = up;
	return to && from ? to : NULL;
}

/* Bytes of "/a/b" from below @top down to @kn; 0 if @top is not above. */
static size_t length_below(const struct kernfs_node *top,
			   const struct kernfs_node *kn)
{
	size_t len = 0;

	while (kn != top) {
		const struct kernfs_name *name = kernfs_rcu_name(kn);

		len += strlen(name->str) + 1;
		kn = name->parent;
		if (!kn)
			return 0;
	}
	return len;
}

size_t kernfs_names_below(const struct kernfs_node *top,
			  const struct kernfs_node *kn, bool slash, char *buf,
			  size_t buflen)
{
	size_t len = length_below(top, kn);
	size_t left = slash ? len : len - 1;
	size_t total = left;

	if (!len || total >= buflen)
		return 0;
	buf[total] = '\0';
	while (left) {
		const struct kernfs_name *name = kernfs_rcu_name(kn);
		size_t n = strlen(name->str);

		if (!name->parent || n > left)
			return 0;
		left -= n;
		memcpy(buf + left, name->str, n);
		if (left)
			buf[--left] = '/';
		kn = name->parent;
	}
	return total;
}

static int path_text(const struct kernfs_node *to,
		     const struct kernfs_node *from, char *buf, size_t buflen)
{
	const struct kernfs_node *common;
	size_t used = 0, names;
	unsigned int up;

	common = kernfs_common_ancestor(to, from, &up);
	if (to == from) {
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
	if (!common)
		return -E2BIG;
	if (common == to)
		return (int)used;
	names = kernfs_names_below(common, to, true, buf + used, buflen - used);
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
	struct kernfs_stable s;
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
	kernfs_stable_begin(&s, to->root);
	do {
		len = path_text(to, from, buf, buflen);
	} while (kernfs_stable_retry(&s));
	kernfs_stable_end(&s);
	kf_rcu_read_unlock();
	if (len < 0)
		buf[0] = '\0';
	return len;
}

int kernfs_path(struct kernfs_node *kn, char *buf, size_t buflen)
{
	return kernfs_path_from_node(kn, NULL, buf, buflen);
}
