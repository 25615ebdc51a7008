/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of torture_remove share: the tree, and who does what in it.
 *
 *	/woods/a0/b0/f0 ...	created and removed by anybody, whole subtrees
 *				too; boats of movers land there
 *	/harbour		where boats are built (torture_remove_tree.c)
 *	/aux			what callbacks of others change
 *	/self			files whose callbacks remove them
 *				(torture_remove_ops.c)
 *	/own			files with data that is freed after removal
 *				(torture_remove_own.c)
 *
 * The five directories stay until the root goes, and even then they are kept.
 */
#ifndef TEST_STRESS_TORTURE_REMOVE_H
#define TEST_STRESS_TORTURE_REMOVE_H

#include "torture.h"

enum remove_counter {
	COUNT_CREATES,
	COUNT_LATE_CREATES,
	COUNT_BY_NAME,
	COUNT_PINNED,
	COUNT_SUBTREES,
	COUNT_RMDIRS,
	COUNT_OPS,
	COUNT_REFUSED,
	COUNT_BREAKS,
	COUNT_SELF_WON,
	COUNT_SELF_LOST,
	COUNT_HIDES,
	COUNT_LANDINGS,
	COUNT_SUNK,
	COUNT_OWN,
	COUNT_RIVALS,
};

/* fixed while threads run */
struct remove_tree {
	struct kernfs_root *root;
	struct kernfs_node *woods, *harbour, *aux, *self, *own;
};

extern struct remove_tree tree;
extern const struct kernfs_ops remove_ops;

/* what to stir; see torture_focus() */
enum remove_area { AREA_WOODS, AREA_SELF, AREA_OWN, NR_AREAS };

/* Has kernfs_destroy_root() been called, or will it be at once? */
bool root_is_going(void);
/*
 * Puts that off, for a thread that needs a node which it just created: nobody
 * else removes it, and no create call returns a reference. Return: false if
 * the root is going already, and then there is nothing to let go.
 */
bool root_hold(void);
void root_let_go(void);

/* --- torture_remove_ops.c: operations --- */

/* One operation on a file of /woods or /aux, if it can be had. */
void operate(struct torture_thread *t, struct kernfs_node *kn);
/* The same, with nothing in it that could wait for another operation. */
void operate_briefly(struct torture_thread *t, struct kernfs_node *kn);
/* Removes @kn from inside an operation on it. Return: did we do it? */
bool remove_self(struct torture_thread *t, struct kernfs_node *kn);
void self_round(struct torture_thread *t);

/* the root's hooks */
extern const struct kernfs_syscall_ops remove_hooks;

/* --- torture_remove_tree.c: the woods --- */

void make_round(struct torture_thread *t);
void remove_round(struct torture_thread *t);
void use_round(struct torture_thread *t);
void hide_round(struct torture_thread *t);
void boat_round(struct torture_thread *t);
void boat_end(struct torture_thread *t);

/* --- torture_remove_own.c: data that is freed --- */

void own_round(struct torture_thread *t);
void visit_round(struct torture_thread *t);
/* Removes a file that its owner is removing, too. */
void rival_round(struct torture_thread *t);

#endif /* TEST_STRESS_TORTURE_REMOVE_H */
