/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Owners: each file is created, hidden, shown and removed by one thread, which
 * knows that nobody is in it when a hide or its removal has returned, and that
 * every open file of it has been released by then.
 */
#include "torture_file.h"

#include <stdlib.h>
#include <string.h>

#include "book.h"

/* A file for others to remove, with a reference; atomic. */
static struct kernfs_node *offer[NR_FILES];

/* What is behind a file without owner: the end of the run. */
static struct content *kept[NR_FILES];

void rival_round(struct torture_thread *t)
{
	unsigned int i = torture_random(t, NR_FILES);
	struct kernfs_node *kn;

	torture_linger(t);
	if (torture_random(t, 4))
		return;
	kn = __atomic_exchange_n(&offer[i], NULL, __ATOMIC_ACQ_REL);
	if (!kn)
		return;
	callbacks_of(t, NULL);
	torture_doing(t, "remove another's file");
	kernfs_remove(kn);
	bury(kn);
	torture_count(t, COUNT_RIVALS);
	kernfs_put(kn);
}

/* A hide by one thread, and a show by another that ends it. */
void haunt_round(struct torture_thread *t)
{
	struct kernfs_node *kn =
		kernfs_find_and_get(tree.files, file_name(FILE_HAUNTED));
	bool show = torture_random(t, 2);

	if (kn) {
		callbacks_of(t, NULL);
		torture_doing(t, show ? "show another's" : "hide another's");
		kernfs_show(kn, show);
		torture_count(t, COUNT_HAUNTS);
	}
	kernfs_put(kn);
	torture_pause(t);
}

static long nr_open(const struct content *c)
{
	return __atomic_load_n(&c->opened, __ATOMIC_RELAXED) -
	       __atomic_load_n(&c->released, __ATOMIC_RELAXED);
}

/* Nobody is in the file now: all of the content is ours. */
static void take_stock(struct torture_thread *t, const struct content *c,
		       const char *when)
{
	unsigned int before = 0, after = 0;
	long open = nr_open(c);

	torture_expect(!open, "%s, but %ld files are not released", when, open);
	for (unsigned int i = 0; i < TORTURE_MAX_THREADS; i++)
		before += c->touched[i];
	torture_linger(t);
	for (unsigned int i = 0; i < TORTURE_MAX_THREADS; i++)
		after += c->touched[i];
	torture_expect(before == after, "%s, but callbacks run", when);
	torture_expect(!nr_open(c), "%s, but files are opened", when);
}

static void hide_and_show(struct torture_thread *t, struct kernfs_node *kn,
			  struct content *c)
{
	torture_histogram(t, (uint64_t)nr_open(c));
	torture_doing(t, "hide");
	kernfs_show(kn, false);
	c->hidden = true;
	take_stock(t, c, "hidden");
	c->hidden = false;
	torture_doing(t, "show");
	kernfs_show(kn, true);
	torture_count(t, COUNT_HIDES);
}

static struct kernfs_node *create(unsigned int i, struct content *c)
{
	struct kernfs_node *kn;

	torture_expect(c, "no memory");
	c->kind = kind_of(i);
	c->value = i;
	kn = __kernfs_create_file(tree.files, file_name(i), 0644, 0, 0, 4096,
				  &file_ops[c->kind], c, NULL);
	torture_expect(!IS_ERR(kn), "create %s: %ld", file_name(i),
		       PTR_ERR(kn));
	/* ours, and one on offer; nobody removes it before */
	kernfs_get(kn);
	kernfs_get(kn);
	__atomic_store_n(&c->may_go, true, __ATOMIC_RELEASE);
	__atomic_store_n(&offer[i], kn, __ATOMIC_RELEASE);
	return kn;
}

static void take_back(unsigned int i)
{
	kernfs_put(__atomic_exchange_n(&offer[i], NULL, __ATOMIC_ACQ_REL));
}

void own_round(struct torture_thread *t)
{
	unsigned int i = t->index;
	struct kernfs_node *kn;
	struct content *c;

	if (i >= NR_FILES)
		return;
	callbacks_of(t, NULL);
	c = calloc(1, sizeof(*c));
	kn = create(i, c);
	for (unsigned int n = torture_random(t, 32); n; n--) {
		if (i == FILE_HAUNTED || torture_random(t, 8))
			torture_linger(t);
		else
			hide_and_show(t, kn, c);
	}
	/* at the end some files are left for the root to remove */
	if (!torture_running() && torture_random(t, 2)) {
		kept[i] = c;
	} else {
		torture_histogram(t, (uint64_t)nr_open(c));
		torture_doing(t, "remove");
		kernfs_remove(kn);
		bury(kn);
		take_stock(t, c, "removed");
		memset(c, 0xff, sizeof(*c));
		free(c);
		torture_count(t, COUNT_REMOVED);
	}
	take_back(i);
	kernfs_put(kn);
}

void free_kept(struct torture_thread *t)
{
	for (unsigned int i = 0; i < NR_FILES; i++) {
		if (kept[i])
			take_stock(t, kept[i], "its root removed");
		free(kept[i]);
	}
}
