// SPDX-License-Identifier: LGPL-2.1-or-later
/* Namespaces of this user's that have a name: files in one directory. */
#include "fs/cli/ipc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/ipc/session.h"

/* Others may remove it and make it anew between any two of our calls. */
#define TRIES 100

static bool has_name(struct ipc_namespace *ns)
{
	struct stat st;

	return fstat(ipc_ns_fd(ns), &st) == 0 && st.st_nlink > 0;
}

/* Return: 0; -EAGAIN it was just being made or removed; -errno. */
static int join(int dirfd, const char *name, struct ipc_namespace **ret_ns)
{
	int err = ipc_ns_open(dirfd, name, ret_ns);

	if (err == -ENOENT || err == -EWOULDBLOCK)
		return -EAGAIN;
	if (err || has_name(*ret_ns))
		return err;
	ipc_ns_close(*ret_ns);
	return -EAGAIN;
}

static int make_or_join(int dirfd, const char *name,
			const struct ipc_params *params,
			struct ipc_namespace **ret_ns)
{
	for (int i = 0; i < TRIES; i++) {
		int err = ipc_ns_create(dirfd, name, params, ret_ns);

		if (err == -EEXIST)
			err = join(dirfd, name, ret_ns);
		if (err != -EAGAIN)
			return err;
		usleep(1000);
	}
	return -EBUSY;
}

int kf_ipc_named(const char *name, const struct ipc_params *params,
		 struct ipc_namespace **ret_ns, char *ret_path)
{
	char dir[PATH_MAX];
	int dirfd = ipc_session_dir(dir, true), err;

	if (dirfd < 0)
		return dirfd;
	err = make_or_join(dirfd, name, params, ret_ns);
	if (!err) {
		err = ipc_session_keep(dirfd, name, *ret_ns);
		if (err)
			ipc_ns_close(*ret_ns);
	}
	close(dirfd);
	if (err)
		return err;
	if (snprintf(ret_path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX)
		return 0;
	ipc_ns_close(*ret_ns);
	return -ENAMETOOLONG;
}
