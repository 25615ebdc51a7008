/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between namespace.c, which keeps namespaces, and reap.c, which frees them. */
#ifndef FS_IPC_NAMESPACE_INTERNAL_H
#define FS_IPC_NAMESPACE_INTERNAL_H

#include <limits.h>
#include <string.h>

#include "fs/ipc/namespace.h"

#define IPC_NR_BUCKETS 64u

struct ipc_space {
	struct ipc_dying dying;
	struct ipc_keeper *keeper;
	struct ipc_namespace *ns; /* NULL once it is being freed */
	int fd;			  /* of the region, if ns is NULL; or -1 */
	unsigned int refs;	  /* atomic */
	void (*remove)(struct ipc_space *space, void *priv);
	void *priv;
	struct ipc_space *next;	 /* in its bucket; read without the lock */
	char dead[32];		 /* name of its file since the last put */
	char name[NAME_MAX + 1]; /* before that; never changes */
};

struct ipc_keeper {
	int dirfd;
	struct ipc_teardown td;
	struct kf_mutex lock; /* KF_RANK_IPC; guards changes of the buckets */
	struct ipc_space *bucket[IPC_NR_BUCKETS];
};

static inline bool ipc_is_dead_name(const char *name)
{
	return strncmp(name, IPC_DEAD_PREFIX, strlen(IPC_DEAD_PREFIX)) == 0;
}

/* --- namespace.c --- */

/* A space with one reference, not yet in the keeper's table. NULL: no memory */
struct ipc_space *ipc_space_alloc(struct ipc_keeper *keeper,
				  struct ipc_ucounts *user);
/* May a region have that name? */
bool ipc_space_is_valid_name(const char *name);
/* Is there a live one of that name? */
bool ipc_space_is_kept(struct ipc_keeper *keeper, const char *name);

/* --- reap.c --- */

/* Memory of the region, as the file system counts. */
uint64_t ipc_space_bytes(const struct ipc_space *space);
/* Gives the file @name the one of a dead region: space->dead. */
void ipc_space_rename_dead(struct ipc_space *space, const char *name);
/* The operations of struct ipc_teardown, and what to do in the end with what
 * is still held. */
int ipc_space_free(struct ipc_dying *dying);
void ipc_space_release(struct ipc_dying *dying);
void ipc_space_abandon(struct ipc_dying *dying);

#endif /* FS_IPC_NAMESPACE_INTERNAL_H */
