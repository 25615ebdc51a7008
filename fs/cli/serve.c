// SPDX-License-Identifier: LGPL-2.1-or-later
/* From SOURCE to a served mount, and back. */
#include "fs/cli/cli-internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <kernfuse/kernfs.h>

#include "fs/fuse/session.h"
#include "fs/import/import.h"
#include "fs/ipctree/ipctree.h"

/* Asked to stop before anybody could use the mount. */
static enum kf_exit stopped(const struct kf_options *o)
{
	if (o->foreground)
		return KF_EXIT_OK;
	kf_error("stopped by signal %d before %s was ready",
		 (int)READ_ONCE(kfd_stop_requested), o->mountpoint);
	return KF_EXIT_LOST;
}

/* A tree and what it lives on. */
struct tree {
	struct kernfs_root *root;
	struct kf_content_store *store; /* outlives the root */
	struct kf_import_stats stats;
};

static void warn(void *ctx, const char *line)
{
	const struct kf_options *o = ctx;

	/* a daemon says only why it failed; any /sys has things left out */
	if (o->foreground)
		kf_info("%s", line);
}

static enum kf_exit take_in(const struct kf_options *o, struct tree *tree)
{
	const struct kf_import_opts opts = {
		.read_timeout_ms = o->read_timeout_ms,
		.warn = warn,
		.ctx = (void *)o,
		.stop = &kfd_stop_requested,
		.store = tree->store,
	};
	struct kernfs_node *top = kernfs_root_to_node(tree->root);
	char why[1024] = "";
	int err;

	if (o->source_path)
		err = kf_import_directory(top, o->source_path, &opts,
					  &tree->stats, why, sizeof(why));
	else
		err = kf_import_skeleton(top, why, sizeof(why));
	if (READ_ONCE(kfd_stop_requested))
		return KF_EXIT_STOPPED;
	if (!err)
		return KF_EXIT_OK;
	kf_error("cannot take in %s: %s", o->source,
		 why[0] ? why : strerror(-err));
	return KF_EXIT_SETUP;
}

static struct kernfs_root *new_root(const struct kf_options *o)
{
	const struct kernfs_root_locking_params params = {
		.locking = o->locking,
		.nr_locks = o->nr_locks,
	};
	struct kernfs_root *root = kernfs_create_root_locking(
		o->no_ipc ? NULL : &ipctree_syscall_ops,
		KERNFS_ROOT_EXTRA_OPEN_PERM_CHECK, NULL, &params);

	if (!IS_ERR(root))
		return root;
	kf_error("cannot create the tree: %s", strerror((int)-PTR_ERR(root)));
	return NULL;
}

static struct kfd *new_daemon(const struct kf_options *o,
			      struct kernfs_root *root)
{
	char *options = kf_options_for_libfuse(o);
	const struct kfd_params params = {
		.root = root,
		.options = options,
		.debug = o->debug,
		.single_threaded = o->single_threaded,
		.poll = o->poll == KF_POLL_ON ||
			(o->poll == KF_POLL_AUTO && !o->read_only),
		.callback_timeout_ms = o->callback_timeout_ms,
		.clone_fd = o->clone_fd,
		.max_read = o->max_read,
		.max_threads = o->max_threads,
		.max_idle_threads = o->max_idle_threads,
		.set_uid = o->set_uid,
		.set_gid = o->set_gid,
		.uid = o->uid,
		.gid = o->gid,
		.umask = o->umask,
	};
	struct kfd *kfd = NULL;
	int err = options ? kfd_create(&params, &kfd) : -ENOMEM;

	free(options);
	if (err)
		kf_error("cannot set libfuse up: %s", strerror(-err));
	return err ? NULL : kfd;
}

static enum kf_exit add_figures(const struct kf_options *o, struct kfd *kfd)
{
	int err = kfd_create_figures(kfd);

	if (!err)
		return KF_EXIT_OK;
	if (err == -ENOTDIR) {
		kf_info("%s/fs is no directory, so there is no fs/kernfuse",
			o->source);
		return KF_EXIT_OK;
	}
	kf_error("cannot create fs/kernfuse: %s", strerror(-err));
	return KF_EXIT_SETUP;
}

/* NULL: there is none, which is no reason not to serve the rest. */
static struct ipctree *add_ipc(const struct kf_options *o,
			       struct kernfs_root *root)
{
	const struct ipctree_params params = {
		.counters = o->counters,
		.teardown = { .mode = o->teardown },
	};
	struct ipctree *ipc = NULL;
	char why[512];

	if (!o->no_ipc && ipctree_create(root, &params, &ipc, why, sizeof(why)))
		kf_info("there is no kernel/ipc: %s", why);
	return ipc;
}

static enum kf_exit mount_it(const struct kf_options *o, struct kfd *kfd)
{
	char why[512];

	if (kfd_mount(kfd, o->mount_path, why, sizeof(why)) == 0)
		return KF_EXIT_OK;
	/* a signal can interrupt fusermount3, too */
	if (READ_ONCE(kfd_stop_requested))
		return KF_EXIT_STOPPED;
	kf_error("cannot mount on %s: %s%s", o->mountpoint, why,
		 kf_mount_advice(why));
	return KF_EXIT_MOUNT;
}

static void tell_summary(const struct kf_options *o,
			 const struct kf_import_stats *stats)
{
	if (!o->foreground)
		return;
	if (!o->source_path) {
		kf_info("serving an empty tree on %s", o->mountpoint);
		return;
	}
	kf_info("serving %s on %s: %lu directories, %lu files (%lu "
		"unreadable, %lu timed out), %lu links; left out: %lu mounts, "
		"%lu special files",
		o->source, o->mountpoint, stats->dirs, stats->files,
		stats->unreadable, stats->timed_out, stats->links,
		stats->skipped_mounts, stats->skipped_special);
}

/* Mounted: says so, and serves until the end. */
static enum kf_exit run(const struct kf_options *o, struct kf_ready *ready,
			struct kfd *kfd, const struct kf_import_stats *stats)
{
	int err;

	if (READ_ONCE(kfd_stop_requested))
		return KF_EXIT_STOPPED;
	tell_summary(o, stats);
	kfd_log_to(kf_log);
	/* nobody waits for us any more: then nobody wants the mount */
	if (kf_tell_ready(ready))
		return KF_EXIT_LOST;
	err = kfd_serve(kfd);
	if (!err)
		return KF_EXIT_OK;
	kf_error("%s: lost the connection to the kernel: %s", o->mountpoint,
		 strerror(-err));
	return KF_EXIT_LOST;
}

static enum kf_exit serve_tree(const struct kf_options *o,
			       struct kf_ready *ready, struct tree *tree)
{
	enum kf_exit status = take_in(o, tree);
	struct ipctree *ipc;
	struct kfd *kfd;

	if (status)
		return status;
	kfd = new_daemon(o, tree->root);
	if (!kfd)
		return KF_EXIT_SETUP;
	ipc = add_ipc(o, tree->root);
	status = add_figures(o, kfd);
	if (!status)
		status = mount_it(o, kfd);
	if (!status)
		status = run(o, ready, kfd, &tree->stats);
	kfd_destroy(kfd);
	ipctree_destroy(ipc);
	return status;
}

static enum kf_exit serve(const struct kf_options *o, struct kf_ready *ready)
{
	enum kf_exit status = KF_EXIT_SETUP;
	struct tree tree = { .store = kf_content_store_create() };

	if (!tree.store) {
		kf_error("out of memory");
		return status;
	}
	tree.root = new_root(o);
	if (tree.root) {
		status = serve_tree(o, ready, &tree);
		kernfs_destroy_root(tree.root);
	}
	kf_content_store_destroy(tree.store);
	return status;
}

enum kf_exit kf_serve(const struct kf_options *o, struct kf_ready *ready)
{
	enum kf_exit status;
	int err = kfd_signals_init();

	if (err) {
		kf_error("cannot set up signal handlers: %s", strerror(-err));
		return KF_EXIT_SIGNALS;
	}
	/* a daemon keeps no directory busy */
	if (chdir("/"))
		kf_info("cannot change to /: %s", strerror(errno));
	status = serve(o, ready);
	kfd_signals_finish();
	return status == KF_EXIT_STOPPED ? stopped(o) : status;
}
