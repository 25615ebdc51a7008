/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sequence numbers: what a reader may believe. */
#include "lock/seqcount.h"

#include "test/unit/util.h"

START_TEST(undisturbed)
{
	unsigned long seq = 4, start = read_seqcount_begin(&seq);

	ck_assert_uint_eq(start, 4);
	ck_assert(!read_seqcount_retry(&seq, start));
}
END_TEST

START_TEST(writer_came_and_went)
{
	unsigned long seq = 0, start = read_seqcount_begin(&seq);

	write_seqcount_begin(&seq);
	ck_assert_uint_eq(seq, 1);
	ck_assert(read_seqcount_retry(&seq, start));
	write_seqcount_end(&seq);
	ck_assert_uint_eq(seq, 2);
	ck_assert(read_seqcount_retry(&seq, start));
}
END_TEST

/* Also if nothing moves from begin to retry: it began in the middle. */
START_TEST(writer_at_work)
{
	unsigned long seq = 0, start;

	write_seqcount_begin(&seq);
	start = read_seqcount_begin(&seq);
	ck_assert(read_seqcount_retry(&seq, start));
	write_seqcount_end(&seq);
	ck_assert(read_seqcount_retry(&seq, start));
}
END_TEST

#define ROUNDS 300000

static unsigned long seq, part[3];
static bool stop;

static void *writer_thread(void *arg)
{
	(void)arg;
	for (unsigned long i = 1; i <= ROUNDS; i++) {
		write_seqcount_begin(&seq);
		for (unsigned int p = 0; p < NR_OF(part); p++)
			WRITE_ONCE(part[p], i);
		write_seqcount_end(&seq);
	}
	SET(stop, true);
	return NULL;
}

START_TEST(believed_reads_are_whole)
{
	pthread_t id = thread_start(writer_thread, NULL);
	unsigned long last = 0;

	while (!GET(stop)) {
		unsigned long start = read_seqcount_begin(&seq);
		unsigned long v[NR_OF(part)];

		for (unsigned int p = NR_OF(part); p-- > 0;)
			v[p] = READ_ONCE(part[p]);
		if (read_seqcount_retry(&seq, start))
			continue;
		must(v[0] == start / 2 && v[1] == v[0] && v[2] == v[0]);
		must(v[0] >= last);
		last = v[0];
	}
	thread_join(id);
	ck_assert_uint_eq(seq, 2 * ROUNDS);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		undisturbed,
		writer_came_and_went,
		writer_at_work,
		believed_reads_are_whole,
	};

	return test_run("lock-seqcount", tests, NR_OF(tests), NULL, NULL);
}
