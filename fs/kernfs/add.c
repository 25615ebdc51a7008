/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Creating nodes: link into the parent, then activate.
 *
 * Whether a directory takes children is decided under its own lock, by a flag
 * that removal sets under the same lock. Linking and activating are two
 * sections: a removal that comes in between finds the node and marks it, and
 * activation then leaves it alone.
 */
#include "fs/kernfs/kernfs-internal.h"

#include <stdlib.h>
#include <string.h>

void kernfs_touch_dir(struct kernfs_node *dir)
{
	struct kernfs_iattrs *iattr = dir->iattr;
	struct timespec now;

	kf_assert_write_locked(&dir->root->locks, dir);
	if (!iattr)
		return;
	kernfs_now(&now);
	write_seqcount_begin(&dir->seq);
	kernfs_store_time(&iattr->mtime, &now);
	kernfs_store_time(&iattr->ctime, &now);
	write_seqcount_end(&dir->seq);
}

static int add_locked(struct kernfs_node *parent, struct kernfs_node *kn)
{
	struct kernfs_key key;
	int err;

	if (kernfs_flags(parent) & (KERNFS_REMOVING | KERNFS_EMPTY_DIR))
		return -ENOENT;
	if (kf_warn_on_once(kernfs_ns_enabled(parent) != !!kn->name->ns))
		return -EINVAL;
	kernfs_key_init(&key, kn->name->str, kn->name->ns);
	if (kernfs_find_ns(parent, &key))
		return -EEXIST;
	err = kernfs_tree_reserve(parent);
	if (err)
		return err;

	kernfs_set_flag(kn, KERNFS_LINKED);
	write_seqcount_begin(&parent->dir.rev);
	kf_rcutab_add(parent->dir.tab, key.hash, kn);
	kernfs_tree_insert(parent, kn, kn->name);
	if (kernfs_is(kn, KERNFS_DIR))
		WRITE_ONCE(parent->subdirs, parent->subdirs + 1);
	write_seqcount_end(&parent->dir.rev);
	kernfs_touch_dir(parent);
	return 0;
}

int kernfs_add_one(struct kernfs_node *kn)
{
	struct kernfs_node *parent = kn->name->parent;
	struct kernfs_root *root = kn->root;
	struct kf_write w;
	int err;

	/* linked, it may be removed and freed by anybody: keep it till the end */
	kernfs_get(kn);
	kf_write_lock(&w, &root->locks, parent, NULL, NULL);
	err = add_locked(parent, kn);
	kf_write_unlock(&w);
	if (!err && !(root->flags & KERNFS_ROOT_CREATE_DEACTIVATED)) {
		kf_write_lock(&w, &root->locks, kn, NULL, NULL);
		kernfs_activate_one(kn);
		kf_write_unlock(&w);
	}
	kernfs_put(kn);
	return err;
}

/* A new node below @parent, not linked yet; or ERR_PTR. */
static struct kernfs_node *new_child(struct kernfs_node *parent,
				     const char *name, mode_t mode, uid_t uid,
				     gid_t gid, unsigned int flags,
				     const struct ns_common *ns)
{
	struct kernfs_node *kn;
	int err;

	if (!kernfs_is(parent, KERNFS_DIR))
		return ERR_PTR(-EINVAL);
	err = kernfs_check_name(name);
	if (err)
		return ERR_PTR(err);
	kn = kernfs_new_node(parent->root, parent, name, mode, uid, gid, flags,
			     ns);
	return kn ? kn : ERR_PTR(-ENOMEM);
}

/* Links @kn, or frees it; what a create call returns. */
static struct kernfs_node *add_or_discard(struct kernfs_node *kn)
{
	int err = kernfs_add_one(kn);

	if (!err)
		return kn;
	kernfs_put(kn);
	return ERR_PTR(err);
}

struct kernfs_node *kernfs_create_dir_ns(struct kernfs_node *parent,
					 const char *name, mode_t mode,
					 uid_t uid, gid_t gid, void *priv,
					 const struct ns_common *ns)
{
	struct kernfs_node *kn = new_child(parent, name,
					   (mode & 07777) | S_IFDIR, uid, gid,
					   KERNFS_DIR, ns);

	if (IS_ERR(kn))
		return kn;
	kn->priv = priv;
	return add_or_discard(kn);
}

struct kernfs_node *kernfs_create_dir(struct kernfs_node *parent,
				      const char *name, mode_t mode, void *priv)
{
	return kernfs_create_dir_ns(parent, name, mode, 0, 0, priv, NULL);
}

struct kernfs_node *kernfs_create_empty_dir(struct kernfs_node *parent,
					    const char *name)
{
	struct kernfs_node *kn = new_child(parent, name, S_IFDIR | 0555, 0, 0,
					   KERNFS_DIR | KERNFS_EMPTY_DIR, NULL);

	return IS_ERR(kn) ? kn : add_or_discard(kn);
}

struct kernfs_node *__kernfs_create_file(struct kernfs_node *parent,
					 const char *name, mode_t mode,
					 uid_t uid, gid_t gid, off_t size,
					 const struct kernfs_ops *ops,
					 void *priv, const struct ns_common *ns)
{
	unsigned int flags = KERNFS_FILE;
	struct kernfs_node *kn;

	if (ops->seq_show)
		flags |= KERNFS_HAS_SEQ_SHOW;
	if (ops->release)
		flags |= KERNFS_HAS_RELEASE;
	kn = new_child(parent, name, (mode & 07777) | S_IFREG, uid, gid, flags,
		       ns);
	if (IS_ERR(kn))
		return kn;
	kn->priv = priv;
	kn->attr.ops = ops;
	kn->attr.size = size;
	return add_or_discard(kn);
}

/* uid and gid @kn has now */
static void get_owner(struct kernfs_node *kn, uid_t *ret_uid, gid_t *ret_gid)
{
	struct stat st;

	kernfs_iop_getattr(kn, NULL, &st);
	*ret_uid = st.st_uid;
	*ret_gid = st.st_gid;
}

struct kernfs_node *kernfs_create_link(struct kernfs_node *parent,
				       const char *name,
				       struct kernfs_node *target)
{
	const struct ns_common *ns = NULL;
	struct kernfs_node *kn;
	uid_t uid;
	gid_t gid;

	if (parent->root != target->root)
		return ERR_PTR(-EINVAL);
	get_owner(target, &uid, &gid);
	if (kernfs_ns_enabled(parent)) {
		kf_rcu_read_lock();
		ns = kernfs_rcu_name(target)->ns;
		kf_rcu_read_unlock();
	}
	kn = new_child(parent, name, S_IFLNK | 0777, uid, gid, KERNFS_LINK, ns);
	if (IS_ERR(kn))
		return kn;
	kernfs_get(target);
	kn->symlink.target = target;
	return add_or_discard(kn);
}

struct kernfs_node *kernfs_create_link_text(struct kernfs_node *parent,
					    const char *name, uid_t uid,
					    gid_t gid, const char *text,
					    const struct ns_common *ns)
{
	struct kernfs_node *kn;

	if (!text[0])
		return ERR_PTR(-EINVAL);
	if (strlen(text) >= KERNFS_PATH_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	kn = new_child(parent, name, S_IFLNK | 0777, uid, gid, KERNFS_LINK, ns);
	if (IS_ERR(kn))
		return kn;
	kn->symlink.text = strdup(text);
	if (!kn->symlink.text) {
		kernfs_put(kn);
		return ERR_PTR(-ENOMEM);
	}
	return add_or_discard(kn);
}

void kernfs_enable_ns(struct kernfs_node *kn)
{
	struct kf_write w;

	if (kf_warn_on_once(!kernfs_is(kn, KERNFS_DIR)))
		return;
	kf_write_lock(&w, &kn->root->locks, kn, NULL, NULL);
	if (!kf_warn_on_once(kn->dir.children != NULL))
		kernfs_set_flag(kn, KERNFS_NS);
	kf_write_unlock(&w);
}
