/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups: attributes that are created, changed and removed together. */
#include "fs/sysfs/sysfs-internal.h"

/* What is_visible may say; the group's own marker is taken off before. */
#define GROUP_MODES (SYSFS_PREALLOC | 0664)

static mode_t text_mode(struct kobject *kobj, const struct attribute_group *grp,
			int nr)
{
	struct attribute *attr = grp->attrs[nr];

	return grp->is_visible ? grp->is_visible(kobj, attr, nr) : attr->mode;
}

static mode_t bin_mode(struct kobject *kobj, const struct attribute_group *grp,
		       int nr)
{
	const struct bin_attribute *attr = grp->bin_attrs[nr];

	return grp->is_bin_visible ? grp->is_bin_visible(kobj, attr, nr) :
				     attr->attr.mode;
}

/* The first attribute speaks for the whole. */
static bool is_invisible(struct kobject *kobj,
			 const struct attribute_group *grp)
{
	mode_t mode = 0;

	if (grp->attrs && grp->attrs[0] && grp->is_visible)
		mode = text_mode(kobj, grp, 0);
	else if (grp->bin_attrs && grp->bin_attrs[0] && grp->is_bin_visible)
		mode = bin_mode(kobj, grp, 0);
	return mode & SYSFS_GROUP_INVISIBLE;
}

static mode_t checked_mode(const char *name, mode_t mode)
{
	if (mode & ~(mode_t)GROUP_MODES)
		kf_say(LOG_WARNING, "attribute '%s': invalid permissions 0%o",
		       name, (unsigned int)mode);
	return mode & GROUP_MODES;
}

/* --- the files --- */

struct group_files {
	struct kernfs_node *dir;
	struct kobject *kobj;
	const struct attribute_group *grp;
	bool update; /* they may be there already */
	uid_t uid;
	gid_t gid;
};

static void remove_files(struct kernfs_node *dir,
			 const struct attribute_group *grp)
{
	for (size_t i = 0; grp->attrs && grp->attrs[i]; i++)
		kernfs_remove_by_name(dir, grp->attrs[i]->name);
	for (size_t i = 0; grp->bin_attrs && grp->bin_attrs[i]; i++)
		kernfs_remove_by_name(dir, grp->bin_attrs[i]->attr.name);
}

static int create_text(const struct group_files *f, int nr)
{
	const struct attribute *attr = f->grp->attrs[nr];
	mode_t mode;

	if (f->update)
		kernfs_remove_by_name(f->dir, attr->name);
	mode = text_mode(f->kobj, f->grp, nr) & ~(mode_t)SYSFS_GROUP_INVISIBLE;
	if (!mode)
		return 0;
	return sysfs_add_file_mode(f->dir, attr, checked_mode(attr->name, mode),
				   f->uid, f->gid, NULL);
}

static int create_bin(const struct group_files *f, int nr)
{
	const struct bin_attribute *attr = f->grp->bin_attrs[nr];
	size_t size = attr->size;
	mode_t mode;

	if (f->update)
		kernfs_remove_by_name(f->dir, attr->attr.name);
	mode = bin_mode(f->kobj, f->grp, nr) & ~(mode_t)SYSFS_GROUP_INVISIBLE;
	if (!mode)
		return 0;
	if (f->grp->bin_size)
		size = f->grp->bin_size(f->kobj, attr, nr);
	return sysfs_add_bin_file_mode(f->dir, attr,
				       checked_mode(attr->attr.name, mode),
				       size, f->uid, f->gid);
}

static int create_files(const struct group_files *f)
{
	const struct attribute_group *grp = f->grp;
	int err = 0;

	for (int i = 0; grp->attrs && grp->attrs[i] && !err; i++)
		err = create_text(f, i);
	for (int i = 0; grp->bin_attrs && grp->bin_attrs[i] && !err; i++)
		err = create_bin(f, i);
	if (err)
		remove_files(f->dir, grp);
	return err;
}

/* --- the group --- */

/*
 * The directory the files go into, with a reference; made if it has to be.
 * Return: NULL: the group is not to be seen; ERR_PTR.
 */
static struct kernfs_node *get_dir(struct group_files *f)
{
	const char *name = f->grp->name;
	struct kernfs_node *sd = sysfs_sd(f->kobj), *kn = NULL;
	bool invisible;
	int err;

	if (!name)
		return sysfs_get(sd);
	invisible = is_invisible(f->kobj, f->grp);
	if (f->update)
		kn = kernfs_find_and_get(sd, name);
	if (kn && invisible) {
		kernfs_put(kn);
		sysfs_remove_group(f->kobj, f->grp);
		return NULL;
	}
	if (kn || invisible)
		return kn;
	f->update = false;
	kn = kernfs_create_dir_ns(sd, name, 0755, f->uid, f->gid, f->kobj,
				  NULL);
	err = sysfs_created(sd, name, kn);
	return err ? ERR_PTR(err) : sysfs_get(kn);
}

static int put_group(struct kobject *kobj, const struct attribute_group *grp,
		     bool update)
{
	struct group_files f = { .kobj = kobj, .grp = grp, .update = update };
	int err;

	/* an update may come before the object does */
	if (!sysfs_sd(kobj)) {
		kf_warn_on_once(!kobj || !update);
		return -EINVAL;
	}
	if (!grp->attrs && !grp->bin_attrs) {
		kf_say(LOG_DEBUG, "group '%s' of '%s' has no attributes",
		       grp->name ? grp->name : "", kobj->name);
		return 0;
	}
	sysfs_get_ownership(kobj, &f.uid, &f.gid);
	f.dir = get_dir(&f);
	if (IS_ERR_OR_NULL(f.dir))
		return (int)PTR_ERR(f.dir);
	err = create_files(&f);
	if (err && grp->name)
		kernfs_remove(f.dir);
	kernfs_put(f.dir);
	return err;
}

int sysfs_create_group(struct kobject *kobj, const struct attribute_group *grp)
{
	return put_group(kobj, grp, false);
}

int sysfs_update_group(struct kobject *kobj, const struct attribute_group *grp)
{
	return put_group(kobj, grp, true);
}

static int put_groups(struct kobject *kobj,
		      const struct attribute_group **groups, bool update)
{
	int err = 0;
	size_t i;

	for (i = 0; groups && groups[i]; i++) {
		err = put_group(kobj, groups[i], update);
		if (err)
			break;
	}
	while (err && i)
		sysfs_remove_group(kobj, groups[--i]);
	return err;
}

int sysfs_create_groups(struct kobject *kobj,
			const struct attribute_group **groups)
{
	return put_groups(kobj, groups, false);
}

int sysfs_update_groups(struct kobject *kobj,
			const struct attribute_group **groups)
{
	return put_groups(kobj, groups, true);
}

/* The directory a group's files are in, with a reference; NULL. */
static struct kernfs_node *find_dir(struct kobject *kobj, const char *name)
{
	struct kernfs_node *kn = sysfs_sd(kobj);

	return kn && name ? kernfs_find_and_get(kn, name) : sysfs_get(kn);
}

void sysfs_remove_group(struct kobject *kobj, const struct attribute_group *grp)
{
	struct kernfs_node *dir = find_dir(kobj, grp->name);

	if (!dir)
		return;
	remove_files(dir, grp);
	if (grp->name)
		kernfs_remove(dir);
	kernfs_put(dir);
}

void sysfs_remove_groups(struct kobject *kobj,
			 const struct attribute_group **groups)
{
	for (; groups && *groups; groups++)
		sysfs_remove_group(kobj, *groups);
}

/* --- merging --- */

int sysfs_merge_group(struct kobject *kobj, const struct attribute_group *grp)
{
	struct kernfs_node *dir = find_dir(kobj, grp->name);
	struct attribute *const *attr;
	uid_t uid;
	gid_t gid;
	int err = 0;

	if (!dir)
		return -ENOENT;
	sysfs_get_ownership(kobj, &uid, &gid);
	for (attr = grp->attrs; *attr; attr++) {
		err = sysfs_add_file_mode(dir, *attr, (*attr)->mode, uid, gid,
					  NULL);
		if (err)
			break;
	}
	while (err && attr != grp->attrs)
		kernfs_remove_by_name(dir, (*--attr)->name);
	kernfs_put(dir);
	return err;
}

void sysfs_unmerge_group(struct kobject *kobj,
			 const struct attribute_group *grp)
{
	struct kernfs_node *dir = find_dir(kobj, grp->name);

	if (!dir)
		return;
	for (struct attribute *const *attr = grp->attrs; *attr; attr++)
		kernfs_remove_by_name(dir, (*attr)->name);
	kernfs_put(dir);
}

/* --- links in groups --- */

int sysfs_add_link_to_group(struct kobject *kobj, const char *group_name,
			    struct kobject *target, const char *link_name)
{
	struct kernfs_node *dir = find_dir(kobj, group_name);
	int err;

	if (!dir)
		return -ENOENT;
	err = sysfs_create_link_kn(dir, target, link_name, true);
	kernfs_put(dir);
	return err;
}

void sysfs_remove_link_from_group(struct kobject *kobj, const char *group_name,
				  const char *link_name)
{
	struct kernfs_node *dir = find_dir(kobj, group_name);

	if (!dir)
		return;
	kernfs_remove_by_name(dir, link_name);
	kernfs_put(dir);
}

/* --- owners --- */

static int set_owner_of(struct kernfs_node *dir, const char *name, uid_t uid,
			gid_t gid)
{
	struct kernfs_node *kn = kernfs_find_and_get(dir, name);
	int err;

	if (!kn)
		return -ENOENT;
	err = sysfs_set_owner(kn, uid, gid);
	kernfs_put(kn);
	return err;
}

static int set_text_owners(struct kernfs_node *dir, struct kobject *kobj,
			   const struct attribute_group *grp, uid_t uid,
			   gid_t gid)
{
	int err = 0;

	for (int i = 0; grp->attrs && grp->attrs[i] && !err; i++) {
		mode_t mode = text_mode(kobj, grp, i);

		if (mode & SYSFS_GROUP_INVISIBLE)
			break;
		if (mode)
			err = set_owner_of(dir, grp->attrs[i]->name, uid, gid);
	}
	return err;
}

static int set_bin_owners(struct kernfs_node *dir, struct kobject *kobj,
			  const struct attribute_group *grp, uid_t uid,
			  gid_t gid)
{
	int err = 0;

	for (int i = 0; grp->bin_attrs && grp->bin_attrs[i] && !err; i++) {
		mode_t mode = bin_mode(kobj, grp, i);

		if (mode & SYSFS_GROUP_INVISIBLE)
			break;
		if (mode)
			err = set_owner_of(dir, grp->bin_attrs[i]->attr.name,
					   uid, gid);
	}
	return err;
}

int sysfs_group_change_owner(struct kobject *kobj,
			     const struct attribute_group *grp, uid_t uid,
			     gid_t gid)
{
	struct kernfs_node *dir;
	int err;

	if (!sysfs_sd(kobj))
		return -EINVAL;
	dir = find_dir(kobj, grp->name);
	if (!dir)
		return -ENOENT;
	err = sysfs_set_owner(dir, uid, gid);
	if (!err)
		err = set_text_owners(dir, kobj, grp, uid, gid);
	if (!err)
		err = set_bin_owners(dir, kobj, grp, uid, gid);
	kernfs_put(dir);
	return err;
}

int sysfs_groups_change_owner(struct kobject *kobj,
			      const struct attribute_group **groups, uid_t uid,
			      gid_t gid)
{
	int err = 0;

	if (!sysfs_sd(kobj))
		return -EINVAL;
	for (; groups && *groups && !err; groups++)
		err = sysfs_group_change_owner(kobj, *groups, uid, gid);
	return err;
}
