/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text files: what show prints is kept in a buffer, and reads are served from
 * it.
 *
 * A read continues where the last one ended: first what is left in the buffer,
 * then the records from index on, as many as fit and are wanted. A read at
 * another offset, or at 0, starts over with the first record and throws away
 * what comes before the offset. Records are printed whole: if one does not
 * fit, the buffer is enlarged and the record printed again.
 *
 * An active reference is held while the iterator runs, not while leftovers
 * are handed out: they can still be read when the node is gone.
 *
 * Everything here is called with of->mutex held.
 */
#include "fs/kernfs/open-file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A record that needs more is a show callback gone wild. The kernel stops
 * there too: it allocates no buffer above MAX_RW_COUNT, just below 2 GiB, and
 * the size is doubled each time.
 */
#define MAX_BUFFER_SIZE ((size_t)1 << 30)

/* What a file without an iterator consists of. */
#define SINGLE_RECORD ((void *)1)

/* --- printing --- */

static bool overflowed(const struct seq_file *sf)
{
	return sf->count == sf->size;
}

int kernfs_seq_write(struct seq_file *sf, const void *data, size_t len)
{
	/* less, not equal: a full buffer means that something was lost */
	if (len < sf->size - sf->count) {
		memcpy(sf->buf + sf->count, data, len);
		sf->count += len;
		return 0;
	}
	sf->count = sf->size;
	return -1;
}

void kernfs_seq_puts(struct seq_file *sf, const char *s)
{
	kernfs_seq_write(sf, s, strlen(s));
}

void kernfs_seq_putc(struct seq_file *sf, char c)
{
	kernfs_seq_write(sf, &c, 1);
}

void kernfs_seq_vprintf(struct seq_file *sf, const char *fmt, va_list ap)
{
	size_t room = sf->size - sf->count;
	int len;

	if (!room)
		return;
	len = vsnprintf(sf->buf + sf->count, room, fmt, ap);
	/* a wide character that the locale cannot express, or 2 GiB */
	if (kf_warn_on_once(len < 0))
		return;
	sf->count += (size_t)len < room ? (size_t)len : room;
}

void kernfs_seq_printf(struct seq_file *sf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	kernfs_seq_vprintf(sf, fmt, ap);
	va_end(ap);
}

/* --- the buffer --- */

static int set_size(struct seq_file *sf, size_t size)
{
	/* what is in it will be printed again: nothing to copy */
	free(sf->buf);
	sf->from = sf->count = 0;
	sf->buf = size <= MAX_BUFFER_SIZE ? malloc(size) : NULL;
	sf->size = sf->buf ? size : 0;
	return sf->buf ? 0 : -ENOMEM;
}

static int enlarge(struct seq_file *sf)
{
	return set_size(sf, sf->size * 2);
}

static void rewind_to_start(struct seq_file *sf)
{
	sf->index = 0;
	sf->from = sf->count = 0;
	sf->read_pos = 0;
}

/* Hands out what is in the buffer. Return: bytes. */
static size_t take(struct seq_file *sf, char *buf, size_t count)
{
	size_t left = sf->count - sf->from;

	if (count > left)
		count = left;
	memcpy(buf, sf->buf + sf->from, count);
	sf->from += count;
	sf->read_pos += (off_t)count;
	if (count == left)
		sf->from = sf->count = 0;
	return count;
}

/* --- the iterator --- */

/*
 * Return: 0 with an active reference, and *@ret_v is the record at index,
 * NULL at the end, or an ERR_PTR; end() is due in any case. -ENODEV without,
 * and it is not: so an iterator may return -ENODEV of its own.
 */
static int begin(struct kf_open_file *of, void **ret_v)
{
	struct seq_file *sf = &of->seq;
	const struct kernfs_ops *ops;

	if (!kernfs_get_active_of(of))
		return -ENODEV;
	ops = of->of.kn->attr.ops;
	if (ops->seq_start)
		*ret_v = ops->seq_start(sf, &sf->index);
	else
		*ret_v = sf->index ? NULL : SINGLE_RECORD;
	return 0;
}

static void end(struct kf_open_file *of, void *v)
{
	const struct kernfs_ops *ops = of->of.kn->attr.ops;

	if (ops->seq_stop)
		ops->seq_stop(&of->seq, v);
	kernfs_put_active(of->of.kn);
}

static void *next(struct kf_open_file *of, void *v)
{
	const struct kernfs_ops *ops = of->of.kn->attr.ops;
	struct seq_file *sf = &of->seq;
	long long at = sf->index;

	if (!ops->seq_next) {
		sf->index++;
		return NULL;
	}
	v = ops->seq_next(sf, v, &sf->index);
	/* or the next read would show this record again */
	if (kf_warn_on_once(sf->index == at))
		sf->index++;
	return v;
}

static int show(struct kf_open_file *of, void *v)
{
	struct seq_file *sf = &of->seq;
	size_t before = sf->count;
	int err;

	kernfs_note_event(of);
	err = of->of.kn->attr.ops->seq_show(sf, v);
	if (err > 0) {
		/* the kernel's SEQ_SKIP: print nothing for this one */
		sf->count = before;
		err = 0;
	}
	return err;
}

/* --- reading --- */

/*
 * Shows records from the first one on until the byte at @pos is in the buffer,
 * or the records end.
 * Return: 0, perhaps with the buffer overflowed; -errno.
 */
static int skip_to(struct kf_open_file *of, off_t pos)
{
	struct seq_file *sf = &of->seq;
	off_t at = 0;
	void *v;
	int err;

	err = begin(of, &v);
	if (err)
		return err;
	while (v && at < pos) {
		err = IS_ERR(v) ? (int)PTR_ERR(v) : show(of, v);
		if (err || overflowed(sf))
			break;
		v = next(of, v);
		if ((off_t)sf->count > pos - at) {
			sf->from = (size_t)(pos - at);
			break;
		}
		at += (off_t)sf->count;
		sf->count = 0;
	}
	end(of, v);
	return err;
}

static int seek_to(struct kf_open_file *of, off_t pos)
{
	struct seq_file *sf = &of->seq;
	int err = 0;

	rewind_to_start(sf);
	while (pos) {
		err = skip_to(of, pos);
		if (err || !overflowed(sf))
			break;
		err = enlarge(sf);
		if (err)
			break;
		rewind_to_start(sf);
	}
	if (err)
		rewind_to_start(sf);
	else
		sf->read_pos = pos;
	return err;
}

/*
 * Shows records from @v on until one prints something or fails.
 * Return: that record; NULL at the end; or ERR_PTR.
 */
static void *show_one(struct kf_open_file *of, void *v, int *ret_err)
{
	while (v) {
		*ret_err = IS_ERR(v) ? (int)PTR_ERR(v) : show(of, v);
		if (*ret_err || of->seq.count)
			break;
		v = next(of, v);
	}
	return v;
}

/*
 * With record @v in the buffer, adds those behind it, while they fit and less
 * than @wanted bytes are there. One that fails is left for the next read.
 * Return: where the iterator stands.
 */
static void *show_more(struct kf_open_file *of, void *v, size_t wanted)
{
	struct seq_file *sf = &of->seq;

	for (;;) {
		size_t before = sf->count;

		v = next(of, v);
		if (IS_ERR_OR_NULL(v) || before >= wanted)
			return v;
		if (show(of, v) || overflowed(sf)) {
			sf->count = before;
			return v;
		}
	}
}

/* Fills the empty buffer from the record at index on; nothing: the end. */
static int fill(struct kf_open_file *of, size_t wanted)
{
	struct seq_file *sf = &of->seq;
	bool again;
	void *v;
	int err;

	do {
		err = begin(of, &v);
		if (err)
			return err;
		v = show_one(of, v, &err);
		again = !err && overflowed(sf);
		if (err)
			sf->count = 0;
		else if (sf->count && !again)
			v = show_more(of, v, wanted);
		end(of, v);
		if (again)
			err = enlarge(sf);
	} while (again && !err);
	return err;
}

ssize_t kernfs_seq_read(struct kf_open_file *of, char *buf, size_t count,
			off_t pos)
{
	struct seq_file *sf = &of->seq;
	size_t done;
	int err = 0;

	if (!sf->buf)
		err = set_size(sf, KERNFS_PAGE_SIZE);
	if (!err && (pos == 0 || pos != sf->read_pos))
		err = seek_to(of, pos);
	if (err)
		return err;
	done = take(sf, buf, count);
	if (done == count)
		return (ssize_t)done;
	err = fill(of, count - done);
	if (!err)
		done += take(sf, buf + done, count - done);
	return done ? (ssize_t)done : err;
}
