/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operations: what runs between kernfs_get_active() and kernfs_put_active(),
 * as callbacks of a file do, and never on a node that is buried.
 *
 * So that only the library can make threads wait for one another in a circle,
 * an operation on a file of the woods waits for operations in /aux and /self
 * only, one in /self for others on its own file, and one in /aux for nothing.
 */
#include "torture_remove.h"

#include "book.h"
#include "fs/kernfs/kernfs-internal.h"

#define NR_SELVES 65536 /* ids are remembered until as many have followed */

/* who removed a node from inside, and whether its callback is over */
static uint64_t won[NR_SELVES], over[NR_SELVES]; /* atomic, each */

/* --- what operations do to other nodes --- */

#define NR_AUX 4

static const char *const aux_name[NR_AUX] = { "x0", "x1", "x2", "x3" };

static bool is_one_of(long err, long a, long b)
{
	return !err || err == a || err == b;
}

static void create_aux(struct torture_thread *t)
{
	const char *name = aux_name[torture_random(t, NR_AUX)];
	struct kernfs_node *kn;

	if (torture_random(t, 2))
		kn = kernfs_create_dir(tree.aux, name, 0755, NULL);
	else
		kn = __kernfs_create_file(tree.aux, name, 0644, 0, 0, 0,
					  &remove_ops, NULL, NULL);
	torture_expect(!IS_ERR(kn) || PTR_ERR(kn) == -EEXIST ||
			       (PTR_ERR(kn) == -ENOENT && root_is_going()),
		       "create aux: %ld", PTR_ERR(kn));
}

static void rename_aux(struct torture_thread *t)
{
	const char *name = aux_name[torture_random(t, NR_AUX)];
	struct kernfs_node *kn = kernfs_find_and_get(
		tree.aux, aux_name[torture_random(t, NR_AUX)]);
	int err;

	if (!kn)
		return;
	err = kernfs_rename(kn, tree.aux, name);
	torture_expect(is_one_of(err, -EEXIST, -ENOENT), "rename aux: %d", err);
	kernfs_put(kn);
}

static bool count_entry(void *ctx, const struct kernfs_dirent *de)
{
	(void)de;
	++*(unsigned int *)ctx;
	return true;
}

static void list_aux(void)
{
	unsigned int nr = 0;
	int err = kernfs_fop_readdir(tree.aux, NULL, 0, count_entry, &nr);

	torture_expect(!err && nr <= NR_AUX + 2, "aux has %u entries", nr);
}

/* Everything a callback may do while its own node is being removed. */
static void change_others(struct torture_thread *t)
{
	const char *name = aux_name[torture_random(t, NR_AUX)];
	int err = 0;

	switch (torture_random(t, 5)) {
	case 0:
		torture_doing(t, "create in a callback");
		create_aux(t);
		break;
	case 1:
		torture_doing(t, "rename in a callback");
		rename_aux(t);
		break;
	case 2:
		torture_doing(t, "remove in a callback");
		err = kernfs_remove_by_name(tree.aux, name);
		break;
	case 3:
		torture_doing(t, "remove another's in a callback");
		err = kernfs_remove_by_name(tree.self, "k0");
		break;
	default:
		torture_doing(t, "list in a callback");
		list_aux();
		break;
	}
	torture_expect(is_one_of(err, -ENOENT, 0), "remove: %d", err);
}

/* The node's own place, which may be coming apart. */
static void look_around(struct torture_thread *t, struct kernfs_node *kn)
{
	struct kernfs_node *parent = kernfs_get_parent(kn), *found;
	char path[KERNFS_PATH_MAX], name[16];

	torture_doing(t, "look around in a callback");
	torture_expect(parent, "no parent");
	torture_expect(kernfs_path(kn, path, sizeof(path)) > 0, "no path");
	torture_expect(kernfs_name(kn, name, sizeof(name)) > 0, "no name");
	found = kernfs_find_and_get(parent, name);
	kernfs_put(found);
	kernfs_put(parent);
}

/* --- removing the node one is in --- */

/* The one that won, and its callback is not over. */
static void note_winner(struct torture_thread *t, struct kernfs_node *kn)
{
	uint64_t id = kernfs_id(kn), before;

	torture_count(t, COUNT_SELF_WON);
	before =
		__atomic_exchange_n(&won[id % NR_SELVES], id, __ATOMIC_ACQ_REL);
	torture_expect(before != id, "node %llu was removed twice",
		       (unsigned long long)id);
	torture_linger(t);
	__atomic_store_n(&over[id % NR_SELVES], id, __ATOMIC_RELEASE);
}

/* One that came second returns when the winner's callback is over. */
static void check_loser(struct torture_thread *t, struct kernfs_node *kn)
{
	uint64_t id = kernfs_id(kn);
	uint64_t is_over =
		__atomic_load_n(&over[id % NR_SELVES], __ATOMIC_ACQUIRE);
	uint64_t winner =
		__atomic_load_n(&won[id % NR_SELVES], __ATOMIC_ACQUIRE);

	torture_count(t, COUNT_SELF_LOST);
	torture_expect(is_over == id || winner != id,
		       "came second, but the first is not through");
}

bool remove_self(struct torture_thread *t, struct kernfs_node *kn)
{
	bool first;

	torture_doing(t, "remove_self");
	first = kernfs_remove_self(kn);
	torture_expect(!kernfs_active(kn), "active after its removal");
	bury(kn);
	if (first)
		note_winner(t, kn);
	else
		check_loser(t, kn);
	return first;
}

static struct kernfs_node *get_self(struct torture_thread *t)
{
	static const char *const name[] = { "k0", "k1", "k2" };
	const char *k = name[torture_random(t, 3)];
	struct kernfs_node *kn = kernfs_find_and_get(tree.self, k);

	if (kn && kernfs_active(kn))
		return kn;
	kernfs_put(kn);
	torture_doing(t, "create a file that removes itself");
	kn = __kernfs_create_file(tree.self, k, 0644, 0, 0, 0, &remove_ops,
				  NULL, NULL);
	torture_expect(!IS_ERR(kn) || is_one_of(PTR_ERR(kn), -EEXIST, -ENOENT),
		       "create: %ld", PTR_ERR(kn));
	return kernfs_find_and_get(tree.self, k);
}

void self_round(struct torture_thread *t)
{
	struct kernfs_node *kn = get_self(t), *found;
	char name[16];

	if (kn && kernfs_get_active(kn)) {
		must_live(kn, "self, begin");
		torture_count(t, COUNT_OPS);
		torture_linger(t);
		remove_self(t, kn);
		kernfs_name(kn, name, sizeof(name));
		found = kernfs_find_and_get(tree.self, name);
		torture_expect(found != kn, "found after its removal");
		kernfs_put(found);
		torture_doing(t, "put_active");
		kernfs_put_active(kn);
	}
	kernfs_put(kn);
}

/* --- operations --- */

/* Gives protection up for a while; the node may be gone meanwhile. */
static void break_and_unbreak(struct torture_thread *t, struct kernfs_node *kn)
{
	torture_count(t, COUNT_BREAKS);
	torture_doing(t, "break");
	kernfs_break_active_protection(kn);
	if (torture_random(t, 2)) {
		torture_doing(t, "remove a node one is in");
		kernfs_remove(kn);
		torture_expect(!kernfs_active(kn), "active after its removal");
		bury(kn);
	} else {
		torture_linger(t);
		change_others(t);
	}
	torture_doing(t, "unbreak");
	kernfs_unbreak_active_protection(kn);
	torture_pause(t);
}

/* Return: whether the operation still protects its node. */
static bool work(struct torture_thread *t, struct kernfs_node *kn)
{
	switch (torture_random(t, 16)) {
	case 0:
		break_and_unbreak(t, kn);
		return false;
	case 1:
		remove_self(t, kn);
		return false;
	case 2:
	case 3:
	case 4:
		look_around(t, kn);
		return true;
	case 5:
	case 6:
	case 7:
	case 8:
		torture_linger(t);
		return true;
	default:
		change_others(t);
		return true;
	}
}

void operate(struct torture_thread *t, struct kernfs_node *kn)
{
	bool protects = true;

	if (!kernfs_get_active(kn)) {
		torture_count(t, COUNT_REFUSED);
		return;
	}
	torture_count(t, COUNT_OPS);
	must_live(kn, "begin");
	for (unsigned int n = torture_random(t, 4); n && protects; n--) {
		protects = work(t, kn);
		if (protects)
			must_live(kn, "middle");
	}
	if (protects)
		must_live(kn, "end");
	torture_doing(t, "put_active");
	kernfs_put_active(kn);
}

void operate_briefly(struct torture_thread *t, struct kernfs_node *kn)
{
	if (!kernfs_get_active(kn)) {
		torture_count(t, COUNT_REFUSED);
		return;
	}
	torture_count(t, COUNT_OPS);
	must_live(kn, "begin");
	torture_linger(t);
	look_around(t, kn);
	must_live(kn, "end");
	kernfs_put_active(kn);
}

/* --- hooks: operations on directories --- */

static int hook_mkdir(struct kernfs_node *parent, const char *name, mode_t mode)
{
	struct kernfs_node *kn;

	must_live(parent, "mkdir");
	kn = kernfs_create_dir(parent, name, mode, NULL);
	must_live(parent, "mkdir, end");
	return IS_ERR(kn) ? (int)PTR_ERR(kn) : 0;
}

static int hook_rmdir(struct kernfs_node *kn)
{
	must_live(kn, "rmdir");
	return kernfs_remove_self(kn) ? 0 : -ENOENT;
}

static int hook_rename(struct kernfs_node *kn, struct kernfs_node *new_parent,
		       const char *new_name)
{
	int err;

	must_live(kn, "rename");
	must_live(new_parent, "rename to");
	err = kernfs_rename(kn, new_parent, new_name);
	must_live(kn, "rename, end");
	must_live(new_parent, "rename to, end");
	return err;
}

const struct kernfs_syscall_ops remove_hooks = {
	.mkdir = hook_mkdir,
	.rmdir = hook_rmdir,
	.rename = hook_rename,
};
