/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Roots: creation, destruction, and what their locks are. */
#include "fs/kernfs/kernfs-internal.h"

#include <stdlib.h>
#include <string.h>

static const char *const locking_name[KERNFS_NR_LOCKING] = {
	[KERNFS_LOCKING_HASHED] = "hashed",
	[KERNFS_LOCKING_GLOBAL] = "global",
	[KERNFS_LOCKING_RCU] = "rcu",
};

static const char *const path_name[KERNFS_NR_LOCK_PATHS] = {
	[KERNFS_LOCK_PERMISSION] = "permission",
	[KERNFS_LOCK_REVALIDATE] = "revalidate",
	[KERNFS_LOCK_LOOKUP] = "lookup",
	[KERNFS_LOCK_READDIR] = "readdir",
	[KERNFS_LOCK_UPDATE] = "update",
};

const char *kernfs_locking_name(enum kernfs_locking locking)
{
	return (unsigned int)locking < KERNFS_NR_LOCKING ?
		       locking_name[locking] :
		       NULL;
}

int kernfs_locking_parse(const char *name, enum kernfs_locking *ret_locking)
{
	for (unsigned int i = 0; i < KERNFS_NR_LOCKING; i++) {
		if (strcmp(name, locking_name[i]))
			continue;
		*ret_locking = (enum kernfs_locking)i;
		return 0;
	}
	return -EINVAL;
}

const char *kernfs_lock_path_name(enum kernfs_lock_path path)
{
	return (unsigned int)path < KERNFS_NR_LOCK_PATHS ? path_name[path] :
							   NULL;
}

enum kernfs_locking kernfs_root_locking(const struct kernfs_root *root)
{
	return root->locks.locking;
}

unsigned int kernfs_root_nr_locks(const struct kernfs_root *root)
{
	return 1U << root->locks.table.bits;
}

int kernfs_root_lock_stats(const struct kernfs_root *root,
			   enum kernfs_lock_path path,
			   struct kernfs_lock_stats *ret_stats)
{
	if ((unsigned int)path >= KERNFS_NR_LOCK_PATHS)
		return -EINVAL;
	kf_nodelocks_stats(&root->locks, path, ret_stats);
	return 0;
}

/* log2 of the locks wanted; 0 wanted: by the CPU count */
static unsigned int lock_bits(unsigned int nr_locks)
{
	unsigned int bits = 0;

	if (!nr_locks)
		return kf_hashed_default_bits(kf_nr_possible_cpus());
	while (1U << bits < nr_locks)
		bits++;
	return bits;
}

static int init_locks(struct kernfs_root *root,
		      const struct kernfs_root_locking_params *params)
{
	unsigned int bits = lock_bits(params->nr_locks);
	int err = kf_nodelocks_init(&root->locks, params->locking, bits);

	if (err)
		return err;
	err = kernfs_open_locks_init(root, bits);
	if (err)
		goto err_locks;
	init_waitqueue(&root->deactivate_waitq);
	mutex_init(&root->rename_lock, KF_RANK_RENAME);
	kernfs_ids_init(&root->ids);
	return 0;

err_locks:
	kf_nodelocks_destroy(&root->locks);
	return err;
}

static void finish_root(struct kernfs_root *root)
{
	mutex_destroy(&root->rename_lock);
	destroy_waitqueue(&root->deactivate_waitq);
	kernfs_ids_destroy(&root->ids);
	kernfs_open_locks_destroy(root);
	kf_nodelocks_destroy(&root->locks);
	free(root);
}

static void free_root_rcu(struct rcu_head *head)
{
	kf_rcu_callback_begin(head);
	finish_root(caa_container_of(head, struct kernfs_root, rcu));
}

void kernfs_free_root(struct kernfs_root *root)
{
	kf_call_rcu(&root->rcu, free_root_rcu);
}

struct kernfs_root *
kernfs_create_root_locking(const struct kernfs_syscall_ops *scops,
			   unsigned int flags, void *priv,
			   const struct kernfs_root_locking_params *params)
{
	struct kernfs_root *root;

	if ((unsigned int)params->locking >= KERNFS_NR_LOCKING ||
	    params->nr_locks > KERNFS_MAX_LOCKS)
		return ERR_PTR(-EINVAL);
	root = calloc(1, sizeof(*root));
	if (!root)
		return ERR_PTR(-ENOMEM);
	if (init_locks(root, params))
		goto err_root;
	root->flags = flags;
	root->syscall_ops = scops;
	root->kn = kernfs_new_node(root, NULL, "", S_IFDIR | 0555, 0, 0,
				   KERNFS_DIR | KERNFS_LINKED, NULL);
	if (!root->kn)
		goto err_locks;
	root->kn->priv = priv;
	if (!(flags & KERNFS_ROOT_CREATE_DEACTIVATED))
		kernfs_activate(root->kn);
	return root;

err_locks:
	finish_root(root);
	return ERR_PTR(-ENOMEM);
err_root:
	free(root);
	return ERR_PTR(-ENOMEM);
}

struct kernfs_root *kernfs_create_root(const struct kernfs_syscall_ops *scops,
				       unsigned int flags, void *priv)
{
	const struct kernfs_root_locking_params params = {
		.locking = KERNFS_LOCKING_HASHED,
	};

	return kernfs_create_root_locking(scops, flags, priv, &params);
}

void kernfs_destroy_root(struct kernfs_root *root)
{
	struct kernfs_node *kn;

	if (!root)
		return;
	/* removal drops the root node's own reference: keep it for the call */
	kn = root->kn;
	kernfs_get(kn);
	kernfs_remove(kn);
	kernfs_put(kn);
}

struct kernfs_node *kernfs_root_to_node(struct kernfs_root *root)
{
	return root->kn;
}
