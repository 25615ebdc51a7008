// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Replies: the one place where -errno becomes a positive errno, and where
 * caching is decided.
 *
 * cache=none: entries and attributes are valid for no time at all, and file
 * contents bypass the page cache, so that every walk, stat and read asks us.
 *
 * A reply to a request whose client was killed fails with -ENOENT. What such
 * a reply would have handed over is taken back; other failures mean that the
 * connection is gone, which ends the session and frees everything.
 */
#include "fs/fuse/fuse-internal.h"

#define ATTR_TIMEOUT 0.0  /* seconds */
#define ENTRY_TIMEOUT 0.0 /* seconds */

void kfd_reply_err(fuse_req_t req, int err)
{
	fuse_reply_err(req, -err);
}

void kfd_reply_entry(fuse_req_t req, struct kfd *kfd, struct kfd_inode *inode)
{
	struct fuse_entry_param e = {
		.ino = (fuse_ino_t)(uintptr_t)inode,
		/* the address may be used again for another node */
		.generation = kernfs_id(inode->kn),
		.attr_timeout = ATTR_TIMEOUT,
		.entry_timeout = ENTRY_TIMEOUT,
	};

	kfd_inode_stat(kfd, inode, &e.attr);
	if (fuse_reply_entry(req, &e) == -ENOENT)
		kfd_inode_forget(kfd, inode, 1);
}

void kfd_reply_attr(fuse_req_t req, struct kfd *kfd, struct kfd_inode *inode)
{
	struct stat st;

	kfd_inode_stat(kfd, inode, &st);
	fuse_reply_attr(req, &st, ATTR_TIMEOUT);
}

void kfd_reply_open(fuse_req_t req, struct fuse_file_info *fi,
		    struct kfd_handle *handle)
{
	fi->fh = (uintptr_t)handle;
	if (handle->of) {
		/* st_size is 4096 whatever the content: see doc of inode.h */
		fi->direct_io = 1;
		/* close(2) has nothing to report: saves a request each */
		fi->noflush = 1;
	}
	if (fuse_reply_open(req, fi) == -ENOENT)
		kfd_handle_close(handle);
}

void kfd_reply_buf(fuse_req_t req, const char *buf, ssize_t len)
{
	if (len < 0)
		kfd_reply_err(req, (int)len);
	else
		fuse_reply_buf(req, buf, (size_t)len);
}

void kfd_reply_write(fuse_req_t req, ssize_t len)
{
	if (len < 0)
		kfd_reply_err(req, (int)len);
	else
		fuse_reply_write(req, (size_t)len);
}

void kfd_reply_lseek(fuse_req_t req, off_t off)
{
	if (off < 0)
		kfd_reply_err(req, (int)off);
	else
		fuse_reply_lseek(req, off);
}

void kfd_reply_xattr(fuse_req_t req, const char *buf, ssize_t len)
{
	if (buf || len < 0)
		kfd_reply_buf(req, buf, len);
	else
		fuse_reply_xattr(req, (size_t)len);
}

void kfd_reply_poll(fuse_req_t req, unsigned int events)
{
	fuse_reply_poll(req, events);
}

void kfd_reply_readlink(fuse_req_t req, const char *text, int err)
{
	if (err < 0)
		kfd_reply_err(req, err);
	else
		fuse_reply_readlink(req, text);
}

void kfd_reply_statfs(fuse_req_t req, const struct statvfs *st)
{
	fuse_reply_statfs(req, st);
}
