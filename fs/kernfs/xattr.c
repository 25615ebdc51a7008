/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes: a list in the node's attribute record.
 *
 * All of it is guarded by the node's lock, under every policy: these are no hot
 * path. Limits keep the list short where clients without privilege can make it
 * longer.
 */
#include "fs/kernfs/kernfs-internal.h"

#include <kernfuse/xattr.h>

#include <stdlib.h>
#include <string.h>

struct kernfs_xattr {
	struct kernfs_xattr *next;
	size_t size;
	char *name; /* behind the value */
	char value[];
};

static struct kernfs_xattr *new_xattr(const char *name, const void *value,
				      size_t size)
{
	size_t len = strlen(name) + 1;
	struct kernfs_xattr *x = malloc(sizeof(*x) + size + len);

	if (!x)
		return NULL;
	x->size = size;
	x->name = x->value + size;
	if (size)
		memcpy(x->value, value, size);
	memcpy(x->name, name, len);
	return x;
}

void kernfs_free_xattrs(struct kernfs_xattr *list)
{
	while (list) {
		struct kernfs_xattr *next = list->next;

		free(list);
		list = next;
	}
}

/* The attribute; NULL: there is none. *@ret_link: where it is linked, or is to
 * be: the list is in descending order of names, as the kernel's is. */
static struct kernfs_xattr *find(struct kernfs_iattrs *iattr, const char *name,
				 struct kernfs_xattr ***ret_link)
{
	struct kernfs_xattr **link = &iattr->xattrs;
	int order = 1;

	while (*link && (order = strcmp((*link)->name, name)) > 0)
		link = &(*link)->next;
	*ret_link = link;
	return *link && !order ? *link : NULL;
}

static ssize_t get_locked(struct kernfs_node *kn, const char *name, void *value,
			  size_t size)
{
	const struct kernfs_xattr *x;
	struct kernfs_xattr **link;

	if (!kn->iattr)
		return -ENODATA;
	x = find(kn->iattr, name, &link);
	if (!x)
		return -ENODATA;
	if (!value)
		return (ssize_t)x->size;
	if (size < x->size)
		return -ERANGE;
	memcpy(value, x->value, x->size);
	return (ssize_t)x->size;
}

ssize_t kernfs_xattr_get(struct kernfs_node *kn, const char *name, void *value,
			 size_t size)
{
	struct kf_read rd;
	ssize_t ret;

	kf_read_begin_locked(&rd, &kn->root->locks, kn);
	ret = get_locked(kn, name, value, size);
	kf_read_end(&rd);
	return ret;
}

/*
 * Puts @x, or nothing, in the place of what has its name.
 * *@ret_old: what was there, for the caller to free.
 */
static int replace_locked(struct kernfs_node *kn, const char *name,
			  struct kernfs_xattr *x, int flags,
			  struct kernfs_xattr **ret_old)
{
	struct kernfs_iattrs *iattr = kernfs_iattrs_locked(kn);
	struct kernfs_xattr **link, *old;

	if (!iattr)
		return -ENOMEM;
	old = find(iattr, name, &link);
	if (old && flags & KERNFS_XATTR_CREATE)
		return -EEXIST;
	if (!old && (!x || flags & KERNFS_XATTR_REPLACE))
		return -ENODATA;
	if (old)
		*link = old->next;
	if (x) {
		x->next = *link;
		*link = x;
	}
	*ret_old = old;
	return 0;
}

/* May one more value of @size be added? Before looking for an old one. */
static int charge_user_locked(struct kernfs_node *kn, size_t size)
{
	struct kernfs_iattrs *iattr = kernfs_iattrs_locked(kn);

	if (!iattr)
		return -ENOMEM;
	if (iattr->nr_user_xattrs + 1 > KERNFS_MAX_USER_XATTRS ||
	    iattr->user_xattr_size + size > KERNFS_USER_XATTR_SIZE_LIMIT)
		return -ENOSPC;
	return 0;
}

static void account_user_locked(struct kernfs_node *kn,
				const struct kernfs_xattr *x,
				const struct kernfs_xattr *old)
{
	if (x) {
		kn->iattr->nr_user_xattrs++;
		kn->iattr->user_xattr_size += x->size;
	}
	if (old) {
		kn->iattr->nr_user_xattrs--;
		kn->iattr->user_xattr_size -= old->size;
	}
}

static bool is_user(const char *name)
{
	return !strncmp(name, "user.", 5);
}

static int set(struct kernfs_node *kn, const char *name, const void *value,
	       size_t size, int flags, bool limited)
{
	struct kernfs_xattr *x = NULL, *old = NULL;
	struct kf_write w;
	int err = 0;

	if (value) {
		x = new_xattr(name, value, size);
		if (!x)
			return -ENOMEM;
	}
	kf_write_lock(&w, &kn->root->locks, kn, NULL, NULL);
	if (x && limited && is_user(name))
		err = charge_user_locked(kn, size);
	if (!err)
		err = replace_locked(kn, name, x, flags, &old);
	if (!err && is_user(name))
		account_user_locked(kn, x, old);
	kf_write_unlock(&w);
	free(err ? x : old);
	return err;
}

int kernfs_xattr_set(struct kernfs_node *kn, const char *name,
		     const void *value, size_t size, int flags)
{
	return set(kn, name, value, size, flags, false);
}

/* 0; -EINVAL nothing behind the prefix; -EOPNOTSUPP an unknown prefix. */
static int check_prefix(const char *name)
{
	static const char *const known[] = { "trusted.", "security.", "user." };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t len = strlen(known[i]);

		if (!strncmp(name, known[i], len))
			return name[len] ? 0 : -EINVAL;
	}
	return -EOPNOTSUPP;
}

static int check_name(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > KERNFS_XATTR_NAME_MAX)
		return -ERANGE;
	return check_prefix(name);
}

ssize_t kernfs_iop_getxattr(struct kernfs_node *kn, const char *name,
			    void *value, size_t size)
{
	int err = check_name(name);

	/* user.* that this root does not take is just not there */
	return err ? err : kernfs_xattr_get(kn, name, value, size);
}

int kernfs_iop_setxattr(struct kernfs_node *kn, const char *name,
			const void *value, size_t size, int flags)
{
	int err = check_name(name);

	if (err)
		return err;
	if (is_user(name) &&
	    !(kn->root->flags & KERNFS_ROOT_SUPPORT_USER_XATTR))
		return -EOPNOTSUPP;
	if (value && size > KERNFS_XATTR_SIZE_MAX)
		return -E2BIG;
	return set(kn, name, value, size, flags, true);
}

static ssize_t list_locked(const struct kernfs_iattrs *iattr, char *list,
			   size_t size, bool trusted)
{
	size_t used = 0;

	for (const struct kernfs_xattr *x = iattr->xattrs; x; x = x->next) {
		size_t len = strlen(x->name) + 1;

		if (!trusted && !strncmp(x->name, "trusted.", 8))
			continue;
		if (list) {
			if (used + len > size)
				return -ERANGE;
			memcpy(list + used, x->name, len);
		}
		used += len;
	}
	return used > KERNFS_XATTR_SIZE_MAX ? -E2BIG : (ssize_t)used;
}

ssize_t kernfs_iop_listxattr(struct kernfs_node *kn, char *list, size_t size,
			     bool trusted)
{
	const struct kernfs_iattrs *iattr;
	struct kf_write w;
	ssize_t ret = -ENOMEM;

	kf_write_lock(&w, &kn->root->locks, kn, NULL, NULL);
	iattr = kernfs_iattrs_locked(kn);
	if (iattr)
		ret = list_locked(iattr, list, size, trusted);
	kf_write_unlock(&w);
	return ret;
}
