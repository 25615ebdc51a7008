// SPDX-License-Identifier: LGPL-2.1-or-later
/* Handing a namespace from program to program. */
#include "fs/ipc/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Above what shells use and below where a descriptor table must grow. */
#define FD_MIN 100

/* --- the session --- */

/* A limit of few descriptors leaves no choice. */
static int duplicate(int fd)
{
	int ret = fcntl(fd, F_DUPFD_CLOEXEC, FD_MIN);

	if (ret < 0)
		ret = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return ret < 0 ? -errno : ret;
}

static int describe(struct ipc_session *session, int fd, const char *path)
{
	struct stat st;
	int len;

	if (fstat(fd, &st))
		return -errno;
	session->fd = fd;
	session->dev = st.st_dev;
	session->ino = st.st_ino;
	if (path)
		len = snprintf(session->path, sizeof(session->path), "%s",
			       path);
	else
		len = snprintf(session->path, sizeof(session->path),
			       "/proc/%d/fd/%d", (int)getpid(), fd);
	return (size_t)len < sizeof(session->path) ? 0 : -ENAMETOOLONG;
}

int ipc_session_begin(struct ipc_session *session, struct ipc_namespace **ns,
		      const char *path)
{
	struct ipc_namespace *moved;
	int fd = duplicate(ipc_ns_fd(*ns)), err;

	if (fd < 0)
		return fd;
	err = describe(session, fd, path);
	if (err) {
		close(fd);
		return err;
	}
	/* shares the lock of the one it is a duplicate of */
	err = ipc_ns_open_fd(fd, &moved);
	if (err)
		return err;
	err = ipc_ns_set_inherit(moved, true);
	if (err) {
		ipc_ns_close(moved);
		return err;
	}
	ipc_ns_close(*ns);
	*ns = moved;
	return 0;
}

void ipc_session_print(const struct ipc_session *session, char *buf)
{
	snprintf(buf, IPC_SESSION_MAX,
		 IPC_SESSION_VARIABLE "=%d:%" PRIxMAX ":%" PRIxMAX ":%s",
		 session->fd, (uintmax_t)session->dev, (uintmax_t)session->ino,
		 session->path);
}

int ipc_session_parse(struct ipc_session *session, const char *value)
{
	uintmax_t dev, ino;
	int fd, used = -1;

	if (sscanf(value, "%d:%" SCNxMAX ":%" SCNxMAX ":%n", &fd, &dev, &ino,
		   &used) != 3 ||
	    used < 0 || fd < 0)
		return -EINVAL;
	if (strlen(value + used) >= sizeof(session->path))
		return -EINVAL;
	session->fd = fd;
	session->dev = (dev_t)dev;
	session->ino = (ino_t)ino;
	strcpy(session->path, value + used);
	return 0;
}

bool ipc_session_is(const struct ipc_session *session, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == session->dev &&
	       st.st_ino == session->ino;
}

int ipc_session_fd(struct ipc_session *session)
{
	int fd, high;

	if (ipc_session_is(session, session->fd))
		return session->fd;
	fd = open(session->path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* a lock of its own; who has it exclusively is removing the region */
	if (!ipc_session_is(session, fd) || flock(fd, LOCK_SH | LOCK_NB)) {
		close(fd);
		return -ESTALE;
	}
	high = duplicate(fd);
	close(fd);
	if (high >= 0)
		session->fd = high;
	return high;
}

/* --- where regions are --- */

/* The nth directory to try; NULL: no more. */
static const char *nth_parent(unsigned int n)
{
	const char *dir = getenv("KERNFUSE_IPC_DIR");

	if (dir && *dir)
		return n ? NULL : dir;
	switch (n) {
	case 0:
		return "/dev/shm";
	case 1:
		dir = getenv("XDG_RUNTIME_DIR");
		return dir && *dir == '/' ? dir : "/tmp";
	case 2:
		return "/tmp";
	default:
		return NULL;
	}
}

int ipc_session_create_private(const struct ipc_params *params,
			       struct ipc_namespace **ret)
{
	int first = 0;
	const char *dir;

	for (unsigned int n = 0; (dir = nth_parent(n)); n++) {
		int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		int err = fd < 0 ? -errno : 0;

		if (!err) {
			err = ipc_ns_create_private(fd, params, ret);
			close(fd);
		}
		if (!err)
			return 0;
		if (!first)
			first = err;
	}
	return first;
}

/* Anybody can make a directory of that name in /tmp. */
static int check_owner(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	return st.st_uid == geteuid() && !(st.st_mode & 022) ? 0 : -EPERM;
}

static int open_dir(const char *path, bool create, bool ours)
{
	int fd, err = 0;

	if (create && mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
				(ours ? O_NOFOLLOW : 0));
	if (fd < 0)
		return -errno;
	if (ours)
		err = check_owner(fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int ipc_session_dir(char *ret_path, bool create)
{
	bool named = getenv("KERNFUSE_IPC_DIR") && *getenv("KERNFUSE_IPC_DIR");
	int fd = -ENOENT, first = 0;
	const char *dir;

	for (unsigned int n = 0; (dir = nth_parent(n)); n++) {
		int len;

		if (named)
			len = snprintf(ret_path, PATH_MAX, "%s", dir);
		else
			len = snprintf(ret_path, PATH_MAX,
				       "%s/kernfuse-ipc-%u", dir,
				       (unsigned int)geteuid());
		fd = len < PATH_MAX ? open_dir(ret_path, create, !named) :
				      -ENAMETOOLONG;
		if (fd >= 0)
			return fd;
		if (!first)
			first = fd;
	}
	return first;
}
