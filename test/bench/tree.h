/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of kernfuse-bench tree: one measurement (tree_run.c), the run. */
#ifndef TREE_H
#define TREE_H

#include <kernfuse/locking.h>

/* Children of a directory in the nested shape. */
#define TREE_FANOUT 100

enum tree_shape {
	TREE_FLAT,   /* all nodes are files of one directory */
	TREE_NESTED, /* TREE_FANOUT children in each directory */
	TREE_NR_SHAPES,
};

enum tree_step {
	TREE_CREATE,
	TREE_LOOKUP,	    /* in the order of creation */
	TREE_LOOKUP_RANDOM, /* in an order of chance */
	TREE_LIST,
	TREE_REMOVE, /* one by one, the youngest first */
	TREE_NR_STEPS,
};

struct tree_result {
	double ns[TREE_NR_STEPS]; /* for each node */
	/*
	 * One read from one of as many blocks of memory, in an order of
	 * chance, each after the one before: what a single cache miss costs.
	 */
	double memory_ns;
	double bytes;	   /* of the heap, for each node, with its name */
	double rss_bytes;  /* the process grew by, for each node */
	double name_bytes; /* mean length of a name, with its NUL */
};

/*
 * Measures in the calling process, which should be a fresh one: memory that
 * an earlier measurement left behind would be reused.
 */
void tree_measure(enum kernfs_locking locking, enum tree_shape shape,
		  unsigned int nodes, unsigned int seed,
		  struct tree_result *ret_result);

#endif /* TREE_H */
