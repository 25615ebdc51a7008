/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renames: each node has one thread that renames it, and at every moment it
 * is in exactly one place.
 *
 * A reader looks several times, at the old place and at the new one. Within
 * one rename its answers can change once, from "still there" to "moved": a
 * look that says "still there" after one that said "moved" has seen the node
 * in both places or in neither.
 */
#include "torture_lookup.h"

#include <stdio.h>
#include <string.h>

#define NR_MOVABLE 6
#define NR_PARENTS 3
#define NR_NAMES 3
#define NR_SHARED (NR_PARENTS * NR_NAMES) /* places anybody may take */
/* and each thread has one for swapping; see swap() */
#define NR_PLACES (NR_SHARED + TORTURE_MAX_THREADS)

struct place {
	unsigned int parent;
	char str[8];
	char path[16]; /* from the root, with the leading '/' */
};

struct movable {
	struct kernfs_node *kn, *link;
	struct kernfs_node *leaf; /* below it, if it is a directory */
	/*
	 * Renames begun and ended, so odd while one is going on; and the
	 * places it goes from and to, the same unless it is odd. Atomic; its
	 * owner changes it as a name's, see there.
	 */
	uint64_t state;
};

static struct kernfs_node *parent[NR_PARENTS];
static struct place place[NR_PLACES];
static struct movable movable[NR_MOVABLE];
unsigned int nr_movers;

static const struct kernfs_ops no_ops;

static uint64_t pack(uint64_t gen, unsigned int from, unsigned int to)
{
	return gen << 32 | from << 16 | to;
}

static uint64_t gen_of(uint64_t state)
{
	return state >> 32;
}

static unsigned int from_of(uint64_t state)
{
	return state >> 16 & 0xffff;
}

static unsigned int to_of(uint64_t state)
{
	return state & 0xffff;
}

/* --- building --- */

static struct kernfs_node *made(struct kernfs_node *kn, const char *str)
{
	torture_expect(!IS_ERR(kn), "create %s: %ld", str, PTR_ERR(kn));
	return kn;
}

static void build_places(struct kernfs_node *top)
{
	for (unsigned int i = 0; i < NR_PARENTS; i++) {
		const char str[] = { 'm', (char)('0' + i), '\0' };

		parent[i] = made(kernfs_create_dir(top, str, 0755, NULL), str);
	}
	for (unsigned int i = 0; i < NR_PLACES; i++) {
		struct place *p = &place[i];

		p->parent = i % NR_PARENTS;
		if (i < NR_SHARED)
			snprintf(p->str, sizeof(p->str), "n%u", i / NR_PARENTS);
		else
			snprintf(p->str, sizeof(p->str), "t%u", i - NR_SHARED);
		snprintf(p->path, sizeof(p->path), "/m%u/%s", p->parent,
			 p->str);
	}
}

void moves_build(void)
{
	struct kernfs_node *top = kernfs_root_to_node(lookup_root);
	struct kernfs_node *links;

	build_places(top);
	links = made(kernfs_create_dir(top, "links", 0755, NULL), "links");
	for (unsigned int i = 0; i < NR_MOVABLE; i++) {
		const char str[] = { 'l', (char)('0' + i), '\0' };
		struct kernfs_node *dir = parent[place[i].parent];
		struct movable *m = &movable[i];

		m->state = pack(0, i, i);
		if (i % 2) {
			m->kn = made(kernfs_create_dir(dir, place[i].str, 0755,
						       NULL),
				     place[i].str);
			m->leaf = made(kernfs_create_dir(m->kn, "leaf", 0755,
							 NULL),
				       "leaf");
		} else {
			m->kn = made(__kernfs_create_file(dir, place[i].str,
							  0444, 0, 0, 0,
							  &no_ops, NULL, NULL),
				     place[i].str);
		}
		m->link = made(kernfs_create_link(links, str, m->kn), str);
	}
}

/* --- absences remembered of a place --- */

/* By place; revs only: the directories stay. Each thread's. */
static __thread struct kernfs_dentry negative[NR_PLACES];

static void remember_negative(const struct place *p,
			      const struct kernfs_dentry *d)
{
	negative[p - place] = *d;
}

/* A node is at @p: what was remembered before it came may not be valid. */
static void check_negative(const struct movable *m, const struct place *p)
{
	uint64_t before = smp_load_acquire(&m->state), after;
	struct kernfs_dentry *d = &negative[p - place];
	bool holds;

	if (gen_of(before) & 1 || &place[to_of(before)] != p || !d->parent)
		return;
	holds = kernfs_dop_revalidate(d);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	after = READ_ONCE(m->state);
	torture_expect(!holds || before != after,
		       "a node is at %s, but its absence is valid", p->path);
}

/* --- ways to look for a node; each is one look --- */

static bool is_it(struct kernfs_node *found, const struct movable *m)
{
	bool same = found == m->kn;

	kernfs_put(found);
	return same;
}

static bool seen_by_lookup(const struct movable *m, const struct place *p)
{
	struct kernfs_dentry d;
	int err = kernfs_iop_lookup(parent[p->parent], p->str, NULL, &d);

	torture_expect(!err || err == -ENOENT, "lookup %s: %d", p->path, err);
	if (err)
		remember_negative(p, &d);
	return !err && is_it(d.kn, m);
}

static bool seen_by_revalidate(const struct movable *m, const struct place *p)
{
	const struct kernfs_dentry d = {
		.parent = parent[p->parent],
		.name = p->str,
		.kn = m->kn,
	};

	return kernfs_dop_revalidate(&d);
}

struct search {
	const struct movable *m;
	const struct place *p;
	bool found;
};

static bool fill(void *ctx, const struct kernfs_dirent *de)
{
	struct search *s = ctx;

	if (de->ino == kernfs_id(s->m->kn) && !strcmp(de->name, s->p->str))
		s->found = true;
	return !s->found;
}

static bool seen_by_readdir(const struct movable *m, const struct place *p)
{
	struct search s = { .m = m, .p = p };

	kernfs_fop_readdir(parent[p->parent], NULL, 0, fill, &s);
	return s.found;
}

/* The path of the node or of what is below it, or the text of the link. */
static bool seen_by_path(struct torture_thread *t, const struct movable *m,
			 const struct place *p)
{
	char buf[KERNFS_PATH_MAX], expected[64];

	switch (torture_random(t, 3)) {
	case 0:
		kernfs_iop_get_link(m->link, buf);
		snprintf(expected, sizeof(expected), "..%s", p->path);
		break;
	case 1:
		if (m->leaf) {
			kernfs_path(m->leaf, buf, sizeof(buf));
			snprintf(expected, sizeof(expected), "%s/leaf",
				 p->path);
			break;
		}
		/* fall through */
	default:
		kernfs_path(m->kn, buf, sizeof(buf));
		return !strcmp(buf, p->path);
	}
	return !strcmp(buf, expected);
}

static bool is_at(struct torture_thread *t, const struct movable *m,
		  const struct place *p)
{
	switch (torture_random(t, 6)) {
	case 0:
		torture_doing(t, "walk_and_get of a moving node");
		return is_it(kernfs_walk_and_get(
				     kernfs_root_to_node(lookup_root), p->path),
			     m);
	case 1:
		torture_doing(t, "lookup of a moving node");
		return seen_by_lookup(m, p);
	case 2:
		torture_doing(t, "revalidate a moving node");
		return seen_by_revalidate(m, p);
	case 3:
		torture_doing(t, "readdir of a moving node");
		return seen_by_readdir(m, p);
	case 4:
		torture_doing(t, "path of a moving node");
		return seen_by_path(t, m, p);
	default:
		torture_doing(t, "find_and_get of a moving node");
		return is_it(kernfs_find_and_get(parent[p->parent], p->str), m);
	}
}

/* --- the owner --- */

static void set_state(struct movable *m, uint64_t state)
{
	smp_store_release(&m->state, state);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Return: whether it is there now. */
static bool move(struct torture_thread *t, struct movable *m, unsigned int to)
{
	unsigned int from = to_of(m->state);
	uint64_t gen = gen_of(m->state);
	bool keep_name = !strcmp(place[from].str, place[to].str);
	int err;

	if (from == to)
		return true;
	seen_by_lookup(m, &place[to]);
	set_state(m, pack(gen + 1, from, to));
	torture_doing(t, "rename");
	err = kernfs_rename(m->kn, parent[place[to].parent],
			    keep_name ? NULL : place[to].str);
	torture_expect(!err || err == -EEXIST, "rename %s to %s: %d",
		       place[from].path, place[to].path, err);
	if (err)
		to = from;
	set_state(m, pack(gen + 2, to, to));
	torture_count(t, err ? COUNT_TAKEN : COUNT_RENAMES);
	check_negative(m, &place[to]);
	torture_expect(is_at(t, m, &place[to]), "not at %s", place[to].path);
	torture_expect(err || !is_at(t, m, &place[from]), "still at %s",
		       place[from].path);
	return !err;
}

/* Two nodes, mostly of different directories, take each other's place. */
static void swap(struct torture_thread *t, struct movable *a, struct movable *b)
{
	unsigned int at_a = to_of(a->state), at_b = to_of(b->state);

	if (at_a >= NR_SHARED || at_b >= NR_SHARED)
		return;
	if (!move(t, a, NR_SHARED + t->index))
		return;
	if (move(t, b, at_a))
		move(t, a, at_b);
	else
		move(t, a, at_a);
}

static struct movable *own_movable(struct torture_thread *t)
{
	unsigned int i = torture_random(t, NR_MOVABLE);

	return i % nr_movers == t->index ? &movable[i] : NULL;
}

void move_round(struct torture_thread *t)
{
	struct movable *a = own_movable(t), *b = own_movable(t);

	if (!a || !b)
		return;
	if (a != b && !torture_random(t, 3))
		swap(t, a, b);
	else
		move(t, a, torture_random(t, NR_SHARED));
	torture_pause(t);
}

/* --- readers --- */

#define NR_LOOKS 16

struct looks {
	bool at_new[NR_LOOKS]; /* where the look was */
	bool hit[NR_LOOKS];
};

/* @before: the state when the looks began; one rename at most since then. */
static void judge_looks(const struct looks *l, uint64_t before, uint64_t after)
{
	bool moved = false;

	for (unsigned int i = 0; i < NR_LOOKS; i++) {
		bool says_moved = l->hit[i] == l->at_new[i];

		torture_expect(!moved || says_moved,
			       "look %u: %s at the %s place, after it moved", i,
			       l->hit[i] ? "found" : "not found",
			       l->at_new[i] ? "new" : "old");
		moved = says_moved;
	}
	if (before == after && !(gen_of(before) & 1))
		torture_expect(!moved, "not found where it stays");
}

void check_move(struct torture_thread *t)
{
	const struct movable *m = &movable[torture_random(t, NR_MOVABLE)];
	uint64_t before, after;
	struct looks l;

	/* in the middle of a rename is what we are after */
	for (unsigned int i = 0; i < 4096; i++) {
		before = smp_load_acquire(&m->state);
		if (gen_of(before) & 1)
			break;
		cpu_relax();
	}
	check_negative(m, &place[to_of(before)]);
	for (unsigned int i = 0; i < NR_LOOKS; i++) {
		/* a rename that has not begun: only its old place is known */
		l.at_new[i] = gen_of(before) & 1 && torture_random(t, 2);
		l.hit[i] = is_at(
			t, m,
			&place[l.at_new[i] ? to_of(before) : from_of(before)]);
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	after = READ_ONCE(m->state);
	torture_count(t, COUNT_MOVE_CHECKS);
	torture_histogram(t, gen_of(after) - gen_of(before));
	/* from odd to the next odd is the end of one and the start of another,
	 * which may lead anywhere */
	if (gen_of(after) - gen_of(before) > 1 + !(gen_of(before) & 1))
		return;
	torture_count(t, COUNT_MOVE_JUDGED);
	judge_looks(&l, before, after);
}
