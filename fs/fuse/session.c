// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A session: from libfuse's options to the loop and back.
 *
 * Threads: only the main thread until kfd_serve(), which starts libfuse's
 * workers and returns when all of them have ended.
 */
#include "fs/fuse/fuse-internal.h"

#include <errno.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>

#include "lock/say.h"

/* Bytes; a thread's buffer is a page more. No attribute is written with more,
 * and libfuse's default of 1 MiB for each thread would be waste. */
#define MAX_WRITE (128 * 1024)

/* Requests that may run in the background, which RELEASE does: the kernel's
 * 12 would hold up a storm of closes. */
#define MAX_BACKGROUND 64

/* --- INIT --- */

/*
 * A handle that the kernel makes by itself holds a node id, and a node id is
 * no longer one when it is forgotten. So where the tree has no handles clients
 * get none to open files by, as in sysfs, only such that tell files apart.
 */
static bool has_handles(const struct kfd *kfd)
{
	return kernfs_root_flags(kernfs_root_to_node(kfd->root)) &
	       KERNFS_ROOT_SUPPORT_EXPORTOP;
}

#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 17)

static void want(struct kfd *kfd, struct fuse_conn_info *conn)
{
	/* replies are small: splice costs more than it saves */
	fuse_unset_feature_flag(conn, FUSE_CAP_SPLICE_READ);
	fuse_unset_feature_flag(conn, FUSE_CAP_SPLICE_WRITE);
	fuse_unset_feature_flag(conn, FUSE_CAP_SPLICE_MOVE);
	fuse_set_feature_flag(conn, FUSE_CAP_PARALLEL_DIROPS);
	if (!has_handles(kfd))
		fuse_set_feature_flag(conn, FUSE_CAP_NO_EXPORT_SUPPORT);
}

static int attach(struct kfd *kfd)
{
	(void)kfd;
	return 0;
}

#else

/*
 * These versions believe that they pass FUSE_PARALLEL_DIROPS on, and do not:
 * the kernel then lets one lookup at a time into a directory. Nor do they know
 * FUSE_NO_EXPORT_SUPPORT. So the flags are added to the reply to INIT on its
 * way out; a kernel ignores those it does not know.
 */
#define NO_EXPORT_SUPPORT_2 (1U << (38 - 32)) /* in flags2 */

static void want(struct kfd *kfd, struct fuse_conn_info *conn)
{
	conn->want &=
		~(unsigned int)(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
				FUSE_CAP_SPLICE_MOVE);
	if (conn->capable & FUSE_CAP_PARALLEL_DIROPS)
		/* relaxed, pairs with patched_writev(): the same thread
		 * replies to INIT, others only look */
		WRITE_ONCE(kfd->patch_init_reply, true);
}

static ssize_t plain_read(int fd, void *buf, size_t size, void *userdata)
{
	(void)userdata;
	return read(fd, buf, size);
}

/* The reply is a header and a struct fuse_init_out, an element each. */
static void patch_init_reply(const struct kfd *kfd, const struct iovec *iov,
			     int count)
{
	const struct fuse_out_header *header = iov[0].iov_base;
	struct fuse_init_out *init;

	if (count != 2 || header->error ||
	    iov[1].iov_len < offsetof(struct fuse_init_out, max_background))
		return;
	init = iov[1].iov_base;
	init->flags |= FUSE_PARALLEL_DIROPS;
	if (init->flags & FUSE_INIT_EXT && !has_handles(kfd) &&
	    iov[1].iov_len >= offsetof(struct fuse_init_out, flags2) +
				      sizeof(init->flags2))
		init->flags2 |= NO_EXPORT_SUPPORT_2;
}

static ssize_t patched_writev(int fd, struct iovec *iov, int count,
			      void *userdata)
{
	struct kfd *kfd = userdata;

	/* nothing else is written between init() and the reply to INIT: the
	 * kernel sends no other request before it has that */
	if (__builtin_expect(READ_ONCE(kfd->patch_init_reply), 0)) {
		WRITE_ONCE(kfd->patch_init_reply, false);
		patch_init_reply(kfd, iov, count);
	}
	return writev(fd, iov, count);
}

static int attach(struct kfd *kfd)
{
	static const struct fuse_custom_io io = {
		.read = plain_read,
		.writev = patched_writev,
	};

	return fuse_session_custom_io(kfd->se, &io, fuse_session_fd(kfd->se));
}

#endif

void kfd_op_init(void *userdata, struct fuse_conn_info *conn)
{
	const struct kfd *kfd = userdata;

	conn->max_write = MAX_WRITE;
	/* libfuse wants to hear again what it was given as an option */
	conn->max_read = kfd->params.max_read;
	conn->max_background = MAX_BACKGROUND;
	conn->congestion_threshold = MAX_BACKGROUND * 3 / 4;
	want(userdata, conn);
	if (kfd->params.ready)
		kfd->params.ready(kfd->params.ready_ctx);
}

/* --- life --- */

static struct fuse_session *new_session(struct kfd *kfd, const char *options)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *se = NULL;

	if (fuse_opt_add_arg(&args, "kernfuse") == 0 &&
	    fuse_opt_add_arg(&args, "-o") == 0 &&
	    fuse_opt_add_arg(&args, options) == 0 &&
	    (!kfd->params.debug || fuse_opt_add_arg(&args, "-d") == 0))
		se = fuse_session_new(&args, &kfd_ops, sizeof(kfd_ops), kfd);
	fuse_opt_free_args(&args);
	return se;
}

int kfd_create(const struct kfd_params *params, struct kfd **ret_kfd)
{
	struct kfd *kfd = aligned_alloc(_Alignof(struct kfd), sizeof(*kfd));
	int err;

	if (!kfd)
		return -ENOMEM;
	memset(kfd, 0, sizeof(*kfd));
	kfd->root = params->root;
	kfd->params = *params;
	kfd->params.options = NULL;
	err = kf_percpu_init(&kfd->upcalls, KFD_NR_OPS);
	if (err)
		goto out_free;
	kfd_log_init(params->in_process);
	err = -EINVAL;
	kfd->se = new_session(kfd, params->options);
	if (!kfd->se)
		goto out_percpu;
	err = kfd_jobs_init(kfd);
	if (err)
		goto out_session;
	kfd_inodes_init(kfd);
	kfd_handles_init(kfd);
	*ret_kfd = kfd;
	return 0;

out_session:
	fuse_session_destroy(kfd->se);
out_percpu:
	kf_percpu_destroy(&kfd->upcalls);
out_free:
	free(kfd);
	return err;
}

void kfd_destroy(struct kfd *kfd)
{
	if (!kfd)
		return;
	/* first: who is woken by a change sends to the session */
	kfd_handles_destroy(kfd);
	kfd_unmount(kfd);
	kfd_jobs_destroy(kfd);
	fuse_session_destroy(kfd->se);
	kfd_inodes_destroy(kfd);
	kfd_figures_free(kfd);
	kf_percpu_destroy(&kfd->upcalls);
	free(kfd);
}

int kfd_mount(struct kfd *kfd, const char *mountpoint, char *why, size_t size)
{
	struct kfd_catch caught;
	int err;

	kfd_log_catch(&caught, !kfd->params.in_process);
	err = fuse_session_mount(kfd->se, mountpoint);
	kfd_log_caught(&caught);
	if (err) {
		snprintf(why, size, "%s",
			 caught.line[0] ? caught.line :
					  "libfuse gives no reason");
		return -1;
	}
	kfd->mounted = true;
	if (attach(kfd) == 0)
		return 0;
	snprintf(why, size, "libfuse refuses our input and output functions");
	kfd_unmount(kfd);
	return -1;
}

void kfd_unmount(struct kfd *kfd)
{
	struct kfd_catch caught;

	if (!kfd->mounted)
		return;
	kfd->mounted = false;
	kfd_log_catch(&caught, !kfd->params.in_process);
	fuse_session_unmount(kfd->se);
	kfd_log_caught(&caught);
	/* EINVAL: somebody was faster, and it is unmounted */
	if (caught.line[0] && !strstr(caught.line, strerror(EINVAL)))
		kf_say(LOG_WARNING, "%s", caught.line);
}

static int serve_threaded(struct kfd *kfd)
{
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	int err;

	if (!config)
		return -ENOMEM;
	fuse_loop_cfg_set_clone_fd(config, kfd->params.clone_fd);
	fuse_loop_cfg_set_max_threads(config, kfd->params.max_threads);
	/* by default none ends: it would be made again a moment later */
	if (kfd->params.max_idle_threads)
		fuse_loop_cfg_set_idle_threads(config,
					       kfd->params.max_idle_threads);
	err = fuse_session_loop_mt(kfd->se, config);
	fuse_loop_cfg_destroy(config);
	return err;
}

int kfd_serve(struct kfd *kfd)
{
	int err;

	kfd_signals_watch(kfd->se);
	err = kfd->params.single_threaded ? fuse_session_loop(kfd->se) :
					    serve_threaded(kfd);
	kfd_signals_watch(NULL);
	/* they reply through the session, and leave when it has ended */
	fuse_session_exit(kfd->se);
	kfd_jobs_wait(kfd);
	/* EINTR: by the signal that was to end it */
	if (err == -EINTR && READ_ONCE(kfd_stop_requested))
		return 0;
	return err;
}
