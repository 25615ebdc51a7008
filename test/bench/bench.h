/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the subcommands of kernfuse-bench share: clocks, medians, options,
 * and the report they all print.
 *
 * A benchmark is a program of its own, so a failure prints one line and ends
 * it: see bench_fail().
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernfuse/locking.h>

#define BENCH_PROGRAM "kernfuse-bench"

/* Rounds of one measurement; the median hides what a busy machine adds. */
#define BENCH_MAX_ROUNDS 99

/* --- util.c --- */

/* Prints "kernfuse-bench: ..." on stderr and exits with status 1. */
_Noreturn void bench_fail(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

uint64_t bench_now_ns(void);	    /* monotonic */
uint64_t bench_thread_cpu_ns(void); /* used by the calling thread */
void bench_sleep(double seconds);

/* CPUs this process may use, and the nth of them, round robin. */
unsigned int bench_nr_cpus(void);
void bench_pin_to_cpu(unsigned int nth);

/* calloc() and friends that end the program instead of returning NULL */
void *bench_alloc(size_t nmemb, size_t size);

struct bench_spread {
	double median, min, max; /* NAN if there was no value */
};

/* Of at most BENCH_MAX_ROUNDS values; those that are no numbers are left out */
struct bench_spread bench_spread(const double *values, unsigned int n);

/*
 * The spread of @num[i] / @den[i]. Both were measured in the same round, next
 * to each other, so a machine that was slow for a while slowed down both.
 */
struct bench_spread bench_ratio(const double *num, const double *den,
				unsigned int n);

/* A number between @min and @max, or bench_fail() naming @option. */
unsigned int bench_parse_uint(const char *option, const char *text,
			      unsigned int min, unsigned int max);
double bench_parse_seconds(const char *option, const char *text);

/* Numbers separated by commas; returns how many there were, at most @max. */
unsigned int bench_parse_uints(const char *option, const char *text,
			       unsigned int *ret_values, unsigned int max);

/*
 * What all subcommands take, and so the last case of their switches: 'j' and
 * 'T' give a form of output, 'h' prints help and ends the program, and anything
 * else ends it as a failure that getopt has told of.
 */
unsigned int bench_form_option(int opt, void (*print_help)(void));

/* A bit for each policy: a word of kernfs_locking_parse(), or "all". */
unsigned int bench_parse_policies(const char *text);

/* --- report.c --- */

/* Forms of output; with both, a table follows the lines it shows. */
#define REPORT_JSON 0x1
#define REPORT_TABLE 0x2

struct report;

/*
 * @forms 0 decides by itself: a table on a terminal, JSON lines elsewhere.
 * @hidden names the fields, separated by blanks, that a table leaves out
 * because its title says them.
 */
struct report *report_create(const char *bench, unsigned int forms,
			     const char *hidden);

/* Starts a table, and ends the one before; nothing in JSON. */
void report_title(struct report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * One result: its fields in order between report_begin() and report_end().
 * Rows of one table have the same fields. A real that is no number is null.
 */
void report_begin(struct report *report);
void report_text(struct report *report, const char *key, const char *value);
void report_count(struct report *report, const char *key, uint64_t value);
void report_real(struct report *report, const char *key, double value,
		 int digits);
void report_end(struct report *report);

/* Prints what is left to print and frees the report. */
void report_destroy(struct report *report);

/* --- the subcommands; each returns the exit status --- */

int bench_counter(int argc, char *argv[]);
int bench_msg(int argc, char *argv[]);
int bench_ns(int argc, char *argv[]);
int bench_walk(int argc, char *argv[]);
int bench_storm(int argc, char *argv[]);
int bench_tree(int argc, char *argv[]);

#endif /* BENCH_H */
