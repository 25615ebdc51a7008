/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading, writing and seeking in open files.
 *
 * Each operation takes of->mutex, so that callbacks of one open file take
 * turns, and then an active reference, so that the node cannot go while its
 * callback runs. The order matters: an operation that waits for its turn must
 * not hold up a removal.
 */
#include "fs/kernfs/open-file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool kernfs_fop_may_block(const struct kernfs_open_file *of)
{
	return of->kn->attr.ops->may_block;
}

static bool bad_range(size_t count, off_t pos)
{
	return pos < 0 || count > SSIZE_MAX;
}

static size_t at_most_page(size_t count)
{
	return count < KERNFS_PAGE_SIZE ? count : KERNFS_PAGE_SIZE;
}

/* What a callback says it has done with @count bytes. */
static ssize_t clip(ssize_t ret, size_t count)
{
	return kf_warn_on_once(ret > (ssize_t)count) ? (ssize_t)count : ret;
}

static ssize_t call_read(struct kf_open_file *of, char *buf, size_t count,
			 off_t pos)
{
	struct kernfs_node *kn = of->of.kn;
	ssize_t ret = -ENODEV;

	mutex_lock(&of->mutex);
	if (kernfs_get_active_of(of)) {
		const struct kernfs_ops *ops = kn->attr.ops;

		kernfs_note_event(of);
		ret = ops->read ? ops->read(&of->of, buf, count, pos) : -EINVAL;
		kernfs_put_active(kn);
	}
	mutex_unlock(&of->mutex);
	return clip(ret, count);
}

static ssize_t read_direct(struct kf_open_file *of, char *buf, size_t count,
			   off_t pos)
{
	ssize_t ret;

	count = at_most_page(count);
	if (!of->prealloc_buf)
		return call_read(of, buf, count, pos);
	/* not straight into @buf: with prealloc a callback may count on room
	 * for a page, however little is asked for */
	mutex_lock(&of->prealloc_mutex);
	ret = call_read(of, of->prealloc_buf, count, pos);
	if (ret > 0)
		memcpy(buf, of->prealloc_buf, (size_t)ret);
	mutex_unlock(&of->prealloc_mutex);
	return ret;
}

ssize_t kernfs_fop_read(struct kernfs_open_file *pub, char *buf, size_t count,
			off_t pos)
{
	struct kf_open_file *of = kf_open_file(pub);
	ssize_t ret;

	if (bad_range(count, pos))
		return -EINVAL;
	if (!(kernfs_flags(pub->kn) & KERNFS_HAS_SEQ_SHOW))
		return read_direct(of, buf, count, pos);
	/* seq_file's rule, and nobody else's */
	if (!count)
		return 0;
	mutex_lock(&of->mutex);
	ret = kernfs_seq_read(of, buf, count, pos);
	mutex_unlock(&of->mutex);
	return ret;
}

/* @buf has room for one byte more than @count. */
static ssize_t call_write(struct kf_open_file *of, char *buf, const char *from,
			  size_t count, off_t pos)
{
	struct kernfs_node *kn = of->of.kn;
	ssize_t ret = -ENODEV;

	memcpy(buf, from, count);
	buf[count] = '\0';
	mutex_lock(&of->mutex);
	if (kernfs_get_active_of(of)) {
		const struct kernfs_ops *ops = kn->attr.ops;

		ret = ops->write ? ops->write(&of->of, buf, count, pos) :
				   -EINVAL;
		kernfs_put_active(kn);
	}
	mutex_unlock(&of->mutex);
	return clip(ret, count);
}

ssize_t kernfs_fop_write(struct kernfs_open_file *pub, const char *buf,
			 size_t count, off_t pos)
{
	struct kf_open_file *of = kf_open_file(pub);
	ssize_t ret;
	char *copy;

	if (bad_range(count, pos))
		return -EINVAL;
	if (!of->atomic_write_len)
		count = at_most_page(count);
	else if (count > of->atomic_write_len)
		return -E2BIG;
	if (of->prealloc_buf) {
		mutex_lock(&of->prealloc_mutex);
		ret = call_write(of, of->prealloc_buf, buf, count, pos);
		mutex_unlock(&of->prealloc_mutex);
		return ret;
	}
	copy = malloc(count + 1);
	if (!copy)
		return -ENOMEM;
	ret = call_write(of, copy, buf, count, pos);
	free(copy);
	return ret;
}

static off_t generic_llseek(off_t pos, off_t offset, int whence, off_t size)
{
	off_t base = 0;

	switch (whence) {
	case SEEK_CUR:
		base = pos;
		break;
	case SEEK_END:
		base = size;
		break;
	case SEEK_DATA:
	case SEEK_HOLE:
		/* data all through, and a hole at the end */
		if (offset < 0 || offset >= size)
			return -ENXIO;
		if (whence == SEEK_HOLE)
			offset = size;
		break;
	}
	if (__builtin_add_overflow(base, offset, &offset) || offset < 0 ||
	    offset > KERNFS_MAX_BYTES)
		return -EINVAL;
	return offset;
}

off_t kernfs_fop_llseek(struct kernfs_open_file *pub, off_t pos, off_t offset,
			int whence)
{
	struct kf_open_file *of = kf_open_file(pub);
	struct kernfs_node *kn = pub->kn;
	off_t ret = -ENODEV;

	if (whence < SEEK_SET || whence > SEEK_HOLE)
		return -EINVAL;
	mutex_lock(&of->mutex);
	if (kernfs_get_active_of(of)) {
		const struct kernfs_ops *ops = kn->attr.ops;

		ret = ops->llseek ? ops->llseek(pub, pos, offset, whence) :
				    generic_llseek(pos, offset, whence,
						   kn->attr.size);
		kernfs_put_active(kn);
	}
	mutex_unlock(&of->mutex);
	return ret;
}
