// SPDX-License-Identifier: LGPL-2.1-or-later
/* What can be done with descriptors of what has been removed since. */
#include "test/parity/parity.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

struct fds {
	int fresh, read, half, rw, dir, listed, path, epoll;
};

static long polled(int fd, int events)
{
	struct pollfd pfd = { .fd = fd, .events = (short)events };
	int ret = poll(&pfd, 1, 0);

	return ret < 0 ? ret : pfd.revents;
}

static void open_all(struct fds *f)
{
	struct epoll_event event = { .events = EPOLLPRI };

	f->fresh = FD(open(s.sro, O_RDONLY));
	f->read = FD(open(s.sro, O_RDONLY));
	f->half = FD(open(s.sro, O_RDONLY));
	f->rw = FD(open(s.srw, O_RDWR));
	f->dir = FD(open(s.scratch, O_RDONLY));
	f->listed = FD(open(s.scratch, O_RDONLY));
	f->path = FD(open(s.srw, O_PATH));
	f->epoll = epoll_create1(0);
	CALL(read(f->read, buf, 4096) > 0);
	CALL(read(f->half, buf, 1));
	CALL(read(f->rw, buf, 4096) > 0);
	CALL(syscall(SYS_getdents64, f->listed, buf, 48) > 0);
	CALL(epoll_ctl(f->epoll, EPOLL_CTL_ADD, f->read, &event));
	CALL(epoll_wait(f->epoll, &event, 1, 0));
}

static void on_files(const struct fds *f)
{
	struct epoll_event event = { 0 };

	CALL(polled(f->fresh, POLLIN | POLLOUT | POLLPRI));
	CALL(polled(f->read, POLLIN | POLLOUT | POLLPRI));
	CALL(polled(f->rw, POLLPRI));
	CALL(epoll_wait(f->epoll, &event, 1, 1000));
	CALL(event.events);
	CALL(read(f->fresh, buf, 100));
	CALL(read(f->fresh, buf, 0));
	CALL(read(f->read, buf, 100));
	/* what was shown before may be left */
	CALL(read(f->half, buf, 1) >= 0);
	CALL(pread(f->half, buf, 100, 0));
	CALL(pread(f->read, buf, 100, 0));
	CALL(write(f->rw, "1", 1));
	CALL(write(f->rw, "1", 0));
	CALL(pwrite(f->rw, "1", 1, 0));
	CALL(lseek(f->read, 0, SEEK_SET));
	CALL(lseek(f->read, 0, SEEK_CUR));
	CALL(lseek(f->read, 0, SEEK_END));
	CALL(lseek(f->read, 0, SEEK_DATA));
}

static void on_attributes(const struct fds *f)
{
	struct timespec set[2] = { { 1, 1 }, { 2, 2 } };
	struct stat st = { 0 };

	CALL(fstat(f->fresh, &st));
	CALL(st.st_nlink);
	CALL(st.st_mode);
	CALL(fchmod(f->rw, 0600));
	CALL(fstat(f->rw, &st));
	CALL(st.st_mode);
	CALL(fchown(f->rw, 1, 1));
	CALL(futimens(f->rw, set));
	CALL(ftruncate(f->rw, 0));
	CALL(fsync(f->rw));
	CALL(fsetxattr(f->rw, "trusted.a", "v", 1, 0));
	DATA(fgetxattr(f->rw, "trusted.a", buf, 10));
	DATA(flistxattr(f->rw, buf, 100));
	CALL(mmap(NULL, 4096, PROT_READ, MAP_SHARED, f->rw, 0) == MAP_FAILED);
}

static void on_directory(const struct fds *f)
{
	struct stat st = { 0 };
	char self[64];

	CALL(fstat(f->dir, &st));
	HOLDS(S_ISDIR(st.st_mode));
	CALL(st.st_nlink);
	CALL(syscall(SYS_getdents64, f->dir, buf, 4096));
	CALL(syscall(SYS_getdents64, f->listed, buf, 4096));
	CALL(lseek(f->listed, 0, SEEK_SET));
	CALL(syscall(SYS_getdents64, f->listed, buf, 4096));
	TRY(openat(f->dir, "name", O_RDONLY));
	TRY(openat(f->dir, ".", O_RDONLY));
	TRY(openat(f->dir, "name", O_RDWR | O_CREAT, 0644));
	CALL(mkdirat(f->dir, "name", 0755));
	CALL(symlinkat("text", f->dir, "name"));
	CALL(mknodat(f->dir, "name", S_IFREG | 0644, 0));
	CALL(unlinkat(f->dir, "name", 0));
	CALL(unlinkat(f->dir, "name", AT_REMOVEDIR));
	CALL(fchmod(f->dir, 0700));
	CALL(fchdir(f->dir));
	CALL(access("..", F_OK));
	DATA(readlink("/proc/self/cwd", buf, 1));
	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->path);
	TRY(open(self, O_RDONLY));
	CALL(fstat(f->path, &st));
	CALL(fstatat(f->path, "", &st, AT_EMPTY_PATH));
	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->rw);
	TRY(open(self, O_RDONLY));
	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->dir);
	TRY(open(self, O_RDONLY));
}

void group_removed(void)
{
	int back = open(".", O_RDONLY);
	struct fds f;
	struct stat st;

	in_group("removed");
	if (s.hooks)
		CALL(rmdir(s.subdir));
	open_all(&f);
	/* by the name s.scratch stands for */
	CALL(s.remove ? system(s.remove) : rmdir(s.scratch));
	CALL(stat(s.scratch, &st));
	CALL(stat(s.sro, &st));
	TRY(open(s.sro, O_RDONLY));
	on_files(&f);
	on_attributes(&f);
	on_directory(&f);
	CALL(fchdir(back));
	CALL(close(f.fresh) | close(f.read) | close(f.half) | close(f.rw));
	CALL(close(f.dir) | close(f.listed) | close(f.path) | close(f.epoll));
	close(back);
}
