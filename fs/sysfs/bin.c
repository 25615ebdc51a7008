/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Binary attributes: offset and length go through to the callback, within the
 * size that the node reports if it reports one.
 */
#include "fs/sysfs/sysfs-internal.h"

#include <string.h>
#include <unistd.h>

static const struct bin_attribute *bin_attr(const struct kernfs_open_file *of)
{
	return kernfs_priv(of->kn);
}

static struct file file_of(struct kernfs_open_file *of)
{
	return (struct file){ .f_flags = (unsigned int)of->flags, .of = of };
}

/* What is left of @count at @pos; a node without a size has all of it. */
static size_t within(const struct kernfs_open_file *of, off_t pos, size_t count)
{
	off_t size = of->kn->attr.size;

	if (!size)
		return count;
	if (pos >= size)
		return 0;
	return (off_t)count > size - pos ? (size_t)(size - pos) : count;
}

static ssize_t bin_read(struct kernfs_open_file *of, char *buf, size_t count,
			off_t pos)
{
	const struct bin_attribute *attr = bin_attr(of);
	struct file filp = file_of(of);

	count = within(of, pos, count);
	if (!count)
		return 0;
	if (!attr->read)
		return -EIO;
	return attr->read(&filp, sysfs_file_kobj(of->kn), attr, buf, pos,
			  count);
}

static ssize_t bin_write(struct kernfs_open_file *of, char *buf, size_t count,
			 off_t pos)
{
	const struct bin_attribute *attr = bin_attr(of);
	struct file filp = file_of(of);
	off_t size = of->kn->attr.size;

	if (size && pos >= size)
		return -EFBIG;
	count = within(of, pos, count);
	if (!count)
		return 0;
	if (!attr->write)
		return -EIO;
	return attr->write(&filp, sysfs_file_kobj(of->kn), attr, buf, pos,
			   count);
}

static off_t plain_llseek(off_t pos, off_t offset, int whence, off_t size)
{
	if (whence == SEEK_CUR)
		offset += pos;
	else if (whence == SEEK_END)
		offset += size;
	else if (whence != SEEK_SET)
		return -EINVAL;
	return offset < 0 ? -EINVAL : offset;
}

static off_t bin_llseek(struct kernfs_open_file *of, off_t pos, off_t offset,
			int whence)
{
	const struct bin_attribute *attr = bin_attr(of);
	struct file filp = file_of(of);

	if (attr->llseek)
		return attr->llseek(&filp, sysfs_file_kobj(of->kn), attr,
				    offset, whence);
	return plain_llseek(pos, offset, whence, of->kn->attr.size);
}

/* by what there is: 1 read, 2 write; mmap stands for everything */
static const struct kernfs_ops bin_ops[4] = {
	[1] = { .read = bin_read },
	[2] = { .write = bin_write },
	[3] = { .read = bin_read, .write = bin_write },
};

static const struct kernfs_ops mmap_ops = {
	.read = bin_read,
	.write = bin_write,
	.llseek = bin_llseek,
};

int sysfs_add_bin_file_mode(struct kernfs_node *parent,
			    const struct bin_attribute *attr, mode_t mode,
			    size_t size, uid_t uid, gid_t gid)
{
	unsigned int which = (attr->read ? 1 : 0) | (attr->write ? 2 : 0);
	const struct kernfs_ops *ops = attr->mmap ? &mmap_ops : &bin_ops[which];

	return sysfs_created(parent, attr->attr.name,
			     __kernfs_create_file(parent, attr->attr.name,
						  mode & 0777, uid, gid,
						  (off_t)size, ops,
						  (void *)attr, NULL));
}

int sysfs_create_bin_file(struct kobject *kobj,
			  const struct bin_attribute *attr)
{
	struct kernfs_node *parent = sysfs_sd(kobj);
	uid_t uid;
	gid_t gid;

	if (kf_warn_on_once(!parent || !attr))
		return -EINVAL;
	sysfs_get_ownership(kobj, &uid, &gid);
	return sysfs_add_bin_file_mode(parent, attr, attr->attr.mode,
				       attr->size, uid, gid);
}

void sysfs_remove_bin_file(struct kobject *kobj,
			   const struct bin_attribute *attr)
{
	sysfs_remove_file_ns(kobj, &attr->attr, NULL);
}

ssize_t sysfs_bin_attr_simple_read(struct file *filp, struct kobject *kobj,
				   const struct bin_attribute *attr, char *buf,
				   off_t pos, size_t count)
{
	(void)filp, (void)kobj;
	memcpy(buf, (const char *)attr->private + pos, count);
	return (ssize_t)count;
}
