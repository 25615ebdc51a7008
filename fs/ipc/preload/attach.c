// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which namespace this process is in.
 *
 * It is mapped before main() runs, while there is one thread and the program
 * has neither closed descriptors nor given up privileges. A namespace that
 * was left, by unshare() or setns(), stays mapped if there are other threads:
 * they may be in a call on it, asleep for ever.
 */
#include "fs/ipc/preload/preload.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/single_threaded.h>

#include "fs/ipc/session.h"
#include "lock/atomic.h"

static struct ipc_namespace *current; /* atomic */
static bool in_ns;

/* Changed by unshare() and setns() alone, and by exec() if it has to. */
static struct ipc_session session = { .fd = -1 };
static char variable[IPC_SESSION_MAX];

struct ipc_namespace *kf_ns(int *ret_err)
{
	struct ipc_namespace *ns = smp_load_acquire(&current);

	if (unlikely(!ns))
		*ret_err = in_ns ? -ENOSYS : 0;
	return ns;
}

bool kf_in_ns(void)
{
	return in_ns;
}

int kf_ns_fd(void)
{
	struct ipc_namespace *ns = smp_load_acquire(&current);

	return ns ? ipc_ns_fd(ns) : -1;
}

const char *kf_ns_variable(void)
{
	return variable;
}

static void attach(void)
{
	struct ipc_namespace *ns;
	int fd = ipc_session_fd(&session);

	if (fd < 0 || ipc_ns_open_fd(fd, &ns))
		return;
	ipc_ns_set_inherit(ns, true);
	smp_store_release(&current, ns);
}

static void __attribute__((constructor)) init(void)
{
	const char *value = getenv(IPC_SESSION_VARIABLE);
	int saved_errno = errno;

	if (!value)
		return;
	/* also if it makes no sense: the kernel's queues are never meant */
	in_ns = true;
	if (ipc_session_parse(&session, value)) {
		snprintf(variable, sizeof(variable),
			 IPC_SESSION_VARIABLE "=%s", value);
		return;
	}
	attach();
	ipc_session_print(&session, variable);
	errno = saved_errno;
}

int kf_ns_switch(struct ipc_namespace *ns, const char *path)
{
	struct ipc_namespace *old = smp_load_acquire(&current);
	struct ipc_session next;
	int err = ipc_session_begin(&next, &ns, path);

	if (err)
		return err;
	session = next;
	ipc_session_print(&session, variable);
	/* for who looks, and the C library, which starts programs as well */
	if (setenv(IPC_SESSION_VARIABLE,
		   variable + sizeof(IPC_SESSION_VARIABLE), 1))
		return -ENOMEM;
	smp_store_release(&current, ns);
	if (old && __libc_single_threaded)
		ipc_ns_close(old);
	else if (old)
		ipc_ns_set_inherit(old, false);
	return 0;
}

int kf_ns_create(struct ipc_namespace **ret_ns)
{
	struct ipc_namespace *old = smp_load_acquire(&current);
	struct ipc_params params = {
		.owner = geteuid(),
		.group = getegid(),
	};
	struct ipc_memory memory;

	if (old)
		params.counters = ipc_ns_counters(old);
	if (old && ipc_get_memory(old, &memory) == 0)
		params.limit = (size_t)memory.limit;
	return ipc_session_create_private(&params, ret_ns);
}

/*
 * A program can hide a descriptor from close.c, by system calls of its own;
 * then the region is opened again.
 */
void kf_ns_before_exec(void)
{
	int fd = session.fd, flags;

	if (!in_ns)
		return;
	if (!ipc_session_is(&session, fd)) {
		fd = ipc_session_fd(&session);
		if (fd < 0)
			return;
		ipc_session_print(&session, variable);
	}
	flags = fcntl(fd, F_GETFD);
	if (flags >= 0 && (flags & FD_CLOEXEC))
		fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC);
}
