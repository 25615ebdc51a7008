// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The files of /proc that are about queues: the table and the limits. What
 * they say of the kernel's queues is of no use to a program that has a
 * namespace of ours, and a kernel without queues does not have them.
 */
#include "fs/ipc/preload/preload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define MEMFD_PREFIX "kernfuse-ipc:"
#define LIMITS_DIR "/proc/sys/kernel/"

static const struct file {
	const char *path, *name;
	mode_t mode;
	enum ipc_limit limit; /* of those below LIMITS_DIR */
} files[KF_NR_PROC] = {
	[KF_PROC_SYSVIPC_MSG] = { "/proc/sysvipc/msg", "msg", 0444, 0 },
	[KF_PROC_MSGMAX] = { LIMITS_DIR "msgmax", "msgmax", 0644,
			     IPC_LIMIT_MSGMAX },
	[KF_PROC_MSGMNB] = { LIMITS_DIR "msgmnb", "msgmnb", 0644,
			     IPC_LIMIT_MSGMNB },
	[KF_PROC_MSGMNI] = { LIMITS_DIR "msgmni", "msgmni", 0644,
			     IPC_LIMIT_MSGMNI },
	[KF_PROC_MSG_NEXT_ID] = { LIMITS_DIR "msg_next_id", "msg_next_id",
				  0644, IPC_LIMIT_NEXT_ID },
};

enum kf_procfile kf_procfile(const char *path)
{
	if (likely(!kf_in_ns() || !kf_is_pointer(path) ||
		   strncmp(path, "/proc/sys", 9) != 0))
		return KF_PROC_NONE;
	for (int i = 0; i < KF_NR_PROC; i++)
		if (strcmp(path, files[i].path) == 0)
			return (enum kf_procfile)i;
	return KF_PROC_NONE;
}

void kf_procfile_name(enum kf_procfile file, char *buf)
{
	snprintf(buf, KF_PROCFILE_NAME_MAX, MEMFD_PREFIX "%s",
		 files[file].name);
}

static enum kf_procfile of_name(const char *name, size_t len)
{
	for (int i = 0; i < KF_NR_PROC; i++)
		if (strlen(files[i].name) == len &&
		    memcmp(files[i].name, name, len) == 0)
			return (enum kf_procfile)i;
	return KF_PROC_NONE;
}

enum kf_procfile kf_procfile_of_fd(int fd)
{
	static const char prefix[] = "/memfd:" MEMFD_PREFIX;
	char link[32], to[KF_PROCFILE_NAME_MAX + 32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, to, sizeof(to) - 1);
	if (len < (ssize_t)sizeof(prefix))
		return KF_PROC_NONE;
	to[len] = '\0';
	if (strncmp(to, prefix, sizeof(prefix) - 1) != 0)
		return KF_PROC_NONE;
	/* " (deleted)" is behind it */
	return of_name(to + sizeof(prefix) - 1,
		       strcspn(to + sizeof(prefix) - 1, " "));
}

static struct ipc_owner owner(void)
{
	int err;
	struct ipc_namespace *ns = kf_ns(&err);

	return ns ? ipc_ns_owner(ns) : (struct ipc_owner){ 0, 0 };
}

void kf_procfile_stat(enum kf_procfile file, struct stat *st)
{
	*st = (struct stat){
		.st_ino = (ino_t)file + 1,
		.st_mode = S_IFREG | files[file].mode,
		.st_nlink = 1,
		.st_uid = owner().uid,
		.st_gid = owner().gid,
		.st_blksize = 4096,
	};
	clock_gettime(CLOCK_REALTIME_COARSE, &st->st_mtim);
	st->st_atim = st->st_mtim;
	st->st_ctim = st->st_mtim;
}

/*
 * All may read. The limits are written by root and by the namespace's owner,
 * who is to it what root is to a machine.
 */
int kf_procfile_access(enum kf_procfile file, int mode, uid_t uid)
{
	if (mode & X_OK)
		return -EACCES;
	if (!(mode & W_OK))
		return 0;
	if (!(files[file].mode & 0200))
		return uid == 0 ? 0 : -EACCES;
	return uid == 0 || uid == owner().uid ? 0 : -EACCES;
}

static int limit_of(struct ipc_namespace *ns, enum kf_procfile file)
{
	struct ipc_limits limits;

	ipc_get_limits(ns, &limits);
	switch (files[file].limit) {
	case IPC_LIMIT_MSGMAX:
		return limits.msgmax;
	case IPC_LIMIT_MSGMNB:
		return limits.msgmnb;
	case IPC_LIMIT_MSGMNI:
		return limits.msgmni;
	case IPC_LIMIT_NEXT_ID:
		break;
	}
	return limits.msg_next_id;
}

ssize_t kf_procfile_read(enum kf_procfile file, char **ret_text)
{
	int err;
	struct ipc_namespace *ns = kf_ns(&err);

	if (!ns)
		return err;
	if (file == KF_PROC_SYSVIPC_MSG)
		return ipc_proc_sysvipc_msg(ns, ret_text);
	err = asprintf(ret_text, "%d\n", limit_of(ns, file));
	return err < 0 ? -ENOMEM : err;
}

ssize_t kf_procfile_write(enum kf_procfile file, const char *text, size_t size)
{
	int err;
	struct ipc_namespace *ns = kf_ns(&err);
	char number[32], *end;
	long value;

	if (!ns)
		return err;
	if (file == KF_PROC_SYSVIPC_MSG)
		return -EIO;
	if (size >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, size);
	number[size] = '\0';
	errno = 0;
	value = strtol(number, &end, 10);
	if (errno || end == number || end[strspn(end, " \t\n")])
		return -EINVAL;
	err = ipc_set_limit(ns, files[file].limit, value);
	return err ? err : (ssize_t)size;
}
