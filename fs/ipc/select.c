/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which message a receiver gets. */
#include "fs/ipc/ipc-internal.h"

#include <limits.h>

enum ipc_select ipc_select_mode(long *type, int flg)
{
	if (flg & MSG_COPY)
		return IPC_SELECT_NUMBER;
	if (*type == 0)
		return IPC_SELECT_ANY;
	if (*type < 0) {
		*type = *type == LONG_MIN ? LONG_MAX : -*type;
		return IPC_SELECT_LOWEST;
	}
	return flg & MSG_EXCEPT ? IPC_SELECT_OTHER : IPC_SELECT_EQUAL;
}

bool ipc_select_accepts(enum ipc_select mode, int64_t want, int64_t type)
{
	switch (mode) {
	case IPC_SELECT_LOWEST:
		return type <= want;
	case IPC_SELECT_EQUAL:
		return type == want;
	case IPC_SELECT_OTHER:
		return type != want;
	default:
		return true;
	}
}

/* The first of another type, or number @want, from the oldest on. */
static int64_t walk(struct ipc_call *c, struct ipc_queue *q,
		    enum ipc_select mode, int64_t want)
{
	uint32_t ref = READ_ONCE(q->head);
	uint64_t last = 0;

	for (int64_t i = 0; ref; i++) {
		struct ipc_msg *m = ipc_msg_at(c->ns, ref);

		if (!m || READ_ONCE(m->seq) <= last)
			return ipc_damaged("chain of messages", ref);
		if (mode == IPC_SELECT_NUMBER ? i == want :
						READ_ONCE(m->type) != want)
			return ref;
		last = READ_ONCE(m->seq);
		ref = READ_ONCE(m->next);
	}
	return 0;
}

int64_t ipc_select_find(struct ipc_call *c, struct ipc_queue *q,
			enum ipc_select mode, int64_t want)
{
	switch (mode) {
	case IPC_SELECT_ANY:
		return READ_ONCE(q->head);
	case IPC_SELECT_EQUAL:
		return ipc_types_find(c, q, want);
	case IPC_SELECT_LOWEST:
		return ipc_types_lowest(c, q, want);
	default:
		return walk(c, q, mode, want);
	}
}
