/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's message queues, and ours, behind one interface. */
#undef NDEBUG
#include "test/ipc/backend.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fs/ipc/msg.h"

void *backend_shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert(p != MAP_FAILED);
	return p;
}

/* --- the kernel --- */

static int kernel_get(key_t key, int flg)
{
	int ret = msgget(key, flg);

	return ret < 0 ? -errno : ret;
}

/* By number: with sanitizers, msgsnd() itself looks at what @msgp points to. */
static int kernel_snd(int id, const void *msgp, size_t size, int flg)
{
	return syscall(SYS_msgsnd, id, msgp, size, flg) < 0 ? -errno : 0;
}

static ssize_t kernel_rcv(int id, void *msgp, size_t size, long type, int flg)
{
	ssize_t ret = syscall(SYS_msgrcv, id, msgp, size, type, flg);

	return ret < 0 ? -errno : ret;
}

static int kernel_ctl(int id, int cmd, void *buf)
{
	int ret = (int)syscall(SYS_msgctl, id, cmd, buf);

	return ret < 0 ? -errno : ret;
}

static int kernel_set_limit(const char *name, long value)
{
	char path[64], buf[32];
	int fd, len, ret;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	len = snprintf(buf, sizeof(buf), "%ld\n", value);
	ret = write(fd, buf, (size_t)len) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static char *slurp(const char *path)
{
	FILE *in = fopen(path, "r");
	size_t size = 0;
	char *text = NULL;

	assert(in);
	if (getdelim(&text, &size, '\0', in) < 0)
		*text = '\0';
	fclose(in);
	return text;
}

static long kernel_get_limit(const char *name)
{
	char path[64], *text;
	long value;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	text = slurp(path);
	value = strtol(text, NULL, 10);
	free(text);
	return value;
}

static char *kernel_table(void)
{
	return slurp("/proc/sysvipc/msg");
}

const struct backend *backend_kernel(void)
{
	static const struct backend kernel = {
		.get = kernel_get,
		.snd = kernel_snd,
		.rcv = kernel_rcv,
		.ctl = kernel_ctl,
		.set_limit = kernel_set_limit,
		.get_limit = kernel_get_limit,
		.table = kernel_table,
	};

	if (geteuid() != 0) {
		printf("not root: users cannot be changed\n");
		return NULL;
	}
	if (unshare(CLONE_NEWIPC) < 0) {
		printf("no private IPC namespace: %s\n", strerror(errno));
		return NULL;
	}
	if (access("/proc/sys/kernel/msg_next_id", W_OK) < 0 ||
	    access("/proc/sysvipc/msg", R_OK) < 0) {
		printf("no msg_next_id, or no /proc/sysvipc\n");
		return NULL;
	}
	return &kernel;
}

/* --- ours --- */

static struct ipc_namespace *ns;

static bool capable(int cap)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	return data[cap / 32].effective >> cap % 32 & 1;
}

static struct ipc_cred cred(void)
{
	static gid_t groups[256];
	int nr = getgroups(256, groups);

	return (struct ipc_cred){
		.euid = geteuid(),
		.egid = getegid(),
		.groups = groups,
		.nr_groups = nr < 0 ? 0 : (size_t)nr,
		.tgid = getpid(),
		.tid = (pid_t)syscall(SYS_gettid),
		.cap_ipc_owner = capable(CAP_IPC_OWNER),
		.cap_sys_admin = capable(CAP_SYS_ADMIN),
		.cap_sys_resource = capable(CAP_SYS_RESOURCE),
	};
}

static int ours_get(key_t key, int flg)
{
	struct ipc_cred c = cred();

	return ksys_msgget(ns, &c, key, flg);
}

static int ours_snd(int id, const void *msgp, size_t size, int flg)
{
	struct ipc_cred c = cred();

	return ksys_msgsnd(ns, &c, id, msgp, size, flg);
}

static ssize_t ours_rcv(int id, void *msgp, size_t size, long type, int flg)
{
	struct ipc_cred c = cred();

	return ksys_msgrcv(ns, &c, id, msgp, size, type, flg);
}

static int ours_ctl(int id, int cmd, void *buf)
{
	struct ipc_cred c = cred();

	return ksys_msgctl(ns, &c, id, cmd, buf);
}

static const char *const limit_names[] = {
	[IPC_LIMIT_MSGMAX] = "msgmax",
	[IPC_LIMIT_MSGMNB] = "msgmnb",
	[IPC_LIMIT_MSGMNI] = "msgmni",
	[IPC_LIMIT_NEXT_ID] = "msg_next_id",
};

static enum ipc_limit limit_of(const char *name)
{
	enum ipc_limit i = IPC_LIMIT_MSGMAX;

	while (strcmp(limit_names[i], name) != 0)
		i++;
	return i;
}

static int ours_set_limit(const char *name, long value)
{
	return ipc_set_limit(ns, limit_of(name), value);
}

static long ours_get_limit(const char *name)
{
	struct ipc_limits limits;

	ipc_get_limits(ns, &limits);
	switch (limit_of(name)) {
	case IPC_LIMIT_MSGMAX:
		return limits.msgmax;
	case IPC_LIMIT_MSGMNB:
		return limits.msgmnb;
	case IPC_LIMIT_MSGMNI:
		return limits.msgmni;
	default:
		return limits.msg_next_id;
	}
}

static char *ours_table(void)
{
	char *text;

	assert(ipc_proc_sysvipc_msg(ns, &text) > 0);
	return text;
}

static void complain(const char *line)
{
	fprintf(stderr, "%s\n", line);
}

const struct backend *backend_ours(void)
{
	static const struct backend ours = {
		.must_be_right = true,
		.get = ours_get,
		.snd = ours_snd,
		.rcv = ours_rcv,
		.ctl = ours_ctl,
		.set_limit = ours_set_limit,
		.get_limit = ours_get_limit,
		.table = ours_table,
	};
	static const struct ipc_params params = { .mode = 0666 };
	int dir = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert(dir >= 0);
	ipc_set_log(complain);
	assert(ipc_ns_create_private(dir, &params, &ns) == 0);
	return &ours;
}
