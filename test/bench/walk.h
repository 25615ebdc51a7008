/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of kernfuse-bench walk: one measurement (walk_run.c), the run. */
#ifndef WALK_H
#define WALK_H

#include <kernfuse/kernfs.h>

/* Names in the path. */
#define WALK_DEPTH 6
#define WALK_MAX_THREADS 256

enum walk_case {
	WALK_HOT, /* all threads on one path */
	WALK_OWN, /* each thread on its own; only the root node is shared */
	WALK_NR_CASES,
};

struct walk_setup {
	const struct kernfs_cred *cred;
	enum walk_case which;
	unsigned int threads;
	unsigned int first_cpu; /* of the threads, which take one each */
	unsigned int round;	/* picks the paths of WALK_OWN */
	double seconds;
};

/* Sums over the threads. */
struct walk_result {
	double rate;		     /* walks a second */
	uint64_t walks, runs, waits; /* the warming ones, too */
	double cpu_s, wall_s;	     /* used, and gone by */
};

/* A tree with the paths of so many threads and rounds. */
struct kernfs_root *walk_create_tree(enum kernfs_locking locking,
				     unsigned int threads, unsigned int rounds);

void walk_measure(struct kernfs_root *root, const struct walk_setup *setup,
		  struct walk_result *ret_result);

#endif /* WALK_H */
