/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notification and poll: telling those who wait that a file has changed.
 *
 * Each node that somebody has open has an event number, and each open file
 * remembers the number its content was last read at. While they differ there
 * is news, and poll says EPOLLERR | EPOLLPRI besides the readable and writable
 * that it always says. A fresh open file has read nothing, so its first poll
 * reports news at once.
 */
#ifndef KERNFUSE_POLL_H
#define KERNFUSE_POLL_H

#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

/* private to the library */
struct kernfs_poll_link {
	struct kernfs_poll_link *prev, *next;
};

/*
 * Somebody who waits for news of one open file; zeroed before its first use.
 * One of these belongs to one open file until it is cancelled.
 */
struct poll_table_struct {
	/*
	 * There may be news: poll again. Called once for each time the table
	 * was queued, in the thread that brought the news; the library holds
	 * no lock but those of the callback that thread may be in. May poll
	 * again, and notify; may not cancel its own table.
	 */
	void (*wake)(struct poll_table_struct *pt);
	/* private to the library */
	struct kernfs_poll_link link;
	bool queued;	     /* the open-file mutex of the node */
	bool cancelled;	     /* the open-file mutex of the node */
	unsigned int waking; /* atomic: calls of wake that have not returned */
};

typedef struct poll_table_struct poll_table;

/**
 * kernfs_notify - tell everybody who waits for a file that it has changed
 * @kn: file the caller keeps alive; anything else is ignored, with a warning
 *
 * To be called after the change: whoever is woken reads what is there then.
 * A read that has begun before the call counts as one that has not seen it.
 *
 * Context: may sleep. Takes KF_RANK_OPEN; calls wake with no lock held. May be
 * called from a callback, also one of @kn.
 */
KERNFUSE_PUBLIC void kernfs_notify(struct kernfs_node *kn);

/**
 * kernfs_generic_poll - what poll says of a file without an opinion
 * @of: open file
 * @pt: as given to the poll callback, which this is for; or NULL
 *
 * Context: inside a poll callback. Takes KF_RANK_OPEN.
 * Return: EPOLLIN | EPOLLOUT | EPOLLRDNORM | EPOLLWRNORM, and with news also
 * EPOLLERR | EPOLLPRI.
 */
KERNFUSE_PUBLIC unsigned int kernfs_generic_poll(struct kernfs_open_file *of,
						 struct poll_table_struct *pt);

/**
 * kernfs_fop_poll - poll an open file
 * @of: open file
 * @pt: queued if it is not yet, to be woken at the next kernfs_notify() and
 *	when the node is hidden or removed; NULL: only ask
 *
 * @pt is queued before the answer is made up, so news that the answer does
 * not show wakes it. It stays queued also if the answer shows news.
 *
 * Context: may sleep. Takes an active reference for the call, KF_RANK_OPEN;
 * no of->mutex, so it does not wait for a read that blocks.
 * Return: EPOLL* bits: what the poll callback returned, or
 * kernfs_generic_poll(); a node that is removed or hidden, or was since the
 * open and had a release callback, always has news.
 */
KERNFUSE_PUBLIC unsigned int kernfs_fop_poll(struct kernfs_open_file *of,
					     struct poll_table_struct *pt);

/**
 * kernfs_fop_poll_cancel - stop waiting
 * @of: open file @pt was polled with, or will be
 * @pt: after return it is not queued, and wake does not run and will not,
 *	unless it is polled with again
 *
 * Due before kernfs_fop_release(), for every table that was ever queued.
 *
 * Context: may sleep: waits for a wake that runs. Takes KF_RANK_OPEN. Not with
 * a lock of KF_RANK_DRAIN or above held, and not from @pt's own wake.
 */
KERNFUSE_PUBLIC void kernfs_fop_poll_cancel(struct kernfs_open_file *of,
					    struct poll_table_struct *pt);

KERNFUSE_END_DECLS

#endif /* KERNFUSE_POLL_H */
