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

int kfd_file_open(struct kernfs_node *kn, int flags,
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

void kfd_file_reply_open(struct kfd *kfd, fuse_req_t req,
			 struct fuse_file_info *fi, struct kernfs_open_file *of,
			 int err)
{
	struct kfd_handle *handle;

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

void kfd_op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_OPEN);
	struct kernfs_node *kn = kfd_node(kfd, ino);
	struct kernfs_open_file *of = NULL;
	struct kfd_request r;
	int err;

	if (kfd->params.callback_timeout_ms) {
		kfd_offload_open(kfd, req, kn, fi);
		return;
	}
	kfd_request_begin(&r, kfd, req);
	err = kfd_file_open(kn, fi->flags, &of);
	kfd_request_end(&r);
	kfd_file_reply_open(kfd, req, fi, of, err);
}

/* Does a callback of it need a thread to itself? */
static bool needs_thread(const struct kfd *kfd, const struct kfd_handle *handle)
{
	return kfd->params.callback_timeout_ms ||
	       kernfs_fop_may_block(handle->of);
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
	struct kfd_handle *handle = kfd_handle(fi);

	(void)ino;
	if (size > READ_MAX)
		size = READ_MAX;
	if (needs_thread(kfd, handle))
		kfd_offload_read(kfd, req, handle, size, off);
	else
		read_now(kfd, req, handle->of, size, off);
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

ssize_t kfd_file_write(struct kfd_handle *handle, const char *buf, size_t size,
		       off_t off)
{
	if (handle->of->flags & O_APPEND)
		return append(handle, buf, size);
	return kernfs_fop_write(handle->of, buf, size, off);
}

void kfd_op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size,
		  off_t off, struct fuse_file_info *fi)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_WRITE);
	struct kfd_handle *handle = kfd_handle(fi);
	struct kfd_request r;
	ssize_t len;

	(void)ino;
	if (needs_thread(kfd, handle)) {
		kfd_offload_write(kfd, req, handle, buf, size, off);
		return;
	}
	kfd_request_begin(&r, kfd, req);
	len = kfd_file_write(handle, buf, size, off);
	kfd_request_end(&r);
	kfd_reply_write(req, len);
}

/* SEEK_DATA and SEEK_HOLE: the kernel asks for nothing else. */
void kfd_op_lseek(fuse_req_t req, fuse_ino_t ino, off_t off, int whence,
		  struct fuse_file_info *fi)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_LSEEK);
	struct kfd_handle *handle = kfd_handle(fi);

	(void)ino;
	/* it waits for a callback of the same open file */
	if (needs_thread(kfd, handle))
		kfd_offload_lseek(kfd, req, handle, off, whence);
	else
		kfd_reply_lseek(req,
				kernfs_fop_llseek(handle->of, 0, off, whence));
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
