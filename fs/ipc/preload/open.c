// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * open() and its kin of the files in procfile.c, and of /proc/self/ns/ipc.
 *
 * The program gets a memory file with the content of this moment. A limit
 * that is written takes effect at the write() if the program makes it itself.
 * What the C library writes, say for a shell's echo, never comes by here: it
 * stays in the memory file, and is taken from there when the descriptor is
 * closed or replaced or the program ends. fclose() can still say that it was no
 * good; for the others it is too late. Such a descriptor is passed on as standard output: programs look
 * whether theirs is one.
 *
 * fopen() has its own way, see fopen.c.
 */
#include "fs/ipc/preload/preload.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lock/atomic.h"

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dirfd, const char *path, int flags);
int __openat64_2(int dirfd, const char *path, int flags);

/* --- descriptors that may be written to --- */

#define NR_WRITTEN 16

/*
 * Descriptor + 1, or 0 for a free entry. Threads that use one descriptor are
 * in the program's order; those of different ones use different entries.
 */
static struct written {
	int fd1; /* atomic */
	enum kf_procfile file;
} written[NR_WRITTEN];
static bool any_written; /* atomic; never false again */

static struct written *find_written(int fd)
{
	/* pairs with the store in remember() */
	if (likely(!READ_ONCE(any_written)))
		return NULL;
	for (int i = 0; i < NR_WRITTEN; i++)
		if (smp_load_acquire(&written[i].fd1) == fd + 1)
			return &written[i];
	return NULL;
}

static void remember(int fd, enum kf_procfile file)
{
	for (int i = 0; i < NR_WRITTEN; i++) {
		int none = 0;

		if (!__atomic_compare_exchange_n(&written[i].fd1, &none, -1,
						 false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		written[i].file = file;
		smp_store_release(&written[i].fd1, fd + 1);
		WRITE_ONCE(any_written, true);
		return;
	}
}

/* What is in the memory file was written behind our back. 0 or -errno. */
static int take_in(int fd, enum kf_procfile file)
{
	char text[64];
	ssize_t len = pread(fd, text, sizeof(text), 0), ret;

	if (len <= 0)
		return 0;
	ret = kf_procfile_write(file, text, (size_t)len);
	if (ftruncate(fd, 0) == 0)
		lseek(fd, 0, SEEK_SET);
	return ret < 0 ? (int)ret : 0;
}

int kf_written_flush(int fd)
{
	struct written *w = find_written(fd);
	int saved_errno = errno, err;

	if (likely(!w))
		return 0;
	err = take_in(fd, w->file);
	smp_store_release(&w->fd1, 0);
	errno = saved_errno;
	return err;
}

bool kf_written(int fd)
{
	return unlikely(find_written(fd) != NULL);
}

void kf_written_dup(int fd, int to)
{
	struct written *w = find_written(fd);

	if (unlikely(w && fd != to))
		remember(to, w->file);
}

static void __attribute__((destructor)) take_in_all(void)
{
	if (!READ_ONCE(any_written))
		return;
	fflush(NULL); /* the C library does so later */
	for (int i = 0; i < NR_WRITTEN; i++)
		if (written[i].fd1 > 0)
			take_in(written[i].fd1 - 1, written[i].file);
}

/* Standard output, from whoever started this program. */
static void __attribute__((constructor)) init(void)
{
	enum kf_procfile file = KF_PROC_NONE;

	if (kf_in_ns())
		file = kf_procfile_of_fd(1);
	if (file != KF_PROC_NONE)
		remember(1, file);
}

KF_CALL ssize_t write(int fd, const void *buf, size_t size)
{
	struct written *w = find_written(fd);
	ssize_t ret;

	if (likely(!w))
		return kf_real()->write(fd, buf, size);
	/* as a terminal's output, in the order it was written */
	take_in(fd, w->file);
	ret = kf_procfile_write(w->file, buf, size);
	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return -1;
}

KF_ALIAS(write) ssize_t __write(int fd, const void *buf, size_t size);

/* --- opening --- */

static int may_open(enum kf_procfile file, int flags)
{
	int mode = 0;

	if ((flags & O_CREAT) && (flags & O_EXCL))
		return -EEXIST;
	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	if ((flags & O_ACCMODE) != O_WRONLY)
		mode |= R_OK;
	if ((flags & O_ACCMODE) != O_RDONLY)
		mode |= W_OK;
	return kf_procfile_access(file, mode, geteuid());
}

static int fill(int fd, enum kf_procfile file)
{
	char *text;
	ssize_t len = kf_procfile_read(file, &text), done = 0;

	if (len < 0)
		return (int)len;
	while (done < len) {
		ssize_t n = kf_real()->write(fd, text + done,
					     (size_t)(len - done));

		if (n < 0)
			break;
		done += n;
	}
	free(text);
	if (done < len)
		return -errno;
	return lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

int kf_procfile_open(enum kf_procfile file, int flags)
{
	int access = flags & O_ACCMODE, fd, err;
	char name[KF_PROCFILE_NAME_MAX];
	struct stat st;

	err = may_open(file, flags);
	if (err)
		return err;
	kf_procfile_name(file, name);
	fd = memfd_create(name, flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	if (fd < 0)
		return -errno;
	kf_procfile_stat(file, &st);
	fchmod(fd, st.st_mode & 0777);
	/* what is there already was not written by the program */
	if (access == O_RDONLY)
		err = fill(fd, file);
	else
		remember(fd, file);
	if (!err)
		return fd;
	kf_real()->close(fd);
	return err;
}

/* /proc/self/ns/ipc, by which a program comes back with setns(). */
static bool is_own_ns(const char *path)
{
	char mine[64];

	if (strncmp(path, "/proc/", 6) != 0)
		return false;
	if (strcmp(path, "/proc/self/ns/ipc") == 0 ||
	    strcmp(path, "/proc/thread-self/ns/ipc") == 0)
		return true;
	snprintf(mine, sizeof(mine), "/proc/%d/ns/ipc", (int)getpid());
	return strcmp(path, mine) == 0;
}

static int open_ns(int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", kf_ns_fd());
	return kf_real()->open(path, O_RDWR | (flags & O_CLOEXEC));
}

/* Whether it was for us; then *@ret_fd is what to return. */
static bool opened(const char *path, int flags, int *ret_fd)
{
	enum kf_procfile file = kf_procfile(path);
	int fd;

	if (likely(file == KF_PROC_NONE)) {
		if (!kf_in_ns() || !kf_is_pointer(path) || !is_own_ns(path) ||
		    kf_ns_fd() < 0)
			return false;
		*ret_fd = open_ns(flags);
		return true;
	}
	fd = kf_procfile_open(file, flags);
	if (fd < 0) {
		errno = -fd;
		fd = -1;
	}
	*ret_fd = fd;
	return true;
}

/* The mode, if there is one. */
#define GET_MODE(mode, flags)                                                  \
	do {                                                                   \
		va_list ap;                                                    \
                                                                               \
		if (!((flags) & O_CREAT) &&                                    \
		    ((flags) & O_TMPFILE) != O_TMPFILE)                        \
			break;                                                 \
		va_start(ap, flags);                                           \
		(mode) = va_arg(ap, mode_t);                                   \
		va_end(ap);                                                    \
	} while (0)

KF_CALL int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	int fd;

	GET_MODE(mode, flags);
	if (unlikely(opened(path, flags, &fd)))
		return fd;
	return kf_real()->open(path, flags, mode);
}

KF_CALL int openat(int dirfd, const char *path, int flags, ...)
{
	mode_t mode = 0;
	int fd;

	GET_MODE(mode, flags);
	if (unlikely(opened(path, flags, &fd)))
		return fd;
	return kf_real()->openat(dirfd, path, flags, mode);
}

/* What hardened programs call where no mode was given. */
KF_CALL int __open_2(const char *path, int flags)
{
	return open(path, flags);
}

KF_CALL int __openat_2(int dirfd, const char *path, int flags)
{
	return openat(dirfd, path, flags);
}

#ifdef __LP64__
/* where O_LARGEFILE changes nothing */
KF_ALIAS(open) int open64(const char *path, int flags, ...);
KF_ALIAS(open) int __open(const char *path, int flags, ...);
KF_ALIAS(open) int __open64(const char *path, int flags, ...);
KF_ALIAS(openat) int openat64(int dirfd, const char *path, int flags, ...);
KF_ALIAS(__open_2) int __open64_2(const char *path, int flags);
KF_ALIAS(__openat_2)
int __openat64_2(int dirfd, const char *path, int flags);
#endif
