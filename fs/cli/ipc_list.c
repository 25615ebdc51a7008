// SPDX-License-Identifier: LGPL-2.1-or-later
/* kernfuse ipc ls and rm: this user's namespaces that have a name. */
#include "fs/cli/ipc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "fs/cli/cli-internal.h"
#include "fs/ipc/session.h"

/* One that nobody has was left behind when its keeper was killed. */
static bool remove_left_behind(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	bool left;

	if (fd < 0)
		return false;
	left = flock(fd, LOCK_EX | LOCK_NB) == 0;
	if (left)
		unlinkat(dirfd, name, 0);
	close(fd);
	return left;
}

static void print_ns(const char *name, struct ipc_namespace *ns)
{
	struct ipc_totals totals;
	int err = ipc_get_totals(ns, &totals);

	if (err) {
		kf_error("namespace '%s': %s", name, strerror(-err));
		return;
	}
	printf("%-20s %-8s %7d %9lld %12lld\n", name,
	       ipc_ns_counters(ns) == IPC_COUNTERS_ATOMIC ? "atomic" :
							    "percpu",
	       totals.queues, (long long)totals.msg_hdrs,
	       (long long)totals.msg_bytes);
}

static int list(int dirfd, const char *path)
{
	struct dirent **names;
	int nr, ret = KF_EXIT_OK;

	nr = scandirat(dirfd, ".", &names, NULL, alphasort);
	if (nr < 0) {
		kf_error("cannot read %s: %s", path, strerror(errno));
		return KF_EXIT_USAGE;
	}
	printf("%-20s %-8s %7s %9s %12s\n", "NAME", "COUNTERS", "QUEUES",
	       "MESSAGES", "BYTES");
	for (int i = 0; i < nr; i++) {
		const char *name = names[i]->d_name;
		struct ipc_namespace *ns;

		if (kf_ipc_is_name(name) && !remove_left_behind(dirfd, name) &&
		    ipc_ns_open(dirfd, name, &ns) == 0) {
			print_ns(name, ns);
			ipc_ns_close(ns);
		}
		free(names[i]);
	}
	free(names);
	return ret;
}

/* Return: fd; -1 there is none, or the error was told, see *@ret_status. */
static int open_dir(char *path, int *ret_status)
{
	int dirfd = ipc_session_dir(path, false);

	*ret_status = KF_EXIT_OK;
	if (dirfd >= 0 || dirfd == -ENOENT)
		return dirfd;
	kf_error("cannot open %s: %s", path,
		 dirfd == -EPERM ? "it is somebody else's" :
				   strerror(-dirfd));
	*ret_status = KF_EXIT_USAGE;
	return -1;
}

int kf_ipc_ls(int argc, char **argv)
{
	char path[PATH_MAX];
	int dirfd, status;

	if (argc > 1) {
		kf_usage_error("'ipc ls' takes no argument: '%s'", argv[1]);
		return KF_EXIT_USAGE;
	}
	dirfd = open_dir(path, &status);
	if (dirfd < 0)
		return status;
	status = list(dirfd, path);
	close(dirfd);
	return status;
}

static int remove_ns(int dirfd, const char *name)
{
	struct ipc_namespace *ns;
	int err = dirfd < 0 || !kf_ipc_is_name(name) ?
			  -ENOENT :
			  ipc_ns_open(dirfd, name, &ns);

	if (!err) {
		if (unlinkat(dirfd, name, 0))
			err = -errno;
		else
			ipc_ns_kill(ns);
		ipc_ns_close(ns);
	}
	if (!err)
		return KF_EXIT_OK;
	kf_error("cannot remove namespace '%s': %s", name, strerror(-err));
	return KF_EXIT_USAGE;
}

int kf_ipc_rm(int argc, char **argv)
{
	char path[PATH_MAX];
	int dirfd, status;

	if (argc < 2) {
		kf_usage_error("no NAME given to 'ipc rm'");
		return KF_EXIT_USAGE;
	}
	dirfd = open_dir(path, &status);
	if (status)
		return status;
	for (int i = 1; i < argc; i++)
		status |= remove_ns(dirfd, argv[i]);
	if (dirfd >= 0)
		close(dirfd);
	return status;
}
