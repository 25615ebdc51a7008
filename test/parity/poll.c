// SPDX-License-Identifier: LGPL-2.1-or-later
/* poll, select and epoll, on files that notify and on files that do not. */
#include "test/parity/parity.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

/* Waits for something to happen, but not for ever. */
#define LONG 2000
/* Waits for nothing to happen. */
#define SHORT 40

static unsigned int bits;

static long polled(int fd, int events, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = (short)events };
	int ret = poll(&pfd, 1, ms);

	bits = (unsigned int)pfd.revents;
	return ret;
}

static long waited(int efd, int ms)
{
	struct epoll_event event = { 0 };
	int ret = epoll_wait(efd, &event, 1, ms);

	bits = ret > 0 ? event.events : 0;
	return ret;
}

static long added(int efd, int fd, unsigned int events)
{
	struct epoll_event event = { .events = events };

	return epoll_ctl(efd, EPOLL_CTL_ADD, fd, &event);
}

#define POLL(...)                                                              \
	do {                                                                   \
		long ret_ = polled(__VA_ARGS__);                               \
		say_bits("poll(" #__VA_ARGS__ ")", ret_, bits);                \
	} while (0)
#define WAIT(...)                                                              \
	do {                                                                   \
		long ret_ = waited(__VA_ARGS__);                               \
		say_bits("epoll_wait(" #__VA_ARGS__ ")", ret_, bits);          \
	} while (0)

#define ALL (POLLIN | POLLOUT | POLLPRI | POLLERR)
#define EXACT (ALL | POLLRDNORM | POLLWRNORM)

/* sets in, out and except */
static long selected(int fd, bool in, bool out, bool except, int ms)
{
	struct timeval tv = { ms / 1000, ms % 1000 * 1000 };
	fd_set sets[3];
	long ret;

	if (fd < 0) {
		errno = EBADF;
		return -1;
	}
	for (int i = 0; i < 3; i++) {
		FD_ZERO(&sets[i]);
		FD_SET(fd, &sets[i]);
	}
	ret = select(fd + 1, in ? &sets[0] : NULL, out ? &sets[1] : NULL,
		     except ? &sets[2] : NULL, &tv);
	if (ret <= 0)
		return ret;
	return ret * 1000 + (in && FD_ISSET(fd, &sets[0])) +
	       (out && FD_ISSET(fd, &sets[1])) * 10 +
	       (except && FD_ISSET(fd, &sets[2])) * 100;
}

static void fresh(const char *name)
{
	int fd = FD(open(name, O_RDONLY)), other = FD(open(name, O_RDONLY));

	note(name);
	POLL(fd, EXACT, 0);
	POLL(fd, POLLPRI, 0);
	POLL(fd, POLLIN, 0);
	POLL(fd, 0, 0);
	CALL(selected(fd, true, true, true, 0));
	CALL(selected(fd, false, false, true, 0));
	CALL(read(fd, buf, 0));
	POLL(fd, POLLPRI, 0);
	CALL(pread(fd, buf, 1, 0) >= 0);
	POLL(fd, EXACT, 0);
	POLL(fd, POLLPRI, SHORT);
	POLL(fd, POLLERR, SHORT);
	CALL(selected(fd, true, true, true, 0));
	CALL(selected(fd, false, false, true, SHORT));
	POLL(other, EXACT, 0);
	CALL(lseek(other, 0, SEEK_SET));
	POLL(other, POLLPRI, 0);
	close(fd);
	fd = FD(open(name, O_RDONLY));
	POLL(fd, POLLPRI, 0);
	close(fd);
	close(other);
}

static void writing(void)
{
	int fd = FD(open(s.rw, O_RDWR)), wo = FD(open(s.wo, O_WRONLY));

	POLL(fd, EXACT, 0);
	CALL(pwrite(fd, s.value, 2, 0) > 0);
	POLL(fd, POLLPRI, 0);
	CALL(pread(fd, buf, 1, 0));
	POLL(fd, EXACT, 0);
	CALL(pwrite(fd, s.value, 2, 0) > 0);
	POLL(fd, EXACT, 0);
	POLL(wo, EXACT, 0);
	close(fd);
	close(wo);
}

static void others(void)
{
	int efd = epoll_create1(0);
	int dir = FD(open(s.dir, O_RDONLY)), path = FD(open(s.ro, O_PATH));

	POLL(dir, EXACT, 0);
	CALL(selected(dir, true, true, true, 0));
	CALL(added(efd, dir, EPOLLIN));
	POLL(path, EXACT, 0);
	CALL(added(efd, path, EPOLLIN));
	CALL(added(efd, -1, EPOLLIN));
	close(dir);
	close(path);
	close(efd);
}

static void epolls(void)
{
	int efd = epoll_create1(0), fd = FD(open(s.ro, O_RDONLY));
	struct epoll_event event = { .events = EPOLLIN | EPOLLPRI };

	CALL(added(efd, fd, EPOLLIN | EPOLLPRI));
	CALL(added(efd, fd, EPOLLIN));
	WAIT(efd, 0);
	CALL(read(fd, buf, 1));
	WAIT(efd, 0);
	event.events = EPOLLPRI;
	CALL(epoll_ctl(efd, EPOLL_CTL_MOD, fd, &event));
	WAIT(efd, SHORT);
	event.events = EPOLLIN | EPOLLET;
	CALL(epoll_ctl(efd, EPOLL_CTL_MOD, fd, &event));
	WAIT(efd, 0);
	WAIT(efd, SHORT);
	event.events = EPOLLIN | EPOLLONESHOT;
	CALL(epoll_ctl(efd, EPOLL_CTL_MOD, fd, &event));
	WAIT(efd, 0);
	WAIT(efd, SHORT);
	CALL(epoll_ctl(efd, EPOLL_CTL_DEL, fd, NULL));
	CALL(epoll_ctl(efd, EPOLL_CTL_DEL, fd, NULL));
	CALL(added(efd, fd, EPOLLIN | EPOLLEXCLUSIVE));
	close(fd);
	WAIT(efd, 0);
	close(efd);
}

/* what writes @trigger changes, as far as the writer can tell */
static void turn(const char *value)
{
	int fd = open(s.trigger, O_WRONLY);

	CALL(write(fd, value, 1));
	close(fd);
	/* the kernel reports at most one change in 10 ms, and late */
	pause_ms(30);
}

static void notified(void)
{
	int fd = FD(open(s.events, O_RDONLY));
	int other = FD(open(s.events, O_RDONLY));

	POLL(fd, EXACT, 0);
	DATA(read(fd, buf, 100));
	DATA(read(other, buf, 100));
	POLL(fd, POLLPRI, SHORT);
	turn("1");
	POLL(fd, EXACT, LONG);
	POLL(fd, POLLPRI, LONG);
	CALL(lseek(fd, 0, SEEK_SET));
	POLL(fd, POLLPRI, LONG);
	DATA(read(fd, buf, 100));
	POLL(fd, EXACT, 0);
	POLL(fd, POLLPRI, SHORT);
	POLL(other, EXACT, LONG);
	DATA(pread(other, buf, 100, 0));
	POLL(other, POLLPRI, SHORT);
	turn("1");
	POLL(fd, POLLPRI, SHORT);
	turn("0");
	turn("1");
	turn("0");
	POLL(fd, POLLPRI, LONG);
	DATA(pread(fd, buf, 100, 0));
	POLL(fd, POLLPRI, SHORT);
	CALL(selected(other, false, false, true, LONG));
	CALL(selected(other, true, true, true, LONG));
	close(fd);
	close(other);
}

static void woken(void)
{
	int efd = epoll_create1(0), fd = FD(open(s.events, O_RDONLY));
	int edge = epoll_create1(0);

	DATA(read(fd, buf, 100));
	CALL(added(efd, fd, EPOLLPRI));
	CALL(added(edge, fd, EPOLLPRI | EPOLLET));
	WAIT(efd, SHORT);
	WAIT(edge, SHORT);
	turn("1");
	WAIT(efd, LONG);
	WAIT(efd, LONG);
	WAIT(edge, LONG);
	WAIT(edge, SHORT);
	DATA(pread(fd, buf, 100, 0));
	WAIT(efd, SHORT);
	turn("0");
	WAIT(edge, LONG);
	WAIT(efd, LONG);
	DATA(pread(fd, buf, 100, 0));
	close(efd);
	close(edge);
	close(fd);
}

/* a waiter that was there before the change, in another process */
static void sleeping(void)
{
	int fd = FD(open(s.events, O_RDONLY));
	struct timespec start, end;
	pid_t pid;

	CALL(pread(fd, buf, 1, 0));
	pid = fork();
	if (!pid) {
		int trigger = open(s.trigger, O_WRONLY);

		pause_ms(100);
		_exit(write(trigger, "1", 1) != 1);
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	POLL(fd, POLLPRI, LONG);
	clock_gettime(CLOCK_MONOTONIC, &end);
	HOLDS(end.tv_sec - start.tv_sec < 2);
	DATA(pread(fd, buf, 100, 0));
	turn("0");
	close(fd);
}

void group_poll(void)
{
	in_group("poll");
	fresh(s.ro);
	fresh(s.rw);
	fresh(s.bin);
	fresh(s.failing);
	writing();
	others();
	epolls();
	if (!s.trigger)
		return;
	fresh(s.events);
	notified();
	woken();
	sleeping();
}
