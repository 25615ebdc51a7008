/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Listing a directory.
 *
 * Entries are copied in batches under the directory's lock, or between two
 * looks at its rev, and handed out afterwards with nothing held: whoever
 * receives them may sleep, and no name is read while it may change. A
 * position says where to go on, so there is no cursor to keep valid.
 */
#include "fs/kernfs/kernfs-internal.h"

#include <string.h>

#define BATCH_ENTRIES 32
/* at least one name always fits: names are shorter than KERNFS_PATH_MAX */
#define BATCH_NAMES (KERNFS_PATH_MAX + 1024)

struct batch {
	unsigned int nr;
	uint64_t next; /* where to go on after the last entry */
	struct {
		uint64_t ino, pos;
		mode_t mode;
		unsigned int name; /* offset in names */
	} entry[BATCH_ENTRIES];
	size_t used;
	char names[BATCH_NAMES];
};

static bool visible(const struct kernfs_node *dir,
		    const struct kernfs_node *kn, uint64_t ns_id)
{
	return kernfs_active(kn) &&
	       (!kernfs_ns_enabled(dir) ||
		kernfs_ns_id(kernfs_rcu_name(kn)->ns) == ns_id);
}

/* The first visible child from @kn, which is at *@pos, on. */
static struct kernfs_node *skip_invisible(const struct kernfs_node *dir,
					  struct kernfs_node *kn,
					  uint64_t ns_id, uint64_t *pos)
{
	while (kn && !visible(dir, kn, ns_id))
		kn = kernfs_child_next(dir, kn, *pos, pos);
	return kn;
}

static bool append(struct batch *b, const struct kernfs_node *kn, uint64_t pos)
{
	const char *name = kernfs_rcu_name(kn)->str;
	size_t len = strlen(name) + 1;

	if (b->nr == BATCH_ENTRIES || b->used + len > sizeof(b->names))
		return false;
	memcpy(b->names + b->used, name, len);
	b->entry[b->nr].name = (unsigned int)b->used;
	b->entry[b->nr].ino = kn->id;
	b->entry[b->nr].mode = READ_ONCE(kn->mode);
	b->entry[b->nr].pos = pos;
	b->used += len;
	b->nr++;
	return true;
}

static void fill_batch(struct batch *b, const struct kernfs_node *dir,
		       uint64_t ns_id, uint64_t pos)
{
	struct kernfs_node *kn = kernfs_child_at(dir, pos, &pos);

	b->nr = 0;
	b->used = 0;
	while ((kn = skip_invisible(dir, kn, ns_id, &pos)) &&
	       append(b, kn, pos))
		kn = kernfs_child_next(dir, kn, pos, &pos);
	b->next = kn ? pos : KERNFS_DIR_POS_END;
}

static void get_batch(struct batch *b, struct kernfs_node *dir,
		      uint64_t ns_id, uint64_t pos)
{
	struct kf_read rd;

	kf_read_begin(&rd, &dir->root->locks, dir, &dir->dir.rev,
		      KERNFS_LOCK_READDIR);
	do {
		fill_batch(b, dir, ns_id, pos);
	} while (kf_read_retry(&rd));
	kf_read_end(&rd);
}

/* Return: false if the receiver had enough. */
static bool emit(const struct batch *b, kernfs_filldir_t fill, void *ctx)
{
	for (unsigned int i = 0; i < b->nr; i++) {
		const struct kernfs_dirent de = {
			.name = b->names + b->entry[i].name,
			.ino = b->entry[i].ino,
			.mode = b->entry[i].mode,
			.pos = b->entry[i].pos,
			.next = i + 1 < b->nr ? b->entry[i + 1].pos : b->next,
		};

		if (!fill(ctx, &de))
			return false;
	}
	return true;
}

/* "." and ".."; the offset of ".." is where the first entry is. */
static bool emit_dots(struct kernfs_node *dir, uint64_t pos, uint64_t first,
		      kernfs_filldir_t fill, void *ctx)
{
	const struct kernfs_node *parent;
	struct kernfs_dirent de = {
		.name = ".",
		.ino = dir->id,
		.mode = kernfs_mode(dir),
		.pos = KERNFS_DIR_POS_DOT,
		.next = KERNFS_DIR_POS_DOTDOT,
	};

	if (pos == KERNFS_DIR_POS_DOT && !fill(ctx, &de))
		return false;
	/* a look is enough, a reference would be a shared write */
	kf_rcu_read_lock();
	parent = kernfs_rcu_name(dir)->parent;
	if (parent) {
		de.ino = parent->id;
		de.mode = kernfs_mode(parent);
	}
	kf_rcu_read_unlock();
	de.name = "..";
	de.pos = KERNFS_DIR_POS_DOTDOT;
	de.next = first;
	return fill(ctx, &de);
}

int kernfs_fop_readdir(struct kernfs_node *dir, const struct ns_common *ns,
		       uint64_t pos, kernfs_filldir_t fill, void *ctx)
{
	uint64_t ns_id = kernfs_ns_id(ns);
	struct batch b;

	if (!kernfs_is(dir, KERNFS_DIR))
		return -ENOTDIR;
	while (pos != KERNFS_DIR_POS_END) {
		get_batch(&b, dir, ns_id, pos);
		if (pos <= KERNFS_DIR_POS_DOTDOT &&
		    !emit_dots(dir, pos, b.nr ? b.entry[0].pos : b.next, fill,
			       ctx))
			return 0;
		if (!emit(&b, fill, ctx))
			return 0;
		pos = b.next;
	}
	return 0;
}
