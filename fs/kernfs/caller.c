/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which request a thread works for: see kernfuse/caller.h. */
#include <kernfuse/caller.h>

/* of this thread alone */
static __thread struct kernfs_request *current_request;

struct kernfs_request *kernfs_set_request(struct kernfs_request *rq)
{
	struct kernfs_request *old = current_request;

	current_request = rq;
	return old;
}

const struct kernfs_caller *kernfs_current_caller(void)
{
	struct kernfs_request *rq = current_request;

	if (!rq)
		return NULL;
	if (!rq->known) {
		rq->who(rq, &rq->caller);
		rq->known = true;
	}
	return &rq->caller;
}

bool kernfs_current_interrupted(void)
{
	struct kernfs_request *rq = current_request;

	return rq && rq->interrupted && rq->interrupted(rq);
}
