/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking a name up, in every way there is, and judging the answer by what
 * the owner of the name says is true.
 */
#include "torture_lookup.h"

#include <stdlib.h>

#define NR_NEGATIVES 8

/* What a thread remembers of a name. */
struct memory {
	struct kernfs_dentry d; /* parent NULL: nothing; holds d.kn */
	/* absences remembered earlier, latest last */
	struct kernfs_dentry negative[NR_NEGATIVES];
	unsigned int nr_negatives; /* ever */
	struct kernfs_walk *walk;
};

enum answer {
	ANSWER_PRESENT,
	ANSWER_INACTIVE, /* there, but not to be seen */
	ANSWER_ABSENT,
	ANSWER_UNSEEN, /* one of the two */
};

void look_begin(struct torture_thread *t)
{
	struct memory *memory = calloc(MAX_NAMES, sizeof(*memory));
	struct kernfs_node *top = kernfs_root_to_node(lookup_root);

	torture_expect(memory, "no memory");
	for (unsigned int i = 0; i < nr_lookup_names; i++) {
		memory[i].walk =
			kernfs_walk_create(top, lookup_name[i].path, NULL);
		torture_expect(!IS_ERR(memory[i].walk), "no walk");
	}
	t->own = memory;
}

void look_end(struct torture_thread *t)
{
	struct memory *memory = t->own;

	for (unsigned int i = 0; i < nr_lookup_names; i++) {
		kernfs_put(memory[i].d.kn);
		kernfs_walk_destroy(memory[i].walk);
	}
	free(memory);
}

static struct memory *memory_of(struct torture_thread *t, const struct name *n)
{
	return (struct memory *)t->own + (n - lookup_name);
}

/* --- ways to look; each says which node it saw --- */

/* Takes over a reference. */
static enum answer of_node(struct kernfs_node *kn, uint64_t *ret_id)
{
	enum answer answer;

	if (!kn)
		return ANSWER_ABSENT;
	*ret_id = kernfs_id(kn);
	answer = kernfs_active(kn) ? ANSWER_PRESENT : ANSWER_INACTIVE;
	kernfs_put(kn);
	return answer;
}

static void remember_negative(struct memory *m, const struct kernfs_dentry *d)
{
	m->negative[m->nr_negatives++ % NR_NEGATIVES] = *d;
}

static enum answer by_lookup(const struct name *n, struct memory *m,
			     uint64_t *ret_id)
{
	struct kernfs_dentry d = { .parent = NULL };

	switch (kernfs_iop_lookup(lookup_dir[n->dir].kn, n->str, NULL, &d)) {
	case 0:
		*ret_id = kernfs_id(d.kn);
		kernfs_put(m->d.kn);
		m->d = d;
		return ANSWER_PRESENT;
	case -ENOENT:
		remember_negative(m, &d);
		kernfs_put(m->d.kn);
		m->d = d;
		return ANSWER_ABSENT;
	case -EAGAIN:
		torture_expect(!d.parent, "%s: not to be remembered", n->path);
		return ANSWER_INACTIVE;
	default:
		torture_fail(__FILE__, __LINE__, "%s: lookup fails", n->path);
	}
}

static enum answer by_lookup_rcu(const struct name *n, struct memory *m,
				 uint64_t *ret_id)
{
	struct kernfs_dentry d = { .parent = NULL };
	enum answer answer = ANSWER_INACTIVE;
	int err;

	kernfs_rcu_read_lock();
	err = kernfs_iop_lookup_rcu(lookup_dir[n->dir].kn, n->str, NULL, &d);
	if (!err) {
		*ret_id = kernfs_id(d.kn);
		answer = ANSWER_PRESENT;
	} else if (err == -ENOENT) {
		remember_negative(m, &d);
		answer = ANSWER_ABSENT;
	}
	kernfs_rcu_read_unlock();
	return answer;
}

static enum answer by_walk(const struct name *n, struct memory *m,
			   uint64_t *ret_id)
{
	struct kernfs_node *kn;
	int err = kernfs_walk(m->walk, &kernfs_root_cred, &kn);

	torture_expect(!err || err == -ENOENT, "%s: walk fails: %d", n->path,
		       err);
	if (err)
		return ANSWER_UNSEEN;
	*ret_id = kernfs_id(kn);
	return ANSWER_PRESENT;
}

static enum answer look(struct torture_thread *t, const struct name *n,
			uint64_t *ret_id)
{
	struct memory *m = memory_of(t, n);

	switch (torture_random(t, 5)) {
	case 0:
		torture_doing(t, "find_and_get");
		return of_node(kernfs_find_and_get(lookup_dir[n->dir].kn,
						   n->str),
			       ret_id);
	case 1:
		torture_doing(t, "walk_and_get");
		return of_node(
			kernfs_walk_and_get(kernfs_root_to_node(lookup_root),
					    n->path),
			ret_id);
	case 2:
		torture_doing(t, "walk");
		return by_walk(n, m, ret_id);
	case 3:
		torture_doing(t, "lookup_rcu");
		return by_lookup_rcu(n, m, ret_id);
	default:
		torture_doing(t, "lookup");
		return by_lookup(n, m, ret_id);
	}
}

/* --- judging --- */

/* @n did not change while we looked; @right: the node that is here. */
static void judge(const struct name *n, enum name_phase phase,
		  enum answer answer, bool right)
{
	if (phase == PHASE_HERE)
		torture_expect(answer == ANSWER_PRESENT && right,
			       "%s is here, but the answer is %d", n->path,
			       answer);
	else if (n->kind == NAME_HIDDEN)
		torture_expect(
			answer == ANSWER_INACTIVE || answer == ANSWER_UNSEEN,
			"%s is hidden, but the answer is %d", n->path, answer);
	else
		torture_expect(
			answer == ANSWER_ABSENT || answer == ANSWER_UNSEEN,
			"%s is away, but the answer is %d", n->path, answer);
}

static void look_fresh(struct torture_thread *t, const struct name *n)
{
	uint64_t before = name_state(n), after, id = 0;
	enum name_phase phase = phase_of(before);
	enum answer answer = look(t, n, &id);
	bool right = id == READ_ONCE(n->id);

	after = name_state_after(n);
	torture_histogram(t, after - before);
	if (before != after || phase == PHASE_COMING || phase == PHASE_GOING)
		return;
	judge(n, phase, answer, right);
	torture_count(t, COUNT_JUDGED);
	if (phase == PHASE_HERE)
		torture_count(t, COUNT_PRESENT);
}

/* Does what we remember of @n still hold, and may it? */
static void look_back(struct torture_thread *t, const struct name *n)
{
	struct memory *m = memory_of(t, n);
	uint64_t before = name_state(n), after, id;
	enum name_phase phase = phase_of(before);
	bool holds;

	if (!m->d.parent)
		return;
	torture_doing(t, "revalidate");
	holds = kernfs_dop_revalidate(&m->d);
	id = READ_ONCE(n->id);
	after = name_state_after(n);
	torture_histogram(t, after - before);
	if (before != after || phase == PHASE_COMING || phase == PHASE_GOING)
		return;
	torture_count(t, COUNT_JUDGED);
	if (m->d.kn)
		torture_expect(holds == (phase == PHASE_HERE &&
					 kernfs_id(m->d.kn) == id),
			       "%s: a remembered node is%s valid", n->path,
			       holds ? "" : " not");
	else
		torture_expect(!holds || phase == PHASE_AWAY,
			       "%s is here, but its absence is valid", n->path);
}

/* None of the absences remembered of a name that is here may be valid. */
static void check_negatives(struct torture_thread *t, const struct name *n)
{
	struct memory *m = memory_of(t, n);
	uint64_t before = name_state(n);

	if (phase_of(before) != PHASE_HERE)
		return;
	for (unsigned int i = 0; i < NR_NEGATIVES && i < m->nr_negatives; i++) {
		bool holds = kernfs_dop_revalidate(&m->negative[i]);

		if (name_state_after(n) != before)
			return;
		torture_count(t, COUNT_NEGATIVES);
		torture_expect(!holds, "%s is here, but its absence is valid",
			       n->path);
	}
}

void look_at_name(struct torture_thread *t)
{
	struct name *n = &lookup_name[torture_random(t, nr_lookup_names)];

	torture_count(t, COUNT_LOOKS);
	switch (torture_random(t, 4)) {
	case 0:
		look_back(t, n);
		break;
	case 1:
		check_negatives(t, n);
		break;
	default:
		look_fresh(t, n);
		break;
	}
}

/* In a quiet directory, where nothing else spoils what was remembered. */
void hunt_round(struct torture_thread *t)
{
	unsigned int dir = NR_BUSY + torture_random(t, NR_QUIET);
	struct name *n = &lookup_name[lookup_dir[dir].first];

	for (unsigned int i = 0; i < 256 && torture_running(); i++) {
		uint64_t id = 0;

		torture_count(t, COUNT_HUNTS);
		if (torture_random(t, 2))
			by_lookup(n, memory_of(t, n), &id);
		else
			by_lookup_rcu(n, memory_of(t, n), &id);
		check_negatives(t, n);
	}
}
