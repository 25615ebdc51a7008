/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Freeing namespaces off the path of whoever drops them.
 *
 * Freeing takes as long as there is memory. So the last put only pushes the
 * namespace on a lock-free list and returns. Who finds the list empty asks for
 * the one work item; it takes all there is, waits one grace period for the
 * batch, and frees one after another.
 *
 * Deferring must not be a way around limits. The user who made a namespace is
 * charged for it until its memory is back: limits per uid count what is
 * pending, and a creator that meets one has the pending ones freed, waits for
 * that, and tries again. The backlog is bounded: who puts one more than that
 * waits until it is freed. Small namespaces are not worth a detour and are
 * freed at once. What the work costs is on record, by uid.
 *
 * A namespace that some process still has mapped is not freed: it is held, and
 * tried again every now and then.
 *
 * This file knows nothing of regions: see fs/ipc/namespace.h.
 */
#ifndef FS_IPC_TEARDOWN_H
#define FS_IPC_TEARDOWN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "lock/llist.h"
#include "lock/mutex.h"
#include "lock/rcu.h"
#include "lock/workqueue.h"

enum ipc_teardown_mode {
	IPC_TEARDOWN_DEFERRED,
	IPC_TEARDOWN_SYNC, /* the last put frees, however long that takes */
};

/* Below so much memory a namespace is freed by its last put. */
#define IPC_INLINE_BYTES (512u << 10)
/* Namespaces of one uid, pending ones included. */
#define IPC_MAX_NAMESPACES 4096u
/* What may be pending before puts wait. */
#define IPC_MAX_PENDING 1024u
#define IPC_MAX_PENDING_BYTES (2ull << 30)

/* Zeroes are the defaults. */
struct ipc_teardown_params {
	enum ipc_teardown_mode mode;
	uint64_t inline_bytes;	     /* 1: free nothing inline */
	unsigned int max_namespaces; /* per uid */
	uint64_t max_bytes;	     /* per uid; 0: no limit */
	unsigned int max_pending;
	uint64_t max_pending_bytes;
};

/* One uid's account. All under ipc_teardown.lock; lives as long as that. */
struct ipc_ucounts {
	struct ipc_ucounts *next;
	uid_t uid;
	unsigned int namespaces; /* charged: live, pending and held */
	unsigned int pending;
	unsigned int held;
	uint64_t pending_bytes;
	uint64_t held_bytes;
	uint64_t freed;	      /* namespaces */
	uint64_t freed_bytes; /* their memory when they were put */
	uint64_t cpu_ns;      /* that freeing them took */
};

struct ipc_teardown_ops;

/* What is to be freed; part of the namespace. */
struct ipc_dying {
	struct llist_node node;
	struct rcu_head rcu;
	struct ipc_ucounts *user; /* from ipc_teardown_charge() */
	uint64_t bytes;		  /* set before ipc_teardown_put() */
	/* of ipc_teardown_put(), and the worker's after it */
	const struct ipc_teardown_ops *ops;
	bool held;
};

struct ipc_teardown_ops {
	/*
	 * Frees all that takes memory or can be found, but not @dying itself.
	 * With no lock held; may sleep. -EBUSY: a process has it; nothing was
	 * freed that it needs, and this is to be called again.
	 */
	int (*free)(struct ipc_dying *dying);
	/* Frees @dying: no reader can have it any more. */
	void (*release)(struct ipc_dying *dying);
	/* Memory of the live namespaces of a uid; for max_bytes only. */
	uint64_t (*live_bytes)(void *priv, uid_t uid);
};

struct ipc_teardown {
	struct ipc_teardown_params params;
	const struct ipc_teardown_ops *ops;
	void *priv;
	struct workqueue_struct *wq;
	struct work_struct work;
	struct llist_head pending; /* pushed */
	struct llist_node *held;   /* the worker's: to be tried again */
	unsigned int retry_ms;	   /* the worker's */

	struct kf_mutex lock; /* KF_RANK_IPC; guards all below */
	struct ipc_ucounts *users;
	unsigned int nr_pending;
	unsigned int nr_held;
	uint64_t pending_bytes;
	uint64_t batches;      /* grace periods waited for */
	uint64_t freed_inline; /* by the last put, in either mode */
	uint64_t pushed_back;  /* puts that waited for the backlog */
	uint64_t flushed;      /* creators that waited at a limit */
	uint64_t batch_cpu_ns; /* the work item's, grace periods included */
};

/*
 * ipc_teardown_init - begin; starts the thread
 * @params: or NULL
 *
 * Return: 0, -ENOMEM, -EAGAIN.
 */
int ipc_teardown_init(struct ipc_teardown *td,
		      const struct ipc_teardown_params *params,
		      const struct ipc_teardown_ops *ops, void *priv);

/*
 * ipc_teardown_destroy - free what is pending, and end
 *
 * Nobody charges or puts any more. What is held is given to @abandon, which
 * leaves it to its holders; then to ops->release().
 *
 * Context: sleeps; no lock held.
 */
void ipc_teardown_destroy(struct ipc_teardown *td,
			  void (*abandon)(struct ipc_dying *dying));

/*
 * ipc_teardown_charge - one more namespace for @uid
 * @ret_user: its account, for ipc_dying.user
 *
 * At a limit, or behind too large a backlog, waits until all that is pending
 * is freed. ipc_teardown_adopt() is the same without limits and waiting, for
 * what exists already.
 *
 * Context: sleeps; no lock held.
 * Return: 0; -ENOSPC too many namespaces; -EDQUOT too much memory; -ENOMEM.
 */
int ipc_teardown_charge(struct ipc_teardown *td, uid_t uid,
			struct ipc_ucounts **ret_user);
int ipc_teardown_adopt(struct ipc_teardown *td, uid_t uid,
		       struct ipc_ucounts **ret_user);

/* Takes a charge back: the namespace was not made. */
void ipc_teardown_uncharge(struct ipc_teardown *td, struct ipc_ucounts *user);

/*
 * ipc_teardown_put - free it, now or later
 * @dying: nobody can get at it any more but in a read section
 * @may_wait: whether the caller can wait for ops->free(). If not, it is
 *	      deferred whatever the mode and the size, and never pushed back.
 *
 * Context: may sleep; no lock held if @may_wait, else any but a read section.
 */
void ipc_teardown_put(struct ipc_teardown *td, struct ipc_dying *dying,
		      bool may_wait);

/*
 * ipc_teardown_flush - wait until all that was put before is freed or held
 *
 * Context: sleeps; no lock held; not from ops->free().
 */
void ipc_teardown_flush(struct ipc_teardown *td);

/* Prints the figures as lines of "name value", then a line for each uid. */
void ipc_teardown_print(struct ipc_teardown *td, FILE *out);

#endif /* FS_IPC_TEARDOWN_H */
