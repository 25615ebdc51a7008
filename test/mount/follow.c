/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * follow FILE N - reads FILE, and then N times waits until it has changed,
 * reads it again and prints what it reads.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LONG_MS 10000

int main(int argc, char **argv)
{
	struct pollfd pfd = { .events = POLLPRI };
	char buf[4096];
	ssize_t len;

	if (argc != 3)
		return 99;
	pfd.fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (pfd.fd < 0 || pread(pfd.fd, buf, sizeof(buf), 0) < 0)
		return 1;
	for (int n = atoi(argv[2]); n > 0; n--) {
		if (poll(&pfd, 1, LONG_MS) != 1 || !(pfd.revents & POLLPRI))
			return 2;
		len = pread(pfd.fd, buf, sizeof(buf), 0);
		if (len <= 0 || fwrite(buf, (size_t)len, 1, stdout) != 1)
			return 3;
	}
	return fflush(stdout) ? 4 : 0;
}
