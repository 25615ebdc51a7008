/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renaming: one new record of (parent, tag, name), put in place with one
 * store.
 *
 * The node, its old and its new parent are locked together. While the store
 * has not happened the node is found under its old name, afterwards under the
 * new one: the directory tables hold it under both in between, and a lookup
 * believes only the record the node points to.
 */
#include "fs/kernfs/kernfs-internal.h"

#include <string.h>

struct rename {
	struct kernfs_node *kn;
	struct kernfs_node *old_parent, *new_parent;
	const char *name;	    /* NULL keeps it */
	const struct ns_common *ns; /* unless keep_ns */
	bool keep_ns;
};

static int may_rename(const struct rename *r)
{
	/* marked from the top down: a directory that is being removed lets no
	 * child out, even one that still looks alive */
	if (kernfs_flags(r->old_parent) & KERNFS_REMOVING)
		return -ENOENT;
	if (!kernfs_active(r->kn) || !kernfs_active(r->new_parent))
		return -ENOENT;
	if (kernfs_flags(r->new_parent) & KERNFS_EMPTY_DIR)
		return -ENOENT;
	if (r->old_parent != r->new_parent &&
	    kf_warn_on_once(r->kn->root->flags & KERNFS_ROOT_INVARIANT_PARENT))
		return -EINVAL;
	if (kf_warn_on_once(kernfs_ns_enabled(r->new_parent) != !!r->ns))
		return -EINVAL;
	return 0;
}

/* Every store that moves the node; nothing here can fail. */
static void move(const struct rename *r, struct kernfs_name *name)
{
	struct kernfs_node *kn = r->kn, *from = r->old_parent;
	struct kernfs_node *to = r->new_parent;
	struct kernfs_name *old = kn->name;
	struct kernfs_root *root = kn->root;

	write_seqcount_begin(&from->dir.rev);
	if (to != from)
		write_seqcount_begin(&to->dir.rev);
	kernfs_tree_erase(from, kn, old);
	kf_rcutab_add(to->dir.tab, name->hash, kn);

	mutex_lock(&root->rename_lock);
	write_seqcount_begin(&root->rename_seq);
	/* pairs with kernfs_rcu_name(): the record is complete */
	smp_store_release(&kn->name, name);
	write_seqcount_end(&root->rename_seq);
	mutex_unlock(&root->rename_lock);

	kf_rcutab_del(&from->dir.tab, old->hash, kn);
	kernfs_tree_insert(to, kn, name);
	if (to != from && kernfs_is(kn, KERNFS_DIR)) {
		WRITE_ONCE(from->subdirs, from->subdirs - 1);
		WRITE_ONCE(to->subdirs, to->subdirs + 1);
	}
	if (to != from)
		write_seqcount_end(&to->dir.rev);
	write_seqcount_end(&from->dir.rev);
}

/* Return: 1 moved, 0 nothing to do, or -errno. */
static int rename_locked(struct rename *r)
{
	const struct kernfs_name *old = r->kn->name;
	const char *str = r->name ? r->name : old->str;
	struct kernfs_name *name;
	struct kernfs_key key;
	int err;

	if (r->keep_ns)
		r->ns = old->ns;
	err = may_rename(r);
	if (err)
		return err;
	if (r->old_parent == r->new_parent &&
	    kernfs_ns_id(old->ns) == kernfs_ns_id(r->ns) &&
	    !strcmp(old->str, str))
		return 0;
	kernfs_key_init(&key, str, r->ns);
	if (kernfs_find_ns(r->new_parent, &key))
		return -EEXIST;
	name = kernfs_new_name(r->new_parent, str, r->ns);
	if (!name)
		return -ENOMEM;
	err = kernfs_tree_reserve(r->new_parent);
	if (err) {
		kernfs_free_name(name);
		return err;
	}
	kernfs_get(r->new_parent);
	move(r, name);
	return 1;
}

static int do_rename(struct rename *r)
{
	struct kernfs_node *kn = r->kn;
	struct kernfs_name *old;
	struct kf_write w;
	int ret;

	if (kn == kn->root->kn || kn->root != r->new_parent->root ||
	    !kernfs_is(r->new_parent, KERNFS_DIR))
		return -EINVAL;
	ret = r->name ? kernfs_check_name(r->name) : 0;
	if (ret)
		return ret;
	for (;;) {
		r->old_parent = kernfs_get_parent(kn);
		kf_write_lock(&w, &kn->root->locks, kn, r->old_parent,
			      r->new_parent);
		/* which locks are the right ones is known only under them */
		if (kn->name->parent == r->old_parent)
			break;
		kf_write_unlock(&w);
		kernfs_put(r->old_parent);
	}
	old = kn->name;
	ret = rename_locked(r);
	kf_write_unlock(&w);
	if (ret > 0) {
		kernfs_free_name_rcu(kn, old);
		kernfs_put(r->old_parent); /* the node's own reference */
	}
	kernfs_put(r->old_parent);
	return ret < 0 ? ret : 0;
}

int kernfs_rename_ns(struct kernfs_node *kn, struct kernfs_node *new_parent,
		     const char *new_name, const struct ns_common *new_ns)
{
	struct rename r = {
		.kn = kn,
		.new_parent = new_parent,
		.name = new_name,
		.ns = new_ns,
	};

	return do_rename(&r);
}

int kernfs_rename(struct kernfs_node *kn, struct kernfs_node *new_parent,
		  const char *new_name)
{
	struct rename r = {
		.kn = kn,
		.new_parent = new_parent,
		.name = new_name,
		.keep_ns = true,
	};

	return do_rename(&r);
}
