// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * OPEN, READ, WRITE, LSEEK, RELEASE and FSYNC of files.
 *
 * Files bypass the page cache, so one read(2) is one READ here, with the
 * offset and size the client gave.
 */
#include "fs/fuse/fuse-internal.h"

#include <fcntl.h>

/*
 * Bytes one READ returns at most, on the handler's stack; text longer than
 * that is read in several pieces.
 */
#define READ_MAX (16 * KERNFS_PAGE_SIZE)

static int open_file(struct kernfs_node *kn, int flags,
		     struct kernfs_open_file **ret_of)
{
	struct kernfs_open_file *of;
	int err = kernfs_fop_open(kn, flags, &of);

	if (err)
		return err;
	/* in the kernel's order: the file is asked first, then its absent
	 * direct_IO operation is noticed */
	if (flags & O_DIRECT) {
		kernfs_fop_release(of);
		return -EINVAL;
	}
	if (flags & O_TRUNC)
		err = kfd_truncated(kn);
	if (err) {
		kernfs_fop_release(of);
		return err;
	}
	*ret_of = of;
	return 0;
}

void kfd_op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_OPEN);
	struct kernfs_open_file *of;
	struct kfd_handle *handle;
	struct kfd_request r;
	int err;

	kfd_request_begin(&r, kfd, req);
	err = open_file(kfd_node(kfd, ino), fi->flags, &of);
	kfd_request_end(&r);
	if (err) {
		kfd_reply_err(req, err);
		return;
	}
	handle = kfd_handle_new(kfd);
	if (!handle) {
		kernfs_fop_release(of);
		kfd_reply_err(req, -ENOMEM);
		return;
	}
	handle->of = of;
	kfd_reply_open(req, fi, handle);
}

static void read_now(struct kfd *kfd, fuse_req_t req,
		     struct kernfs_open_file *of, size_t size, off_t off)
{
	struct kfd_request r;
	char buf[READ_MAX];
	ssize_t len;

	kfd_request_begin(&r, kfd, req);
	len = kernfs_fop_read(of, buf, size, off);
	kfd_request_end(&r);
	kfd_reply_buf(req, buf, len);
}

void kfd_op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		 struct fuse_file_info *fi)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_READ);
	struct kernfs_open_file *of = kfd_handle(fi)->of;

	(void)ino;
	if (size > READ_MAX)
		size = READ_MAX;
	if (kernfs_fop_may_block(of))
		kfd_offload_read(kfd, req, of, size, off);
	else
		read_now(kfd, req, of, size, off);
}

/*
 * kernfs takes no notice of O_APPEND: a write goes on where the last one
 * ended. What the kernel sends as offset is the size. (Where it read or sought
 * to meanwhile it does not send at all.)
 */
static ssize_t append(struct kfd_handle *handle, const char *buf, size_t size)
{
	/* relaxed, pairs with the store below: the kernel lets one append at a
	 * time into a file */
	off_t pos = READ_ONCE(handle->append_pos);
	ssize_t ret = kernfs_fop_write(handle->of, buf, size, pos);

	if (ret > 0)
		WRITE_ONCE(handle->append_pos, pos + ret);
	return ret;
}

void kfd_op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size,
		  off_t off, struct fuse_file_info *fi)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_WRITE);
	struct kfd_handle *handle = kfd_handle(fi);
	struct kfd_request r;
	ssize_t len;

	(void)ino;
	if (kernfs_fop_may_block(handle->of)) {
		kfd_offload_write(kfd, req, handle->of, buf, size, off);
		return;
	}
	kfd_request_begin(&r, kfd, req);
	if (handle->of->flags & O_APPEND)
		len = append(handle, buf, size);
	else
		len = kernfs_fop_write(handle->of, buf, size, off);
	kfd_request_end(&r);
	kfd_reply_write(req, len);
}

/* SEEK_DATA and SEEK_HOLE: the kernel asks for nothing else. */
void kfd_op_lseek(fuse_req_t req, fuse_ino_t ino, off_t off, int whence,
		  struct fuse_file_info *fi)
{
	off_t ret;

	(void)ino;
	kfd_begin(req, KFD_OP_LSEEK);
	ret = kernfs_fop_llseek(kfd_handle(fi)->of, 0, off, whence);
	if (ret < 0)
		kfd_reply_err(req, (int)ret);
	else
		fuse_reply_lseek(req, ret);
}

void kfd_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	kfd_begin(req, KFD_OP_RELEASE);
	kfd_handle_close(kfd_handle(fi));
	kfd_reply_err(req, 0);
}

void kfd_op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync,
		  struct fuse_file_info *fi)
{
	(void)ino, (void)datasync, (void)fi;
	kfd_begin(req, KFD_OP_FSYNC);
	kfd_reply_err(req, 0);
}
