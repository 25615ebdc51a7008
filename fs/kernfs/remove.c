/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removal: close every door in the subtree from the top down, then from the
 * bottom up wait for each node and unlink it.
 *
 * No lock spans the subtree. A directory is marked REMOVING under its own
 * lock, and from then on it gains no child (add and rename test the mark
 * under that lock) and loses none but to removal; so whoever is below a
 * marked directory can be walked without holding it, and its name and parent
 * are frozen once it is marked itself. A child that was added or moved away
 * just before the mark is found, or is elsewhere and none of our business.
 *
 * Waiting is done with no lock held; several removers may work on one
 * subtree, and each returns only when all of it is drained.
 */
#include "fs/kernfs/kernfs-internal.h"

static void mark_locked(struct kernfs_node *kn)
{
	kernfs_set_flag(kn, KERNFS_REMOVING);
	kernfs_deactivate_one(kn);
}

static void mark(struct kernfs_node *kn)
{
	struct kf_write w;

	kf_write_lock(&w, &kn->root->locks, kn, NULL, NULL);
	mark_locked(kn);
	kf_write_unlock(&w);
	/* its drain does so, too, but may be long in coming */
	kernfs_wake_pollers(kn);
}

/*
 * Marks everything below @top, which is marked: parents first, each node's
 * children in order. We hold a reference on where we are; that keeps all the
 * directories above, since marked nodes do not move.
 */
static void mark_descendants(struct kernfs_node *top)
{
	struct kernfs_node *kn = top;

	kernfs_get(kn);
	for (;;) {
		struct kernfs_node *next = NULL;

		if (kernfs_is(kn, KERNFS_DIR))
			next = kernfs_get_child_after(kn, NULL);
		while (!next && kn != top) {
			struct kernfs_node *parent = kn->name->parent;

			next = kernfs_get_child_after(parent, kn->name);
			if (next)
				break;
			kernfs_get(parent);
			kernfs_put(kn);
			kn = parent;
		}
		kernfs_put(kn);
		if (!next)
			return;
		kn = next;
		mark(kn);
	}
}

static void unlink_locked(struct kernfs_node *parent, struct kernfs_node *kn)
{
	kernfs_clear_flag(kn, KERNFS_LINKED);
	write_seqcount_begin(&parent->dir.rev);
	kf_rcutab_del(&parent->dir.tab, kn->name->hash, kn);
	kernfs_tree_erase(parent, kn, kn->name);
	if (kernfs_is(kn, KERNFS_DIR))
		WRITE_ONCE(parent->subdirs, parent->subdirs - 1);
	write_seqcount_end(&parent->dir.rev);
	kernfs_touch_dir(parent);
}

/*
 * Takes a marked node out of its parent. Any number of removers may try.
 * Return: true for the one that did it, who then owns the base reference.
 */
static bool unlink_node(struct kernfs_node *kn)
{
	struct kernfs_node *parent = kn->name->parent;
	struct kf_write w;
	bool linked;

	/* a root node has no parent whose lock could decide: its own does */
	kf_write_lock(&w, &kn->root->locks, parent ? parent : kn, NULL, NULL);
	linked = kernfs_flags(kn) & KERNFS_LINKED;
	if (linked && parent)
		unlink_locked(parent, kn);
	else
		kernfs_clear_flag(kn, KERNFS_LINKED);
	kf_write_unlock(&w);
	return linked;
}

/* Drains and unlinks a marked subtree, children before parents. */
static void drain_and_unlink(struct kernfs_node *top)
{
	struct kernfs_node *kn = top;
	bool last;

	kernfs_get(kn);
	do {
		struct kernfs_node *next = NULL;

		if (kernfs_is(kn, KERNFS_DIR))
			next = kernfs_get_child_after(kn, NULL);
		last = !next && kn == top;
		if (!next) {
			kernfs_drain(kn);
			next = last ? NULL : kn->name->parent;
			kernfs_get(next);
			if (unlink_node(kn))
				kernfs_put(kn);
		}
		kernfs_put(kn);
		kn = next;
	} while (!last);
}

void kernfs_remove(struct kernfs_node *kn)
{
	if (!kn)
		return;
	kf_assert_may_drain();
	/* acquire, pairs with the release in kernfs_clear_flag(): an unlinked
	 * node was drained before. If we just miss the unlinking, what follows
	 * finds nothing left to do */
	if (!(smp_load_acquire(&kn->flags) & KERNFS_LINKED))
		return;
	mark(kn);
	mark_descendants(kn);
	drain_and_unlink(kn);
}

/*
 * Marks @kn if it still is the child of that name. The name and the mark are
 * decided in one section: a node that was renamed since it was found is not
 * what the caller asked to remove.
 */
static bool mark_if_named(struct kernfs_node *parent, struct kernfs_node *kn,
			  const struct kernfs_key *key)
{
	struct kf_write w;
	bool same;

	kf_write_lock(&w, &parent->root->locks, parent, kn, NULL);
	same = kernfs_find_ns(parent, key) == kn;
	if (same)
		mark_locked(kn);
	kf_write_unlock(&w);
	return same;
}

int kernfs_remove_by_name_ns(struct kernfs_node *parent, const char *name,
			     const struct ns_common *ns)
{
	struct kernfs_node *kn;
	struct kernfs_key key;

	if (kf_warn_on_once(!parent))
		return -ENOENT;
	kf_assert_may_drain();
	kernfs_key_init(&key, name, ns);
	while ((kn = kernfs_find_and_get_ns(parent, name, ns))) {
		bool marked = mark_if_named(parent, kn, &key);

		if (marked) {
			mark_descendants(kn);
			drain_and_unlink(kn);
		}
		kernfs_put(kn);
		if (marked)
			return 0;
	}
	return -ENOENT;
}

int kernfs_remove_by_name(struct kernfs_node *parent, const char *name)
{
	return kernfs_remove_by_name_ns(parent, name, NULL);
}

/* The winner is done, and its whole callback has ended. */
static bool self_removal_over(const struct kernfs_node *kn)
{
	/* acquire, pairs with the winner's put: see its callback's effects */
	return kernfs_flags(kn) & KERNFS_SUICIDED &&
	       smp_load_acquire(&kn->active) == KN_DEACTIVATED_BIAS;
}

static void wait_for_winner(struct kernfs_node *kn)
{
	struct kf_write w;
	bool over;

	do {
		wait_event(&kn->root->deactivate_waitq, self_removal_over(kn));
		kf_write_lock(&w, &kn->root->locks, kn, NULL, NULL);
		/* another loser may have come back in between: its turn first
		 */
		over = self_removal_over(kn);
		if (over)
			kernfs_unbreak_active_protection(kn);
		kf_write_unlock(&w);
	} while (!over);
}

bool kernfs_remove_self(struct kernfs_node *kn)
{
	struct kf_write w;
	bool won;

	kf_assert_may_drain();
	kf_write_lock(&w, &kn->root->locks, kn, NULL, NULL);
	kernfs_break_active_protection(kn);
	won = !(kernfs_flags(kn) & KERNFS_SUICIDAL);
	kernfs_set_flag(kn, KERNFS_SUICIDAL);
	kf_write_unlock(&w);

	if (!won) {
		wait_for_winner(kn);
		return false;
	}
	kernfs_remove(kn);
	/*
	 * One section: a loser that sees SUICIDED must find us counted in
	 * active, or it would return before our callback has ended.
	 */
	kf_write_lock(&w, &kn->root->locks, kn, NULL, NULL);
	kernfs_unbreak_active_protection(kn);
	kernfs_set_flag(kn, KERNFS_SUICIDED);
	kf_write_unlock(&w);
	wake_up_all(&kn->root->deactivate_waitq);
	return true;
}
