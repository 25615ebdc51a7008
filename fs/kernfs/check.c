/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Invariants of a whole tree that nobody changes meanwhile, for tests and
 * debug builds. It looks at everything twice, by the search tree and by the
 * table, since each is the other's witness.
 */
#include "fs/kernfs/kernfs-internal.h"

#include <stdio.h>

struct check {
	unsigned int wrong;
};

static void wrong(struct check *c, struct kernfs_node *kn, const char *what)
{
	char path[KERNFS_PATH_MAX];

	if (kernfs_path(kn, path, sizeof(path)) < 0)
		path[0] = '\0';
	fprintf(stderr, "kernfs_check_tree: %s: %s\n", path, what);
	c->wrong++;
}

#define expect(c, kn, cond)                                                    \
	do {                                                                   \
		if (!(cond))                                                   \
			wrong((c), (kn), #cond);                               \
	} while (0)

static void check_node(struct check *c, struct kernfs_node *kn)
{
	const struct kernfs_name *name = kn->name;
	unsigned int flags = kernfs_flags(kn);
	unsigned int type = flags & KERNFS_TYPE_MASK;

	expect(c, kn, kn->count > 0);
	expect(c, kn, !(kn->seq & 1));
	expect(c, kn, flags & KERNFS_LINKED);
	expect(c, kn, type == KERNFS_DIR || type == KERNFS_FILE ||
			      type == KERNFS_LINK);
	expect(c, kn, kn->active == KN_DEACTIVATED_BIAS || kn->active == 0);
	expect(c, kn, kn->active || !(flags & (KERNFS_HIDDEN |
					       KERNFS_REMOVING)));
	if (name->parent)
		expect(c, kn,
		       name->hash == kernfs_name_hash(name->str, name->ns));
}

static void check_child(struct check *c, struct kernfs_node *dir,
			struct kernfs_node *kn, const struct kernfs_name *prev)
{
	struct kernfs_key key;

	kernfs_key_init(&key, kn->name->str, kn->name->ns);
	expect(c, kn, kn->name->parent == dir);
	expect(c, kn, kernfs_find_ns(dir, &key) == kn);
	expect(c, kn, kernfs_ns_enabled(dir) == !!kn->name->ns);
	if (prev)
		expect(c, kn, kernfs_name_compare(&key, prev) > 0);
}

static void check_dir(struct check *c, struct kernfs_node *dir)
{
	const struct kernfs_name *prev = NULL;
	unsigned int nr = 0, subdirs = 0;
	struct kernfs_node *kn;
	uint64_t pos = 0;

	expect(c, dir, !(dir->dir.rev & 1));
	for (kn = kernfs_child_at(dir, pos, &pos); kn;
	     kn = kernfs_child_next(dir, kn, pos, &pos)) {
		check_child(c, dir, kn, prev);
		prev = kn->name;
		subdirs += kernfs_is(kn, KERNFS_DIR);
		nr++;
	}
	expect(c, dir, subdirs == dir->subdirs);
	expect(c, dir, nr == (dir->dir.tab ? dir->dir.tab->live : 0));
	/* one reference each, its own, and at least that of being linked */
	expect(c, dir, dir->count > (int)nr);
}

unsigned int kernfs_check_tree(struct kernfs_root *root)
{
	struct check c = { 0 };
	struct kernfs_node *kn = root->kn, *next;

	for (;;) {
		check_node(&c, kn);
		next = NULL;
		if (kernfs_is(kn, KERNFS_DIR)) {
			uint64_t pos;

			check_dir(&c, kn);
			next = kernfs_child_at(kn, 0, &pos);
		}
		while (!next && kn != root->kn) {
			struct kernfs_node *parent = kn->name->parent;
			uint64_t pos = kn->name->hash;

			next = kernfs_child_next(parent, kn, pos, &pos);
			kn = parent;
		}
		if (!next)
			return c.wrong;
		kn = next;
	}
}
