/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attributes: who may do what, stat, and changing them.
 *
 * Mode and owner are read together: under the node's lock, or between two
 * looks at its seq. A node without a record is root's and was never changed;
 * the record is made when first needed and stays as long as the node.
 */
#include "fs/kernfs/kernfs-internal.h"

#include <stdlib.h>
#include <string.h>

const struct kernfs_cred kernfs_root_cred = {
	.cap_dac_override = true,
	.cap_dac_read_search = true,
	.cap_fowner = true,
	.cap_chown = true,
	.cap_fsetid = true,
};

void kernfs_now(struct timespec *ret_ts)
{
	clock_gettime(CLOCK_REALTIME, ret_ts);
}

struct owner_mode {
	uid_t uid;
	gid_t gid;
	mode_t mode;
};

static inline void load_owner_mode(const struct kernfs_node *kn,
				   struct owner_mode *ret_om)
{
	/* acquire, pairs with the release in store_attrs_locked() */
	const struct kernfs_iattrs *iattr = smp_load_acquire(&kn->iattr);

	ret_om->mode = READ_ONCE(kn->mode);
	ret_om->uid = iattr ? READ_ONCE(iattr->uid) : 0;
	ret_om->gid = iattr ? READ_ONCE(iattr->gid) : 0;
}

static bool in_group(const struct kernfs_cred *cred, gid_t gid)
{
	if (cred->fsgid == gid)
		return true;
	for (size_t i = 0; i < cred->nr_groups; i++)
		if (cred->groups[i] == gid)
			return true;
	return false;
}

static int check_mode(const struct owner_mode *om,
		      const struct kernfs_cred *cred, int mask)
{
	mode_t bits = om->mode;

	if (cred->fsuid == om->uid)
		bits >>= 6;
	else if (in_group(cred, om->gid))
		bits >>= 3;
	if (((mode_t)mask & ~bits & 7) == 0)
		return 0;
	if (S_ISDIR(om->mode)) {
		if (cred->cap_dac_override)
			return 0;
		return cred->cap_dac_read_search && !(mask & KERNFS_MAY_WRITE) ?
			       0 :
			       -EACCES;
	}
	if (cred->cap_dac_read_search && mask == KERNFS_MAY_READ)
		return 0;
	/* nobody executes what has no x bit at all */
	if (cred->cap_dac_override &&
	    (!(mask & KERNFS_MAY_EXEC) || om->mode & 0111))
		return 0;
	return -EACCES;
}

int kernfs_iop_permission(struct kernfs_node *kn,
			  const struct kernfs_cred *cred, int mask)
{
	struct owner_mode om;
	struct kf_read rd;

	kf_read_begin(&rd, &kn->root->locks, kn, &kn->seq,
		      KERNFS_LOCK_PERMISSION);
	do {
		load_owner_mode(kn, &om);
	} while (kf_read_retry(&rd));
	kf_read_end(&rd);
	return check_mode(&om, cred, mask);
}

/* What seq covers; the rest of struct stat is fixed. */
static void load_attrs(const struct kernfs_node *kn,
		       const struct timespec *born, struct stat *st)
{
	static const struct timespec epoch;
	const struct kernfs_iattrs *iattr = smp_load_acquire(&kn->iattr);
	struct owner_mode om;

	load_owner_mode(kn, &om);
	st->st_mode = om.mode;
	st->st_uid = om.uid;
	st->st_gid = om.gid;
	st->st_atim = st->st_mtim = st->st_ctim = born ? *born : epoch;
	if (!iattr)
		return;
	kernfs_load_time(&st->st_atim, &iattr->atime);
	kernfs_load_time(&st->st_mtim, &iattr->mtime);
	kernfs_load_time(&st->st_ctim, &iattr->ctime);
}

void kernfs_iop_getattr(struct kernfs_node *kn, const struct timespec *born,
			struct stat *ret_st)
{
	struct kf_read rd;

	memset(ret_st, 0, sizeof(*ret_st));
	ret_st->st_ino = kernfs_ino(kn);
	ret_st->st_blksize = KERNFS_PAGE_SIZE;
	ret_st->st_nlink = 1;
	if (kernfs_is(kn, KERNFS_FILE))
		ret_st->st_size = kn->attr.size;
	kf_read_begin(&rd, &kn->root->locks, kn, &kn->seq,
		      KERNFS_LOCK_PERMISSION);
	do {
		load_attrs(kn, born, ret_st);
		/* a directory being removed keeps what it had */
		if (kernfs_is(kn, KERNFS_DIR))
			ret_st->st_nlink = READ_ONCE(kn->subdirs) + 2;
	} while (kf_read_retry(&rd));
	kf_read_end(&rd);
}

struct kernfs_iattrs *kernfs_new_iattrs(void)
{
	struct kernfs_iattrs *iattr = calloc(1, sizeof(*iattr));

	if (!iattr)
		return NULL;
	kernfs_now(&iattr->atime);
	iattr->mtime = iattr->ctime = iattr->atime;
	return iattr;
}

struct kernfs_iattrs *kernfs_iattrs_locked(struct kernfs_node *kn)
{
	struct kernfs_iattrs *iattr = kn->iattr;

	kf_assert_write_locked(&kn->root->locks, kn);
	if (iattr)
		return iattr;
	iattr = kernfs_new_iattrs();
	if (!iattr)
		return NULL;
	write_seqcount_begin(&kn->seq);
	/* pairs with the acquire in load_owner_mode() */
	smp_store_release(&kn->iattr, iattr);
	write_seqcount_end(&kn->seq);
	return iattr;
}

/*
 * A new record becomes visible together with what is stored in it: readers
 * see all fields of one call or none.
 */
static int store_attrs_locked(struct kernfs_node *kn,
			      const struct kernfs_iattr *attr)
{
	struct kernfs_iattrs *to = kn->iattr ? kn->iattr : kernfs_new_iattrs();

	kf_assert_write_locked(&kn->root->locks, kn);
	if (!to)
		return -ENOMEM;
	write_seqcount_begin(&kn->seq);
	/* pairs with the acquire in load_owner_mode() */
	smp_store_release(&kn->iattr, to);
	if (attr->valid & KERNFS_ATTR_MODE)
		WRITE_ONCE(kn->mode, (uint16_t)((kn->mode & S_IFMT) |
						(attr->mode & 07777)));
	if (attr->valid & KERNFS_ATTR_UID)
		WRITE_ONCE(to->uid, attr->uid);
	if (attr->valid & KERNFS_ATTR_GID)
		WRITE_ONCE(to->gid, attr->gid);
	if (attr->valid & KERNFS_ATTR_ATIME)
		kernfs_store_time(&to->atime, &attr->atime);
	if (attr->valid & KERNFS_ATTR_MTIME)
		kernfs_store_time(&to->mtime, &attr->mtime);
	if (attr->valid & KERNFS_ATTR_CTIME)
		kernfs_store_time(&to->ctime, &attr->ctime);
	write_seqcount_end(&kn->seq);
	return 0;
}

int kernfs_setattr(struct kernfs_node *kn, const struct kernfs_iattr *attr)
{
	struct kf_write w;
	int err;

	kf_write_lock(&w, &kn->root->locks, kn, NULL, NULL);
	err = store_attrs_locked(kn, attr);
	kf_write_unlock(&w);
	return err;
}

static int may_setattr(const struct owner_mode *om,
		       const struct kernfs_cred *cred,
		       const struct kernfs_iattr *attr)
{
	bool owner = cred->fsuid == om->uid;

	if (attr->valid & KERNFS_ATTR_UID && !cred->cap_chown &&
	    !(owner && attr->uid == om->uid))
		return -EPERM;
	if (attr->valid & KERNFS_ATTR_GID && !cred->cap_chown &&
	    !(owner && (attr->gid == om->gid || in_group(cred, attr->gid))))
		return -EPERM;
	if (attr->valid & (KERNFS_ATTR_MODE | KERNFS_ATTR_ATIME |
			   KERNFS_ATTR_MTIME) &&
	    !owner && !cred->cap_fowner)
		return -EPERM;
	return 0;
}

/* What is stored for what was asked: ctime moves, and a caller outside the
 * file's group does not leave it a setgid bit. */
static void adjust(struct kernfs_iattr *attr, const struct owner_mode *om,
		   const struct kernfs_cred *cred)
{
	gid_t gid = attr->valid & KERNFS_ATTR_GID ? attr->gid : om->gid;

	if (attr->valid & ~KERNFS_ATTR_SIZE &&
	    !(attr->valid & KERNFS_ATTR_CTIME)) {
		attr->valid |= KERNFS_ATTR_CTIME;
		kernfs_now(&attr->ctime);
	}
	if (attr->valid & KERNFS_ATTR_MODE && !cred->cap_fsetid &&
	    !in_group(cred, gid))
		attr->mode &= ~(mode_t)S_ISGID;
}

int kernfs_iop_setattr(struct kernfs_node *kn, const struct kernfs_cred *cred,
		       const struct kernfs_iattr *attr)
{
	struct kernfs_iattr adjusted = *attr;
	struct owner_mode om;
	struct kf_write w;
	int err;

	/* checked and stored under one lock: the owner checked is the owner
	 * whose file is changed */
	kf_write_lock(&w, &kn->root->locks, kn, NULL, NULL);
	load_owner_mode(kn, &om);
	err = may_setattr(&om, cred, attr);
	if (!err) {
		adjust(&adjusted, &om, cred);
		err = store_attrs_locked(kn, &adjusted);
	}
	kf_write_unlock(&w);
	return err;
}
