/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The life of a node: allocation, references, freeing.
 *
 * A node is freed when its count reaches zero, but its memory stays for a
 * grace period: readers without locks may still look at it. What only holders
 * of a reference look at (link text, attributes) goes with it all the same,
 * so that there is one place where a node's memory ends.
 */
#include "fs/kernfs/kernfs-internal.h"

#include <stdlib.h>
#include <string.h>

/* A record made by rename: freed on its own, unlike a node's first one. */
struct renamed {
	struct rcu_head rcu;
	struct kernfs_name name;
};

struct kernfs_name *kernfs_new_name(struct kernfs_node *parent,
				    const char *name,
				    const struct ns_common *ns)
{
	size_t len = strlen(name) + 1;
	struct renamed *r = malloc(sizeof(*r) + len);

	if (!r)
		return NULL;
	r->name.parent = parent;
	r->name.ns = ns;
	r->name.hash = kernfs_name_hash(name, ns);
	memcpy(r->name.str, name, len);
	return &r->name;
}

void kernfs_free_name(struct kernfs_name *name)
{
	if (name)
		free(caa_container_of(name, struct renamed, name));
}

static void free_renamed(struct rcu_head *head)
{
	kf_rcu_callback_begin(head);
	free(caa_container_of(head, struct renamed, rcu));
}

void kernfs_free_name_rcu(struct kernfs_node *kn, struct kernfs_name *name)
{
	if (name == &kn->first)
		return;
	kf_call_rcu(&caa_container_of(name, struct renamed, name)->rcu,
		    free_renamed);
}

static int init_owner(struct kernfs_node *kn, struct kernfs_node *parent,
		      uid_t uid, gid_t gid)
{
	struct kernfs_iattrs *iattr;

	/* a setgid directory passes its group on */
	if (parent && READ_ONCE(parent->mode) & S_ISGID) {
		iattr = smp_load_acquire(&parent->iattr);
		if (iattr)
			gid = READ_ONCE(iattr->gid);
		if (kernfs_is(kn, KERNFS_DIR))
			kn->mode |= S_ISGID;
	}
	if (!uid && !gid)
		return 0;
	iattr = kernfs_new_iattrs();
	if (!iattr)
		return -ENOMEM;
	iattr->uid = uid;
	iattr->gid = gid;
	kn->iattr = iattr;
	return 0;
}

struct kernfs_node *kernfs_new_node(struct kernfs_root *root,
				    struct kernfs_node *parent,
				    const char *name, mode_t mode, uid_t uid,
				    gid_t gid, unsigned int flags,
				    const struct ns_common *ns)
{
	size_t len = strlen(name) + 1;
	struct kernfs_node *kn;

	kn = malloc(sizeof(*kn) + len);
	if (!kn)
		return NULL;
	memset(kn, 0, sizeof(*kn));
	memcpy(kn->first.str, name, len);
	kn->count = 1;
	kn->active = KN_DEACTIVATED_BIAS;
	kn->flags = (uint16_t)flags;
	kn->mode = (uint16_t)mode;
	kn->root = root;
	if (init_owner(kn, parent, uid, gid)) {
		free(kn);
		return NULL;
	}
	kn->first.ns = ns;
	kn->first.hash = parent ? kernfs_name_hash(name, ns) : 0;
	kn->first.parent = parent;
	kn->name = &kn->first;
	/* from here on others may look at it */
	if (kernfs_id_add(kn)) {
		free(kn->iattr);
		free(kn);
		return NULL;
	}
	kernfs_get(parent);
	return kn;
}

void kernfs_get(struct kernfs_node *kn)
{
	int old;

	if (!kn)
		return;
	/* relaxed: whoever handed us the node ordered its contents */
	old = __atomic_fetch_add(&kn->count, 1, __ATOMIC_RELAXED);
	kf_assert(old > 0 && old < INT_MAX);
}

bool kernfs_tryget(struct kernfs_node *kn)
{
	int old = READ_ONCE(kn->count);

	/* relaxed: the read section ordered the node's contents */
	while (old > 0)
		if (__atomic_compare_exchange_n(&kn->count, &old, old + 1, true,
						__ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	return false;
}

static void free_node(struct rcu_head *head)
{
	struct kernfs_node *kn =
		caa_container_of(head, struct kernfs_node, rcu);

	kf_rcu_callback_begin(head);
	if (kernfs_is(kn, KERNFS_DIR))
		kf_rcutab_free(kn->dir.tab);
	else if (kernfs_is(kn, KERNFS_LINK))
		free(kn->symlink.text);
	if (kn->name != &kn->first)
		kernfs_free_name(kn->name);
	if (kn->iattr)
		kernfs_free_xattrs(kn->iattr->xattrs);
	free(kn->iattr);
	free(kn);
}

/* Drops one reference. Return: true if it was the last. */
static bool put_and_test(struct kernfs_node *kn)
{
	/* release: our accesses come before the freeing; acquire: the others'
	 * do too, if we free */
	int left = __atomic_sub_fetch(&kn->count, 1, __ATOMIC_ACQ_REL);

	kf_assert(left >= 0);
	return left == 0;
}

/*
 * A node's end may be its parent's and, for a link, its target's. Both are
 * put on a list instead of recursing: chains can be as long as the tree is
 * deep. The list runs through left, which an unlinked node does not use; but
 * a reader without locks that stands on a dying node may still follow it. So
 * all that it finds there are nodes that die after it, and no way on from
 * them: right may be from long ago.
 */
void kernfs_put(struct kernfs_node *kn)
{
	struct kernfs_node *todo = NULL;

	if (!kn || !put_and_test(kn))
		return;
	WRITE_ONCE(kn->left, NULL);
	todo = kn;
	while ((kn = todo)) {
		struct kernfs_node *held[2] = { kn->name->parent, NULL };

		todo = kn->left;
		kf_warn_on_once(READ_ONCE(kn->active) != KN_DEACTIVATED_BIAS);
		kernfs_id_del(kn);
		if (kernfs_is(kn, KERNFS_LINK))
			held[1] = kn->symlink.target;
		if (!held[0] && kn == kn->root->kn)
			kernfs_free_root(kn->root);
		kf_call_rcu(&kn->rcu, free_node);
		for (unsigned int i = 0; i < 2; i++) {
			if (!held[i] || !put_and_test(held[i]))
				continue;
			WRITE_ONCE(held[i]->right, NULL);
			/* pairs with the acquire in tree.c's get_child() */
			smp_store_release(&held[i]->left, todo);
			todo = held[i];
		}
	}
}

enum kernfs_node_type kernfs_type(const struct kernfs_node *kn)
{
	return (enum kernfs_node_type)(kernfs_flags(kn) & KERNFS_TYPE_MASK);
}

uint64_t kernfs_id(const struct kernfs_node *kn)
{
	return kn->id;
}

ino_t kernfs_ino(const struct kernfs_node *kn)
{
	return (ino_t)kn->id;
}

/* 64-bit inode numbers tell everything apart; narrower ones need the rest */
uint32_t kernfs_gen(const struct kernfs_node *kn)
{
	return sizeof(ino_t) >= sizeof(kn->id) ? 1 : (uint32_t)(kn->id >> 32);
}

void *kernfs_priv(const struct kernfs_node *kn)
{
	return kn->priv;
}

struct kernfs_root *kernfs_root(const struct kernfs_node *kn)
{
	return kn->root;
}

mode_t kernfs_mode(const struct kernfs_node *kn)
{
	/* relaxed: one field, any moment's value will do */
	return READ_ONCE(kn->mode);
}

bool kernfs_ns_enabled(const struct kernfs_node *kn)
{
	return kernfs_flags(kn) & KERNFS_NS;
}

unsigned int kernfs_root_flags(struct kernfs_node *kn)
{
	return kn->root->flags;
}
