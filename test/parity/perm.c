// SPDX-License-Identifier: LGPL-2.1-or-later
/* What others than root may do: owner, group, supplementary group, others. */
#include "test/parity/parity.h"

#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

#define OWNER 1201
#define GROUP 1301
#define OTHER 1202

static const char *who;

static void on_file(void)
{
	struct stat st;

	in_group(who);
	TRY(open(s.srw, O_RDONLY));
	TRY(open(s.srw, O_WRONLY));
	TRY(open(s.srw, O_RDWR));
	TRY(open(s.srw, O_RDONLY | O_TRUNC));
	TRY(open(s.srw, O_RDONLY | O_NOATIME));
	TRY(open(s.srw, O_PATH));
	CALL(access(s.srw, R_OK));
	CALL(access(s.srw, W_OK));
	CALL(access(s.srw, X_OK));
	CALL(truncate(s.srw, 0));
	CALL(stat(s.srw, &st));
	TRY(open(s.sro, O_RDONLY));
	TRY(open(s.sro, O_WRONLY));
	TRY(open(s.swo, O_RDONLY));
	TRY(open(s.swo, O_WRONLY));
	TRY(open(s.scratch, O_RDONLY));
	CALL(access(s.scratch, W_OK | X_OK));
}

static void on_attributes(void)
{
	struct timespec now[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };
	struct timespec set[2] = { { 1, 1 }, { 1, 1 } };
	struct stat st = { 0 };

	CALL(chmod(s.srw, 0664));
	CALL(chmod(s.srw, 02664));
	CALL(stat(s.srw, &st));
	CALL(st.st_mode);
	CALL(chown(s.srw, OTHER, (gid_t)-1));
	CALL(chown(s.srw, (uid_t)-1, GROUP));
	CALL(chown(s.srw, (uid_t)-1, OTHER));
	CALL(chown(s.srw, (uid_t)-1, (gid_t)-1));
	CALL(utimensat(AT_FDCWD, s.srw, now, 0));
	CALL(utimensat(AT_FDCWD, s.srw, set, 0));
	CALL(setxattr(s.srw, "user.a", "v", 1, 0));
	CALL(getxattr(s.srw, "user.a", buf, 10));
	CALL(removexattr(s.srw, "user.a"));
	CALL(setxattr(s.srw, "trusted.a", "v", 1, 0));
	CALL(getxattr(s.srw, "trusted.a", buf, 10));
	CALL(setxattr(s.srw, "security.parity", "v", 1, 0));
	CALL(getxattr(s.srw, "security.parity", buf, 10));
	DATA(listxattr(s.srw, buf, 100));
}

static void makes_directory(const char *path)
{
	struct stat st = { 0 };

	CALL(mkdir(path, 0755));
	CALL(stat(path, &st));
	CALL(st.st_uid);
	CALL(st.st_gid);
	snprintf(buf, sizeof(buf), "%s/cgroup.procs", path);
	CALL(stat(buf, &st));
	CALL(st.st_uid);
	CALL(st.st_gid);
	CALL(rmdir(path));
}

/* in a directory one may write to: is the file system asked then? */
static void on_names(void)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/parity-new", s.scratch);
	TRY(open(path, O_RDWR | O_CREAT, 0644));
	CALL(mknod(path, S_IFREG | 0644, 0));
	CALL(mknod(path, S_IFIFO | 0644, 0));
	CALL(symlink("text", path));
	CALL(link(s.srw, path));
	CALL(link(s.sro, path));
	CALL(unlink(s.srw));
	CALL(unlink("missing"));
	CALL(rename(s.srw, path));
	CALL(rename(s.sro, s.srw));
	if (s.hooks) {
		makes_directory(path);
		return;
	}
	CALL(mkdir(path, 0755));
	CALL(mkdir("parity-new", 0755));
	CALL(rmdir(s.dir));
	CALL(rename(s.dir, "parity-new"));
}

static void everything(void)
{
	on_file();
	on_attributes();
	on_names();
}

static void files_only(void)
{
	on_file();
}

static void as(const char *name, uid_t uid, gid_t gid, gid_t group,
	       void (*fn)(void))
{
	who = name;
	run_as(uid, gid, group, fn);
	in_group("perm");
}

static void modes_of_group(void)
{
	static const mode_t modes[] = { 0664, 0640, 0620, 0604, 0444, 0000 };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		CALL(chmod(s.srw, modes[i]));
		as("perm/owner", OWNER, OTHER, (gid_t)-1, files_only);
		as("perm/group", OTHER, GROUP, (gid_t)-1, files_only);
		as("perm/supplementary", OTHER, OTHER, GROUP, files_only);
		as("perm/other", OTHER, OTHER, OTHER, files_only);
		as("perm/root", 0, 0, (gid_t)-1, files_only);
	}
}

static void reset(void)
{
	CALL(chown(s.srw, OWNER, GROUP));
	CALL(chmod(s.srw, 0660));
}

void group_perm(void)
{
	in_group("perm");
	note("the file belongs to somebody");
	reset();
	modes_of_group();
	reset();
	as("perm/owner", OWNER, OTHER, GROUP, everything);
	reset();
	as("perm/owner not in group", OWNER, OTHER, (gid_t)-1, everything);
	reset();
	as("perm/group", OTHER, GROUP, (gid_t)-1, everything);
	reset();
	as("perm/supplementary", OTHER, OTHER, GROUP, everything);
	reset();
	as("perm/other", OTHER, OTHER, (gid_t)-1, everything);
	note("the directory, too");
	CALL(chown(s.scratch, OWNER, GROUP));
	reset();
	as("perm/owner", OWNER, GROUP, (gid_t)-1, everything);
	CALL(chmod(s.scratch, 0700));
	as("perm/other", OTHER, OTHER, (gid_t)-1, everything);
	CALL(chmod(s.scratch, 0711));
	as("perm/other", OTHER, OTHER, (gid_t)-1, files_only);
	CALL(chmod(s.scratch, 0755));
	CALL(chown(s.scratch, 0, 0));
	CALL(chown(s.srw, 0, 0));
	CALL(chmod(s.srw, 0644));
	removexattr(s.srw, "user.a");
}

static void mapped(void)
{
	struct stat st = { 0 };

	on_file();
	CALL(stat(s.srw, &st));
	CALL(st.st_uid);
	CALL(st.st_gid);
	CALL(stat(s.scratch, &st));
	CALL(st.st_uid);
	on_attributes();
	on_names();
}

static void mapped_to(const char *name, uid_t outside)
{
	who = name;
	reset();
	run_in_userns(outside, mapped);
	in_group("userns");
}

void group_userns(void)
{
	in_group("userns");
	mapped_to("userns/root", 0);
	mapped_to("userns/owner", OWNER);
	mapped_to("userns/other", OTHER);
	CALL(chown(s.scratch, OWNER, OWNER));
	CALL(chown(s.srw, OWNER, OWNER));
	mapped_to("userns/owner of directory", OWNER);
	CALL(chown(s.scratch, 0, 0));
	CALL(chown(s.srw, 0, 0));
	CALL(chmod(s.srw, 0644));
	removexattr(s.srw, "user.a");
}
