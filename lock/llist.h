/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lock-free lists under their kernel names: any number of threads add, newest
 * first; somebody takes all there is. An entry is never taken out alone, so
 * no thread reads an entry that another one may free.
 */
#ifndef LOCK_LLIST_H
#define LOCK_LLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "lock/atomic.h"

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first; /* atomic */
};

#define LLIST_HEAD_INIT                                                        \
	{                                                                      \
		NULL                                                           \
	}

#define llist_entry(ptr, type, member)                                         \
	((type *)(void *)((char *)(ptr)-offsetof(type, member)))

static inline void init_llist_head(struct llist_head *list)
{
	list->first = NULL;
}

static inline bool llist_empty(const struct llist_head *list)
{
	/* relaxed: what it tells may be over by the time it is used */
	return !READ_ONCE(list->first);
}

/* Return: was the list empty? Of all who add between two llist_del_all(), one
 * is told so. */
static inline bool llist_add(struct llist_node *node, struct llist_head *list)
{
	struct llist_node *first = READ_ONCE(list->first);

	do {
		node->next = first;
		/* release, pairs with the acquire in llist_del_all(): who
		 * takes the entry sees what it is part of. Relaxed on
		 * failure: @first is compared, never followed. */
	} while (!__atomic_compare_exchange_n(&list->first, &first, node, true,
					      __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
	return !first;
}

/* All entries, newest first, linked by next; NULL if there are none. */
static inline struct llist_node *llist_del_all(struct llist_head *list)
{
	/* acquire, pairs with the release in llist_add() */
	return __atomic_exchange_n(&list->first, NULL, __ATOMIC_ACQUIRE);
}

/* Oldest first instead of newest first, or the other way round. */
static inline struct llist_node *llist_reverse_order(struct llist_node *node)
{
	struct llist_node *reversed = NULL;

	while (node) {
		struct llist_node *next = node->next;

		node->next = reversed;
		reversed = node;
		node = next;
	}
	return reversed;
}

#endif /* LOCK_LLIST_H */
