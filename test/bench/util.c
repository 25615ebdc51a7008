/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Clocks, CPUs, medians and option values of kernfuse-bench. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Noreturn void bench_fail(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs(BENCH_PROGRAM ": ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t bench_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t bench_thread_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void bench_sleep(double seconds)
{
	struct timespec ts = { .tv_sec = (time_t)seconds };

	ts.tv_nsec = (long)((seconds - (double)ts.tv_sec) * 1e9);
	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

unsigned int bench_nr_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1; /* more CPUs than the set holds: do not guess */
	return (unsigned int)CPU_COUNT(&set);
}

void bench_pin_to_cpu(unsigned int nth)
{
	cpu_set_t all, one;
	unsigned int left;

	if (sched_getaffinity(0, sizeof(all), &all))
		return;
	left = nth % (unsigned int)CPU_COUNT(&all);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all) || left--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

void *bench_alloc(size_t nmemb, size_t size)
{
	void *mem = calloc(nmemb, size);

	if (!mem)
		bench_fail("out of memory");
	return mem;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct bench_spread bench_spread(const double *values, unsigned int n)
{
	struct bench_spread spread = { NAN, NAN, NAN };
	double sorted[BENCH_MAX_ROUNDS];
	unsigned int used = 0;

	for (unsigned int i = 0; i < n; i++)
		if (isfinite(values[i]))
			sorted[used++] = values[i];
	if (!used)
		return spread;
	qsort(sorted, used, sizeof(*sorted), compare_doubles);
	spread.min = sorted[0];
	spread.max = sorted[used - 1];
	spread.median = (sorted[(used - 1) / 2] + sorted[used / 2]) / 2;
	return spread;
}

struct bench_spread bench_ratio(const double *num, const double *den,
				unsigned int n)
{
	double ratios[BENCH_MAX_ROUNDS];

	for (unsigned int i = 0; i < n; i++)
		ratios[i] = den[i] > 0 ? num[i] / den[i] : NAN;
	return bench_spread(ratios, n);
}

unsigned int bench_parse_uint(const char *option, const char *text,
			      unsigned int min, unsigned int max)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (end == text || *end || strchr(text, '-') || errno || value < min ||
	    value > max)
		bench_fail("%s: '%s' is no number from %u to %u", option, text,
			   min, max);
	return (unsigned int)value;
}

double bench_parse_seconds(const char *option, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0.001 && value <= 3600))
		bench_fail("%s: '%s' is no number from 0.001 to 3600", option,
			   text);
	return value;
}

unsigned int bench_parse_uints(const char *option, const char *text,
			       unsigned int *ret_values, unsigned int max)
{
	char *copy = strdup(text);
	char *rest = copy, *word;
	unsigned int n = 0;

	if (!copy)
		bench_fail("out of memory");
	while ((word = strsep(&rest, ","))) {
		if (n == max)
			bench_fail("%s: more than %u numbers", option, max);
		ret_values[n++] = bench_parse_uint(option, word, 1, 100000000);
	}
	free(copy);
	return n;
}

unsigned int bench_parse_policies(const char *text)
{
	enum kernfs_locking locking;

	if (strcmp(text, "all") == 0)
		return (1u << KERNFS_NR_LOCKING) - 1;
	if (kernfs_locking_parse(text, &locking))
		bench_fail("--policy: '%s' is no policy; use hashed, global, "
			   "rcu or all",
			   text);
	return 1u << locking;
}

unsigned int bench_form_option(int opt, void (*print_help)(void))
{
	switch (opt) {
	case 'j':
		return REPORT_JSON;
	case 'T':
		return REPORT_TABLE;
	case 'h':
		print_help();
		exit(EXIT_SUCCESS);
	default:
		exit(EXIT_FAILURE);
	}
}
