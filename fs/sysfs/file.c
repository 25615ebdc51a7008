/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text attributes.
 *
 * A value is shown whole, into a page of ours: the callback may write there
 * as it likes, whatever the reader asked for.
 */
#include "fs/sysfs/sysfs-internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- callbacks --- */

/* A page as sysfs_emit() wants it. */
struct page {
	char data[KERNFS_PAGE_SIZE];
} __attribute__((aligned(KERNFS_PAGE_SIZE)));

struct kobject *sysfs_file_kobj(struct kernfs_node *kn)
{
	/* the caller is inside the file, or has pinned its object: either
	 * keeps the directory's priv */
	struct kernfs_node *parent = kernfs_get_parent(kn);
	struct kobject *kobj = kernfs_priv(parent);

	kernfs_put(parent);
	return kobj;
}

/* Return: bytes in @page, less than a page; or -errno. */
static ssize_t show(struct kernfs_open_file *of, struct page *page)
{
	struct kobject *kobj = sysfs_file_kobj(of->kn);
	struct attribute *attr = kernfs_priv(of->kn);
	ssize_t len;

	memset(page, 0, sizeof(*page));
	len = kobj->ktype->sysfs_ops->show(kobj, attr, page->data);
	if (len < KERNFS_PAGE_SIZE)
		return len;
	kf_say(LOG_WARNING, "show of '%s' claims %zd bytes, a page or more",
	       attr->name, len);
	return KERNFS_PAGE_SIZE - 1;
}

static int kf_seq_show(struct seq_file *sf, void *v)
{
	struct page page;
	ssize_t len = show(sf->private_data, &page);

	(void)v;
	if (len < 0)
		return (int)len;
	/* it fits: an open file's buffer starts with a page */
	kernfs_seq_write(sf, page.data, (size_t)len);
	return 0;
}

/* With SYSFS_PREALLOC: shown at every read, and cut to what is asked for. */
static ssize_t kf_read(struct kernfs_open_file *of, char *buf, size_t count,
		       off_t pos)
{
	struct page page;
	ssize_t len = show(of, &page);

	if (len < 0)
		return len;
	if (pos >= len)
		return 0;
	len -= (ssize_t)pos;
	if ((size_t)len > count)
		len = (ssize_t)count;
	memcpy(buf, page.data + pos, (size_t)len);
	return len;
}

static ssize_t kf_write(struct kernfs_open_file *of, char *buf, size_t count,
			off_t pos)
{
	struct kobject *kobj;

	(void)pos;
	if (!count)
		return 0;
	kobj = sysfs_file_kobj(of->kn);
	return kobj->ktype->sysfs_ops->store(kobj, kernfs_priv(of->kn), buf,
					     count);
}

/* by what the object's type offers: 1 show, 2 store */
static const struct kernfs_ops file_ops[4] = {
	[1] = { .seq_show = kf_seq_show },
	[2] = { .write = kf_write },
	[3] = { .seq_show = kf_seq_show, .write = kf_write },
};

static const struct kernfs_ops prealloc_ops[4] = {
	[1] = { .read = kf_read, .prealloc = true },
	[2] = { .write = kf_write, .prealloc = true },
	[3] = { .read = kf_read, .write = kf_write, .prealloc = true },
};

/* --- creation --- */

int sysfs_add_file_mode(struct kernfs_node *parent,
			const struct attribute *attr, mode_t mode, uid_t uid,
			gid_t gid, const struct ns_common *ns)
{
	const struct kobject *kobj = kernfs_priv(parent);
	const struct sysfs_ops *ops;
	unsigned int which;

	if (kf_warn_on_once(!kobj))
		return -EINVAL;
	ops = kobj->ktype ? kobj->ktype->sysfs_ops : NULL;
	if (!ops) {
		kf_say(LOG_WARNING, "object '%s' has no sysfs_ops for '%s'",
		       kobj->name ? kobj->name : "", attr->name);
		return -EINVAL;
	}
	which = (ops->show ? 1 : 0) | (ops->store ? 2 : 0);
	return sysfs_created(
		parent, attr->name,
		__kernfs_create_file(
			parent, attr->name, mode & 0777, uid, gid,
			KERNFS_PAGE_SIZE,
			mode & SYSFS_PREALLOC ? &prealloc_ops[which] :
						&file_ops[which],
			(void *)attr, ns));
}

int sysfs_create_file_ns(struct kobject *kobj, const struct attribute *attr,
			 const struct ns_common *ns)
{
	struct kernfs_node *parent = sysfs_sd(kobj);
	uid_t uid;
	gid_t gid;

	if (kf_warn_on_once(!parent || !attr))
		return -EINVAL;
	sysfs_get_ownership(kobj, &uid, &gid);
	return sysfs_add_file_mode(parent, attr, attr->mode, uid, gid, ns);
}

int sysfs_create_files(struct kobject *kobj,
		       const struct attribute *const *attrs)
{
	int err = 0;
	size_t i;

	for (i = 0; attrs[i] && !err; i++)
		err = sysfs_create_file(kobj, attrs[i]);
	if (!err)
		return 0;
	/* not the one that failed: its name is another's */
	for (i--; i > 0; i--)
		sysfs_remove_file(kobj, attrs[i - 1]);
	return err;
}

/* The group's directory, or the object's own, with a reference; NULL. */
static struct kernfs_node *get_group(struct kobject *kobj, const char *group)
{
	struct kernfs_node *kn = sysfs_sd(kobj);

	if (!kn || !group)
		return sysfs_get(kn);
	return kernfs_find_and_get(kn, group);
}

int sysfs_add_file_to_group(struct kobject *kobj, const struct attribute *attr,
			    const char *group)
{
	struct kernfs_node *parent = get_group(kobj, group);
	uid_t uid;
	gid_t gid;
	int err;

	if (!parent)
		return -ENOENT;
	sysfs_get_ownership(kobj, &uid, &gid);
	err = sysfs_add_file_mode(parent, attr, attr->mode, uid, gid, NULL);
	kernfs_put(parent);
	return err;
}

/* --- changes --- */

int sysfs_chmod_file(struct kobject *kobj, const struct attribute *attr,
		     umode_t mode)
{
	const struct kernfs_iattr iattr = {
		.valid = KERNFS_ATTR_MODE,
		.mode = mode,
	};
	struct kernfs_node *kn = sysfs_sd(kobj);
	int err;

	kn = kn ? kernfs_find_and_get(kn, attr->name) : NULL;
	if (!kn)
		return -ENOENT;
	err = kernfs_setattr(kn, &iattr);
	kernfs_put(kn);
	return err;
}

struct kernfs_node *sysfs_break_active_protection(struct kobject *kobj,
						  const struct attribute *attr)
{
	struct kernfs_node *kn = sysfs_sd(kobj);

	kobject_get(kobj);
	kn = kn ? kernfs_find_and_get(kn, attr->name) : NULL;
	if (kn)
		kernfs_break_active_protection(kn);
	else
		kobject_put(kobj);
	return kn;
}

void sysfs_unbreak_active_protection(struct kernfs_node *kn)
{
	struct kobject *kobj = sysfs_file_kobj(kn);

	kernfs_unbreak_active_protection(kn);
	kernfs_put(kn);
	kobject_put(kobj);
}

/* --- notification --- */

void sysfs_notify(struct kobject *kobj, const char *dir, const char *attr)
{
	struct kernfs_node *parent = get_group(kobj, dir), *kn;

	if (!parent)
		return;
	kn = kernfs_find_and_get(parent, attr);
	if (kn)
		kernfs_notify(kn);
	kernfs_put(kn);
	kernfs_put(parent);
}

/* --- removal --- */

void sysfs_remove_file_ns(struct kobject *kobj, const struct attribute *attr,
			  const struct ns_common *ns)
{
	struct kernfs_node *parent = sysfs_sd(kobj);

	/* the directory went first, and this file with it */
	if (parent)
		kernfs_remove_by_name_ns(parent, attr->name, ns);
}

void sysfs_remove_files(struct kobject *kobj,
			const struct attribute *const *attrs)
{
	for (; *attrs; attrs++)
		sysfs_remove_file(kobj, *attrs);
}

bool sysfs_remove_file_self(struct kobject *kobj, const struct attribute *attr)
{
	struct kernfs_node *kn = sysfs_sd(kobj);
	bool won;

	kn = kn ? kernfs_find_and_get(kn, attr->name) : NULL;
	if (kf_warn_on_once(!kn))
		return false;
	won = kernfs_remove_self(kn);
	kernfs_put(kn);
	return won;
}

void sysfs_remove_file_from_group(struct kobject *kobj,
				  const struct attribute *attr,
				  const char *group)
{
	struct kernfs_node *parent = get_group(kobj, group);

	if (!parent)
		return;
	kernfs_remove_by_name(parent, attr->name);
	kernfs_put(parent);
}

/* --- printing --- */

static int __attribute__((format(printf, 3, 0)))
emit(char *buf, size_t at, const char *fmt, va_list ap)
{
	size_t room = KERNFS_PAGE_SIZE - at;
	int len = vsnprintf(buf + at, room, fmt, ap);

	if (kf_warn_on_once(len < 0))
		return 0;
	return (size_t)len < room ? len : (int)room - 1;
}

static bool is_page(const char *buf)
{
	return buf && !((uintptr_t)buf & (KERNFS_PAGE_SIZE - 1));
}

int sysfs_emit(char *buf, const char *fmt, ...)
{
	va_list ap;
	int len;

	if (kf_warn_on_once(!is_page(buf)))
		return 0;
	va_start(ap, fmt);
	len = emit(buf, 0, fmt, ap);
	va_end(ap);
	return len;
}

int sysfs_emit_at(char *buf, int at, const char *fmt, ...)
{
	va_list ap;
	int len;

	if (kf_warn_on_once(!is_page(buf) || at < 0 || at >= KERNFS_PAGE_SIZE))
		return 0;
	va_start(ap, fmt);
	len = emit(buf, (size_t)at, fmt, ap);
	va_end(ap);
	return len;
}
