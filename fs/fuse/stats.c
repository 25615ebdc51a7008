// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fs/kernfuse in the served tree: what the locks and the daemon did so far.
 *
 *	version
 *	locking/policy, locking/nr_locks
 *	locking/<path>/runs, locking/<path>/waits	for each lock path
 *	upcalls/<op>, upcalls/total			for each handler
 *
 * One number and a newline each. Summed when read; nothing on a hot path
 * writes what another thread writes.
 */
#include "fs/fuse/fuse-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct kfd_figure {
	struct kfd *kfd;
	/* shows it; @nr says which of its kind */
	void (*show)(struct seq_file *sf, struct kfd *kfd, unsigned int nr);
	unsigned int nr;
};

/* version, policy, nr_locks, and total */
#define NR_FIGURES (4 + 2 * KERNFS_NR_LOCK_PATHS + KFD_NR_OPS)

static const char *const op_names[KFD_NR_OPS] = {
#define X(upper, lower) [KFD_OP_##upper] = #lower,
	KFD_OPS(X)
#undef X
};

static void show_version(struct seq_file *sf, struct kfd *kfd, unsigned int nr)
{
	(void)kfd, (void)nr;
	seq_puts(sf, KERNFUSE_VERSION "\n");
}

static void show_policy(struct seq_file *sf, struct kfd *kfd, unsigned int nr)
{
	(void)nr;
	seq_printf(sf, "%s\n",
		   kernfs_locking_name(kernfs_root_locking(kfd->root)));
}

static void show_nr_locks(struct seq_file *sf, struct kfd *kfd, unsigned int nr)
{
	(void)nr;
	seq_printf(sf, "%u\n", kernfs_root_nr_locks(kfd->root));
}

static void show_runs(struct seq_file *sf, struct kfd *kfd, unsigned int path)
{
	struct kernfs_lock_stats stats = { 0 };

	kernfs_root_lock_stats(kfd->root, (enum kernfs_lock_path)path, &stats);
	seq_printf(sf, "%" PRIu64 "\n", stats.runs);
}

static void show_waits(struct seq_file *sf, struct kfd *kfd, unsigned int path)
{
	struct kernfs_lock_stats stats = { 0 };

	kernfs_root_lock_stats(kfd->root, (enum kernfs_lock_path)path, &stats);
	seq_printf(sf, "%" PRIu64 "\n", stats.waits);
}

static void show_op(struct seq_file *sf, struct kfd *kfd, unsigned int op)
{
	seq_printf(sf, "%" PRIu64 "\n", kf_percpu_sum(&kfd->upcalls, op));
}

static void show_total(struct seq_file *sf, struct kfd *kfd, unsigned int nr)
{
	uint64_t sum = 0;

	(void)nr;
	for (unsigned int op = 0; op < KFD_NR_OPS; op++)
		sum += kf_percpu_sum(&kfd->upcalls, op);
	seq_printf(sf, "%" PRIu64 "\n", sum);
}

static int seq_show(struct seq_file *sf, void *v)
{
	const struct kernfs_open_file *of = sf->private_data;
	const struct kfd_figure *figure = kernfs_priv(of->kn);

	(void)v;
	figure->show(sf, figure->kfd, figure->nr);
	return 0;
}

static const struct kernfs_ops figure_ops = { .seq_show = seq_show };

/* Where the next figure goes; the first error stops what follows. */
struct maker {
	struct kfd *kfd;
	struct kfd_figure *next;
	int err;
};

static struct kernfs_node *
make_dir(struct maker *maker, struct kernfs_node *parent, const char *name)
{
	struct kernfs_node *kn;

	if (maker->err)
		return NULL;
	kn = kernfs_create_dir(parent, name, 0755, NULL);
	if (!IS_ERR(kn))
		return kn;
	maker->err = (int)PTR_ERR(kn);
	return NULL;
}

static void
make_figure(struct maker *maker, struct kernfs_node *parent, const char *name,
	    void (*show)(struct seq_file *sf, struct kfd *kfd, unsigned int nr),
	    unsigned int nr)
{
	struct kfd_figure *figure;
	struct kernfs_node *kn;

	if (maker->err)
		return;
	figure = maker->next++;
	*figure = (struct kfd_figure){ maker->kfd, show, nr };
	kn = __kernfs_create_file(parent, name, 0444, 0, 0, KERNFS_PAGE_SIZE,
				  &figure_ops, figure, NULL);
	if (IS_ERR(kn))
		maker->err = (int)PTR_ERR(kn);
}

static void make_locking(struct maker *maker, struct kernfs_node *top)
{
	struct kernfs_node *dir = make_dir(maker, top, "locking"), *sub;

	make_figure(maker, dir, "policy", show_policy, 0);
	make_figure(maker, dir, "nr_locks", show_nr_locks, 0);
	for (unsigned int path = 0; path < KERNFS_NR_LOCK_PATHS; path++) {
		const char *name =
			kernfs_lock_path_name((enum kernfs_lock_path)path);

		sub = make_dir(maker, dir, name);
		make_figure(maker, sub, "runs", show_runs, path);
		make_figure(maker, sub, "waits", show_waits, path);
	}
}

static void make_upcalls(struct maker *maker, struct kernfs_node *top)
{
	struct kernfs_node *dir = make_dir(maker, top, "upcalls");

	for (unsigned int op = 0; op < KFD_NR_OPS; op++)
		make_figure(maker, dir, op_names[op], show_op, op);
	make_figure(maker, dir, "total", show_total, 0);
}

/* The tree's "fs", with a reference; made if there is none. */
static struct kernfs_node *get_fs(struct kernfs_node *root)
{
	struct kernfs_node *fs = kernfs_find_and_get(root, "fs");

	if (!fs) {
		fs = kernfs_create_dir(root, "fs", 0755, NULL);
		if (!IS_ERR(fs))
			kernfs_get(fs);
		return fs;
	}
	if (kernfs_type(fs) == KERNFS_DIR)
		return fs;
	kernfs_put(fs);
	return ERR_PTR(-ENOTDIR);
}

int kfd_create_figures(struct kfd *kfd)
{
	struct maker maker = { .kfd = kfd };
	struct kernfs_node *fs, *top;

	fs = get_fs(kernfs_root_to_node(kfd->root));
	if (IS_ERR(fs))
		return (int)PTR_ERR(fs);
	maker.err = -ENOMEM;
	kfd->figures = calloc(NR_FIGURES, sizeof(*kfd->figures));
	if (!kfd->figures)
		goto out_put;
	maker.err = 0;
	maker.next = kfd->figures;
	/* a captured tree may hold figures of the daemon it was taken from */
	kernfs_remove_by_name(fs, "kernfuse");
	top = make_dir(&maker, fs, "kernfuse");
	make_figure(&maker, top, "version", show_version, 0);
	make_locking(&maker, top);
	make_upcalls(&maker, top);
out_put:
	kernfs_put(fs);
	return maker.err;
}

void kfd_figures_free(struct kfd *kfd)
{
	struct kernfs_node *fs;

	if (!kfd->figures)
		return;
	/* the root outlives us: nobody may show figures any more */
	fs = kernfs_find_and_get(kernfs_root_to_node(kfd->root), "fs");
	if (fs)
		kernfs_remove_by_name(fs, "kernfuse");
	kernfs_put(fs);
	free(kfd->figures);
}
