// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fopen() of the files in procfile.c. Writing goes through a cookie, so that
 * whoever flushes learns whether the limit was taken. Whoever makes a stream of
 * a descriptor, standard output for one, learns it when he closes it.
 */
#include "fs/ipc/preload/preload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cookie {
	enum kf_procfile file;
	char *text; /* as it was when it was opened */
	size_t len, pos;
};

static ssize_t cookie_read(void *data, char *buf, size_t size)
{
	struct cookie *cookie = data;
	size_t left = cookie->len - cookie->pos;

	if (size > left)
		size = left;
	memcpy(buf, cookie->text + cookie->pos, size);
	cookie->pos += size;
	return (ssize_t)size;
}

static ssize_t cookie_write(void *data, const char *buf, size_t size)
{
	struct cookie *cookie = data;
	ssize_t ret = kf_procfile_write(cookie->file, buf, size);

	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return 0; /* an error, by the rules of cookies */
}

static int cookie_seek(void *data, off64_t *pos, int whence)
{
	struct cookie *cookie = data;
	off64_t to = *pos;

	if (whence == SEEK_CUR)
		to += (off64_t)cookie->pos;
	else if (whence == SEEK_END)
		to += (off64_t)cookie->len;
	if (to < 0 || (size_t)to > cookie->len) {
		errno = EINVAL;
		return -1;
	}
	cookie->pos = (size_t)to;
	*pos = to;
	return 0;
}

static int cookie_close(void *data)
{
	struct cookie *cookie = data;

	free(cookie->text);
	free(cookie);
	return 0;
}

static FILE *open_cookie(enum kf_procfile file, const char *mode)
{
	static const cookie_io_functions_t functions = {
		.read = cookie_read,
		.write = cookie_write,
		.seek = cookie_seek,
		.close = cookie_close,
	};
	struct cookie *cookie = calloc(1, sizeof(*cookie));
	ssize_t len;
	FILE *ret;

	if (!cookie)
		return NULL;
	cookie->file = file;
	len = kf_procfile_read(file, &cookie->text);
	if (len < 0) {
		free(cookie);
		errno = (int)-len;
		return NULL;
	}
	cookie->len = (size_t)len;
	ret = fopencookie(cookie, mode, functions);
	if (!ret)
		cookie_close(cookie);
	return ret;
}

static FILE *open_for_reading(enum kf_procfile file, const char *mode)
{
	int fd = kf_procfile_open(file, strchr(mode, 'e') ? O_CLOEXEC : 0);
	FILE *ret;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	ret = fdopen(fd, mode);
	if (!ret)
		close(fd);
	return ret;
}

KF_CALL FILE *fopen(const char *path, const char *mode)
{
	enum kf_procfile file = kf_procfile(path);
	int wanted = R_OK, err;

	if (likely(file == KF_PROC_NONE))
		return kf_real()->fopen(path, mode);
	if (mode[0] == 'r' && !strchr(mode, '+'))
		return open_for_reading(file, mode);
	if (mode[0] != 'r' && !strchr(mode, '+'))
		wanted = W_OK;
	else
		wanted |= W_OK;
	err = kf_procfile_access(file, wanted, geteuid());
	if (!err)
		return open_cookie(file, mode);
	errno = -err;
	return NULL;
}

KF_CALL int fclose(FILE *stream)
{
	int saved_errno = errno, fd = fileno(stream), err, ret;

	errno = saved_errno;
	if (likely(fd < 0 || !kf_written(fd)))
		return kf_real()->fclose(stream);
	fflush(stream);
	err = kf_written_flush(fd);
	ret = kf_real()->fclose(stream);
	if (!err)
		return ret;
	errno = -err;
	return EOF;
}

#ifdef __LP64__
KF_ALIAS(fopen) FILE *fopen64(const char *path, const char *mode);
#endif
