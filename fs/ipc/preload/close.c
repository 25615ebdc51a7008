// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Our descriptor is not the program's: programs that close all they do not
 * know, or put something in its place, must not take the namespace from the
 * programs they start. It is as if it were not open.
 */
#include "fs/ipc/preload/preload.h"

#include <errno.h>
#include <limits.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1u << 2)
#endif

void closefrom(int first);
int close_range(unsigned int first, unsigned int last, int flags);

static bool is_ours(int fd)
{
	return unlikely(fd >= 0 && fd == kf_ns_fd());
}

static int bad_descriptor(void)
{
	errno = EBADF;
	return -1;
}

KF_CALL int close(int fd)
{
	if (is_ours(fd))
		return bad_descriptor();
	kf_written_flush(fd);
	return kf_real()->close(fd);
}

KF_ALIAS(close) int __close(int fd);

KF_CALL int dup2(int fd, int to)
{
	int ret;

	if (is_ours(to))
		return bad_descriptor();
	if (fd != to)
		kf_written_flush(to);
	ret = kf_real()->dup2(fd, to);
	if (ret >= 0)
		kf_written_dup(fd, to);
	return ret;
}

KF_CALL int dup3(int fd, int to, int flags)
{
	int ret;

	if (is_ours(to))
		return bad_descriptor();
	if (fd != to)
		kf_written_flush(to);
	ret = kf_real()->dup3(fd, to, flags);
	if (ret >= 0)
		kf_written_dup(fd, to);
	return ret;
}

/* CLOSE_RANGE_CLOEXEC leaves open; kf_ns_before_exec() undoes it. */
KF_CALL int close_range(unsigned int first, unsigned int last, int flags)
{
	unsigned int ours = (unsigned int)kf_ns_fd();
	int ret;

	if (!kf_real()->close_range) {
		errno = ENOSYS;
		return -1;
	}
	if (ours > INT_MAX || ours < first || ours > last ||
	    (flags & (int)CLOSE_RANGE_CLOEXEC))
		return kf_real()->close_range(first, last, flags);
	if (ours > first) {
		ret = kf_real()->close_range(first, ours - 1, flags);
		if (ret)
			return ret;
	}
	if (ours == last)
		return 0;
	return kf_real()->close_range(ours + 1, last, flags);
}

/* The C library's closes by itself, so ours is as good. */
KF_CALL void closefrom(int first)
{
	unsigned int from = first < 0 ? 0 : (unsigned int)first;
	long max;

	if (close_range(from, UINT_MAX, 0) == 0)
		return;
	max = sysconf(_SC_OPEN_MAX);
	for (int fd = (int)from; fd < max; fd++)
		close(fd);
}
