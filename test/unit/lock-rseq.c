/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU lists, and one add in a restartable sequence. */
#include "lock/rseq.h"

#include "test/unit/util.h"

START_TEST(cpu_lists)
{
	static const struct {
		const char *list;
		unsigned int want;
	} lists[] = {
		{ "0\n", 1 },
		{ "0-3\n", 4 },
		{ "0-3,8\n", 9 },
		{ "8,0-3", 9 },
		{ "0-0", 1 },
		{ "0-65533", 65534 },
		{ "", 0 },
		{ "\n", 0 },
		{ "0-", 0 },
		{ "0-\n", 0 },
		{ "a", 0 },
		{ "0;1", 0 },
		{ "-1", 0 },
		{ "0,,1", 0 },
		{ " 1", 0 },
		{ "0-70000", 0 },
		{ "99999999999999999999", 0 },
	};

	for (unsigned int i = 0; i < NR_OF(lists); i++)
		ck_assert_uint_eq(kf_rseq_parse_cpus(lists[i].list),
				  lists[i].want);
}
END_TEST

START_TEST(number_of_cpus)
{
	unsigned int nr = kf_rseq_nr_cpus();

	ck_assert_uint_ge(nr, (unsigned int)sysconf(_SC_NPROCESSORS_CONF));
	ck_assert_int_lt(sched_getcpu(), (int)nr);
	ck_assert_uint_eq(kf_rseq_nr_cpus(), nr);
}
END_TEST

#if KF_HAVE_RSEQ

static bool registered(void)
{
	struct kf_rseq *rseq = kf_rseq_get();

	return rseq && (int32_t)READ_ONCE(rseq->cpu_id) >= 0;
}

START_TEST(adds_on_its_cpu_only)
{
	struct kf_rseq *rseq = kf_rseq_get();
	int64_t word = 5;

	if (!registered())
		return;
	/* preempted right here once or twice, but not a hundred times */
	for (unsigned int i = 0; i < 100 && word == 5; i++)
		kf_rseq_add(rseq, READ_ONCE(rseq->cpu_id), &word, -7);
	ck_assert_int_eq(word, -2);
	ck_assert_uint_eq(rseq->rseq_cs, 0);
	ck_assert(!kf_rseq_add(rseq, READ_ONCE(rseq->cpu_id) + 4096, &word, 1));
	ck_assert_int_eq(word, -2);
	ck_assert_uint_eq(rseq->rseq_cs, 0);
}
END_TEST

START_TEST(pauses)
{
	if (!kf_rseq_get())
		return;
	kf_rseq_pause();
	ck_assert_ptr_null(kf_rseq_get());
	kf_rseq_pause();
	kf_rseq_resume();
	ck_assert_ptr_null(kf_rseq_get());
	kf_rseq_resume();
	ck_assert_ptr_nonnull(kf_rseq_get());
}
END_TEST

#else

START_TEST(there_is_none)
{
	int64_t word = 0;

	ck_assert_ptr_null(kf_rseq_get());
	kf_rseq_pause();
	kf_rseq_resume();
	ck_assert(!kf_rseq_add(NULL, 0, &word, 1));
	ck_assert_int_eq(word, 0);
}
END_TEST

#endif

int main(void)
{
	const TTest *const tests[] = {
		cpu_lists,
		number_of_cpus,
#if KF_HAVE_RSEQ
		adds_on_its_cpu_only,
		pauses,
#else
		there_is_none,
#endif
	};

	return test_run("lock-rseq", tests, NR_OF(tests), NULL, NULL);
}
