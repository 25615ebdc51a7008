/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects: counting, naming, and coming and going as a whole.
 *
 * An object in sysfs holds a reference on its parent. The count of an object
 * that was never initialised stays 0: it is static, and the caller's.
 */
#include "fs/sysfs/sysfs-internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- references --- */

void kobject_init(struct kobject *kobj, const struct kobj_type *ktype)
{
	kobj->ktype = ktype;
	kobj->refcount = 1;
}

struct kobject *kobject_get(struct kobject *kobj)
{
	/* relaxed: whoever handed us the object ordered its contents */
	if (kobj && READ_ONCE(kobj->refcount))
		__atomic_fetch_add(&kobj->refcount, 1, __ATOMIC_RELAXED);
	return kobj;
}

static void release(struct kobject *kobj)
{
	/* the object is gone after its release: keep what is ours */
	const struct kobj_type *ktype = kobj->ktype;
	char *name = kobj->owns_name ? (char *)kobj->name : NULL;

	kobject_del(kobj);
	if (ktype && ktype->release)
		ktype->release(kobj);
	free(name);
}

void kobject_put(struct kobject *kobj)
{
	if (!kobj || !READ_ONCE(kobj->refcount))
		return;
	/* release: our accesses come before the freeing; acquire: the others'
	 * come before ours */
	if (__atomic_sub_fetch(&kobj->refcount, 1, __ATOMIC_ACQ_REL))
		return;
	release(kobj);
}

/* --- names --- */

/* Takes over @name. */
static void set_name(struct kobject *kobj, char *name)
{
	if (kobj->owns_name)
		free((char *)kobj->name);
	kobj->name = name;
	kobj->owns_name = true;
}

static int __attribute__((format(printf, 2, 0)))
set_name_va(struct kobject *kobj, const char *fmt, va_list ap)
{
	char *name;

	if (vasprintf(&name, fmt, ap) < 0)
		return -ENOMEM;
	for (char *c = name; (c = strchr(c, '/'));)
		*c = '!';
	set_name(kobj, name);
	return 0;
}

int kobject_set_name(struct kobject *kobj, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = set_name_va(kobj, fmt, ap);
	va_end(ap);
	return err;
}

/* --- coming and going --- */

static const struct ns_common *namespace_of(const struct kobject *kobj)
{
	return kobj->ktype && kobj->ktype->namespace ?
		       kobj->ktype->namespace(kobj) :
		       NULL;
}

static int create(struct kobject *kobj)
{
	const struct kobj_type *ktype = kobj->ktype;
	int err = sysfs_create_dir_ns(kobj, namespace_of(kobj));

	if (err)
		return err;
	/* before anything is in it */
	if (ktype && ktype->child_ns_type && ktype->child_ns_type(kobj))
		kernfs_enable_ns(kobj->sd);
	err = ktype ? sysfs_create_groups(kobj, ktype->default_groups) : 0;
	if (err)
		sysfs_remove_dir(kobj);
	return err;
}

static int __attribute__((format(printf, 3, 0)))
add_va(struct kobject *kobj, struct kobject *parent, const char *fmt,
       va_list ap)
{
	int err;

	if (kf_warn_on_once(!kobj || !READ_ONCE(kobj->refcount)))
		return -EINVAL;
	err = set_name_va(kobj, fmt, ap);
	if (err)
		return err;
	if (kf_warn_on_once(!kobj->name[0]))
		return -EINVAL;
	kobj->parent = kobject_get(parent);
	err = create(kobj);
	if (!err)
		return 0;
	kobj->parent = NULL;
	kobject_put(parent);
	return err;
}

int kobject_add(struct kobject *kobj, struct kobject *parent, const char *fmt,
		...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = add_va(kobj, parent, fmt, ap);
	va_end(ap);
	return err;
}

int kobject_init_and_add(struct kobject *kobj, const struct kobj_type *ktype,
			 struct kobject *parent, const char *fmt, ...)
{
	va_list ap;
	int err;

	kobject_init(kobj, ktype);
	va_start(ap, fmt);
	err = add_va(kobj, parent, fmt, ap);
	va_end(ap);
	return err;
}

void kobject_del(struct kobject *kobj)
{
	struct kobject *parent;

	if (!kobj || !sysfs_sd(kobj))
		return;
	if (kobj->ktype)
		sysfs_remove_groups(kobj, kobj->ktype->default_groups);
	sysfs_remove_dir(kobj);
	parent = kobj->parent;
	kobj->parent = NULL;
	kobject_put(parent);
}

int kobject_rename(struct kobject *kobj, const char *new_name)
{
	char *name;
	int err;

	if (!kobj || !sysfs_sd(kobj))
		return -EINVAL;
	name = strdup(new_name);
	if (!name)
		return -ENOMEM;
	err = sysfs_rename_dir_ns(kobj, name, namespace_of(kobj));
	if (err)
		free(name);
	else
		set_name(kobj, name);
	return err;
}

int kobject_move(struct kobject *kobj, struct kobject *new_parent)
{
	struct kobject *old;
	int err;

	if (!kobj || !sysfs_sd(kobj))
		return -EINVAL;
	err = sysfs_move_dir_ns(kobj, new_parent, namespace_of(kobj));
	if (err)
		return err;
	old = kobj->parent;
	kobj->parent = kobject_get(new_parent);
	kobject_put(old);
	return 0;
}

/* --- plain objects --- */

static void dynamic_release(struct kobject *kobj)
{
	free(kobj);
}

static const struct kobj_type dynamic_ktype = {
	.release = dynamic_release,
	.sysfs_ops = &kobj_sysfs_ops,
};

struct kobject *kobject_create_and_add(const char *name, struct kobject *parent)
{
	struct kobject *kobj = calloc(1, sizeof(*kobj));

	if (!kobj)
		return NULL;
	if (!kobject_init_and_add(kobj, &dynamic_ktype, parent, "%s", name))
		return kobj;
	kobject_put(kobj);
	return NULL;
}

static ssize_t kobj_attr_show(struct kobject *kobj, struct attribute *attr,
			      char *buf)
{
	struct kobj_attribute *kattr =
		container_of(attr, struct kobj_attribute, attr);

	return kattr->show ? kattr->show(kobj, kattr, buf) : -EIO;
}

static ssize_t kobj_attr_store(struct kobject *kobj, struct attribute *attr,
			       const char *buf, size_t count)
{
	struct kobj_attribute *kattr =
		container_of(attr, struct kobj_attribute, attr);

	return kattr->store ? kattr->store(kobj, kattr, buf, count) : -EIO;
}

const struct sysfs_ops kobj_sysfs_ops = {
	.show = kobj_attr_show,
	.store = kobj_attr_store,
};
