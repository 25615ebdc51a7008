// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * GETATTR, SETATTR, ACCESS and STATFS.
 *
 * default_permissions is always on: the kernel has checked ownership before
 * SETATTR arrives, and asks ACCESS only if somebody mounts without it.
 */
#include "fs/fuse/fuse-internal.h"

#include <stdlib.h>

void kfd_op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_GETATTR);
	struct kfd_inode *inode = kfd_inode(kfd, ino);

	/* lseek(2) for SEEK_END, which fails when the node is gone; fstat(2),
	 * which does not, comes without the open file */
	if (fi && !kernfs_active(inode->kn))
		kfd_reply_err(req, -ENODEV);
	else
		kfd_reply_attr(req, kfd, inode);
}

/*
 * A size is dropped here: truncating succeeds and changes nothing. Through an
 * open file it changes the times, as the kernel does before it asks a file
 * system, but FUSE does not tell. Everything else changes ctime.
 */
static struct kernfs_iattr iattr_from(const struct stat *st, int to_set,
				      bool open_file)
{
	struct kernfs_iattr attr = {
		.mode = st->st_mode,
		.uid = st->st_uid,
		.gid = st->st_gid,
		.atime = st->st_atim,
		.mtime = st->st_mtim,
	};
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (to_set & FUSE_SET_ATTR_SIZE && open_file)
		to_set |= FUSE_SET_ATTR_MTIME_NOW;
	if (to_set & FUSE_SET_ATTR_MODE)
		attr.valid |= KERNFS_ATTR_MODE;
	if (to_set & FUSE_SET_ATTR_UID)
		attr.valid |= KERNFS_ATTR_UID;
	if (to_set & FUSE_SET_ATTR_GID)
		attr.valid |= KERNFS_ATTR_GID;
	if (to_set & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_ATIME_NOW))
		attr.valid |= KERNFS_ATTR_ATIME;
	if (to_set & FUSE_SET_ATTR_ATIME_NOW)
		attr.atime = now;
	if (to_set & (FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW))
		attr.valid |= KERNFS_ATTR_MTIME;
	if (to_set & FUSE_SET_ATTR_MTIME_NOW)
		attr.mtime = now;
	if (!attr.valid)
		return attr;
	attr.valid |= KERNFS_ATTR_CTIME;
	attr.ctime = now;
	return attr;
}

void kfd_op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *st, int to_set,
		    struct fuse_file_info *fi)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_SETATTR);
	struct kfd_inode *inode = kfd_inode(kfd, ino);
	struct kernfs_iattr attr = iattr_from(st, to_set, fi);
	int err = 0;

	if (to_set & FUSE_SET_ATTR_SIZE && st->st_size > KERNFS_MAX_BYTES)
		err = -EFBIG;
	else if (attr.valid)
		err = kernfs_setattr(inode->kn, &attr);
	if (err)
		kfd_reply_err(req, err);
	else
		kfd_reply_attr(req, kfd, inode);
}

int kfd_truncated(struct kernfs_node *kn)
{
	static const struct stat st;
	struct kernfs_iattr attr = iattr_from(&st, FUSE_SET_ATTR_SIZE, true);

	return kernfs_setattr(kn, &attr);
}

/* The caller's supplementary groups; NULL and 0 if they cannot be had. */
static gid_t *get_groups(fuse_req_t req, size_t *ret_nr)
{
	/* a first guess that fits almost everybody, so one read of /proc */
	int room = 64, nr;
	gid_t *groups = NULL, *bigger;

	*ret_nr = 0;
	for (;;) {
		bigger = reallocarray(groups, (size_t)room, sizeof(*groups));
		if (!bigger)
			break;
		groups = bigger;
		nr = fuse_req_getgroups(req, room, groups);
		if (nr < 0)
			break;
		if (nr <= room) {
			*ret_nr = (size_t)nr;
			return groups;
		}
		room = nr;
	}
	free(groups);
	return NULL;
}

void kfd_op_access(fuse_req_t req, fuse_ino_t ino, int mask)
{
	struct kfd *kfd = kfd_begin(req, KFD_OP_ACCESS);
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	size_t nr_groups;
	gid_t *groups;
	struct kernfs_cred cred;

	/* the request does not say which capabilities the caller has */
	if (ctx->uid == 0) {
		kfd_reply_err(req,
			      kernfs_iop_permission(kfd_node(kfd, ino),
						    &kernfs_root_cred, mask));
		return;
	}
	groups = get_groups(req, &nr_groups);
	cred = (struct kernfs_cred){
		.fsuid = ctx->uid,
		.fsgid = ctx->gid,
		.groups = groups,
		.nr_groups = nr_groups,
	};
	kfd_reply_err(req,
		      kernfs_iop_permission(kfd_node(kfd, ino), &cred, mask));
	free(groups);
}

void kfd_op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	static const struct statvfs st = {
		.f_bsize = KERNFS_PAGE_SIZE,
		.f_frsize = KERNFS_PAGE_SIZE,
		.f_namemax = 255,
	};

	(void)ino;
	kfd_begin(req, KFD_OP_STATFS);
	kfd_reply_statfs(req, &st);
}
