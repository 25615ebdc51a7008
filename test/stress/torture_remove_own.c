/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files with data behind them, as a driver has: operations use the data
 * without any lock, relying on the active reference alone, and the owner
 * frees it as soon as its removal of the file has returned. All accesses are
 * plain, so that a sanitizer sees what the library does not order.
 */
#include "torture_remove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs/kernfs/kernfs-internal.h"

#define NR_OWN 4

/* Used by operations on the file; by the owner when there can be none. */
struct data {
	unsigned int touched[TORTURE_MAX_THREADS]; /* each thread's */
	bool hidden;
	/* the owner has a reference, so operations may remove it; atomic */
	bool may_go;
};

/* The file for others to remove, with a reference; atomic. */
static struct kernfs_node *offer[NR_OWN];

static void withdraw(unsigned int i)
{
	kernfs_put(__atomic_exchange_n(&offer[i], NULL, __ATOMIC_ACQ_REL));
}

/* --- operations --- */

static void use_data(struct torture_thread *t, struct kernfs_node *kn)
{
	struct data *data = kernfs_priv(kn);

	for (unsigned int n = torture_random(t, 4); n; n--) {
		data->touched[t->nr]++;
		torture_expect(!data->hidden,
			       "a callback runs in a file that is hidden");
		torture_linger(t);
	}
}

/* After this the data may be gone. */
static void give_up(struct torture_thread *t, struct kernfs_node *kn)
{
	const struct data *data = kernfs_priv(kn);

	if (!__atomic_load_n(&data->may_go, __ATOMIC_ACQUIRE))
		return;
	if (torture_random(t, 2)) {
		kernfs_break_active_protection(kn);
		torture_pause(t);
		kernfs_unbreak_active_protection(kn);
	} else {
		torture_doing(t, "remove_self of another's file");
		kernfs_remove_self(kn);
	}
	torture_pause(t);
}

void visit_round(struct torture_thread *t)
{
	struct kernfs_node *kn;
	char name[8];

	snprintf(name, sizeof(name), "o%u", torture_random(t, NR_OWN));
	kn = kernfs_find_and_get(tree.own, name);
	if (kn && kernfs_get_active(kn)) {
		torture_count(t, COUNT_OPS);
		torture_doing(t, "use data");
		use_data(t, kn);
		if (!torture_random(t, 64))
			give_up(t, kn);
		torture_doing(t, "put_active");
		kernfs_put_active(kn);
	}
	kernfs_put(kn);
}

/* --- removers --- */

void rival_round(struct torture_thread *t)
{
	unsigned int i = torture_random(t, NR_OWN);
	struct kernfs_node *kn;

	torture_linger(t);
	if (torture_random(t, 2))
		return;
	kn = __atomic_exchange_n(&offer[i], NULL, __ATOMIC_ACQ_REL);
	if (!kn)
		return;
	torture_doing(t, "remove another's file");
	kernfs_remove(kn);
	torture_count(t, COUNT_RIVALS);
	kernfs_put(kn);
}

/* Nobody is in the file now: all of the data is ours. */
static void take_stock(struct torture_thread *t, struct data *data)
{
	unsigned int before = 0, after = 0;

	for (unsigned int i = 0; i < TORTURE_MAX_THREADS; i++)
		before += data->touched[i];
	torture_linger(t);
	for (unsigned int i = 0; i < TORTURE_MAX_THREADS; i++)
		after += data->touched[i];
	torture_expect(before == after, "data changed after the wait");
}

static void hide_and_show(struct torture_thread *t, struct kernfs_node *kn,
			  struct data *data)
{
	torture_doing(t, "hide one's own");
	kernfs_show(kn, false);
	data->hidden = true;
	take_stock(t, data);
	data->hidden = false;
	torture_doing(t, "show one's own");
	kernfs_show(kn, true);
}

static void remove_own(struct torture_thread *t, struct kernfs_node *kn,
		       const char *name, struct data *data)
{
	int err;

	torture_doing(t, "remove one's own");
	if (torture_random(t, 2)) {
		kernfs_remove(kn);
	} else {
		err = kernfs_remove_by_name(tree.own, name);
		torture_expect(!err || err == -ENOENT, "remove %s: %d", name,
			       err);
		/* somebody may have been faster; that it is over is ours to
		 * ask */
		if (err)
			kernfs_remove(kn);
	}
	take_stock(t, data);
	memset(data, 0xff, sizeof(*data));
	free(data);
}

/* The file, with one reference for us and one on offer; NULL: too late. */
static struct kernfs_node *create_own(unsigned int i, const char *name,
				      struct data *data)
{
	struct kernfs_node *kn;

	if (!root_hold())
		return NULL;
	torture_expect(data, "no memory");
	kn = __kernfs_create_file(tree.own, name, 0644, 0, 0, 0, &remove_ops,
				  data, NULL);
	torture_expect(!IS_ERR(kn), "create %s: %ld", name, PTR_ERR(kn));
	kernfs_get(kn);
	kernfs_get(kn);
	__atomic_store_n(&data->may_go, true, __ATOMIC_RELEASE);
	root_let_go();
	__atomic_store_n(&offer[i], kn, __ATOMIC_RELEASE);
	return kn;
}

void own_round(struct torture_thread *t)
{
	struct kernfs_node *kn;
	struct data *data;
	char name[8];

	if (t->index >= NR_OWN)
		return;
	data = calloc(1, sizeof(*data));
	snprintf(name, sizeof(name), "o%u", t->index);
	kn = create_own(t->index, name, data);
	if (!kn) {
		free(data);
		return;
	}
	for (unsigned int n = torture_random(t, 6); n; n--) {
		if (torture_random(t, 3))
			torture_linger(t);
		else
			hide_and_show(t, kn, data);
	}
	remove_own(t, kn, name, data);
	withdraw(t->index);
	kernfs_put(kn);
	torture_count(t, COUNT_OWN);
}
