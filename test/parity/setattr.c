// SPDX-License-Identifier: LGPL-2.1-or-later
/* Changing mode, owner and times, and what else does that. */
#include "test/parity/parity.h"

#include <stdio.h>
#include <string.h>

static struct stat st, before;

static void show(const char *name)
{
	char what[128];

	CALL(stat(name, &st));
	snprintf(what, sizeof(what), "is mode %o owner %u:%u size %ld",
		 st.st_mode, st.st_uid, st.st_gid, (long)st.st_size);
	note(what);
}

static bool same(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Which times the calls since the last one have changed. */
static void say_changed(const char *name)
{
	CALL(stat(name, &st));
	HOLDS(same(&st.st_atim, &before.st_atim));
	HOLDS(same(&st.st_mtim, &before.st_mtim));
	HOLDS(same(&st.st_ctim, &before.st_ctim));
	before = st;
	/* more than a tick of any kernel */
	pause_ms(12);
}

static void modes(const char *name)
{
	static const mode_t all[] = {
		0, 0111, 0666, 04755, 02755, 01777, 07777
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		CALL(chmod(name, all[i]));
		show(name);
	}
	CALL(chmod(name, 0644 | S_IFDIR));
	show(name);
	CALL(chmod("missing", 0644));
}

static void executes(void)
{
	static char name[] = "name";
	char *const argv[] = { name, NULL };

	CALL(chmod(s.srw, 0755));
	CALL(access(s.srw, X_OK));
	CALL(execve(s.srw, argv, NULL));
}

/* a set-id bit goes when the owner changes; also when somebody writes? */
static void owners(void)
{
	int fd = FD(open(s.srw, O_RDWR));

	CALL(chmod(s.srw, 06755));
	CALL(write(fd, "", 0));
	CALL(pwrite(fd, "1", 1, 0));
	show(s.srw);
	CALL(chown(s.srw, 12, 34));
	show(s.srw);
	CALL(chmod(s.srw, 06755));
	CALL(chown(s.srw, (uid_t)-1, 35));
	show(s.srw);
	CALL(chmod(s.srw, 06745));
	CALL(fchown(fd, 13, (gid_t)-1));
	show(s.srw);
	CALL(fchown(fd, (uid_t)-1, (gid_t)-1));
	show(s.srw);
	CALL(chown(s.srw, 4294967294u, 4294967294u));
	show(s.srw);
	CALL(chown(s.srw, 0, 0));
	CALL(chmod(s.srw, 0644));
	show(s.srw);
	CALL(lchown(s.scratch, 12, 34));
	show(s.scratch);
	CALL(lchown(s.scratch, 0, 0));
	close(fd);
}

static void times_are(const char *what, time_t atime, time_t mtime)
{
	struct timespec ts[2] = { { atime, 5 }, { mtime, 999999999 } };

	note(what);
	CALL(utimensat(AT_FDCWD, s.srw, ts, 0));
	CALL(stat(s.srw, &st));
	CALL(st.st_atim.tv_sec);
	CALL(st.st_atim.tv_nsec);
	CALL(st.st_mtim.tv_sec);
	CALL(st.st_mtim.tv_nsec);
}

static void times(void)
{
	struct timespec now[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };
	struct timespec omit[2] = { { 0, UTIME_OMIT }, { 77, 7 } };
	struct timespec none[2] = { { 0, UTIME_OMIT }, { 0, UTIME_OMIT } };
	struct timespec bad[2] = { { 0, 1000000000 }, { 0, 0 } };

	times_are("past", 1000, 2000);
	times_are("before 1970", -1000, -2);
	times_are("after 2038", 1L << 33, 1L << 34);
	times_are("far", 1L << 60, -(1L << 60));
	times_are("epoch", 0, 0);
	CALL(stat(s.srw, &before));
	pause_ms(12);
	CALL(utimensat(AT_FDCWD, s.srw, now, 0));
	say_changed(s.srw);
	CALL(utimensat(AT_FDCWD, s.srw, omit, 0));
	say_changed(s.srw);
	CALL(utimensat(AT_FDCWD, s.srw, none, 0));
	say_changed(s.srw);
	CALL(utimensat(AT_FDCWD, s.srw, bad, 0));
	CALL(utimensat(AT_FDCWD, s.srw, NULL, 0));
	say_changed(s.srw);
	HOLDS(same(&st.st_atim, &st.st_mtim));
	HOLDS(same(&st.st_ctim, &st.st_mtim));
}

/* who changes which times */
static void stirred(void)
{
	int fd = FD(open(s.srw, O_RDWR));

	CALL(stat(s.srw, &before));
	pause_ms(12);
	CALL(pread(fd, buf, 1, 0) > 0);
	say_changed(s.srw);
	CALL(pwrite(fd, "1", 1, 0));
	say_changed(s.srw);
	CALL(chmod(s.srw, 0644));
	say_changed(s.srw);
	CALL(chown(s.srw, 0, 0));
	say_changed(s.srw);
	CALL(truncate(s.srw, 10));
	say_changed(s.srw);
	CALL(ftruncate(fd, 10));
	say_changed(s.srw);
	TRY(open(s.srw, O_WRONLY | O_TRUNC));
	say_changed(s.srw);
	TRY(open(s.srw, O_RDONLY | O_TRUNC));
	say_changed(s.srw);
	CALL(fsync(fd));
	say_changed(s.srw);
	close(fd);
}

void group_setattr(void)
{
	in_group("setattr");
	note("file");
	modes(s.srw);
	note("directory");
	modes(s.scratch);
	CALL(chmod(s.scratch, 0755));
	executes();
	owners();
	times();
	stirred();
}
