/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening, closing, and letting open files go when their node goes.
 *
 * Which files of a node are open is guarded by a mutex that the node's address
 * picks from a table (KF_RANK_OPEN), so two nodes may share one. That is why
 * no callback runs under it, unlike in the kernel: release is claimed under
 * the mutex, run without it, and whoever comes second, close or drain, waits
 * for the end of what the other one runs. Removal therefore returns only when
 * no release runs any more, and a release callback may open, close and remove
 * other files. Its own node, or a directory above, it may not remove: that
 * would wait for itself.
 *
 * An open file holds a reference on the node, not an active one: the node can
 * be removed, and then every operation fails.
 */
#include "fs/kernfs/open-file.h"

#include <fcntl.h>
#include <stdlib.h>

int kernfs_open_locks_init(struct kernfs_root *root, unsigned int bits)
{
	size_t nr = (size_t)1 << bits;

	root->open_locks =
		aligned_alloc(KF_CACHELINE, nr * sizeof(*root->open_locks));
	if (!root->open_locks)
		return -ENOMEM;
	root->open_bits = bits;
	for (size_t i = 0; i < nr; i++)
		mutex_init(&root->open_locks[i].mutex, KF_RANK_OPEN);
	return 0;
}

void kernfs_open_locks_destroy(struct kernfs_root *root)
{
	if (!root->open_locks)
		return;
	for (size_t i = 0; i < (size_t)1 << root->open_bits; i++)
		mutex_destroy(&root->open_locks[i].mutex);
	free(root->open_locks);
	root->open_locks = NULL;
}

struct kf_mutex *kernfs_open_mutex(const struct kernfs_node *kn)
{
	struct kernfs_root *root = kn->root;

	return &root->open_locks[kf_hash_ptr(kn, root->open_bits)].mutex;
}

/* --- counting open files --- */

static struct kernfs_open_node *get_open_node_locked(struct kernfs_node *kn)
{
	struct kernfs_open_node *on = kn->attr.open;

	if (on)
		return on;
	on = calloc(1, sizeof(*on));
	if (!on)
		return NULL;
	CDS_INIT_LIST_HEAD(&on->due);
	kernfs_init_waiters(on);
	on->event = 1;
	/* pairs with the acquire in kernfs_should_drain_open_files() */
	smp_store_release(&kn->attr.open, on);
	/* pairs with the fence in kernfs_notify() */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return on;
}

static int link_file(struct kf_open_file *of)
{
	struct kf_mutex *mutex = kernfs_open_mutex(of->of.kn);

	mutex_lock(mutex);
	of->on = get_open_node_locked(of->of.kn);
	if (of->on)
		of->on->nr_files++;
	mutex_unlock(mutex);
	return of->on ? 0 : -ENOMEM;
}

static void free_open_node(struct rcu_head *head)
{
	kf_rcu_callback_begin(head);
	free(caa_container_of(head, struct kernfs_open_node, rcu));
}

static void unlink_file(struct kf_open_file *of)
{
	struct kernfs_node *kn = of->of.kn;
	struct kf_mutex *mutex = kernfs_open_mutex(kn);
	bool last;

	mutex_lock(mutex);
	last = !--of->on->nr_files;
	if (last) {
		/* all tables were cancelled, or there will be trouble */
		kf_assert(!kernfs_has_waiters(of->on));
		/* release: a drainer that finds nothing open comes after
		 * whatever was done to close it */
		smp_store_release(&kn->attr.open, NULL);
	}
	mutex_unlock(mutex);
	if (!last)
		return;
	/* nobody looks at it without the mutex unless there is a release
	 * callback to wait for, so most closes need no grace period */
	if (kernfs_flags(kn) & KERNFS_HAS_RELEASE)
		kf_call_rcu(&of->on->rcu, free_open_node);
	else
		free(of->on);
}

/* --- release: exactly once, with no lock held --- */

/* The open is complete: from now on somebody must run release. */
static void make_due(struct kf_open_file *of)
{
	struct kernfs_open_node *on = of->on;
	struct kf_mutex *mutex = kernfs_open_mutex(of->of.kn);

	mutex_lock(mutex);
	/* all relaxed, pair with kernfs_get_active_of(), drain_may_go_on() and
	 * kernfs_should_drain_open_files(): nobody has the file yet, and the
	 * opener's active reference orders the counts before any drain */
	WRITE_ONCE(of->released, KERNFS_RELEASE_DUE);
	cds_list_add_tail(&of->list, &on->due);
	WRITE_ONCE(on->nr_to_release, on->nr_to_release + 1);
	WRITE_ONCE(on->nr_due, on->nr_due + 1);
	mutex_unlock(mutex);
}

static void claim_locked(struct kf_open_file *of)
{
	struct kernfs_open_node *on = of->on;

	/* relaxed, pairs with kernfs_get_active_of(): ordered by
	 * may_claim_locked(); a close has no operation beside it */
	WRITE_ONCE(of->released, KERNFS_RELEASE_RUNNING);
	cds_list_del(&of->list);
	/* relaxed, pairs with drain_may_go_on(): who sees the old number looks
	 * again with the mutex */
	WRITE_ONCE(on->nr_due, on->nr_due - 1);
}

static bool claim_for_close(struct kf_open_file *of)
{
	struct kf_mutex *mutex = kernfs_open_mutex(of->of.kn);
	bool due;

	mutex_lock(mutex);
	due = of->released == KERNFS_RELEASE_DUE;
	if (due)
		claim_locked(of);
	mutex_unlock(mutex);
	return due;
}

/*
 * A drain may claim a file only while nobody is inside the node. It was so
 * when the drain began, but a show since then lets operations in again, and
 * files opened after it are none of our business.
 */
static bool may_claim_locked(struct kf_open_file *of)
{
	/* relaxed, pairs with kernfs_get_active_of(), and the fence with the
	 * one there: either we see the operation's reference, or it sees that
	 * the file is claimed */
	WRITE_ONCE(of->released, KERNFS_RELEASE_RUNNING);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	/* acquire, pairs with the release in kernfs_put_active(): release
	 * comes after the operations that have left */
	if (smp_load_acquire(&of->of.kn->active) == KN_DEACTIVATED_BIAS)
		return true;
	/* relaxed: who saw it claimed came while the node was hidden, too */
	WRITE_ONCE(of->released, KERNFS_RELEASE_DUE);
	return false;
}

static struct kf_open_file *claim_for_drain(struct kernfs_node *kn)
{
	struct kf_mutex *mutex = kernfs_open_mutex(kn);
	struct kf_open_file *of = NULL;
	struct kernfs_open_node *on;

	mutex_lock(mutex);
	on = kn->attr.open;
	if (on && !cds_list_empty(&on->due)) {
		of = cds_list_first_entry(&on->due, struct kf_open_file, list);
		if (may_claim_locked(of))
			claim_locked(of);
		else
			of = NULL;
	}
	mutex_unlock(mutex);
	return of;
}

/* For the one that claimed it. A drainer may not touch @of afterwards. */
static void run_release(struct kf_open_file *of)
{
	struct kernfs_node *kn = of->of.kn;
	struct kernfs_open_node *on = of->on;
	struct kf_mutex *mutex = kernfs_open_mutex(kn);

	kn->attr.ops->release(&of->of);
	mutex_lock(mutex);
	/* both: what release did comes before what the waiter does; pairs with
	 * release_done(), and with kernfs_should_drain_open_files() */
	smp_store_release(&of->released, KERNFS_RELEASE_DONE);
	smp_store_release(&on->nr_to_release, on->nr_to_release - 1);
	mutex_unlock(mutex);
}

static bool release_done(const struct kf_open_file *of)
{
	return smp_load_acquire(&of->released) == KERNFS_RELEASE_DONE;
}

/* Returns when release has run, here or in a drain. */
static void release_once(struct kf_open_file *of)
{
	struct kernfs_node *kn = of->of.kn;
	struct kf_waitq *wq = &kn->root->deactivate_waitq;

	kf_assert_may_drain();
	if (!claim_for_close(of)) {
		if (!release_done(of))
			wait_event(wq, release_done(of));
		return;
	}
	run_release(of);
	/* pairs with the fence in drain_may_go_on(): either we see that the
	 * node is being drained, or the drainer sees that release has run */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!kernfs_active(kn))
		wake_up_all(wq);
}

bool kernfs_should_drain_open_files(struct kernfs_node *kn)
{
	struct kernfs_open_node *on;
	bool pending;

	/* fixed; and only a file has attr.open */
	if (!(kernfs_flags(kn) & KERNFS_HAS_RELEASE))
		return false;
	kf_rcu_read_lock();
	/* acquire, pairs with the releases of link and unlink */
	on = smp_load_acquire(&kn->attr.open);
	/* acquire, pairs with the release in run_release() */
	pending = on && smp_load_acquire(&on->nr_to_release);
	kf_rcu_read_unlock();
	return pending;
}

/* Shown again, or a file to claim with nobody inside, or nothing left. */
static bool drain_may_go_on(struct kernfs_node *kn)
{
	int active = smp_load_acquire(&kn->active);
	struct kernfs_open_node *on;
	bool due;

	if (active >= 0)
		return true;
	/* pairs with the fence in release_once() */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	kf_rcu_read_lock();
	on = smp_load_acquire(&kn->attr.open);
	/* relaxed, pairs with the stores of make_due() and claim_locked() */
	due = on && READ_ONCE(on->nr_due);
	kf_rcu_read_unlock();
	return due ? active == KN_DEACTIVATED_BIAS :
		     !kernfs_should_drain_open_files(kn);
}

/*
 * One file at a time, looking at the list anew each time: files vanish from it
 * while release runs without the mutex. It ends, since a node that is not
 * active gains no open files.
 */
void kernfs_drain_open_files(struct kernfs_node *kn)
{
	struct kf_waitq *wq = &kn->root->deactivate_waitq;

	kf_assert_may_drain();
	while (!kernfs_active(kn) && kernfs_should_drain_open_files(kn)) {
		struct kf_open_file *of = claim_for_drain(kn);

		if (!of) {
			wait_event(wq, drain_may_go_on(kn));
			continue;
		}
		run_release(of);
		/* the one that closes it, and other drainers */
		wake_up_all(wq);
	}
}

/* --- open and close --- */

/* What neither a mode bit nor a callback can do is refused to everybody. */
static int check_open(struct kernfs_node *kn, int flags)
{
	const struct kernfs_ops *ops = kn->attr.ops;
	int access = flags & O_ACCMODE;
	mode_t mode = kernfs_mode(kn);

	if (!(kn->root->flags & KERNFS_ROOT_EXTRA_OPEN_PERM_CHECK))
		return 0;
	if ((access == O_WRONLY || access == O_RDWR) &&
	    !(mode & 0222 && ops->write))
		return -EACCES;
	if ((access == O_RDONLY || access == O_RDWR) &&
	    !(mode & 0444 && (ops->seq_show || ops->read)))
		return -EACCES;
	return 0;
}

static void free_file(struct kf_open_file *of)
{
	mutex_destroy(&of->prealloc_mutex);
	mutex_destroy(&of->mutex);
	free(of->prealloc_buf);
	free(of->seq.buf);
	kernfs_put(of->of.kn);
	free(of);
}

static int preallocate(struct kf_open_file *of, const struct kernfs_ops *ops)
{
	/* a page at least: read callbacks may fill one */
	size_t size = ops->atomic_write_len > KERNFS_PAGE_SIZE ?
			      ops->atomic_write_len :
			      KERNFS_PAGE_SIZE;

	if (!ops->prealloc)
		return 0;
	if (ops->seq_show)
		return -EINVAL;
	/* and the NUL behind what is written */
	of->prealloc_buf = malloc(size + 1);
	return of->prealloc_buf ? 0 : -ENOMEM;
}

static int new_file(struct kernfs_node *kn, int flags,
		    struct kf_open_file **ret_of)
{
	struct kf_open_file *of = calloc(1, sizeof(*of));
	int err;

	if (!of)
		return -ENOMEM;
	kernfs_get(kn);
	of->of.kn = kn;
	of->of.flags = flags;
	of->of.seq_file = &of->seq;
	of->seq.private_data = &of->of;
	of->atomic_write_len = kn->attr.ops->atomic_write_len;
	mutex_init(&of->mutex, KF_RANK_OF_MUTEX);
	mutex_init(&of->prealloc_mutex, KF_RANK_PREALLOC);
	err = preallocate(of, kn->attr.ops);
	if (err) {
		free_file(of);
		return err;
	}
	*ret_of = of;
	return 0;
}

/* With an active reference. */
static int open_active(struct kernfs_node *kn, int flags,
		       struct kernfs_open_file **ret_of)
{
	const struct kernfs_ops *ops = kn->attr.ops;
	struct kf_open_file *of;
	int err;

	err = check_open(kn, flags);
	if (err)
		return err;
	err = new_file(kn, flags, &of);
	if (err)
		return err;
	err = link_file(of);
	if (err)
		goto err_free;
	err = ops->open ? ops->open(&of->of) : 0;
	if (err)
		goto err_unlink;
	if (kernfs_flags(kn) & KERNFS_HAS_RELEASE) {
		make_due(of);
		/* removed in its own open callback, perhaps drained too: then
		 * nobody else comes while ops exists */
		if (!kernfs_active(kn))
			release_once(of);
	}
	*ret_of = &of->of;
	return 0;

err_unlink:
	unlink_file(of);
err_free:
	free_file(of);
	return err;
}

int kernfs_fop_open(struct kernfs_node *kn, int flags,
		    struct kernfs_open_file **ret_of)
{
	int err;

	if (!kernfs_is(kn, KERNFS_FILE))
		return -EINVAL;
	if (!kernfs_get_active(kn))
		return -ENODEV;
	err = open_active(kn, flags, ret_of);
	kernfs_put_active(kn);
	return err;
}

void kernfs_fop_release(struct kernfs_open_file *pub)
{
	struct kf_open_file *of;

	if (!pub)
		return;
	of = kf_open_file(pub);
	if (kernfs_flags(pub->kn) & KERNFS_HAS_RELEASE)
		release_once(of);
	unlink_file(of);
	free_file(of);
}
