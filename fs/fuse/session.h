/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What fs/cli asks of fs/fuse: serve one tree at one mountpoint.
 *
 * The order of calls is the order of this file. Everything here is called by
 * the main thread; only kfd_serve() starts others. What a library does, several
 * sessions in threads of somebody else's, is in mount.c.
 */
#ifndef FS_FUSE_SESSION_H
#define FS_FUSE_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <kernfuse/log.h>

/* --- signal.c: being told to stop --- */

/*
 * The signal that asked the daemon to stop, or 0. Set at any time after
 * kfd_signals_init(); kfd_serve() returns because of it.
 */
extern volatile sig_atomic_t kfd_stop_requested;

/**
 * kfd_signals_init - SIGINT, SIGTERM and SIGHUP stop, SIGPIPE is ignored
 *
 * A SIGHUP that was ignored before (nohup) stays ignored. SIGALRM becomes
 * ours too: see signal.c.
 *
 * Return: 0 or -errno.
 */
int kfd_signals_init(void);
/* Back to the default actions. */
void kfd_signals_finish(void);

/* --- log.c: where libfuse's own messages go --- */

/* Before the first call libfuse is silent; what it says while mounting is
 * for kfd_mount() to tell. From then on it, and all that kernfuse_set_log()
 * stands for, goes to @log. */
void kfd_log_to(kernfuse_log_fn log);

/* "3.14.0": the libfuse that runs, not the one compiled against */
const char *kfd_libfuse_version(void);

/* --- session.c --- */

struct kfd;

struct kfd_params {
	struct kernfs_root *root; /* kept by the caller until kfd_destroy() */
	/* which children of tagged directories this mount shows; NULL: none.
	 * Kept by reference, as root is */
	const struct ns_common *ns;
	const char *options; /* comma-separated words for libfuse */
	bool debug;	     /* libfuse prints every request */
	bool single_threaded;
	/* false: poll(2) finds every file readable and writable, and the
	 * kernel asks us once and never again */
	bool poll;
	/* how long a callback of an open file may take before the client gets
	 * ETIMEDOUT; 0: for ever */
	unsigned int callback_timeout_ms;
	/* the process is not ours: its stderr is left alone */
	bool in_process;
	/* called when INIT is about to be answered; NULL: nobody */
	void (*ready)(void *ctx);
	void *ready_ctx;
	bool clone_fd;	       /* a /dev/fuse of its own for each thread */
	unsigned int max_read; /* bytes; 0: the kernel's own limit */
	unsigned int max_threads;
	unsigned int max_idle_threads; /* 0: none ever ends */
	/* replace what the tree says, as libfuse's options of that name do */
	bool set_uid, set_gid;
	uid_t uid;
	gid_t gid;
	mode_t umask;
};

/**
 * kfd_create - a daemon that is not mounted yet
 * @params: read during the call only
 * @ret_kfd: set on success only; to be given to kfd_destroy()
 *
 * Return: 0; -EINVAL libfuse refuses the options; -ENOMEM; -EAGAIN no thread
 * for callback_timeout.
 */
int kfd_create(const struct kfd_params *params, struct kfd **ret_kfd);

/**
 * kfd_create_figures - the directory fs/kernfuse of the served tree
 * @kfd: daemon
 *
 * What a captured tree had in that place is replaced.
 *
 * Return: 0; -ENOTDIR the tree's "fs" is no directory; -ENOMEM.
 */
int kfd_create_figures(struct kfd *kfd);

/**
 * kfd_mount - mount
 * @kfd: daemon
 * @mountpoint: absolute path, or "/dev/fd/N" for a /dev/fuse that is mounted
 *	already
 * @why, @size: receive the reason of a failure, one line
 *
 * From here on clients wait until kfd_serve() answers them.
 *
 * Return: 0; -1, and @why is filled in.
 */
int kfd_mount(struct kfd *kfd, const char *mountpoint, char *why, size_t size);

/**
 * kfd_serve - answer until unmounted or told to stop
 * @kfd: mounted daemon
 *
 * Return: 0; -errno the connection to the kernel broke.
 */
int kfd_serve(struct kfd *kfd);

/* Lazy, so that it succeeds while clients hold files open. */
void kfd_unmount(struct kfd *kfd);

/* Closes what clients left open. NULL is ignored. */
void kfd_destroy(struct kfd *kfd);

#endif /* FS_FUSE_SESSION_H */
