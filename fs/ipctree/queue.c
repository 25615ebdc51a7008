/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NAME/msg/queue: a directory for each queue, named by its id.
 *
 * Clients make and remove queues in shared memory without a word to us, so
 * this directory is brought up to date before it is looked at, if the region's
 * generation says that queues came or went. The files of a queue are made when
 * somebody looks into its directory: 32,000 queues are 32,000 nodes, not half
 * a million.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fs/ipctree/ipctree-internal.h"
#include "lock/atomic.h"

/* --- the files of a queue --- */

static int stat_of(const struct seq_file *sf, struct ipc_queue_stat *ret)
{
	const struct ipc_queue_dir *q = ipc_file_priv(sf);
	int err = ipc_queue_stat(q->dir->ns, ipc_queue_index(q), ret);

	if (err == -ENOENT || (!err && ret->id != q->id))
		return -EIDRM;
	return err;
}

/* clang-format off */
#define SHOW(field, format, type)                                              \
	static int show_##field(struct seq_file *sf, void *v)                  \
	{                                                                      \
		struct ipc_queue_stat st;                                      \
		int err = stat_of(sf, &st);                                    \
                                                                               \
		(void)v;                                                       \
		if (!err)                                                      \
			seq_printf(sf, format "\n", (type)st.field);           \
		return err;                                                    \
	}                                                                      \
	static const struct kernfs_ops field##_ops = { .seq_show = show_##field };

SHOW(key, "%d", int)
SHOW(mode, "%o", unsigned int)
SHOW(cbytes, "%" PRIu64, uint64_t)
SHOW(qnum, "%" PRIu64, uint64_t)
SHOW(qbytes, "%" PRIu64, uint64_t)
SHOW(lspid, "%d", int)
SHOW(lrpid, "%d", int)
SHOW(uid, "%u", unsigned int)
SHOW(gid, "%u", unsigned int)
SHOW(cuid, "%u", unsigned int)
SHOW(cgid, "%u", unsigned int)
SHOW(stime, "%lld", long long)
SHOW(rtime, "%lld", long long)
SHOW(ctime, "%lld", long long)
/* clang-format on */

/* Anybody may try to send and to receive: the queue decides, each time. */
static const struct ipc_file queue_files[] = {
	{ "cbytes", 0444, &cbytes_ops },   { "cgid", 0444, &cgid_ops },
	{ "ctime", 0444, &ctime_ops },	   { "cuid", 0444, &cuid_ops },
	{ "gid", 0444, &gid_ops },	   { "key", 0444, &key_ops },
	{ "lrpid", 0444, &lrpid_ops },	   { "lspid", 0444, &lspid_ops },
	{ "perms", 0444, &mode_ops },	   { "qbytes", 0444, &qbytes_ops },
	{ "qnum", 0444, &qnum_ops },	   { "receive", 0444, &ipc_receive_ops },
	{ "rtime", 0444, &rtime_ops },	   { "send", 0222, &ipc_send_ops },
	{ "stime", 0444, &stime_ops },	   { "uid", 0444, &uid_ops },
};

/*
 * Several threads may fill one directory; each makes what is missing. No lock:
 * whoever removes the directory holds one and waits for us.
 */
static void fill(struct ipc_queue_dir *q)
{
	/* acquire, pairs with the release below: the files are there */
	if (smp_load_acquire(&q->filled))
		return;
	if (ipc_create_files(q->kn, queue_files,
			     sizeof(queue_files) / sizeof(*queue_files),
			     q->dir->uid, q->dir->gid, q) == 0)
		smp_store_release(&q->filled, true);
}

/* --- the directories of queues --- */

static void drop(struct ipc_dir *dir, int index)
{
	struct ipc_queue_dir *q = dir->queues[index];

	dir->queues[index] = NULL;
	kernfs_remove(q->kn);
	kernfs_put(q->kn);
	free(q);
}

static void make(struct ipc_dir *dir, int index, int id)
{
	struct ipc_queue_dir *q = malloc(sizeof(*q));
	struct kernfs_node *kn;
	char name[16];

	if (!q)
		return;
	*q = (struct ipc_queue_dir){ .dir = dir, .id = id };
	snprintf(name, sizeof(name), "%d", id);
	kn = kernfs_create_dir_ns(dir->queue, name, 0755, dir->uid, dir->gid,
				  q, NULL);
	if (IS_ERR(kn)) {
		free(q);
		return;
	}
	kernfs_get(kn);
	q->kn = kn;
	kernfs_enable_refresh(kn);
	dir->queues[index] = q;
}

static void update(struct ipc_dir *dir, int index)
{
	const struct ipc_queue_dir *q = dir->queues[index];
	struct ipc_queue_stat st;
	bool there = ipc_queue_stat(dir->ns, index, &st) == 0;

	if (q && (!there || st.id != q->id))
		drop(dir, index);
	if (there && !dir->queues[index])
		make(dir, index, st.id);
}

static void update_all(struct ipc_dir *dir)
{
	uint64_t generation = ipc_ns_generation(dir->ns);

	mutex_lock(&dir->refresh_lock);
	/* the generation is read first: what changes from here on is seen by
	 * the next refresh, if not by this one */
	if (dir->seen != generation) {
		for (int index = 0; index < IPC_INDEX_MAX; index++)
			update(dir, index);
		dir->seen = generation;
	}
	mutex_unlock(&dir->refresh_lock);
}

void ipc_refresh(struct kernfs_node *kn)
{
	struct kernfs_node *parent;
	struct ipc_dir *dir;

	/* two kinds of directories ask: see ipc_create_queue_dir(), make() */
	parent = kernfs_get_parent(kn);
	dir = parent ? kernfs_priv(parent) : NULL;
	kernfs_put(parent);
	if (dir && dir->queue == kn)
		update_all(dir);
	else
		fill(kernfs_priv(kn));
}

int ipc_create_queue_dir(struct kernfs_node *msg, struct ipc_dir *dir)
{
	struct kernfs_node *kn;

	dir->queues = calloc(IPC_INDEX_MAX, sizeof(*dir->queues));
	if (!dir->queues)
		return -ENOMEM;
	mutex_init(&dir->refresh_lock, KF_RANK_IPC_REFRESH);
	kn = kernfs_create_dir_ns(msg, "queue", 0755, dir->uid, dir->gid, dir,
				  NULL);
	if (IS_ERR(kn))
		return (int)PTR_ERR(kn);
	dir->queue = kn;
	kernfs_enable_refresh(kn);
	return 0;
}

void ipc_free_queues(struct ipc_dir *dir)
{
	if (!dir->queues)
		return;
	for (int index = 0; index < IPC_INDEX_MAX; index++)
		if (dir->queues[index])
			drop(dir, index);
	mutex_destroy(&dir->refresh_lock);
	free(dir->queues);
}
