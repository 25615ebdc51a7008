/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernel/ipc/NAME: mkdir, rmdir, and the file "ns" whose open files hold the
 * namespace.
 *
 * References on the space: one for mkdir, which rmdir gives back, and one for
 * each open "ns". With the last one the keeper calls remove_dir(), in any
 * thread, and then frees the region.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fs/ipc/namespace.h"
#include "fs/ipctree/ipctree-internal.h"

int ipc_create_files(struct kernfs_node *dir, const struct ipc_file *files,
		     size_t nr, uid_t uid, gid_t gid, void *priv)
{
	for (size_t i = 0; i < nr; i++) {
		struct kernfs_node *kn = __kernfs_create_file(
			dir, files[i].name, files[i].mode, uid, gid,
			KERNFS_PAGE_SIZE, files[i].ops, priv, NULL);

		/* somebody else may be making the same */
		if (IS_ERR(kn) && PTR_ERR(kn) != -EEXIST)
			return (int)PTR_ERR(kn);
	}
	return 0;
}

/* --- the list of what mkdir made --- */

static void link_locked(struct ipctree *tree, struct ipc_dir *dir)
{
	dir->prev = NULL;
	dir->next = tree->dirs;
	if (dir->next)
		dir->next->prev = dir;
	tree->dirs = dir;
	dir->made = true;
}

static void unlink_locked(struct ipctree *tree, struct ipc_dir *dir)
{
	if (dir->next)
		dir->next->prev = dir->prev;
	if (dir->prev)
		dir->prev->next = dir->next;
	else
		tree->dirs = dir->next;
	dir->made = false;
}

/* Whether the caller now has mkdir's reference. */
static bool take_made(struct ipc_dir *dir)
{
	struct ipctree *tree = dir->tree;
	bool made;

	mutex_lock(&tree->lock);
	made = dir->made;
	if (made)
		unlink_locked(tree, dir);
	mutex_unlock(&tree->lock);
	return made;
}

/* --- ns --- */

static int ns_open(struct kernfs_open_file *of)
{
	const struct ipc_dir *dir = kernfs_priv(of->kn);

	return get_ipc_ns_not_zero(dir->space) ? 0 : -ENODEV;
}

static void ns_release(struct kernfs_open_file *of)
{
	const struct ipc_dir *dir = kernfs_priv(of->kn);

	/* not here: its last step removes the file we are in */
	put_ipc_ns_async(dir->space);
}

static int ns_show(struct seq_file *sf, void *v)
{
	const struct ipc_dir *dir = ipc_file_priv(sf);

	(void)v;
	seq_printf(sf, "%s/%s\n", dir->tree->path,
		   ipc_space_name(dir->space));
	return 0;
}

static const struct kernfs_ops ns_ops = {
	.open = ns_open,
	.release = ns_release,
	.seq_show = ns_show,
};

static const struct ipc_file ns_file = { "ns", 0444, &ns_ops };

/* --- mkdir --- */

/*
 * The mode of a region: who may write in the directory may use the namespace,
 * which takes reading and writing.
 */
static mode_t region_mode(mode_t mode)
{
	return 0600 | (mode & 0020 ? 0060 : 0) | (mode & 0002 ? 0006 : 0);
}

static void free_dir(struct ipc_dir *dir)
{
	ipc_free_queues(dir);
	kernfs_put(dir->kn);
	free(dir);
}

/* After the last put: no callback runs, and none will. */
static void remove_dir(struct ipc_space *space, void *priv)
{
	struct ipc_dir *dir = priv;

	(void)space;
	/* first: a reader that waits for a message would hold us up */
	ipc_ns_kill(dir->ns);
	kernfs_remove(dir->kn);
	free_dir(dir);
}

static int fill_dir(struct ipc_dir *dir)
{
	int err = ipc_create_files(dir->kn, &ns_file, 1, dir->uid, dir->gid,
				   dir);

	return err ? err : ipc_create_msg(dir->kn, dir);
}

static int make_dir(struct ipctree *tree, struct ipc_space *space,
		    const struct ipc_cred *cred, const char *name, mode_t mode)
{
	struct ipc_dir *dir = calloc(1, sizeof(*dir));
	struct kernfs_node *kn;
	int err;

	if (!dir)
		return -ENOMEM;
	dir->tree = tree;
	dir->space = space;
	dir->ns = ipc_space_ns(space);
	dir->uid = cred->euid;
	dir->gid = cred->egid;
	kn = kernfs_create_dir_ns(tree->top, name, mode & 07777, dir->uid,
				  dir->gid, dir, NULL);
	if (IS_ERR(kn)) {
		free(dir);
		return (int)PTR_ERR(kn);
	}
	kernfs_get(kn);
	dir->kn = kn;
	err = fill_dir(dir);
	if (err) {
		kernfs_remove(kn);
		free_dir(dir);
		return err;
	}
	ipc_space_set_remove(space, remove_dir, dir);
	mutex_lock(&tree->lock);
	link_locked(tree, dir);
	mutex_unlock(&tree->lock);
	return 0;
}

int ipc_dir_mkdir(struct ipctree *tree, const char *name, mode_t mode)
{
	struct ipc_params params = { .counters = tree->counters };
	struct ipc_space *space;
	struct ipc_cred cred;
	int err;

	ipc_current_cred(&cred);
	params.owner = cred.euid;
	params.group = cred.egid;
	params.mode = region_mode(mode);
	err = create_ipc_ns(tree->keeper, name, &params, &space);
	if (err)
		return err;
	err = make_dir(tree, space, &cred, name, mode);
	if (err)
		put_ipc_ns(space);
	return err;
}

/* --- rmdir --- */

int ipc_dir_rmdir(struct kernfs_node *kn)
{
	struct ipc_dir *dir = kernfs_priv(kn);
	struct ipctree *tree = dir->tree;
	struct ipc_space *space = dir->space;
	char name[NAME_MAX + 1];
	struct ipc_space *left;

	/* dropped already: it stays as long as somebody holds it */
	if (!take_made(dir))
		return -EBUSY;
	strncpy(name, ipc_space_name(space), NAME_MAX);
	name[NAME_MAX] = '\0';
	/* the last put removes the directory, which waits for us */
	kernfs_break_active_protection(kn);
	put_ipc_ns(space);
	/* or has that done later: but who dropped it should see it go */
	left = find_ipc_ns(tree->keeper, name);
	if (left)
		put_ipc_ns(left);
	else
		kernfs_remove(kn);
	kernfs_unbreak_active_protection(kn);
	return 0;
}

void ipc_dirs_drop_all(struct ipctree *tree)
{
	for (;;) {
		struct ipc_dir *dir;

		mutex_lock(&tree->lock);
		dir = tree->dirs;
		if (dir)
			unlink_locked(tree, dir);
		mutex_unlock(&tree->lock);
		if (!dir)
			return;
		put_ipc_ns(dir->space);
	}
}
