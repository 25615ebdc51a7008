// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Namespaces of a mounted tree: MOUNTPOINT/kernel/ipc/NAME. The file "ns" in
 * it says where the region is, and whoever has it open has the namespace.
 */
#include "fs/cli/ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/cli/cli-internal.h"

/* Where programs seldom look, as the region's own descriptor. */
#define FD_MIN 100

static int failed(const char *path, int err)
{
	kf_error("cannot open %s: %s", path, strerror(err));
	return -1;
}

static int open_ns(const char *mountpoint, const char *name)
{
	char path[PATH_MAX];
	int len, fd, kept;

	len = snprintf(path, sizeof(path), "%s/kernel/ipc/%s", mountpoint,
		       name);
	if (len + sizeof("/ns") > sizeof(path))
		return failed(mountpoint, ENAMETOOLONG);
	if (mkdir(path, 0755) && errno != EEXIST) {
		kf_error("cannot make %s: %s", path, strerror(errno));
		return -1;
	}
	strcat(path, "/ns");
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return failed(path, errno);
	kept = fcntl(fd, F_DUPFD, FD_MIN);
	if (kept < 0)
		return fd;
	close(fd);
	return kept;
}

/* The first line of "ns". */
static int read_path(int fd, char *ret_path)
{
	ssize_t len = pread(fd, ret_path, PATH_MAX - 1, 0);

	if (len < 0)
		return -errno;
	ret_path[len] = '\0';
	ret_path[strcspn(ret_path, "\n")] = '\0';
	return *ret_path == '/' ? 0 : -EPROTO;
}

int kf_ipc_tree(const char *mountpoint, const char *name,
		struct ipc_namespace **ret_ns, char *ret_path)
{
	int fd = open_ns(mountpoint, name), err;

	if (fd < 0)
		return -1;
	err = read_path(fd, ret_path);
	if (err)
		kf_error("cannot read %s/kernel/ipc/%s/ns: %s", mountpoint,
			 name, strerror(-err));
	if (!err) {
		err = ipc_ns_open(AT_FDCWD, ret_path, ret_ns);
		if (err)
			failed(ret_path, -err);
	}
	if (!err)
		return 0;
	close(fd);
	return -1;
}
