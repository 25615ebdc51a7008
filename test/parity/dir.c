// SPDX-License-Identifier: LGPL-2.1-or-later
/* Listing directories: names, order, types, offsets, short buffers. */
#include "test/parity/parity.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

struct entry {
	unsigned long ino;
	long off;
	unsigned short len;
	unsigned char type;
	char name[];
};

static long get(int fd, size_t size)
{
	return syscall(SYS_getdents64, fd, buf, size);
}

static struct entry *next(struct entry *e)
{
	return (struct entry *)((char *)e + e->len);
}

/* What is in buf. */
static void say_entries(int fd, long len)
{
	struct entry *e = (struct entry *)buf, *end = (void *)(buf + len);
	char what[400];

	for (; len > 0 && e < end; e = next(e)) {
		struct stat st;
		bool known = fstatat(fd, e->name, &st, AT_SYMLINK_NOFOLLOW) ==
			     0;

		snprintf(what, sizeof(what), "%s type %d%s", e->name, e->type,
			 known && st.st_ino == e->ino ? "" :
							" of another number");
		note(what);
	}
}

static void whole(const char *dir)
{
	int fd = open(dir, O_RDONLY);
	long len;

	note(dir);
	CALL(fchdir(fd));
	while ((len = get(fd, 4096)) > 0)
		say_entries(fd, len);
	CALL(get(fd, 4096));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(get(fd, 4096) > 0);
	close(fd);
}

static void offsets(void)
{
	long first[64], len;
	int fd = FD(open(s.dir, O_RDONLY)), nr = 0;
	bool rising = true;
	struct entry *e = (struct entry *)buf, *end;

	len = get(fd, 4096);
	end = (struct entry *)(buf + (len > 0 ? len : 0));
	for (; e < end && nr < 64; e = next(e)) {
		first[nr++] = e->off;
		rising = rising && (nr < 2 || first[nr - 1] > first[nr - 2]);
	}
	HOLDS(rising);
	HOLDS(nr > 3 && first[0] == 1);
	note("from the third on");
	CALL(lseek(fd, nr > 3 ? first[1] : 0, SEEK_SET) != -1);
	len = get(fd, 4096);
	say_entries(fd, len > 64 ? 64 : len);
	note("from between two");
	CALL(lseek(fd, nr > 3 ? first[1] - 1 : 0, SEEK_SET) != -1);
	len = get(fd, 4096);
	say_entries(fd, len > 64 ? 64 : len);
	close(fd);
}

static void seeks(void)
{
	int fd = FD(open(s.dir, O_RDONLY));

	CALL(lseek(fd, 0, SEEK_END));
	CALL(lseek(fd, 1, SEEK_SET));
	say_entries(fd, get(fd, 32));
	CALL(lseek(fd, 2, SEEK_SET));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(lseek(fd, INT_MAX, SEEK_SET));
	CALL(get(fd, 4096));
	CALL(lseek(fd, INT_MAX - 1L, SEEK_SET));
	CALL(get(fd, 4096) > 0);
	CALL(lseek(fd, INT_MAX + 1L, SEEK_SET));
	CALL(lseek(fd, -1, SEEK_SET));
	CALL(lseek(fd, 0, SEEK_DATA));
	CALL(lseek(fd, 0, SEEK_HOLE));
	CALL(lseek(fd, 0, 9));
	close(fd);
}

static void short_buffers(void)
{
	int fd = FD(open(s.dir, O_RDONLY)), nr = 0;
	long len;

	CALL(get(fd, 0));
	CALL(get(fd, 10));
	CALL(get(fd, 23));
	CALL(get(fd, 24));
	CALL(get(fd, 24));
	CALL(get(fd, 24));
	while ((len = get(fd, 64)) > 0)
		nr++;
	HOLDS(nr > 3);
	CALL(syscall(SYS_getdents64, fd, nowhere, 4096));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(syscall(SYS_getdents64, fd, nowhere, 4096));
	close(fd);
	fd = FD(open(s.ro, O_RDONLY));
	CALL(get(fd, 4096));
	close(fd);
	fd = FD(open(s.dir, O_PATH));
	CALL(get(fd, 4096));
	close(fd);
}

void group_dir(void)
{
	int back = open(".", O_RDONLY);

	in_group("dir");
	whole(s.dir);
	CALL(fchdir(back));
	whole(s.scratch);
	CALL(fchdir(back));
	offsets();
	seeks();
	short_buffers();
	close(back);
}
