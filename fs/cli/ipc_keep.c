// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Who removes a region when nobody has it any more: its name, if it has one,
 * and its memory, which else the exit of its last process would have to free.
 *
 * All who have it hold a shared flock() on it, which the kernel drops with the
 * last of them, however that one ended. So a process of its own, in the
 * background and out of reach of the terminal, waits for the exclusive lock.
 * That it is there is seen by another lock, of the kind that belongs to an
 * open file; if it was killed, the next one who joins starts a new one.
 */
#include "fs/cli/ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct flock whole(short type)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET };
}

static bool is_kept(int fd)
{
	struct flock lock = whole(F_WRLCK);

	/* one that cannot be looked for is not there */
	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* The name may lead to another region by now. */
static void remove_name(int dirfd, const char *name, int fd)
{
	struct stat by_name, st;

	if (fstatat(dirfd, name, &by_name, AT_SYMLINK_NOFOLLOW) == 0 &&
	    fstat(fd, &st) == 0 && by_name.st_dev == st.st_dev &&
	    by_name.st_ino == st.st_ino)
		unlinkat(dirfd, name, 0);
}

/* Lets go of everything but the directory and the region. */
static void detach(int *dirfd, int *fd)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	if (*dirfd >= 0)
		*dirfd = fcntl(*dirfd, F_DUPFD, 3);
	*fd = fcntl(*fd, F_DUPFD, 3);
	for (int i = 3; i < 1024; i++)
		if (i != *dirfd && i != *fd)
			close(i);
	if (chdir("/"))
		return;
	prctl(PR_SET_NAME, "kernfuse-ipc");
}

static _Noreturn void keep(int dirfd, const char *name, int fd,
			   struct ipc_namespace *ns)
{
	struct flock lock = whole(F_WRLCK);

	/* its mapping, too, is one of those that we wait for */
	ipc_ns_close(ns);
	detach(&dirfd, &fd);
	if (fcntl(fd, F_OFD_SETLK, &lock))
		_exit(0); /* there is one */
	while (flock(fd, LOCK_EX)) {
		if (errno != EINTR)
			_exit(1);
	}
	if (name)
		remove_name(dirfd, name, fd);
	_exit(0); /* what has no name is freed by this */
}

/* In between: so that the keeper is nobody's child whom the command waits for */
static _Noreturn void start(int dirfd, const char *name, int fd,
			    struct ipc_namespace *ns)
{
	pid_t pid;

	setsid();
	pid = fork();
	if (pid == 0)
		keep(dirfd, name, fd, ns);
	_exit(pid < 0);
}

/* A descriptor with locks of its own, which a duplicate would not have. */
static int open_again(int dirfd, const char *name, struct ipc_namespace *ns)
{
	char path[64];

	if (name)
		return openat(dirfd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ipc_ns_fd(ns));
	return open(path, O_RDWR | O_CLOEXEC);
}

int kf_ipc_keep(int dirfd, const char *name, struct ipc_namespace *ns)
{
	int fd = open_again(dirfd, name, ns);
	int status, err = 0;
	pid_t pid;

	if (fd < 0)
		return -errno;
	if (is_kept(fd))
		goto out;
	pid = fork();
	if (pid == 0)
		start(dirfd, name, fd, ns);
	if (pid < 0)
		err = -errno;
	else if (waitpid(pid, &status, 0) != pid || status)
		err = -EAGAIN;
out:
	close(fd);
	return err;
}
