/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The children of a directory, kept twice: in a table for finding one by name
 * (lock/rcutab.h) and in a search tree for listing them in order.
 *
 * The order is the kernel's: (hash, tag, name). The tree is a treap: ordered
 * by that key, and a heap by a priority that is scrambled from the node's id,
 * which balances it without a word of bookkeeping in the node; the expected
 * depth at a million children is about 40. The id is ours, so nobody can
 * choose names that unbalance it.
 *
 * Writers hold the directory's node lock exclusively and keep its rev odd.
 * Readers hold it shared, or (rcu) walk without it: every pointer they can
 * follow leads to a node whose memory stays for the read section, they count
 * their steps, and believe what they found only if rev did not change.
 */
#include "fs/kernfs/kernfs-internal.h"

#include <string.h>

/* Steps of a walk before it must have lost its way in a changing tree. A
 * treap of 2^31 nodes is deeper than this with a probability below 1e-30. */
#define MAX_DEPTH 320

static uint64_t priority(const struct kernfs_node *kn)
{
	uint64_t x = kn->id * UINT64_C(0x9E3779B97F4A7C15);

	return (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
}

static void set_child(struct kernfs_node **link, struct kernfs_node *kn)
{
	/* pairs with the acquire in get_child(): who sees the node sees its
	 * name and links */
	smp_store_release(link, kn);
}

static struct kernfs_node *get_child(struct kernfs_node *const *link)
{
	return smp_load_acquire(link);
}

int kernfs_tree_reserve(struct kernfs_node *dir)
{
	kf_assert_write_locked(&dir->root->locks, dir);
	return kf_rcutab_reserve(&dir->dir.tab);
}

static void key_of(struct kernfs_key *key, const struct kernfs_name *name)
{
	key->hash = name->hash;
	key->ns_id = kernfs_ns_id(name->ns);
	key->str = name->str;
}

void kernfs_tree_insert(struct kernfs_node *dir, struct kernfs_node *kn,
			const struct kernfs_name *name)
{
	struct kernfs_node **link = &dir->dir.children;
	struct kernfs_node **lower = &kn->left, **higher = &kn->right;
	struct kernfs_node *pos;
	struct kernfs_key key;

	kf_assert_write_locked(&dir->root->locks, dir);
	key_of(&key, name);
	/* down to the first node that must be below us */
	while ((pos = *link) && priority(pos) >= priority(kn))
		link = kernfs_name_compare(&key, pos->name) < 0 ? &pos->left :
								  &pos->right;
	/* split what is below into lower and higher ones */
	set_child(lower, NULL);
	set_child(higher, NULL);
	set_child(link, kn);
	while (pos) {
		if (kernfs_name_compare(&key, pos->name) < 0) {
			set_child(higher, pos);
			higher = &pos->left;
			pos = *higher;
		} else {
			set_child(lower, pos);
			lower = &pos->right;
			pos = *lower;
		}
	}
	set_child(lower, NULL);
	set_child(higher, NULL);
}

void kernfs_tree_erase(struct kernfs_node *dir, struct kernfs_node *kn,
		       const struct kernfs_name *name)
{
	struct kernfs_node **link = &dir->dir.children;
	struct kernfs_node *left = kn->left, *right = kn->right;
	struct kernfs_node *pos;
	struct kernfs_key key;

	kf_assert_write_locked(&dir->root->locks, dir);
	key_of(&key, name);
	while ((pos = *link) != kn) {
		kf_assert(pos);
		link = kernfs_name_compare(&key, pos->name) < 0 ? &pos->left :
								  &pos->right;
	}
	/* merge the two subtrees into its place */
	while (left && right) {
		if (priority(left) >= priority(right)) {
			set_child(link, left);
			link = &left->right;
			left = *link;
		} else {
			set_child(link, right);
			link = &right->left;
			right = *link;
		}
	}
	set_child(link, left ? left : right);
}

static bool is_named(const void *entry, const void *key_)
{
	const struct kernfs_node *kn = entry;
	const struct kernfs_key *key = key_;
	const struct kernfs_name *name = kernfs_rcu_name(kn);

	return name->hash == key->hash && kernfs_ns_id(name->ns) == key->ns_id &&
	       !strcmp(name->str, key->str);
}

struct find_key {
	const struct kernfs_key *key;
	const struct kernfs_node *dir;
};

/*
 * The table of a directory may hold a node under its old or its next name
 * while it is being renamed: the record it points to now decides.
 */
static bool is_child_named(const void *entry, const void *find_)
{
	const struct find_key *find = find_;
	const struct kernfs_name *name =
		kernfs_rcu_name((const struct kernfs_node *)entry);

	return name->parent == find->dir && is_named(entry, find->key);
}

struct kernfs_node *kernfs_find_ns(const struct kernfs_node *dir,
				   const struct kernfs_key *key)
{
	const struct find_key find = { key, dir };

	/* pairs with the release in kf_rcutab's rebuild */
	return kf_rcutab_find(smp_load_acquire(&dir->dir.tab), key->hash,
			      is_child_named, &find);
}

/* The first child that sorts at or (@after) strictly after @key. */
static struct kernfs_node *first_from(const struct kernfs_node *dir,
				      const struct kernfs_key *key, bool after)
{
	struct kernfs_node *pos = get_child(&dir->dir.children);
	struct kernfs_node *best = NULL;

	for (unsigned int i = 0; pos && i < MAX_DEPTH; i++) {
		int cmp = kernfs_name_compare(key, kernfs_rcu_name(pos));

		if (cmp < 0 || (cmp == 0 && !after)) {
			best = pos;
			pos = get_child(&pos->left);
		} else {
			pos = get_child(&pos->right);
		}
	}
	return best;
}

/*
 * Positions: the hash in the low half, and above it the rank among the
 * children that share this hash, almost always 0.
 */
struct kernfs_node *kernfs_child_at(const struct kernfs_node *dir,
				    uint64_t pos, uint64_t *ret_pos)
{
	/* "" with tag 0 sorts before everything of the same hash */
	struct kernfs_key key = { .hash = (uint32_t)pos, .str = "" };
	struct kernfs_node *kn = first_from(dir, &key, false);
	uint64_t rank = pos >> 32, at = 0;

	while (kn && rank-- && kernfs_rcu_name(kn)->hash == (uint32_t)pos) {
		key_of(&key, kernfs_rcu_name(kn));
		kn = first_from(dir, &key, true);
		at++;
	}
	if (!kn)
		return NULL;
	key.hash = kernfs_rcu_name(kn)->hash;
	*ret_pos = key.hash == (uint32_t)pos ? at << 32 | key.hash : key.hash;
	return kn;
}

struct kernfs_node *kernfs_child_next(const struct kernfs_node *dir,
				      const struct kernfs_node *kn,
				      uint64_t pos, uint64_t *ret_pos)
{
	struct kernfs_node *next;
	struct kernfs_key key;
	uint32_t hash;

	key_of(&key, kernfs_rcu_name(kn));
	next = first_from(dir, &key, true);
	if (!next)
		return NULL;
	hash = kernfs_rcu_name(next)->hash;
	*ret_pos = hash == (uint32_t)pos ? pos + (UINT64_C(1) << 32) : hash;
	return next;
}

struct kernfs_node *kernfs_get_child_at(struct kernfs_node *dir, uint64_t pos,
					uint64_t *ret_pos)
{
	struct kernfs_node *kn;
	struct kf_read rd;

	kf_read_begin_locked(&rd, &dir->root->locks, dir);
	kn = kernfs_child_at(dir, pos, ret_pos);
	kernfs_get(kn);
	kf_read_end(&rd);
	return kn;
}

struct kernfs_node *kernfs_get_child_after(struct kernfs_node *dir,
					   const struct kernfs_name *after)
{
	struct kernfs_key key = { .str = "" };
	struct kernfs_node *kn;
	struct kf_read rd;

	if (after)
		key_of(&key, after);
	kf_read_begin_locked(&rd, &dir->root->locks, dir);
	kn = first_from(dir, &key, true);
	kernfs_get(kn);
	kf_read_end(&rd);
	return kn;
}
