/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * torture_lookup: everything that reads a tree, against everything that
 * changes it but removal of subtrees: creating, removing, hiding and renaming
 * of single nodes, and changes of attributes.
 *
 * Every name and every node has one thread that changes it and that publishes
 * what is true of it now; so readers know what they must see, unless it
 * changed while they looked. The histogram shows how often that happened.
 */
#include "torture_lookup.h"

struct kernfs_root *lookup_root;

static void reader_round(struct torture_thread *t)
{
	unsigned int area = torture_focus(NR_AREAS);

	torture_pause(t);
	if (!torture_random(t, 8))
		area = torture_random(t, NR_AREAS);
	switch ((enum lookup_area)area) {
	case AREA_LISTS:
		check_listing(t);
		check_dir_attrs(t);
		break;
	case AREA_ATTRS:
		check_attrs(t);
		break;
	case AREA_MOVES:
		check_move(t);
		break;
	default:
		look_at_name(t);
		check_names_and_paths(t);
		break;
	}
}

static void rest_unless(bool in_focus)
{
	if (!in_focus)
		torture_rest();
}

static void hunter_round(struct torture_thread *t)
{
	rest_unless(torture_focus(NR_AREAS) == AREA_NAMES);
	hunt_round(t);
}

static void churner_round(struct torture_thread *t)
{
	unsigned int area = torture_focus(NR_AREAS);

	rest_unless(area == AREA_NAMES || area == AREA_LISTS);
	churn_round(t);
}

static void hider_round(struct torture_thread *t)
{
	unsigned int area = torture_focus(NR_AREAS);

	rest_unless(area == AREA_NAMES || area == AREA_LISTS);
	hide_round(t);
}

static void chmodder_round(struct torture_thread *t)
{
	rest_unless(torture_focus(NR_AREAS) == AREA_ATTRS);
	chmod_round(t);
}

static void mover_round(struct torture_thread *t)
{
	rest_unless(torture_focus(NR_AREAS) == AREA_MOVES);
	move_round(t);
}

enum { READER, HUNTER, CHURNER, HIDER, CHMODDER, MOVER, NR_ROLES };

static const struct torture_role roles[NR_ROLES] = {
	[READER] = { "reader", 4, look_begin, reader_round, look_end },
	[HUNTER] = { "hunter", 1, look_begin, hunter_round, look_end },
	[CHURNER] = { "churner", 2, NULL, churner_round, NULL },
	[HIDER] = { "hider", 1, NULL, hider_round, NULL },
	[CHMODDER] = { "chmodder", 1, NULL, chmodder_round, NULL },
	[MOVER] = { "mover", 2, NULL, mover_round, NULL },
};

static const struct torture_program program = {
	.name = "torture_lookup",
	.counter = {
		[COUNT_LOOKS] = "looks at a name",
		[COUNT_JUDGED] = "of them judged",
		[COUNT_PRESENT] = "of them with the name present",
		[COUNT_HUNTS] = "lookups of a name that comes and goes",
		[COUNT_NEGATIVES] = "remembered absences tested",
		[COUNT_LISTINGS] = "listings",
		[COUNT_GETATTRS] = "getattrs of tagged files",
		[COUNT_PERMISSIONS] = "permission checks of tagged files",
		[COUNT_PATHS] = "names, paths and links of nodes that stay",
		[COUNT_CREATES] = "creates and removes",
		[COUNT_HIDES] = "hides and shows",
		[COUNT_CHMODS] = "changes of owner, mode and times",
		[COUNT_RENAMES] = "renames",
		[COUNT_TAKEN] = "renames to a name that was taken",
		[COUNT_MOVE_CHECKS] = "checks of a node that is renamed",
		[COUNT_MOVE_JUDGED] = "of them judged",
	},
	.histogram = "changes seen by one check",
	.threads = 11,
};

int main(int argc, char *argv[])
{
	torture_begin(&program, argc, argv);
	nr_churners = torture_nr_threads(roles, NR_ROLES, CHURNER);
	nr_hiders = torture_nr_threads(roles, NR_ROLES, HIDER);
	nr_movers = torture_nr_threads(roles, NR_ROLES, MOVER);
	lookup_root = torture_create_root(NULL, 0);
	names_build();
	attrs_build();
	moves_build();
	torture_run(roles, NR_ROLES);
	torture_destroy_root(lookup_root);
	return torture_end();
}
