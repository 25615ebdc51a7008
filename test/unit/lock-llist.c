/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists that are added to without a lock, and taken whole. */
#include "lock/llist.h"

#include "test/unit/util.h"

struct item {
	unsigned int value;
	struct llist_node node;
};

static struct llist_head list;

static void setup(void)
{
	init_llist_head(&list);
}

START_TEST(order)
{
	struct item items[3] = { { .value = 0 },
				 { .value = 1 },
				 { .value = 2 } };
	struct llist_node *node;

	ck_assert(llist_empty(&list));
	ck_assert_ptr_null(llist_del_all(&list));
	ck_assert(llist_add(&items[0].node, &list));
	ck_assert(!llist_add(&items[1].node, &list));
	ck_assert(!llist_add(&items[2].node, &list));
	ck_assert(!llist_empty(&list));
	node = llist_del_all(&list);
	ck_assert(llist_empty(&list));
	ck_assert_ptr_eq(node, &items[2].node);
	node = llist_reverse_order(node);
	for (unsigned int i = 0; i < 3; i++, node = node->next)
		ck_assert_uint_eq(llist_entry(node, struct item, node)->value,
				  i);
	ck_assert_ptr_null(node);
	ck_assert_ptr_null(llist_reverse_order(NULL));
	ck_assert(llist_add(&items[1].node, &list));
}
END_TEST

/* --- threads --- */

#define ADDERS 3
#define ITEMS 20000

static struct item items[ADDERS][ITEMS];
static unsigned int told_empty; /* how often somebody was told */

static void *adding_thread(void *arg)
{
	struct item *mine = arg;

	for (unsigned int i = 0; i < ITEMS; i++) {
		mine[i].value = i + 1;
		if (llist_add(&mine[i].node, &list))
			ADD(told_empty, 1);
	}
	return NULL;
}

/* Each entry is taken once, those of one thread in its order; and each list
 * that was taken had one who was told that it was empty. */
START_TEST(adders_and_a_taker)
{
	unsigned int last[ADDERS] = { 0 }, all = 0, lists = 0;
	pthread_t id[ADDERS];

	for (unsigned int i = 0; i < ADDERS; i++)
		id[i] = thread_start(adding_thread, items[i]);
	while (all < ADDERS * ITEMS) {
		struct llist_node *node = llist_del_all(&list);

		lists += node != NULL;
		node = llist_reverse_order(node);
		for (; node; node = node->next, all++) {
			struct item *item =
				llist_entry(node, struct item, node);
			size_t who = (size_t)(item - items[0]) / ITEMS;

			must(who < ADDERS && item->value == last[who] + 1);
			last[who]++;
		}
	}
	for (unsigned int i = 0; i < ADDERS; i++)
		thread_join(id[i]);
	ck_assert(llist_empty(&list));
	ck_assert_uint_eq(told_empty, lists);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		order,
		adders_and_a_taker,
	};

	return test_run("lock-llist", tests, NR_OF(tests), setup, NULL);
}
