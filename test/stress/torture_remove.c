/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * torture_remove: removal in all its forms, overlapping, from outside and from
 * inside callbacks, against operations, creation, hiding and renames into
 * what is being removed; and at the end the root's own removal.
 *
 * What must hold: when a removal has returned, no callback of the subtree
 * runs (but for one that gave its protection up), no child is left and none
 * can be added; of those that remove a node from inside it, one wins, and the
 * others return after it; nothing waits for ever.
 */
#include "torture_remove.h"

#include <pthread.h>

struct remove_tree tree;

const struct kernfs_ops remove_ops;

static bool going; /* atomic; set with going_lock held exclusively */
static pthread_rwlock_t going_lock = PTHREAD_RWLOCK_INITIALIZER;

bool root_is_going(void)
{
	return __atomic_load_n(&going, __ATOMIC_ACQUIRE);
}

bool root_hold(void)
{
	pthread_rwlock_rdlock(&going_lock);
	if (!root_is_going())
		return true;
	pthread_rwlock_unlock(&going_lock);
	return false;
}

void root_let_go(void)
{
	pthread_rwlock_unlock(&going_lock);
}

static struct kernfs_node *make_dir(const char *str)
{
	struct kernfs_node *kn = kernfs_create_dir(
		kernfs_root_to_node(tree.root), str, 0755, NULL);

	torture_expect(!IS_ERR(kn), "create %s: %ld", str, PTR_ERR(kn));
	kernfs_get(kn);
	return kn;
}

static void build(void)
{
	tree.root = torture_create_root(&remove_hooks, 0);
	tree.woods = make_dir("woods");
	tree.harbour = make_dir("harbour");
	tree.aux = make_dir("aux");
	tree.self = make_dir("self");
	tree.own = make_dir("own");
}

static void destroy(void)
{
	pthread_rwlock_wrlock(&going_lock);
	__atomic_store_n(&going, true, __ATOMIC_RELEASE);
	pthread_rwlock_unlock(&going_lock);
	kernfs_destroy_root(tree.root);
}

static void put_dirs(void)
{
	struct kernfs_node *const kept[] = { tree.woods, tree.harbour, tree.aux,
					     tree.self, tree.own };

	for (unsigned int i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		torture_expect(!kernfs_active(kept[i]),
			       "a directory outlived its root");
		kernfs_put(kept[i]);
	}
}

/* --- roles: each rests while another part of the tree is in focus --- */

#define DEFINE_ROUND(name, area)                                               \
	static void focused_##name(struct torture_thread *t)                   \
	{                                                                      \
		if (torture_focus(NR_AREAS) != (area))                         \
			torture_rest();                                        \
		name##_round(t);                                               \
	}

DEFINE_ROUND(make, AREA_WOODS)
DEFINE_ROUND(remove, AREA_WOODS)
DEFINE_ROUND(use, AREA_WOODS)
DEFINE_ROUND(hide, AREA_WOODS)
DEFINE_ROUND(boat, AREA_WOODS)
DEFINE_ROUND(self, AREA_SELF)
DEFINE_ROUND(own, AREA_OWN)
DEFINE_ROUND(visit, AREA_OWN)
DEFINE_ROUND(rival, AREA_OWN)

static const struct torture_role roles[] = {
	{ "maker", 3, NULL, focused_make, NULL },
	{ "remover", 2, NULL, focused_remove, NULL },
	{ "user", 3, NULL, focused_use, NULL },
	{ "hider", 1, NULL, focused_hide, NULL },
	{ "boatman", 1, NULL, focused_boat, boat_end },
	{ "suicide", 3, NULL, focused_self, NULL },
	{ "owner", 1, NULL, focused_own, NULL },
	{ "visitor", 2, NULL, focused_visit, NULL },
	{ "rival", 1, NULL, focused_rival, NULL },
};

#define NR_ROLES (sizeof(roles) / sizeof(roles[0]))

static const struct torture_program program = {
	.name = "torture_remove",
	.counter = {
		[COUNT_CREATES] = "creates",
		[COUNT_LATE_CREATES] = "creates in a directory that was gone",
		[COUNT_BY_NAME] = "removals by name",
		[COUNT_PINNED] = "removals of a node",
		[COUNT_SUBTREES] = "removals of a directory and what is in it",
		[COUNT_RMDIRS] = "rmdir calls",
		[COUNT_OPS] = "operations",
		[COUNT_REFUSED] = "operations refused",
		[COUNT_BREAKS] = "operations that gave up protection",
		[COUNT_SELF_WON] = "removals from inside",
		[COUNT_SELF_LOST] = "removals from inside that came second",
		[COUNT_HIDES] = "hides and shows",
		[COUNT_LANDINGS] = "renames into the woods",
		[COUNT_SUNK] = "renamed nodes found removed",
		[COUNT_OWN] = "files with data that was freed",
		[COUNT_RIVALS] = "removals of a file its owner removes",
	},
	.histogram = "operations a removal found inside",
	.threads = 17,
};

int main(int argc, char *argv[])
{
	torture_begin(&program, argc, argv);
	build();
	torture_run_and(roles, NR_ROLES, 80, NULL);
	torture_check_tree(tree.root);
	torture_run_and(roles, NR_ROLES, 20, destroy);
	put_dirs();
	torture_check_memory();
	return torture_end();
}
