/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Links to the directories of objects.
 *
 * The target may be taken out of sysfs at the same time; then there is no
 * link, or one that leads nowhere, never one to memory that is gone.
 */
#include "fs/sysfs/sysfs-internal.h"

/* Where a link of @kobj goes; NULL: nowhere. */
static struct kernfs_node *where(struct kobject *kobj)
{
	return kobj ? sysfs_sd(kobj) : sysfs_root_kn();
}

int sysfs_create_link_kn(struct kernfs_node *parent, struct kobject *target,
			 const char *name, bool warn)
{
	struct kernfs_node *to = sysfs_get_sd(target), *kn;
	int err;

	if (!to)
		return -ENOENT;
	kn = kernfs_create_link(parent, name, to);
	err = IS_ERR(kn) ? (int)PTR_ERR(kn) : 0;
	if (err && warn)
		sysfs_created(parent, name, kn);
	kernfs_put(to);
	return err;
}

int sysfs_create_link(struct kobject *kobj, struct kobject *target,
		      const char *name)
{
	struct kernfs_node *parent = where(kobj);

	if (!parent)
		return -EFAULT;
	return sysfs_create_link_kn(parent, target, name, true);
}

int sysfs_create_link_nowarn(struct kobject *kobj, struct kobject *target,
			     const char *name)
{
	struct kernfs_node *parent = where(kobj);

	if (!parent)
		return -EFAULT;
	return sysfs_create_link_kn(parent, target, name, false);
}

void sysfs_remove_link(struct kobject *kobj, const char *name)
{
	struct kernfs_node *parent = where(kobj);

	if (parent)
		kernfs_remove_by_name(parent, name);
}

void sysfs_delete_link(struct kobject *kobj, struct kobject *target,
		       const char *name)
{
	struct kernfs_node *parent = where(kobj), *to;

	if (!parent)
		return;
	to = sysfs_get_sd(target);
	kernfs_remove_by_name_ns(parent, name, sysfs_ns_in(parent, to));
	kernfs_put(to);
}

/* A link with the tag of @target, with a reference; NULL: no such entry. */
static struct kernfs_node *find_link(struct kernfs_node *parent,
				     struct kobject *target, const char *name)
{
	struct kernfs_node *to = sysfs_get_sd(target), *kn;

	kn = kernfs_find_and_get_ns(parent, name, sysfs_ns_in(parent, to));
	kernfs_put(to);
	return kn;
}

bool sysfs_links_to(const struct kernfs_node *kn, const struct kobject *target)
{
	return kernfs_is(kn, KERNFS_LINK) && kn->symlink.target &&
	       kernfs_priv(kn->symlink.target) == target;
}

int sysfs_rename_link_ns(struct kobject *kobj, struct kobject *target,
			 const char *old_name, const char *new_name,
			 const struct ns_common *new_ns)
{
	struct kernfs_node *parent = where(kobj), *kn;
	int err = -EINVAL;

	if (!parent)
		return -EFAULT;
	kn = find_link(parent, target, old_name);
	if (!kn)
		return -ENOENT;
	if (sysfs_links_to(kn, target))
		err = kernfs_rename_ns(kn, parent, new_name, new_ns);
	kernfs_put(kn);
	return err;
}

int sysfs_link_change_owner(struct kobject *kobj, struct kobject *target,
			    const char *name, uid_t uid, gid_t gid)
{
	struct kernfs_node *parent = sysfs_sd(kobj), *kn;
	int err = -EINVAL;

	if (!parent)
		return -EINVAL;
	kn = find_link(parent, target, name);
	if (!kn)
		return -ENOENT;
	if (sysfs_links_to(kn, target))
		err = sysfs_set_owner(kn, uid, gid);
	kernfs_put(kn);
	return err;
}

int compat_only_sysfs_link_entry_to_kobj(struct kobject *kobj,
					 struct kobject *target_kobj,
					 const char *target_name,
					 const char *symlink_name)
{
	struct kernfs_node *parent = sysfs_sd(kobj), *to, *entry;
	const char *name = symlink_name ? symlink_name : target_name;
	int err = -ENOENT;

	if (!parent)
		return -EINVAL;
	to = sysfs_get_sd(target_kobj);
	if (!to)
		return -ENOENT;
	entry = kernfs_find_and_get(to, target_name);
	if (entry)
		err = sysfs_created(parent, name,
				    kernfs_create_link(parent, name, entry));
	kernfs_put(entry);
	kernfs_put(to);
	return err;
}
