/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of torture_rename share: the nodes, and a log that knows
 * when each name was good.
 *
 * Every rename gives a name that was never used before and that says whose it
 * is and where it leads: "n<node>.<stamp>". The log has, for each, the parent
 * it goes with and the span of a common clock in which it may have been the
 * node's name. A path existed if each of its names goes with the one before
 * it, and if there is a moment that lies in the span of every name.
 */
#ifndef TEST_STRESS_TORTURE_RENAME_H
#define TEST_STRESS_TORTURE_RENAME_H

#include "torture.h"

/*
 * Nodes at level n are below some node at level n - 1, any of them, so no
 * rename can make a loop. Those at level 0 are in the root and stay.
 */
#define NR_LEVELS 4
#define NR_AT_LEVEL 3
#define NR_NODES (NR_LEVELS * NR_AT_LEVEL)
#define NAME_LEN 32

struct node {
	struct kernfs_node *kn;
	uint64_t id;
};

/* fixed while threads run */
extern struct node node[NR_NODES];

static inline unsigned int level_of(unsigned int nr)
{
	return nr / NR_AT_LEVEL;
}

/* --- torture_rename_log.c --- */

/* A new name for node @nr below node @parent, good from now on. */
uint64_t log_begin(unsigned int nr, unsigned int parent,
		   char ret_name[static NAME_LEN]);
/* The rename to it has succeeded: older names are not good any more. */
void log_end(unsigned int nr, uint64_t stamp);

/* the common clock, now */
uint64_t log_now(void);

/*
 * @names, "a/b/c" of @nr_names names, were read at @start or later: did they
 * ever lead to node @nr?  Return: false if it is too long ago to say.
 */
bool log_judge(const char *names, unsigned int nr_names, unsigned int nr,
	       uint64_t start);

/* the node that a name is of; dies if it is of none */
unsigned int log_node_of(const char *name);

#endif /* TEST_STRESS_TORTURE_RENAME_H */
