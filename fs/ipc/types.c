/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The index by type: a treap of types, in which the oldest message of a type
 * stands for it and the others of that type hang from it in order of age. A
 * message that is received is always the oldest of its type, whatever the
 * receiver asked for.
 *
 * It can be made anew from the queue's chain, and is, after a death.
 */
#include "fs/ipc/ipc-internal.h"

/* A path in a treap of 2^32 nodes is much shorter, whatever the types. */
#define MAX_DEPTH 1024

__thread unsigned int ipc_types_steps;

/* Where a type is in the heap order; nobody outside can choose it. */
static uint64_t priority(const struct ipc_call *c, int64_t type)
{
	uint64_t x = (uint64_t)type ^ c->ns->secret;

	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

static bool higher(const struct ipc_call *c, const struct ipc_msg *a,
		   const struct ipc_msg *b)
{
	int64_t type_a = READ_ONCE(a->type), type_b = READ_ONCE(b->type);
	uint64_t pa = priority(c, type_a), pb = priority(c, type_b);

	return pa != pb ? pa > pb : type_a > type_b;
}

static int damaged(const char *what, uint32_t ref)
{
	return ipc_damaged(what, ref);
}

/* The lower types of @ref to *@low, the higher ones to *@high. */
static int split(struct ipc_call *c, uint32_t ref, int64_t type, uint32_t *low,
		 uint32_t *high)
{
	for (unsigned int i = 0; ref; i++) {
		struct ipc_msg *m = ipc_msg_at(c->ns, ref);

		if (!m || i > MAX_DEPTH)
			return damaged("index by type", ref);
		if (READ_ONCE(m->type) < type) {
			*low = ref;
			low = &m->right;
		} else {
			*high = ref;
			high = &m->left;
		}
		ref = READ_ONCE(m->type) < type ? READ_ONCE(m->right) :
						  READ_ONCE(m->left);
	}
	*low = 0;
	*high = 0;
	return 0;
}

static int merge(struct ipc_call *c, uint32_t low, uint32_t high,
		 uint32_t *link)
{
	for (unsigned int i = 0; low && high; i++) {
		struct ipc_msg *l = ipc_msg_at(c->ns, low);
		struct ipc_msg *h = ipc_msg_at(c->ns, high);

		if (!l || !h || i > MAX_DEPTH)
			return damaged("index by type", l ? high : low);
		if (higher(c, l, h)) {
			*link = low;
			link = &l->right;
			low = READ_ONCE(l->right);
		} else {
			*link = high;
			link = &h->left;
			high = READ_ONCE(h->left);
		}
	}
	*link = low ? low : high;
	return 0;
}

/* Among others of its type, @first being the oldest. */
static int insert_same(struct ipc_call *c, uint32_t *link, uint32_t ref,
		       struct ipc_msg *m)
{
	uint32_t first = READ_ONCE(*link), at = first;
	struct ipc_msg *f = ipc_msg_at(c->ns, first), *y, *n;

	y = f ? ipc_msg_at(c->ns, READ_ONCE(f->youngest)) : NULL;
	if (!y)
		return damaged("youngest of a type", first);
	if (m->seq > READ_ONCE(y->seq)) {
		WRITE_ONCE(y->same, ref);
		WRITE_ONCE(f->youngest, ref);
		return 0;
	}
	if (m->seq < READ_ONCE(f->seq)) {
		m->left = READ_ONCE(f->left);
		m->right = READ_ONCE(f->right);
		m->youngest = READ_ONCE(f->youngest);
		m->same = first;
		WRITE_ONCE(*link, ref);
		return 0;
	}
	/* one that was returned: its place is somewhere in between */
	for (uint64_t last = 0;; last = READ_ONCE(f->seq)) {
		n = ipc_msg_at(c->ns, READ_ONCE(f->same));
		if (!n || READ_ONCE(f->seq) <= last)
			return damaged("messages of a type", at);
		if (READ_ONCE(n->seq) > m->seq)
			break;
		at = READ_ONCE(f->same);
		f = n;
	}
	m->same = READ_ONCE(f->same);
	WRITE_ONCE(f->same, ref);
	return 0;
}

int ipc_types_insert(struct ipc_call *c, struct ipc_queue *q, uint32_t ref)
{
	struct ipc_msg *m = ipc_msg_at(c->ns, ref), *n;
	uint32_t *link = &q->types, at;

	if (!m)
		return damaged("message", ref);
	m->left = 0;
	m->right = 0;
	m->same = 0;
	m->youngest = ref;
	for (unsigned int i = 0; (at = READ_ONCE(*link)) != 0; i++) {
		n = ipc_msg_at(c->ns, at);
		if (!n || i > MAX_DEPTH)
			return damaged("index by type", at);
		if (READ_ONCE(n->type) == m->type)
			return insert_same(c, link, ref, m);
		if (higher(c, m, n)) {
			if (split(c, at, m->type, &m->left, &m->right))
				return -EIO;
			break;
		}
		link = m->type < READ_ONCE(n->type) ? &n->left : &n->right;
	}
	WRITE_ONCE(*link, ref);
	return 0;
}

/* The link to the node of @type; to 0 if there is none; NULL: damage. */
static uint32_t *find_link(struct ipc_call *c, struct ipc_queue *q,
			   int64_t type)
{
	uint32_t *link = &q->types, at;

	ipc_types_steps = 0;
	for (unsigned int i = 0; (at = READ_ONCE(*link)) != 0; i++) {
		struct ipc_msg *n = ipc_msg_at(c->ns, at);

		ipc_types_steps++;
		if (!n || i > MAX_DEPTH) {
			damaged("index by type", at);
			return NULL;
		}
		if (READ_ONCE(n->type) == type)
			break;
		link = type < READ_ONCE(n->type) ? &n->left : &n->right;
	}
	return link;
}

int ipc_types_remove(struct ipc_call *c, struct ipc_queue *q, uint32_t ref)
{
	struct ipc_msg *m = ipc_msg_at(c->ns, ref), *next;
	uint32_t *link, same;

	if (!m)
		return damaged("message", ref);
	link = find_link(c, q, READ_ONCE(m->type));
	if (!link || READ_ONCE(*link) != ref)
		return damaged("message not in the index", ref);
	same = READ_ONCE(m->same);
	if (!same)
		return merge(c, READ_ONCE(m->left), READ_ONCE(m->right), link);
	next = ipc_msg_at(c->ns, same);
	if (!next || next == m || READ_ONCE(next->type) != READ_ONCE(m->type))
		return damaged("messages of a type", same);
	next->left = READ_ONCE(m->left);
	next->right = READ_ONCE(m->right);
	next->youngest = READ_ONCE(m->youngest);
	WRITE_ONCE(*link, same);
	return 0;
}

int64_t ipc_types_find(struct ipc_call *c, struct ipc_queue *q, int64_t type)
{
	uint32_t *link = find_link(c, q, type);

	return link ? (int64_t)READ_ONCE(*link) : -EIO;
}

int64_t ipc_types_lowest(struct ipc_call *c, struct ipc_queue *q, int64_t limit)
{
	uint32_t at = READ_ONCE(q->types), left;
	struct ipc_msg *m;

	ipc_types_steps = 0;
	if (!at)
		return 0;
	for (unsigned int i = 0;; i++) {
		m = ipc_msg_at(c->ns, at);
		ipc_types_steps++;
		if (!m || i > MAX_DEPTH)
			return damaged("index by type", at);
		left = READ_ONCE(m->left);
		if (!left)
			return READ_ONCE(m->type) <= limit ? at : 0;
		at = left;
	}
}
