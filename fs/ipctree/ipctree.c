/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kernel/ipc: from nothing to the directory and its hooks, and back. */
#include "fs/ipctree/ipctree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs/ipc/namespace.h"
#include "fs/ipctree/ipctree-internal.h"

/* --- hooks: what is asked for is below kernel/ipc, or not ours --- */

/*
 * Nodes say nothing about who made them, so the trees are on a list: changed
 * while no server serves them, read by hooks.
 */
static struct ipctree *trees;

static struct ipctree *tree_of(struct kernfs_node *kn)
{
	struct ipctree *tree = trees;

	while (tree && tree->root != kernfs_root(kn))
		tree = tree->next;
	return tree;
}

static int hook_mkdir(struct kernfs_node *parent, const char *name, mode_t mode)
{
	struct ipctree *tree = tree_of(parent);

	return tree && tree->top == parent ? ipc_dir_mkdir(tree, name, mode) :
					     -EPERM;
}

static int hook_rmdir(struct kernfs_node *kn)
{
	struct ipctree *tree = tree_of(kn);
	struct kernfs_node *parent = kernfs_get_parent(kn);
	bool ours = tree && parent == tree->top && kernfs_priv(kn);

	kernfs_put(parent);
	return ours ? ipc_dir_rmdir(kn) : -EPERM;
}

const struct kernfs_syscall_ops ipctree_syscall_ops = {
	.mkdir = hook_mkdir,
	.rmdir = hook_rmdir,
	.refresh = ipc_refresh,
};

/* --- teardown --- */

static int teardown_show(struct seq_file *sf, void *v)
{
	const struct ipctree *tree = ipc_file_priv(sf);
	ssize_t len;
	char *text;

	(void)v;
	len = ipc_keeper_text(tree->keeper, &text);
	if (len < 0)
		return (int)len;
	seq_write(sf, text, (size_t)len);
	free(text);
	return 0;
}

static const struct kernfs_ops teardown_ops = { .seq_show = teardown_show };

static const struct ipc_file teardown_file = { "teardown", 0444,
					       &teardown_ops };

/* --- the directory --- */

/* The directory @name, with a reference; made if it is not there. */
static struct kernfs_node *get_dir(struct kernfs_node *parent, const char *name,
				   mode_t mode)
{
	struct kernfs_node *kn = kernfs_find_and_get(parent, name);

	if (!kn) {
		kn = kernfs_create_dir(parent, name, mode, NULL);
		if (!IS_ERR(kn))
			kernfs_get(kn);
		return kn;
	}
	if (kernfs_type(kn) == KERNFS_DIR)
		return kn;
	kernfs_put(kn);
	return ERR_PTR(-ENOTDIR);
}

static int make_top(struct ipctree *tree)
{
	struct kernfs_node *kernel, *top;
	int err;

	kernel = get_dir(kernfs_root_to_node(tree->root), "kernel", 0755);
	if (IS_ERR(kernel))
		return (int)PTR_ERR(kernel);
	/* a captured tree may hold what an earlier daemon showed */
	kernfs_remove_by_name(kernel, "ipc");
	/* like /tmp: everybody may make namespaces, and drop his own */
	top = get_dir(kernel, "ipc", 01777);
	kernfs_put(kernel);
	if (IS_ERR(top))
		return (int)PTR_ERR(top);
	tree->top = top;
	err = ipc_create_files(top, &teardown_file, 1, 0, 0, tree);
	return err ? err : ipc_create_host(top);
}

int ipctree_create(struct kernfs_root *root, const struct ipctree_params *params,
		   struct ipctree **ret, char *why, size_t size)
{
	struct ipctree *tree = calloc(1, sizeof(*tree));
	int err;

	snprintf(why, size, "%s", "");
	if (!tree)
		return -ENOMEM;
	tree->root = root;
	tree->counters = params->counters;
	mutex_init(&tree->lock, KF_RANK_IPC_DIRS);
	err = ipc_regions_create(tree, why, size);
	if (err)
		goto out_free;
	err = ipc_keeper_create(tree->dirfd, &params->teardown, &tree->keeper);
	if (err)
		goto out_regions;
	err = make_top(tree);
	if (err)
		goto out_top;
	ipc_set_interrupted(kernfs_current_interrupted);
	tree->next = trees;
	trees = tree;
	*ret = tree;
	return 0;

out_top:
	kernfs_remove(tree->top);
	kernfs_put(tree->top);
	ipc_keeper_destroy(tree->keeper);
out_regions:
	ipc_regions_destroy(tree);
out_free:
	mutex_destroy(&tree->lock);
	free(tree);
	if (!why[0])
		snprintf(why, size, "%s", strerror(-err));
	return err;
}

void ipctree_destroy(struct ipctree *tree)
{
	struct ipctree **link = &trees;

	if (!tree)
		return;
	while (*link != tree)
		link = &(*link)->next;
	*link = tree->next;
	ipc_dirs_drop_all(tree);
	/* what was dropped before, or is being freed */
	ipc_keeper_flush(tree->keeper);
	kernfs_remove(tree->top);
	kernfs_put(tree->top);
	ipc_keeper_destroy(tree->keeper);
	ipc_regions_destroy(tree);
	mutex_destroy(&tree->lock);
	free(tree);
}
