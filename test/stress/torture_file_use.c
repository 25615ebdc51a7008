/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Those who open files, and know what they may get: what the callbacks give,
 * whole, or -ENODEV; and nothing but that once the file was released or
 * removed, also if it is shown again.
 */
#include "torture_file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "book.h"

#define VALUE_LEN 9   /* "00000000 " */
#define RECORD_LEN 22 /* "000 00000000 00000000\n" */
#define BUF_LEN 16384

/* --- opening and closing --- */

struct handle *open_file(struct torture_thread *t, unsigned int i)
{
	struct kernfs_node *kn = kernfs_find_and_get(tree.files, file_name(i));
	struct handle *h;
	bool gone;
	int err;

	if (!kn)
		return NULL;
	h = calloc(1, sizeof(*h));
	torture_expect(h, "no memory");
	h->kn = kn;
	h->kind = kind_of(i);
	gone = is_buried(kn);
	callbacks_of(t, h);
	torture_doing(t, "open");
	err = kernfs_fop_open(kn, 0, &h->of);
	torture_expect(!err || err == -ENODEV ||
			       (err == -EIO && h->kind != FILE_TEXT_PLAIN),
		       "open %s: %d", file_name(i), err);
	torture_expect(!gone || err == -ENODEV, "open of a removed file: %d",
		       err);
	torture_count(t, err ? COUNT_OPENS_REFUSED : COUNT_OPENS);
	if (!err)
		return h;
	torture_expect(!h->released, "release after a failed open");
	kernfs_put(kn);
	free(h);
	return NULL;
}

static int times_released(const struct handle *h)
{
	return __atomic_load_n(&h->released, __ATOMIC_ACQUIRE);
}

void close_file(struct torture_thread *t, struct handle *h)
{
	callbacks_of(t, h);
	torture_doing(t, "close");
	kernfs_fop_release(h->of);
	torture_expect(times_released(h) == has_release(h->kind),
		       "closed, and released %d times", times_released(h));
	kernfs_put(h->kn);
	free(h);
}

/* --- what must come of an operation --- */

/* Return: whether it must fail, being too late. */
static bool is_late(struct torture_thread *t, const struct handle *h)
{
	bool late = is_buried(h->kn);

	if (!times_released(h))
		return late;
	/* hidden, at least; that it may be visible again is the point */
	if (kernfs_active(h->kn))
		torture_count(t, COUNT_AFTER);
	return true;
}

/* Return: whether there is a result to be looked at. */
static bool judge(struct torture_thread *t, ssize_t ret, bool late,
		  const char *what)
{
	torture_expect(!late || ret == -ENODEV,
		       "%s of a file that is gone: %zd", what, ret);
	torture_expect(ret >= 0 || ret == -ENODEV, "%s: %zd", what, ret);
	if (ret < 0)
		torture_count(t, COUNT_GONE);
	return ret >= 0;
}

/* --- reading --- */

/* One show's output, all of it unless @cut. */
static void check_text(const char *text, size_t len, bool cut)
{
	unsigned long long value = strtoull(text, NULL, 10);
	size_t full = VALUE_LEN * (value % 2 ? 1000 : 20);

	torture_expect(len == full || (cut && len < full),
		       "text of %zu bytes, not %zu", len, full);
	for (size_t i = 0; i < len; i++)
		torture_expect(text[i] == text[i % VALUE_LEN],
			       "text is mixed at byte %zu", i);
}

/* Whole records, each of one moment, in order. */
static void check_records(const char *text, size_t len, bool cut)
{
	unsigned int nr = (unsigned int)(len / RECORD_LEN);

	torture_expect(nr == NR_RECORDS || (cut && nr < NR_RECORDS),
		       "%u records", nr);
	for (unsigned int i = 0; i < nr; i++) {
		const char *r = text + i * RECORD_LEN;

		torture_expect(strtoul(r, NULL, 10) == i, "record %u is %.22s",
			       i, r);
		torture_expect(!memcmp(r + 4, r + 4 + VALUE_LEN, 8),
			       "record %u is mixed: %.22s", i, r);
	}
}

static void check_content(const struct handle *h, const char *text, size_t len,
			  bool cut)
{
	if (h->kind == FILE_RECORDS)
		check_records(text, len, cut);
	else
		check_text(text, len, cut);
}

/* From the start to the end, in pieces that follow one another. */
static void read_pieces(struct torture_thread *t, struct handle *h)
{
	char buf[BUF_LEN + 1];
	size_t len = 0;
	ssize_t ret;

	do {
		size_t piece = 1 + torture_random(t, 3000);
		bool late = len == 0 && is_late(t, h);

		ret = kernfs_fop_read(h->of, buf + len,
				      piece < BUF_LEN - len ? piece :
							      BUF_LEN - len,
				      (off_t)len);
		if (judge(t, ret, late, "read"))
			len += (size_t)ret;
	} while (ret > 0 && len < BUF_LEN);
	buf[len] = '\0';
	if (len)
		check_content(h, buf, len, ret < 0);
}

/* In one call, which others may make on the same open file, too. */
static void read_whole(struct torture_thread *t, struct handle *h)
{
	bool late = is_late(t, h);
	char buf[BUF_LEN + 1];
	ssize_t ret;

	ret = kernfs_fop_read(h->of, buf, BUF_LEN, 0);
	if (!judge(t, ret, late, "read"))
		return;
	buf[ret] = '\0';
	/* an iterator stops when a page is full */
	check_content(h, buf, (size_t)ret, h->kind == FILE_RECORDS);
}

static void read_bytes(struct torture_thread *t, struct handle *h)
{
	size_t count = 1 + torture_random(t, 6000);
	off_t off = torture_random(t, 1000);
	size_t expected = count < KERNFS_PAGE_SIZE ? count : KERNFS_PAGE_SIZE;
	bool late = is_late(t, h);
	char buf[6000];
	ssize_t ret;

	ret = kernfs_fop_read(h->of, buf, count, off);
	if (!judge(t, ret, late, "read"))
		return;
	torture_expect((size_t)ret == expected, "read %zd bytes, not %zu", ret,
		       expected);
	for (size_t i = 0; i < expected; i++)
		torture_expect(buf[i] == (char)((size_t)buf[0] + i),
			       "read is mixed at byte %zu", i);
}

static void read_file(struct torture_thread *t, struct handle *h, bool alone)
{
	torture_doing(t, "read");
	torture_count(t, COUNT_READS);
	if (h->kind == FILE_BINARY || h->kind == FILE_PREALLOC)
		read_bytes(t, h);
	else if (alone && torture_random(t, 2))
		read_pieces(t, h);
	else
		read_whole(t, h);
}

/* --- writing and seeking --- */

static void write_file(struct torture_thread *t, struct handle *h)
{
	size_t count = 1 + torture_random(t, 9000);
	size_t expected = count;
	bool late = is_late(t, h);
	char buf[9000];
	ssize_t ret;

	/* only one kind takes more than a page at once */
	if (h->kind != FILE_TEXT_PLAIN && expected > KERNFS_PAGE_SIZE)
		expected = KERNFS_PAGE_SIZE;
	memset(buf, 'a' + (int)torture_random(t, 26), count);
	torture_doing(t, "write");
	torture_count(t, COUNT_WRITES);
	ret = kernfs_fop_write(h->of, buf, count, 0);
	if (judge(t, ret, late, "write"))
		torture_expect((size_t)ret == expected,
			       "wrote %zd bytes, not %zu", ret, expected);
}

static void seek_file(struct torture_thread *t, struct handle *h)
{
	off_t pos = torture_random(t, 100), offset = torture_random(t, 100);
	bool late = is_late(t, h);
	off_t ret;

	torture_doing(t, "llseek");
	torture_count(t, COUNT_SEEKS);
	ret = kernfs_fop_llseek(h->of, pos, offset, SEEK_CUR);
	if (judge(t, ret, late, "llseek"))
		torture_expect(
			ret == pos + offset +
					SEEK_CUR * !!file_ops[h->kind].llseek,
			"at %lld", (long long)ret);
}

void use_file(struct torture_thread *t, struct handle *h, bool alone)
{
	callbacks_of(t, h);
	switch (torture_random(t, 4)) {
	case 0:
		write_file(t, h);
		break;
	case 1:
		seek_file(t, h);
		break;
	default:
		read_file(t, h, alone);
		break;
	}
}

/* --- users: a few files open at a time, each on its own --- */

#define NR_OPEN 4

struct user {
	struct handle *open[NR_OPEN];
};

void user_begin(struct torture_thread *t)
{
	t->own = calloc(1, sizeof(struct user));
	torture_expect(t->own, "no memory");
}

/* The haunted one more often: it takes several threads to go wrong. */
static unsigned int random_file(struct torture_thread *t)
{
	return torture_random(t, 3) ? torture_random(t, NR_FILES) :
				      FILE_HAUNTED;
}

void user_round(struct torture_thread *t)
{
	struct user *u = t->own;
	struct handle **h = &u->open[torture_random(t, NR_OPEN)];

	allow_callbacks(true);
	if (!*h) {
		*h = open_file(t, random_file(t));
	} else if (torture_random(t, times_released(*h) ? 3 : 32)) {
		use_file(t, *h, true);
	} else {
		close_file(t, *h);
		*h = NULL;
	}
	torture_pause(t);
}

/* --- what is open when the root goes --- */

static pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle *left[TORTURE_MAX_THREADS * NR_OPEN]; /* left_lock */
static unsigned int nr_left;				   /* left_lock */

void user_end(struct torture_thread *t)
{
	struct user *u = t->own;

	pthread_mutex_lock(&left_lock);
	for (unsigned int i = 0; i < NR_OPEN; i++)
		if (u->open[i])
			left[nr_left++] = u->open[i];
	pthread_mutex_unlock(&left_lock);
	free(u);
}

/* --- sharers: one open file for several threads --- */

static struct shared {
	int users; /* atomic; -1: somebody opens or closes it */
	struct handle *h;
} shared[NR_FILES];

static bool try_users(struct shared *s, int from, int to)
{
	return __atomic_compare_exchange_n(&s->users, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void open_or_close(struct torture_thread *t, unsigned int i)
{
	struct shared *s = &shared[i];

	if (!try_users(s, 0, -1))
		return;
	if (!s->h) {
		s->h = open_file(t, i);
	} else {
		close_file(t, s->h);
		s->h = NULL;
	}
	__atomic_store_n(&s->users, 0, __ATOMIC_RELEASE);
}

void share_round(struct torture_thread *t)
{
	unsigned int i = random_file(t);
	struct shared *s = &shared[i];
	int users = __atomic_load_n(&s->users, __ATOMIC_ACQUIRE);

	allow_callbacks(false);
	if (users >= 0 && try_users(s, users, users + 1)) {
		unsigned int chance = 1;

		if (s->h) {
			use_file(t, s->h, false);
			torture_count(t, COUNT_SHARED);
			chance = times_released(s->h) ? 3 : 32;
		}
		__atomic_fetch_sub(&s->users, 1, __ATOMIC_ACQ_REL);
		if (!torture_random(t, chance))
			open_or_close(t, i);
	}
	torture_pause(t);
}

static void close_gone(struct torture_thread *t, struct handle *h)
{
	torture_expect(times_released(h) == has_release(h->kind),
		       "the root is gone, and %d releases", times_released(h));
	bury(h->kn);
	use_file(t, h, true);
	close_file(t, h);
}

void close_left_over(struct torture_thread *t)
{
	for (unsigned int i = 0; i < nr_left; i++)
		close_gone(t, left[i]);
	for (unsigned int i = 0; i < NR_FILES; i++)
		if (shared[i].h)
			close_gone(t, shared[i].h);
}
