// SPDX-License-Identifier: LGPL-2.1-or-later
/* Being somebody else for a while: each time in a child. */
#include "test/parity/parity.h"

#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void die(const char *what)
{
	perror(what);
	_exit(1);
}

static void in_child(void (*prepare)(void *arg), void *arg, void (*fn)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		prepare(arg);
		fn();
		fflush(stdout);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "parity: a child ended with %d\n", status);
		exit(1);
	}
}

struct ids {
	uid_t uid;
	gid_t gid, group;
};

static void become(void *arg)
{
	const struct ids *ids = arg;

	if (setgroups(ids->group != (gid_t)-1, &ids->group))
		die("setgroups");
	if (setresgid(ids->gid, ids->gid, ids->gid))
		die("setresgid");
	if (setresuid(ids->uid, ids->uid, ids->uid))
		die("setresuid");
}

void run_as(uid_t uid, gid_t gid, gid_t group, void (*fn)(void))
{
	struct ids ids = { uid, gid, group };

	in_child(become, &ids, fn);
}

static void write_map(pid_t pid, const char *file, uid_t outside)
{
	char path[64], map[64];
	int fd, len;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	len = snprintf(map, sizeof(map), "0 %u 1\n", outside);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, map, (size_t)len) != len)
		die(path);
	close(fd);
}

/* Only somebody outside may write any map: a child of the child does. */
static void enter_userns(void *arg)
{
	const uid_t *outside = arg;
	pid_t self = getpid(), writer;
	int ready[2], status;

	if (pipe(ready))
		die("pipe");
	writer = fork();
	if (writer < 0)
		die("fork");
	if (!writer) {
		char c;

		close(ready[1]);
		if (read(ready[0], &c, 1) != 1)
			_exit(1);
		write_map(self, "uid_map", *outside);
		write_map(self, "gid_map", *outside);
		_exit(0);
	}
	close(ready[0]);
	if (setgroups(0, NULL) || unshare(CLONE_NEWUSER))
		die("unshare");
	if (write(ready[1], "", 1) != 1)
		die("pipe");
	close(ready[1]);
	if (waitpid(writer, &status, 0) != writer || status)
		die("uid_map");
	if (setresgid(0, 0, 0) || setresuid(0, 0, 0))
		die("setresuid");
}

void run_in_userns(uid_t outside, void (*fn)(void))
{
	in_child(enter_userns, &outside, fn);
}
