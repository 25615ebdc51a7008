// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The operations table, and nothing else.
 *
 * What is absent, libfuse answers with ENOSYS, which the kernel remembers and
 * turns into what sysfs says: no flush, no ioctl (ENOTTY), no fallocate
 * (EOPNOTSUPP), no copy_file_range (the kernel copies by itself).
 */
#include "fs/fuse/fuse-internal.h"

const struct fuse_lowlevel_ops kfd_ops = {
	.init = kfd_op_init,

	.lookup = kfd_op_lookup,
	.forget = kfd_op_forget,
	.forget_multi = kfd_op_forget_multi,
	.readlink = kfd_op_readlink,

	.getattr = kfd_op_getattr,
	.setattr = kfd_op_setattr,
	.access = kfd_op_access,
	.statfs = kfd_op_statfs,
	.getxattr = kfd_op_getxattr,
	.setxattr = kfd_op_setxattr,
	.listxattr = kfd_op_listxattr,
	.removexattr = kfd_op_removexattr,

	.open = kfd_op_open,
	.read = kfd_op_read,
	.write = kfd_op_write,
	.release = kfd_op_release,
	.fsync = kfd_op_fsync,
	.lseek = kfd_op_lseek,
	.poll = kfd_op_poll,

	.opendir = kfd_op_opendir,
	.readdir = kfd_op_readdir,
	.releasedir = kfd_op_releasedir,
	.fsyncdir = kfd_op_fsyncdir,
	.mkdir = kfd_op_mkdir,
	.rmdir = kfd_op_rmdir,
	.rename = kfd_op_rename,

	.create = kfd_op_create,
	.mknod = kfd_op_mknod,
	.symlink = kfd_op_symlink,
	.link = kfd_op_link,
	.unlink = kfd_op_unlink,
};
