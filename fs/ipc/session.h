/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a namespace is handed to the programs that are to run in it: by an open
 * descriptor of the region, and by a variable that says which one that is.
 *
 *	KERNFUSE_IPC_NS=FD:DEV:INO:PATH
 *
 * The descriptor is inherited over fork() and exec(), and its shared flock()
 * with it, so the region is held as long as anybody has it. DEV and INO, in
 * hexadecimal, are the file's: a descriptor that is another file was closed
 * and used anew. Then PATH is opened, which leads through /proc/PID/fd if the
 * region has no name.
 */
#ifndef FS_IPC_SESSION_H
#define FS_IPC_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "fs/ipc/msg.h"

#define IPC_SESSION_VARIABLE "KERNFUSE_IPC_NS"
/* Bytes of "KERNFUSE_IPC_NS=FD:DEV:INO:PATH" at most, its NUL included. */
#define IPC_SESSION_MAX (PATH_MAX + 96)

struct ipc_session {
	int fd;
	dev_t dev;
	ino_t ino;
	char path[PATH_MAX];
};

/*
 * ipc_session_begin - describe a namespace that this process has
 * @ns: mapped anew: its descriptor moves to a number that programs seldom
 *	look at, and survives exec() from then on
 * @path: leads to its region from anywhere; NULL: it has no name
 *
 * Return: 0; -ENAMETOOLONG, -EMFILE and others. On failure @ns is as it was.
 */
int ipc_session_begin(struct ipc_session *session, struct ipc_namespace **ns,
		      const char *path);

/* "KERNFUSE_IPC_NS=FD:DEV:INO:PATH" to @buf, of IPC_SESSION_MAX bytes. */
void ipc_session_print(const struct ipc_session *session, char *buf);

/* The reverse, of what stands behind the '='. Return: 0; -EINVAL. */
int ipc_session_parse(struct ipc_session *session, const char *value);

/* Whether @fd is the region of @session. */
bool ipc_session_is(const struct ipc_session *session, int fd);

/*
 * A descriptor of the region: the one that was handed on, or else a new one,
 * by path. @session remembers it. Return: fd; -errno.
 */
int ipc_session_fd(struct ipc_session *session);

/* --- where regions are --- */

/*
 * ipc_session_create_private - a namespace without a name
 *
 * Its region is a file without a name in $KERNFUSE_IPC_DIR, /dev/shm,
 * $XDG_RUNTIME_DIR or /tmp, the first that will do. The exit of the last who
 * has it frees it, and waits for that.
 *
 * Return: 0; -errno of the first of these.
 */
int ipc_session_create_private(const struct ipc_params *params,
			       struct ipc_namespace **ret);

/*
 * ipc_session_dir - the directory of this user's regions that have names
 * @ret_path: of PATH_MAX bytes
 * @create: make it if it is not there
 *
 * $KERNFUSE_IPC_DIR, or kernfuse-ipc-UID in /dev/shm, $XDG_RUNTIME_DIR or
 * /tmp. One of the latter must be the user's and nobody else may write in it.
 *
 * Return: fd; -EPERM it is somebody else's, -ENOENT, and others.
 */
int ipc_session_dir(char *ret_path, bool create);

/* --- keep.c: not in the preload library --- */

/*
 * ipc_session_keep - have a region removed when nobody has it any more
 *
 * Makes sure that a process in the background, nobody's child, waits for the
 * last one that has the region @name, removes it then and frees it. @ns is this
 * process' own. Context: one thread.
 *
 * Return: 0; -errno: if there was none, there is none.
 */
int ipc_session_keep(int dirfd, const char *name, struct ipc_namespace *ns);

/*
 * ipc_session_keep_private - the same, of one that has no name
 *
 * Without, or if the process is killed, the last one who has the region frees
 * it as it exits, which takes the longer the more there is in it.
 *
 * Return: 0; -ECHILD: it would be a child of this process, which is init of its
 * PID namespace or a subreaper; other -errno.
 */
int ipc_session_keep_private(struct ipc_namespace *ns);

#endif /* FS_IPC_SESSION_H */
