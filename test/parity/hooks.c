// SPDX-License-Identifier: LGPL-2.1-or-later
/* mkdir and rmdir where they do something: a control group. */
#include "test/parity/parity.h"

#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>

static int scratch;

static void show(const char *name)
{
	struct stat st;
	char what[128];

	CALL(fstatat(scratch, name, &st, 0));
	snprintf(what, sizeof(what), "%s is mode %o nlink %lu owner %u:%u",
		 name, st.st_mode, (unsigned long)st.st_nlink, st.st_uid,
		 st.st_gid);
	note(what);
}

static void children(void)
{
	struct stat st;

	CALL(mkdirat(scratch, "a", 0755));
	show("a");
	show(".");
	CALL(mkdirat(scratch, "a", 0755));
	CALL(mkdirat(scratch, "cgroup.procs", 0755));
	CALL(mkdirat(scratch, "a/b", 0700));
	show("a/b");
	show("a");
	umask(0);
	CALL(mkdirat(scratch, "c", 01777));
	show("c");
	umask(022);
	CALL(mkdirat(scratch, "d/", 0755));
	CALL(mkdirat(scratch, "new\nline", 0755));
	CALL(mkdirat(scratch, " a\t", 0755));
	CALL(unlinkat(scratch, " a\t", AT_REMOVEDIR));
	CALL(mkdirat(scratch, "cgroup.procs/a", 0755));
	CALL(fstatat(scratch, "a/cgroup.procs", &st, 0));
	CALL(fstatat(scratch, "a/b/cgroup.procs", &st, 0));
}

static void removals(void)
{
	CALL(unlinkat(scratch, "a", AT_REMOVEDIR));
	CALL(unlinkat(scratch, "a", 0));
	CALL(unlinkat(scratch, "a/.", AT_REMOVEDIR));
	CALL(unlinkat(scratch, "a/..", AT_REMOVEDIR));
	CALL(unlinkat(scratch, "a/cgroup.procs", AT_REMOVEDIR));
	CALL(unlinkat(scratch, "a/cgroup.procs", 0));
	CALL(unlinkat(scratch, "missing", AT_REMOVEDIR));
	CALL(unlinkat(scratch, "a/b", AT_REMOVEDIR));
	CALL(unlinkat(scratch, "a/b", AT_REMOVEDIR));
	show("a");
	CALL(unlinkat(scratch, "a", AT_REMOVEDIR));
	CALL(unlinkat(scratch, "c", AT_REMOVEDIR));
	CALL(unlinkat(scratch, "d", AT_REMOVEDIR));
	show(".");
}

static long rename2(const char *from, const char *to, unsigned int flags)
{
	return syscall(SYS_renameat2, scratch, from, scratch, to, flags);
}

static void renames(void)
{
	CALL(mkdirat(scratch, "a", 0755));
	CALL(rename2("a", "b", 0));
	CALL(rename2("a", "b", RENAME_NOREPLACE));
	CALL(rename2("a", "a", 0));
	CALL(rename2("a", "cgroup.procs", 0));
	CALL(rename2("cgroup.procs", "cgroup.x", 0));
	CALL(rename2("a", "a/b", 0));
	CALL(unlinkat(scratch, "a", AT_REMOVEDIR));
}

static void long_names(void)
{
	char name[300];

	memset(name, 'n', sizeof(name));
	name[255] = '\0';
	note("name of 255 bytes");
	CALL(mkdirat(scratch, name, 0755));
	CALL(unlinkat(scratch, name, AT_REMOVEDIR));
	name[255] = 'n';
	name[256] = '\0';
	note("name of 256 bytes");
	CALL(mkdirat(scratch, name, 0755));
	CALL(unlinkat(scratch, name, AT_REMOVEDIR));
}

/* open descriptors of a name that is used again */
static void again(void)
{
	struct stat first, second;
	int fd, dir;

	CALL(mkdirat(scratch, "a", 0755));
	CALL(fstatat(scratch, "a", &first, 0));
	dir = FD(openat(scratch, "a", O_RDONLY));
	fd = FD(openat(dir, "cgroup.procs", O_RDWR));
	CALL(unlinkat(scratch, "a", AT_REMOVEDIR));
	CALL(mkdirat(scratch, "a", 0755));
	CALL(fstatat(scratch, "a", &second, 0));
	HOLDS(first.st_ino != second.st_ino);
	CALL(fstat(dir, &second));
	HOLDS(first.st_ino == second.st_ino);
	CALL(read(fd, buf, 1));
	TRY(openat(dir, "cgroup.procs", O_RDONLY));
	CALL(mkdirat(dir, "b", 0755));
	close(fd);
	close(dir);
	CALL(unlinkat(scratch, "a", AT_REMOVEDIR));
}

/* a few entries more */
static void next_names(int fd)
{
	long len = syscall(SYS_getdents64, fd, buf, 48);
	char what[400] = "next are";

	for (long at = 0; at < len; at += *(unsigned short *)(buf + at + 16)) {
		size_t used = strlen(what);

		snprintf(what + used, sizeof(what) - used, " %.100s",
			 buf + at + 19);
	}
	note(what);
}

/*
 * What comes while it is being listed. (What goes makes the kernel show a
 * neighbour again, and us not.)
 */
static void listed(void)
{
	int fd = FD(openat(scratch, ".", O_RDONLY));

	for (int i = 0; i < 4; i++)
		next_names(fd);
	CALL(mkdirat(scratch, "a", 0755));
	CALL(mkdirat(scratch, "b", 0755));
	CALL(mkdirat(scratch, "c", 0755));
	for (int i = 0; i < 4; i++)
		next_names(fd);
	CALL(mkdirat(scratch, "d", 0755));
	for (int i = 0; i < 25; i++)
		next_names(fd);
	CALL(unlinkat(scratch, "a", AT_REMOVEDIR));
	CALL(unlinkat(scratch, "b", AT_REMOVEDIR));
	CALL(unlinkat(scratch, "c", AT_REMOVEDIR));
	CALL(unlinkat(scratch, "d", AT_REMOVEDIR));
	close(fd);
}

/* a handle of a file that is there, and is not any more */
static void handles(void)
{
	union {
		struct file_handle fh;
		char room[sizeof(struct file_handle) + 128];
	} h = { .fh.handle_bytes = 128 };
	int mount_id, fd;

	CALL(mkdirat(scratch, "a", 0755));
	CALL(name_to_handle_at(scratch, "a/cgroup.type", &h.fh, &mount_id, 0));
	fd = FD(openat(scratch, "a/cgroup.type", O_RDONLY));
	TRY(open_by_handle_at(scratch, &h.fh, O_RDONLY));
	close(fd);
	CALL(unlinkat(scratch, "a", AT_REMOVEDIR));
	TRY(open_by_handle_at(scratch, &h.fh, O_RDONLY));
}

static void watched(void)
{
	int ifd = inotify_init1(IN_NONBLOCK), gone = inotify_init1(IN_NONBLOCK);
	char path[256];

	CALL(inotify_add_watch(ifd, s.scratch, IN_CREATE | IN_DELETE));
	CALL(mkdirat(scratch, "a", 0755));
	say_events(ifd);
	snprintf(path, sizeof(path), "%s/a", s.scratch);
	CALL(inotify_add_watch(gone, path, IN_DELETE_SELF | IN_IGNORED));
	CALL(unlinkat(scratch, "a", AT_REMOVEDIR));
	say_events(ifd);
	say_events(gone);
	close(ifd);
	close(gone);
}

static void values(void)
{
	int fd = FD(openat(scratch, "cgroup.max.depth", O_RDWR));

	CALL(write(fd, "5\n", 2));
	DATA(pread(fd, buf, 100, 0));
	CALL(write(fd, "x", 1));
	CALL(write(fd, "-1", 2));
	CALL(write(fd, " 7 ", 3));
	DATA(pread(fd, buf, 100, 0));
	CALL(write(fd, "max\n", 4));
	DATA(pread(fd, buf, 100, 0));
	close(fd);
	fd = FD(openat(scratch, "cgroup.controllers", O_RDWR));
	CALL(write(fd, "x", 1));
	close(fd);
	fd = FD(openat(scratch, "cgroup.kill", O_RDWR));
	CALL(read(fd, buf, 10));
	CALL(write(fd, "x", 1));
	CALL(write(fd, "0", 1));
	CALL(write(fd, "1", 1));
	close(fd);
	fd = FD(openat(scratch, "cgroup.type", O_RDWR));
	DATA(read(fd, buf, 100));
	CALL(write(fd, "x", 1));
	close(fd);
}

void group_hooks(void)
{
	int fd;

	in_group("hooks");
	scratch = FD(open(s.scratch, O_RDONLY));
	/* a limit to the depth of groups, changed by others */
	fd = FD(open(s.rw, O_WRONLY));
	CALL(write(fd, s.value, strlen(s.value)));
	close(fd);
	children();
	removals();
	renames();
	long_names();
	again();
	listed();
	handles();
	watched();
	values();
	close(scratch);
}
