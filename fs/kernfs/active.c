/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Active references: who is inside a node's callbacks, and how to close the
 * door and wait until they are out.
 *
 * The count and the door are one word: a deactivated node has the bias added,
 * so that taking a reference is one compare-and-swap and never blocks.
 *
 * Draining waits with no node lock held. That is what lets a callback create,
 * look up, rename and remove other nodes while its own node is being removed.
 */
#include "fs/kernfs/kernfs-internal.h"

bool kernfs_active(const struct kernfs_node *kn)
{
	/* acquire, pairs with the release in kernfs_activate_one() */
	return smp_load_acquire(&kn->active) >= 0;
}

struct kernfs_node *kernfs_get_active(struct kernfs_node *kn)
{
	int v;

	if (!kn)
		return NULL;
	v = READ_ONCE(kn->active);
	while (v >= 0)
		/* acquire, pairs with the release in kernfs_activate_one() */
		if (__atomic_compare_exchange_n(&kn->active, &v, v + 1, true,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return kn;
	return NULL;
}

void kernfs_put_active(struct kernfs_node *kn)
{
	struct kernfs_root *root;
	int v;

	if (!kn)
		return;
	/* the drainer may free the node once we are out; the caller's count
	 * keeps the root */
	root = kn->root;
	/* release, pairs with the acquire in is_drained(): what the operation
	 * did comes before what the drainer does */
	v = __atomic_sub_fetch(&kn->active, 1, __ATOMIC_RELEASE);
	if (__builtin_expect(v == KN_DEACTIVATED_BIAS, 0))
		wake_up_all(&root->deactivate_waitq);
}

void kernfs_activate_one(struct kernfs_node *kn)
{
	kf_assert_write_locked(&kn->root->locks, kn);
	kernfs_set_flag(kn, KERNFS_ACTIVATED);
	if (kernfs_active(kn) ||
	    kernfs_flags(kn) & (KERNFS_HIDDEN | KERNFS_REMOVING))
		return;
	__atomic_sub_fetch(&kn->active, KN_DEACTIVATED_BIAS, __ATOMIC_RELEASE);
}

void kernfs_deactivate_one(struct kernfs_node *kn)
{
	kf_assert_write_locked(&kn->root->locks, kn);
	if (kernfs_active(kn))
		__atomic_add_fetch(&kn->active, KN_DEACTIVATED_BIAS,
				   __ATOMIC_ACQ_REL);
}

/* Nobody inside; or, for a hidden node, shown again meanwhile. */
static bool is_drained(const struct kernfs_node *kn)
{
	int v = smp_load_acquire(&kn->active);

	return v == KN_DEACTIVATED_BIAS || v >= 0;
}

void kernfs_drain(struct kernfs_node *kn)
{
	kf_assert_may_drain();
	/* before the wait: a callback may take its time */
	kernfs_wake_pollers(kn);
	if (smp_load_acquire(&kn->active) != KN_DEACTIVATED_BIAS)
		wait_event(&kn->root->deactivate_waitq, is_drained(kn));
	if (!kernfs_active(kn) && kernfs_should_drain_open_files(kn))
		kernfs_drain_open_files(kn);
}

void kernfs_break_active_protection(struct kernfs_node *kn)
{
	kernfs_put_active(kn);
}

void kernfs_unbreak_active_protection(struct kernfs_node *kn)
{
	/* whatever the value, also if the node is gone: the operation's last
	 * put takes it back. Relaxed: protects nothing. */
	__atomic_add_fetch(&kn->active, 1, __ATOMIC_RELAXED);
}

static void activate_locked(struct kernfs_node *kn)
{
	struct kf_write w;

	kf_write_lock(&w, &kn->root->locks, kn, NULL, NULL);
	kernfs_activate_one(kn);
	kf_write_unlock(&w);
}

#define ACTIVATE_LEVELS 64

/*
 * Children before parents. The directories we are in are pinned on a stack of
 * our own, since a concurrent rename may move any of them; below its end the
 * function calls itself, 64 levels at a time.
 */
void kernfs_activate(struct kernfs_node *top)
{
	struct {
		struct kernfs_node *kn;
		uint64_t pos;
	} at[ACTIVATE_LEVELS] = { { .kn = top } };
	unsigned int depth = 1;

	kernfs_get(top);
	while (depth) {
		struct kernfs_node *kn = at[depth - 1].kn, *child = NULL;
		uint64_t pos;

		if (kernfs_is(kn, KERNFS_DIR))
			child = kernfs_get_child_at(kn, at[depth - 1].pos,
						    &pos);
		if (!child) {
			activate_locked(kn);
			kernfs_put(kn);
			depth--;
			continue;
		}
		/* one rank up: the next of this hash, or of the next hash */
		at[depth - 1].pos = pos + (UINT64_C(1) << 32);
		if (depth == ACTIVATE_LEVELS) {
			kernfs_activate(child);
			kernfs_put(child);
			continue;
		}
		at[depth].kn = child;
		at[depth++].pos = 0;
	}
}

void kernfs_show(struct kernfs_node *kn, bool show)
{
	struct kf_write w;

	if (kf_warn_on_once(kernfs_is(kn, KERNFS_DIR)))
		return;
	kf_write_lock(&w, &kn->root->locks, kn, NULL, NULL);
	if (show) {
		kernfs_clear_flag(kn, KERNFS_HIDDEN);
		if (kernfs_flags(kn) & KERNFS_ACTIVATED)
			kernfs_activate_one(kn);
	} else {
		kernfs_set_flag(kn, KERNFS_HIDDEN);
		kernfs_deactivate_one(kn);
	}
	kf_write_unlock(&w);
	if (show)
		wake_up_all(&kn->root->deactivate_waitq);
	else
		kernfs_drain(kn);
}
