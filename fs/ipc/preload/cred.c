// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls that change credentials: done as they are, then every thread asks
 * again who it is. Raw system calls for the same are in syscall.c.
 */
#include "fs/ipc/preload/preload.h"

#include <grp.h>

int capset(void *header, const void *data);

#define CHANGES(name, parameters, arguments)                                   \
	KF_CALL int name parameters                                            \
	{                                                                      \
		int ret = kf_real()->name arguments;                           \
                                                                               \
		kf_task_forget_all();                                          \
		return ret;                                                    \
	}

CHANGES(setuid, (uid_t uid), (uid))
CHANGES(seteuid, (uid_t euid), (euid))
CHANGES(setreuid, (uid_t ruid, uid_t euid), (ruid, euid))
CHANGES(setresuid, (uid_t ruid, uid_t euid, uid_t suid), (ruid, euid, suid))
CHANGES(setgid, (gid_t gid), (gid))
CHANGES(setegid, (gid_t egid), (egid))
CHANGES(setregid, (gid_t rgid, gid_t egid), (rgid, egid))
CHANGES(setresgid, (gid_t rgid, gid_t egid, gid_t sgid), (rgid, egid, sgid))
CHANGES(setgroups, (size_t nr, const gid_t *groups), (nr, groups))
CHANGES(initgroups, (const char *user, gid_t group), (user, group))
CHANGES(capset, (void *header, const void *data), (header, data))
