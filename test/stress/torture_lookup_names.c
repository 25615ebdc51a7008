/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of torture_lookup and the threads that change them. */
#include "torture_lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs/kernfs/kernfs-internal.h"

#define NR_STAY 40 /* in a busy directory: more than readdir takes at once */
#define NR_CHURNED 8
#define NR_HIDDEN 4
#define NR_PAIRS 2 /* of names that have the same hash */

struct directory lookup_dir[NR_DIRS];
struct name lookup_name[MAX_NAMES];
unsigned int nr_lookup_names;
unsigned int nr_churners, nr_hiders;

static const struct kernfs_ops no_ops;

/* --- building --- */

static char pair_name[NR_PAIRS * 2][16];

/* Hashes of counted-up names hardly ever meet; those of random ones do. */
static void random_name(uint32_t i, char *ret_str)
{
	uint64_t x = (i + 1) * UINT64_C(0xD6E8FEB86659FD93);

	x ^= x >> 32;
	for (unsigned int c = 0; c < 10; c++, x = x >> 4 | x << 60)
		ret_str[c] = (char)('a' + (x * 0x9E3779B9 >> 8) % 26);
	ret_str[10] = '\0';
}

static int by_hash(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Names with equal hashes, which listing must tell apart by their rank. */
static void find_pairs(void)
{
	enum { TRIED = 300000 };
	uint64_t *tried = malloc(TRIED * sizeof(*tried));
	unsigned int nr = 0;

	torture_expect(tried, "no memory");
	for (uint32_t i = 0; i < TRIED; i++) {
		char str[16];

		random_name(i, str);
		tried[i] = (uint64_t)kernfs_name_hash(str, NULL) << 32 | i;
	}
	qsort(tried, TRIED, sizeof(*tried), by_hash);
	for (unsigned int i = 1; i < TRIED && nr < NR_PAIRS * 2; i++) {
		if (tried[i - 1] >> 32 != tried[i] >> 32)
			continue;
		random_name((uint32_t)tried[i - 1], pair_name[nr++]);
		random_name((uint32_t)tried[i], pair_name[nr++]);
		if (!strcmp(pair_name[nr - 2], pair_name[nr - 1]))
			nr -= 2;
		i++;
	}
	free(tried);
	torture_expect(nr == NR_PAIRS * 2, "no names with equal hashes");
}

static struct name *add_name(unsigned int dir, enum name_kind kind,
			     const char *str)
{
	struct directory *d = &lookup_dir[dir];
	struct name *n = &lookup_name[nr_lookup_names++];

	torture_expect(nr_lookup_names <= MAX_NAMES, "too many names");
	n->kind = kind;
	n->dir = dir;
	snprintf(n->str, sizeof(n->str), "%s", str);
	snprintf(n->path, sizeof(n->path), "%s/%s", d->str, str);
	d->nr++;
	if (kind == NAME_CHURNED) {
		n->state = PHASE_AWAY;
		return n;
	}
	n->state = PHASE_HERE;
	n->kn = __kernfs_create_file(d->kn, str, 0444, 0, 0, 0, &no_ops, NULL,
				     NULL);
	torture_expect(!IS_ERR(n->kn), "create %s: %ld", n->path,
		       PTR_ERR(n->kn));
	n->id = kernfs_id(n->kn);
	return n;
}

static void add_names(unsigned int dir, enum name_kind kind, const char *prefix,
		      unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		char str[16];

		snprintf(str, sizeof(str), "%s%u", prefix, i);
		add_name(dir, kind, str);
	}
}

static void build_dir(unsigned int dir)
{
	struct directory *d = &lookup_dir[dir];

	snprintf(d->str, sizeof(d->str), "%c%u", dir < NR_BUSY ? 'd' : 'q',
		 dir);
	/* owned by somebody: so it has a record, and times that change */
	d->kn = kernfs_create_dir_ns(kernfs_root_to_node(lookup_root), d->str,
				     0755, 1, 1, NULL, NULL);
	torture_expect(!IS_ERR(d->kn), "create %s: %ld", d->str,
		       PTR_ERR(d->kn));
	d->first = nr_lookup_names;
	if (dir >= NR_BUSY) {
		add_names(dir, NAME_CHURNED, "c", 1);
		return;
	}
	add_names(dir, NAME_STAYS, "s", NR_STAY);
	add_names(dir, NAME_CHURNED, "c", NR_CHURNED);
	add_names(dir, NAME_HIDDEN, "h", NR_HIDDEN);
	for (unsigned int i = 0; i < NR_PAIRS * 2; i++)
		add_name(dir, NAME_STAYS, pair_name[i]);
}

void names_build(void)
{
	find_pairs();
	for (unsigned int i = 0; i < NR_DIRS; i++)
		build_dir(i);
}

/* --- owners --- */

/* One of the names that are ours alone to change; NULL: there may be none. */
static struct name *own_name(struct torture_thread *t, enum name_kind kind,
			     unsigned int nr_owners)
{
	for (unsigned int tries = 0; tries < 1000; tries++) {
		unsigned int i = torture_random(t, nr_lookup_names);

		if (lookup_name[i].kind == kind && i % nr_owners == t->index)
			return &lookup_name[i];
	}
	return NULL;
}

/* The next phase: what was done before is seen by who sees it, and what is
 * done from now on is not seen by who still sees the old one. */
static void next_phase(struct name *n)
{
	smp_store_release(&n->state, n->state + 1);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static struct kernfs_node *create(struct torture_thread *t, struct name *n,
				  struct kernfs_node *dir)
{
	torture_doing(t, "create");
	switch (torture_random(t, 3)) {
	case 0:
		return kernfs_create_dir(dir, n->str, 0755, NULL);
	case 1:
		return kernfs_create_link_text(dir, n->str, 0, 0, "text", NULL);
	default:
		return __kernfs_create_file(dir, n->str, 0644, 7, 7, 0, &no_ops,
					    NULL, NULL);
	}
}

static void come(struct torture_thread *t, struct name *n)
{
	struct kernfs_node *dir = lookup_dir[n->dir].kn, *kn, *again;

	next_phase(n);
	kn = create(t, n, dir);
	torture_expect(!IS_ERR(kn), "create %s: %ld", n->path, PTR_ERR(kn));
	WRITE_ONCE(n->id, kernfs_id(kn));
	WRITE_ONCE(n->is_dir, kernfs_type(kn) == KERNFS_DIR);
	next_phase(n);

	again = create(t, n, dir);
	torture_expect(PTR_ERR(again) == -EEXIST, "created %s twice: %ld",
		       n->path, PTR_ERR(again));
}

static void go(struct torture_thread *t, struct name *n)
{
	struct kernfs_node *dir = lookup_dir[n->dir].kn, *kn;
	int err;

	kn = kernfs_find_and_get(dir, n->str);
	torture_expect(kn && kernfs_id(kn) == n->id, "%s is not there",
		       n->path);
	next_phase(n);
	torture_doing(t, "remove");
	if (torture_random(t, 2)) {
		kernfs_remove(kn);
	} else {
		err = kernfs_remove_by_name(dir, n->str);
		torture_expect(!err, "remove %s: %d", n->path, err);
	}
	next_phase(n);
	torture_expect(!kernfs_active(kn), "%s is active", n->path);
	kernfs_put(kn);
	err = kernfs_remove_by_name(dir, n->str);
	torture_expect(err == -ENOENT, "removed %s twice: %d", n->path, err);
}

/* A quiet directory's name is as good as all those of the busy ones. */
static struct name *name_to_churn(struct torture_thread *t)
{
	unsigned int dir = NR_BUSY + torture_random(t, NR_QUIET);
	unsigned int i = lookup_dir[dir].first;

	if (torture_random(t, 2) && i % nr_churners == t->index)
		return &lookup_name[i];
	return own_name(t, NAME_CHURNED, nr_churners);
}

void churn_round(struct torture_thread *t)
{
	struct name *n = name_to_churn(t);

	if (!n)
		return;
	if (phase_of(n->state) == PHASE_AWAY)
		come(t, n);
	else
		go(t, n);
	torture_count(t, COUNT_CREATES);
	torture_pause(t);
}

void hide_round(struct torture_thread *t)
{
	struct name *n = own_name(t, NAME_HIDDEN, nr_hiders);
	struct kernfs_node *again;
	bool show;

	if (!n)
		return;
	show = phase_of(n->state) == PHASE_AWAY;
	next_phase(n);
	torture_doing(t, show ? "show" : "hide");
	kernfs_show(n->kn, show);
	next_phase(n);
	torture_expect(kernfs_active(n->kn) == show, "%s is%s active", n->path,
		       show ? " not" : "");
	/* hidden or not, it has its name */
	again = create(t, n, lookup_dir[n->dir].kn);
	torture_expect(PTR_ERR(again) == -EEXIST, "created %s twice: %ld",
		       n->path, PTR_ERR(again));
	torture_count(t, COUNT_HIDES);
	torture_pause(t);
}
