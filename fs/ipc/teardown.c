/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Freeing namespaces later; see fs/ipc/teardown.h. */
#include "fs/ipc/teardown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <kernfuse/err.h>

/* How long until what is held is tried again; doubled each time. */
#define RETRY_MS 50
#define MAX_RETRY_MS 1000

static uint64_t thread_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* --- accounts --- */

/* The lock is held. */
static struct ipc_ucounts *get_user(struct ipc_teardown *td, uid_t uid)
{
	struct ipc_ucounts *user;

	for (user = td->users; user; user = user->next)
		if (user->uid == uid)
			return user;
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	user->uid = uid;
	user->next = td->users;
	td->users = user;
	return user;
}

int ipc_teardown_adopt(struct ipc_teardown *td, uid_t uid,
		       struct ipc_ucounts **ret_user)
{
	struct ipc_ucounts *user;

	mutex_lock(&td->lock);
	user = get_user(td, uid);
	if (user)
		user->namespaces++;
	mutex_unlock(&td->lock);
	*ret_user = user;
	return user ? 0 : -ENOMEM;
}

void ipc_teardown_uncharge(struct ipc_teardown *td, struct ipc_ucounts *user)
{
	mutex_lock(&td->lock);
	user->namespaces--;
	mutex_unlock(&td->lock);
}

/* Too much waits to be freed. The lock is held. */
static bool is_behind(const struct ipc_teardown *td)
{
	return td->nr_pending > td->params.max_pending ||
	       td->pending_bytes > td->params.max_pending_bytes;
}

/* Charges if the limits allow; else says whether waiting may help. */
static int try_charge(struct ipc_teardown *td, uid_t uid, uint64_t live,
		      struct ipc_ucounts **ret_user, bool *ret_wait)
{
	struct ipc_ucounts *user;
	int ret = 0;

	mutex_lock(&td->lock);
	user = get_user(td, uid);
	if (!user)
		ret = -ENOMEM;
	else if (user->namespaces >= td->params.max_namespaces)
		ret = -ENOSPC;
	else if (td->params.max_bytes &&
		 live + user->pending_bytes + user->held_bytes >=
			 td->params.max_bytes)
		ret = -EDQUOT;
	*ret_wait = user && user->pending && (ret || is_behind(td));
	if (!ret && !*ret_wait)
		user->namespaces++;
	td->flushed += *ret_wait;
	mutex_unlock(&td->lock);
	*ret_user = user;
	return ret;
}

int ipc_teardown_charge(struct ipc_teardown *td, uid_t uid,
			struct ipc_ucounts **ret_user)
{
	uint64_t live;
	bool wait;
	int ret;

	for (;;) {
		live = 0;
		if (td->params.max_bytes)
			live = td->ops->live_bytes(td->priv, uid);
		ret = try_charge(td, uid, live, ret_user, &wait);
		if (!wait)
			return ret;
		ipc_teardown_flush(td);
	}
}

/* What the accounts say of a namespace: pending, held, or freed. */
static void note_pending(struct ipc_teardown *td, struct ipc_dying *dying)
{
	mutex_lock(&td->lock);
	dying->user->pending++;
	dying->user->pending_bytes += dying->bytes;
	td->nr_pending++;
	td->pending_bytes += dying->bytes;
	mutex_unlock(&td->lock);
}

/* The lock is held. */
static void no_longer_pending(struct ipc_teardown *td, struct ipc_dying *dying)
{
	dying->user->pending--;
	dying->user->pending_bytes -= dying->bytes;
	td->nr_pending--;
	td->pending_bytes -= dying->bytes;
}

static void note_held(struct ipc_teardown *td, struct ipc_dying *dying,
		      uint64_t cpu_ns)
{
	mutex_lock(&td->lock);
	dying->user->cpu_ns += cpu_ns;
	if (!dying->held) {
		no_longer_pending(td, dying);
		dying->user->held++;
		dying->user->held_bytes += dying->bytes;
		td->nr_held++;
	}
	mutex_unlock(&td->lock);
	dying->held = true;
}

static void note_freed(struct ipc_teardown *td, struct ipc_dying *dying,
		       uint64_t cpu_ns)
{
	struct ipc_ucounts *user = dying->user;

	mutex_lock(&td->lock);
	if (dying->held) {
		user->held--;
		user->held_bytes -= dying->bytes;
		td->nr_held--;
	} else {
		no_longer_pending(td, dying);
	}
	user->namespaces--;
	user->freed++;
	user->freed_bytes += dying->bytes;
	user->cpu_ns += cpu_ns;
	mutex_unlock(&td->lock);
}

/* --- the work --- */

/* False: somebody has it. */
static bool try_free(struct ipc_teardown *td, struct ipc_dying *dying)
{
	uint64_t start = thread_cpu_ns();

	if (td->ops->free(dying)) {
		note_held(td, dying, thread_cpu_ns() - start);
		return false;
	}
	note_freed(td, dying, thread_cpu_ns() - start);
	return true;
}

/* Frees a list, whose grace period is over; what is held goes to td->held. */
static void free_list(struct ipc_teardown *td, struct llist_node *node)
{
	while (node) {
		struct ipc_dying *dying =
			llist_entry(node, struct ipc_dying, node);

		node = node->next;
		if (try_free(td, dying)) {
			td->ops->release(dying);
			continue;
		}
		dying->node.next = td->held;
		td->held = &dying->node;
	}
}

static void retry_later(struct ipc_teardown *td, bool fresh)
{
	if (fresh || !td->retry_ms)
		td->retry_ms = RETRY_MS;
	else if (td->retry_ms < MAX_RETRY_MS)
		td->retry_ms *= 2;
	schedule_delayed_work(&td->work, td->retry_ms);
}

static void free_pending(struct work_struct *work)
{
	struct ipc_teardown *td = llist_entry(work, struct ipc_teardown, work);
	struct llist_node *batch = llist_del_all(&td->pending);
	struct llist_node *held = td->held;
	uint64_t start = thread_cpu_ns();

	td->held = NULL;
	if (batch) {
		/* who found one by its name has tried to get it by now */
		kf_synchronize_rcu();
		free_list(td, llist_reverse_order(batch));
	}
	free_list(td, held); /* had its grace period the first time */
	mutex_lock(&td->lock);
	td->batches += batch != NULL;
	td->batch_cpu_ns += thread_cpu_ns() - start;
	mutex_unlock(&td->lock);
	if (td->held)
		retry_later(td, batch != NULL);
}

/* --- putting --- */

static void release_rcu(struct rcu_head *head)
{
	struct ipc_dying *dying = llist_entry(head, struct ipc_dying, rcu);

	kf_rcu_callback_begin(head);
	dying->ops->release(dying);
}

static bool is_inline(const struct ipc_teardown *td,
		      const struct ipc_dying *dying)
{
	return td->params.mode == IPC_TEARDOWN_SYNC ||
	       dying->bytes < td->params.inline_bytes;
}

static void push(struct ipc_teardown *td, struct ipc_dying *dying)
{
	if (llist_add(&dying->node, &td->pending))
		schedule_work(&td->work);
}

/* Now. Only its own memory has to wait for readers. */
static void free_inline(struct ipc_teardown *td, struct ipc_dying *dying)
{
	if (!try_free(td, dying)) {
		push(td, dying);
		return;
	}
	mutex_lock(&td->lock);
	td->freed_inline++;
	mutex_unlock(&td->lock);
	kf_call_rcu(&dying->rcu, release_rcu);
}

void ipc_teardown_put(struct ipc_teardown *td, struct ipc_dying *dying,
		      bool may_wait)
{
	bool behind;

	dying->held = false;
	dying->ops = td->ops;
	note_pending(td, dying);
	if (may_wait && is_inline(td, dying)) {
		free_inline(td, dying);
		return;
	}
	push(td, dying);
	if (!may_wait)
		return;
	mutex_lock(&td->lock);
	behind = is_behind(td);
	td->pushed_back += behind;
	mutex_unlock(&td->lock);
	if (behind)
		ipc_teardown_flush(td);
}

void ipc_teardown_flush(struct ipc_teardown *td)
{
	kf_assert_none_held();
	/* asked for here, too: who pushed first may not have done so yet */
	schedule_work(&td->work);
	flush_work(&td->work);
}

/* --- life --- */

static void set_params(struct ipc_teardown *td,
		       const struct ipc_teardown_params *params)
{
	struct ipc_teardown_params *p = &td->params;

	if (params)
		*p = *params;
	if (!p->inline_bytes)
		p->inline_bytes = IPC_INLINE_BYTES;
	if (!p->max_namespaces)
		p->max_namespaces = IPC_MAX_NAMESPACES;
	if (!p->max_pending)
		p->max_pending = IPC_MAX_PENDING;
	if (!p->max_pending_bytes)
		p->max_pending_bytes = IPC_MAX_PENDING_BYTES;
}

int ipc_teardown_init(struct ipc_teardown *td,
		      const struct ipc_teardown_params *params,
		      const struct ipc_teardown_ops *ops, void *priv)
{
	memset(td, 0, sizeof(*td));
	set_params(td, params);
	td->ops = ops;
	td->priv = priv;
	td->wq = alloc_workqueue("ipc-teardown");
	if (IS_ERR(td->wq))
		return (int)PTR_ERR(td->wq);
	init_work(&td->work, td->wq, free_pending);
	init_llist_head(&td->pending);
	mutex_init(&td->lock, KF_RANK_IPC);
	return 0;
}

void ipc_teardown_destroy(struct ipc_teardown *td,
			  void (*abandon)(struct ipc_dying *dying))
{
	struct ipc_ucounts *user;

	ipc_teardown_flush(td);
	destroy_workqueue(td->wq);
	while (td->held) {
		struct ipc_dying *dying =
			llist_entry(td->held, struct ipc_dying, node);

		td->held = td->held->next;
		abandon(dying);
		td->ops->release(dying);
	}
	kf_rcu_barrier(); /* for free_inline() */
	while ((user = td->users)) {
		td->users = user->next;
		free(user);
	}
	mutex_destroy(&td->lock);
}

/* --- figures --- */

static void print_user(const struct ipc_ucounts *user, FILE *out)
{
	fprintf(out,
		"uid %u namespaces %u pending %u pending_bytes %llu held %u "
		"held_bytes %llu freed %llu freed_bytes %llu cpu_ns %llu\n",
		(unsigned int)user->uid, user->namespaces, user->pending,
		(unsigned long long)user->pending_bytes, user->held,
		(unsigned long long)user->held_bytes,
		(unsigned long long)user->freed,
		(unsigned long long)user->freed_bytes,
		(unsigned long long)user->cpu_ns);
}

void ipc_teardown_print(struct ipc_teardown *td, FILE *out)
{
	const struct ipc_teardown_params *p = &td->params;

	mutex_lock(&td->lock);
	fprintf(out, "teardown %s\n",
		p->mode == IPC_TEARDOWN_SYNC ? "sync" : "deferred");
	fprintf(out, "inline_bytes %llu\n",
		(unsigned long long)p->inline_bytes);
	fprintf(out, "max_namespaces %u\n", p->max_namespaces);
	fprintf(out, "max_bytes %llu\n", (unsigned long long)p->max_bytes);
	fprintf(out, "max_pending %u\n", p->max_pending);
	fprintf(out, "max_pending_bytes %llu\n",
		(unsigned long long)p->max_pending_bytes);
	fprintf(out, "pending %u\n", td->nr_pending);
	fprintf(out, "pending_bytes %llu\n",
		(unsigned long long)td->pending_bytes);
	fprintf(out, "held %u\n", td->nr_held);
	fprintf(out, "batches %llu\n", (unsigned long long)td->batches);
	fprintf(out, "batch_cpu_ns %llu\n",
		(unsigned long long)td->batch_cpu_ns);
	fprintf(out, "freed_inline %llu\n",
		(unsigned long long)td->freed_inline);
	fprintf(out, "pushed_back %llu\n", (unsigned long long)td->pushed_back);
	fprintf(out, "flushed %llu\n", (unsigned long long)td->flushed);
	for (const struct ipc_ucounts *user = td->users; user;
	     user = user->next)
		print_user(user, out);
	mutex_unlock(&td->lock);
}
