// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reading: every class of offset and length, and seeking. */
#include "test/parity/parity.h"

#include <linux/aio_abi.h>
#include <stdint.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static void in_order(void)
{
	int fd = FD(open(s.ro, O_RDONLY));

	CALL(read(fd, buf, 0));
	DATA(read(fd, buf, 1));
	CALL(lseek(fd, 0, SEEK_CUR));
	DATA(read(fd, buf, 4096));
	DATA(read(fd, buf, 4096));
	CALL(lseek(fd, 0, SEEK_SET));
	DATA(read(fd, buf, 65536));
	DATA(read(fd, buf, 0));
	CALL(lseek(fd, 1, SEEK_SET));
	DATA(read(fd, buf, 4096));
	CALL(lseek(fd, 4096, SEEK_SET));
	DATA(read(fd, buf, 4096));
	CALL(lseek(fd, -2, SEEK_CUR));
	DATA(read(fd, buf, 4096));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(read(fd, nowhere, 10));
	DATA(read(fd, buf, 3));
	close(fd);
}

static void positions(int fd)
{
	DATA(pread(fd, buf, 4096, 0));
	DATA(pread(fd, buf, 1, 0));
	DATA(pread(fd, buf, 1, 1));
	DATA(pread(fd, buf, 4096, 1));
	DATA(pread(fd, buf, 4096, 2));
	DATA(pread(fd, buf, 4096, 1));
	DATA(pread(fd, buf, 4096, 100));
	DATA(pread(fd, buf, 4096, 4095));
	DATA(pread(fd, buf, 4096, 4096));
	DATA(pread(fd, buf, 4096, 1000000));
	DATA(pread(fd, buf, 10, 0x7fffffff));
	DATA(pread(fd, buf, 10, 0x80000000));
	DATA(pread(fd, buf, 10, 1L << 40));
	DATA(pread(fd, buf, 10, 0x7fffffffffffffff));
	DATA(pread(fd, buf, 10, -1));
	CALL(lseek(fd, 0, SEEK_CUR));
}

/* forwards what is there and backwards a byte of it, which shows it anew */
static void each_offset(int fd)
{
	off_t end = (off_t)pread(fd, buf, 4096, 0) + 2;

	for (off_t at = 0; at < end; at++) {
		DATA(pread(fd, buf, 4096, at));
		DATA(pread(fd, buf, 3, at));
	}
	for (off_t at = end; at-- > 0;)
		DATA(pread(fd, buf, 1, at));
	CALL(lseek(fd, 0, SEEK_SET));
	for (off_t at = 0; at < end; at++)
		DATA(read(fd, buf, 1));
	for (off_t at = 0; at < end; at++) {
		CALL(lseek(fd, at, SEEK_SET));
		DATA(read(fd, buf, 2));
	}
}

static void vectors(int fd)
{
	struct iovec iov[3] = {
		{ buf, 1 },
		{ buf + 1, 1 },
		{ buf + 2, 4094 },
	};

	CALL(lseek(fd, 0, SEEK_SET));
	DATA(readv(fd, iov, 3));
	DATA(readv(fd, iov, 3));
	DATA(preadv(fd, iov, 2, 0));
	DATA(preadv(fd, iov, 3, 1));
	DATA(preadv(fd, iov, 0, 0));
	iov[0].iov_len = 0;
	DATA(preadv(fd, iov, 3, 0));
	DATA(preadv2(fd, iov, 3, 0, RWF_HIPRI));
	DATA(preadv2(fd, iov, 3, 0, RWF_NOWAIT));
	DATA(preadv2(fd, iov, 3, 0, 1 << 30));
	DATA(preadv2(fd, iov, 3, -1, 0));
}

static void seeks(int fd)
{
	CALL(lseek(fd, 0, SEEK_END));
	CALL(lseek(fd, -1, SEEK_END));
	CALL(lseek(fd, 5000, SEEK_SET));
	CALL(lseek(fd, -1, SEEK_SET));
	CALL(lseek(fd, 1, SEEK_CUR));
	CALL(lseek(fd, 0, SEEK_DATA));
	CALL(lseek(fd, 0, SEEK_HOLE));
	CALL(lseek(fd, 4095, SEEK_HOLE));
	CALL(lseek(fd, 4096, SEEK_DATA));
	CALL(lseek(fd, -1, SEEK_DATA));
	CALL(lseek(fd, 0, 5));
	CALL(lseek(fd, 0x7fffffff, SEEK_SET));
	CALL(lseek(fd, 1, SEEK_CUR));
	CALL(lseek(fd, 0x80000000, SEEK_SET));
	CALL(lseek(fd, 0x7fffffffffffffff, SEEK_SET));
}

static void moving(int fd)
{
	int out[2];

	CALL(pipe2(out, O_NONBLOCK));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(splice(fd, NULL, out[1], NULL, 4096, 0));
	DATA(read(out[0], buf, 4096));
	CALL(sendfile(out[1], fd, &(off_t){ 0 }, 4096));
	DATA(read(out[0], buf, 4096));
	CALL(sendfile(out[1], fd, &(off_t){ 1 }, 1));
	DATA(read(out[0], buf, 4096));
	CALL(sendfile(out[1], fd, &(off_t){ 9000 }, 100));
	CALL(copy_file_range(fd, &(off_t){ 0 }, out[1], NULL, 10, 0));
	CALL(readahead(fd, 0, 4096));
	CALL(posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED));
	CALL(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
	CALL(posix_fadvise(fd, 0, 0, 99));
	close(out[0]);
	close(out[1]);
}

/* the request is done when io_submit() returns, or a moment later */
static long submitted(int fd, int op, char *data, size_t len, off_t off)
{
	struct iocb cb = {
		.aio_fildes = (unsigned int)fd,
		.aio_lio_opcode = (unsigned short)op,
		.aio_buf = (uintptr_t)data,
		.aio_nbytes = len,
		.aio_offset = off,
	};
	struct iocb *list = &cb;
	struct io_event event = { 0 };
	aio_context_t ctx = 0;
	long ret = syscall(SYS_io_setup, 1, &ctx);

	if (ret == 0)
		ret = syscall(SYS_io_submit, ctx, 1, &list);
	if (ret == 1)
		syscall(SYS_io_getevents, ctx, 1, 1, &event, NULL);
	syscall(SYS_io_destroy, ctx);
	if (ret != 1)
		return ret;
	errno = event.res < 0 ? (int)-event.res : 0;
	return event.res < 0 ? -1 : event.res;
}

static void asynchronous(int fd)
{
	int rw = FD(open(s.rw, O_RDWR));

	DATA(submitted(fd, IOCB_CMD_PREAD, buf, 100, 0));
	DATA(submitted(fd, IOCB_CMD_PREAD, buf, 100, 1));
	DATA(submitted(fd, IOCB_CMD_PREAD, buf, 100, 4096));
	CALL(submitted(fd, IOCB_CMD_PWRITE, buf, 1, 0));
	CALL(submitted(rw, IOCB_CMD_PWRITE, (char *)s.value, strlen(s.value),
		       0));
	CALL(submitted(fd, IOCB_CMD_FSYNC, NULL, 0, 0));
	close(rw);
}

static void shared_offset(void)
{
	int fd = FD(open(s.ro, O_RDONLY)), twin = dup(fd);
	int other = FD(open(s.ro, O_RDONLY));

	DATA(read(fd, buf, 1));
	DATA(read(twin, buf, 1));
	DATA(read(other, buf, 1));
	close(fd);
	DATA(read(twin, buf, 10));
	CALL(lseek(twin, 0, SEEK_SET));
	DATA(read(twin, buf, 10));
	close(twin);
	close(other);
}

static void others(void)
{
	int fd = FD(open(s.bin, O_RDONLY));

	note("binary file");
	positions(fd);
	each_offset(fd);
	vectors(fd);
	CALL(lseek(fd, 0, SEEK_END));
	DATA(read(fd, buf, 10));
	close(fd);
	fd = FD(open(s.failing, O_RDONLY));
	DATA(read(fd, buf, 4096));
	DATA(read(fd, buf, 1));
	DATA(pread(fd, buf, 10, 5));
	CALL(read(fd, buf, 0));
	CALL(lseek(fd, 0, SEEK_CUR));
	close(fd);
	fd = FD(open(s.wo, O_WRONLY));
	CALL(read(fd, buf, 10));
	CALL(pread(fd, buf, 10, 0));
	CALL(lseek(fd, 0, SEEK_END));
	close(fd);
	fd = FD(open(s.dir, O_RDONLY));
	CALL(read(fd, buf, 10));
	CALL(pread(fd, buf, 10, 0));
	close(fd);
}

void group_read(void)
{
	int fd;

	in_group("read");
	in_order();
	fd = FD(open(s.ro, O_RDONLY));
	positions(fd);
	each_offset(fd);
	vectors(fd);
	seeks(fd);
	moving(fd);
	asynchronous(fd);
	close(fd);
	shared_offset();
	others();
}
