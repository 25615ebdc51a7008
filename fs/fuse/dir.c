// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * OPENDIR, READDIR, RELEASEDIR, FSYNCDIR, and MKDIR, RMDIR, RENAME, which the
 * tree's hooks decide.
 */
#include "fs/fuse/fuse-internal.h"

#include <stdlib.h>

void kfd_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_OPENDIR);
	struct kfd_handle *handle = kfd_handle_new(kfd);

	if (!handle) {
		kfd_reply_err(req, -ENOMEM);
		return;
	}
	handle->dir = kfd_node(kfd, ino);
	kernfs_iop_refresh(handle->dir);
	kernfs_get(handle->dir);
	kfd_reply_open(req, fi, handle);
}

struct listing {
	fuse_req_t req;
	char *buf;
	size_t size, used; /* bytes */
};

static bool add_entry(void *ctx, const struct kernfs_dirent *de)
{
	struct listing *l = ctx;
	/* type and number are all that fuse_add_direntry() looks at */
	struct stat st = { .st_ino = de->ino, .st_mode = de->mode };
	size_t room = l->size - l->used;
	size_t need = fuse_add_direntry(l->req, l->buf + l->used, room,
					de->name, &st, (off_t)de->next);

	if (need > room)
		return false;
	l->used += need;
	return true;
}

void kfd_op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	struct listing l = { .req = req, .buf = malloc(size), .size = size };
	struct kfd *kfd = kfd_begin(req, KFD_OP_READDIR);
	int err = -ENOMEM;

	(void)ino;
	if (l.buf)
		err = kernfs_fop_readdir(kfd_handle(fi)->dir, kfd->params.ns,
					 (uint64_t)off, add_entry, &l);
	kfd_reply_buf(req, l.buf, err ? err : (ssize_t)l.used);
	free(l.buf);
}

void kfd_op_releasedir(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi)
{
	(void)ino;
	kfd_begin(req, KFD_OP_RELEASEDIR);
	kfd_handle_close(kfd_handle(fi));
	kfd_reply_err(req, 0);
}

void kfd_op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync,
		     struct fuse_file_info *fi)
{
	(void)ino, (void)datasync, (void)fi;
	kfd_begin(req, KFD_OP_FSYNCDIR);
	/* a kernfs directory has no such operation, a file has */
	kfd_reply_err(req, -EINVAL);
}

void kfd_op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name,
		  mode_t mode)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_MKDIR);
	struct kernfs_node *dir = kfd_node(kfd, parent);
	struct kfd_inode *inode;
	struct kfd_request r;
	int err;

	kfd_request_begin(&r, kfd, req);
	err = kernfs_iop_mkdir(dir, name, mode);
	kfd_request_end(&r);
	if (err) {
		kfd_reply_err(req, err);
		return;
	}
	/* the hook need not have made what was asked for */
	inode = kfd_lookup(kfd, dir, name);
	if (IS_ERR(inode))
		kfd_reply_err(req, (int)PTR_ERR(inode));
	else
		kfd_reply_entry(req, kfd, inode);
}

void kfd_op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_RMDIR);
	struct kernfs_node *kn = kfd_find(kfd, kfd_node(kfd, parent), name);
	struct kfd_request r;
	int err = -ENOENT;

	kfd_request_begin(&r, kfd, req);
	if (kn)
		err = kernfs_iop_rmdir(kn);
	kfd_request_end(&r);
	/* a hook may have let it be: before the kernel hears of the success */
	if (!err && kernfs_active(kn))
		kfd_inode_retire(kfd, kn);
	kfd_reply_err(req, err);
	kernfs_put(kn);
}

void kfd_op_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
		   fuse_ino_t new_parent, const char *new_name,
		   unsigned int flags)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_RENAME);
	struct kernfs_node *kn = kfd_find(kfd, kfd_node(kfd, parent), name);
	struct kfd_request r;
	int err = -ENOENT;

	kfd_request_begin(&r, kfd, req);
	if (kn)
		err = kernfs_iop_rename(kn, kfd_node(kfd, new_parent), new_name,
					flags);
	kfd_request_end(&r);
	kfd_reply_err(req, err);
	kernfs_put(kn);
}
