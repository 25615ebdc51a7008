/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One measurement of kernfuse-bench tree.
 *
 * Nodes are numbered 1 to n, the root node is 0, and the parent of node i is
 * (i - 1) / fanout: a complete tree, in which parents come before children.
 * With a fanout of n it is a single directory.
 *
 * Names, and for lookups also the parents, are laid out in the order in which
 * they are used, so that the memory accesses that are timed are the tree's.
 */
#include "tree.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kernfuse/kernfs.h>

#include "bench.h"

/* A small tree is built again and again until so many nodes were timed. */
#define MIN_NODES 200000

#define NAME_SIZE 16

struct visit {
	struct kernfs_node *parent;
	char name[NAME_SIZE];
};

struct tree {
	unsigned int nr, fanout;
	struct kernfs_node **nodes; /* nr + 1, by number */
	char (*names)[NAME_SIZE];   /* nr + 1, by number */
	unsigned int *order;	    /* nr numbers, shuffled */
	struct visit *visits;	    /* nr, filled anew for each lookup step */
	uint64_t ns[TREE_NR_STEPS]; /* summed up */
};

static unsigned int parent_of(const struct tree *tree, unsigned int i)
{
	return (i - 1) / tree->fanout;
}

static bool is_dir(const struct tree *tree, unsigned int i)
{
	return (uint64_t)i * tree->fanout + 1 <= tree->nr;
}

/* Fisher and Yates, with a xorshift: the same order for the same seed. */
static void shuffle(unsigned int *order, unsigned int nr, unsigned int seed)
{
	uint64_t state = 0x9e3779b97f4a7c15ULL ^ seed;

	for (unsigned int i = 0; i < nr; i++)
		order[i] = i + 1;
	for (unsigned int i = nr - 1; i > 0; i--) {
		unsigned int j, saved = order[i];

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		j = (unsigned int)(state % (i + 1));
		order[i] = order[j];
		order[j] = saved;
	}
}

/* --- the steps --- */

static void create_nodes(struct tree *tree)
{
	static const struct kernfs_ops no_ops;

	for (unsigned int i = 1; i <= tree->nr; i++) {
		struct kernfs_node *parent = tree->nodes[parent_of(tree, i)];
		struct kernfs_node *kn;

		if (is_dir(tree, i))
			kn = kernfs_create_dir_ns(parent, tree->names[i], 0755,
						  0, 0, NULL, NULL);
		else
			kn = __kernfs_create_file(parent, tree->names[i], 0444,
						  0, 0, KERNFS_PAGE_SIZE,
						  &no_ops, NULL, NULL);
		if (IS_ERR(kn))
			bench_fail("cannot create node %u: %s", i,
				   strerror((int)-PTR_ERR(kn)));
		tree->nodes[i] = kn;
	}
}

static void plan_visits(struct tree *tree, bool shuffled)
{
	for (unsigned int n = 0; n < tree->nr; n++) {
		unsigned int i = shuffled ? tree->order[n] : n + 1;
		struct visit *visit = &tree->visits[n];

		visit->parent = tree->nodes[parent_of(tree, i)];
		memcpy(visit->name, tree->names[i], NAME_SIZE);
	}
}

static void look_up_nodes(struct tree *tree)
{
	for (unsigned int n = 0; n < tree->nr; n++) {
		const struct visit *visit = &tree->visits[n];
		struct kernfs_node *kn;

		kn = kernfs_find_and_get_ns(visit->parent, visit->name, NULL);
		if (!kn)
			bench_fail("lost %s", visit->name);
		kernfs_put(kn);
	}
}

static bool count_entry(void *ctx, const struct kernfs_dirent *de)
{
	uint64_t *count = ctx;

	(void)de;
	++*count;
	return true;
}

static void list_nodes(struct tree *tree)
{
	uint64_t entries = 0, expected = tree->nr;

	for (unsigned int i = 0; i <= tree->nr; i++) {
		if (i && !is_dir(tree, i))
			break; /* directories come first */
		expected += 2; /* "." and ".." */
		if (kernfs_fop_readdir(tree->nodes[i], NULL, 0, count_entry,
				       &entries))
			bench_fail("cannot list node %u", i);
	}
	if (entries != expected)
		bench_fail("listed %llu entries instead of %llu",
			   (unsigned long long)entries,
			   (unsigned long long)expected);
}

static void remove_nodes(struct tree *tree)
{
	for (unsigned int i = tree->nr; i > 0; i--) {
		struct kernfs_node *parent = tree->nodes[parent_of(tree, i)];

		if (kernfs_remove_by_name_ns(parent, tree->names[i], NULL))
			bench_fail("cannot remove node %u", i);
	}
}

static void run_step(struct tree *tree, enum tree_step step)
{
	static void (*const steps[TREE_NR_STEPS])(struct tree *) = {
		[TREE_CREATE] = create_nodes,
		[TREE_LOOKUP] = look_up_nodes,
		[TREE_LOOKUP_RANDOM] = look_up_nodes,
		[TREE_LIST] = list_nodes,
		[TREE_REMOVE] = remove_nodes,
	};
	uint64_t begin;

	if (step == TREE_LOOKUP || step == TREE_LOOKUP_RANDOM)
		plan_visits(tree, step == TREE_LOOKUP_RANDOM);
	begin = bench_now_ns();
	steps[step](tree);
	tree->ns[step] += bench_now_ns() - begin;
}

/* --- memory --- */

static double heap_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return (double)(info.uordblks + info.hblkhd);
}

static double resident_bytes(void)
{
	unsigned long size = 0, resident = 0;
	FILE *stream = fopen("/proc/self/statm", "re");

	if (!stream)
		return 0;
	if (fscanf(stream, "%lu %lu", &size, &resident) != 2)
		resident = 0;
	fclose(stream);
	return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

/* The size a node has at most: as many blocks fill as much memory. */
struct block {
	struct block *next;
	char rest[256 - sizeof(struct block *)];
};

static double random_read_ns(const struct tree *tree, unsigned int cycles)
{
	struct block *blocks = bench_alloc(tree->nr + 1, sizeof(*blocks));
	const struct block *block = &blocks[0];
	struct block *last = &blocks[0];
	uint64_t begin;

	for (unsigned int n = 0; n < tree->nr; n++)
		last = last->next = &blocks[tree->order[n]];
	last->next = &blocks[tree->order[0]];

	begin = bench_now_ns();
	for (uint64_t n = 0; n < (uint64_t)tree->nr * cycles; n++)
		block = block->next;
	begin = bench_now_ns() - begin;
	/* a use, so that the reads stay */
	if (block == &blocks[0])
		bench_fail("the blocks are not in a ring");
	free(blocks);
	return (double)begin / ((double)tree->nr * cycles);
}

/* --- the measurement --- */

/* Touches all of its memory, so that none of it counts as the nodes'. */
static void prepare(struct tree *tree, enum tree_shape shape, unsigned int nr,
		    unsigned int seed)
{
	tree->nr = nr;
	tree->fanout = shape == TREE_FLAT ? nr : TREE_FANOUT;
	tree->nodes = bench_alloc(nr + 1, sizeof(*tree->nodes));
	tree->names = bench_alloc(nr + 1, sizeof(*tree->names));
	tree->order = bench_alloc(nr, sizeof(*tree->order));
	tree->visits = bench_alloc(nr, sizeof(*tree->visits));
	memset(tree->nodes, 0xff, (nr + 1) * sizeof(*tree->nodes));
	memset(tree->visits, 0xff, nr * sizeof(*tree->visits));
	shuffle(tree->order, nr, seed);
	for (unsigned int i = 0; i <= nr; i++)
		snprintf(tree->names[i], NAME_SIZE, "attr%u", i);
}

static double mean_name_bytes(const struct tree *tree)
{
	uint64_t bytes = 0;

	for (unsigned int i = 1; i <= tree->nr; i++)
		bytes += strlen(tree->names[i]) + 1;
	return (double)bytes / tree->nr;
}

static void finish(struct tree *tree)
{
	free(tree->nodes);
	free(tree->names);
	free(tree->order);
	free(tree->visits);
}

static void first_cycle(struct tree *tree, struct tree_result *result)
{
	double heap = heap_bytes(), resident = resident_bytes();

	run_step(tree, TREE_CREATE);
	result->bytes = (heap_bytes() - heap) / tree->nr;
	result->rss_bytes = (resident_bytes() - resident) / tree->nr;
	for (unsigned int step = TREE_CREATE + 1; step < TREE_NR_STEPS; step++)
		run_step(tree, step);
}

void tree_measure(enum kernfs_locking locking, enum tree_shape shape,
		  unsigned int nodes, unsigned int seed,
		  struct tree_result *ret_result)
{
	struct kernfs_root_locking_params params = { .locking = locking };
	unsigned int cycles = (MIN_NODES + nodes - 1) / nodes;
	struct tree tree = { 0 };
	struct kernfs_root *root;

	root = kernfs_create_root_locking(NULL, 0, NULL, &params);
	if (IS_ERR(root))
		bench_fail("cannot create a root: %s",
			   strerror((int)-PTR_ERR(root)));
	prepare(&tree, shape, nodes, seed);
	tree.nodes[0] = kernfs_root_to_node(root);

	first_cycle(&tree, ret_result);
	for (unsigned int i = 1; i < cycles; i++)
		for (unsigned int step = 0; step < TREE_NR_STEPS; step++)
			run_step(&tree, step);

	ret_result->memory_ns = random_read_ns(&tree, cycles);
	ret_result->name_bytes = mean_name_bytes(&tree);
	for (unsigned int step = 0; step < TREE_NR_STEPS; step++)
		ret_result->ns[step] =
			(double)tree.ns[step] / ((double)nodes * cycles);
	kernfs_destroy_root(root);
	finish(&tree);
}
