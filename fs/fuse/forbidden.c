// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What sysfs has no operation for. The kernel has checked permissions first,
 * so these answers are root's; others get EACCES without asking us.
 *
 * Never ENOSYS: the kernel would remember it, and would try MKNOD and OPEN
 * instead of CREATE.
 */
#include "fs/fuse/fuse-internal.h"

void kfd_op_create(fuse_req_t req, fuse_ino_t parent, const char *name,
		   mode_t mode, struct fuse_file_info *fi)
{
	(void)parent, (void)name, (void)mode, (void)fi;
	kfd_begin(req, KFD_OP_CREATE);
	kfd_reply_err(req, -EACCES);
}

void kfd_op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name,
		  mode_t mode, dev_t rdev)
{
	(void)parent, (void)name, (void)rdev;
	kfd_begin(req, KFD_OP_MKNOD);
	/* the kernel makes a regular file by create, hence as there */
	kfd_reply_err(req, S_ISREG(mode) ? -EACCES : -EPERM);
}

void kfd_op_symlink(fuse_req_t req, const char *text, fuse_ino_t parent,
		    const char *name)
{
	(void)text, (void)parent, (void)name;
	kfd_begin(req, KFD_OP_SYMLINK);
	kfd_reply_err(req, -EPERM);
}

void kfd_op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t new_parent,
		 const char *new_name)
{
	(void)ino, (void)new_parent, (void)new_name;
	kfd_begin(req, KFD_OP_LINK);
	kfd_reply_err(req, -EPERM);
}

void kfd_op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	(void)parent, (void)name;
	kfd_begin(req, KFD_OP_UNLINK);
	kfd_reply_err(req, -EPERM);
}
