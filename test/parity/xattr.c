// SPDX-License-Identifier: LGPL-2.1-or-later
/* Extended attributes: prefixes, sizes, flags, lists, limits. */
#include "test/parity/parity.h"

#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

static char big[70000];

static void prefixes(const char *file)
{
	CALL(setxattr(file, "user.a", "v", 1, 0));
	DATA(getxattr(file, "user.a", buf, 10));
	CALL(removexattr(file, "user.a"));
	CALL(setxattr(file, "trusted.a", "value", 5, 0));
	DATA(getxattr(file, "trusted.a", buf, 10));
	CALL(removexattr(file, "trusted.a"));
	CALL(setxattr(file, "security.parity", "v", 1, 0));
	DATA(getxattr(file, "security.parity", buf, 10));
	CALL(removexattr(file, "security.parity"));
	CALL(setxattr(file, "system.a", "v", 1, 0));
	CALL(getxattr(file, "system.a", buf, 10));
	CALL(removexattr(file, "system.a"));
	CALL(setxattr(file, "unknown.a", "v", 1, 0));
	CALL(getxattr(file, "unknown.a", buf, 10));
	CALL(getxattr(file, "system.posix_acl_access", buf, 10));
	CALL(setxattr(file, "system.posix_acl_access", buf, 10, 0));
	CALL(setxattr(file, "noprefix", "v", 1, 0));
	CALL(getxattr(file, "noprefix", buf, 10));
	CALL(setxattr(file, "user.", "v", 1, 0));
	CALL(setxattr(file, "trusted.", "v", 1, 0));
	CALL(getxattr(file, "trusted.", buf, 10));
	CALL(setxattr(file, "", "v", 1, 0));
}

static void values(const char *file)
{
	CALL(setxattr(file, "trusted.a", "one", 3, XATTR_REPLACE));
	CALL(setxattr(file, "trusted.a", "one", 3, XATTR_CREATE));
	CALL(setxattr(file, "trusted.a", "two", 3, XATTR_CREATE));
	CALL(setxattr(file, "trusted.a", "three", 5, XATTR_REPLACE));
	CALL(setxattr(file, "trusted.a", "four", 4, 4));
	CALL(getxattr(file, "trusted.a", NULL, 0));
	CALL(getxattr(file, "trusted.a", buf, 4));
	DATA(getxattr(file, "trusted.a", buf, 5));
	CALL(getxattr(file, "trusted.b", buf, 5));
	CALL(setxattr(file, "trusted.b", "", 0, 0));
	DATA(getxattr(file, "trusted.b", buf, 5));
	CALL(removexattr(file, "trusted.b"));
	CALL(removexattr(file, "trusted.b"));
	CALL(setxattr(file, "trusted.b", big, 65536, 0));
	CALL(getxattr(file, "trusted.b", NULL, 0));
	CALL(setxattr(file, "trusted.c", big, 65537, 0));
	CALL(removexattr(file, "trusted.b"));
	CALL(removexattr(file, "trusted.a"));
}

static void names(const char *file)
{
	char name[300];

	memset(name, 'n', sizeof(name));
	memcpy(name, "trusted.", 8);
	name[255] = '\0';
	note("name of 255 bytes");
	CALL(setxattr(file, name, "v", 1, 0));
	CALL(getxattr(file, name, NULL, 0));
	CALL(removexattr(file, name));
	name[255] = 'n';
	name[256] = '\0';
	note("name of 256 bytes");
	CALL(setxattr(file, name, "v", 1, 0));
	CALL(getxattr(file, name, NULL, 0));
	CALL(removexattr(file, name));
}

static void lists(const char *file)
{
	CALL(listxattr(file, NULL, 0));
	DATA(listxattr(file, buf, 1000));
	CALL(setxattr(file, "trusted.a", "v", 1, 0));
	CALL(setxattr(file, "security.parity", "v", 1, 0));
	CALL(listxattr(file, NULL, 0));
	CALL(listxattr(file, buf, 10));
	/* newest first or not: both */
	CALL(listxattr(file, buf, 1000));
	CALL(removexattr(file, "trusted.a"));
	DATA(listxattr(file, buf, 1000));
	CALL(removexattr(file, "security.parity"));
	DATA(listxattr(file, buf, 1000));
}

static void descriptors(void)
{
	int fd = FD(open(s.sro, O_RDONLY)), path = FD(open(s.sro, O_PATH));

	CALL(fsetxattr(fd, "trusted.a", "v", 1, 0));
	DATA(fgetxattr(fd, "trusted.a", buf, 10));
	DATA(flistxattr(fd, buf, 100));
	CALL(fremovexattr(fd, "trusted.a"));
	CALL(fgetxattr(path, "trusted.a", buf, 10));
	CALL(fsetxattr(path, "trusted.a", "v", 1, 0));
	close(fd);
	close(path);
}

static void links(void)
{
	CALL(lsetxattr(s.link, "user.a", "v", 1, 0));
	CALL(lgetxattr(s.link, "user.a", buf, 10));
	CALL(lsetxattr(s.link, "trusted.a", "v", 1, 0));
	DATA(lgetxattr(s.link, "trusted.a", buf, 10));
	CALL(lremovexattr(s.link, "trusted.a"));
	DATA(llistxattr(s.link, buf, 100));
}

/* 128 of them, 128 KiB in all; counted for user. only */
static void limits(const char *file)
{
	char name[32];
	int made = 0;

	for (int i = 0; i < 130; i++) {
		snprintf(name, sizeof(name), "user.n%d", i);
		made += setxattr(file, name, "v", 1, 0) == 0;
	}
	CALL(made);
	CALL(setxattr(file, "user.one-more", "v", 1, 0));
	CALL(setxattr(file, "user.n0", "w", 1, 0));
	CALL(setxattr(file, "trusted.a", "v", 1, 0));
	CALL(removexattr(file, "trusted.a"));
	CALL(removexattr(file, "user.n0"));
	CALL(setxattr(file, "user.n1", "w", 1, 0));
	CALL(setxattr(file, "user.n0", "w", 1, 0));
	for (int i = 0; i < 130; i++) {
		snprintf(name, sizeof(name), "user.n%d", i);
		removexattr(file, name);
	}
	CALL(setxattr(file, "user.a", big, 65536, 0));
	CALL(setxattr(file, "user.b", big, 65536, 0));
	CALL(setxattr(file, "user.c", big, 1, 0));
	CALL(setxattr(file, "user.b", big, 1, 0));
	CALL(removexattr(file, "user.a"));
	CALL(setxattr(file, "user.b", big, 1, 0));
	CALL(setxattr(file, "user.c", big, 1, 0));
	CALL(removexattr(file, "user.b"));
	CALL(removexattr(file, "user.c"));
	DATA(listxattr(file, buf, 1000));
}

void group_xattr(void)
{
	in_group("xattr");
	note("file");
	prefixes(s.sro);
	values(s.sro);
	names(s.sro);
	lists(s.sro);
	note("directory");
	prefixes(s.scratch);
	lists(s.scratch);
	CALL(getxattr("missing", "user.a", buf, 10));
	descriptors();
	links();
	note("limits");
	limits(s.srw);
}
