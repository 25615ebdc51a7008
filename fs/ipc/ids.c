/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identifiers: id = sequence number * 32768 + index. Indexes are given out in
 * turn, not the lowest free one first, within a window that grows with the
 * number of queues; the sequence number grows by one when the index does not.
 *
 * Which index is in use the queues themselves say; the map, the figures and
 * the hash of keys can be made from them, and are, after a death.
 */
#include "fs/ipc/ipc-internal.h"

#include <limits.h>
#include <string.h>

#define MIN_WINDOW 64u
#define MAP_WORDS (IPC_NR_QUEUES / 64)

static uint32_t queues_ready(const struct ipc_namespace *ns)
{
	uint32_t ready = smp_load_acquire(&ipc_super(ns)->queues_ready);

	return ready > IPC_NR_QUEUES ? IPC_NR_QUEUES : ready;
}

uint32_t ipc_ids_ready(const struct ipc_namespace *ns)
{
	return queues_ready(ns);
}

struct ipc_queue *ipc_queue_find(const struct ipc_namespace *ns, uint32_t index)
{
	return index < queues_ready(ns) ? ipc_queue_at(ns, index) : NULL;
}

/* --- the map --- */

/* The first free index in [from, to), or to. */
static uint32_t find_free(struct ipc_call *c, uint32_t from, uint32_t to)
{
	const uint64_t *map = ipc_idmap(c->ns);

	while (from < to) {
		uint64_t word = ~map[from / 64] >> from % 64;

		if (word) {
			from += (uint32_t)__builtin_ctzll(word);
			return from < to ? from : to;
		}
		from += 64 - from % 64;
	}
	return to;
}

static int32_t find_highest(struct ipc_call *c)
{
	const uint64_t *map = ipc_idmap(c->ns);

	for (int32_t i = MAP_WORDS - 1; i >= 0; i--) {
		if (map[i])
			return i * 64 + 63 - __builtin_clzll(map[i]);
	}
	return -1;
}

int ipc_ids_highest(const struct ipc_namespace *ns)
{
	int32_t highest = READ_ONCE(ipc_super(ns)->highest);

	return highest < -1 || highest >= (int32_t)IPC_NR_QUEUES ? -1 : highest;
}

/* --- keys --- */

static uint32_t *bucket(struct ipc_call *c, key_t key)
{
	uint32_t hash = (uint32_t)key * 0x9e3779b1u;

	return &ipc_keys(c->ns)[hash >> 20];
}

int ipc_ids_find_key(struct ipc_call *c, key_t key)
{
	uint32_t left = IPC_NR_QUEUES, at;
	struct ipc_queue *q;

	if (!c->super->keys_ready)
		return 0;
	for (at = READ_ONCE(*bucket(c, key)); at; at = READ_ONCE(q->key_next)) {
		q = ipc_queue_find(c->ns, at - 1);
		if (!q || left-- == 0)
			return ipc_damaged("hash of keys", at);
		if (READ_ONCE(q->used) == 1 && READ_ONCE(q->key) == key)
			return (int)at;
	}
	return 0;
}

static int key_insert(struct ipc_call *c, struct ipc_queue *q)
{
	uint32_t *head = bucket(c, q->key);

	if (!c->super->keys_ready) {
		if (ipc_region_reserve(c->ns, IPC_OFF_KEYS, IPC_NR_KEYS * 4))
			return -ENOMEM;
		c->super->keys_ready = 1;
	}
	q->key_next = *head;
	*head = ipc_queue_index(c->ns, q) + 1;
	return 0;
}

static void key_remove(struct ipc_call *c, struct ipc_queue *q)
{
	uint32_t *link = bucket(c, q->key), left = IPC_NR_QUEUES;
	uint32_t me = ipc_queue_index(c->ns, q) + 1;

	while (READ_ONCE(*link) != me) {
		struct ipc_queue *n =
			ipc_queue_find(c->ns, READ_ONCE(*link) - 1);

		if (!n || left-- == 0) {
			ipc_damaged("hash of keys", *link);
			return;
		}
		link = &n->key_next;
	}
	*link = q->key_next;
}

/* --- giving out and taking back --- */

/* -ENOSPC, or an index; *@seq is what its id begins with */
static int choose(struct ipc_call *c, uint32_t *seq)
{
	struct ipc_super *s = c->super;
	int32_t wanted = READ_ONCE(s->next_id);
	uint32_t index, window = s->in_use * 3 / 2, cursor = s->cursor;

	if (wanted >= 0) {
		index = find_free(c, (uint32_t)wanted % IPC_NR_QUEUES,
				  IPC_NR_QUEUES);
		*seq = (uint32_t)wanted >> IPC_SEQ_SHIFT;
		return index == IPC_NR_QUEUES ? -ENOSPC : (int)index;
	}
	if (window < MIN_WINDOW)
		window = MIN_WINDOW;
	if (window > IPC_NR_QUEUES)
		window = IPC_NR_QUEUES;
	index = find_free(c, cursor < window ? cursor : window, window);
	if (index == window)
		index = find_free(c, 0, window);
	if (index == window)
		return -ENOSPC;
	*seq = s->seq < IPC_SEQ_MAX ? s->seq : 0;
	if ((int32_t)index <= s->last_index)
		*seq = *seq + 1 < IPC_SEQ_MAX ? *seq + 1 : 0;
	return (int)index;
}

static void chosen(struct ipc_call *c, uint32_t index, uint32_t seq)
{
	struct ipc_super *s = c->super;

	if (READ_ONCE(s->next_id) >= 0) {
		WRITE_ONCE(s->next_id, -1);
		return;
	}
	s->seq = seq;
	s->last_index = (int32_t)index;
	s->cursor = index + 1;
}

/* Memory for the queue of an index; those before it have theirs. */
static int make_ready(struct ipc_call *c, uint32_t index)
{
	uint32_t ready = queues_ready(c->ns), more;

	if (index < ready)
		return 0;
	more = (index + 1 + 15) / 16 * 16;
	if (ipc_region_reserve(c->ns,
			       (uint64_t)((char *)ipc_queue_at(c->ns, ready) -
					  c->ns->base),
			       (more - ready) * sizeof(struct ipc_queue)))
		return -ENOMEM;
	ipc_step(c->super->queues_ready, more);
	return 0;
}

static void fill(struct ipc_call *c, struct ipc_queue *q,
		 const struct ipc_cred *cred, int id, key_t key, int flg)
{
	struct timespec now;
	size_t from = offsetof(struct ipc_queue, id);

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	memset((char *)q + from, 0, sizeof(*q) - from);
	q->id = (uint32_t)id;
	q->key = key;
	q->uid = cred->euid;
	q->cuid = cred->euid;
	q->gid = cred->egid;
	q->cgid = cred->egid;
	q->mode = (uint32_t)flg & 0777;
	q->ctime = now.tv_sec;
	q->qbytes = (uint64_t)(uint32_t)READ_ONCE(c->super->msgmnb);
}

/*
 * With ids_lock held. Release, pairs with ipc_ns_generation(): who sees the
 * new number sees what came or went.
 */
static void ipc_ids_changed(struct ipc_super *s)
{
	smp_store_release(&s->generation, s->generation + 1);
}

uint64_t ipc_ns_generation(const struct ipc_namespace *ns)
{
	return smp_load_acquire(&ipc_super(ns)->generation);
}

static void account(struct ipc_call *c, uint32_t index)
{
	struct ipc_super *s = c->super;

	ipc_idmap(c->ns)[index / 64] |= 1ull << index % 64;
	WRITE_ONCE(s->in_use, s->in_use + 1);
	ipc_ids_changed(s);
	if ((int32_t)index > s->highest)
		WRITE_ONCE(s->highest, (int32_t)index);
}

int ipc_ids_add(struct ipc_call *c, const struct ipc_cred *cred, key_t key,
		int flg)
{
	int32_t limit = READ_ONCE(c->super->msgmni);
	struct ipc_queue *q;
	uint32_t seq;
	int index, id, err;

	if (limit < 0 || c->super->in_use >= (uint32_t)limit ||
	    c->super->in_use >= IPC_NR_QUEUES)
		return -ENOSPC;
	index = choose(c, &seq);
	if (index < 0)
		return index;
	err = make_ready(c, (uint32_t)index);
	if (err)
		return err;
	q = ipc_queue_at(c->ns, (uint32_t)index);
	ipc_step(c->slot->queue, (uint32_t)index + 1);
	/* its last owner may be emptying it still */
	err = ipc_lock_queue(c, q);
	if (err)
		return err;
	id = (int)(seq << IPC_SEQ_SHIFT) + index;
	fill(c, q, cred, id, key, flg);
	err = key == IPC_PRIVATE ? 0 : key_insert(c, q);
	if (!err) {
		ipc_step(q->used, 1);
		account(c, (uint32_t)index);
		chosen(c, (uint32_t)index, seq);
	}
	ipc_unlock_queue(c, q);
	return err ? err : id;
}

void ipc_ids_remove(struct ipc_call *c, struct ipc_queue *q)
{
	struct ipc_super *s = c->super;
	uint32_t index = ipc_queue_index(c->ns, q);

	ipc_step(q->used, 2);
	if (q->key != IPC_PRIVATE)
		key_remove(c, q);
	ipc_idmap(c->ns)[index / 64] &= ~(1ull << index % 64);
	WRITE_ONCE(s->in_use, s->in_use - 1);
	ipc_ids_changed(s);
	if (s->highest == (int32_t)index)
		WRITE_ONCE(s->highest, find_highest(c));
}

/* --- finding --- */

static int obtain(struct ipc_call *c, struct ipc_queue *q, uint32_t id)
{
	uint32_t index = ipc_queue_index(c->ns, q);
	int err;

	if (unlikely(id > INT_MAX || id % IPC_NR_QUEUES != index)) {
		ipc_damaged("id of a queue", index);
		return -EIDRM;
	}
	c->slot->id = id;
	ipc_step(c->slot->queue, index + 1);
	err = ipc_lock_queue(c, q);
	if (err)
		return err == -EIO ? -EIDRM : err;
	if (likely(READ_ONCE(q->used) == 1 && READ_ONCE(q->id) == id &&
		   !READ_ONCE(q->broken) && !READ_ONCE(c->super->dead)))
		return 0;
	ipc_unlock_queue(c, q);
	return -EIDRM;
}

int ipc_ids_obtain(struct ipc_call *c, int id, struct ipc_queue **ret)
{
	struct ipc_queue *q;

	if (id < 0)
		return -EINVAL;
	q = ipc_queue_find(c->ns, (uint32_t)id % IPC_NR_QUEUES);
	if (q)
		ipc_touch(c->ns, (uint64_t)((char *)q - c->ns->base));
	if (!q || smp_load_acquire(&q->used) != 1 ||
	    READ_ONCE(q->id) != (uint32_t)id || READ_ONCE(c->super->dead))
		return -EINVAL;
	*ret = q;
	return obtain(c, q, (uint32_t)id);
}

int ipc_ids_obtain_any(struct ipc_call *c, int id, struct ipc_queue **ret)
{
	struct ipc_queue *q =
		ipc_queue_find(c->ns, (uint32_t)id % IPC_NR_QUEUES);
	int err;

	if (!q || READ_ONCE(q->used) != 1 || READ_ONCE(q->id) != (uint32_t)id ||
	    READ_ONCE(c->super->dead))
		return -EINVAL;
	c->slot->id = (uint32_t)id;
	ipc_step(c->slot->queue, ipc_queue_index(c->ns, q) + 1);
	/* a second try finds it broken, and repaired as far as can be */
	err = ipc_lock_queue(c, q);
	if (err == -EIO)
		err = ipc_lock_queue(c, q);
	*ret = q;
	return err;
}

int ipc_ids_obtain_index(struct ipc_call *c, uint32_t index,
			 struct ipc_queue **ret)
{
	struct ipc_queue *q = ipc_queue_find(c->ns, index);

	if (!q || smp_load_acquire(&q->used) != 1 || READ_ONCE(c->super->dead))
		return -EINVAL;
	*ret = q;
	return obtain(c, q, READ_ONCE(q->id));
}

int ipc_ids_relock(struct ipc_call *c, int id, struct ipc_queue *q)
{
	return obtain(c, q, (uint32_t)id);
}

/* --- after a death --- */

int ipc_repair_ids(struct ipc_call *c)
{
	uint32_t ready = queues_ready(c->ns), in_use = 0;

	memset(ipc_idmap(c->ns), 0, IPC_PAGE);
	if (c->super->keys_ready)
		memset(ipc_keys(c->ns), 0, IPC_NR_KEYS * 4);
	for (uint32_t i = 0; i < ready; i++) {
		struct ipc_queue *q = ipc_queue_at(c->ns, i);

		if (READ_ONCE(q->used) != 1)
			continue;
		in_use++;
		ipc_idmap(c->ns)[i / 64] |= 1ull << i % 64;
		if (q->key != IPC_PRIVATE && key_insert(c, q))
			return -EIO;
	}
	WRITE_ONCE(c->super->in_use, in_use);
	ipc_ids_changed(c->super);
	WRITE_ONCE(c->super->highest, find_highest(c));
	return 0;
}
