/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A path walked again and again, as the kernel walks its dentry cache:
 * permission on each directory, revalidation of each remembered name, and a
 * lookup only where that fails.
 *
 * Each remembered name holds a reference on its node, and with it on the
 * directory the next name is in; so a warm walk takes none.
 */
#include "fs/kernfs/kernfs-internal.h"

#include <stdlib.h>
#include <string.h>

struct component {
	struct kernfs_dentry d; /* parent NULL: nothing remembered */
	const char *name;
};

struct kernfs_walk {
	struct kernfs_node *start; /* counted */
	const struct ns_common *ns;
	unsigned int nr;
	struct component *component;
	char path[]; /* cut into names */
};

static unsigned int count_components(const char *path)
{
	unsigned int nr = 0;

	for (path += strspn(path, "/"); *path; path += strspn(path, "/")) {
		path += strcspn(path, "/");
		nr++;
	}
	return nr;
}

static void cut(struct kernfs_walk *walk)
{
	char *save, *name = strtok_r(walk->path, "/", &save);

	for (unsigned int i = 0; i < walk->nr; i++) {
		walk->component[i].name = name;
		name = strtok_r(NULL, "/", &save);
	}
}

struct kernfs_walk *kernfs_walk_create(struct kernfs_node *start,
				       const char *path,
				       const struct ns_common *ns)
{
	unsigned int nr = count_components(path);
	size_t len = strlen(path) + 1;
	struct kernfs_walk *walk;

	if (len > KERNFS_PATH_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	if (!nr)
		return ERR_PTR(-EINVAL);
	walk = malloc(sizeof(*walk) + len);
	if (!walk)
		return ERR_PTR(-ENOMEM);
	walk->component = calloc(nr, sizeof(*walk->component));
	if (!walk->component) {
		free(walk);
		return ERR_PTR(-ENOMEM);
	}
	kernfs_get(start);
	walk->start = start;
	walk->ns = ns;
	walk->nr = nr;
	memcpy(walk->path, path, len);
	cut(walk);
	return walk;
}

/* Forgets the names from the @i-th on: they are below another node now. */
static void forget_from(struct kernfs_walk *walk, unsigned int i)
{
	for (; i < walk->nr && walk->component[i].d.parent; i++) {
		kernfs_put(walk->component[i].d.kn);
		walk->component[i].d.parent = NULL;
		walk->component[i].d.kn = NULL;
	}
}

void kernfs_walk_destroy(struct kernfs_walk *walk)
{
	if (!walk)
		return;
	forget_from(walk, 0);
	kernfs_put(walk->start);
	free(walk->component);
	free(walk);
}

/* Looks the @i-th name up in @dir and remembers the answer. */
static int look_up(struct kernfs_walk *walk, unsigned int i,
		   struct kernfs_node *dir)
{
	struct component *c = &walk->component[i];

	forget_from(walk, i);
	switch (kernfs_iop_lookup(dir, c->name, walk->ns, &c->d)) {
	case 0:
		return 0;
	case -ENOTDIR:
		return -ENOTDIR;
	default: /* absent, or there but not to be seen */
		return -ENOENT;
	}
}

int kernfs_walk(struct kernfs_walk *walk, const struct kernfs_cred *cred,
		struct kernfs_node **ret_kn)
{
	struct kernfs_node *dir = walk->start;
	int err;

	for (unsigned int i = 0; i < walk->nr; i++) {
		struct kernfs_dentry *d = &walk->component[i].d;

		if (!kernfs_is(dir, KERNFS_DIR))
			return -ENOTDIR;
		err = kernfs_iop_permission(dir, cred, KERNFS_MAY_EXEC);
		if (err)
			return err;
		if (d->parent != dir || !kernfs_dop_revalidate(d)) {
			err = look_up(walk, i, dir);
			if (err)
				return err;
		}
		if (!d->kn)
			return -ENOENT;
		dir = d->kn;
	}
	*ret_kn = dir;
	return 0;
}
