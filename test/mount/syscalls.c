// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * syscalls: make system calls and say what each returned.
 *
 * Reads lines from standard input: the name of a call and its arguments,
 * separated by blanks. Prints each line again, with what came of it:
 *
 *	mkdir dir/new: EPERM
 *	read dir/file 0 10: "0-1\n"
 *
 * A test compares that with what it expects. Shell commands would do more
 * calls than the one that is meant, and hide errno.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_ARGS 8

struct name {
	const char *name;
	long value;
};

static long named(const struct name *names, const char *name)
{
	for (; names->name; names++)
		if (strcmp(names->name, name) == 0)
			return names->value;
	return strtol(name, NULL, 0);
}

static int flags_from(const char *text)
{
	static const struct name names[] = {
		{ "rdonly", O_RDONLY },	    { "wronly", O_WRONLY },
		{ "rdwr", O_RDWR },	    { "creat", O_CREAT },
		{ "excl", O_EXCL },	    { "trunc", O_TRUNC },
		{ "append", O_APPEND },	    { "direct", O_DIRECT },
		{ "tmpfile", O_TMPFILE },   { "directory", O_DIRECTORY },
		{ "nofollow", O_NOFOLLOW }, { "path", O_PATH },
		{ "nonblock", O_NONBLOCK }, { NULL, 0 },
	};
	char copy[256], *word, *rest;
	int flags = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, ",", &rest); word;
	     word = strtok_r(NULL, ",", &rest))
		flags |= (int)named(names, word);
	return flags;
}

static void say_err(void)
{
	fputs(strerrorname_np(errno), stdout);
}

static void say(long ret)
{
	if (ret < 0)
		say_err();
	else
		fputs("OK", stdout);
}

static void say_number(long ret)
{
	if (ret < 0)
		say_err();
	else
		printf("%ld", ret);
}

static void say_text(const char *buf, ssize_t len)
{
	if (len < 0) {
		say_err();
		return;
	}
	putchar('"');
	for (ssize_t i = 0; i < len; i++)
		if (buf[i] == '\n')
			fputs("\\n", stdout);
		else if ((unsigned char)buf[i] < ' ' || buf[i] == '"' ||
			 (unsigned char)buf[i] > '~')
			printf("\\%03o", (unsigned char)buf[i]);
		else
			putchar(buf[i]);
	putchar('"');
}

/* --- the calls; a[0] is the name, missing arguments are "" --- */

static void do_open(char **a)
{
	int fd = open(a[2], flags_from(a[1]), 0644);

	say(fd);
	if (fd >= 0)
		close(fd);
}

/* open FLAGS PATH, then what @with_fd does */
static void with_open(char **a, void (*with_fd)(int fd, char **a))
{
	int fd = open(a[2], flags_from(a[1]));

	if (fd < 0) {
		fputs("open ", stdout);
		say_err();
		return;
	}
	with_fd(fd, a);
	close(fd);
}

static void fd_pread(int fd, char **a)
{
	size_t len = strtoul(a[4], NULL, 0);
	char *buf = malloc(len + 1);

	say_text(buf, pread(fd, buf, len, strtol(a[3], NULL, 0)));
	free(buf);
}

/* read FLAGS PATH LEN LEN...: one after another, a quoted text each */
static void fd_read(int fd, char **a)
{
	char buf[16384];

	for (int i = 3; i < MAX_ARGS && *a[i]; i++) {
		size_t len = strtoul(a[i], NULL, 0);

		if (len > sizeof(buf))
			len = sizeof(buf);
		if (i > 3)
			putchar(' ');
		say_text(buf, read(fd, buf, len));
	}
}

/* write FLAGS PATH TEXT; a number as TEXT: that many bytes 'x' */
static void fd_write(int fd, char **a)
{
	size_t len = strtoul(a[3], NULL, 10);
	char *buf = malloc(len + 1);

	if (a[3][0] >= '0' && a[3][0] <= '9') {
		memset(buf, 'x', len);
		say_number(write(fd, buf, len));
	} else {
		say_number(write(fd, a[3], strlen(a[3])));
	}
	free(buf);
}

static void fd_pwrite(int fd, char **a)
{
	say_number(pwrite(fd, a[4], strlen(a[4]), strtol(a[3], NULL, 0)));
}

static void fd_lseek(int fd, char **a)
{
	static const struct name names[] = {
		{ "set", SEEK_SET },   { "cur", SEEK_CUR },
		{ "end", SEEK_END },   { "data", SEEK_DATA },
		{ "hole", SEEK_HOLE }, { NULL, 0 },
	};

	say_number(lseek(fd, strtol(a[3], NULL, 0), (int)named(names, a[4])));
}

static void fd_ftruncate(int fd, char **a)
{
	say(ftruncate(fd, strtol(a[3], NULL, 0)));
}

static void fd_fallocate(int fd, char **a)
{
	(void)a;
	say(fallocate(fd, 0, 0, 100));
}

static void fd_fsync(int fd, char **a)
{
	(void)a;
	say(fsync(fd));
}

static void fd_fdatasync(int fd, char **a)
{
	(void)a;
	say(fdatasync(fd));
}

static void fd_syncfs(int fd, char **a)
{
	(void)a;
	say(syncfs(fd));
}

static void fd_flock(int fd, char **a)
{
	(void)a;
	say(flock(fd, LOCK_EX | LOCK_NB));
}

static void fd_fadvise(int fd, char **a)
{
	(void)a;
	errno = posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	say(errno ? -1 : 0);
}

static void fd_mmap(int fd, char **a)
{
	void *p = mmap(NULL, 4096, PROT_READ,
		       strcmp(a[3], "shared") ? MAP_PRIVATE : MAP_SHARED, fd,
		       0);

	say(p == MAP_FAILED ? -1 : 0);
	if (p != MAP_FAILED)
		munmap(p, 4096);
}

static void fd_ioctl(int fd, char **a)
{
	static const struct name names[] = {
		{ "figetbsz", FIGETBSZ },
		{ "fionread", FIONREAD },
		{ "getflags", FS_IOC_GETFLAGS },
		{ NULL, 0 },
	};
	int value = 0,
	    ret = ioctl(fd, (unsigned long)named(names, a[3]), &value);

	say_number(ret < 0 ? ret : value);
}

static void fd_poll(int fd, char **a)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN | POLLOUT };

	(void)a;
	say_number(poll(&pfd, 1, 0) < 0 ? -1 : pfd.revents);
}

static void fd_fstat_size(int fd, char **a)
{
	struct stat st;

	(void)a;
	say_number(fstat(fd, &st) ? -1 : st.st_size);
}

static void do_mknod(char **a)
{
	static const struct name names[] = {
		{ "reg", S_IFREG }, { "fifo", S_IFIFO },  { "chr", S_IFCHR },
		{ "blk", S_IFBLK }, { "sock", S_IFSOCK }, { NULL, 0 },
	};

	say(mknod(a[2], (mode_t)named(names, a[1]) | 0644, 0x103));
}

static void do_renameat2(char **a)
{
	static const struct name names[] = {
		{ "noreplace", RENAME_NOREPLACE },
		{ "exchange", RENAME_EXCHANGE },
		{ "whiteout", RENAME_WHITEOUT },
		{ NULL, 0 },
	};

	say(syscall(SYS_renameat2, AT_FDCWD, a[2], AT_FDCWD, a[3],
		    named(names, a[1])));
}

static void do_access(char **a)
{
	int mode = F_OK;

	for (const char *c = a[1]; *c; c++)
		mode |= *c == 'r' ? R_OK :
			*c == 'w' ? W_OK :
			*c == 'x' ? X_OK :
				    0;
	say(faccessat(AT_FDCWD, a[2], mode, AT_EACCESS));
}

static void do_stat(char **a)
{
	struct stat st;

	if (lstat(a[1], &st)) {
		say_err();
		return;
	}
	printf("mode %o nlink %lu owner %u:%u size %ld blocks %ld blksize %ld",
	       st.st_mode, (unsigned long)st.st_nlink, st.st_uid, st.st_gid,
	       (long)st.st_size, (long)st.st_blocks, (long)st.st_blksize);
}

static void do_statfs(char **a)
{
	struct statfs st;

	if (statfs(a[1], &st)) {
		say_err();
		return;
	}
	printf("bsize %ld frsize %ld blocks %lu files %lu namelen %ld",
	       (long)st.f_bsize, (long)st.f_frsize, (unsigned long)st.f_blocks,
	       (unsigned long)st.f_files, (long)st.f_namelen);
}

static void do_readlink(char **a)
{
	char buf[4096];

	say_text(buf, readlink(a[1], buf, sizeof(buf)));
}

static void do_execve(char **a)
{
	char *const argv[] = { a[1], NULL };

	say(execve(a[1], argv, NULL));
}

static void do_utimes(char **a)
{
	struct timespec now[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };
	struct timespec set[2] = { { 1000, 1 }, { 2000, 2 } };

	say(utimensat(AT_FDCWD, a[2], strcmp(a[1], "now") ? set : now, 0));
}

/* getxattr NAME PATH [SIZE]: the length */
static void do_getxattr(char **a)
{
	char buf[256];
	size_t size = *a[3] ? strtoul(a[3], NULL, 0) : sizeof(buf);

	say_number(lgetxattr(a[2], a[1], buf, size));
}

/* setxattr FLAGS NAME PATH VALUE; a number as VALUE: that many bytes 'x' */
static void do_setxattr(char **a)
{
	static const struct name names[] = {
		{ "any", 0 },
		{ "create", XATTR_CREATE },
		{ "replace", XATTR_REPLACE },
		{ NULL, 0 },
	};
	size_t len = strtoul(a[4], NULL, 10);
	int flags = (int)named(names, a[1]);
	char *buf = malloc(len + 1);

	if (a[4][0] >= '0' && a[4][0] <= '9') {
		memset(buf, 'x', len);
		say(lsetxattr(a[3], a[2], buf, len, flags));
	} else {
		say(lsetxattr(a[3], a[2], a[4], strlen(a[4]), flags));
	}
	free(buf);
}

static void do_removexattr(char **a)
{
	say(lremovexattr(a[2], a[1]));
}

/* listxattr PATH [SIZE] */
static void do_listxattr(char **a)
{
	char buf[65536];
	size_t size = *a[2] ? strtoul(a[2], NULL, 0) : sizeof(buf);
	ssize_t len = llistxattr(a[1], buf, size);

	if (size || len < 0)
		say_text(buf, len);
	else
		say_number(len);
}

#ifndef AT_HANDLE_FID
#define AT_HANDLE_FID 0x200
#endif

/* handle open|fid PATH: its type, a number */
static void do_handle(char **a)
{
	struct file_handle *h = malloc(sizeof(*h) + MAX_HANDLE_SZ);
	int id, ret;

	h->handle_bytes = MAX_HANDLE_SZ;
	ret = name_to_handle_at(AT_FDCWD, a[2], h, &id,
				strcmp(a[1], "fid") ? 0 : AT_HANDLE_FID);
	say_number(ret < 0 ? ret : h->handle_type);
	free(h);
}

static void do_copy(char **a)
{
	int in = open(a[1], O_RDONLY), fds[2];

	if (in < 0 || pipe(fds)) {
		say_err();
		return;
	}
	say(copy_file_range(in, NULL, fds[1], NULL, 10, 0));
	close(fds[0]);
	close(fds[1]);
	close(in);
}

static void do_splice(char **a)
{
	int in = open(a[1], O_RDONLY), fds[2];

	if (in < 0 || pipe(fds)) {
		say_err();
		return;
	}
	say(splice(in, NULL, fds[1], NULL, 10, 0));
	close(fds[0]);
	close(fds[1]);
	close(in);
}

#define FD_CALL(name)                                                          \
	static void do_##name(char **a)                                        \
	{                                                                      \
		with_open(a, fd_##name);                                       \
	}
FD_CALL(pread)
FD_CALL(read)
FD_CALL(write)
FD_CALL(pwrite)
FD_CALL(lseek)
FD_CALL(ftruncate)
FD_CALL(fallocate)
FD_CALL(fsync)
FD_CALL(fdatasync)
FD_CALL(syncfs)
FD_CALL(flock)
FD_CALL(fadvise)
FD_CALL(mmap)
FD_CALL(ioctl)
FD_CALL(poll)
FD_CALL(fstat_size)

static void do_mkdir(char **a)
{
	say(mkdir(a[1], 0755));
}

static void do_rmdir(char **a)
{
	say(rmdir(a[1]));
}

static void do_unlink(char **a)
{
	say(unlink(a[1]));
}

static void do_symlink(char **a)
{
	say(symlink(a[1], a[2]));
}

static void do_link(char **a)
{
	say(link(a[1], a[2]));
}

static void do_rename(char **a)
{
	say(rename(a[1], a[2]));
}

static void do_truncate(char **a)
{
	say(truncate(a[1], strtol(a[2], NULL, 0)));
}

static void do_chmod(char **a)
{
	say(chmod(a[2], (mode_t)strtoul(a[1], NULL, 8)));
}

static void do_chown(char **a)
{
	say(lchown(a[3], (uid_t)strtol(a[1], NULL, 0),
		   (gid_t)strtol(a[2], NULL, 0)));
}

static const struct call {
	const char *name;
	void (*fn)(char **a);
} calls[] = {
	{ "access", do_access },
	{ "chmod", do_chmod },
	{ "chown", do_chown },
	{ "copy", do_copy },
	{ "execve", do_execve },
	{ "fadvise", do_fadvise },
	{ "fallocate", do_fallocate },
	{ "fdatasync", do_fdatasync },
	{ "flock", do_flock },
	{ "fstat_size", do_fstat_size },
	{ "fsync", do_fsync },
	{ "ftruncate", do_ftruncate },
	{ "getxattr", do_getxattr },
	{ "ioctl", do_ioctl },
	{ "handle", do_handle },
	{ "listxattr", do_listxattr },
	{ "removexattr", do_removexattr },
	{ "setxattr", do_setxattr },
	{ "link", do_link },
	{ "lseek", do_lseek },
	{ "mkdir", do_mkdir },
	{ "mknod", do_mknod },
	{ "mmap", do_mmap },
	{ "open", do_open },
	{ "poll", do_poll },
	{ "pread", do_pread },
	{ "pwrite", do_pwrite },
	{ "read", do_read },
	{ "readlink", do_readlink },
	{ "rename", do_rename },
	{ "renameat2", do_renameat2 },
	{ "rmdir", do_rmdir },
	{ "splice", do_splice },
	{ "stat", do_stat },
	{ "statfs", do_statfs },
	{ "symlink", do_symlink },
	{ "syncfs", do_syncfs },
	{ "truncate", do_truncate },
	{ "unlink", do_unlink },
	{ "utimes", do_utimes },
	{ "write", do_write },
};

static int run(char *line)
{
	static char absent[] = "";
	char *a[MAX_ARGS], *rest = NULL;

	a[0] = strtok_r(line, " ", &rest);
	for (int i = 1; i < MAX_ARGS; i++) {
		a[i] = strtok_r(NULL, " ", &rest);
		if (!a[i])
			a[i] = absent;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(calls[i].name, a[0]) == 0) {
			calls[i].fn(a);
			putchar('\n');
			return 0;
		}
	fprintf(stderr, "syscalls: no call '%s'\n", a[0]);
	return 1;
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int status = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((len = getline(&line, &size, stdin)) > 0 && !status) {
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (!line[0] || line[0] == '#')
			continue;
		printf("%s: ", line);
		status = run(line);
	}
	free(line);
	return status;
}
