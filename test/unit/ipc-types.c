/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The index by type: how far a search goes when there is much to search. */
#include "test/unit/ipc-fixture.h"

#define NR_MESSAGES 100000

/* A treap of so many is 4.3 ln n high, at the very most. */
#define MOST_STEPS 64
#define MEAN_STEPS 40

static int fill(long (*type)(unsigned int))
{
	long m;
	int id;

	must(ipc_set_limit(ns, IPC_LIMIT_MSGMNB, INT_MAX) == 0);
	id = new_queue();
	for (unsigned int i = 0; i < NR_MESSAGES; i++) {
		m = type(i);
		must(ksys_msgsnd(ns, &cred, id, &m, 0, IPC_NOWAIT) == 0);
	}
	return id;
}

static long ascending(unsigned int i)
{
	return (long)i + 1;
}

static long scattered(unsigned int i)
{
	return (long)((i * 7919ul) % NR_MESSAGES) * 1000003 + 1;
}

static void take_by_type(int id, long (*type)(unsigned int))
{
	unsigned long steps = 0, most = 0;
	struct text m;

	for (unsigned int i = 0; i < NR_MESSAGES; i += 3) {
		must(take(id, type(i), &m) == 0 && m.type == type(i));
		steps += ipc_types_steps;
		if (ipc_types_steps > most)
			most = ipc_types_steps;
	}
	ck_assert_uint_le(most, MOST_STEPS);
	ck_assert_uint_le(steps / (NR_MESSAGES / 3), MEAN_STEPS);
}

/* What is left, the lowest type first. */
static void take_lowest(int id)
{
	unsigned long most = 0;
	long last = 0;
	struct text m;

	while (take(id, LONG_MIN, &m) >= 0) {
		must(m.type > last);
		last = m.type;
		if (ipc_types_steps > most)
			most = ipc_types_steps;
	}
	ck_assert_uint_gt(last, 0);
	ck_assert_uint_le(most, MOST_STEPS);
}

START_TEST(ascending_types)
{
	int id = fill(ascending);

	take_by_type(id, ascending);
	take_lowest(id);
}
END_TEST

START_TEST(scattered_types)
{
	int id = fill(scattered);

	take_by_type(id, scattered);
	take_lowest(id);
}
END_TEST

static long few(unsigned int i)
{
	return 1 + i % 3;
}

/* Many of one type: the oldest is found at once, the order is kept. */
START_TEST(few_types)
{
	int id = fill(few);
	struct text m;

	for (unsigned int i = 0; i < NR_MESSAGES / 3; i++) {
		must(take(id, 2, &m) == 0);
		must(ipc_types_steps <= 3);
	}
	must(take(id, 2, &m) == -ENOMSG);
	must(take(id, -3, &m) == 0 && m.type == 1);
	must(take(id, 3, &m) == 0 && m.type == 3);
}
END_TEST

/* One that is returned goes back to its place among others of its type. */
START_TEST(returned)
{
	static const char *const texts[] = { "a", "b", "c", "d" };

	for (unsigned int gone = 0; gone < NR_OF(texts); gone++) {
		struct ipc_queue *q;
		struct ipc_call c;
		struct text m;
		int id = new_queue();

		for (unsigned int i = 0; i < NR_OF(texts); i++) {
			must(put(id, 5, texts[i]) == 0);
			must(put(id, 6, "x") == 0);
		}
		must(ipc_call_begin(&c, ns) == 0);
		must(ipc_ids_obtain(&c, id, &q) == 0);
		/* takes them up to that one, gives back in this order */
		for (unsigned int i = 0; i <= gone; i++) {
			uint32_t ref = (uint32_t)ipc_types_find(&c, q, 5);

			must(ipc_fifo_take(&c, q, ref) == 0);
			if (i < gone)
				ipc_free_mine(&c);
		}
		must(ipc_fifo_return(&c, q, c.slot->msg) == 0);
		ipc_step(c.slot->msg, 0);
		q->taken = 0;
		ipc_unlock_queue(&c, q);
		ipc_call_end(&c);
		for (unsigned int i = gone; i < NR_OF(texts); i++) {
			must(take(id, 5, &m) == 2);
			must(strcmp(m.text, texts[i]) == 0);
		}
		must(take(id, 5, &m) == -ENOMSG);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		ascending_types,
		scattered_types,
		few_types,
		returned,
	};

	return test_run("ipc/types", tests, NR_OF(tests), new_region,
			drop_region);
}
