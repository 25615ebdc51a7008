/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a file server asks of a tree: permission, attributes, lookup,
 * revalidation, listing, link texts, the directory system calls, and the path
 * walk built on the first three.
 *
 * kernfs_iop_permission(), kernfs_dop_revalidate() and kernfs_walk() are what
 * kernfuse exists for: doc/locking.md says what each costs under each policy.
 */
#ifndef KERNFUSE_INODE_H
#define KERNFUSE_INODE_H

#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

/* Who asks. Capabilities are relative to the owner of the tree. */
struct kernfs_cred {
	uid_t fsuid;
	gid_t fsgid;
	const gid_t *groups; /* supplementary groups */
	size_t nr_groups;
	bool cap_dac_override;	  /* CAP_DAC_OVERRIDE */
	bool cap_dac_read_search; /* CAP_DAC_READ_SEARCH */
	bool cap_fowner;	  /* CAP_FOWNER */
	bool cap_chown;		  /* CAP_CHOWN */
	bool cap_fsetid;	  /* CAP_FSETID */
};

/* Everything root may do: fsuid 0 with all the capabilities above. */
extern KERNFUSE_PUBLIC const struct kernfs_cred kernfs_root_cred;

/* What is asked for: the values of access(2). */
#define KERNFS_MAY_EXEC 1
#define KERNFS_MAY_WRITE 2
#define KERNFS_MAY_READ 4

/**
 * kernfs_iop_permission - may this caller do that?
 * @kn: node the caller keeps alive
 * @cred: who asks
 * @mask: KERNFS_MAY_* bits
 *
 * The classic check: owner, group (supplementary groups too), others, then
 * the capabilities. Needs no active reference: a removed node answers too.
 *
 * Context: any. Takes KF_RANK_NODE (read) of @kn; under rcu nothing.
 * Visible: mode and owner are those of one moment of the call.
 * Return: 0; -EACCES.
 */
KERNFUSE_PUBLIC int kernfs_iop_permission(struct kernfs_node *kn,
					  const struct kernfs_cred *cred,
					  int mask);

/**
 * kernfs_iop_getattr - fill in struct stat
 * @kn: node the caller keeps alive
 * @born: times reported for a node whose attributes were never changed: the
 *	moment its inode came to be; NULL reports the epoch
 * @ret_st: filled in
 *
 * Size is the node's for files, 0 for directories and links; blocks 0,
 * blksize KERNFS_PAGE_SIZE.
 *
 * Context, Visible: as kernfs_iop_permission(), whose figures it shares.
 */
KERNFUSE_PUBLIC void kernfs_iop_getattr(struct kernfs_node *kn,
					const struct timespec *born,
					struct stat *ret_st);

/* Which fields kernfs_setattr() stores. */
#define KERNFS_ATTR_MODE 0x01
#define KERNFS_ATTR_UID 0x02
#define KERNFS_ATTR_GID 0x04
#define KERNFS_ATTR_SIZE 0x08
#define KERNFS_ATTR_ATIME 0x10
#define KERNFS_ATTR_MTIME 0x20
#define KERNFS_ATTR_CTIME 0x40

struct kernfs_iattr {
	unsigned int valid; /* KERNFS_ATTR_* */
	mode_t mode;	    /* 07777 bits; the type cannot change */
	uid_t uid;
	gid_t gid;
	struct timespec atime, mtime, ctime;
};

/**
 * kernfs_setattr - store attributes
 * @kn: node the caller keeps alive
 * @attr: what to store; a size is accepted and ignored
 *
 * Makes no ownership check: see kernfs_iop_setattr().
 *
 * Context: may sleep. Takes KF_RANK_NODE (write) of @kn.
 * Visible: readers see all fields of one call or none.
 * Return: 0; -ENOMEM.
 */
KERNFUSE_PUBLIC int kernfs_setattr(struct kernfs_node *kn,
				   const struct kernfs_iattr *attr);

/**
 * kernfs_iop_setattr - store attributes on behalf of a caller
 * @kn, @attr: as for kernfs_setattr()
 * @cred: who asks; chmod and times want the owner or CAP_FOWNER, chown wants
 *	CAP_CHOWN or, for the group, the owner and one of the caller's groups;
 *	a setgid bit wants CAP_FSETID or membership in the file's group, and is
 *	dropped otherwise
 *
 * Context, Visible: as kernfs_setattr().
 * Return: 0; -EPERM; -ENOMEM.
 */
KERNFUSE_PUBLIC int kernfs_iop_setattr(struct kernfs_node *kn,
				       const struct kernfs_cred *cred,
				       const struct kernfs_iattr *attr);

/*
 * A remembered name: what the kernel keeps in a dentry. The owner keeps
 * references on @parent and, if it is not NULL, on @kn. @kn NULL says that
 * the name did not exist.
 */
struct kernfs_dentry {
	struct kernfs_node *parent;
	const char *name;
	const struct ns_common *ns; /* tag of the mount, or NULL */
	struct kernfs_node *kn;
	unsigned long rev; /* change counter of @parent when it was filled */
};

/**
 * kernfs_iop_lookup - look a name up and remember the answer
 * @parent: directory the caller keeps alive
 * @name: name to look up, kept by reference
 * @ns: tag of the mount, used if @parent is tagged; or NULL
 * @ret_d: filled in, also for an absent name; references on parent and kn
 *	stay the caller's business: kn carries one new reference, parent none
 *
 * Context: may sleep. Takes KF_RANK_NODE (read) of @parent; under rcu nothing.
 * Return: 0 with an active @ret_d->kn; -ENOENT with @ret_d->kn NULL: absent,
 * and kernfs_dop_revalidate() tells when that changes; -EAGAIN the name
 * belongs to a node that is not active: absent for the user, but not to be
 * remembered, @ret_d untouched; -ENOTDIR @parent is not a directory.
 */
KERNFUSE_PUBLIC int kernfs_iop_lookup(struct kernfs_node *parent,
				      const char *name,
				      const struct ns_common *ns,
				      struct kernfs_dentry *ret_d);

/**
 * kernfs_dop_revalidate - does a remembered name still hold?
 * @d: as filled in by kernfs_iop_lookup(), kept alive by the caller
 *
 * Positive: the node is active and still has this name in this directory.
 * Negative: nothing was linked to or unlinked from the directory since.
 *
 * Context: any. Takes KF_RANK_NODE (read) of the node, or of the directory
 * for a negative; under rcu nothing.
 * Return: true valid; false look it up again.
 */
KERNFUSE_PUBLIC bool kernfs_dop_revalidate(const struct kernfs_dentry *d);

/**
 * kernfs_rcu_read_lock - keep nodes found by kernfs_iop_lookup_rcu() valid
 *
 * Sections nest. Nothing inside may sleep or wait for another thread.
 *
 * Context: any thread.
 */
KERNFUSE_PUBLIC void kernfs_rcu_read_lock(void);
/* From here on nodes found in the section may be gone. */
KERNFUSE_PUBLIC void kernfs_rcu_read_unlock(void);

/**
 * kernfs_iop_lookup_rcu - kernfs_iop_lookup() without a reference
 * @parent, @name, @ns, @ret_d: as for kernfs_iop_lookup(), but ret_d->kn is
 *	valid only until kernfs_rcu_read_unlock()
 *
 * Lets a server that already keeps the node avoid two writes to its count.
 *
 * Context: inside kernfs_rcu_read_lock(). Under global and hashed it takes
 * KF_RANK_NODE (read) of @parent, whose holders never wait for a grace period.
 * Return: as kernfs_iop_lookup().
 */
KERNFUSE_PUBLIC int kernfs_iop_lookup_rcu(struct kernfs_node *parent,
					  const char *name,
					  const struct ns_common *ns,
					  struct kernfs_dentry *ret_d);

/**
 * kernfs_tryget - take a reference unless the node is being freed
 * @kn: node that a read section keeps in memory
 *
 * Context: inside kernfs_rcu_read_lock(). Takes no lock.
 * Return: whether there is a new reference.
 */
KERNFUSE_PUBLIC bool kernfs_tryget(struct kernfs_node *kn);

/* --- listing --- */

/* Reserved positions; names hash to what lies between. */
#define KERNFS_DIR_POS_DOT 0
#define KERNFS_DIR_POS_DOTDOT 1
#define KERNFS_DIR_POS_END 0x7fffffffUL /* INT_MAX */

struct kernfs_dirent {
	const char *name; /* valid during the callback only */
	uint64_t ino;
	mode_t mode;	  /* type and permission bits */
	uint64_t pos;	  /* of this entry */
	uint64_t next;	  /* where to go on after this entry: its d_off */
};

/*
 * Takes one entry; false: it did not fit, stop before it. Called with no lock
 * held, so it may sleep.
 */
typedef bool (*kernfs_filldir_t)(void *ctx, const struct kernfs_dirent *de);

/**
 * kernfs_fop_readdir - list the active children of a directory
 * @dir: directory the caller keeps alive
 * @ns: tag of the mount, or NULL
 * @pos: 0, or the next of an entry received earlier
 * @fill: receives "." and ".." and then the entries in the order of
 *	(hash, tag, name)
 * @ctx: passed to @fill
 *
 * A position is the name hash, as in the kernel; entries that share a hash
 * are told apart by their rank in bits 32 and up. An entry that is there for
 * the whole listing comes exactly once (unless one with the very same 31-bit
 * hash comes or goes meanwhile); one that comes or goes meanwhile at most once.
 * A removed directory still has "." and "..", and nothing else.
 *
 * Context: may sleep. Takes KF_RANK_NODE (read) of @dir, a batch at a time;
 * under rcu nothing.
 * Return: 0; -ENOTDIR.
 */
KERNFUSE_PUBLIC int kernfs_fop_readdir(struct kernfs_node *dir,
				       const struct ns_common *ns,
				       uint64_t pos, kernfs_filldir_t fill,
				       void *ctx);

/* --- links --- */

/**
 * kernfs_iop_get_link - the text of a link
 * @kn: link the caller keeps alive
 * @buf: at least KERNFS_PATH_MAX bytes; NUL-terminated on success
 *
 * Context: any. Takes no lock; KF_RANK_RENAME if renames keep interfering.
 * Visible: the text leads to where the target was at one moment of the call.
 * Return: bytes without the NUL; -EINVAL not a link, or a link to the root
 * node; -ENAMETOOLONG.
 */
KERNFUSE_PUBLIC int kernfs_iop_get_link(struct kernfs_node *kn, char *buf);

/* --- directory system calls --- */

/**
 * kernfs_iop_mkdir, kernfs_iop_rmdir, kernfs_iop_rename - call the hook
 *
 * @flags are those of renameat2(2).
 *
 * Context: may sleep. The hook runs with active references on its nodes and
 * with no lock held.
 * Return: what the hook returned; -EPERM there is none; -ENODEV a node is not
 * active; -EINVAL rename flags, whether or not there is a hook.
 */
KERNFUSE_PUBLIC int kernfs_iop_mkdir(struct kernfs_node *parent,
				     const char *name, mode_t mode);
/* the node itself is held, so its hook removes it by kernfs_remove_self() */
KERNFUSE_PUBLIC int kernfs_iop_rmdir(struct kernfs_node *kn);
/* both nodes are held; what is at the new name is up to the hook */
KERNFUSE_PUBLIC int kernfs_iop_rename(struct kernfs_node *kn,
				      struct kernfs_node *new_parent,
				      const char *new_name, unsigned int flags);

/**
 * kernfs_iop_refresh - let a directory become what it should be now
 * @dir: directory the caller keeps alive
 *
 * Calls the refresh hook if the directory wants it; for others it is one load.
 * Servers call it before a lookup or a listing.
 *
 * Context: may sleep. The hook runs with an active reference on @dir and with
 * no lock held.
 */
KERNFUSE_PUBLIC void kernfs_iop_refresh(struct kernfs_node *dir);

/* --- the walk --- */

/**
 * kernfs_walk_create - a path that will be walked again and again
 * @start: where the path starts; the walk holds a reference
 * @path: names separated by '/', copied; "." and ".." are ordinary names
 * @ns: tag of the mount, kept by reference; or NULL
 *
 * The walk remembers a kernfs_dentry for each component, as the kernel's
 * dentry cache does. One thread at a time may use it; different walks over
 * the same nodes are what threads use side by side.
 *
 * Context: may sleep. Takes no lock.
 * Return: the walk; ERR_PTR(-EINVAL) no component; ERR_PTR(-ENAMETOOLONG);
 * ERR_PTR(-ENOMEM).
 */
KERNFUSE_PUBLIC struct kernfs_walk *
kernfs_walk_create(struct kernfs_node *start, const char *path,
		   const struct ns_common *ns);

/**
 * kernfs_walk - walk the path as open(2) would
 * @walk: the path
 * @cred: who walks
 * @ret_kn: set on success only: the node at the end, kept alive by the walk
 *	until it is next used or destroyed
 *
 * For each component: permission to search the directory, then revalidation
 * of the remembered name, then, only if that failed, a lookup.
 *
 * Context: may sleep. Takes KF_RANK_NODE (read), one node at a time; a warm
 * walk under rcu writes no shared memory at all.
 * Return: 0; -ENOENT; -EACCES; -ENOTDIR.
 */
KERNFUSE_PUBLIC int kernfs_walk(struct kernfs_walk *walk,
				const struct kernfs_cred *cred,
				struct kernfs_node **ret_kn);

/* NULL is ignored. Context: as kernfs_put(). */
KERNFUSE_PUBLIC void kernfs_walk_destroy(struct kernfs_walk *walk);

KERNFUSE_END_DECLS

#endif /* KERNFUSE_INODE_H */
