/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of torture_lookup share: the tree, and who changes which
 * part of it.
 *
 *	/d0 ... /q0 ...		directories that stay, with names in them:
 *				names that stay, names that are created and
 *				removed, names that are hidden and shown
 *				(torture_lookup_names.c, _look.c, _list.c)
 *	/tags			files whose owner, mode and times are changed
 *				together (torture_lookup_attr.c)
 *	/m0 ... /links		nodes that are renamed, and links to them
 *				(torture_lookup_move.c)
 */
#ifndef TEST_STRESS_TORTURE_LOOKUP_H
#define TEST_STRESS_TORTURE_LOOKUP_H

#include "torture.h"

enum lookup_counter {
	COUNT_LOOKS,
	COUNT_JUDGED,
	COUNT_PRESENT,
	COUNT_HUNTS,
	COUNT_NEGATIVES,
	COUNT_LISTINGS,
	COUNT_GETATTRS,
	COUNT_PERMISSIONS,
	COUNT_PATHS,
	COUNT_CREATES,
	COUNT_HIDES,
	COUNT_CHMODS,
	COUNT_RENAMES,
	COUNT_TAKEN,
	COUNT_MOVE_CHECKS,
	COUNT_MOVE_JUDGED,
};

/* what to stir; see torture_focus() */
enum lookup_area { AREA_NAMES, AREA_LISTS, AREA_ATTRS, AREA_MOVES, NR_AREAS };

/* fixed while threads run */
extern struct kernfs_root *lookup_root;

/* --- torture_lookup_names.c: names that come and go --- */

#define NR_BUSY 3  /* directories with many names */
#define NR_QUIET 3 /* with one name: its negatives live longer */
#define NR_DIRS (NR_BUSY + NR_QUIET)
#define MAX_NAMES (NR_BUSY * 64 + NR_QUIET)

enum name_kind {
	NAME_STAYS,
	NAME_CHURNED, /* created and removed */
	NAME_HIDDEN,  /* hidden and shown */
};

/*
 * What is true of a name now, in the low bits of its state; the rest counts
 * changes. Only its owner changes it: to the next phase before it starts to
 * change the tree, and to the one after when it has done so. A reader that
 * finds the same state before and after a look knows what it must have seen.
 */
enum name_phase {
	PHASE_AWAY,
	PHASE_COMING,
	PHASE_HERE,
	PHASE_GOING,
	NR_PHASES,
};

struct name {
	enum name_kind kind;
	unsigned int dir;
	char str[16];
	char path[32];	/* from the root, without the leading '/' */
	uint64_t state; /* atomic; phase in the low bits */
	/* of the node that is here; atomic, published by state */
	uint64_t id;
	bool is_dir; /* atomic, as id */
	/* fixed, unless it is churned */
	struct kernfs_node *kn;
};

struct directory {
	struct kernfs_node *kn;
	char str[8];
	unsigned int first, nr; /* its names */
};

extern struct directory lookup_dir[NR_DIRS];
extern struct name lookup_name[MAX_NAMES];
extern unsigned int nr_lookup_names;

static inline uint64_t name_state(const struct name *n)
{
	/* after it the reader looks at the tree */
	return smp_load_acquire(&n->state);
}

static inline enum name_phase phase_of(uint64_t state)
{
	return (enum name_phase)(state % NR_PHASES);
}

static inline uint64_t name_state_after(const struct name *n)
{
	/* before it the reader has looked at the tree */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return READ_ONCE(n->state);
}

void names_build(void);
/* rounds: create and remove, hide and show one's own names */
void churn_round(struct torture_thread *t);
void hide_round(struct torture_thread *t);
/* how many threads share the names of each kind; set before they start */
extern unsigned int nr_churners, nr_hiders;

/* --- torture_lookup_look.c: looking one name up --- */

void look_begin(struct torture_thread *t);
/* one look at some name */
void look_at_name(struct torture_thread *t);
/* many at a name that comes and goes, remembering that it was absent */
void hunt_round(struct torture_thread *t);
void look_end(struct torture_thread *t);

/* --- torture_lookup_list.c: a whole directory --- */

void check_listing(struct torture_thread *t);
void check_dir_attrs(struct torture_thread *t);
void check_names_and_paths(struct torture_thread *t);

/* --- torture_lookup_attr.c: owner, mode and times --- */

void attrs_build(void);
void chmod_round(struct torture_thread *t);
void check_attrs(struct torture_thread *t);

/* --- torture_lookup_move.c: renames --- */

void moves_build(void);
void move_round(struct torture_thread *t);
void check_move(struct torture_thread *t);
extern unsigned int nr_movers; /* set before they start */

#endif /* TEST_STRESS_TORTURE_LOOKUP_H */
