// SPDX-License-Identifier: LGPL-2.1-or-later
/* open with every flag, openat2, and what a descriptor is good for. */
#include "test/parity/parity.h"

#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>

static void modes(void)
{
	TRY(open(s.ro, O_RDONLY));
	TRY(open(s.ro, O_WRONLY));
	TRY(open(s.ro, O_RDWR));
	TRY(open(s.ro, O_ACCMODE));
	TRY(open(s.rw, O_RDONLY));
	TRY(open(s.rw, O_WRONLY));
	TRY(open(s.rw, O_RDWR));
	TRY(open(s.rw, O_ACCMODE));
	TRY(open(s.wo, O_RDONLY));
	TRY(open(s.wo, O_WRONLY));
	TRY(open(s.wo, O_RDWR));
	TRY(open(s.bin, O_RDONLY));
	TRY(open(s.bin, O_WRONLY));
	TRY(open(s.failing, O_RDONLY));
	TRY(open(s.dir, O_RDONLY));
	TRY(open(s.dir, O_WRONLY));
	TRY(open(s.dir, O_RDWR));
	TRY(open("missing", O_RDONLY));
	TRY(open("missing/more", O_RDONLY));
	TRY(open("", O_RDONLY));
}

static void flags(void)
{
	TRY(open(s.ro, O_RDONLY | O_TRUNC));
	TRY(open(s.rw, O_RDONLY | O_TRUNC));
	TRY(open(s.rw, O_WRONLY | O_TRUNC));
	TRY(open(s.rw, O_WRONLY | O_APPEND));
	TRY(open(s.ro, O_RDONLY | O_DIRECT));
	TRY(open(s.ro, O_WRONLY | O_DIRECT));
	TRY(open(s.rw, O_RDWR | O_DIRECT));
	TRY(open(s.ro, O_RDONLY | O_DIRECTORY));
	TRY(open(s.dir, O_RDONLY | O_DIRECTORY));
	TRY(open(s.dir, O_RDONLY | O_DIRECT));
	TRY(open(s.dir, O_RDONLY | O_TRUNC));
	TRY(open(s.ro, O_RDONLY | O_NOATIME));
	TRY(open(s.ro, O_RDONLY | O_NONBLOCK));
	TRY(open(s.ro, O_RDONLY | O_SYNC));
	TRY(open(s.ro, O_RDONLY | O_ASYNC));
	TRY(open(s.ro, O_RDONLY | O_NOFOLLOW));
	TRY(open(s.link, O_RDONLY));
	TRY(open(s.link, O_RDONLY | O_NOFOLLOW));
	TRY(open(s.link, O_RDONLY | O_NOFOLLOW | O_DIRECTORY));
	TRY(open(s.link, O_PATH | O_NOFOLLOW));
	TRY(open(s.link, O_WRONLY));
	TRY(open(s.dir, O_RDWR | O_TMPFILE, 0600));
	TRY(open(s.ro, O_RDWR | O_TMPFILE, 0600));
}

static void create(void)
{
	TRY(open("missing", O_RDONLY | O_CREAT, 0644));
	TRY(open("missing", O_WRONLY | O_CREAT, 0644));
	TRY(open("missing", O_RDWR | O_CREAT | O_EXCL, 0644));
	TRY(open("missing", O_RDWR | O_CREAT | O_DIRECTORY, 0644));
	TRY(open("missing/more", O_RDWR | O_CREAT, 0644));
	TRY(creat("missing", 0644));
	TRY(open(s.ro, O_RDONLY | O_CREAT, 0644));
	TRY(open(s.ro, O_WRONLY | O_CREAT, 0644));
	TRY(open(s.ro, O_RDONLY | O_CREAT | O_EXCL, 0644));
	TRY(open(s.rw, O_RDWR | O_CREAT, 0644));
	TRY(creat(s.rw, 0644));
	TRY(open(s.dir, O_RDONLY | O_CREAT, 0644));
	TRY(open(s.dir, O_RDWR | O_CREAT | O_EXCL, 0644));
	TRY(open(s.link, O_RDONLY | O_CREAT, 0644));
	TRY(open(s.link, O_RDWR | O_CREAT | O_EXCL, 0644));
}

/* O_PATH: a name that was resolved, and nothing more */
static void path_only(void)
{
	int fd = FD(open(s.ro, O_PATH)), dir = FD(open(s.dir, O_PATH));
	char self[64];
	struct stat st;

	CALL(fstat(fd, &st));
	CALL(read(fd, buf, 10));
	CALL(write(fd, "x", 1));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(fchmod(fd, 0444));
	CALL(ftruncate(fd, 0));
	CALL(fsync(fd));
	TRY(openat(fd, "", O_RDONLY));
	TRY(openat(fd, "name", O_RDONLY));
	TRY(openat(dir, "missing", O_RDONLY));
	TRY(openat(dir, "..", O_RDONLY | O_DIRECTORY));
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	TRY(open(self, O_RDONLY));
	TRY(open(self, O_WRONLY));
	close(fd);
	close(dir);
}

static long open2(const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = { .flags = flags, .resolve = resolve };

	return syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

#define OPEN2(...)                                                             \
	(errno = 0,                                                            \
	 close(say_fd("openat2(" #__VA_ARGS__ ")", (int)open2(__VA_ARGS__))))

static void resolve(void)
{
	OPEN2(s.ro, O_RDONLY, RESOLVE_NO_XDEV);
	OPEN2("..", O_RDONLY, RESOLVE_NO_XDEV);
	OPEN2("..", O_RDONLY, RESOLVE_BENEATH);
	OPEN2("..", O_RDONLY, RESOLVE_IN_ROOT);
	OPEN2(s.ro, O_RDONLY, RESOLVE_NO_SYMLINKS);
	OPEN2(s.link, O_RDONLY, RESOLVE_NO_SYMLINKS);
	OPEN2(s.link, O_RDONLY, RESOLVE_BENEATH);
	OPEN2(s.link, O_RDONLY, RESOLVE_IN_ROOT);
	OPEN2(s.link, O_RDONLY, RESOLVE_NO_MAGICLINKS);
	OPEN2(s.ro, O_RDONLY, RESOLVE_CACHED);
	OPEN2(s.ro, O_RDONLY | O_CREAT, RESOLVE_CACHED);
	OPEN2(s.ro, O_RDONLY | O_TRUNC, RESOLVE_CACHED);
	OPEN2(s.ro, O_RDONLY, 1u << 30);
	OPEN2(s.ro, O_RDONLY | O_PATH | O_APPEND, 0);
	OPEN2("/", O_RDONLY, RESOLVE_BENEATH);
}

static void not_a_directory(void)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/", s.ro);
	TRY(open(path, O_RDONLY));
	snprintf(path, sizeof(path), "%s/name", s.ro);
	TRY(open(path, O_RDONLY));
	TRY(open(path, O_RDWR | O_CREAT, 0644));
	snprintf(path, sizeof(path), "%s/..", s.ro);
	TRY(open(path, O_RDONLY));
	snprintf(path, sizeof(path), "%s/../.", s.dir);
	TRY(open(path, O_RDONLY));
}

static void flags_kept(void)
{
	int fd = FD(open(s.rw, O_RDWR | O_APPEND | O_NONBLOCK));

	CALL(fcntl(fd, F_GETFL) & ~(O_LARGEFILE | 0100000));
	CALL(fcntl(fd, F_SETFL, O_RDWR));
	CALL(fcntl(fd, F_GETFL) & ~(O_LARGEFILE | 0100000));
	CALL(fcntl(fd, F_SETFL, O_RDWR | O_DIRECT));
	CALL(fcntl(fd, F_SETFL, O_RDWR | O_ASYNC));
	close(fd);
}

void group_open(void)
{
	in_group("open");
	modes();
	flags();
	create();
	path_only();
	resolve();
	not_a_directory();
	flags_kept();
}
