// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * GETXATTR, SETXATTR, LISTXATTR and REMOVEXATTR.
 *
 * The kernel has checked before it asks: trusted.* and security.* want
 * capabilities, user.* the permission bits, and only on files and directories.
 * What is left to us is which prefixes there are, their limits, and that
 * trusted.* is not listed for everybody.
 */
#include "fs/fuse/fuse-internal.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>

#include <kernfuse/caller.h>

/* Bytes one request can ask for: XATTR_SIZE_MAX, XATTR_LIST_MAX. */
#define MAX_SIZE 65536

/* NULL, and no error, if only the length is asked for. */
static int new_buffer(size_t *size, char **ret_buf)
{
	if (*size > MAX_SIZE)
		*size = MAX_SIZE;
	*ret_buf = *size ? malloc(*size) : NULL;
	return *size && !*ret_buf ? -ENOMEM : 0;
}

void kfd_op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name,
		     size_t size)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_GETXATTR);
	char *buf;
	ssize_t len = new_buffer(&size, &buf);

	if (!len)
		len = kernfs_iop_getxattr(kfd_node(kfd, ino), name, buf, size);
	kfd_reply_xattr(req, buf, len);
	free(buf);
}

void kfd_op_setxattr(fuse_req_t req, fuse_ino_t ino, const char *name,
		     const char *value, size_t size, int flags)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_SETXATTR);

	kfd_reply_err(req, kernfs_iop_setxattr(kfd_node(kfd, ino), name, value,
					       size, flags));
}

/* May the client see trusted.*? */
static bool sees_trusted(struct kfd *kfd, fuse_req_t req)
{
	const struct kernfs_caller *caller;
	struct kfd_request r;
	bool sees;

	kfd_request_begin(&r, kfd, req);
	caller = kernfs_current_caller();
	/* one whose capabilities cannot be read is taken for what it seems */
	if (caller->pid)
		sees = caller->cap_effective >> CAP_SYS_ADMIN & 1;
	else
		sees = caller->fsuid == 0;
	kfd_request_end(&r);
	return sees;
}

void kfd_op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_LISTXATTR);
	bool trusted = sees_trusted(kfd, req);
	char *buf;
	ssize_t len = new_buffer(&size, &buf);

	if (!len)
		len = kernfs_iop_listxattr(kfd_node(kfd, ino), buf, size,
					   trusted);
	kfd_reply_xattr(req, buf, len);
	free(buf);
}

void kfd_op_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_REMOVEXATTR);

	kfd_reply_err(req, kernfs_iop_setxattr(kfd_node(kfd, ino), name, NULL,
					       0, 0));
}
