// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * access(), stat() and their kin of the files in procfile.c, by their names
 * and by descriptors: programs that copy compare the two.
 */
#include "fs/ipc/preload/preload.h"

#include <errno.h>
#include <sys/syscall.h>

int __xstat(int version, const char *path, struct stat *st);
int __xstat64(int version, const char *path, struct stat64 *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstat64(int version, int fd, struct stat64 *st);
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat64(int version, const char *path, struct stat64 *st);
int __fxstatat(int version, int dirfd, const char *path, struct stat *st,
	       int flags);
int __fxstatat64(int version, int dirfd, const char *path, struct stat64 *st,
		 int flags);

static int result(int err)
{
	if (!err)
		return 0;
	errno = -err;
	return -1;
}

KF_CALL int access(const char *path, int mode)
{
	enum kf_procfile file = kf_procfile(path);

	if (likely(file == KF_PROC_NONE))
		return kf_real()->access(path, mode);
	return result(kf_procfile_access(file, mode, getuid()));
}

KF_CALL int euidaccess(const char *path, int mode)
{
	enum kf_procfile file = kf_procfile(path);

	if (likely(file == KF_PROC_NONE))
		return kf_real()->euidaccess(path, mode);
	return result(kf_procfile_access(file, mode, geteuid()));
}

KF_ALIAS(euidaccess) int eaccess(const char *path, int mode);

KF_CALL int faccessat(int dirfd, const char *path, int mode, int flags)
{
	enum kf_procfile file = kf_procfile(path);

	if (likely(file == KF_PROC_NONE))
		return kf_real()->faccessat(dirfd, path, mode, flags);
	return result(kf_procfile_access(
		file, mode, flags & AT_EACCESS ? geteuid() : getuid()));
}

KF_CALL int stat(const char *path, struct stat *st)
{
	enum kf_procfile file = kf_procfile(path);

	if (likely(file == KF_PROC_NONE))
		return kf_real()->stat(path, st);
	kf_procfile_stat(file, st);
	return 0;
}

KF_CALL int lstat(const char *path, struct stat *st)
{
	enum kf_procfile file = kf_procfile(path);

	if (likely(file == KF_PROC_NONE))
		return kf_real()->lstat(path, st);
	kf_procfile_stat(file, st);
	return 0;
}

/* A file without a name: it may be one of ours. */
static enum kf_procfile of_unnamed(int fd, mode_t mode, unsigned long nlink)
{
	if (likely(nlink || !S_ISREG(mode) || !kf_in_ns()))
		return KF_PROC_NONE;
	return kf_procfile_of_fd(fd);
}

/* After the call, so that @path is none or can be read. */
static bool is_empty(const char *path, int flags)
{
	return (flags & AT_EMPTY_PATH) && (!kf_is_pointer(path) || !*path);
}

static int stat_fd(int fd, struct stat *st)
{
	enum kf_procfile file = of_unnamed(fd, st->st_mode, st->st_nlink);

	if (unlikely(file != KF_PROC_NONE))
		kf_procfile_stat(file, st);
	return 0;
}

KF_CALL int fstat(int fd, struct stat *st)
{
	int ret = kf_real()->fstat(fd, st);

	return ret ? ret : stat_fd(fd, st);
}

KF_CALL int fstatat(int dirfd, const char *path, struct stat *st, int flags)
{
	enum kf_procfile file = kf_procfile(path);
	int ret;

	if (unlikely(file != KF_PROC_NONE)) {
		kf_procfile_stat(file, st);
		return 0;
	}
	ret = kf_real()->fstatat(dirfd, path, st, flags);
	if (ret || likely(!is_empty(path, flags)))
		return ret;
	return stat_fd(dirfd, st);
}

static void to_statx(const struct stat *st, struct statx *stx)
{
	*stx = (struct statx){
		.stx_mask = STATX_BASIC_STATS,
		.stx_blksize = (uint32_t)st->st_blksize,
		.stx_nlink = (uint32_t)st->st_nlink,
		.stx_uid = st->st_uid,
		.stx_gid = st->st_gid,
		.stx_mode = (uint16_t)st->st_mode,
		.stx_ino = st->st_ino,
		.stx_mtime = { .tv_sec = st->st_mtim.tv_sec },
	};
	stx->stx_atime = stx->stx_mtime;
	stx->stx_ctime = stx->stx_mtime;
}

KF_CALL int statx(int dirfd, const char *path, int flags, unsigned int mask,
		  struct statx *stx)
{
	enum kf_procfile file = kf_procfile(path);
	struct stat st;
	int ret;

	if (likely(file == KF_PROC_NONE)) {
		ret = kf_real()->statx(dirfd, path, flags, mask, stx);
		if (ret || likely(!is_empty(path, flags)))
			return ret;
		file = of_unnamed(dirfd, stx->stx_mode, stx->stx_nlink);
		if (likely(file == KF_PROC_NONE))
			return 0;
	}
	kf_procfile_stat(file, &st);
	to_statx(&st, stx);
	return 0;
}

#ifdef __LP64__

/* where struct stat64 is struct stat */
KF_CALL int stat64(const char *path, struct stat64 *st)
{
	return stat(path, (struct stat *)st);
}

KF_CALL int lstat64(const char *path, struct stat64 *st)
{
	return lstat(path, (struct stat *)st);
}

KF_CALL int fstat64(int fd, struct stat64 *st)
{
	return fstat(fd, (struct stat *)st);
}

KF_CALL int fstatat64(int dirfd, const char *path, struct stat64 *st,
		      int flags)
{
	return fstatat(dirfd, path, (struct stat *)st, flags);
}

/* Programs built before glibc 2.33; one version is left on these machines. */
KF_CALL int __xstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return stat(path, st);
}

KF_CALL int __lxstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return lstat(path, st);
}

KF_CALL int __fxstat(int version, int fd, struct stat *st)
{
	(void)version;
	return fstat(fd, st);
}

KF_CALL int __fxstatat(int version, int dirfd, const char *path,
		       struct stat *st, int flags)
{
	(void)version;
	return fstatat(dirfd, path, st, flags);
}

KF_CALL int __xstat64(int version, const char *path, struct stat64 *st)
{
	(void)version;
	return stat(path, (struct stat *)st);
}

KF_CALL int __lxstat64(int version, const char *path, struct stat64 *st)
{
	(void)version;
	return lstat(path, (struct stat *)st);
}

KF_CALL int __fxstat64(int version, int fd, struct stat64 *st)
{
	(void)version;
	return fstat(fd, (struct stat *)st);
}

KF_CALL int __fxstatat64(int version, int dirfd, const char *path,
			 struct stat64 *st, int flags)
{
	(void)version;
	return fstatat(dirfd, path, (struct stat *)st, flags);
}

#endif
