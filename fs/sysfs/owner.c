/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Owners of what is there already; those of groups and links are with them. */
#include "fs/sysfs/sysfs-internal.h"

int sysfs_set_owner(struct kernfs_node *kn, uid_t uid, gid_t gid)
{
	const struct kernfs_iattr iattr = {
		.valid = KERNFS_ATTR_UID | KERNFS_ATTR_GID,
		.uid = uid,
		.gid = gid,
	};

	return kernfs_setattr(kn, &iattr);
}

int sysfs_file_change_owner(struct kobject *kobj, const char *name, uid_t uid,
			    gid_t gid)
{
	struct kernfs_node *kn = sysfs_sd(kobj);
	int err;

	if (!kn)
		return -EINVAL;
	kn = kernfs_find_and_get(kn, name);
	if (!kn)
		return -ENOENT;
	err = sysfs_set_owner(kn, uid, gid);
	kernfs_put(kn);
	return err;
}

int sysfs_change_owner(struct kobject *kobj, uid_t uid, gid_t gid)
{
	struct kernfs_node *kn = sysfs_sd(kobj);
	int err;

	if (!kn)
		return -EINVAL;
	err = sysfs_set_owner(kn, uid, gid);
	if (err || !kobj->ktype)
		return err;
	return sysfs_groups_change_owner(kobj, kobj->ktype->default_groups, uid,
					 gid);
}
