/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding a child by name, and telling whether an earlier answer still holds.
 *
 * What makes a remembered absence safe: rev is read before the search, and a
 * writer changes the table while rev is odd, before it becomes even again. A
 * search that missed a name began before the writer was done, so the rev it
 * remembers is older than the one the writer leaves.
 */
#include "fs/kernfs/kernfs-internal.h"

#include <string.h>

/* Is the name taken by a node that may be seen; what to remember of it. */
static int answer(struct kernfs_node *parent, const char *name,
		  const struct ns_common *ns, struct kernfs_node *kn,
		  unsigned long rev, struct kernfs_dentry *ret_d)
{
	if (kn && !kernfs_active(kn))
		return -EAGAIN;
	*ret_d = (struct kernfs_dentry){
		.parent = parent,
		.name = name,
		.ns = ns,
		.kn = kn,
		.rev = rev,
	};
	return kn ? 0 : -ENOENT;
}

static int lookup(struct kernfs_node *parent, const char *name,
		  const struct ns_common *ns, bool get,
		  struct kernfs_dentry *ret_d)
{
	struct kernfs_node *kn;
	struct kernfs_key key;
	unsigned long rev;
	struct kf_read rd;
	int err;

	if (!kernfs_is(parent, KERNFS_DIR))
		return -ENOTDIR;
	kernfs_key_init(&key, name, kernfs_effective_ns(parent, ns));
	kf_read_begin(&rd, &parent->root->locks, parent, NULL,
		      KERNFS_LOCK_LOOKUP);
	/* acquire, pairs with the end of a writer: before the search */
	rev = smp_load_acquire(&parent->dir.rev);
	kn = kernfs_find_ns(parent, &key);
	err = answer(parent, name, ns, kn, rev, ret_d);
	/* the last reference went: unlinked a moment ago, so rev has moved */
	if (!err && get && !kernfs_tryget(kn))
		err = answer(parent, name, ns, NULL, rev, ret_d);
	kf_read_end(&rd);
	return err;
}

int kernfs_iop_lookup(struct kernfs_node *parent, const char *name,
		      const struct ns_common *ns, struct kernfs_dentry *ret_d)
{
	return lookup(parent, name, ns, true, ret_d);
}

int kernfs_iop_lookup_rcu(struct kernfs_node *parent, const char *name,
			  const struct ns_common *ns,
			  struct kernfs_dentry *ret_d)
{
	return lookup(parent, name, ns, false, ret_d);
}

void kernfs_rcu_read_lock(void)
{
	kf_rcu_read_lock();
}

void kernfs_rcu_read_unlock(void)
{
	kf_rcu_read_unlock();
}

static bool positive_holds(const struct kernfs_dentry *d)
{
	struct kernfs_node *kn = d->kn;
	const struct kernfs_name *name;
	struct kf_read rd;
	bool holds;

	kf_read_begin(&rd, &kn->root->locks, kn, NULL, KERNFS_LOCK_REVALIDATE);
	name = kernfs_rcu_name(kn);
	holds = kernfs_active(kn) && name->parent == d->parent &&
		!strcmp(name->str, d->name) &&
		(!kernfs_ns_enabled(d->parent) ||
		 kernfs_ns_id(name->ns) == kernfs_ns_id(d->ns));
	kf_read_end(&rd);
	return holds;
}

static bool negative_holds(const struct kernfs_dentry *d)
{
	struct kernfs_node *dir = d->parent;
	struct kf_read rd;
	bool holds;

	kf_read_begin(&rd, &dir->root->locks, dir, NULL,
		      KERNFS_LOCK_REVALIDATE);
	/* acquire, pairs with the end of a writer */
	holds = smp_load_acquire(&dir->dir.rev) == d->rev;
	kf_read_end(&rd);
	return holds;
}

bool kernfs_dop_revalidate(const struct kernfs_dentry *d)
{
	return d->kn ? positive_holds(d) : negative_holds(d);
}

struct kernfs_node *kernfs_find_and_get_ns(struct kernfs_node *parent,
					   const char *name,
					   const struct ns_common *ns)
{
	struct kernfs_node *kn;
	struct kernfs_key key;
	struct kf_read rd;

	if (!kernfs_is(parent, KERNFS_DIR) ||
	    kf_warn_on_once(kernfs_ns_enabled(parent) != !!ns))
		return NULL;
	kernfs_key_init(&key, name, ns);
	kf_read_begin(&rd, &parent->root->locks, parent, NULL,
		      KERNFS_LOCK_LOOKUP);
	kn = kernfs_find_ns(parent, &key);
	if (kn && !kernfs_tryget(kn))
		kn = NULL;
	kf_read_end(&rd);
	return kn;
}

struct kernfs_node *kernfs_find_and_get(struct kernfs_node *parent,
					const char *name)
{
	return kernfs_find_and_get_ns(parent, name, NULL);
}

struct kernfs_node *kernfs_walk_and_get_ns(struct kernfs_node *parent,
					   const char *path,
					   const struct ns_common *ns)
{
	char name[KERNFS_PATH_MAX];
	struct kernfs_node *kn = parent;

	if (strlen(path) >= sizeof(name))
		return NULL;
	kernfs_get(kn);
	for (path += strspn(path, "/"); kn && *path; path += strspn(path, "/")) {
		size_t len = strcspn(path, "/");
		struct kernfs_node *dir = kn;

		memcpy(name, path, len);
		name[len] = '\0';
		kn = kernfs_find_and_get_ns(dir, name,
					    kernfs_effective_ns(dir, ns));
		kernfs_put(dir);
		path += len;
	}
	return kn;
}

struct kernfs_node *kernfs_walk_and_get(struct kernfs_node *parent,
					const char *path)
{
	return kernfs_walk_and_get_ns(parent, path, NULL);
}

struct kernfs_node *kernfs_get_parent(struct kernfs_node *kn)
{
	struct kernfs_node *parent;

	kf_rcu_read_lock();
	/* a parent that cannot be had was left by a rename: there is another */
	do {
		parent = kernfs_rcu_name(kn)->parent;
	} while (parent && !kernfs_tryget(parent));
	kf_rcu_read_unlock();
	return parent;
}
