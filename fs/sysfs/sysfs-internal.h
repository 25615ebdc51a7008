/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of fs/sysfs share: one section for each .c file.
 *
 * This room is policy over the tree: which nodes an object gets, and how its
 * callbacks are called. It has no locks of its own. The one pointer that
 * threads may share is kobj->sd: a call that is given an object trusts it,
 * but the target of a link may be taken out of sysfs meanwhile; see
 * sysfs_get_sd().
 */
#ifndef FS_SYSFS_INTERNAL_H
#define FS_SYSFS_INTERNAL_H

#include <errno.h>
#include <syslog.h>

#include <kernfuse/kernfs.h>
#include <kernfuse/kobject.h>

#include "lock/say.h"

#include "fs/kernfs/kernfs-internal.h"

/* --- dir.c --- */

/* The root node of sysfs_set_root()'s tree; NULL: there is none. */
struct kernfs_node *sysfs_root_kn(void);

/* The directory with a reference; NULL: none, or none any more. */
struct kernfs_node *sysfs_get_sd(struct kobject *kobj);

/* What a call that was given @kobj works in; NULL: not in sysfs. */
static inline struct kernfs_node *sysfs_sd(const struct kobject *kobj)
{
	/* pairs with the stores in dir.c; the node is kept by whoever keeps
	 * the object in sysfs, the caller */
	return kobj ? smp_load_acquire(&kobj->sd) : NULL;
}

/* The tag of @kn if @dir is tagged. @kn NULL: none. */
const struct ns_common *sysfs_ns_in(const struct kernfs_node *dir,
				    const struct kernfs_node *kn);

void sysfs_get_ownership(const struct kobject *kobj, uid_t *ret_uid,
			 gid_t *ret_gid);

/* PTR_ERR of what a create call returned; of -EEXIST it also says which. */
int sysfs_created(struct kernfs_node *parent, const char *name,
		  const struct kernfs_node *kn);

/* --- file.c --- */

/* @mode may be another than the attribute's own. */
int sysfs_add_file_mode(struct kernfs_node *parent,
			const struct attribute *attr, mode_t mode, uid_t uid,
			gid_t gid, const struct ns_common *ns);

/* The object that a file's callbacks are called with: its directory's. */
struct kobject *sysfs_file_kobj(struct kernfs_node *kn);

/* --- bin.c --- */

int sysfs_add_bin_file_mode(struct kernfs_node *parent,
			    const struct bin_attribute *attr, mode_t mode,
			    size_t size, uid_t uid, gid_t gid);

/* --- owner.c --- */

int sysfs_set_owner(struct kernfs_node *kn, uid_t uid, gid_t gid);

/* --- link.c --- */

int sysfs_create_link_kn(struct kernfs_node *parent, struct kobject *target,
			 const char *name, bool warn);
/* Is @kn a link to the directory of @target? */
bool sysfs_links_to(const struct kernfs_node *kn,
		    const struct kobject *target);

#endif /* FS_SYSFS_INTERNAL_H */
