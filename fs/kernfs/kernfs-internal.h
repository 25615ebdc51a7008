/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree's structures and what its files offer one another: one section for
 * each .c file, in the order a newcomer should read them.
 *
 * Who guards what is said at each field; "node lock" is the lock that
 * lock/nodelock.h picks for the node's address. doc/locking.md has the proofs.
 */
#ifndef FS_KERNFS_INTERNAL_H
#define FS_KERNFS_INTERNAL_H

#include <limits.h>

#include <kernfuse/err.h>
#include <kernfuse/file.h>
#include <kernfuse/inode.h>
#include <kernfuse/locking.h>
#include <kernfuse/node.h>
#include <kernfuse/root.h>

#include "lock/assert.h"
#include "lock/atomic.h"
#include "lock/mutex.h"
#include "lock/nodelock.h"
#include "lock/rcu.h"
#include "lock/rcutab.h"
#include "lock/seqcount.h"
#include "lock/wait.h"

/*
 * Deactivation bias: a node's active count is this plus the operations still
 * inside. INT_MIN + 1, so that negating it does not overflow.
 */
#define KN_DEACTIVATED_BIAS (INT_MIN + 1)

/*
 * State bits beside the type, with the kernel's values. All bits of the word
 * are changed with atomic or/and, since different locks guard them:
 */
#define KERNFS_ACTIVATED 0x0010	   /* node lock: activation was asked for */
#define KERNFS_NS 0x0020	   /* node lock, only while empty */
#define KERNFS_HAS_SEQ_SHOW 0x0040 /* fixed at creation */
#define KERNFS_REFRESH 0x0100	   /* only set: kernfs_enable_refresh() */
#define KERNFS_HIDDEN 0x0200	   /* node lock */
#define KERNFS_SUICIDAL 0x0400	   /* node lock: self-removal has a winner */
#define KERNFS_SUICIDED 0x0800	   /* node lock: and the winner is done */
#define KERNFS_EMPTY_DIR 0x1000	   /* fixed at creation */
#define KERNFS_HAS_RELEASE 0x2000  /* fixed at creation */
#define KERNFS_REMOVING 0x4000	   /* node lock: no new child, no activation */
/* ours: the kernel tests whether the node is in its parent's tree. Decides
 * who of several removers unlinks; a root node has it until it is removed. */
#define KERNFS_LINKED 0x8000 /* the parent's node lock, or a root's own */

/*
 * Where a node is and what it is called: one immutable record, replaced as a
 * whole by rename, so that a reader that follows one pointer sees parent, tag
 * and name that belong together. Freed after a grace period.
 */
struct kernfs_name {
	struct kernfs_node *parent; /* counted by the node; NULL: root node */
	const struct ns_common *ns; /* NULL: no tag */
	uint32_t hash;		    /* kernfs_name_hash() */
	char str[];		    /* "" for the root node */
};

struct kernfs_xattr;

/* Owner and times, for nodes that differ from root:root and "never changed".
 * Written under the node lock with the node's seq odd. */
struct kernfs_iattrs {
	uid_t uid;
	gid_t gid;
	struct timespec atime, mtime, ctime;
	/* node lock, also to read; see xattr.c */
	struct kernfs_xattr *xattrs;
	unsigned int nr_user_xattrs;
	size_t user_xattr_size; /* bytes of their values */
};

struct kernfs_elem_dir {
	/* ordered by (hash, tag, name); the directory's node lock, read
	 * without it under rev */
	struct kernfs_node *children;
	/* the same children by hash; the node lock, read under RCU */
	struct kf_rcutab *tab;
	/* goes up by two whenever a child is linked or unlinked, and is odd
	 * meanwhile: the sequence number of children and tab */
	unsigned long rev;
};

struct kernfs_elem_symlink {
	struct kernfs_node *target; /* counted; NULL: the text is fixed */
	char *text;		    /* fixed text, owned */
};

struct kernfs_open_node;

struct kernfs_elem_attr {
	const struct kernfs_ops *ops;
	/* NULL while nobody has the file open; the open-file mutex, read
	 * without it by kernfs_should_drain_open_files() */
	struct kernfs_open_node *open;
	off_t size; /* st_size */
};

/*
 * What a lookup reads of a node stands together at the end, from active to the
 * name: two neighbouring cache lines.
 */
struct kernfs_node {
	struct rcu_head rcu;
	uint64_t id; /* fixed */
	void *priv;  /* fixed, the user's */
	union {	     /* by type */
		struct kernfs_elem_dir dir;
		struct kernfs_elem_symlink symlink;
		struct kernfs_elem_attr attr;
	};
	/* links in the parent's children; guarded as that field is */
	struct kernfs_node *left, *right;
	uint32_t subdirs; /* child directories; the node lock, read any time */
	uint16_t mode;	  /* st_mode; node lock and seq */
	uint16_t flags;	  /* type and KERNFS_* bits, see there */
	/* odd while mode or iattr change; node lock to write */
	unsigned long seq;
	struct kernfs_iattrs *iattr; /* set once, node lock; then see there */
	struct kernfs_root *root;    /* fixed */
	int count;		     /* atomic: references; 0: being freed */
	int active; /* atomic: operations inside, see KN_DEACTIVATED_BIAS */
	/* node lock and root->rename_lock to write, RCU to read */
	struct kernfs_name *name;
	/* the name the node was created with, allocated with the node; name
	 * points here until a rename. Keep last. */
	struct kernfs_name first;
};

/* Ids given out, and which node has which; see id.c. */
struct kernfs_ids {
	uint64_t last;		 /* atomic */
	struct kf_mutex lock;	 /* KF_RANK_ID: guards changes of pages */
	struct kf_rcutab *pages; /* lock, or a read section and acquire */
};

struct kernfs_root {
	struct kernfs_node *kn;
	unsigned int flags;			      /* fixed */
	const struct kernfs_syscall_ops *syscall_ops; /* fixed */
	struct kernfs_ids ids;
	struct kf_nodelocks locks;
	/* drainers and losers of self-removal sleep here */
	struct kf_waitq deactivate_waitq;
	/* guards every name pointer of the root against other writers */
	struct kf_mutex rename_lock; /* KF_RANK_RENAME */
	/* odd while a name pointer changes; rename_lock to write */
	unsigned long rename_seq;
	/* open-file mutexes, hashed by node address; KF_RANK_OPEN */
	unsigned int open_bits;
	struct kernfs_open_lock *open_locks;
	struct rcu_head rcu;
};

static inline unsigned int kernfs_flags(const struct kernfs_node *kn)
{
	/* relaxed: a bit that must not change under the caller is guarded by
	 * a lock the caller holds */
	return READ_ONCE(kn->flags);
}

static inline void kernfs_set_flag(struct kernfs_node *kn, unsigned int flag)
{
	__atomic_fetch_or(&kn->flags, (uint16_t)flag, __ATOMIC_RELAXED);
}

static inline void kernfs_clear_flag(struct kernfs_node *kn, unsigned int flag)
{
	/* release, pairs with the acquire in kernfs_remove(): who finds a node
	 * unlinked comes after the callbacks that its remover waited for */
	__atomic_fetch_and(&kn->flags, (uint16_t)~flag, __ATOMIC_RELEASE);
}

static inline bool kernfs_is(const struct kernfs_node *kn,
			     enum kernfs_node_type type)
{
	return (kernfs_flags(kn) & KERNFS_TYPE_MASK) == type;
}

static inline uint64_t kernfs_ns_id(const struct ns_common *ns)
{
	return ns ? ns->ns_id : 0;
}

/* The name record; inside a read section or with the node lock held. */
static inline const struct kernfs_name *
kernfs_rcu_name(const struct kernfs_node *kn)
{
	/* pairs with the release in kernfs_rename_ns() */
	return smp_load_acquire(&kn->name);
}

/* --- name.c: hashing and comparing names --- */

/* What a directory is searched for. */
struct kernfs_key {
	uint32_t hash;
	uint64_t ns_id;
	const char *str;
};

void kernfs_key_init(struct kernfs_key *key, const char *name,
		     const struct ns_common *ns);
/* <0, 0, >0 as @key sorts before, at or after @name */
int kernfs_name_compare(const struct kernfs_key *key,
			const struct kernfs_name *name);
/* 0; -EINVAL: empty, ".", "..", or with a '/'; -ENAMETOOLONG: no path could
 * hold it */
int kernfs_check_name(const char *name);

/* --- node.c: allocating, counting and freeing nodes --- */

struct kernfs_node *kernfs_new_node(struct kernfs_root *root,
				    struct kernfs_node *parent,
				    const char *name, mode_t mode, uid_t uid,
				    gid_t gid, unsigned int flags,
				    const struct ns_common *ns);
/* a record to rename with; freed by kernfs_free_name_rcu() */
struct kernfs_name *kernfs_new_name(struct kernfs_node *parent,
				    const char *name,
				    const struct ns_common *ns);
void kernfs_free_name(struct kernfs_name *name);
/* after a grace period; the record inside @kn is left alone */
void kernfs_free_name_rcu(struct kernfs_node *kn, struct kernfs_name *name);

/* --- id.c --- */

void kernfs_ids_init(struct kernfs_ids *ids);
/* No node is left. */
void kernfs_ids_destroy(struct kernfs_ids *ids);
/* Gives a new node its id and makes it known by it. 0 or -ENOMEM. */
int kernfs_id_add(struct kernfs_node *kn);
/* Of a node whose last reference went. Before its grace period begins. */
void kernfs_id_del(struct kernfs_node *kn);

/* --- root.c --- */

void kernfs_free_root(struct kernfs_root *root);

/* --- tree.c: the children of a directory --- */

/*
 * With the directory's node lock held exclusively. Reserve makes room in tab
 * for one more, before anything is changed; insert and erase change children
 * only, with rev made odd by the caller, who also changes tab: rename needs
 * the two in an order of its own.
 */
int kernfs_tree_reserve(struct kernfs_node *dir);
void kernfs_tree_insert(struct kernfs_node *dir, struct kernfs_node *kn,
			const struct kernfs_name *name);
void kernfs_tree_erase(struct kernfs_node *dir, struct kernfs_node *kn,
		       const struct kernfs_name *name);

/* The child with a name; in a read section or with the node lock held. */
struct kernfs_node *kernfs_find_ns(const struct kernfs_node *dir,
				   const struct kernfs_key *key);
/*
 * The first child at or after a position of kernfs_fop_readdir(), and the one
 * after a child that is at @pos. With the node lock held; or in a read
 * section, where the answer is right only if rev did not change, but is
 * always safe to look at.
 */
struct kernfs_node *kernfs_child_at(const struct kernfs_node *dir, uint64_t pos,
				    uint64_t *ret_pos);
struct kernfs_node *kernfs_child_next(const struct kernfs_node *dir,
				      const struct kernfs_node *kn,
				      uint64_t pos, uint64_t *ret_pos);
/* For writers: take the node lock themselves, return a reference or NULL.
 * @after NULL: the first child. */
struct kernfs_node *kernfs_get_child_at(struct kernfs_node *dir, uint64_t pos,
					uint64_t *ret_pos);
struct kernfs_node *kernfs_get_child_after(struct kernfs_node *dir,
					   const struct kernfs_name *after);

/* --- add.c: linking and activating --- */

int kernfs_add_one(struct kernfs_node *kn);
/* parent's node lock held: now, into the record it has, if it has one */
void kernfs_touch_dir(struct kernfs_node *dir);

/* --- active.c: active references, deactivation, draining --- */

/* NULL, or @kn with an active reference; NULL stays NULL */
struct kernfs_node *kernfs_get_active(struct kernfs_node *kn);
/* the caller also holds a count: the wake-up touches the root */
void kernfs_put_active(struct kernfs_node *kn);
/* node lock held exclusively */
void kernfs_activate_one(struct kernfs_node *kn);
void kernfs_deactivate_one(struct kernfs_node *kn);
/* No lock held. Waits until nobody is inside, then lets open files go. */
void kernfs_drain(struct kernfs_node *kn);

/* --- open.c: which files are open; hashed mutexes --- */

/* Anything to do in kernfs_drain_open_files()? No lock needed. */
bool kernfs_should_drain_open_files(struct kernfs_node *kn);
/* No lock held, node deactivated and nobody inside. */
void kernfs_drain_open_files(struct kernfs_node *kn);

/* poll.c: they poll again, and see that the node is not active. No lock held.
 */
void kernfs_wake_pollers(struct kernfs_node *kn);

int kernfs_open_locks_init(struct kernfs_root *root, unsigned int bits);
void kernfs_open_locks_destroy(struct kernfs_root *root);

/* --- attr.c --- */

void kernfs_now(struct timespec *ret_ts);
/* A record for root:root, never changed; NULL: no memory. */
struct kernfs_iattrs *kernfs_new_iattrs(void);
/* The node's record, made if it has none; NULL: no memory. The node lock held
 * exclusively. */
struct kernfs_iattrs *kernfs_iattrs_locked(struct kernfs_node *kn);

/* Times are read while they change: by halves, checked by seq. */
static inline void kernfs_store_time(struct timespec *to,
				     const struct timespec *ts)
{
	WRITE_ONCE(to->tv_sec, ts->tv_sec);
	WRITE_ONCE(to->tv_nsec, ts->tv_nsec);
}

static inline void kernfs_load_time(struct timespec *ret_ts,
				    const struct timespec *from)
{
	ret_ts->tv_sec = READ_ONCE(from->tv_sec);
	ret_ts->tv_nsec = READ_ONCE(from->tv_nsec);
}

/* --- lookup.c --- */

/* The tag to search @dir with: the mount's if the directory is tagged. */
static inline const struct ns_common *
kernfs_effective_ns(const struct kernfs_node *dir, const struct ns_common *ns)
{
	return kernfs_flags(dir) & KERNFS_NS ? ns : NULL;
}

/* --- xattr.c --- */

void kernfs_free_xattrs(struct kernfs_xattr *list);

/* --- check.c: invariants of the whole tree, for tests --- */

/*
 * Counts what is wrong in a tree that nobody changes meanwhile: order,
 * hashes, tables against trees, subdirs, flags, parents, counts of active.
 * Says on stderr what. 0: clean.
 */
unsigned int kernfs_check_tree(struct kernfs_root *root);

#endif /* FS_KERNFS_INTERNAL_H */
