/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Content: what imported files serve.
 *
 * A file is text or binary for good, by the value it was taken in with: the
 * callback table says which, the object does not. Text (at most 4095 bytes, no
 * NUL) goes through seq_show and is stored as a whole, as sysfs attributes
 * are; anything else goes through read, a page at a time, and keeps its
 * length.
 *
 * Invariants: an object is one allocation, the value behind the header. A
 * value that was written lives in an allocation of its own from then on,
 * because a longer one does not fit and because the node's priv cannot move.
 * error and len: an object with an error has len 0.
 *
 * Locks: KF_RANK_CONTENT, never two at once. A mutex for each object would
 * weigh more than most values, so a small array is hashed by address; the
 * copy under the lock is at most a page.
 */
#include "fs/import/content.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/import/import.h"
#include "kernfuse/node.h"
#include "kernfuse/poll.h"
#include "lock/atomic.h"
#include "lock/mutex.h"

struct kf_content {
	struct kf_content *next; /* in the store; guarded by store->lock */
	unsigned char *value;	 /* guarded by content_lock() */
	uint32_t len;		 /* guarded by content_lock() */
	int error;		 /* guarded by content_lock(); positive */
	unsigned char bytes[];	 /* first value, as long as value points here */
};

struct kf_content_store {
	struct kf_mutex lock;
	struct kf_content *first; /* guarded by lock */
};

/* Text longer than this would not leave room for sysfs's closing NUL. */
#define TEXT_MAX (KERNFS_PAGE_SIZE - 1)

/* --- locks --- */

/* Enough that the few threads inside a callback rarely meet. */
#define CONTENT_LOCK_BITS 6
#define NR_CONTENT_LOCKS (1 << CONTENT_LOCK_BITS)

static struct {
	_Alignas(KF_CACHELINE) struct kf_mutex mutex;
} content_locks[NR_CONTENT_LOCKS] = {
	[0 ... NR_CONTENT_LOCKS -
	 1] = { KF_MUTEX_INITIALIZER(KF_RANK_CONTENT) },
};

static struct kf_mutex *content_lock(const struct kf_content *content)
	__kf_no_analysis
{
	/* 2^64 / golden ratio: spreads addresses that differ in low bits */
	uint64_t hash = (uint64_t)(uintptr_t)content * 0x9e3779b97f4a7c15u;
	struct kf_mutex *mutex =
		&content_locks[hash >> (64 - CONTENT_LOCK_BITS)].mutex;

	mutex_lock(mutex);
	return mutex;
}

static void content_unlock(struct kf_mutex *mutex) __kf_no_analysis
{
	mutex_unlock(mutex);
}

/* --- callbacks --- */

static int text_show(struct seq_file *sf, void *v)
{
	struct kernfs_open_file *of = sf->private_data;
	struct kf_content *content = kernfs_priv(of->kn);
	struct kf_mutex *mutex = content_lock(content);
	int r = -content->error;

	(void)v;
	/* no room: the library enlarges the buffer and calls again */
	if (!r)
		(void)seq_write(sf, content->value, content->len);
	content_unlock(mutex);
	return r;
}

/* A change of a value is news: nobody else would tell. */
static void notify_if(bool changed, struct kernfs_open_file *of)
{
	if (changed)
		kernfs_notify(of->kn);
}

/* Also an error is a value: that of a file that could not be read. */
static bool differs(const struct kf_content *content, const void *value,
		    size_t len)
{
	return content->error || content->len != len ||
	       (len && memcmp(content->value, value, len));
}

/* The whole value, whatever the offset, as a sysfs store callback does. */
static ssize_t text_write(struct kernfs_open_file *of, char *buf, size_t bytes,
			  off_t off)
{
	struct kf_content *content = kernfs_priv(of->kn);
	unsigned char *value, *old;
	struct kf_mutex *mutex;
	bool changed;

	(void)off;
	if (!bytes)
		return 0;
	value = malloc(bytes);
	if (!value)
		return -ENOMEM;
	memcpy(value, buf, bytes);

	mutex = content_lock(content);
	changed = differs(content, value, bytes);
	old = content->value;
	content->value = value;
	content->len = (uint32_t)bytes;
	content->error = 0;
	content_unlock(mutex);

	if (old != content->bytes)
		free(old);
	notify_if(changed, of);
	return (ssize_t)bytes;
}

/* Bytes of [@off, @off + @bytes) that lie within @len. */
static size_t within(size_t len, off_t off, size_t bytes)
{
	if ((uint64_t)off >= len)
		return 0;
	return bytes < len - (size_t)off ? bytes : len - (size_t)off;
}

static ssize_t binary_read(struct kernfs_open_file *of, char *buf, size_t bytes,
			   off_t off)
{
	struct kf_content *content = kernfs_priv(of->kn);
	struct kf_mutex *mutex = content_lock(content);
	size_t n = within(content->len, off, bytes);

	if (n)
		memcpy(buf, content->value + off, n);
	content_unlock(mutex);
	return (ssize_t)n;
}

static ssize_t binary_write(struct kernfs_open_file *of, char *buf,
			    size_t bytes, off_t off)
{
	struct kf_content *content = kernfs_priv(of->kn);
	struct kf_mutex *mutex = content_lock(content);
	size_t n = within(content->len, off, bytes);
	bool changed = n && memcmp(content->value + off, buf, n);

	if (n)
		memcpy(content->value + off, buf, n);
	content_unlock(mutex);
	notify_if(changed, of);
	return n || !bytes ? (ssize_t)n : -EFBIG;
}

/* A file that can only be written has no value to change. */
static ssize_t sink_write(struct kernfs_open_file *of, char *buf, size_t bytes,
			  off_t off)
{
	(void)of, (void)buf, (void)off;
	return (ssize_t)bytes;
}

/* The open check asks for the presence of callbacks, so each mix is a table. */
static const struct kernfs_ops no_ops;
static const struct kernfs_ops sink_ops = { .write = sink_write };
static const struct kernfs_ops text_ro_ops = { .seq_show = text_show };
static const struct kernfs_ops text_rw_ops = {
	.seq_show = text_show,
	.write = text_write,
};
static const struct kernfs_ops binary_ro_ops = { .read = binary_read };
static const struct kernfs_ops binary_rw_ops = {
	.read = binary_read,
	.write = binary_write,
};

/* --- objects --- */

struct kf_content *kf_content_create(const void *data, size_t len, int error)
{
	struct kf_content *content;

	if (error)
		len = 0;
	kf_assert(len <= UINT32_MAX);
	content = malloc(sizeof(*content) + len);
	if (!content)
		return NULL;
	content->next = NULL;
	content->value = content->bytes;
	content->len = (uint32_t)len;
	content->error = error;
	if (len)
		memcpy(content->bytes, data, len);
	return content;
}

void kf_content_free(struct kf_content *content)
{
	if (!content)
		return;
	if (content->value != content->bytes)
		free(content->value);
	free(content);
}

int kf_content_error(const struct kf_content *content)
{
	return content->error;
}

static bool looks_like_text(const struct kf_content *content, size_t max)
{
	return content->len <= max &&
	       !memchr(content->value, '\0', content->len);
}

const struct kernfs_ops *kf_content_ops(const struct kf_content *content,
					mode_t mode)
{
	bool writable = mode & 0222;

	if (!content || !(mode & 0444))
		return writable ? &sink_ops : &no_ops;
	if (looks_like_text(content, TEXT_MAX))
		return writable ? &text_rw_ops : &text_ro_ops;
	return writable ? &binary_rw_ops : &binary_ro_ops;
}

off_t kf_content_size(const struct kf_content *content)
{
	if (!content || looks_like_text(content, KERNFS_PAGE_SIZE))
		return KERNFS_PAGE_SIZE;
	return content->len;
}

/* --- the store --- */

struct kf_content_store *kf_content_store_create(void)
{
	struct kf_content_store *store = malloc(sizeof(*store));

	if (!store)
		return NULL;
	mutex_init(&store->lock, KF_RANK_CONTENT);
	store->first = NULL;
	return store;
}

void kf_content_store_add(struct kf_content_store *store,
			  struct kf_content *content)
{
	mutex_lock(&store->lock);
	content->next = store->first;
	store->first = content;
	mutex_unlock(&store->lock);
}

void kf_content_store_destroy(struct kf_content_store *store)
{
	struct kf_content *content, *next;

	if (!store)
		return;
	for (content = store->first; content; content = next) {
		next = content->next;
		kf_content_free(content);
	}
	mutex_destroy(&store->lock);
	free(store);
}
