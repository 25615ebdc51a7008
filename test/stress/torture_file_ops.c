/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The callbacks of torture_file, which check that they may run: their file is
 * not removed and not hidden, their open file is open and not released, and no
 * other callback of that open file runs.
 */
#include "torture_file.h"

#include <stdlib.h>
#include <string.h>

#include "book.h"

#define MAGIC 0x5e551011

/* One open, for the callbacks; of->priv. */
struct session {
	unsigned int magic;
	int busy; /* callbacks that run; atomic */
	struct content *content;
	struct handle *handle;
	/* removed in its own open: released when nobody waits for it, so its
	 * content may be gone */
	bool loose;
};

static const struct kernfs_ops no_ops;

static __thread struct torture_thread *self;
static __thread struct handle *opening;
static __thread bool may_let_go;

void callbacks_of(struct torture_thread *t, struct handle *h)
{
	self = t;
	opening = h;
}

void allow_callbacks(bool to_let_go)
{
	may_let_go = to_let_go;
}

/* --- what every callback does --- */

static struct content *enter(struct kernfs_open_file *of, const char *where)
{
	struct content *content = kernfs_priv(of->kn);
	struct session *s = of->priv;

	must_live(of->kn, where);
	if (s) {
		torture_expect(s->magic == MAGIC && s->content == content,
			       "%s of a released file", where);
		torture_expect(!__atomic_exchange_n(&s->busy, 1,
						    __ATOMIC_ACQ_REL),
			       "%s beside another callback", where);
	}
	torture_expect(!content->hidden, "%s of a hidden file", where);
	content->touched[self->nr]++;
	return content;
}

static void leave(struct kernfs_open_file *of, const char *where)
{
	struct content *content = kernfs_priv(of->kn);
	struct session *s = of->priv;

	content->touched[self->nr]++;
	must_live(of->kn, where);
	if (s)
		__atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
}

/* Other files, which nothing waits in. */
static void change_others(void)
{
	static const char *const name[] = { "x0", "x1" };
	const char *x = name[torture_random(self, 2)];
	struct kernfs_open_file *of;
	struct kernfs_node *kn;
	int err;

	switch (torture_random(self, 3)) {
	case 0:
		kernfs_remove_by_name(tree.aux, x);
		break;
	case 1:
		kn = __kernfs_create_file(tree.aux, x, 0644, 0, 0, 0, &no_ops,
					  NULL, NULL);
		torture_expect(!IS_ERR(kn) || PTR_ERR(kn) == -EEXIST ||
				       PTR_ERR(kn) == -ENOENT,
			       "create aux: %ld", PTR_ERR(kn));
		break;
	default:
		kn = kernfs_find_and_get(tree.aux, x);
		if (!kn)
			break;
		err = kernfs_fop_open(kn, 0, &of);
		torture_expect(!err || err == -ENODEV, "open aux: %d", err);
		if (!err)
			kernfs_fop_release(of);
		kernfs_put(kn);
		break;
	}
}

/* In the middle of a callback: time for others to come and wait for it. */
static void be_slow(void)
{
	torture_linger(self);
	if (!torture_random(self, 8))
		change_others();
}

/*
 * The last thing some callbacks do: they remove their file, or let others do
 * so. Afterwards neither session nor content may be looked at.
 */
static void let_go(struct kernfs_open_file *of)
{
	struct kernfs_node *kn = of->kn;

	if (torture_random(self, 2)) {
		torture_count(self, COUNT_SUICIDES);
		torture_doing(self, "remove_self in a callback");
		kernfs_remove_self(kn);
		torture_expect(!kernfs_active(kn), "active after its removal");
		bury(kn);
		torture_linger(self);
		return;
	}
	torture_count(self, COUNT_BREAKS);
	torture_doing(self, "break in a callback");
	kernfs_break_active_protection(kn);
	torture_linger(self);
	kernfs_unbreak_active_protection(kn);
}

/* Only when the owner has a reference: no create call returns one. */
static bool wants_to_let_go(const struct content *content)
{
	return may_let_go && !torture_random(self, 32) &&
	       __atomic_load_n(&content->may_go, __ATOMIC_ACQUIRE);
}

/* --- open and release --- */

static struct session *new_session(struct content *content)
{
	struct session *s = calloc(1, sizeof(*s));

	torture_expect(s, "no memory");
	s->magic = MAGIC;
	s->content = content;
	s->handle = opening;
	return s;
}

static int cb_open(struct kernfs_open_file *of)
{
	struct content *content = enter(of, "open");
	struct session *s = new_session(content);

	be_slow();
	if (!torture_random(self, 16)) {
		free(s);
		leave(of, "open that fails, end");
		return -EIO;
	}
	of->priv = s;
	s->loose = wants_to_let_go(content);
	if (!s->loose)
		__atomic_fetch_add(&content->opened, 1, __ATOMIC_RELAXED);
	leave(of, "open, end");
	if (s->loose)
		let_go(of);
	return 0;
}

static void cb_release(struct kernfs_open_file *of)
{
	struct session *s = of->priv;
	struct handle *h;

	torture_expect(s && s->magic == MAGIC, "released twice");
	/* a callback that let go does not count */
	torture_expect(!__atomic_load_n(&s->busy, __ATOMIC_ACQUIRE),
		       "released beside another callback");
	h = s->handle;
	if (!s->loose) {
		must_live(of->kn, "release");
		be_slow();
		s->content->touched[self->nr]++;
		__atomic_fetch_add(&s->content->released, 1, __ATOMIC_RELAXED);
	}
	s->magic = 0;
	of->priv = NULL;
	free(s);
	__atomic_fetch_add(&h->released, 1, __ATOMIC_RELEASE);
	torture_count(self, opening ? COUNT_RELEASED_BY_CLOSE :
				      COUNT_RELEASED_BY_DRAIN);
}

/* --- text --- */

/* The same number over and over, for more than a page if it is odd. */
static int cb_show(struct seq_file *sf, void *v)
{
	struct kernfs_open_file *of = sf->private_data;
	struct content *content = enter(of, "show");
	unsigned long long value =
		__atomic_load_n(&content->value, __ATOMIC_RELAXED);
	bool wants;

	(void)v;
	for (unsigned int i = 0; i < (value % 2 ? 1000 : 20); i++)
		seq_printf(sf, "%08llu ", value);
	be_slow();
	wants = wants_to_let_go(content);
	leave(of, "show, end");
	if (wants)
		let_go(of);
	return 0;
}

static int cb_show_record(struct seq_file *sf, void *v)
{
	struct kernfs_open_file *of = sf->private_data;
	struct content *content = enter(of, "show a record");
	unsigned long long value =
		__atomic_load_n(&content->value, __ATOMIC_RELAXED);

	torture_expect((uintptr_t)v == (uintptr_t)sf->index + 1,
		       "record %p at %lld", v, sf->index);
	seq_printf(sf, "%03lld %08llu %08llu\n", sf->index, value, value);
	leave(of, "show a record, end");
	return 0;
}

static void *record_at(long long pos)
{
	return pos < NR_RECORDS ? (void *)(uintptr_t)(pos + 1) : NULL;
}

static void *cb_start(struct seq_file *sf, long long *ppos)
{
	struct kernfs_open_file *of = sf->private_data;

	enter(of, "start");
	be_slow();
	leave(of, "start, end");
	return record_at(*ppos);
}

static void *cb_next(struct seq_file *sf, void *v, long long *ppos)
{
	(void)sf;
	(void)v;
	++*ppos;
	return record_at(*ppos);
}

static void cb_stop(struct seq_file *sf, void *v)
{
	struct kernfs_open_file *of = sf->private_data;
	bool wants;

	(void)v;
	wants = wants_to_let_go(enter(of, "stop"));
	leave(of, "stop, end");
	if (wants)
		let_go(of);
}

/* --- bytes --- */

static ssize_t cb_read(struct kernfs_open_file *of, char *buf, size_t bytes,
		       off_t off)
{
	struct content *content = enter(of, "read");
	uint64_t value = __atomic_load_n(&content->value, __ATOMIC_RELAXED);
	bool wants;

	for (size_t i = 0; i < bytes; i++) {
		buf[i] = (char)(value + (uint64_t)off + i);
		if (i == bytes / 2)
			be_slow();
	}
	wants = wants_to_let_go(content);
	leave(of, "read, end");
	if (wants)
		let_go(of);
	return (ssize_t)bytes;
}

/* One letter over and over, and a NUL. */
static ssize_t cb_write(struct kernfs_open_file *of, char *buf, size_t bytes,
			off_t off)
{
	struct content *content = enter(of, "write");
	bool wants;

	(void)off;
	be_slow();
	for (size_t i = 0; i < bytes; i++)
		torture_expect(buf[i] == buf[0], "mixed write");
	torture_expect(!buf[bytes], "no NUL behind a write");
	__atomic_fetch_add(&content->value, 1, __ATOMIC_RELAXED);
	wants = wants_to_let_go(content);
	leave(of, "write, end");
	if (wants)
		let_go(of);
	return (ssize_t)bytes;
}

static off_t cb_llseek(struct kernfs_open_file *of, off_t pos, off_t offset,
		       int whence)
{
	enter(of, "llseek");
	be_slow();
	leave(of, "llseek, end");
	return pos + offset + whence;
}

const struct kernfs_ops file_ops[NR_KINDS] = {
	[FILE_TEXT] = {
		.open = cb_open,
		.release = cb_release,
		.seq_show = cb_show,
		.write = cb_write,
		.llseek = cb_llseek,
	},
	[FILE_TEXT_PLAIN] = {
		.seq_show = cb_show,
		.write = cb_write,
		.atomic_write_len = 10000,
	},
	[FILE_RECORDS] = {
		.open = cb_open,
		.release = cb_release,
		.seq_start = cb_start,
		.seq_next = cb_next,
		.seq_stop = cb_stop,
		.seq_show = cb_show_record,
		.write = cb_write,
	},
	[FILE_BINARY] = {
		.open = cb_open,
		.release = cb_release,
		.read = cb_read,
		.write = cb_write,
		.llseek = cb_llseek,
	},
	[FILE_PREALLOC] = {
		.open = cb_open,
		.release = cb_release,
		.read = cb_read,
		.write = cb_write,
		.prealloc = true,
	},
};
