/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes: references, creation, removal, renaming, names and paths.
 *
 * Every call takes nodes that the caller keeps alive with a reference (its
 * own, or that of a node below them: a child keeps its parents). No call may
 * be made inside kernfs_rcu_read_lock() unless it says so.
 */
#ifndef KERNFUSE_NODE_H
#define KERNFUSE_NODE_H

#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

/* --- accessors: any context, no lock, the node is kept by the caller --- */

/* KERNFS_DIR, KERNFS_FILE or KERNFS_LINK; never changes */
KERNFUSE_PUBLIC enum kernfs_node_type kernfs_type(const struct kernfs_node *kn);
/* unique in the root for ever; the root node has 1 */
KERNFUSE_PUBLIC uint64_t kernfs_id(const struct kernfs_node *kn);
/* the part of the id that stat shows */
KERNFUSE_PUBLIC ino_t kernfs_ino(const struct kernfs_node *kn);
/* the other part, which handles carry as generation */
KERNFUSE_PUBLIC uint32_t kernfs_gen(const struct kernfs_node *kn);
/* the two parts of an id: what stat shows as inode number, and the rest */
static inline ino_t kernfs_id_ino(uint64_t id)
{
	return sizeof(ino_t) >= sizeof(id) ? (ino_t)id : (ino_t)(uint32_t)id;
}
/* as kernfs_gen() */
static inline uint32_t kernfs_id_gen(uint64_t id)
{
	return sizeof(ino_t) >= sizeof(id) ? 1 : (uint32_t)(id >> 32);
}
/* as given to its creation; of a link NULL */
KERNFUSE_PUBLIC void *kernfs_priv(const struct kernfs_node *kn);
/* the tree it is in, also when it was removed */
KERNFUSE_PUBLIC struct kernfs_root *kernfs_root(const struct kernfs_node *kn);
/* type and permission bits, as st_mode; changed by kernfs_setattr() */
KERNFUSE_PUBLIC mode_t kernfs_mode(const struct kernfs_node *kn);
/* do the children of this directory carry namespace tags? */
KERNFUSE_PUBLIC bool kernfs_ns_enabled(const struct kernfs_node *kn);
/* is the node visible: activated, not hidden, not being removed? */
KERNFUSE_PUBLIC bool kernfs_active(const struct kernfs_node *kn);

/* --- references --- */

/**
 * kernfs_get - take a reference
 * @kn: node the caller already keeps alive; NULL is ignored
 *
 * Context: any. Takes no lock.
 */
KERNFUSE_PUBLIC void kernfs_get(struct kernfs_node *kn);

/**
 * kernfs_put - give a reference back
 * @kn: node; NULL is ignored
 *
 * The last reference frees the node, and with it the reference it holds on
 * its parent and, for a link, on its target. Memory goes back after an RCU
 * grace period.
 *
 * Context: may sleep when the last reference of a root goes.
 */
KERNFUSE_PUBLIC void kernfs_put(struct kernfs_node *kn);

/* --- creation --- */

/**
 * kernfs_create_dir_ns - create a directory
 * @parent: directory to create it in
 * @name: name without '/', copied
 * @mode: permission bits; the type bit is added
 * @uid, @gid: owner
 * @priv: kept for the caller, never touched
 * @ns: namespace tag, or NULL; required exactly if @parent is tagged
 *
 * Context: may sleep. Takes KF_RANK_NODE (write) of @parent, then of the new
 * node.
 * Visible: a lookup finds the node when the call has returned, unless the
 * root is KERNFS_ROOT_CREATE_DEACTIVATED.
 * Return: the node, without a reference for the caller: it lives until it is
 * removed. ERR_PTR(-EINVAL) @parent is not a directory, @name is empty, "."
 * or ".." or holds a '/', or a tag is missing or too much; -ENAMETOOLONG
 * @name has KERNFS_PATH_MAX bytes or more; -ENOENT @parent is
 * being removed or is permanently empty; -EEXIST the name is taken, also by
 * a node that is not active; -ENOMEM.
 */
KERNFUSE_PUBLIC struct kernfs_node *
kernfs_create_dir_ns(struct kernfs_node *parent, const char *name, mode_t mode,
		     uid_t uid, gid_t gid, void *priv,
		     const struct ns_common *ns);

/* kernfs_create_dir_ns() owned by root:root, without a tag */
KERNFUSE_PUBLIC struct kernfs_node *
kernfs_create_dir(struct kernfs_node *parent, const char *name, mode_t mode,
		  void *priv);

/**
 * kernfs_create_empty_dir - a directory that never gets a child
 * @parent: directory to create it in
 * @name: as for kernfs_create_dir_ns()
 *
 * Mode 0555, owned by root: the mount points of sysfs.
 *
 * Context, Return: as kernfs_create_dir_ns().
 */
KERNFUSE_PUBLIC struct kernfs_node *
kernfs_create_empty_dir(struct kernfs_node *parent, const char *name);

/**
 * __kernfs_create_file - create a file
 * @size: st_size to report, bytes; not the length of the content. Give 4096, as
 *	sysfs does, to what can be read: sendfile(2) and the like read nothing
 *	of a file whose size is 0.
 * @ops: callbacks, kept by reference for the node's life
 * Everything else: as kernfs_create_dir_ns()
 *
 * The kernel's last argument, a lockdep key, does not exist here.
 *
 * Context, Return: as kernfs_create_dir_ns().
 */
KERNFUSE_PUBLIC struct kernfs_node *
__kernfs_create_file(struct kernfs_node *parent, const char *name, mode_t mode,
		     uid_t uid, gid_t gid, off_t size,
		     const struct kernfs_ops *ops, void *priv,
		     const struct ns_common *ns);

/**
 * kernfs_create_link - create a symbolic link to a node
 * @parent: directory to create it in
 * @name: as for kernfs_create_dir_ns()
 * @target: node of the same root; the link holds a reference on it
 *
 * Mode 0777; owner copied from @target; in a tagged directory the link takes
 * the target's tag. The text is computed when it is read, so that it follows
 * renames of the target.
 *
 * Context, Return: as kernfs_create_dir_ns(); also ERR_PTR(-EINVAL) @target
 * belongs to another root.
 */
KERNFUSE_PUBLIC struct kernfs_node *
kernfs_create_link(struct kernfs_node *parent, const char *name,
		   struct kernfs_node *target);

/**
 * kernfs_create_link_text - create a symbolic link with a fixed text
 * @parent, @name: as for kernfs_create_dir_ns()
 * @uid, @gid: owner
 * @text: what readlink returns, copied; not resolved, not checked
 * @ns: as for kernfs_create_dir_ns()
 *
 * Not in the kernel: captured trees hold links that dangle or are absolute.
 *
 * Context, Return: as kernfs_create_dir_ns(); also ERR_PTR(-ENAMETOOLONG)
 * @text has KERNFS_PATH_MAX bytes or more, ERR_PTR(-EINVAL) it is empty.
 */
KERNFUSE_PUBLIC struct kernfs_node *
kernfs_create_link_text(struct kernfs_node *parent, const char *name, uid_t uid,
			gid_t gid, const char *text,
			const struct ns_common *ns);

/**
 * kernfs_enable_ns - from now on the children of @kn carry tags
 * @kn: an empty directory; anything else is ignored
 *
 * Context: may sleep. Takes KF_RANK_NODE (write).
 */
KERNFUSE_PUBLIC void kernfs_enable_ns(struct kernfs_node *kn);

/**
 * kernfs_enable_refresh - from now on lookups in @kn call the refresh hook
 * @kn: a directory
 *
 * For directories that show what changes without the program's doing: see
 * struct kernfs_syscall_ops. Not in the kernel.
 *
 * Context: any. Takes no lock.
 */
KERNFUSE_PUBLIC void kernfs_enable_refresh(struct kernfs_node *kn);

/* --- visibility --- */

/**
 * kernfs_activate - make a subtree visible
 * @kn: top of the subtree, whose removal has not started
 *
 * Activates every node that is neither hidden nor being removed, children
 * before parents.
 *
 * Context: may sleep. Takes KF_RANK_NODE (write), one node at a time.
 * Visible: once @kn itself is found, everything that was below it is.
 */
KERNFUSE_PUBLIC void kernfs_activate(struct kernfs_node *kn);

/**
 * kernfs_show - hide a file or link, or show it again
 * @kn: file or link; a directory is ignored
 * @show: false waits until no callback of @kn runs, releases its open files
 *	and leaves it invisible, still holding its name; true makes it visible
 *	if it ever was
 *
 * A show that comes while a hide waits ends that wait.
 *
 * Context: may sleep. Takes KF_RANK_NODE (write); waits with no lock held.
 * Not from inside a callback of @kn.
 */
KERNFUSE_PUBLIC void kernfs_show(struct kernfs_node *kn, bool show);

/* --- removal --- */

/**
 * kernfs_remove - remove a node and everything below it
 * @kn: node the caller keeps alive; NULL is ignored
 *
 * New operations fail with -ENODEV at once; then each node, children first,
 * is waited for and unlinked. A node that was removed already is ignored.
 *
 * Context: may sleep. Takes KF_RANK_NODE (write), never while waiting. Not
 * from inside a callback of a node in the subtree: see kernfs_remove_self().
 * Visible: after return no callback of the subtree runs.
 */
KERNFUSE_PUBLIC void kernfs_remove(struct kernfs_node *kn);

/**
 * kernfs_remove_by_name_ns - remove the child that has a name
 * @parent: directory; NULL gives -ENOENT
 * @name: name of the child
 * @ns: its tag, or NULL
 *
 * Context, Visible: as kernfs_remove().
 * Return: 0; -ENOENT no such child.
 */
KERNFUSE_PUBLIC int kernfs_remove_by_name_ns(struct kernfs_node *parent,
					     const char *name,
					     const struct ns_common *ns);
/* without a tag */
KERNFUSE_PUBLIC int kernfs_remove_by_name(struct kernfs_node *parent,
					  const char *name);

/**
 * kernfs_remove_self - remove a node from inside its own callback
 * @kn: node whose active reference the caller's operation holds
 *
 * Any number of operations may race; one wins and removes, the others wait
 * until the winner's whole callback has ended.
 *
 * Context: may sleep. As kernfs_remove().
 * Return: true for the winner, false for the others.
 */
KERNFUSE_PUBLIC bool kernfs_remove_self(struct kernfs_node *kn);

/**
 * kernfs_break_active_protection - let go of the operation's own node
 * @kn: node whose active reference the caller's operation holds
 *
 * From here to kernfs_unbreak_active_protection() the node may vanish; that
 * call only balances the count, the protection is not restored.
 *
 * Context: any. Takes no lock, but may wake removers (KF_RANK_WAITQ).
 */
KERNFUSE_PUBLIC void kernfs_break_active_protection(struct kernfs_node *kn);
/* exactly once for each break, before the callback returns */
KERNFUSE_PUBLIC void kernfs_unbreak_active_protection(struct kernfs_node *kn);

/* --- renaming --- */

/**
 * kernfs_rename_ns - move and rename a node
 * @kn: node to move
 * @new_parent: directory of the same root; moving a directory below itself
 *	is the caller's mistake and is not detected
 * @new_name: name without '/', copied; NULL keeps the name
 * @new_ns: new tag, or NULL; required exactly if @new_parent is tagged
 *
 * Context: may sleep. Takes KF_RANK_NODE (write) of @kn and both parents,
 * then KF_RANK_RENAME.
 * Visible: a lookup finds @kn in the old or in the new place: never in both,
 * never in neither.
 * Return: 0, also if nothing changes; -EINVAL @kn is a root node, the roots
 * differ, the name is not one, or the root is KERNFS_ROOT_INVARIANT_PARENT
 * and the parent would change; -ENOENT @kn or @new_parent is not active, or
 * @new_parent is permanently empty; -EEXIST the name is taken; -ENOMEM.
 */
KERNFUSE_PUBLIC int kernfs_rename_ns(struct kernfs_node *kn,
				     struct kernfs_node *new_parent,
				     const char *new_name,
				     const struct ns_common *new_ns);
/* keeps the tag */
KERNFUSE_PUBLIC int kernfs_rename(struct kernfs_node *kn,
				  struct kernfs_node *new_parent,
				  const char *new_name);

/* --- finding --- */

/**
 * kernfs_find_and_get_ns - the child that has a name
 * @parent: directory; anything else has no children
 * @name: name of the child
 * @ns: its tag; required exactly if @parent is tagged
 *
 * Finds nodes that are not active, too.
 *
 * Context: may sleep. Takes KF_RANK_NODE (read) of @parent; none under rcu.
 * Return: the child, with a reference for the caller; NULL.
 */
KERNFUSE_PUBLIC struct kernfs_node *
kernfs_find_and_get_ns(struct kernfs_node *parent, const char *name,
		       const struct ns_common *ns);
/* without a tag */
KERNFUSE_PUBLIC struct kernfs_node *
kernfs_find_and_get(struct kernfs_node *parent, const char *name);

/**
 * kernfs_walk_and_get_ns - the node at the end of a path
 * @parent: where the path starts
 * @path: names separated by '/'; empty components are skipped, "." and ".."
 *	are ordinary names
 * @ns: tag used in every tagged directory on the way
 *
 * Context: may sleep. Takes KF_RANK_NODE (read), one node at a time.
 * Return: the node, with a reference for the caller; NULL if there is none or
 * @path has KERNFS_PATH_MAX bytes or more.
 */
KERNFUSE_PUBLIC struct kernfs_node *
kernfs_walk_and_get_ns(struct kernfs_node *parent, const char *path,
		       const struct ns_common *ns);
/* without a tag */
KERNFUSE_PUBLIC struct kernfs_node *
kernfs_walk_and_get(struct kernfs_node *parent, const char *path);

/**
 * kernfs_find_and_get_node_by_id - the node that has an id
 * @root: a root the caller keeps alive
 * @id: as kernfs_id() says; any other number finds nothing
 *
 * Finds a node whatever directory it is in, and for as long as it is active:
 * not before it was first activated, not while it is hidden, not once its
 * removal has begun.
 *
 * Context: any. Takes no lock.
 * Return: the node, with a reference for the caller; NULL.
 */
KERNFUSE_PUBLIC struct kernfs_node *
kernfs_find_and_get_node_by_id(struct kernfs_root *root, uint64_t id);

/**
 * kernfs_get_parent - the directory a node is in
 * @kn: node
 *
 * Context: any. Takes no lock.
 * Return: the parent, with a reference for the caller; NULL for a root node.
 */
KERNFUSE_PUBLIC struct kernfs_node *kernfs_get_parent(struct kernfs_node *kn);

/* --- names and paths --- */

/**
 * kernfs_name - copy a node's name
 * @kn: node; NULL gives "(null)"
 * @buf, @buflen: where to, bytes with the NUL
 *
 * Context: any. Takes no lock.
 * Return: bytes without the NUL; "/" for a root node; -E2BIG the name was cut
 * (the buffer holds the cut name, NUL-terminated); -EINVAL @buflen is 0.
 */
KERNFUSE_PUBLIC int kernfs_name(struct kernfs_node *kn, char *buf,
				size_t buflen);

/**
 * kernfs_path_from_node - the path of one node seen from another
 * @to: where the path leads; NULL gives "(null)"
 * @from: where it starts; NULL is the root node
 * @buf, @buflen: where to, bytes with the NUL
 *
 * A descendant is "/a/b"; otherwise one "/.." for each level up to the common
 * ancestor comes first; the same node is "/".
 *
 * Context: any. Takes no lock; KF_RANK_RENAME if renames keep interfering.
 * Visible: the path is one the node had at some moment of the call.
 * Return: bytes without the NUL; -EINVAL the roots differ or @buflen is 0;
 * -E2BIG it does not fit (the buffer then holds an empty string).
 */
KERNFUSE_PUBLIC int kernfs_path_from_node(struct kernfs_node *to,
					  struct kernfs_node *from, char *buf,
					  size_t buflen);
/* from the root */
KERNFUSE_PUBLIC int kernfs_path(struct kernfs_node *kn, char *buf,
				size_t buflen);

/**
 * kernfs_name_hash - the hash that orders a directory
 * @name: NUL-terminated
 * @ns: tag whose id salts the hash, or NULL
 *
 * Bit for bit the kernel's: it is what readdir of a real sysfs reports as
 * offset. 0, 1 and INT_MAX never occur.
 *
 * Context: any.
 */
KERNFUSE_PUBLIC uint32_t kernfs_name_hash(const char *name,
					  const struct ns_common *ns);

KERNFUSE_END_DECLS

#endif /* KERNFUSE_NODE_H */
