// SPDX-License-Identifier: LGPL-2.1-or-later
/* Printing what calls return, in words that are the same everywhere. */
#include "test/parity/parity.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>

char buf[1 << 16];
char *nowhere = (char *)1;
static const char *group = "";

void in_group(const char *name)
{
	group = name;
	/* a child prints before its parent goes on */
	fflush(stdout);
}

void note(const char *what)
{
	printf("%s: --- %s\n", group, what);
}

/* What may differ in a call's text or is no help in it. */
static void say_call(const char *call)
{
	printf("%s: %s = ", group, call);
}

static void say_number(long ret)
{
	if (ret == -1)
		printf("%s\n", strerrorname_np(errno));
	else
		printf("%ld\n", ret);
}

void say(const char *call, long ret)
{
	int err = errno;

	say_call(call);
	errno = err;
	say_number(ret);
}

static void say_char(unsigned char c)
{
	if (c == '\n')
		fputs("\\n", stdout);
	else if (c < ' ' || c > '~' || c == '"' || c == '\\')
		printf("\\%03o", c);
	else
		putchar(c);
}

/* FNV-1a: long data is told apart, not shown */
static unsigned int sum(const char *data, size_t len)
{
	unsigned int hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)data[i]) * 16777619u;
	return hash;
}

void say_data(const char *call, long ret)
{
	int err = errno;

	say_call(call);
	if (ret < 0) {
		errno = err;
		say_number(ret);
		return;
	}
	printf("%ld \"", ret);
	for (long i = 0; i < ret && i < 40; i++)
		say_char((unsigned char)buf[i]);
	putchar('"');
	if (ret > 40)
		printf("... %08x", sum(buf, (size_t)ret));
	putchar('\n');
	memset(buf, '#', sizeof(buf));
}

int say_fd(const char *call, int fd)
{
	int err = errno;

	say_call(call);
	errno = err;
	puts(fd < 0 ? strerrorname_np(errno) : "a descriptor");
	return fd;
}

void say_holds(const char *what, bool holds)
{
	printf("%s: %s: %s\n", group, what, holds ? "yes" : "no");
}

void say_bits(const char *call, long ret, unsigned int bits)
{
	static const struct {
		unsigned int bit;
		const char *name;
	} names[] = {
		{ POLLIN, " IN" },	   { POLLPRI, " PRI" },
		{ POLLOUT, " OUT" },	   { POLLERR, " ERR" },
		{ POLLHUP, " HUP" },	   { POLLNVAL, " NVAL" },
		{ POLLRDNORM, " RDNORM" }, { POLLWRNORM, " WRNORM" },
	};
	int err = errno;

	say_call(call);
	if (ret < 0) {
		errno = err;
		say_number(ret);
		return;
	}
	printf("%ld", ret);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (bits & names[i].bit)
			fputs(names[i].name, stdout);
	putchar('\n');
}

void say_events(int fd)
{
	ssize_t len = read(fd, buf, sizeof(buf));
	char *at = buf;

	printf("%s: inotify = masks", group);
	while (at < buf + len) {
		const struct inotify_event *event = (void *)at;

		printf(" %x", event->mask);
		at += sizeof(*event) + event->len;
	}
	putchar('\n');
}

void pause_ms(int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}
