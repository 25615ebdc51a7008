/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mounts: a tree that the kernel shows at a directory, served by this process.
 *
 *	mount = kernfuse_mount(root, "/tmp/tree", NULL);
 *	if (IS_ERR(mount))
 *		return (int)PTR_ERR(mount);
 *	...
 *	kernfuse_unmount(mount);
 *
 * Nothing of the process is taken over: no signal handler, no fork, no change
 * of directory or of stderr. There may be several mounts, also of one root.
 * Threads of the library block all signals, so that handlers run in the
 * program's own.
 *
 * Callbacks of the tree run in the threads that serve, several at a time. A
 * callback that does not return holds up the thread it runs in, whoever removes
 * its node, and kernfuse_unmount(). One that waits for long sets
 * kernfs_ops.may_block, so as to hold up its own client only, and asks
 * kernfs_current_interrupted(), which kernfuse_mount_stop() makes true. For
 * callbacks that cannot be trusted to return there is callback_timeout_ms.
 *
 * A thread that serves a mount, in a callback too, must neither use that mount
 * through the file system nor unmount it.
 */
#ifndef KERNFUSE_MOUNT_H
#define KERNFUSE_MOUNT_H

#include <kernfuse/err.h>
#include <kernfuse/log.h>
#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

struct kernfuse_mount;

/* Threads of the library's own that serve a mount at most, by default. */
#define KERNFUSE_MAX_THREADS 10

/* All zero is the default. Read during kernfuse_mount() only. */
struct kernfuse_mount_params {
	/* which children of tagged directories are shown; NULL: none. The
	 * caller keeps it until kernfuse_unmount() */
	const struct ns_common *ns;
	/* words for mount(8) and libfuse, as after -o: "allow_other,ro"; NULL:
	 * none. default_permissions, nosuid, nodev, noexec, fsname=kernfuse
	 * and subtype=kernfuse come before them. max_read is refused */
	const char *options;
	/* no thread of the library's own: requests wait until the program
	 * calls kernfuse_mount_run() */
	bool caller_threads;
	/* threads of the library's own at most; the first starts at once, the
	 * others when all are busy. 0: KERNFUSE_MAX_THREADS */
	unsigned int max_threads;
	/* poll(2) finds every file readable and writable at once, and waits
	 * for no news. For trees without any: a process that polls is then
	 * never held up by this one */
	bool no_poll;
	/*
	 * How long the callbacks of one open, read, write or lseek may take,
	 * in milliseconds; 0: for ever. Each then runs in a thread of its own,
	 * whatever may_block says. When its time is over the client gets
	 * ETIMEDOUT, and the callback goes on with nobody to answer: what it
	 * returns is dropped, kernfs_current_interrupted() is true, and the
	 * open file is released when it returns, also if the client has closed
	 * it long ago. It keeps its active reference, so whoever removes its
	 * node still waits for it; kernfuse_unmount() does not. Hooks and poll
	 * callbacks have no such limit. A callback that said by may_block that
	 * it asks whether it is interrupted is told so first, and has a second
	 * to return: what it returns then is the answer, with ETIMEDOUT in
	 * place of EINTR
	 */
	unsigned int callback_timeout_ms;
	/* called once, in a thread that serves, when the kernel has been
	 * answered for the first time: from now on requests are; NULL: nobody
	 * wants to know. May call kernfuse_mount_stop() and nothing else of
	 * this header */
	void (*ready)(void *ctx);
	void *ctx; /* for ready */
};

/**
 * kernfuse_mount - mount a tree and serve it
 * @root: tree; it may be changed at any time. Even if it is destroyed first
 *	the mount stays until kernfuse_unmount(), empty
 * @mountpoint: directory to mount on; or "/dev/fd/N" for a /dev/fuse that is
 *	mounted already, which becomes the library's
 * @params: NULL: all defaults
 *
 * When it returns, the mount is there: whoever looks waits until a thread
 * serves.
 *
 * Needs the right to mount, or fusermount3 (which writes the reason of a
 * failure of its own to stderr).
 *
 * Context: may sleep; with no lock held.
 * Return: the mount, to be given to kernfuse_unmount(); ERR_PTR(-EINVAL)
 * libfuse refuses the options; what stat(2) gives for @mountpoint and open(2)
 * for /dev/fuse; -ENOTDIR; -EIO it cannot be mounted; -EAGAIN no thread can be
 * started; -EMFILE, -ENFILE; -ENOMEM. The reason goes to kernfuse_set_log().
 */
KERNFUSE_PUBLIC struct kernfuse_mount *
kernfuse_mount(struct kernfs_root *root, const char *mountpoint,
	       const struct kernfuse_mount_params *params);

/**
 * kernfuse_mount_run - serve in the calling thread, until the mount ends
 * @mount: mount
 *
 * Any number of threads may call it, also for a mount with threads of the
 * library's own. It is also how to wait for the end. A signal whose handler
 * runs in a thread that is in here does not end it: the handler may call
 * kernfuse_mount_stop(). The thread's stack must have 256 KiB and what the
 * tree's callbacks need.
 *
 * Context: with no lock held.
 * Return: 0 the mount was unmounted, by whomever, or kernfuse_mount_stop()
 * was called; -errno the connection to the kernel broke, or -EMFILE, -ENFILE,
 * -ENOMEM the calling thread cannot serve.
 */
KERNFUSE_PUBLIC int kernfuse_mount_run(struct kernfuse_mount *mount);

/**
 * kernfuse_mount_stop - let every thread that serves return
 * @mount: mount
 *
 * Does not wait. Requests from here on are not answered, until
 * kernfuse_unmount() makes them fail.
 *
 * Context: any; async-signal-safe.
 */
KERNFUSE_PUBLIC void kernfuse_mount_stop(struct kernfuse_mount *mount);

/**
 * kernfuse_unmount - stop, unmount and free
 * @mount: mount, also one that has ended by itself; NULL is ignored
 *
 * Waits until no thread is in kernfuse_mount_run() and no callback runs for
 * this mount; one that has had its callback_timeout_ms is left behind, and what
 * it uses must stay until it returns. Then it unmounts, also if clients have
 * files open or are in the mount: what they try there fails.
 *
 * Context: may sleep; with no lock held; not in a thread that serves @mount.
 */
KERNFUSE_PUBLIC void kernfuse_unmount(struct kernfuse_mount *mount);

KERNFUSE_END_DECLS

#endif /* KERNFUSE_MOUNT_H */
