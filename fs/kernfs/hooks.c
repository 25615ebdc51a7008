/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mkdir, rmdir, rename, refresh: the root's hooks, with their nodes active. */
#include "fs/kernfs/kernfs-internal.h"

int kernfs_iop_mkdir(struct kernfs_node *parent, const char *name, mode_t mode)
{
	const struct kernfs_syscall_ops *ops = parent->root->syscall_ops;
	int err;

	if (!ops || !ops->mkdir)
		return -EPERM;
	if (!kernfs_get_active(parent))
		return -ENODEV;
	err = ops->mkdir(parent, name, mode);
	kernfs_put_active(parent);
	return err;
}

int kernfs_iop_rmdir(struct kernfs_node *kn)
{
	const struct kernfs_syscall_ops *ops = kn->root->syscall_ops;
	int err;

	if (!ops || !ops->rmdir)
		return -EPERM;
	if (!kernfs_get_active(kn))
		return -ENODEV;
	err = ops->rmdir(kn);
	kernfs_put_active(kn);
	return err;
}

int kernfs_iop_rename(struct kernfs_node *kn, struct kernfs_node *new_parent,
		      const char *new_name, unsigned int flags)
{
	const struct kernfs_syscall_ops *ops = kn->root->syscall_ops;
	int err = -ENODEV;

	if (flags)
		return -EINVAL;
	if (!ops || !ops->rename)
		return -EPERM;
	if (!kernfs_get_active(kn))
		return -ENODEV;
	if (kernfs_get_active(new_parent)) {
		err = ops->rename(kn, new_parent, new_name);
		kernfs_put_active(new_parent);
	}
	kernfs_put_active(kn);
	return err;
}

void kernfs_enable_refresh(struct kernfs_node *kn)
{
	kernfs_set_flag(kn, KERNFS_REFRESH);
}

void kernfs_iop_refresh(struct kernfs_node *dir)
{
	const struct kernfs_syscall_ops *ops = dir->root->syscall_ops;

	if (!(kernfs_flags(dir) & KERNFS_REFRESH) || !ops || !ops->refresh)
		return;
	if (!kernfs_get_active(dir))
		return;
	ops->refresh(dir);
	kernfs_put_active(dir);
}
