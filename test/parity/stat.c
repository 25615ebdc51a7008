// SPDX-License-Identifier: LGPL-2.1-or-later
/* stat and its kin, statfs, access, handles. */
#include "test/parity/parity.h"

#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

static struct stat st, again;

static void show_stat(const char *name)
{
	char what[128];

	snprintf(what, sizeof(what),
		 "%s is mode %o nlink %lu owner %u:%u size %ld blocks %ld "
		 "blksize %ld rdev %lu",
		 name, st.st_mode, (unsigned long)st.st_nlink, st.st_uid,
		 st.st_gid, (long)st.st_size, (long)st.st_blocks,
		 (long)st.st_blksize, (unsigned long)st.st_rdev);
	note(what);
}

#define SHOW(expr) (CALL(expr), show_stat(#expr))

static bool same_times(void)
{
	return !memcmp(&st.st_atim, &again.st_atim, sizeof(st.st_atim)) &&
	       !memcmp(&st.st_mtim, &again.st_mtim, sizeof(st.st_mtim)) &&
	       !memcmp(&st.st_ctim, &again.st_ctim, sizeof(st.st_ctim));
}

static void plain(void)
{
	int fd;

	SHOW(stat(s.dir, &st));
	SHOW(stat(s.subdir, &st));
	SHOW(stat(s.ro, &st));
	SHOW(stat(s.rw, &st));
	SHOW(stat(s.wo, &st));
	SHOW(stat(s.bin, &st));
	SHOW(stat(s.failing, &st));
	SHOW(lstat(s.link, &st));
	SHOW(stat(s.link, &st));
	CALL(stat("missing", &st));
	CALL(stat("", &st));
	CALL(fstatat(AT_FDCWD, "missing/more", &st, 0));

	fd = FD(open(s.ro, O_RDONLY));
	SHOW(fstat(fd, &st));
	CALL(fstatat(fd, "", &again, AT_EMPTY_PATH));
	HOLDS(st.st_ino == again.st_ino && st.st_dev == again.st_dev);
	HOLDS(same_times());
	CALL(fstatat(fd, "name", &st, 0));
	DATA(read(fd, buf, 100));
	CALL(fstat(fd, &again));
	HOLDS(same_times());
	close(fd);
}

static void relations(void)
{
	CALL(stat(s.ro, &st));
	CALL(stat(s.ro, &again));
	HOLDS(st.st_ino == again.st_ino && st.st_dev == again.st_dev);
	CALL(stat(s.dir, &again));
	HOLDS(st.st_ino != again.st_ino && st.st_dev == again.st_dev);
	CALL(stat(".", &again));
	HOLDS(st.st_dev == again.st_dev);
	HOLDS(again.st_ino == 1);
	CALL(stat("..", &again));
	HOLDS(st.st_dev != again.st_dev);
}

static void long_names(void)
{
	static char name[5000];

	memset(name, 'n', sizeof(name) - 1);
	name[255] = '\0';
	note("name of 255 bytes");
	CALL(stat(name, &st));
	name[255] = 'n';
	name[256] = '\0';
	note("name of 256 bytes");
	CALL(stat(name, &st));
	name[256] = 'n';
	name[1024] = '\0';
	note("name of 1024 bytes");
	CALL(stat(name, &st));
	name[1024] = 'n';
	name[4000] = '\0';
	note("name of 4000 bytes");
	CALL(stat(name, &st));
	name[4000] = 'n';
	note("name of 4999 bytes");
	CALL(stat(name, &st));
}

static void extended(void)
{
	struct statx stx;

	CALL(statx(AT_FDCWD, s.ro, 0, STATX_BASIC_STATS, &stx));
	CALL(stx.stx_mask & 0xfff);
	CALL(stx.stx_attributes);
	CALL(stx.stx_attributes_mask & STATX_ATTR_COMPRESSED);
	CALL(statx(AT_FDCWD, s.ro, 0, STATX_ALL, &stx));
	CALL(stx.stx_mask & 0xfff);
	CALL(statx(AT_FDCWD, s.ro, AT_STATX_DONT_SYNC, STATX_SIZE, &stx));
	CALL(stx.stx_size);
	CALL(statx(AT_FDCWD, s.ro, AT_STATX_FORCE_SYNC, STATX_SIZE, &stx));
	CALL(stx.stx_size);
	CALL(statx(AT_FDCWD, s.ro, 0, STATX_DIOALIGN, &stx));
	CALL(stx.stx_mask & STATX_DIOALIGN);
	CALL(statx(AT_FDCWD, s.ro, AT_STATX_SYNC_TYPE, 0, &stx));
	CALL(statx(AT_FDCWD, ".", 0, STATX_BASIC_STATS, &stx));
	CALL(stx.stx_attributes & STATX_ATTR_MOUNT_ROOT);
	CALL(stx.stx_attributes & STATX_ATTR_AUTOMOUNT);
}

static void file_system(void)
{
	struct statfs sfs;
	struct statvfs svfs;
	int fd;

	CALL(statfs(s.ro, &sfs));
	CALL(sfs.f_type);
	CALL(sfs.f_bsize);
	CALL(sfs.f_frsize);
	CALL(sfs.f_blocks + sfs.f_bfree + sfs.f_bavail);
	CALL(sfs.f_files + sfs.f_ffree);
	CALL(sfs.f_namelen);
	HOLDS(sfs.f_fsid.__val[0] || sfs.f_fsid.__val[1]);
	CALL(statvfs(".", &svfs));
	CALL(svfs.f_namemax);
	fd = FD(open(s.dir, O_PATH));
	CALL(fstatfs(fd, &sfs));
	CALL(syncfs(fd));
	close(fd);
	CALL(pathconf(s.dir, _PC_NAME_MAX));
	CALL(pathconf(s.dir, _PC_LINK_MAX));
}

static void may(void)
{
	CALL(access(s.dir, R_OK | W_OK | X_OK));
	CALL(access(s.ro, F_OK));
	CALL(access(s.ro, R_OK));
	CALL(access(s.ro, W_OK));
	CALL(access(s.ro, X_OK));
	CALL(access(s.wo, R_OK));
	CALL(access(s.wo, W_OK));
	CALL(access(s.ro, 8));
	CALL(access("missing", F_OK));
	CALL(faccessat(AT_FDCWD, s.ro, W_OK, AT_EACCESS));
	CALL(faccessat(AT_FDCWD, s.link, W_OK, AT_SYMLINK_NOFOLLOW));
	CALL(chdir(s.ro));
	CALL(chroot(s.ro));
}

static void handles(void)
{
	union {
		struct file_handle fh;
		char room[sizeof(struct file_handle) + 128];
	} h = { .fh.handle_bytes = 128 };
	int mount_id, dir = FD(open(s.dir, O_RDONLY));

	CALL(name_to_handle_at(AT_FDCWD, s.ro, &h.fh, &mount_id, 0));
	h.fh.handle_bytes = 0;
	CALL(name_to_handle_at(AT_FDCWD, s.ro, &h.fh, &mount_id, 0));
	h.fh.handle_bytes = 128;
	/* AT_HANDLE_FID: to be compared, not to be opened */
	CALL(name_to_handle_at(AT_FDCWD, s.ro, &h.fh, &mount_id, 0x200));
	CALL(h.fh.handle_type);
	CALL(h.fh.handle_bytes);
	/* flags of it, and of a wrong one */
	h.fh.handle_type = 0x40;
	TRY(open_by_handle_at(dir, &h.fh, O_RDONLY));
	h.fh.handle_type = 1;
	TRY(open_by_handle_at(dir, &h.fh, O_RDONLY));
	close(dir);
}

void group_stat(void)
{
	in_group("stat");
	plain();
	relations();
	long_names();
	extended();
	file_system();
	may();
	handles();
}
