/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of fs/fuse share: one section for each .c file.
 *
 * A nodeid is the address of a kfd_inode; the root's is FUSE_ROOT_ID. The
 * kernel uses no nodeid that it was not given and none after it forgot it,
 * so a nodeid is as good as a pointer.
 */
#ifndef FS_FUSE_INTERNAL_H
#define FS_FUSE_INTERNAL_H

#define FUSE_USE_VERSION 314

#include <fuse_lowlevel.h>
#include <urcu/list.h>

#include <kernfuse/kernfs.h>

#include "lock/atomic.h"
#include "lock/mutex.h"
#include "lock/percpu.h"
#include "lock/rcu.h"
#include "lock/rcutab.h"
#include "lock/wait.h"
#include "lock/workqueue.h"

#include "fs/fuse/session.h"

/* The requests that have a handler, in the order of fs/kernfuse/upcalls. */
#define KFD_OPS(X)                                                             \
	X(ACCESS, access)                                                      \
	X(CREATE, create)                                                      \
	X(FORGET, forget)                                                      \
	X(FSYNC, fsync)                                                        \
	X(FSYNCDIR, fsyncdir)                                                  \
	X(GETATTR, getattr)                                                    \
	X(GETXATTR, getxattr)                                                  \
	X(LINK, link)                                                          \
	X(LISTXATTR, listxattr)                                                \
	X(LOOKUP, lookup)                                                      \
	X(LSEEK, lseek)                                                        \
	X(MKDIR, mkdir)                                                        \
	X(MKNOD, mknod)                                                        \
	X(OPEN, open)                                                          \
	X(OPENDIR, opendir)                                                    \
	X(POLL, poll)                                                          \
	X(READ, read)                                                          \
	X(READDIR, readdir)                                                    \
	X(READLINK, readlink)                                                  \
	X(RELEASE, release)                                                    \
	X(RELEASEDIR, releasedir)                                              \
	X(REMOVEXATTR, removexattr)                                            \
	X(RENAME, rename)                                                      \
	X(RMDIR, rmdir)                                                        \
	X(SETATTR, setattr)                                                    \
	X(SETXATTR, setxattr)                                                  \
	X(STATFS, statfs)                                                      \
	X(SYMLINK, symlink)                                                    \
	X(UNLINK, unlink)                                                      \
	X(WRITE, write)

/* clang-format off: it takes the macro for the start of a statement */
enum kfd_op {
#define X(upper, lower) KFD_OP_##upper,
	KFD_OPS(X)
#undef X
		KFD_NR_OPS,
};
/* clang-format on */

/* --- index.c: hash tables that are read without locks --- */

#define KFD_SHARD_BITS 6

/* A shard is picked by the low bits of the hash, its home by the top bits. */
struct kfd_shard {
	struct kf_mutex lock;  /* KF_RANK_INODE: guards changes of tab */
	struct kf_rcutab *tab; /* lock, or a read section and acquire */
} __attribute__((aligned(KF_CACHELINE)));

struct kfd_index {
	struct kfd_shard shard[1 << KFD_SHARD_BITS];
};

void kfd_index_init(struct kfd_index *index);
/* The entries are the caller's; no reader may be left. */
void kfd_index_destroy(struct kfd_index *index);
/* Calls @fn for every entry. Nobody may change the index meanwhile. */
void kfd_index_for_each(struct kfd_index *index,
			void (*fn)(struct kfd *kfd, void *entry),
			struct kfd *kfd);

static inline struct kfd_shard *kfd_index_shard(struct kfd_index *index,
						uint32_t hash)
{
	return &index->shard[hash & ((1U << KFD_SHARD_BITS) - 1)];
}

/* 31 bits, as lock/rcutab.h wants them */
static inline uint32_t kfd_hash(const void *ptr, uint32_t salt)
{
	uint64_t h = ((uint64_t)(uintptr_t)ptr + salt) *
		     UINT64_C(0x61C8864680B583EB);
	uint32_t hash = (uint32_t)(h >> (64 - KF_RCUTAB_HASH_BITS));

	return hash > KF_RCUTAB_DEAD ? hash : hash + KF_RCUTAB_DEAD + 1;
}

/* --- inode.c: nodes the kernel knows --- */

struct kfd_dentry;

struct kfd_inode {
	struct kernfs_node *kn;	   /* fixed; counted, but for the root */
	struct timespec born;	   /* fixed: times of an untouched node */
	struct kfd_dentry *dentry; /* atomic: see dentry.c; NULL: no name */
	bool indexed;		   /* the shard's lock */
	bool retired;		   /* the shard's lock; read without */
	struct rcu_head rcu;
	/*
	 * atomic: entry replies the kernel got and did not forget. 0 is
	 * final: the inode is being freed, whoever finds it takes a new one.
	 * On a line of its own, since every lookup writes it.
	 */
	uint64_t nlookup __attribute__((aligned(KF_CACHELINE)));
};

void kfd_inodes_init(struct kfd *kfd);
/* Forgets everything. The session has ended. */
void kfd_inodes_destroy(struct kfd *kfd);

/**
 * kfd_inode_get - the inode of a node, with one more lookup
 * @kn: node; the caller's reference becomes the inode's, also on failure
 *
 * Context: may sleep. Takes KF_RANK_INODE.
 * Return: the inode; NULL: no memory.
 */
struct kfd_inode *kfd_inode_get(struct kfd *kfd, struct kernfs_node *kn);

/* One more lookup, unless the last one was just forgotten. In a read section.
 */
bool kfd_inode_tryget(struct kfd_inode *inode);

/* @nlookup lookups fewer. Context: may sleep. Takes KF_RANK_INODE. */
void kfd_inode_forget(struct kfd *kfd, struct kfd_inode *inode,
		      uint64_t nlookup);

/*
 * The kernel takes the node's inode for removed, which the node is not: the
 * next lookup makes another one. Context: may sleep. Takes KF_RANK_INODE.
 */
void kfd_inode_retire(struct kfd *kfd, const struct kernfs_node *kn);

/* What stat shows of it. Context: as kernfs_iop_getattr(). */
void kfd_inode_stat(struct kfd *kfd, struct kfd_inode *inode,
		    struct stat *ret_st);

/* --- dentry.c: names under which inodes were found --- */

struct kfd_dentry {
	struct kernfs_dentry d;	 /* fixed; parent counted, kn the inode's */
	struct kfd_inode *inode; /* fixed */
	uint32_t hash;		 /* fixed */
	bool indexed;		 /* the shard's lock */
	struct rcu_head rcu;
	char name[];
};

/**
 * kfd_dentry_find - the inode a name still stands for
 * @parent: directory
 * @name: name to find
 *
 * The revalidate path: finds what was remembered and asks the tree whether
 * it holds.
 *
 * Context: any. Takes what kernfs_dop_revalidate() takes.
 * Return: the inode, with one more lookup; NULL: look it up.
 */
struct kfd_inode *kfd_dentry_find(struct kfd *kfd, struct kernfs_node *parent,
				  const char *name);

/*
 * Remembers what kernfs_iop_lookup() answered. Without memory it does not,
 * and the next lookup is a slow one. The caller has a lookup on @inode.
 * Context: may sleep. Takes KF_RANK_INODE.
 */
void kfd_dentry_remember(struct kfd *kfd, struct kfd_inode *inode,
			 const struct kernfs_dentry *d);

/* Takes the name out of the index. Context: may sleep. Takes KF_RANK_INODE. */
void kfd_dentry_unindex(struct kfd *kfd, struct kfd_dentry *dentry);
/* At once: no reader can be left. NULL is ignored. */
void kfd_dentry_free(struct kfd_dentry *dentry);

/* --- handle.c: what clients have open --- */

/*
 * fi->fh of an open file or directory. Listed, so that whatever is still open
 * when the session ends can be closed.
 */
struct kfd_handle {
	struct kfd_handle *prev, *next; /* the list's lock */
	struct kfd_handles *list;	/* fixed */
	/* one of them is NULL */
	struct kernfs_open_file *of;
	struct kernfs_node *dir; /* counted */
	unsigned int refs; /* atomic: the kernel's, and one for each job */
	off_t append_pos;  /* atomic; opened with O_APPEND: see file.c */
	/* of a file that was polled; see poll.c */
	struct poll_table_struct pt;
	struct fuse_pollhandle *ph; /* atomic; NULL: nobody waits */
};

/* A list for a few threads each, so that they do not wait for one another. */
struct kfd_handles {
	struct kf_mutex lock;	/* KF_RANK_INODE */
	struct kfd_handle head; /* a ring; lock */
} __attribute__((aligned(KF_CACHELINE)));

#define KFD_NR_HANDLES 32

void kfd_handles_init(struct kfd *kfd);
/* Closes everything that is open. The session has ended. */
void kfd_handles_destroy(struct kfd *kfd);
/* NULL: no memory. */
struct kfd_handle *kfd_handle_new(struct kfd *kfd);
/*
 * The kernel is done with it: off the list, and nobody is told of it. What it
 * stands for is closed with the last reference. Context: as
 * kernfs_fop_release().
 */
void kfd_handle_close(struct kfd_handle *handle);
/* Also when the session is gone. Context of the put: kernfs_fop_release()'s. */
void kfd_handle_get(struct kfd_handle *handle);
void kfd_handle_put(struct kfd_handle *handle);

static inline struct kfd_handle *kfd_handle(const struct fuse_file_info *fi)
{
	return (struct kfd_handle *)(uintptr_t)fi->fh;
}

/* --- caller.c: who sent a request --- */

/* On the stack of whoever runs a callback for it. */
struct kfd_request {
	struct kernfs_request rq;
	struct kfd *kfd;
	fuse_req_t req;
	struct fuse_ctx ctx; /* req's: it outlives that */
	gid_t *groups;	     /* allocated when somebody asked */
};

/* From here to the end callbacks in this thread run for @req. */
void kfd_request_begin(struct kfd_request *r, struct kfd *kfd, fuse_req_t req);
void kfd_request_end(struct kfd_request *r);
/* What kfd_request_begin() fills in, and nothing else. */
void kfd_request_init(struct kfd_request *r, struct kfd *kfd, fuse_req_t req);
/* rq.who, for those that put something else there. */
void kfd_request_who(struct kernfs_request *rq, struct kernfs_caller *ret_who);

/* --- offload.c: callbacks that may take long --- */

/* Return: 0; -ENOMEM, -EAGAIN no thread for callback_timeout. */
int kfd_jobs_init(struct kfd *kfd);
/*
 * Sleeps until none is left that was not abandoned: with callback_timeout not
 * longer than that. kernfs_current_interrupted() is true by then.
 */
void kfd_jobs_wait(struct kfd *kfd);
void kfd_jobs_destroy(struct kfd *kfd);
/* Reply from a thread of their own, which keeps @kn or @handle. */
void kfd_offload_open(struct kfd *kfd, fuse_req_t req, struct kernfs_node *kn,
		      const struct fuse_file_info *fi);
void kfd_offload_read(struct kfd *kfd, fuse_req_t req,
		      struct kfd_handle *handle, size_t size, off_t off);
void kfd_offload_write(struct kfd *kfd, fuse_req_t req,
		       struct kfd_handle *handle, const char *buf, size_t size,
		       off_t off);
void kfd_offload_lseek(struct kfd *kfd, fuse_req_t req,
		       struct kfd_handle *handle, off_t off, int whence);

/* --- log.c --- */

/*
 * What libfuse says in one thread while it mounts or unmounts there, kept
 * instead of logged.
 */
struct kfd_catch {
	char line[512];	  /* the first; "": it said nothing */
	int saved_stderr; /* -1: left alone */
};

/* libfuse writes nothing by itself from here on. @log: what it says when not
 * caught is logged at once, not only after kfd_log_to(). */
void kfd_log_init(bool log);
/* From here to kfd_log_caught(). @with_stderr: also what is written to stderr,
 * by programs that libfuse starts, too; for the main thread only. */
void kfd_log_catch(struct kfd_catch *c, bool with_stderr);
/* c->line is complete. */
void kfd_log_caught(struct kfd_catch *c);

/* --- signal.c --- */

/* From here on a request to stop ends the loop of @se; NULL: of none. */
void kfd_signals_watch(struct fuse_session *se);

/* --- stats.c: fs/kernfuse --- */

struct kfd_figure;

void kfd_figures_free(struct kfd *kfd);

/* --- session.c --- */

struct kfd {
	struct kernfs_root *root; /* fixed, the caller's */
	struct fuse_session *se;  /* fixed */
	struct kfd_params params; /* fixed; its pointers are not used */
	bool mounted;		  /* main thread */
	/* set by INIT, cleared by its reply, which nothing overtakes */
	bool patch_init_reply;
	struct kfd_figure *figures; /* fixed before mounting */
	struct kf_percpu upcalls;   /* by enum kfd_op */
	struct kfd_index names;	    /* kfd_dentry by (parent, name) */
	struct kfd_index nodes;	    /* kfd_inode by node */
	struct kf_waitq jobs_end;
	unsigned int nr_job_threads;	/* jobs_end.lock; not the abandoned */
	struct kf_mutex jobs_lock;	/* KF_RANK_INODE */
	struct cds_list_head jobs_idle; /* jobs_lock; threads */
	unsigned int nr_jobs_idle;	/* jobs_lock */
	bool jobs_ended;		/* jobs_lock: no thread becomes idle */
	/* only with callback_timeout: */
	struct cds_list_head jobs; /* jobs_lock; by deadline */
	struct workqueue_struct *jobs_wq;
	struct work_struct jobs_clock; /* to look at the oldest */
	struct kfd_handles handles[KFD_NR_HANDLES];
	struct kfd_inode root_inode;
};

void kfd_op_init(void *userdata, struct fuse_conn_info *conn);

/* Every handler starts with it. */
static inline struct kfd *kfd_begin(fuse_req_t req, enum kfd_op op)
{
	struct kfd *kfd = fuse_req_userdata(req);

	kf_percpu_inc(&kfd->upcalls, op);
	return kfd;
}

static inline struct kfd_inode *kfd_inode(struct kfd *kfd, fuse_ino_t ino)
{
	return ino == FUSE_ROOT_ID ? &kfd->root_inode :
				     (struct kfd_inode *)(uintptr_t)ino;
}

static inline struct kernfs_node *kfd_node(struct kfd *kfd, fuse_ino_t ino)
{
	return kfd_inode(kfd, ino)->kn;
}

/* --- reply.c: the one place where -errno becomes a reply --- */

/* @err: 0 or -errno */
void kfd_reply_err(fuse_req_t req, int err);
/* Passes one lookup of @inode on to the kernel, or takes it back. */
void kfd_reply_entry(fuse_req_t req, struct kfd *kfd, struct kfd_inode *inode);
void kfd_reply_attr(fuse_req_t req, struct kfd *kfd, struct kfd_inode *inode);
/* Passes @handle on to the kernel, or closes it. */
void kfd_reply_open(fuse_req_t req, struct fuse_file_info *fi,
		    struct kfd_handle *handle);
/* @len: bytes of @buf, or -errno */
void kfd_reply_buf(fuse_req_t req, const char *buf, ssize_t len);
/* @len: bytes taken, or -errno */
void kfd_reply_write(fuse_req_t req, ssize_t len);
/* @off: the offset, or -errno */
void kfd_reply_lseek(fuse_req_t req, off_t off);
/* What getxattr and listxattr answer: @len bytes, or -errno; @buf NULL: the
 * length was asked for. */
void kfd_reply_xattr(fuse_req_t req, const char *buf, ssize_t len);
/* @events: EPOLL* bits */
void kfd_reply_poll(fuse_req_t req, unsigned int events);
/* @err: 0 or -errno */
void kfd_reply_readlink(fuse_req_t req, const char *text, int err);
void kfd_reply_statfs(fuse_req_t req, const struct statvfs *st);

/* --- ops.c --- */

extern const struct fuse_lowlevel_ops kfd_ops;

/* --- lookup.c --- */

/*
 * The LOOKUP request without its reply. Return: the inode, with one more
 * lookup; ERR_PTR(-ENOENT), ERR_PTR(-ENOTDIR), ERR_PTR(-ENOMEM).
 */
struct kfd_inode *kfd_lookup(struct kfd *kfd, struct kernfs_node *parent,
			     const char *name);

/* The node that @name stands for on this mount, with a reference; or NULL. */
struct kernfs_node *kfd_find(struct kfd *kfd, struct kernfs_node *parent,
			     const char *name);

void kfd_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void kfd_op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup);
void kfd_op_forget_multi(fuse_req_t req, size_t count,
			 struct fuse_forget_data *forgets);
void kfd_op_readlink(fuse_req_t req, fuse_ino_t ino);

/* --- attr.c --- */

/* Somebody opened it with O_TRUNC. Return: 0, -ENOMEM. */
int kfd_truncated(struct kernfs_node *kn);

void kfd_op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void kfd_op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *st, int to_set,
		    struct fuse_file_info *fi);
void kfd_op_access(fuse_req_t req, fuse_ino_t ino, int mask);
void kfd_op_statfs(fuse_req_t req, fuse_ino_t ino);

/* --- file.c --- */

/* OPEN without its reply. Return: 0 or -errno; *@ret_of on success only. */
int kfd_file_open(struct kernfs_node *kn, int flags,
		  struct kernfs_open_file **ret_of);
/* Its reply. @of becomes the kernel's, unless @err is -errno. */
void kfd_file_reply_open(struct kfd *kfd, fuse_req_t req,
			 struct fuse_file_info *fi, struct kernfs_open_file *of,
			 int err);
/* WRITE without its reply. Return: bytes or -errno. */
ssize_t kfd_file_write(struct kfd_handle *handle, const char *buf, size_t size,
		       off_t off);

void kfd_op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void kfd_op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		 struct fuse_file_info *fi);
void kfd_op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size,
		  off_t off, struct fuse_file_info *fi);
void kfd_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void kfd_op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync,
		  struct fuse_file_info *fi);
void kfd_op_lseek(fuse_req_t req, fuse_ino_t ino, off_t off, int whence,
		  struct fuse_file_info *fi);

/* --- poll.c --- */

/* Nobody is told of this open file any more. Before it is closed. */
void kfd_poll_finish(struct kfd_handle *handle);
void kfd_op_poll(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi,
		 struct fuse_pollhandle *ph);

/* --- dir.c --- */

void kfd_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void kfd_op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi);
void kfd_op_releasedir(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi);
void kfd_op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync,
		     struct fuse_file_info *fi);
void kfd_op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name,
		  mode_t mode);
void kfd_op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);
void kfd_op_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
		   fuse_ino_t new_parent, const char *new_name,
		   unsigned int flags);

/* --- xattr.c --- */

void kfd_op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name,
		     size_t size);
void kfd_op_setxattr(fuse_req_t req, fuse_ino_t ino, const char *name,
		     const char *value, size_t size, int flags);
void kfd_op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size);
void kfd_op_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name);

/* --- forbidden.c --- */

void kfd_op_create(fuse_req_t req, fuse_ino_t parent, const char *name,
		   mode_t mode, struct fuse_file_info *fi);
void kfd_op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name,
		  mode_t mode, dev_t rdev);
void kfd_op_symlink(fuse_req_t req, const char *text, fuse_ino_t parent,
		    const char *name);
void kfd_op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t new_parent,
		 const char *new_name);
void kfd_op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name);

#endif /* FS_FUSE_INTERNAL_H */
