/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of kernel/ipc share: one section for each .c file. */
#ifndef FS_IPCTREE_INTERNAL_H
#define FS_IPCTREE_INTERNAL_H

#include <kernfuse/kernfs.h>

#include "fs/ipc/msg.h"
#include "fs/ipctree/ipctree.h"
#include "lock/mutex.h"

struct ipc_space;

struct ipctree {
	struct ipctree *next;	      /* see ipctree.c */
	struct kernfs_root *root;     /* fixed */
	struct kernfs_node *top;      /* fixed, counted: kernel/ipc */
	struct ipc_keeper *keeper;    /* fixed */
	enum ipc_counters counters;   /* fixed */
	char *path;		      /* fixed: directory of the regions */
	int dirfd;		      /* fixed; its flock() says we live */
	struct kf_mutex lock;	      /* KF_RANK_IPC_DIRS: guards dirs */
	struct ipc_dir *dirs;	      /* made and not dropped */
};

/* One namespace's directory; freed when it has been removed. */
struct ipc_dir {
	struct ipctree *tree;	   /* fixed */
	struct ipc_space *space;   /* fixed; outlives the directory */
	struct ipc_namespace *ns;  /* fixed: the space's */
	struct kernfs_node *kn;	   /* fixed, counted */
	/* tree->lock: whether mkdir's reference on the space is still there,
	 * and the list of those */
	bool made;
	struct ipc_dir *prev, *next;
	struct kernfs_node *queue; /* fixed: the directory "queue" */
	uid_t uid;		   /* fixed: owner of what is made here */
	gid_t gid;
	/*
	 * One refresh of "queue" at a time. Held while directories of queues
	 * are removed, and so while their callbacks are waited for: no
	 * callback and no other hook may take it.
	 */
	struct kf_mutex refresh_lock; /* KF_RANK_IPC_REFRESH */
	uint64_t seen;		      /* generation shown; refresh_lock */
	/* by index, IPC_INDEX_MAX of them; refresh_lock */
	struct ipc_queue_dir **queues;
};

/* A file's show, with what its node carries. */
struct ipc_file {
	const char *name;
	mode_t mode;
	const struct kernfs_ops *ops;
};

/* Makes the files of a list in @dir; 0 or -errno. */
int ipc_create_files(struct kernfs_node *dir, const struct ipc_file *files,
		     size_t nr, uid_t uid, gid_t gid, void *priv);

/* What a callback's node carries. */
static inline void *ipc_file_priv(const struct seq_file *sf)
{
	const struct kernfs_open_file *of = sf->private_data;

	return kernfs_priv(of->kn);
}

/* --- namespace.c: NAME --- */

/* The hooks, for what is in kernel/ipc; see kernfs_syscall_ops. */
int ipc_dir_mkdir(struct ipctree *tree, const char *name, mode_t mode);
int ipc_dir_rmdir(struct kernfs_node *kn);
/* Drops what was made; nobody has a file open. */
void ipc_dirs_drop_all(struct ipctree *tree);

/* --- regions.c: where the regions are --- */

/* Makes and locks the directory: fills in tree->path and tree->dirfd. */
int ipc_regions_create(struct ipctree *tree, char *why, size_t size);
/* After everything in it has gone. */
void ipc_regions_destroy(struct ipctree *tree);

/* --- msg.c: NAME/msg --- */

/* 0 or -errno; what was made goes with @kn. */
int ipc_create_msg(struct kernfs_node *kn, struct ipc_dir *dir);

/* --- queue.c: NAME/msg/queue --- */

/* One queue's directory; freed when it has been removed. */
struct ipc_queue_dir {
	struct ipc_dir *dir;	/* fixed */
	int id;			/* fixed */
	struct kernfs_node *kn; /* fixed; counted */
	bool filled;		/* atomic: its files were made */
};

static inline int ipc_queue_index(const struct ipc_queue_dir *q)
{
	return q->id % IPC_INDEX_MAX;
}

int ipc_create_queue_dir(struct kernfs_node *msg, struct ipc_dir *dir);
/* The refresh hook of that directory and of those below it. */
void ipc_refresh(struct kernfs_node *kn);
/* After the directory was removed. */
void ipc_free_queues(struct ipc_dir *dir);

/* --- text.c: send and receive --- */

extern const struct kernfs_ops ipc_send_ops, ipc_receive_ops;

/* --- host.c: kernel/ipc/host --- */

int ipc_create_host(struct kernfs_node *kn);

/* --- cred.c --- */

/* Who asks, for ksys_*(): valid during the callback only. */
void ipc_current_cred(struct ipc_cred *ret_cred);

#endif /* FS_IPCTREE_INTERNAL_H */
