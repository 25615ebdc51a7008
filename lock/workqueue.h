/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Work for later: a work item is a function that a thread of its queue calls
 * soon after it was asked for. Names and meanings are the kernel's.
 *
 * An item that was asked for and has not begun is pending; asking again then
 * changes nothing. Once it has begun, asking makes it run once more, after
 * this run: an item never runs twice at a time. Items of one queue run one
 * after another.
 *
 * What was done before schedule_work() is seen by the run, whether the call
 * made the item pending or found it so; what the run did is seen after
 * flush_work().
 */
#ifndef LOCK_WORKQUEUE_H
#define LOCK_WORKQUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct workqueue_struct;

struct work_struct {
	void (*func)(struct work_struct *work);
	struct workqueue_struct *wq;
	/* all below under the queue's lock */
	struct work_struct *next;
	uint64_t due_ms; /* when it may begin */
	uint64_t asked;	 /* times that it became pending */
	uint64_t done;	 /* of those, over */
	bool pending;
};

/*
 * alloc_workqueue - a queue and its thread
 * @name: of the thread; at most 15 characters count
 *
 * The thread handles no signals. A child of fork() has no such thread, so a
 * daemon makes its queues after its last fork().
 *
 * Return: the queue, or ERR_PTR(-ENOMEM, -EAGAIN).
 */
struct workqueue_struct *alloc_workqueue(const char *name);

/*
 * destroy_workqueue - run what is pending, at once, and end the thread
 *
 * Items that are asked for meanwhile do not run. NULL is ignored.
 *
 * Context: sleeps; nothing held that an item may want.
 */
void destroy_workqueue(struct workqueue_struct *wq);

/* The item outlives all its runs, and flush_work() after the last one. */
void init_work(struct work_struct *work, struct workqueue_struct *wq,
	       void (*func)(struct work_struct *work));

/*
 * schedule_work, schedule_delayed_work - ask for the item
 * @delay_ms: not before so many milliseconds
 *
 * If the item is pending it stays so, but the sooner time counts.
 *
 * Context: any but signal handlers; takes KF_RANK_WORK for a moment.
 * Return: false if it was pending already, or the queue is being destroyed.
 */
bool schedule_work(struct work_struct *work);
bool schedule_delayed_work(struct work_struct *work, unsigned int delay_ms);

/*
 * flush_work - wait until all runs asked for before this call are over
 *
 * What waits for its time begins now. Not from an item of the same queue.
 *
 * Context: sleeps; nothing held that an item may want.
 */
void flush_work(struct work_struct *work);

#endif /* LOCK_WORKQUEUE_H */
