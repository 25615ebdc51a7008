/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trees and the directories of objects.
 *
 * kobj->sd holds a reference, so that an object whose parent was removed
 * first still has a node to ask, if one that nobody finds.
 */
#include "fs/sysfs/sysfs-internal.h"

/* --- trees --- */

static struct kernfs_root *default_root; /* atomic; the caller keeps it */

struct kernfs_root *
sysfs_create_root(const struct kernfs_syscall_ops *scops, struct kobject *top,
		  const struct kernfs_root_locking_params *params)
{
	static const struct kernfs_root_locking_params by_default;
	struct kernfs_root *root = kernfs_create_root_locking(
		scops, KERNFS_ROOT_EXTRA_OPEN_PERM_CHECK, top,
		params ? params : &by_default);

	if (IS_ERR(root))
		return root;
	kernfs_get(kernfs_root_to_node(root));
	smp_store_release(&top->sd, kernfs_root_to_node(root));
	return root;
}

void sysfs_destroy_root(struct kobject *top)
{
	struct kernfs_node *kn = sysfs_sd(top);

	if (!kn)
		return;
	kernfs_destroy_root(kernfs_root(kn));
	smp_store_release(&top->sd, NULL);
	kernfs_put(kn);
}

void sysfs_set_root(struct kernfs_root *root)
{
	smp_store_release(&default_root, root);
}

struct kernfs_node *sysfs_root_kn(void)
{
	struct kernfs_root *root = smp_load_acquire(&default_root);

	return root ? kernfs_root_to_node(root) : NULL;
}

/* --- what the other files ask --- */

struct kernfs_node *sysfs_get_sd(struct kobject *kobj)
{
	struct kernfs_node *kn;

	/* sysfs_remove_dir() clears the pointer before it lets the node go,
	 * which stays in memory for as long as we are in here */
	kf_rcu_read_lock();
	kn = smp_load_acquire(&kobj->sd);
	if (kn && !kernfs_tryget(kn))
		kn = NULL;
	kf_rcu_read_unlock();
	return kn;
}

const struct ns_common *sysfs_ns_in(const struct kernfs_node *dir,
				    const struct kernfs_node *kn)
{
	const struct ns_common *ns;

	if (!kn || !kernfs_ns_enabled(dir))
		return NULL;
	kf_rcu_read_lock();
	ns = kernfs_rcu_name(kn)->ns;
	kf_rcu_read_unlock();
	return ns;
}

void sysfs_get_ownership(const struct kobject *kobj, uid_t *ret_uid,
			 gid_t *ret_gid)
{
	*ret_uid = 0;
	*ret_gid = 0;
	if (kobj->ktype && kobj->ktype->get_ownership)
		kobj->ktype->get_ownership(kobj, ret_uid, ret_gid);
}

int sysfs_created(struct kernfs_node *parent, const char *name,
		  const struct kernfs_node *kn)
{
	char path[KERNFS_PATH_MAX];

	if (!IS_ERR(kn))
		return 0;
	if (PTR_ERR(kn) == -EEXIST) {
		kernfs_path(parent, path, sizeof(path));
		kf_say(LOG_WARNING, "cannot create duplicate filename '%s/%s'",
		       path[1] ? path : "", name);
	}
	return (int)PTR_ERR(kn);
}

/* --- directories --- */

int sysfs_create_dir_ns(struct kobject *kobj, const struct ns_common *ns)
{
	struct kernfs_node *parent, *kn;
	uid_t uid;
	gid_t gid;
	int err;

	if (kf_warn_on_once(!kobj))
		return -EINVAL;
	parent = kobj->parent ? sysfs_sd(kobj->parent) : sysfs_root_kn();
	if (!parent)
		return -ENOENT;
	sysfs_get_ownership(kobj, &uid, &gid);
	kn = kernfs_create_dir_ns(parent, kobj->name, 0755, uid, gid, kobj, ns);
	err = sysfs_created(parent, kobj->name, kn);
	if (err)
		return err;
	kernfs_get(kn);
	/* pairs with sysfs_sd() and sysfs_get_sd() */
	smp_store_release(&kobj->sd, kn);
	return 0;
}

void sysfs_remove_dir(struct kobject *kobj)
{
	/* first, so that nobody makes a link to what is going; acquire, since
	 * another thread may have created it */
	struct kernfs_node *kn =
		__atomic_exchange_n(&kobj->sd, NULL, __ATOMIC_ACQ_REL);

	kernfs_remove(kn);
	kernfs_put(kn);
}

int sysfs_rename_dir_ns(struct kobject *kobj, const char *new_name,
			const struct ns_common *new_ns)
{
	struct kernfs_node *kn = sysfs_sd(kobj), *parent;
	int err;

	if (kf_warn_on_once(!kn))
		return -EINVAL;
	parent = kernfs_get_parent(kn);
	err = parent ? kernfs_rename_ns(kn, parent, new_name, new_ns) : -EINVAL;
	kernfs_put(parent);
	return err;
}

int sysfs_move_dir_ns(struct kobject *kobj, struct kobject *new_parent_kobj,
		      const struct ns_common *new_ns)
{
	struct kernfs_node *kn = sysfs_sd(kobj);
	struct kernfs_node *parent = sysfs_sd(new_parent_kobj);

	if (kf_warn_on_once(!kn))
		return -EINVAL;
	if (!parent)
		parent = kernfs_root_to_node(kernfs_root(kn));
	return kernfs_rename_ns(kn, parent, NULL, new_ns);
}

int sysfs_create_mount_point(struct kobject *parent_kobj, const char *name)
{
	struct kernfs_node *parent = sysfs_sd(parent_kobj);

	if (kf_warn_on_once(!parent))
		return -EINVAL;
	return sysfs_created(parent, name,
			     kernfs_create_empty_dir(parent, name));
}

void sysfs_remove_mount_point(struct kobject *parent_kobj, const char *name)
{
	kernfs_remove_by_name(sysfs_sd(parent_kobj), name);
}
