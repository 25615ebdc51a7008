/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sysfs: directories that stand for objects, and files that stand for their
 * attributes, over the tree of <kernfuse/kernfs.h>. Names, rules and errnos
 * are the kernel's.
 *
 * An object is a struct kobject (<kernfuse/kobject.h>). Its ktype says how
 * its attributes are shown and stored. The object must stay in memory until
 * sysfs_remove_dir() has returned: from then on no callback runs with it.
 *
 * Context, of every call here that does not say otherwise: may sleep, takes
 * KF_RANK_NODE, and may be made from a callback; a call that removes
 * something waits until nobody is inside it, so a callback removes its own
 * file with sysfs_remove_file_self() only. Objects and attributes are the
 * caller's; what is created keeps them by reference until it is removed.
 */
#ifndef KERNFUSE_SYSFS_H
#define KERNFUSE_SYSFS_H

#include <kernfuse/err.h>
#include <kernfuse/node.h>
#include <kernfuse/poll.h>
#include <kernfuse/root.h>
#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

struct kobject;

typedef mode_t umode_t;

/* Words of C++ that are names of members in C. */
#ifdef __cplusplus
#define KERNFUSE_MEMBER(name) name##_
#else
#define KERNFUSE_MEMBER(name) name
#endif

/* --- attributes --- */

struct attribute {
	const char *name;
	umode_t mode; /* permission bits, perhaps with SYSFS_PREALLOC */
};

/*
 * In an attribute's mode: read and write through a buffer made when the file
 * is opened, so that neither needs memory. show then runs at every read.
 */
#define SYSFS_PREALLOC 010000

/*
 * What is_visible returns for the first attribute of a named group whose
 * directory is not to be made at all.
 */
#define SYSFS_GROUP_INVISIBLE 020000

/*
 * How the attributes of a kind of object are read and written. Which of the
 * two is there decides what a file can do, not its mode.
 */
struct sysfs_ops {
	/* The whole value into @buf, a page of KERNFS_PAGE_SIZE bytes, zeroed
	 * and aligned; see sysfs_emit(). Returns bytes, or -errno, which
	 * read(2) returns. */
	ssize_t (*show)(struct kobject *kobj, struct attribute *attr,
			char *buf);
	/* @buf holds @count bytes, a page at most, and a NUL. Returns how many
	 * were taken, or -errno. */
	ssize_t (*store)(struct kobject *kobj, struct attribute *attr,
			 const char *buf, size_t count);
};

/* What the callbacks of a binary attribute may know of an open(2). */
struct file {
	unsigned int f_flags; /* O_RDONLY, ... */
	struct kernfs_open_file *of;
};

struct vm_area_struct;

struct bin_attribute {
	struct attribute attr;
	size_t size; /* st_size, bytes; 0: unknown, the callbacks decide */
	void *KERNFUSE_MEMBER(private); /* the caller's */
	/* @count bytes at most, a page at most, and within size if there is
	 * one. Return bytes or -errno. */
	ssize_t (*read)(struct file *filp, struct kobject *kobj,
			const struct bin_attribute *attr, char *buf, off_t pos,
			size_t count);
	ssize_t (*write)(struct file *filp, struct kobject *kobj,
			 const struct bin_attribute *attr, char *buf, off_t pos,
			 size_t count);
	off_t (*llseek)(struct file *filp, struct kobject *kobj,
			const struct bin_attribute *attr, off_t offset,
			int whence);
	/* Never called: a file outside the kernel has no pages to share, and
	 * mmap(2) fails with ENODEV. But with it, as in the kernel, the file
	 * may be opened for reading and writing whatever else is there, and
	 * llseek is used. */
	int (*mmap)(struct file *filp, struct kobject *kobj,
		    const struct bin_attribute *attr,
		    struct vm_area_struct *vma);
};

/* Attributes that come and go together, in a directory of their own or not. */
struct attribute_group {
	const char *name; /* of the directory; NULL: the object's own */
	/* Called for each attribute with its index when the group is created
	 * or updated: 0 leaves it out, else it is the mode to give it. NULL:
	 * all are there, with their own modes. */
	umode_t (*is_visible)(struct kobject *kobj, struct attribute *attr,
			      int nr);
	umode_t (*is_bin_visible)(struct kobject *kobj,
				  const struct bin_attribute *attr, int nr);
	/* the size to report instead of attr->size */
	size_t (*bin_size)(struct kobject *kobj,
			   const struct bin_attribute *attr, int nr);
	struct attribute **attrs; /* ends with NULL; or NULL */
	const struct bin_attribute *const *bin_attrs; /* the same */
};

/* --- definitions --- */

/* Stops the compiler at a mode that is not octal, is writable for everybody,
 * or gives the group more than the owner. Is the mode. */
#define VERIFY_OCTAL_PERMISSIONS(mode)                                         \
	((mode) + 0 * sizeof(char[(mode) >= 0 && (mode) <= 0777 &&             \
						  !((mode) & 02) &&            \
						  ((mode) >> 6 & 06) >=        \
							  ((mode) >> 3 & 06) && \
						  ((mode) >> 3 & 04) >=        \
							  ((mode) & 04) ?      \
					  1 :                                  \
					  -1]))

/* For any structure of an attr, a show and a store. */
#define __ATTR(name_, mode_, show_, store_)                                    \
	{                                                                      \
		.attr = { .name = #name_,                                      \
			  .mode = VERIFY_OCTAL_PERMISSIONS(mode_) },           \
		.show = show_, .store = store_,                                \
	}
#define __ATTR_PREALLOC(name_, mode_, show_, store_)                           \
	{                                                                      \
		.attr = { .name = #name_,                                      \
			  .mode = SYSFS_PREALLOC |                             \
				  VERIFY_OCTAL_PERMISSIONS(mode_) },           \
		.show = show_, .store = store_,                                \
	}
/* by the names x_show and x_store */
#define __ATTR_RO_MODE(name, mode) __ATTR(name, mode, name##_show, NULL)
#define __ATTR_RW_MODE(name, mode) __ATTR(name, mode, name##_show, name##_store)
#define __ATTR_RO(name) __ATTR_RO_MODE(name, 0444)
#define __ATTR_WO(name) __ATTR(name, 0200, NULL, name##_store)
#define __ATTR_RW(name) __ATTR_RW_MODE(name, 0644)
#define __ATTR_NULL                                                            \
	{                                                                      \
		.attr = { .name = NULL }                                       \
	}

#define __BIN_ATTR(name_, mode_, read_, write_, size_)                         \
	{                                                                      \
		.attr = { .name = #name_,                                      \
			  .mode = VERIFY_OCTAL_PERMISSIONS(mode_) },           \
		.size = size_, .read = read_, .write = write_,                 \
	}
#define __BIN_ATTR_RO(name, size) __BIN_ATTR(name, 0444, name##_read, NULL, size)
#define __BIN_ATTR_WO(name, size)                                              \
	__BIN_ATTR(name, 0200, NULL, name##_write, size)
#define __BIN_ATTR_RW(name, size)                                              \
	__BIN_ATTR(name, 0644, name##_read, name##_write, size)
#define BIN_ATTR(name, mode, read, write, size)                                \
	struct bin_attribute bin_attr_##name =                                 \
		__BIN_ATTR(name, mode, read, write, size)
#define BIN_ATTR_RO(name, size)                                                \
	struct bin_attribute bin_attr_##name = __BIN_ATTR_RO(name, size)
#define BIN_ATTR_WO(name, size)                                                \
	struct bin_attribute bin_attr_##name = __BIN_ATTR_WO(name, size)
#define BIN_ATTR_RW(name, size)                                                \
	struct bin_attribute bin_attr_##name = __BIN_ATTR_RW(name, size)

/* x_groups, of the one group whose attributes are x_attrs */
#define ATTRIBUTE_GROUPS(name)                                                 \
	static const struct attribute_group name##_group = {                   \
		.attrs = name##_attrs,                                         \
	};                                                                     \
	static const struct attribute_group *name##_groups[] = {               \
		&name##_group,                                                 \
		NULL,                                                          \
	}

/* An is_visible of two questions: bool x_group_visible(kobj), asked first, and
 * umode_t x_attr_visible(kobj, attr, nr). */
#define DEFINE_SYSFS_GROUP_VISIBLE(name)                                       \
	static umode_t sysfs_group_visible_##name(                             \
		struct kobject *kobj, struct attribute *attr, int nr)          \
	{                                                                      \
		return nr || name##_group_visible(kobj) ?                      \
			       name##_attr_visible(kobj, attr, nr) :           \
			       (umode_t)SYSFS_GROUP_INVISIBLE;                 \
	}
/* and of the first only */
#define DEFINE_SIMPLE_SYSFS_GROUP_VISIBLE(name)                                \
	static umode_t sysfs_group_visible_##name(                             \
		struct kobject *kobj, struct attribute *attr, int nr)          \
	{                                                                      \
		return nr || name##_group_visible(kobj) ?                      \
			       attr->mode :                                    \
			       (umode_t)SYSFS_GROUP_INVISIBLE;                 \
	}
#define SYSFS_GROUP_VISIBLE(name) sysfs_group_visible_##name

/* --- trees; the kernel has one, made by sysfs_init() --- */

/**
 * sysfs_create_root - a tree of its own
 * @scops: as for kernfs_create_root()
 * @top: the object whose directory is the root node; not in sysfs yet
 * @params: as for kernfs_create_root_locking(); NULL: the default locks
 *
 * Objects whose parent is @top appear at the top of the tree.
 *
 * Context: may sleep. Takes no lock.
 * Return: the root, to be given to sysfs_destroy_root(); ERR_PTR(-ENOMEM);
 * ERR_PTR(-EINVAL) @params.
 */
KERNFUSE_PUBLIC struct kernfs_root *
sysfs_create_root(const struct kernfs_syscall_ops *scops, struct kobject *top,
		  const struct kernfs_root_locking_params *params);

/**
 * sysfs_destroy_root - remove the whole tree
 * @top: as given to sysfs_create_root()
 *
 * Context: as kernfs_destroy_root(): not from a callback.
 */
KERNFUSE_PUBLIC void sysfs_destroy_root(struct kobject *top);

/**
 * sysfs_set_root - the tree for those who name none
 * @root: where objects without a parent go, and what a NULL object stands for
 *	in the calls for links; NULL: then there is none
 *
 * Context: any. One for the whole process; @root stays until another is set.
 */
KERNFUSE_PUBLIC void sysfs_set_root(struct kernfs_root *root);

/* --- directories --- */

/**
 * sysfs_create_dir_ns - the directory of an object
 * @kobj: object, with name, parent and ktype set; not in sysfs yet
 * @ns: tag, required exactly if the parent's directory is tagged; or NULL
 *
 * Mode 0755; the owner is what ktype->get_ownership says. The parent's
 * directory must not be removed during the call.
 *
 * Return: 0, and kobj->sd is set; -EINVAL @kobj is NULL; -ENOENT the parent
 * has no directory; -EEXIST, with a message; or as kernfs_create_dir_ns().
 */
KERNFUSE_PUBLIC int sysfs_create_dir_ns(struct kobject *kobj,
					const struct ns_common *ns);

/**
 * sysfs_remove_dir - remove the directory and everything in it
 * @kobj: object; one that has none is ignored
 *
 * Visible: when it returns no callback runs with @kobj.
 */
KERNFUSE_PUBLIC void sysfs_remove_dir(struct kobject *kobj);

/* Return: 0, or as kernfs_rename_ns(). kobj->name is the caller's to change. */
KERNFUSE_PUBLIC int sysfs_rename_dir_ns(struct kobject *kobj,
					const char *new_name,
					const struct ns_common *new_ns);
/* @new_parent_kobj NULL, or without a directory: to the top of the tree */
KERNFUSE_PUBLIC int sysfs_move_dir_ns(struct kobject *kobj,
				      struct kobject *new_parent_kobj,
				      const struct ns_common *new_ns);

/**
 * sysfs_create_mount_point - a directory that stays empty, mode 0555
 *
 * Return: 0; -EINVAL @parent_kobj has no directory; -EEXIST, with a message;
 * or as kernfs_create_empty_dir().
 */
KERNFUSE_PUBLIC int sysfs_create_mount_point(struct kobject *parent_kobj,
					     const char *name);
/* and whatever else has that name; none is ignored */
KERNFUSE_PUBLIC void sysfs_remove_mount_point(struct kobject *parent_kobj,
					      const char *name);

/* From here on what is created in @kn carries tags. */
static inline void sysfs_enable_ns(struct kernfs_node *kn)
{
	kernfs_enable_ns(kn);
}

/* --- files --- */

/**
 * sysfs_create_file_ns - the file of an attribute
 * @kobj: object with a directory
 * @attr: attribute; its mode decides who may open the file
 * @ns: as for sysfs_create_dir_ns()
 *
 * st_size is a page. A read at offset 0 shows the value anew, at most
 * KERNFS_PAGE_SIZE - 1 bytes; a write stores a page at most, whatever the
 * offset.
 *
 * Return: 0; -EINVAL, with a message: @kobj or @attr is NULL, or @kobj has no
 * directory or its ktype no sysfs_ops; -EEXIST, with a message; or as
 * __kernfs_create_file().
 */
KERNFUSE_PUBLIC int sysfs_create_file_ns(struct kobject *kobj,
					 const struct attribute *attr,
					 const struct ns_common *ns);
/* @attrs ends with NULL; on failure none of them is left */
KERNFUSE_PUBLIC int sysfs_create_files(struct kobject *kobj,
				       const struct attribute *const *attrs);
/* One that is not there is ignored. */
KERNFUSE_PUBLIC void sysfs_remove_file_ns(struct kobject *kobj,
					  const struct attribute *attr,
					  const struct ns_common *ns);
/* as sysfs_remove_file_ns() for each; @attrs ends with NULL */
KERNFUSE_PUBLIC void sysfs_remove_files(struct kobject *kobj,
					const struct attribute *const *attrs);

/* without a tag */
static inline int sysfs_create_file(struct kobject *kobj,
				    const struct attribute *attr)
{
	return sysfs_create_file_ns(kobj, attr, NULL);
}

/* without a tag */
static inline void sysfs_remove_file(struct kobject *kobj,
				     const struct attribute *attr)
{
	sysfs_remove_file_ns(kobj, attr, NULL);
}

/**
 * sysfs_remove_file_self - remove a file from its own show or store
 *
 * Return: true for the one caller that removed it; false for the others, and,
 * with a message, if there is no such file.
 */
KERNFUSE_PUBLIC bool sysfs_remove_file_self(struct kobject *kobj,
					    const struct attribute *attr);

/**
 * sysfs_break_active_protection - let a callback's file be removed meanwhile
 * @kobj, @attr: of the callback that calls
 *
 * Between the two calls the file, its directory and whatever the object's
 * owner guards by their removal may go; the object itself stays in memory.
 *
 * Return: to be given to sysfs_unbreak_active_protection(); NULL: the file is
 * gone already, and nothing is to be undone.
 */
KERNFUSE_PUBLIC struct kernfs_node *
sysfs_break_active_protection(struct kobject *kobj,
			      const struct attribute *attr);
/* Exactly once, before the callback returns; @kn is given back. */
KERNFUSE_PUBLIC void sysfs_unbreak_active_protection(struct kernfs_node *kn);

/* Return: 0; -ENOENT; -ENOMEM. The file's type stays. */
KERNFUSE_PUBLIC int sysfs_chmod_file(struct kobject *kobj,
				     const struct attribute *attr,
				     umode_t mode);

/* @group NULL: the object's own directory. Return: -ENOENT there is no such
 * group; or as sysfs_create_file_ns(). */
KERNFUSE_PUBLIC int sysfs_add_file_to_group(struct kobject *kobj,
					    const struct attribute *attr,
					    const char *group);
/* What is not there, file or group, is ignored. */
KERNFUSE_PUBLIC void sysfs_remove_file_from_group(struct kobject *kobj,
						  const struct attribute *attr,
						  const char *group);

/**
 * sysfs_emit - what show prints its value with
 * @buf: the page that show was given
 *
 * Context: any.
 * Return: characters written, without the NUL: a page less one at most; 0,
 * with a message, if @buf is not at the start of a page.
 */
KERNFUSE_PUBLIC int sysfs_emit(char *buf, const char *fmt, ...)
	KERNFUSE_PRINTF(2, 3);
/* from the offset @at of the page on, 0 to a page less one */
KERNFUSE_PUBLIC int sysfs_emit_at(char *buf, int at, const char *fmt, ...)
	KERNFUSE_PRINTF(3, 4);

/**
 * sysfs_notify - tell everybody who waits for an attribute that it has changed
 * @kobj: object; one without a directory is ignored
 * @dir: group of the attribute; NULL: the object's own directory
 * @attr: name of the file; one that is not there is ignored
 *
 * As kernfs_notify(), for those who know names and not nodes. Whoever polls
 * for EPOLLPRI wakes up, and reads the value again from offset 0.
 *
 * Context: may sleep. May be called from a callback, also one of the file.
 */
KERNFUSE_PUBLIC void sysfs_notify(struct kobject *kobj, const char *dir,
				  const char *attr);

/* --- binary files --- */

/**
 * sysfs_create_bin_file - the file of a binary attribute
 *
 * Reads and writes pass offset and length on, a page at a time, and within
 * attr->size if there is one: reading past it gives 0, writing past it EFBIG.
 *
 * Return: as sysfs_create_file_ns(), but no sysfs_ops are needed.
 */
KERNFUSE_PUBLIC int sysfs_create_bin_file(struct kobject *kobj,
					  const struct bin_attribute *attr);
/* One that is not there is ignored. */
KERNFUSE_PUBLIC void sysfs_remove_bin_file(struct kobject *kobj,
					   const struct bin_attribute *attr);
/* A read for content that is in memory: attr->size bytes at attr->private. */
KERNFUSE_PUBLIC ssize_t sysfs_bin_attr_simple_read(
	struct file *filp, struct kobject *kobj,
	const struct bin_attribute *attr, char *buf, off_t pos, size_t count);

/* --- groups --- */

/**
 * sysfs_create_group - create the visible attributes of a group
 * @kobj: object with a directory
 * @grp: group; one without any attribute array is ignored
 *
 * A named one gets a directory, mode 0755. Modes are cut to 0664.
 *
 * Return: 0; -EINVAL @kobj has no directory; or as sysfs_create_file_ns(),
 * and then nothing of the group is left.
 */
KERNFUSE_PUBLIC int sysfs_create_group(struct kobject *kobj,
				       const struct attribute_group *grp);
/* @groups ends with NULL, or is NULL; on failure none of them is left */
KERNFUSE_PUBLIC int sysfs_create_groups(struct kobject *kobj,
					const struct attribute_group **groups);

/**
 * sysfs_update_group - ask again what is visible, with which mode
 *
 * Each file is removed and, if visible, created anew: who has one open gets
 * ENODEV. A directory that is missing is made, one that has become
 * SYSFS_GROUP_INVISIBLE is removed.
 *
 * Return: as sysfs_create_group().
 */
KERNFUSE_PUBLIC int sysfs_update_group(struct kobject *kobj,
				       const struct attribute_group *grp);
/* as sysfs_create_groups(): on failure none of them is left */
KERNFUSE_PUBLIC int sysfs_update_groups(struct kobject *kobj,
					const struct attribute_group **groups);

/* The listed files, and the directory of a named group. What is not there is
 * ignored. */
KERNFUSE_PUBLIC void sysfs_remove_group(struct kobject *kobj,
					const struct attribute_group *grp);
/* as sysfs_remove_group() for each; ends with NULL, or is NULL */
KERNFUSE_PUBLIC void
sysfs_remove_groups(struct kobject *kobj,
		    const struct attribute_group **groups);

/**
 * sysfs_merge_group - add text attributes to a named group that is there
 *
 * is_visible is not asked.
 *
 * Return: 0; -ENOENT there is no such group; or as sysfs_create_file_ns(), and
 * then none of @grp is left.
 */
KERNFUSE_PUBLIC int sysfs_merge_group(struct kobject *kobj,
				      const struct attribute_group *grp);
/* The listed files. What is not there is ignored. */
KERNFUSE_PUBLIC void sysfs_unmerge_group(struct kobject *kobj,
					 const struct attribute_group *grp);

/* --- links --- */

/**
 * sysfs_create_link - a link to an object's directory
 * @kobj: where; NULL: the top of the tree of sysfs_set_root()
 * @target: object; in a tagged directory the link takes its tag
 * @name: of the link, copied
 *
 * Return: 0; -EFAULT @kobj has no directory; -ENOENT @target has none;
 * -EEXIST, with a message; or as kernfs_create_link().
 */
KERNFUSE_PUBLIC int sysfs_create_link(struct kobject *kobj,
				      struct kobject *target, const char *name);
/* without the message */
KERNFUSE_PUBLIC int sysfs_create_link_nowarn(struct kobject *kobj,
					     struct kobject *target,
					     const char *name);
/* Removes whatever has that name and no tag, a directory with its content,
 * too. */
KERNFUSE_PUBLIC void sysfs_remove_link(struct kobject *kobj, const char *name);
/* The same with @target's tag, for tagged directories. */
KERNFUSE_PUBLIC void sysfs_delete_link(struct kobject *kobj,
				       struct kobject *target,
				       const char *name);
/* Return: 0; -EFAULT; -ENOENT there is no @old_name; -EINVAL it is no link to
 * @target; or as kernfs_rename_ns(). */
KERNFUSE_PUBLIC int sysfs_rename_link_ns(struct kobject *kobj,
					 struct kobject *target,
					 const char *old_name,
					 const char *new_name,
					 const struct ns_common *new_ns);

/* to a name without a tag */
static inline int sysfs_rename_link(struct kobject *kobj,
				    struct kobject *target,
				    const char *old_name, const char *new_name)
{
	return sysfs_rename_link_ns(kobj, target, old_name, new_name, NULL);
}

/* Return: -ENOENT there is no such group; or as sysfs_create_link(). */
KERNFUSE_PUBLIC int sysfs_add_link_to_group(struct kobject *kobj,
					    const char *group_name,
					    struct kobject *target,
					    const char *link_name);
/* What is not there, link or group, is ignored. */
KERNFUSE_PUBLIC void sysfs_remove_link_from_group(struct kobject *kobj,
						  const char *group_name,
						  const char *link_name);

/**
 * compat_only_sysfs_link_entry_to_kobj - a link to an entry of another object
 * @kobj: where
 * @target_kobj: object whose entry it is
 * @target_name: of the entry, a file or a group
 * @symlink_name: of the link; NULL: the same
 *
 * Return: 0; -EINVAL @kobj has no directory; -ENOENT @target_kobj has no
 * directory, or no such entry; -EEXIST, with a message; or as
 * kernfs_create_link().
 */
KERNFUSE_PUBLIC int
compat_only_sysfs_link_entry_to_kobj(struct kobject *kobj,
				     struct kobject *target_kobj,
				     const char *target_name,
				     const char *symlink_name);

/* --- owners --- */

/*
 * Each returns 0; -EINVAL the object is not in sysfs; -ENOENT an entry is
 * missing; -ENOMEM.
 */

/* one entry of the object's directory */
KERNFUSE_PUBLIC int sysfs_file_change_owner(struct kobject *kobj,
					    const char *name, uid_t uid,
					    gid_t gid);
/* also -EINVAL: it is no link to @target */
KERNFUSE_PUBLIC int sysfs_link_change_owner(struct kobject *kobj,
					    struct kobject *target,
					    const char *name, uid_t uid,
					    gid_t gid);
/* the directory (of an unnamed one: the object's), then its attributes */
KERNFUSE_PUBLIC int
sysfs_group_change_owner(struct kobject *kobj,
			 const struct attribute_group *grp, uid_t uid,
			 gid_t gid);
/* each of them; ends with NULL, or is NULL */
KERNFUSE_PUBLIC int
sysfs_groups_change_owner(struct kobject *kobj,
			  const struct attribute_group **groups, uid_t uid,
			  gid_t gid);
/* the directory and the default groups of its ktype */
KERNFUSE_PUBLIC int sysfs_change_owner(struct kobject *kobj, uid_t uid,
				       gid_t gid);

/* --- nodes --- */

/* The entry of that name, active or not, with a reference for the caller. */
static inline struct kernfs_node *sysfs_get_dirent(struct kernfs_node *parent,
						   const char *name)
{
	return kernfs_find_and_get(parent, name);
}

/* As sysfs_notify(), for who kept the node of the file: much cheaper. */
static inline void sysfs_notify_dirent(struct kernfs_node *kn)
{
	kernfs_notify(kn);
}

/* One more reference; NULL stays NULL. */
static inline struct kernfs_node *sysfs_get(struct kernfs_node *kn)
{
	kernfs_get(kn);
	return kn;
}

/* One reference less. */
static inline void sysfs_put(struct kernfs_node *kn)
{
	kernfs_put(kn);
}

KERNFUSE_END_DECLS

#endif /* KERNFUSE_SYSFS_H */
