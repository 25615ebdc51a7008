/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The client of a callback as a caller of message queues. */
#include <linux/capability.h>
#include <unistd.h>

#include "fs/ipctree/ipctree-internal.h"

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

static bool capable(const struct kernfs_caller *who, unsigned int cap)
{
	return who->cap_effective & (UINT64_C(1) << cap);
}

/* The program that serves the tree: it may do to its own tree what it likes. */
static void own_cred(struct ipc_cred *cred)
{
	*cred = (struct ipc_cred){
		.euid = geteuid(),
		.egid = getegid(),
		.tgid = getpid(),
		.tid = gettid(),
		.cap_ipc_owner = true,
		.cap_sys_admin = true,
		.cap_sys_resource = true,
		.cap_checkpoint_restore = true,
	};
}

void ipc_current_cred(struct ipc_cred *cred)
{
	const struct kernfs_caller *who = kernfs_current_caller();

	if (!who) {
		own_cred(cred);
		return;
	}
	*cred = (struct ipc_cred){
		.euid = who->fsuid,
		.egid = who->fsgid,
		.groups = who->groups,
		.nr_groups = who->nr_groups,
		.tgid = who->tgid,
		.tid = who->pid,
		.cap_ipc_owner = capable(who, CAP_IPC_OWNER),
		.cap_sys_admin = capable(who, CAP_SYS_ADMIN),
		.cap_sys_resource = capable(who, CAP_SYS_RESOURCE),
		.cap_checkpoint_restore =
			capable(who, CAP_CHECKPOINT_RESTORE) ||
			capable(who, CAP_SYS_ADMIN),
	};
}
