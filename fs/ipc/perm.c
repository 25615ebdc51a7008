/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who may do what with a queue. */
#include "fs/ipc/ipc-internal.h"

static bool in_group(const struct ipc_cred *cred, gid_t gid)
{
	if (gid == cred->egid)
		return true;
	for (size_t i = 0; i < cred->nr_groups; i++) {
		if (cred->groups[i] == gid)
			return true;
	}
	return false;
}

int ipc_perms(const struct ipc_cred *cred, const struct ipc_queue *q, int flg)
{
	unsigned int asked = (unsigned int)flg;
	unsigned int granted = q->mode;

	/* the caller may have filled in any of the three classes */
	asked = (asked >> 6 | asked >> 3 | asked) & 7;
	if (cred->euid == q->cuid || cred->euid == q->uid)
		granted >>= 6;
	else if (in_group(cred, q->cgid) || in_group(cred, q->gid))
		granted >>= 3;
	if (!(asked & ~granted) || cred->cap_ipc_owner)
		return 0;
	return -EACCES;
}

bool ipc_may_change(const struct ipc_cred *cred, const struct ipc_queue *q)
{
	return cred->euid == q->cuid || cred->euid == q->uid ||
	       cred->cap_sys_admin;
}
