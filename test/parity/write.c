// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writing. rw takes any text that begins with its value, so what is written
 * is that and blanks; in the end the value is what it was.
 */
#include "test/parity/parity.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

static char text[20000];

static void show(int fd)
{
	DATA(pread(fd, buf, 100, 0));
}

static void lengths(int fd)
{
	CALL(write(fd, text, 0));
	CALL(write(fd, text, 1));
	CALL(write(fd, text, 2));
	CALL(pwrite(fd, text, 4095, 0));
	CALL(pwrite(fd, text, 4096, 0));
	CALL(pwrite(fd, text, 4097, 0));
	CALL(pwrite(fd, text, 5000, 0));
	CALL(pwrite(fd, text, 8192, 0));
	CALL(pwrite(fd, text, 20000, 0));
	CALL(write(fd, nowhere, 10));
	CALL(pwrite(fd, s.value, strlen(s.value), 0));
	show(fd);
}

static void positions(int fd)
{
	size_t len = strlen(s.value);

	CALL(pwrite(fd, s.value, len, 1));
	CALL(pwrite(fd, s.value, len, 50));
	CALL(pwrite(fd, s.value, len, 4096));
	CALL(pwrite(fd, s.value, len, 10000));
	CALL(pwrite(fd, s.value, len, 0x7fffffff));
	CALL(pwrite(fd, s.value, len, 1L << 40));
	CALL(pwrite(fd, s.value, len, -1));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(write(fd, s.value, len));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(write(fd, s.value, len));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(write(fd, s.value, 0));
	show(fd);
}

static void vectors(int fd)
{
	char *value = (char *)s.value;
	struct iovec iov[2] = { { value, strlen(value) }, { text + 10, 3 } };

	CALL(writev(fd, iov, 2));
	CALL(pwritev(fd, iov, 1, 7));
	CALL(pwritev(fd, iov, 0, 7));
	CALL(pwritev2(fd, iov, 1, 0, RWF_SYNC));
	CALL(pwritev2(fd, iov, 1, 0, RWF_APPEND));
	CALL(pwritev2(fd, iov, 1, 0, RWF_NOWAIT));
	show(fd);
}

static void append(void)
{
	int fd = FD(open(s.rw, O_RDWR | O_APPEND));

	CALL(write(fd, s.value, strlen(s.value)));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(pwrite(fd, s.value, strlen(s.value), 3));
	show(fd);
	close(fd);
	fd = FD(open(s.rw, O_RDWR | O_TRUNC));
	show(fd);
	CALL(write(fd, s.value, strlen(s.value)));
	show(fd);
	close(fd);
}

static void moving(int fd)
{
	size_t len = strlen(s.value);
	struct stat st;
	int in[2];

	CALL(pipe2(in, O_NONBLOCK));
	CALL(write(in[1], s.value, len));
	CALL(splice(in[0], NULL, fd, &(loff_t){ 0 }, len, 0));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(sendfile(fd, fd, &(off_t){ 0 }, 100));
	CALL(fstat(fd, &st));
	CALL(copy_file_range(fd, &(loff_t){ 0 }, fd, &(loff_t){ 8192 }, len,
			     0));
	show(fd);
	close(in[0]);
	close(in[1]);
}

/* not a page of the value before */
static void moving_changed(void)
{
	int fd = FD(open(s.srw, O_RDWR)), reader = FD(open(s.srw, O_RDONLY));
	int out[2];

	CALL(pipe2(out, O_NONBLOCK));
	CALL(write(fd, "1\n", 2));
	CALL(sendfile(out[1], reader, &(off_t){ 0 }, 100));
	DATA(read(out[0], buf, 100));
	CALL(write(fd, "234\n", 4));
	CALL(sendfile(out[1], reader, &(off_t){ 0 }, 100));
	DATA(read(out[0], buf, 100));
	CALL(write(fd, "5\n", 2));
	CALL(splice(reader, &(off_t){ 0 }, out[1], NULL, 100, 0));
	DATA(read(out[0], buf, 100));
	close(fd);
	close(reader);
	close(out[0]);
	close(out[1]);
}

struct limited {
	long ret;
	int err;
};

static struct limited end(long ret)
{
	return (struct limited){ ret, errno };
}

/* What the limit is for is a file's length; here there is none. */
static void limited(void)
{
	int fd = FD(open(s.rw, O_RDWR));
	struct limited written, cut, extended;
	struct rlimit old, none;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	none = old;
	none.rlim_cur = 0;
	/* nothing can be printed meanwhile */
	setrlimit(RLIMIT_FSIZE, &none);
	written = end(write(fd, s.value, strlen(s.value)));
	cut = end(ftruncate(fd, 0));
	extended = end(ftruncate(fd, 5000));
	setrlimit(RLIMIT_FSIZE, &old);
	errno = written.err;
	say("write(fd, s.value, strlen(s.value)), limited", written.ret);
	errno = cut.err;
	say("ftruncate(fd, 0), limited", cut.ret);
	errno = extended.err;
	say("ftruncate(fd, 5000), limited", extended.ret);
	CALL(pwrite(fd, s.value, strlen(s.value), 0));
	close(fd);
}

/* what only the one who serves a file can know */
static void refused(void)
{
	int fd = FD(open(s.picky, O_RDWR)), wo = FD(open(s.wo, O_WRONLY));

	CALL(write(fd, "nonsense", 8));
	CALL(write(fd, text, 5000));
	CALL(write(wo, "nonsense", 8));
	CALL(write(wo, text, 4096));
	CALL(write(wo, text, 4097));
	CALL(write(wo, text, 0));
	close(fd);
	close(wo);
}

static void wrong_way(void)
{
	int fd = FD(open(s.ro, O_RDONLY));

	CALL(write(fd, "x", 1));
	CALL(write(fd, "x", 0));
	CALL(pwrite(fd, "x", 1, 0));
	close(fd);
	fd = FD(open(s.wo, O_WRONLY));
	CALL(write(fd, "x", 0));
	CALL(pread(fd, buf, 1, 0));
	close(fd);
	fd = FD(open(s.dir, O_RDONLY));
	CALL(write(fd, "x", 1));
	close(fd);
}

void group_write(void)
{
	int fd;

	in_group("write");
	memset(text, ' ', sizeof(text));
	memcpy(text, s.value, strlen(s.value) - 1);
	fd = FD(open(s.rw, O_RDWR));
	show(fd);
	lengths(fd);
	positions(fd);
	vectors(fd);
	moving(fd);
	close(fd);
	append();
	moving_changed();
	memset(text, 'x', sizeof(text));
	refused();
	limited();
	wrong_way();
	fd = FD(open(s.rw, O_RDONLY));
	show(fd);
	close(fd);
}
