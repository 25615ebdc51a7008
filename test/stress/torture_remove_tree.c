/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The woods: a few names at three levels that threads create and remove all
 * the time, so that most removals overlap with others.
 */
#include "torture_remove.h"

#include <stdio.h>
#include <string.h>

#include "book.h"
#include "fs/kernfs/kernfs-internal.h"

#define NR_BOATS 4

/* A place in the woods where a node may be. */
struct spot {
	char dir[8]; /* from the woods; "" is the woods themselves */
	char name[8];
	bool is_dir;
};

static const char *const any_name[] = { "a0",	 "a1",	  "b0",	   "b1",
					"f0",	 "f1",	  "boat0", "boat1",
					"boat2", "boat3", "late" };

static void random_dir(struct torture_thread *t, unsigned int level,
		       char ret_dir[static 8])
{
	unsigned int a = torture_random(t, 2), b = torture_random(t, 2);

	if (level == 0)
		ret_dir[0] = '\0';
	else if (level == 1)
		snprintf(ret_dir, 8, "a%u", a);
	else
		snprintf(ret_dir, 8, "a%u/b%u", a, b);
}

static struct spot random_spot(struct torture_thread *t)
{
	unsigned int dice = torture_random(t, 8);
	unsigned int level = dice < 1 ? 0 : dice < 4 ? 1 : 2;
	struct spot s;
	char kind;

	random_dir(t, level, s.dir);
	s.is_dir = level == 0 || (level == 1 && torture_random(t, 2));
	kind = level == 0 ? 'a' : s.is_dir ? 'b' : 'f';
	snprintf(s.name, sizeof(s.name), "%c%u", kind, torture_random(t, 2));
	return s;
}

static struct kernfs_node *get_dir(const char *dir)
{
	return kernfs_walk_and_get(tree.woods, dir);
}

static struct kernfs_node *get_spot(const struct spot *s)
{
	struct kernfs_node *dir = get_dir(s->dir), *kn;

	kn = dir ? kernfs_find_and_get(dir, s->name) : NULL;
	kernfs_put(dir);
	return kn;
}

/* --- making --- */

static long make_file(struct kernfs_node *dir, const char *name)
{
	struct kernfs_node *kn = __kernfs_create_file(dir, name, 0644, 0, 0, 0,
						      &remove_ops, NULL, NULL);

	return IS_ERR(kn) ? PTR_ERR(kn) : 0;
}

static long make_dir(struct torture_thread *t, struct kernfs_node *dir,
		     const char *name)
{
	struct kernfs_node *kn;

	if (torture_random(t, 2))
		return kernfs_iop_mkdir(dir, name, 0755);
	kn = kernfs_create_dir(dir, name, 0755, NULL);
	return IS_ERR(kn) ? PTR_ERR(kn) : 0;
}

static void make(struct torture_thread *t, const struct spot *s)
{
	struct kernfs_node *dir = get_dir(s->dir);
	bool late;
	long err;

	if (!dir)
		return;
	late = is_buried(dir);
	torture_doing(t, "create");
	err = s->is_dir ? make_dir(t, dir, s->name) : make_file(dir, s->name);
	torture_expect(!err || err == -EEXIST || err == -ENOENT ||
			       (err == -ENODEV && s->is_dir),
		       "create %s/%s: %ld", s->dir, s->name, err);
	torture_expect(!late || err == -ENOENT || err == -ENODEV,
		       "create %s in %s, which is removed: %ld", s->name,
		       s->dir, err);
	if (late)
		torture_count(t, COUNT_LATE_CREATES);
	else if (!err)
		torture_count(t, COUNT_CREATES);
	kernfs_put(dir);
	torture_pause(t);
}

/* Plants faster than is cut down: with the directories on the way to it. */
void make_round(struct torture_thread *t)
{
	const struct spot leaf = random_spot(t);
	struct spot s = { .is_dir = true };

	if (leaf.dir[0]) {
		snprintf(s.name, sizeof(s.name), "%.2s", leaf.dir);
		make(t, &s);
	}
	if (leaf.dir[0] && leaf.dir[2]) {
		snprintf(s.dir, sizeof(s.dir), "%.2s", leaf.dir);
		snprintf(s.name, sizeof(s.name), "%.2s", leaf.dir + 3);
		make(t, &s);
	}
	make(t, &leaf);
}

/* --- removing --- */

/* How many operations a removal that begins now finds in the node. */
static unsigned int inside(const struct kernfs_node *kn)
{
	int active = READ_ONCE(kn->active);

	return (unsigned int)(active < 0 ? active - KN_DEACTIVATED_BIAS :
					   active);
}

/* A directory whose removal has returned has no child and gets none. */
static void check_gone_dir(struct torture_thread *t, struct kernfs_node *dir)
{
	long err;

	for (unsigned int i = 0; i < sizeof(any_name) / sizeof(any_name[0]);
	     i++) {
		struct kernfs_node *kn = kernfs_find_and_get(dir, any_name[i]);

		torture_expect(!kn, "%s is in a directory that is removed",
			       any_name[i]);
	}
	err = make_file(dir, "late");
	torture_expect(err == -ENOENT, "create in a directory removed: %ld",
		       err);
	torture_count(t, COUNT_LATE_CREATES);
}

/* A removal of @kn, or of a directory it was in, has returned. */
static void check_gone(struct torture_thread *t, struct kernfs_node *kn)
{
	torture_expect(!kernfs_active(kn), "active after its removal");
	if (kernfs_type(kn) == KERNFS_DIR)
		check_gone_dir(t, kn);
	bury(kn);
}

#define MAX_PINNED 16

/* Some of what is below @dir and so will be gone when @dir is. */
static unsigned int pin_below(struct kernfs_node *dir,
			      struct kernfs_node *pinned[MAX_PINNED])
{
	static const char *const path[] = { "f0", "f1",	   "b0",
					    "b1", "b0/f0", "b1/f1" };
	unsigned int nr = 0;

	for (unsigned int i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		pinned[nr] = kernfs_walk_and_get(dir, path[i]);
		nr += !!pinned[nr];
	}
	return nr;
}

static void remove_one(struct torture_thread *t, const struct spot *s,
		       struct kernfs_node *kn)
{
	struct kernfs_node *dir;
	int err;

	switch (torture_random(t, s->is_dir ? 3 : 2)) {
	case 0:
		torture_doing(t, "remove_by_name");
		torture_count(t, COUNT_BY_NAME);
		/* of where it was found: so it is gone, whoever did it */
		dir = kernfs_get_parent(kn);
		err = kernfs_remove_by_name(dir, s->name);
		kernfs_put(dir);
		torture_expect(!err || err == -ENOENT, "remove %s/%s: %d",
			       s->dir, s->name, err);
		break;
	case 1:
		torture_doing(t, "remove");
		torture_count(t, COUNT_PINNED);
		kernfs_remove(kn);
		break;
	default:
		torture_doing(t, "rmdir");
		torture_count(t, COUNT_RMDIRS);
		err = kernfs_iop_rmdir(kn);
		torture_expect(!err || err == -ENOENT || err == -ENODEV,
			       "rmdir %s/%s: %d", s->dir, s->name, err);
		/* being removed; by whom and how far we do not know */
		if (err == -ENODEV)
			kernfs_remove(kn);
		break;
	}
}

void remove_round(struct torture_thread *t)
{
	struct kernfs_node *below[MAX_PINNED];
	const struct spot s = random_spot(t);
	struct kernfs_node *kn = get_spot(&s);
	unsigned int nr = 0;

	if (!kn)
		return;
	if (s.is_dir) {
		nr = pin_below(kn, below);
		torture_count(t, COUNT_SUBTREES);
	}
	torture_histogram(t, inside(kn));
	remove_one(t, &s, kn);
	check_gone(t, kn);
	while (nr--) {
		check_gone(t, below[nr]);
		kernfs_put(below[nr]);
	}
	kernfs_put(kn);
	torture_pause(t);
}

/* --- using --- */

static struct kernfs_node *random_boat(struct torture_thread *t)
{
	char path[16], dir[8];

	random_dir(t, torture_random(t, 3), dir);
	snprintf(path, sizeof(path), "%s/boat%u", dir,
		 torture_random(t, NR_BOATS));
	return kernfs_walk_and_get(tree.woods, path);
}

void use_round(struct torture_thread *t)
{
	struct kernfs_node *kn;
	struct spot s;

	if (!torture_random(t, 8)) {
		kn = kernfs_find_and_get(tree.aux, "x0");
		if (kn)
			operate_briefly(t, kn);
		kernfs_put(kn);
		return;
	}
	s = random_spot(t);
	kn = torture_random(t, 4) ? get_spot(&s) : random_boat(t);
	if (kn && kernfs_type(kn) == KERNFS_FILE)
		operate(t, kn);
	kernfs_put(kn);
}

void hide_round(struct torture_thread *t)
{
	const struct spot s = random_spot(t);
	struct kernfs_node *kn = s.is_dir ? random_boat(t) : get_spot(&s);
	bool show = torture_random(t, 2);

	if (kn) {
		torture_doing(t, show ? "show" : "hide");
		kernfs_show(kn, show);
		torture_count(t, COUNT_HIDES);
	}
	kernfs_put(kn);
	torture_pause(t);
}

/* --- boats: renamed into what may be removed --- */

static struct kernfs_node *build_boat(struct torture_thread *t)
{
	struct kernfs_node *kn;
	char name[8];

	if (!root_hold())
		return NULL;
	snprintf(name, sizeof(name), "boat%u", t->index);
	kn = __kernfs_create_file(tree.harbour, name, 0644, 0, 0, 0,
				  &remove_ops, NULL, NULL);
	torture_expect(!IS_ERR(kn), "create %s: %ld", name, PTR_ERR(kn));
	kernfs_get(kn);
	root_let_go();
	return kn;
}

/* Where it is going is removed, or where it was, or it was hidden. */
static void check_wreck(struct torture_thread *t, struct kernfs_node *kn)
{
	/* shown again, it is active unless it is being removed */
	kernfs_show(kn, true);
	if (kernfs_active(kn))
		return;
	torture_doing(t, "remove a boat");
	kernfs_remove(kn);
	check_gone(t, kn);
	torture_count(t, COUNT_SUNK);
	kernfs_put(kn);
	t->own = NULL;
}

static void sail(struct torture_thread *t, struct kernfs_node *kn)
{
	struct kernfs_node *to;
	char dir[8], name[8];
	bool late;
	int err;

	snprintf(name, sizeof(name), "boat%u", t->index);
	random_dir(t, torture_random(t, 3), dir);
	to = torture_random(t, 4) ? get_dir(dir) : tree.harbour;
	if (to == tree.harbour)
		kernfs_get(to);
	if (!to)
		return;
	late = is_buried(to);
	torture_doing(t, "rename");
	err = torture_random(t, 2) ? kernfs_rename(kn, to, NULL) :
				     kernfs_iop_rename(kn, to, name, 0);
	torture_expect(!err || err == -ENOENT || err == -ENODEV, "rename: %d",
		       err);
	torture_expect(!late || err, "renamed into a directory removed");
	if (!err)
		torture_count(t, COUNT_LANDINGS);
	else
		check_wreck(t, kn);
	kernfs_put(to);
}

void boat_round(struct torture_thread *t)
{
	if (t->index >= NR_BOATS)
		return;
	if (!t->own)
		t->own = build_boat(t);
	if (t->own)
		sail(t, t->own);
	torture_pause(t);
}

void boat_end(struct torture_thread *t)
{
	struct kernfs_node *kn = t->own;

	if (!kn)
		return;
	/* its name must be free for the next run */
	kernfs_remove(kn);
	check_gone(t, kn);
	kernfs_put(kn);
}
