// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Who removes a region, and frees its memory, when nobody has it any more.
 *
 * All who have it hold a shared flock() on it, which the kernel drops with the
 * last of them, however that one ended. So a process of its own, in the
 * background and out of reach of the terminal, waits for the exclusive lock.
 * As it has the file open, too, the memory is freed by its exit and not by the
 * last user's, who is waited for.
 *
 * That a name has one is seen by another lock, of the kind that belongs to an
 * open file; if it was killed, the next one who joins starts a new one.
 */
#include "fs/ipc/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The descriptors that a keeper keeps; 0 to 2 are of /dev/null. */
enum { REGION_FD = 3, DIR_FD, NR_FDS };

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
static void remove_name(const char *name)
{
	struct stat by_name, st;

	if (fstatat(DIR_FD, name, &by_name, AT_SYMLINK_NOFOLLOW) == 0 &&
	    fstat(REGION_FD, &st) == 0 && by_name.st_dev == st.st_dev &&
	    by_name.st_ino == st.st_ino)
		unlinkat(DIR_FD, name, 0);
}

static void close_from(int first)
{
	long max = sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, ~0u, 0) == 0)
		return;
#endif
	for (int i = first; i < max; i++)
		close(i);
}

/* Lets go of everything but the directory and the region. */
static int detach(int dirfd, int fd)
{
	int null = open("/dev/null", O_RDWR);

	/* out of the way: whoever started us may have had 0 to 2 closed */
	null = fcntl(null, F_DUPFD, NR_FDS);
	dirfd = fcntl(dirfd, F_DUPFD, NR_FDS);
	fd = fcntl(fd, F_DUPFD, NR_FDS);
	if (dup2(fd, REGION_FD) < 0)
		return -errno;
	if (dup2(dirfd, DIR_FD) < 0)
		close(DIR_FD); /* the region has no name */
	for (int i = 0; i < REGION_FD; i++) {
		if (dup2(null, i) < 0)
			close(i);
	}
	close_from(NR_FDS);
	prctl(PR_SET_NAME, "kernfuse-ipc");
	return chdir("/") ? -errno : 0;
}

static _Noreturn void keep(int dirfd, const char *name, int fd,
			   struct ipc_namespace *ns)
{
	struct flock lock = whole(F_WRLCK);

	/* its mapping, too, is one of those that we wait for */
	ipc_ns_close(ns);
	if (detach(dirfd, fd))
		_exit(1);
	if (name && fcntl(REGION_FD, F_OFD_SETLK, &lock))
		_exit(0); /* there is one */
	while (flock(REGION_FD, LOCK_EX)) {
		if (errno != EINTR)
			_exit(1);
	}
	if (name)
		remove_name(name);
	_exit(0);
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

static int start_keeper(int dirfd, const char *name, int fd,
			struct ipc_namespace *ns)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		start(dirfd, name, fd, ns);
	/* nobody to wait for where SIGCHLD is ignored */
	if (waitpid(pid, &status, 0) == pid && status)
		return -EAGAIN;
	return 0;
}

int ipc_session_keep(int dirfd, const char *name, struct ipc_namespace *ns)
{
	int fd = openat(dirfd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (!is_kept(fd))
		err = start_keeper(dirfd, name, fd, ns);
	close(fd);
	return err;
}

/* Orphans are given to this process, so that the command would see one. */
static bool gets_orphans(void)
{
	int subreaper = 0;

	return getpid() == 1 ||
	       (prctl(PR_GET_CHILD_SUBREAPER, &subreaper) == 0 && subreaper);
}

int ipc_session_keep_private(struct ipc_namespace *ns)
{
	char path[32];
	int fd, err;

	if (gets_orphans())
		return -ECHILD;
	/* a lock of its own; that of a duplicate would be ours */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ipc_ns_fd(ns));
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = start_keeper(-1, NULL, fd, ns);
	close(fd);
	return err;
}
