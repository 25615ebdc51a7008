// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * unshare() and setns(). Of the process, not of the thread as the kernel has
 * it: a namespace here is what a process has mapped.
 */
#include "fs/ipc/preload/preload.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>

static int fail(int err)
{
	errno = -err;
	return -1;
}

/*
 * The kernel's namespace has semaphores and shared memory, too: it is left as
 * well where that is permitted. That of ours needs no permission.
 */
static int really_unshare(int flags)
{
	if (kf_real()->unshare(flags) == 0)
		return 0;
	flags &= ~CLONE_NEWIPC;
	return flags ? kf_real()->unshare(flags) : 0;
}

KF_CALL int unshare(int flags)
{
	struct ipc_namespace *ns;
	int err;

	if (!(flags & CLONE_NEWIPC) || !kf_in_ns())
		return kf_real()->unshare(flags);
	err = kf_ns_create(&ns);
	if (err)
		return fail(err);
	if (really_unshare(flags)) {
		err = -errno;
		ipc_ns_close(ns);
		return fail(err);
	}
	err = kf_ns_switch(ns, NULL);
	if (!err)
		return 0;
	ipc_ns_close(ns);
	return fail(err);
}

/* A region by its own descriptor, as /proc/self/ns/ipc opens here. */
static int ns_of_region(int fd, struct ipc_namespace **ret, char *ret_path)
{
	char link[64];
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	ssize_t len;
	int err;

	if (own < 0)
		return -errno;
	err = ipc_ns_open_fd(own, ret);
	if (err)
		return err;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, ret_path, PATH_MAX - 1);
	ret_path[len < 0 ? 0 : len] = '\0';
	return 0;
}

/* A file "ns" of the tree: its first line is the region's path. */
static int ns_of_node(int fd, struct ipc_namespace **ret, char *ret_path)
{
	ssize_t len = pread(fd, ret_path, PATH_MAX - 1, 0);

	if (len <= 0 || ret_path[0] != '/')
		return -EINVAL;
	ret_path[len] = '\0';
	ret_path[strcspn(ret_path, "\n")] = '\0';
	return ipc_ns_open(AT_FDCWD, ret_path, ret);
}

static int find_ns(int fd, struct ipc_namespace **ret, char *ret_path)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (ns_of_region(fd, ret, ret_path) == 0)
		return 0;
	return ns_of_node(fd, ret, ret_path);
}

KF_CALL int setns(int fd, int type)
{
	struct ipc_namespace *ns;
	char path[PATH_MAX];
	struct stat st;
	int err;

	if (!kf_in_ns() || (type && !(type & CLONE_NEWIPC)) ||
	    find_ns(fd, &ns, path))
		return kf_real()->setns(fd, type);
	/* a region without a name is found through our descriptor of it */
	err = kf_ns_switch(ns, stat(path, &st) == 0 ? path : NULL);
	if (!err)
		return 0;
	ipc_ns_close(ns);
	return fail(err);
}
