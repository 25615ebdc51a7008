/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Random operations on a tree and on a model of it: after each operation both
 * must give the same answer.
 *
 *	model [--seed=N] [--ops=N]
 *
 * The model is as simple as can be: nodes that point to their parent, found by
 * looking at all of them. Nodes of the model are never freed, so that it can
 * also tell what removed nodes answer. One thread: what threads do to each
 * other is the business of test/stress.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fs/kernfs/kernfs-internal.h"

#define NR_OF(array) (sizeof(array) / sizeof((array)[0]))

#define MAX_LIVE 150
#define MAX_DEPTH (MAX_LIVE + 1)
#define DEFAULT_OPS 200000
#define CHECK_EVERY 500

/* --- chance, and what to say when something is wrong --- */

static uint64_t seed, state;
static unsigned long ops = DEFAULT_OPS, op;
static const char *op_name = "start";

static void fail(int line, const char *what)
{
	fprintf(stderr,
		"test/model/model.c:%d: %s: not true: %s\n"
		"operation %lu; to repeat: --seed=%llu --ops=%lu\n",
		line, op_name, what, op, (unsigned long long)seed, op + 1);
	fflush(NULL);
	_exit(EXIT_FAILURE);
}

#define expect(cond) ((cond) ? (void)0 : fail(__LINE__, #cond))

/* splitmix64: any seed will do */
static uint64_t next_random(void)
{
	uint64_t x = state += UINT64_C(0x9E3779B97F4A7C15);

	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

static unsigned int below(unsigned int limit)
{
	return (unsigned int)(next_random() % limit);
}

static bool one_in(unsigned int n)
{
	return below(n) == 0;
}

/* the second half share one hash */
static const char *const names[] = {
	"a",	    "bb",	"c.c",	    "dddd",	"e",	    "F",
	"0",	    "~",	"blblbl",   "blblca",	"blcabl",   "blcaca",
	"cablbl",   "cablca",	"cacabl",   "cacaca",
};

static const char *some_name(void)
{
	return names[below(NR_OF(names))];
}

/* --- the model --- */

struct node {
	struct kernfs_node *kn;
	struct node *next_ever;	   /* all that ever were */
	struct node *parent;	   /* stays when it is removed */
	const char *name;
	enum kernfs_node_type type;
	mode_t mode;
	bool linked;		   /* false: removed */
	bool activated, hidden;
	bool empty;		   /* no children, ever */
	bool kept;		   /* removed, but we have a reference */
	unsigned long changes;	   /* children that came or went */
	struct node *target;	   /* of a link; NULL: fixed text */
};

static struct kernfs_root *root;
static bool deactivated; /* KERNFS_ROOT_CREATE_DEACTIVATED */
static struct node *ever, *live[MAX_LIVE];
static unsigned int nr_live;

static bool is_active(const struct node *n)
{
	return n->linked && n->activated && !n->hidden;
}

static bool is_dir(const struct node *n)
{
	return n->type == KERNFS_DIR;
}

static struct node *child(const struct node *dir, const char *name)
{
	for (unsigned int i = 0; i < nr_live; i++)
		if (live[i]->parent == dir && !strcmp(live[i]->name, name))
			return live[i];
	return NULL;
}

static bool is_below(const struct node *n, const struct node *top)
{
	for (; n; n = n->parent)
		if (n == top)
			return true;
	return false;
}

/* The nodes from below the root down to @n. Return: how many. */
static unsigned int ancestry(struct node *n, struct node **list)
{
	unsigned int depth = 0;

	for (struct node *p = n; p->parent; p = p->parent)
		depth++;
	for (unsigned int i = depth; i-- > 0; n = n->parent)
		list[i] = n;
	return depth;
}

static struct node *model_add(struct node *parent, const char *name,
			      enum kernfs_node_type type, mode_t mode,
			      struct kernfs_node *kn)
{
	struct node *n = calloc(1, sizeof(*n));

	expect(n);
	n->kn = kn;
	n->parent = parent;
	n->name = name;
	n->type = type;
	n->mode = mode;
	n->linked = true;
	n->activated = !deactivated;
	n->next_ever = ever;
	ever = n;
	live[nr_live++] = n;
	if (parent)
		parent->changes++;
	return n;
}

static void model_remove(struct node *top)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < nr_live; i++) {
		if (is_below(live[i], top)) {
			live[i]->linked = false;
			live[i]->parent->changes++;
		} else {
			live[left++] = live[i];
		}
	}
	nr_live = left;
}

/* --- choosing --- */

/* Removed nodes that we still hold: they must answer, too. */
static struct node *kept[16];

static struct node *some_live(void)
{
	return live[below(nr_live)];
}

static struct node *some_node(void)
{
	struct node *n = kept[below(NR_OF(kept))];

	return n && one_in(8) ? n : some_live();
}

static struct node *some_dir(void)
{
	struct node *n;

	/* now and then what is none */
	do {
		n = some_node();
	} while (!is_dir(n) && !one_in(20));
	return n;
}

/* Keeps some of what is about to be removed, and lets go of older ones. */
static void keep_some(struct node *top)
{
	for (unsigned int i = 0; i < nr_live; i++) {
		struct node **slot = &kept[below(NR_OF(kept))];

		if (!is_below(live[i], top) || !one_in(3))
			continue;
		if (*slot) {
			(*slot)->kept = false;
			kernfs_put((*slot)->kn);
		}
		kernfs_get(live[i]->kn);
		live[i]->kept = true;
		*slot = live[i];
	}
}

/* --- operations that change the tree --- */

static const struct kernfs_ops file_ops;

static int create_error(const struct node *parent, const char *name)
{
	if (!is_dir(parent))
		return -EINVAL;
	if (!parent->linked || parent->empty)
		return -ENOENT;
	return child(parent, name) ? -EEXIST : 0;
}

static void create(void)
{
	static const char *const kind[] = { "dir", "file", "link", "text",
					    "empty" };
	struct node *parent = some_dir(), *target = some_node(), *n;
	const char *name = some_name();
	int err = create_error(parent, name);
	enum kernfs_node_type type = KERNFS_DIR;
	mode_t mode = below(0777);
	struct kernfs_node *kn;
	/* directories most of all */
	unsigned int k = one_in(2) ? 0 : below(NR_OF(kind));

	if (nr_live == MAX_LIVE)
		return;
	op_name = kind[k];
	switch (k) {
	case 0:
		mode |= S_IFDIR;
		kn = kernfs_create_dir(parent->kn, name, mode, NULL);
		break;
	case 1:
		type = KERNFS_FILE;
		mode |= S_IFREG;
		kn = __kernfs_create_file(parent->kn, name, mode, 0, 0, 42,
					  &file_ops, NULL, NULL);
		break;
	case 2:
		type = KERNFS_LINK;
		mode = S_IFLNK | 0777;
		kn = kernfs_create_link(parent->kn, name, target->kn);
		break;
	case 3:
		type = KERNFS_LINK;
		mode = S_IFLNK | 0777;
		kn = kernfs_create_link_text(parent->kn, name, 0, 0,
					     "fixed/text", NULL);
		break;
	default:
		mode = S_IFDIR | 0555;
		kn = kernfs_create_empty_dir(parent->kn, name);
	}
	expect(IS_ERR(kn) ? PTR_ERR(kn) == err : !err);
	if (err)
		return;
	/* directories inherit the bit */
	if (type == KERNFS_DIR)
		mode |= parent->mode & S_ISGID;
	n = model_add(parent, name, type, mode, kn);
	n->target = k == 2 ? target : NULL;
	n->empty = k == 4;
}

/* Large pieces go in some phases only, or the tree would always be small. */
static bool may_go(const struct node *top)
{
	bool shrinking = op / 1000 % 8 == 7;
	unsigned int size = 0;

	if (shrinking)
		return true;
	for (unsigned int i = 0; i < nr_live; i++)
		size += is_below(live[i], top);
	return size <= 3 || one_in(size);
}

static void remove_node(void)
{
	struct node *n = some_node();

	if (!n->parent || !may_go(n))
		return;
	if (n->linked)
		keep_some(n);
	kernfs_remove(n->kn);
	if (n->linked)
		model_remove(n);
}

static void remove_by_name(void)
{
	struct node *dir = some_dir();
	const char *name = some_name();
	struct node *n = dir->linked ? child(dir, name) : NULL;

	if (n && !may_go(n))
		return;
	if (n)
		keep_some(n);
	expect(kernfs_remove_by_name(dir->kn, name) == (n ? 0 : -ENOENT));
	if (n)
		model_remove(n);
}

static int rename_error(const struct node *n, const struct node *parent,
			const char *name)
{
	if (!n->parent || !is_dir(parent))
		return -EINVAL;
	if (!is_active(n) || !is_active(parent) || parent->empty)
		return -ENOENT;
	if (n->parent == parent && !strcmp(n->name, name))
		return 0;
	return child(parent, name) ? -EEXIST : 0;
}

static void rename_node(void)
{
	struct node *n = some_node(), *parent = some_dir();
	const char *name = one_in(4) ? NULL : some_name();
	const char *new_name = name ? name : n->name;
	int err;

	/* below itself: the caller's mistake, not to be made */
	if (is_below(parent, n))
		return;
	err = rename_error(n, parent, new_name);
	expect(kernfs_rename(n->kn, parent->kn, name) == err);
	if (err || (n->parent == parent && !strcmp(n->name, new_name)))
		return;
	n->parent->changes++;
	if (parent != n->parent)
		parent->changes++;
	n->parent = parent;
	n->name = new_name;
}

static void change_mode(void)
{
	const struct kernfs_iattr attr = { KERNFS_ATTR_MODE,
					   .mode = below(010000) };
	struct node *n = some_node();

	expect(kernfs_setattr(n->kn, &attr) == 0);
	n->mode = (n->mode & S_IFMT) | attr.mode;
}

static void hide_or_show(void)
{
	struct node *n = some_node();
	bool show = one_in(2);

	if (is_dir(n))
		return;
	kernfs_show(n->kn, show);
	n->hidden = !show;
}

static void activate(void)
{
	struct node *top = some_live();

	kernfs_activate(top->kn);
	for (unsigned int i = 0; i < nr_live; i++)
		live[i]->activated |= is_below(live[i], top);
}

/* --- lookups, and what is remembered of them --- */

struct memory {
	struct kernfs_dentry d; /* with references of our own */
	struct node *parent, *n;
	unsigned long changes;
};

static struct memory memory[32];

static void forget(struct memory *m)
{
	kernfs_put(m->d.kn);
	kernfs_put(m->d.parent);
	memset(m, 0, sizeof(*m));
}

static int lookup_error(struct node *dir, const char *name, struct node **ret_n)
{
	struct node *n;

	if (!is_dir(dir))
		return -ENOTDIR;
	n = dir->linked ? child(dir, name) : NULL;
	if (!n)
		return -ENOENT;
	if (!is_active(n))
		return -EAGAIN;
	*ret_n = n;
	return 0;
}

static void look_up(void)
{
	struct memory *m = &memory[below(NR_OF(memory))];
	struct node *dir = some_dir(), *n = NULL;
	const char *name = some_name();
	int err = lookup_error(dir, name, &n);
	struct kernfs_dentry d;

	expect(kernfs_iop_lookup(dir->kn, name, NULL, &d) == err);
	if (err && err != -ENOENT)
		return;
	expect(d.kn == (n ? n->kn : NULL));
	kernfs_get(d.parent);
	forget(m);
	*m = (struct memory){ d, dir, n, dir->changes };
}

static void revalidate(void)
{
	struct memory *m = &memory[below(NR_OF(memory))];
	bool holds;

	if (!m->parent)
		return;
	if (m->n)
		holds = is_active(m->n) && m->n->parent == m->parent &&
			!strcmp(m->n->name, m->d.name);
	else
		holds = m->parent->changes == m->changes;
	expect(kernfs_dop_revalidate(&m->d) == holds);
}

static void find(void)
{
	struct node *dir = some_dir();
	const char *name = some_name();
	struct node *n = is_dir(dir) && dir->linked ? child(dir, name) : NULL;
	struct kernfs_node *kn = kernfs_find_and_get(dir->kn, name);

	expect(kn == (n ? n->kn : NULL));
	kernfs_put(kn);
}

/* --- listing --- */

static int by_position(const void *a_, const void *b_)
{
	const struct node *a = *(struct node *const *)a_;
	const struct node *b = *(struct node *const *)b_;
	uint32_t ha = kernfs_name_hash(a->name, NULL);
	uint32_t hb = kernfs_name_hash(b->name, NULL);

	return ha != hb ? (ha < hb ? -1 : 1) : strcmp(a->name, b->name);
}

/* A listing as it must be, compared with one as it comes. */
struct listing {
	unsigned int nr, seen, max;
	struct {
		const char *name;
		const struct node *n;
		uint64_t pos;
	} entry[MAX_LIVE + 2];
	uint64_t next; /* of the last one seen */
};

static void list_add(struct listing *l, const char *name, const struct node *n,
		     uint64_t pos)
{
	l->entry[l->nr].name = name;
	l->entry[l->nr].n = n;
	l->entry[l->nr++].pos = pos;
}

static void list_model(struct listing *l, const struct node *dir)
{
	struct node *kids[MAX_LIVE];
	unsigned int nr = 0;
	uint64_t rank = 0;
	uint32_t hash, prev = 0;

	l->nr = 0;
	list_add(l, ".", dir, 0);
	list_add(l, "..", dir->parent ? dir->parent : dir, 1);
	if (!dir->linked)
		return;
	for (unsigned int i = 0; i < nr_live; i++)
		if (live[i]->parent == dir)
			kids[nr++] = live[i];
	qsort(kids, nr, sizeof(kids[0]), by_position);
	for (unsigned int i = 0; i < nr; i++, prev = hash) {
		hash = kernfs_name_hash(kids[i]->name, NULL);
		rank = hash == prev ? rank + 1 : 0;
		if (is_active(kids[i]))
			list_add(l, kids[i]->name, kids[i], rank << 32 | hash);
	}
}

static bool compare_entry(void *ctx, const struct kernfs_dirent *de)
{
	struct listing *l = ctx;
	unsigned int i = l->seen;

	if (l->max-- == 0)
		return false;
	expect(i < l->nr);
	expect(!strcmp(de->name, l->entry[i].name));
	expect(de->ino == kernfs_ino(l->entry[i].n->kn));
	expect(de->mode == l->entry[i].n->mode);
	expect(de->pos == l->entry[i].pos);
	expect(de->next == (i + 1 < l->nr ? l->entry[i + 1].pos :
					    KERNFS_DIR_POS_END));
	l->next = de->next;
	l->seen++;
	return true;
}

static void read_directory(void)
{
	struct node *dir = some_dir();
	static struct listing l;
	uint64_t pos = 0;

	if (!is_dir(dir)) {
		expect(kernfs_fop_readdir(dir->kn, NULL, 0, compare_entry,
					  &l) == -ENOTDIR);
		return;
	}
	list_model(&l, dir);
	l.seen = 0;
	if (l.nr && one_in(3)) {
		l.seen = below(l.nr);
		pos = l.entry[l.seen].pos;
	}
	/* in pieces */
	do {
		l.next = KERNFS_DIR_POS_END;
		l.max = 1 + below(40);
		expect(kernfs_fop_readdir(dir->kn, NULL, pos, compare_entry,
					  &l) == 0);
		pos = l.next;
	} while (pos != KERNFS_DIR_POS_END);
	expect(l.seen == l.nr);
}

/* --- walks --- */

#define MAX_COMPONENTS 4

struct walk {
	struct kernfs_walk *walk;
	unsigned int nr;
	const char *name[MAX_COMPONENTS];
	char path[64];
};

static struct walk walks[8];

static void new_walk(struct walk *w)
{
	kernfs_walk_destroy(w->walk);
	w->nr = 1 + below(MAX_COMPONENTS);
	w->path[0] = '\0';
	for (unsigned int i = 0; i < w->nr; i++) {
		w->name[i] = some_name();
		strcat(w->path, one_in(2) ? "/" : "//");
		strcat(w->path, w->name[i]);
	}
	w->walk = kernfs_walk_create(root->kn, w->path, NULL);
	expect(!IS_ERR(w->walk));
}

/* Where it must lead; NULL and *@ret_err if nowhere. */
static struct node *walk_model(const struct walk *w, bool is_root, int *ret_err)
{
	struct node *n = live[0];

	for (unsigned int i = 0; i < w->nr; i++) {
		*ret_err = -ENOTDIR;
		if (!is_dir(n))
			return NULL;
		*ret_err = -EACCES;
		if (!is_root && !(n->mode & 1))
			return NULL;
		*ret_err = -ENOENT;
		n = child(n, w->name[i]);
		if (!n || !is_active(n))
			return NULL;
	}
	*ret_err = 0;
	return n;
}

static void walk(void)
{
	static const struct kernfs_cred nobody = { .fsuid = 65534,
						   .fsgid = 65534 };
	struct walk *w = &walks[below(NR_OF(walks))];
	bool is_root = !one_in(3);
	struct kernfs_node *kn = NULL;
	struct node *n;
	int err;

	if (!w->walk || one_in(50))
		new_walk(w);
	n = walk_model(w, is_root, &err);
	expect(kernfs_walk(w->walk, is_root ? &kernfs_root_cred : &nobody,
			   &kn) == err);
	expect(kn == (n ? n->kn : NULL));
}

/* The walk by names only: no permission, and the invisible are found. */
static void walk_and_get(void)
{
	const struct walk *w = &walks[below(NR_OF(walks))];
	struct node *n = live[0];
	struct kernfs_node *kn;

	if (!w->walk)
		return;
	for (unsigned int i = 0; n && i < w->nr; i++)
		n = is_dir(n) ? child(n, w->name[i]) : NULL;
	kn = kernfs_walk_and_get(root->kn, w->path);
	expect(kn == (n ? n->kn : NULL));
	kernfs_put(kn);
}

/* --- what a node says of itself --- */

static void join(char *buf, struct node *const *list, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		strcat(buf, list[i]->name);
		if (i + 1 < nr)
			strcat(buf, "/");
	}
}

static void path(void)
{
	char want[KERNFS_PATH_MAX] = "/", got[KERNFS_PATH_MAX];
	struct node *list[MAX_DEPTH], *n = some_node();

	join(want, list, ancestry(n, list));
	expect(kernfs_path(n->kn, got, sizeof(got)) == (int)strlen(want));
	expect(!strcmp(got, want));
}

static void link_text(struct node *n, char *buf)
{
	struct node *from[MAX_DEPTH], *to[MAX_DEPTH];
	unsigned int nr_from = ancestry(n->parent, from);
	unsigned int nr_to = ancestry(n->target, to), common = 0;

	/* the target is not an ancestor of its own */
	while (common < nr_from && common + 1 < nr_to &&
	       from[common] == to[common])
		common++;
	for (unsigned int i = common; i < nr_from; i++)
		strcat(buf, "../");
	join(buf, to + common, nr_to - common);
}

static void read_link(void)
{
	char want[KERNFS_PATH_MAX] = "", got[KERNFS_PATH_MAX];
	struct node *n = some_node();

	if (n->type != KERNFS_LINK || (n->target && !n->target->parent)) {
		expect(kernfs_iop_get_link(n->kn, got) == -EINVAL);
		return;
	}
	if (n->target)
		link_text(n, want);
	else
		strcpy(want, "fixed/text");
	expect(kernfs_iop_get_link(n->kn, got) == (int)strlen(want));
	expect(!strcmp(got, want));
}

static void get_attributes(void)
{
	struct node *n = some_node();
	unsigned int subdirs = 0;
	struct stat st;

	for (unsigned int i = 0; i < nr_live; i++)
		subdirs += live[i]->parent == n && is_dir(live[i]);
	kernfs_iop_getattr(n->kn, NULL, &st);
	expect(st.st_mode == n->mode);
	expect(st.st_nlink == (is_dir(n) ? 2 + subdirs : 1));
	expect(st.st_size == (n->type == KERNFS_FILE ? 42 : 0));
	expect(kernfs_active(n->kn) == is_active(n));
	expect(kernfs_mode(n->kn) == n->mode);
}

static void permission(void)
{
	static const struct kernfs_cred other = { .fsuid = 1, .fsgid = 1 };
	static const struct kernfs_cred owner = { .fsuid = 0, .fsgid = 0 };
	struct node *n = some_node();
	unsigned int mask = below(8);

	expect(kernfs_iop_permission(n->kn, &other, (int)mask) ==
	       (mask & ~n->mode & 7 ? -EACCES : 0));
	expect(kernfs_iop_permission(n->kn, &owner, (int)mask) ==
	       (mask & ~(n->mode >> 6) & 7 ? -EACCES : 0));
}

/* --- the run --- */

static const struct {
	const char *name;
	void (*func)(void);
	unsigned int weight;
} operation[] = {
	{ "create", create, 10 },
	{ "remove", remove_node, 4 },
	{ "remove_by_name", remove_by_name, 2 },
	{ "rename", rename_node, 8 },
	{ "setattr", change_mode, 2 },
	{ "show", hide_or_show, 4 },
	{ "activate", activate, 2 },
	{ "lookup", look_up, 10 },
	{ "revalidate", revalidate, 10 },
	{ "find", find, 4 },
	{ "readdir", read_directory, 6 },
	{ "walk", walk, 10 },
	{ "walk_and_get", walk_and_get, 4 },
	{ "path", path, 4 },
	{ "get_link", read_link, 4 },
	{ "getattr", get_attributes, 4 },
	{ "permission", permission, 4 },
};

static void one_operation(void)
{
	unsigned int total = 0, i, pick;

	for (i = 0; i < NR_OF(operation); i++)
		total += operation[i].weight;
	pick = below(total);
	for (i = 0; pick >= operation[i].weight; i++)
		pick -= operation[i].weight;
	op_name = operation[i].name;
	operation[i].func();
}

/* Nothing more, nothing less, and all of it sound. */
static void compare_all(void)
{
	op_name = "comparing all";
	expect(kernfs_check_tree(root) == 0);
	for (unsigned int i = 0; i < nr_live; i++) {
		unsigned int kids = 0;

		for (unsigned int j = 0; j < nr_live; j++)
			kids += live[j]->parent == live[i];
		if (is_dir(live[i]) && live[i]->kn->dir.tab)
			expect(live[i]->kn->dir.tab->live == kids);
		else
			expect(!kids);
		if (live[i]->parent)
			expect(live[i]->kn->name->parent ==
			       live[i]->parent->kn);
	}
}

static void make_root(void)
{
	struct kernfs_root_locking_params params = { .nr_locks = 0 };
	const char *locking = getenv("KERNFUSE_TEST_LOCKING");
	const char *nr_locks = getenv("KERNFUSE_TEST_NR_LOCKS");

	if (locking && *locking)
		expect(kernfs_locking_parse(locking, &params.locking) == 0);
	if (nr_locks && *nr_locks)
		params.nr_locks = (unsigned int)strtoul(nr_locks, NULL, 10);
	deactivated = one_in(3);
	root = kernfs_create_root_locking(
		NULL, deactivated ? KERNFS_ROOT_CREATE_DEACTIVATED : 0, NULL,
		&params);
	expect(!IS_ERR(root));
	model_add(NULL, "", KERNFS_DIR, S_IFDIR | 0555, root->kn);
	printf("%s, %u locks, %s: --seed=%llu --ops=%lu\n",
	       kernfs_locking_name(kernfs_root_locking(root)),
	       kernfs_root_nr_locks(root),
	       deactivated ? "deactivated" : "active",
	       (unsigned long long)seed, ops);
	fflush(stdout);
}

static void finish(void)
{
	struct node *next;

	for (unsigned int i = 0; i < NR_OF(memory); i++)
		forget(&memory[i]);
	for (unsigned int i = 0; i < NR_OF(walks); i++)
		kernfs_walk_destroy(walks[i].walk);
	for (unsigned int i = 0; i < NR_OF(kept); i++)
		if (kept[i])
			kernfs_put(kept[i]->kn);
	kernfs_destroy_root(root);
	kf_rcu_barrier();
	for (; ever; ever = next) {
		next = ever->next_ever;
		free(ever);
	}
}

static bool parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "ops", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 's')
			seed = strtoull(optarg, NULL, 10);
		else if (c == 'o')
			ops = strtoul(optarg, NULL, 10);
		else
			return false;
	}
	return optind == argc;
}

int main(int argc, char **argv)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
	if (!parse(argc, argv)) {
		fprintf(stderr, "usage: model [--seed=N] [--ops=N]\n");
		return EXIT_FAILURE;
	}
	state = seed;
	make_root();
	for (op = 0; op < ops; op++) {
		one_operation();
		if (op % CHECK_EVERY == 0)
			compare_all();
	}
	compare_all();
	finish();
	return EXIT_SUCCESS;
}
