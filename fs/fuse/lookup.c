// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * LOOKUP, FORGET and READLINK.
 *
 * With zero timeouts the kernel asks for every component of every path, so
 * LOOKUP is the hot path: first revalidation of the remembered name, which
 * needs no lock of ours, then a search of the tree.
 */
#include "fs/fuse/fuse-internal.h"

static struct kfd_inode *
lookup_slow(struct kfd *kfd, struct kernfs_node *parent, const char *name)
{
	struct kfd_inode *inode;
	struct kernfs_dentry d;
	int err;

	err = kernfs_iop_lookup(parent, name, kfd->params.ns, &d);
	/* not active is absent, too; absent names are not cached anyway */
	if (err)
		return ERR_PTR(err == -EAGAIN ? -ENOENT : err);
	inode = kfd_inode_get(kfd, d.kn);
	if (!inode)
		return ERR_PTR(-ENOMEM);
	kfd_dentry_remember(kfd, inode, &d);
	return inode;
}

struct kfd_inode *kfd_lookup(struct kfd *kfd, struct kernfs_node *parent,
			     const char *name)
{
	struct kfd_inode *inode;

	kernfs_iop_refresh(parent);
	inode = kfd_dentry_find(kfd, parent, name);
	return inode ? inode : lookup_slow(kfd, parent, name);
}

struct kernfs_node *kfd_find(struct kfd *kfd, struct kernfs_node *parent,
			     const char *name)
{
	struct kernfs_dentry d;

	return kernfs_iop_lookup(parent, name, kfd->params.ns, &d) ? NULL :
								     d.kn;
}

void kfd_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_LOOKUP);
	struct kfd_inode *inode;

	inode = kfd_lookup(kfd, kfd_node(kfd, parent), name);
	if (IS_ERR(inode))
		kfd_reply_err(req, (int)PTR_ERR(inode));
	else
		kfd_reply_entry(req, kfd, inode);
}

void kfd_op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_FORGET);

	kfd_inode_forget(kfd, kfd_inode(kfd, ino), nlookup);
	fuse_reply_none(req);
}

void kfd_op_forget_multi(fuse_req_t req, size_t count,
			 struct fuse_forget_data *forgets)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_FORGET);

	for (size_t i = 0; i < count; i++)
		kfd_inode_forget(kfd, kfd_inode(kfd, forgets[i].ino),
				 forgets[i].nlookup);
	fuse_reply_none(req);
}

void kfd_op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_READLINK);
	char text[KERNFS_PATH_MAX];

	kfd_reply_readlink(req, text,
			   kernfs_iop_get_link(kfd_node(kfd, ino), text));
}
