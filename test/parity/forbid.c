// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Making, removing and renaming where nobody may, or where it is refused
 * for another reason first.
 */
#include "test/parity/parity.h"

#include <linux/fs.h>
#include <stdio.h>
#include <sys/syscall.h>

static const char new[] = "parity-new";

static long rename2(const char *from, const char *to, unsigned int flags)
{
	return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

static void makes(void)
{
	CALL(mknod(new, S_IFREG | 0644, 0));
	CALL(mknod(new, S_IFIFO | 0644, 0));
	CALL(mknod(new, S_IFSOCK | 0644, 0));
	CALL(mknod(new, S_IFCHR | 0644, 0x103));
	CALL(mknod(new, S_IFBLK | 0644, 0x103));
	CALL(mknod(new, S_IFDIR | 0644, 0));
	CALL(mknod(s.ro, S_IFREG | 0644, 0));
	CALL(mknod("missing/more", S_IFREG | 0644, 0));
	CALL(symlink("text", new));
	CALL(symlink("", new));
	CALL(symlink("text", s.ro));
	CALL(symlink("text", "missing/more"));
	CALL(link(s.ro, new));
	CALL(link(s.ro, s.rw));
	CALL(link(s.dir, new));
	CALL(link(s.link, new));
	CALL(link("missing", new));
	CALL(link("/proc/self/status", new));
	CALL(link(s.ro, "/tmp/parity-new"));
	CALL(linkat(AT_FDCWD, s.link, AT_FDCWD, new, AT_SYMLINK_FOLLOW));
	CALL(mkdir(s.dir, 0755));
	CALL(mkdir(s.ro, 0755));
	CALL(mkdir("missing/more", 0755));
	CALL(mkdir(".", 0755));
}

static void unlinks(void)
{
	CALL(unlink(s.ro));
	CALL(unlink(s.rw));
	CALL(unlink(s.link));
	CALL(unlink(s.dir));
	CALL(unlink("missing"));
	CALL(unlink("missing/more"));
	CALL(unlinkat(AT_FDCWD, s.ro, AT_REMOVEDIR));
	CALL(rmdir(s.ro));
	CALL(rmdir(s.link));
	CALL(rmdir("missing"));
	CALL(rmdir("."));
	CALL(rmdir(".."));
}

static void renames(void)
{
	CALL(rename(s.ro, new));
	CALL(rename(s.ro, s.rw));
	CALL(rename(s.ro, s.ro));
	CALL(rename(s.ro, s.dir));
	CALL(rename(s.dir, s.ro));
	CALL(rename(s.link, new));
	CALL(rename("missing", new));
	CALL(rename(s.ro, "missing/more"));
	CALL(rename(s.ro, "/tmp/parity-new"));
	CALL(rename(".", new));
	CALL(rename2(s.ro, new, RENAME_NOREPLACE));
	CALL(rename2(s.ro, s.rw, RENAME_NOREPLACE));
	CALL(rename2(s.ro, s.rw, RENAME_EXCHANGE));
	CALL(rename2(s.ro, new, RENAME_EXCHANGE));
	CALL(rename2(s.ro, new, RENAME_WHITEOUT));
	CALL(rename2(s.ro, new, 1 << 20));
}

/* only where there are no hooks */
static void directories(void)
{
	CALL(mkdir(new, 0755));
	CALL(mkdir(s.link, 0755));
	CALL(rmdir(s.dir));
	CALL(rmdir(s.subdir));
	CALL(rename(s.dir, new));
	CALL(rename(s.subdir, new));
	CALL(rename2(s.subdir, new, RENAME_NOREPLACE));
}

void group_forbid(void)
{
	in_group("forbid");
	makes();
	unlinks();
	renames();
	if (!s.hooks)
		directories();
}
