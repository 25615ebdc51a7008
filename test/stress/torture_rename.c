/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * torture_rename: many threads rename the same few nodes among the same few
 * directories, which are renamed themselves, while others read paths and link
 * texts. Each must be one that existed at some moment of the call.
 */
#include "torture_rename.h"

#include <stdio.h>
#include <string.h>

#include "fs/kernfs/kernfs-internal.h"

enum {
	COUNT_RENAMES,
	COUNT_TAKEN,
	COUNT_PATHS,
	COUNT_RELATIVE,
	COUNT_LINKS,
	COUNT_FORGOTTEN,
	COUNT_WALKS,
	COUNT_REACHED,
	COUNT_LISTINGS,
};

struct node node[NR_NODES];

static struct kernfs_root *root;
/* one in the root, one in each directory at the lowest level of those */
#define NR_LINKS (1 + NR_AT_LEVEL)

static struct link {
	struct kernfs_node *kn;
	unsigned int target;
	unsigned int depth; /* of the directory it is in */
} links[NR_LINKS * 2];

static const struct kernfs_ops no_ops;

/* --- building --- */

static struct kernfs_node *made(struct kernfs_node *kn, const char *name)
{
	torture_expect(!IS_ERR(kn), "create %s: %ld", name, PTR_ERR(kn));
	return kn;
}

static void make_node(unsigned int nr)
{
	unsigned int level = level_of(nr);
	unsigned int above = level ? nr - NR_AT_LEVEL : 0;
	struct kernfs_node *dir = level ? node[above].kn :
					  kernfs_root_to_node(root);
	char name[NAME_LEN];
	uint64_t stamp = log_begin(nr, above, name);

	if (level == NR_LEVELS - 1) {
		node[nr].kn = made(__kernfs_create_file(dir, name, 0444, 0, 0,
							0, &no_ops, NULL, NULL),
				   name);
	} else {
		node[nr].kn =
			made(kernfs_create_dir(dir, name, 0755, NULL), name);
		made(kernfs_create_dir(node[nr].kn, "taken", 0755, NULL),
		     "taken");
	}
	node[nr].id = kernfs_id(node[nr].kn);
	log_end(nr, stamp);
}

static void make_links(struct kernfs_node *dir, unsigned int depth,
		       unsigned int at, unsigned int file)
{
	/* to a file, and to a directory that may be above the link */
	const unsigned int target[2] = { file, NR_AT_LEVEL };

	for (unsigned int i = 0; i < 2; i++) {
		const char name[] = { 'l', (char)('0' + i), '\0' };
		struct link *l = &links[2 * at + i];

		l->target = target[i];
		l->depth = depth;
		l->kn = made(kernfs_create_link(dir, name, node[target[i]].kn),
			     name);
	}
}

static void build(void)
{
	const unsigned int dirs = (NR_LEVELS - 2) * NR_AT_LEVEL;
	const unsigned int files = (NR_LEVELS - 1) * NR_AT_LEVEL;

	root = torture_create_root(NULL, 0);
	for (unsigned int i = 0; i < NR_NODES; i++)
		make_node(i);
	make_links(kernfs_root_to_node(root), 0, 0, files);
	for (unsigned int i = 0; i < NR_AT_LEVEL; i++)
		make_links(node[dirs + i].kn, NR_LEVELS - 1, 1 + i, files + i);
}

/* --- renaming --- */

/* Some node at the level above that of @nr. */
static unsigned int random_above(struct torture_thread *t, unsigned int nr)
{
	return (level_of(nr) - 1) * NR_AT_LEVEL +
	       torture_random(t, NR_AT_LEVEL);
}

static void rename_round(struct torture_thread *t)
{
	unsigned int nr =
		NR_AT_LEVEL + torture_random(t, NR_NODES - NR_AT_LEVEL);
	unsigned int to = random_above(t, nr);
	char name[NAME_LEN];
	uint64_t stamp;
	int err;

	if (!torture_random(t, 16)) {
		torture_doing(t, "rename to a name that is taken");
		err = kernfs_rename(node[nr].kn, node[to].kn, "taken");
		torture_expect(err == -EEXIST, "rename to taken: %d", err);
		torture_count(t, COUNT_TAKEN);
		return;
	}
	stamp = log_begin(nr, to, name);
	torture_doing(t, "rename");
	err = kernfs_rename(node[nr].kn, node[to].kn, name);
	torture_expect(!err, "rename to %s: %d", name, err);
	log_end(nr, stamp);
	torture_count(t, COUNT_RENAMES);
	torture_pause(t);
}

/* --- reading --- */

static unsigned int random_node(struct torture_thread *t)
{
	return torture_random(t, NR_NODES);
}

/* How often @prefix comes at the start of *@text, which is then behind it. */
static unsigned int skip(const char **text, const char *prefix)
{
	size_t len = strlen(prefix);
	unsigned int nr = 0;

	for (; !strncmp(*text, prefix, len); nr++)
		*text += len;
	return nr;
}

static void judge(struct torture_thread *t, const char *names,
		  unsigned int nr_names, unsigned int nr, uint64_t start)
{
	if (!log_judge(names, nr_names, nr, start))
		torture_count(t, COUNT_FORGOTTEN);
	torture_histogram(t, log_now() - start);
}

/* A path that was right a moment ago leads to its node or to nothing. */
static void walk(struct torture_thread *t, const char *path, unsigned int nr)
{
	struct kernfs_node *kn;

	torture_doing(t, "walk");
	kn = kernfs_walk_and_get(kernfs_root_to_node(root), path);
	torture_expect(!kn || kn == node[nr].kn, "%s leads elsewhere", path);
	torture_count(t, COUNT_WALKS);
	if (kn)
		torture_count(t, COUNT_REACHED);
	kernfs_put(kn);
}

static void check_path(struct torture_thread *t)
{
	unsigned int nr = random_node(t);
	uint64_t start = log_now();
	char path[KERNFS_PATH_MAX];
	int len;

	torture_doing(t, "path");
	len = kernfs_path(node[nr].kn, path, sizeof(path));
	torture_expect(len == (int)strlen(path) && path[0] == '/',
		       "path of %d bytes: %s", len, path);
	judge(t, path + 1, level_of(nr) + 1, nr, start);
	torture_count(t, COUNT_PATHS);
	walk(t, path, nr);
}

/* So many levels up and so many down: both from the one common ancestor. */
static void check_relative(struct torture_thread *t)
{
	unsigned int to = random_node(t), from = random_node(t), up, down;
	uint64_t start = log_now();
	char path[KERNFS_PATH_MAX];
	const char *names = path;
	int len;

	torture_doing(t, "path_from_node");
	len = kernfs_path_from_node(node[to].kn, node[from].kn, path,
				    sizeof(path));
	torture_expect(len == (int)strlen(path), "path of %d bytes: %s", len,
		       path);
	torture_count(t, COUNT_RELATIVE);
	up = skip(&names, "/..");
	if (to == from) {
		torture_expect(!strcmp(path, "/"), "from itself: %s", path);
		return;
	}
	torture_expect(up <= level_of(from) + 1 &&
			       level_of(to) + up >= level_of(from),
		       "from node %u to node %u: %s", from, to, path);
	down = level_of(to) + up - level_of(from);
	if (down)
		judge(t, names + 1, down, to, start);
	else
		torture_expect(!*names, "from node %u up to node %u: %s", from,
			       to, path);
}

static void check_link(struct torture_thread *t)
{
	const struct link *l = &links[torture_random(t, NR_LINKS * 2)];
	char text[KERNFS_PATH_MAX];
	uint64_t start = log_now();
	const char *names = text;
	unsigned int up;
	int len;

	torture_doing(t, "get_link");
	len = kernfs_iop_get_link(l->kn, text);
	torture_expect(len == (int)strlen(text), "text of %d bytes: %s", len,
		       text);
	up = skip(&names, "../");
	torture_expect(up <= l->depth &&
			       level_of(l->target) + 1 + up > l->depth,
		       "link to node %u: %s", l->target, text);
	judge(t, names, level_of(l->target) + 1 + up - l->depth, l->target,
	      start);
	torture_count(t, COUNT_LINKS);
}

static bool fill(void *ctx, const struct kernfs_dirent *de)
{
	unsigned int *seen = ctx, nr;

	if (de->name[0] != 'n')
		return true;
	nr = log_node_of(de->name);
	torture_expect(de->ino == node[nr].id, "%s has id %llu", de->name,
		       (unsigned long long)de->ino);
	seen[nr]++;
	return true;
}

/* A batch is of one moment, and a directory here fits into one. */
static void check_dir(struct torture_thread *t)
{
	unsigned int nr = torture_random(t, NR_NODES - NR_AT_LEVEL);
	unsigned int seen[NR_NODES] = { 0 };
	int err;

	torture_doing(t, "readdir");
	err = kernfs_fop_readdir(node[nr].kn, NULL, 0, fill, seen);
	torture_expect(!err, "readdir: %d", err);
	for (unsigned int i = 0; i < NR_NODES; i++)
		torture_expect(seen[i] <= (level_of(i) == level_of(nr) + 1),
			       "node %u is listed %u times in node %u", i,
			       seen[i], nr);
	torture_count(t, COUNT_LISTINGS);
}

/* What a node is does not change with its name. */
static void check_node(struct torture_thread *t)
{
	unsigned int nr = random_node(t), above;
	struct kernfs_node *parent;
	char name[NAME_LEN];
	int len;

	torture_doing(t, "name and parent");
	len = kernfs_name(node[nr].kn, name, sizeof(name));
	torture_expect(len == (int)strlen(name) && log_node_of(name) == nr,
		       "node %u is called %s", nr, name);
	torture_expect(kernfs_id(node[nr].kn) == node[nr].id &&
			       kernfs_active(node[nr].kn),
		       "node %u is another", nr);
	parent = kernfs_get_parent(node[nr].kn);
	kernfs_name(parent, name, sizeof(name));
	if (level_of(nr)) {
		above = log_node_of(name);
		torture_expect(parent == node[above].kn &&
				       level_of(above) + 1 == level_of(nr),
			       "node %u is in node %u", nr, above);
	}
	kernfs_put(parent);
}

static void read_round(struct torture_thread *t)
{
	switch (torture_random(t, 8)) {
	case 0:
		check_dir(t);
		break;
	case 1:
		check_node(t);
		break;
	case 2:
	case 3:
		check_relative(t);
		break;
	case 4:
	case 5:
		check_link(t);
		break;
	default:
		check_path(t);
		break;
	}
	torture_pause(t);
}

/* --- at the end --- */

/* Its own reference, one for each child, and one for each link to it. */
static void check_count(unsigned int nr)
{
	struct kernfs_node *kn = node[nr].kn, *child;
	uint64_t pos = 0;
	int held = 1;

	for (unsigned int i = 0; i < NR_LINKS * 2; i++)
		held += links[i].target == nr;
	if (kernfs_type(kn) == KERNFS_DIR)
		for (child = kernfs_child_at(kn, 0, &pos); child;
		     child = kernfs_child_next(kn, child, pos, &pos))
			held++;
	torture_expect(kn->count == held, "node %u has %d references, not %d",
		       nr, kn->count, held);
}

static const struct torture_role roles[] = {
	{ "renamer", 1, NULL, rename_round, NULL },
	{ "reader", 1, NULL, read_round, NULL },
};

#define NR_ROLES (sizeof(roles) / sizeof(roles[0]))

static const struct torture_program program = {
	.name = "torture_rename",
	.counter = {
		[COUNT_RENAMES] = "renames",
		[COUNT_TAKEN] = "renames to a name that is taken",
		[COUNT_PATHS] = "paths",
		[COUNT_RELATIVE] = "paths from one node to another",
		[COUNT_LINKS] = "link texts",
		[COUNT_FORGOTTEN] = "of all these too old to be judged",
		[COUNT_WALKS] = "walks along a path",
		[COUNT_REACHED] = "of them that reached the node",
		[COUNT_LISTINGS] = "listings",
	},
	.histogram = "starts and ends of renames during one reading",
	.threads = 8,
};

int main(int argc, char *argv[])
{
	torture_begin(&program, argc, argv);
	build();
	torture_run(roles, NR_ROLES);
	for (unsigned int i = 0; i < NR_NODES; i++)
		check_count(i);
	torture_destroy_root(root);
	return torture_end();
}
