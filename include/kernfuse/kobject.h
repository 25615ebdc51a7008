/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects that appear as directories: a name, a parent, a type, a count.
 *
 * There are two ways to use them. A program of its own design fills in name,
 * parent and ktype and calls sysfs_create_dir_ns() and sysfs_remove_dir(). Code
 * that comes from the kernel calls kobject_init_and_add() and kobject_put().
 * Ksets and uevents do not exist here.
 */
#ifndef KERNFUSE_KOBJECT_H
#define KERNFUSE_KOBJECT_H

#include <stddef.h>

#include <kernfuse/sysfs.h>

KERNFUSE_BEGIN_DECLS

struct kobj_type;

struct kobject {
	const char *name; /* a directory keeps a copy of its own */
	struct kobject *parent; /* NULL: the top of sysfs_set_root()'s tree */
	const struct kobj_type *ktype; /* NULL: nothing but links inside */
	/* the directory, with a reference; NULL: not in sysfs. Set and cleared
	 * by sysfs_create_dir_ns() and sysfs_remove_dir() only */
	struct kernfs_node *sd;
	/* private: the rest */
	int refcount; /* atomic; 0: kobject_init() was never called */
	bool owns_name;
};

/* The kinds of tags there can be; which, matters to the program only. */
struct kobj_ns_type_operations {
	int type;
};

/* What objects of one kind have in common; each member is optional. */
struct kobj_type {
	/* frees the object when the last reference goes */
	void (*release)(struct kobject *kobj);
	const struct sysfs_ops *sysfs_ops;
	/* created by kobject_add(); ends with NULL */
	const struct attribute_group **default_groups;
	/* not NULL: what is created in the directory carries tags */
	const struct kobj_ns_type_operations *(*child_ns_type)(
		const struct kobject *kobj);
	/* the tag that the directory itself carries in a tagged parent */
	const struct ns_common *(*KERNFUSE_MEMBER(namespace))(
		const struct kobject *kobj);
	/* the owner of what is created for the object; root by default */
	void (*get_ownership)(const struct kobject *kobj, uid_t *uid,
			      gid_t *gid);
};

/* Attributes with callbacks of their own, and the sysfs_ops that call them;
 * an absent one fails with EIO. */
struct kobj_attribute {
	struct attribute attr;
	ssize_t (*show)(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf);
	ssize_t (*store)(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count);
};

extern KERNFUSE_PUBLIC const struct sysfs_ops kobj_sysfs_ops;

#ifndef container_of
#define container_of(ptr, type, member)                                        \
	((type *)((char *)(ptr) - offsetof(type, member)))
#endif

/**
 * kobject_init - begin to count references, with one for the caller
 * @kobj: zeroed memory
 * @ktype: its release is called when the last reference goes
 *
 * Context: any.
 */
KERNFUSE_PUBLIC void kobject_init(struct kobject *kobj,
				  const struct kobj_type *ktype);

/**
 * kobject_set_name - a name made by printf, owned by the object
 *
 * Not while it is in sysfs: see kobject_rename(). Every '/' becomes '!'.
 *
 * Context: may sleep.
 * Return: 0; -ENOMEM.
 */
KERNFUSE_PUBLIC int kobject_set_name(struct kobject *kobj, const char *fmt, ...)
	KERNFUSE_PRINTF(2, 3);

/**
 * kobject_add - name it and put it into sysfs
 * @kobj: initialised, not in sysfs
 * @parent: kept with a reference while @kobj is in sysfs; NULL: no parent
 * @fmt: its name
 *
 * The directory, its tag and its default groups are what the ktype says.
 *
 * Context: as the calls of sysfs.h.
 * Return: 0; -EINVAL @kobj is NULL or not initialised, or the name is empty;
 * or as sysfs_create_dir_ns() and sysfs_create_groups(). On failure
 * kobject_put() is still due.
 */
KERNFUSE_PUBLIC int kobject_add(struct kobject *kobj, struct kobject *parent,
				const char *fmt, ...) KERNFUSE_PRINTF(3, 4);
/* kobject_init(), and then as kobject_add() */
KERNFUSE_PUBLIC int kobject_init_and_add(struct kobject *kobj,
					 const struct kobj_type *ktype,
					 struct kobject *parent,
					 const char *fmt, ...)
	KERNFUSE_PRINTF(4, 5);

/**
 * kobject_create_and_add - a directory to put kobj_attributes into
 *
 * Context: as the calls of sysfs.h.
 * Return: the object, to be given to kobject_put(); NULL: it failed.
 */
KERNFUSE_PUBLIC struct kobject *kobject_create_and_add(const char *name,
						       struct kobject *parent);

/**
 * kobject_del - take it out of sysfs
 * @kobj: object; NULL, and one that is not in sysfs, is ignored
 *
 * Context: waits until no callback runs with @kobj.
 */
KERNFUSE_PUBLIC void kobject_del(struct kobject *kobj);

/* Context: any. NULL stays NULL; an object without kobject_init() is not
 * counted. */
KERNFUSE_PUBLIC struct kobject *kobject_get(struct kobject *kobj);
/* The last reference takes the object out of sysfs and releases it: then as
 * kobject_del(). */
KERNFUSE_PUBLIC void kobject_put(struct kobject *kobj);

/* Both keep the tag that ktype->namespace says. One caller at a time. Return: 0;
 * -EINVAL the object is not in sysfs; -ENOMEM; or as kernfs_rename_ns(). */
KERNFUSE_PUBLIC int kobject_rename(struct kobject *kobj, const char *new_name);
/* @new_parent NULL: to the top; else it is kept with a reference */
KERNFUSE_PUBLIC int kobject_move(struct kobject *kobj,
				 struct kobject *new_parent);

/* Valid until it is renamed or released. */
static inline const char *kobject_name(const struct kobject *kobj)
{
	return kobj->name;
}

KERNFUSE_END_DECLS

#endif /* KERNFUSE_KOBJECT_H */
