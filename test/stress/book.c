/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The book of the dead; see book.h. */
#include "book.h"

#define PAGES 65536 /* ids are remembered until as many others are buried */

static uint64_t buried[PAGES]; /* atomic, each */

void bury(const struct kernfs_node *kn)
{
	uint64_t id = kernfs_id(kn);

	__atomic_store_n(&buried[id % PAGES], id, __ATOMIC_RELEASE);
}

bool is_buried(const struct kernfs_node *kn)
{
	uint64_t id = kernfs_id(kn);

	return __atomic_load_n(&buried[id % PAGES], __ATOMIC_ACQUIRE) == id;
}

void must_live(const struct kernfs_node *kn, const char *where)
{
	torture_expect(!is_buried(kn),
		       "node %llu is removed, but a callback of it runs (%s)",
		       (unsigned long long)kernfs_id(kn), where);
}
