/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * torture_activate: subtrees that are built unseen and then activated, as
 * cgroup does, and removed with or without having been seen.
 *
 * What must hold: before activation nothing is found and nothing is remembered
 * as absent; once the top is found, all that was built below it is; and an
 * absence that was remembered earlier does not outlive the activation.
 */
#include "torture.h"

#include <stdio.h>
#include <string.h>

enum {
	COUNT_BUILT,
	COUNT_UNSEEN,
	COUNT_LOOKS,
	COUNT_INACTIVE,
	COUNT_FOUND,
	COUNT_BELOW,
	COUNT_NEGATIVES,
};

#define NR_TREES 4
#define NR_SUBDIRS 2
#define NR_FILES 3 /* in each */
#define NR_NEGATIVES 4

enum phase { PHASE_AWAY, PHASE_COMING, PHASE_HERE, PHASE_GOING, NR_PHASES };

/* phase in the low part, as of torture_lookup.h; atomic */
static uint64_t state[NR_TREES];

static const char *const tree_name[NR_TREES] = { "t0", "t1", "t2", "t3" };

static struct kernfs_root *root;
static struct kernfs_node *top; /* the root node */

static const struct kernfs_ops no_ops;

static enum phase phase_of(uint64_t s)
{
	return (enum phase)(s % NR_PHASES);
}

static void advance(unsigned int i, unsigned int phases)
{
	smp_store_release(&state[i], state[i] + phases);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static uint64_t state_before(unsigned int i)
{
	return smp_load_acquire(&state[i]);
}

static uint64_t state_after(unsigned int i)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return READ_ONCE(state[i]);
}

/* --- building --- */

static struct kernfs_node *made(struct kernfs_node *kn)
{
	torture_expect(!IS_ERR(kn), "create: %ld", PTR_ERR(kn));
	torture_expect(!kernfs_active(kn), "active from the start");
	return kn;
}

static struct kernfs_node *build(unsigned int i)
{
	struct kernfs_node *kn, *dir;

	kn = made(kernfs_create_dir(top, tree_name[i], 0755, NULL));
	/* nobody removes it but us */
	kernfs_get(kn);
	for (unsigned int d = 0; d < NR_SUBDIRS; d++) {
		const char dir_name[] = { 'd', (char)('0' + d), '\0' };

		dir = made(kernfs_create_dir(kn, dir_name, 0755, NULL));
		for (unsigned int f = 0; f < NR_FILES; f++) {
			const char name[] = { 'f', (char)('0' + f), '\0' };

			made(__kernfs_create_file(dir, name, 0444, 0, 0, 0,
						  &no_ops, NULL, NULL));
		}
	}
	return kn;
}

static void activate(struct torture_thread *t, struct kernfs_node *kn)
{
	struct kernfs_node *dir;

	/* a part of it earlier, sometimes */
	if (!torture_random(t, 4)) {
		dir = kernfs_find_and_get(kn, "d1");
		kernfs_activate(dir);
		kernfs_put(dir);
		torture_pause(t);
	}
	torture_doing(t, "activate");
	kernfs_activate(kn);
	torture_expect(kernfs_active(kn), "not active");
}

static void build_round(struct torture_thread *t)
{
	unsigned int i = t->index;
	struct kernfs_node *kn;

	if (i >= NR_TREES)
		return;
	advance(i, 1);
	torture_doing(t, "build");
	kn = build(i);
	torture_pause(t);
	if (torture_random(t, 4)) {
		activate(t, kn);
		advance(i, 1);
		torture_count(t, COUNT_BUILT);
		torture_linger(t);
		advance(i, 1);
	} else {
		/* never here */
		advance(i, 2);
		torture_count(t, COUNT_UNSEEN);
	}
	torture_doing(t, "remove");
	kernfs_remove(kn);
	kernfs_put(kn);
	advance(i, 1);
	torture_pause(t);
}

/* --- looking --- */

struct reader {
	struct kernfs_dentry negative[NR_TREES][NR_NEGATIVES];
	unsigned int nr[NR_TREES]; /* ever */
};

static struct reader readers[TORTURE_MAX_THREADS];

static bool count(void *ctx, const struct kernfs_dirent *de)
{
	if (de->name[0] != '.')
		++*(unsigned int *)ctx;
	return true;
}

static unsigned int nr_listed(struct kernfs_node *dir)
{
	unsigned int nr = 0;

	kernfs_fop_readdir(dir, NULL, 0, count, &nr);
	return nr;
}

/* @before: the state before the top was found. */
static void check_below(struct torture_thread *t, unsigned int i,
			struct kernfs_node *kn, uint64_t before)
{
	struct kernfs_node *dir = NULL, *file = NULL;
	unsigned int dirs, files = 0;
	uint64_t after;
	bool seen;

	torture_doing(t, "look below");
	dirs = nr_listed(kn);
	dir = kernfs_walk_and_get(kn, torture_random(t, 2) ? "d0" : "d1");
	if (dir) {
		files = nr_listed(dir);
		file = kernfs_walk_and_get(dir, "f2");
	}
	seen = dir && file && kernfs_active(dir) && kernfs_active(file);
	after = state_after(i);
	kernfs_put(file);
	kernfs_put(dir);
	torture_histogram(t, after - before);
	if (after / NR_PHASES != before / NR_PHASES ||
	    phase_of(after) > PHASE_HERE)
		return;
	torture_expect(seen && dirs == NR_SUBDIRS && files == NR_FILES,
		       "%s is found, but of what is below %u and %u",
		       tree_name[i], dirs, files);
	torture_count(t, COUNT_BELOW);
}

static void check_negatives(struct torture_thread *t, unsigned int i)
{
	struct reader *r = &readers[t->nr];
	uint64_t before = state_before(i);

	if (phase_of(before) != PHASE_HERE)
		return;
	for (unsigned int n = 0; n < NR_NEGATIVES && n < r->nr[i]; n++) {
		bool holds = kernfs_dop_revalidate(&r->negative[i][n]);

		if (state_after(i) != before)
			return;
		torture_expect(!holds, "%s is here, but its absence is valid",
			       tree_name[i]);
		torture_count(t, COUNT_NEGATIVES);
	}
}

static void look(struct torture_thread *t, unsigned int i)
{
	struct reader *r = &readers[t->nr];
	uint64_t before = state_before(i), after;
	struct kernfs_dentry d;
	int err;

	torture_doing(t, "lookup");
	torture_count(t, COUNT_LOOKS);
	err = kernfs_iop_lookup(top, tree_name[i], NULL, &d);
	after = state_after(i);
	if (!err) {
		torture_expect(before != after || phase_of(after) != PHASE_AWAY,
			       "%s is away, but found", tree_name[i]);
		check_below(t, i, d.kn, before);
		kernfs_put(d.kn);
		torture_count(t, COUNT_FOUND);
	} else if (err == -ENOENT) {
		torture_expect(before != after || phase_of(after) != PHASE_HERE,
			       "%s is here, but not found", tree_name[i]);
		r->negative[i][r->nr[i]++ % NR_NEGATIVES] = d;
	} else {
		torture_expect(err == -EAGAIN, "lookup: %d", err);
		torture_expect(before != after ||
				       phase_of(after) == PHASE_COMING ||
				       phase_of(after) == PHASE_GOING,
			       "%s is in phase %u, but not active",
			       tree_name[i], phase_of(after));
		torture_count(t, COUNT_INACTIVE);
	}
}

static void look_round(struct torture_thread *t)
{
	unsigned int i = torture_random(t, NR_TREES);

	for (unsigned int n = 0; n < 16; n++) {
		look(t, i);
		check_negatives(t, i);
	}
	torture_pause(t);
}

static const struct torture_role roles[] = {
	{ "builder", 2, NULL, build_round, NULL },
	{ "reader", 2, NULL, look_round, NULL },
};

#define NR_ROLES (sizeof(roles) / sizeof(roles[0]))

static const struct torture_program program = {
	.name = "torture_activate",
	.counter = {
		[COUNT_BUILT] = "subtrees built and activated",
		[COUNT_UNSEEN] = "subtrees built and removed unseen",
		[COUNT_LOOKS] = "looks at a subtree",
		[COUNT_INACTIVE] = "of them that met it inactive",
		[COUNT_FOUND] = "of them that found it",
		[COUNT_BELOW] = "of them that judged what is below",
		[COUNT_NEGATIVES] = "remembered absences tested",
	},
	.histogram = "changes seen by one of these",
	.threads = 8,
};

int main(int argc, char *argv[])
{
	torture_begin(&program, argc, argv);
	root = torture_create_root(NULL, KERNFS_ROOT_CREATE_DEACTIVATED);
	top = kernfs_root_to_node(root);
	kernfs_activate(top);
	torture_run(roles, NR_ROLES);
	torture_destroy_root(root);
	return torture_end();
}
