/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * polls FILE - waits for news of FILE by poll, select and epoll, while it
 * writes to it in processes of its own.
 *
 * Each check prints a line; the exit status is 1 if one failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A machine may be busy; a wake-up that is lost never comes. */
#define LONG_MS 10000
/* What must not happen gets this long to happen. */
#define SHORT_MS 100

static const char *path;
static unsigned int failed;

static void check(bool ok, const char *what)
{
	printf("%s: %s\n", ok ? "ok" : "FAILED", what);
	failed += !ok;
}

static void die(const char *what)
{
	fprintf(stderr, "polls: %s: %s\n", what, strerror(errno));
	exit(99);
}

static int open_file(int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		die(path);
	return fd;
}

static long read_value(int fd)
{
	char buf[64];
	ssize_t n = pread(fd, buf, sizeof(buf) - 1, 0);

	if (n < 0)
		die("pread");
	buf[n] = '\0';
	return strtol(buf, NULL, 10);
}

static void write_value(long value)
{
	int fd = open_file(O_WRONLY);

	if (dprintf(fd, "%ld\n", value) < 0)
		die("write");
	close(fd);
}

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* A process that writes @value after @delay_ms. */
static pid_t write_later(long value, unsigned int delay_ms)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	usleep(delay_ms * 1000);
	write_value(value);
	_exit(0);
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int poll_one(int fd, short events, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n = poll(&p, 1, timeout_ms);

	if (n < 0)
		die("poll");
	return n ? p.revents : 0;
}

static const short all = POLLIN | POLLOUT | POLLPRI;

static void check_poll(void)
{
	int fd = open_file(O_RDWR), other = open_file(O_RDONLY);
	pid_t pid;

	check(poll_one(fd, all, 0) == (all | POLLERR), "fresh file has news");
	read_value(fd);
	check(poll_one(fd, all, 0) == (POLLIN | POLLOUT),
	      "none after it was read");
	check(poll_one(fd, POLLPRI, SHORT_MS) == 0, "waits for POLLPRI");
	check(poll_one(other, all, 0) == (all | POLLERR),
	      "each descriptor has its own");
	pid = write_later(1000, 50);
	check(poll_one(fd, POLLPRI, LONG_MS) == (POLLPRI | POLLERR),
	      "poll is woken by a change");
	reap(pid);
	check(read_value(fd) == 1000, "and reads the new value");
	write_value(1000);
	check(poll_one(fd, POLLPRI, SHORT_MS) == 0,
	      "not by a write of the same value");
	close(other);
	close(fd);
}

static void check_select(void)
{
	int fd = open_file(O_RDONLY);
	struct timeval tv = { .tv_sec = LONG_MS / 1000 };
	fd_set except;
	pid_t pid;

	read_value(fd);
	FD_ZERO(&except);
	FD_SET(fd, &except);
	pid = write_later(2000, 50);
	check(select(fd + 1, NULL, NULL, &except, &tv) == 1 &&
		      FD_ISSET(fd, &except),
	      "select is woken by a change");
	reap(pid);
	close(fd);
}

#define EPOLL_FILES 20

static void check_epoll(void)
{
	struct epoll_event ev = { .events = EPOLLPRI | EPOLLET }, out[64];
	int epfd = epoll_create1(EPOLL_CLOEXEC), fd[EPOLL_FILES];
	unsigned int seen = 0;
	pid_t pid;

	for (int i = 0; i < EPOLL_FILES; i++) {
		fd[i] = open_file(O_RDONLY);
		read_value(fd[i]);
		ev.data.fd = i;
		if (epoll_ctl(epfd, EPOLL_CTL_ADD, fd[i], &ev))
			die("epoll_ctl");
	}
	check(epoll_wait(epfd, out, 64, SHORT_MS) == 0, "epoll waits");
	pid = write_later(3000, 50);
	while (seen != (1U << EPOLL_FILES) - 1) {
		int n = epoll_wait(epfd, out, 64, LONG_MS);

		if (n <= 0)
			break;
		for (int i = 0; i < n; i++)
			seen |= 1U << out[i].data.fd;
	}
	check(seen == (1U << EPOLL_FILES) - 1,
	      "epoll is woken for each of its files");
	reap(pid);
	for (int i = 0; i < EPOLL_FILES; i++)
		close(fd[i]);
	close(epfd);
}

#define CHANGES 400L
#define FOLLOWERS 4

/* Reads whenever there is news, until the last value. */
static int follow(void)
{
	int fd = open_file(O_RDONLY);

	while (read_value(fd) != CHANGES)
		if (!poll_one(fd, POLLPRI, LONG_MS))
			return 1;
	return 0;
}

static void check_none_lost(void)
{
	pid_t pid[FOLLOWERS];
	bool all_well = true;

	write_value(0);
	for (int i = 0; i < FOLLOWERS; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			_exit(follow());
	}
	for (long value = 1; value <= CHANGES; value++)
		write_value(value);
	for (int i = 0; i < FOLLOWERS; i++) {
		int status;

		waitpid(pid[i], &status, 0);
		all_well &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	check(all_well, "followers miss no last value");
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

#define ROUNDS 21

static void check_latency(void)
{
	int fd = open_file(O_RDONLY), pipes[2];
	double ms[ROUNDS];
	bool woken = true;
	pid_t pid;

	if (pipe(pipes))
		die("pipe");
	read_value(fd);
	pid = fork();
	for (long i = 0; pid == 0 && i < ROUNDS; i++) {
		char go;

		if (read(pipes[0], &go, 1) != 1)
			_exit(1);
		/* the other one is waiting by now */
		usleep(5000);
		write_value(5000 + i);
	}
	if (pid == 0)
		_exit(0);
	for (int i = 0; i < ROUNDS && woken; i++) {
		double start = now_ms();

		if (write(pipes[1], "", 1) != 1)
			die("write");
		woken = poll_one(fd, POLLPRI, LONG_MS);
		ms[i] = now_ms() - start - 5;
		read_value(fd);
	}
	check(woken, "woken each time");
	reap(pid);
	qsort(ms, ROUNDS, sizeof(*ms), by_size);
	printf("median from write to wake-up: %.2f ms\n", ms[ROUNDS / 2]);
	check(ms[ROUNDS / 2] < 50, "in less than 50 ms, half of the time");
	close(fd);
}

/* Whoever is killed while it waits leaves nothing behind that hurts. */
static void check_killed(void)
{
	int fd = open_file(O_RDONLY);

	read_value(fd);
	for (int i = 0; i < 10; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			int own = open_file(O_RDONLY);

			read_value(own);
			poll_one(i % 2 ? own : fd, POLLPRI, LONG_MS);
			_exit(0);
		}
		usleep(5000);
		kill(pid, SIGKILL);
		reap(pid);
	}
	write_value(6000);
	check(poll_one(fd, POLLPRI, LONG_MS), "news after others were killed");
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: polls FILE\n", stderr);
		return 99;
	}
	path = argv[1];
	setvbuf(stdout, NULL, _IOLBF, 0);
	check_poll();
	check_select();
	check_epoll();
	check_none_lost();
	check_latency();
	check_killed();
	return failed ? 1 : 0;
}
