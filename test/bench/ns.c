/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernfuse-bench ns: what it costs to make an IPC namespace and to leave it,
 * empty and full, against the kernel's.
 *
 * Back ends take turns within a round, so that a busy moment of the machine
 * hits them alike.
 */
#include "ns.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static const char *const backend_names[NS_NR_BACKENDS] = {
	[NS_KERNEL] = "kernel",
	[NS_DEFERRED] = "deferred",
	[NS_SYNC] = "sync",
	[NS_RUN] = "run",
	[NS_ALONE] = "alone",
};

struct options {
	unsigned int parallel, series; /* processes */
	struct ns_content full;
	unsigned int rounds;
	unsigned int forms;
	const char *dir;
};

enum ns_case { CASE_PARALLEL, CASE_SERIES, CASE_EMPTY, CASE_FULL, NR_CASES };

struct cell {
	struct ns_setup setup;
	bool skipped;
	double total_us[BENCH_MAX_ROUNDS];
	double exit_us[BENCH_MAX_ROUNDS];
	double freed_ms[BENCH_MAX_ROUNDS];
	double cpu_ms[BENCH_MAX_ROUNDS];
};

struct bench {
	struct options options;
	struct cell cells[NR_CASES][NS_NR_BACKENDS];
	char path[256];
	int dirfd;
};

/* --- the run --- */

static void make_dir(struct bench *bench)
{
	const char *dir = bench->options.dir;

	if (!dir)
		dir = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	snprintf(bench->path, sizeof(bench->path), "%s/kernfuse-bench.XXXXXX",
		 dir);
	if (!mkdtemp(bench->path))
		bench_fail("cannot make a directory in %s: %s", dir,
			   strerror(errno));
	bench->dirfd = open(bench->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (bench->dirfd < 0)
		bench_fail("%s: %s", bench->path, strerror(errno));
}

static void plan(struct bench *bench)
{
	const struct options *options = &bench->options;
	bool kernel = ns_kernel_works();

	if (!kernel)
		fputs(BENCH_PROGRAM ": no figures of the kernel: "
				    "unshare(CLONE_NEWIPC) is refused\n",
		      stderr);
	for (unsigned int c = 0; c < NR_CASES; c++) {
		for (unsigned int b = 0; b < NS_NR_BACKENDS; b++) {
			struct cell *cell = &bench->cells[c][b];

			/* two processes for each would be measured */
			cell->skipped = (b == NS_KERNEL && !kernel) ||
					(b == NS_RUN && c < CASE_EMPTY);
			cell->setup = (struct ns_setup){
				.backend = b,
				.parallel = c == CASE_PARALLEL,
				.processes =
					c == CASE_PARALLEL ? options->parallel :
					c == CASE_SERIES   ? options->series :
							     1,
				.dirfd = bench->dirfd,
			};
			if (c == CASE_FULL)
				cell->setup.content = options->full;
		}
	}
}

static void run_round(struct bench *bench, unsigned int round)
{
	struct ns_result result;

	for (unsigned int c = 0; c < NR_CASES; c++) {
		for (unsigned int b = 0; b < NS_NR_BACKENDS; b++) {
			struct cell *cell = &bench->cells[c][b];

			if (cell->skipped)
				continue;
			ns_measure(&cell->setup, &result);
			cell->total_us[round] = result.total_us;
			cell->exit_us[round] = result.exit_us;
			cell->freed_ms[round] = result.freed_ms;
			cell->cpu_ms[round] = result.free_cpu_ms;
		}
	}
}

/* --- results --- */

static void report_storm(struct report *report, const struct cell *cell,
			 unsigned int rounds)
{
	struct bench_spread total = bench_spread(cell->total_us, rounds);

	report_begin(report);
	report_text(report, "case",
		    cell->setup.parallel ? "parallel" : "series");
	report_text(report, "backend", backend_names[cell->setup.backend]);
	report_count(report, "processes", cell->setup.processes);
	report_real(report, "us_per_process", total.median, 1);
	report_real(report, "min", total.min, 1);
	report_real(report, "max", total.max, 1);
	report_real(report, "freed_ms",
		    bench_spread(cell->freed_ms, rounds).median, 2);
	report_end(report);
}

static void report_content(struct report *report, const struct cell *cell,
			   unsigned int rounds)
{
	const struct ns_content *content = &cell->setup.content;
	struct bench_spread exit = bench_spread(cell->exit_us, rounds);

	report_begin(report);
	report_text(report, "case", content->queues ? "full" : "empty");
	report_text(report, "backend", backend_names[cell->setup.backend]);
	report_count(report, "queues", content->queues);
	report_real(report, "mbytes",
		    (double)content->queues * content->messages *
			    content->bytes / 1e6,
		    0);
	report_real(report, "exit_us", exit.median, 0);
	report_real(report, "min", exit.min, 0);
	report_real(report, "max", exit.max, 0);
	report_real(report, "freed_ms",
		    bench_spread(cell->freed_ms, rounds).median, 2);
	report_real(report, "free_cpu_ms",
		    bench_spread(cell->cpu_ms, rounds).median, 2);
	report_end(report);
}

static void report_ratio(struct report *report, const char *name,
			 const double *num, const double *den,
			 unsigned int rounds)
{
	struct bench_spread ratio = bench_ratio(num, den, rounds);

	report_begin(report);
	report_text(report, "ratio", name);
	report_real(report, "value", ratio.median, 2);
	report_real(report, "min", ratio.min, 2);
	report_real(report, "max", ratio.max, 2);
	report_end(report);
}

static void report_ratios(struct report *report, const struct bench *bench)
{
	const struct cell *empty = bench->cells[CASE_EMPTY];
	const struct cell *full = bench->cells[CASE_FULL];
	unsigned int rounds = bench->options.rounds;
	char name[64];

	for (unsigned int b = 0; b < NS_NR_BACKENDS; b++) {
		if (full[b].skipped)
			continue;
		snprintf(name, sizeof(name), "exit full/empty %s",
			 backend_names[b]);
		report_ratio(report, name, full[b].exit_us, empty[b].exit_us,
			     rounds);
	}
	if (full[NS_KERNEL].skipped)
		return;
	report_ratio(report, "exit empty deferred/kernel",
		     empty[NS_DEFERRED].exit_us, empty[NS_KERNEL].exit_us,
		     rounds);
	report_ratio(report, "exit full deferred/kernel",
		     full[NS_DEFERRED].exit_us, full[NS_KERNEL].exit_us,
		     rounds);
}

static void report_all(const struct bench *bench)
{
	const struct options *options = &bench->options;
	struct report *report;

	report = report_create("ns", options->forms, "bench");
	report_title(report,
		     "ns: processes that make a namespace and exit; median of "
		     "%u rounds",
		     options->rounds);
	for (unsigned int c = CASE_PARALLEL; c <= CASE_SERIES; c++)
		for (unsigned int b = 0; b < NS_NR_BACKENDS; b++)
			if (!bench->cells[c][b].skipped)
				report_storm(report, &bench->cells[c][b],
					     options->rounds);
	report_title(report, "ns: from exit to reaped and put");
	for (unsigned int c = CASE_EMPTY; c <= CASE_FULL; c++)
		for (unsigned int b = 0; b < NS_NR_BACKENDS; b++)
			if (!bench->cells[c][b].skipped)
				report_content(report, &bench->cells[c][b],
					       options->rounds);
	report_title(report, "ns: ratios, median of the rounds' ratios");
	report_ratios(report, bench);
	report_destroy(report);
}

/* --- options --- */

static void print_help(void)
{
	puts("Usage: " BENCH_PROGRAM " ns [OPTIONS]\n"
	     "Make IPC namespaces and leave them: the kernel's, and regions.\n"
	     "\n"
	     "  --parallel N      processes at a time (default: 1000)\n"
	     "  --series N        processes one after another (default: 1024)\n"
	     "  --queues N        in a full namespace (default: 32000)\n"
	     "  --messages N      in each queue (default: 2)\n"
	     "  --bytes N         of each message, at most 8192 (default: "
	     "8000)\n"
	     "  --rounds N        rounds (default: 5)\n"
	     "  --dir DIR         where regions are made (default: /dev/shm)\n"
	     "  --json, --table   form of the result (default: table on a "
	     "terminal)\n"
	     "  --help            this text");
}

static unsigned int number(const char *option, unsigned int max)
{
	return bench_parse_uint(option, optarg, 1, max);
}

static void take_option(struct options *options, int opt)
{
	switch (opt) {
	case 'p':
		options->parallel = number("--parallel", NS_MAX_PROCESSES);
		break;
	case 'n':
		options->series = number("--series", NS_MAX_PROCESSES);
		break;
	case 'q':
		options->full.queues = number("--queues", 32000);
		break;
	case 'm':
		options->full.messages = number("--messages", 1000000);
		break;
	case 'b':
		options->full.bytes = number("--bytes", 8192);
		break;
	case 'r':
		options->rounds = number("--rounds", BENCH_MAX_ROUNDS);
		break;
	case 'd':
		options->dir = optarg;
		break;
	default:
		options->forms |= bench_form_option(opt, print_help);
	}
}

static void parse_options(struct options *options, int argc, char *argv[])
{
	static const struct option longopts[] = {
		{ "parallel", required_argument, NULL, 'p' },
		{ "series", required_argument, NULL, 'n' },
		{ "queues", required_argument, NULL, 'q' },
		{ "messages", required_argument, NULL, 'm' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "dir", required_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "table", no_argument, NULL, 'T' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "h", longopts, NULL)) != -1)
		take_option(options, opt);
	if (optind < argc)
		bench_fail("ns: what is '%s'?", argv[optind]);
	if ((uint64_t)options->full.messages * options->full.bytes > 16384 ||
	    options->full.messages > 16384)
		bench_fail("a queue holds 16384 bytes");
}

int bench_ns(int argc, char *argv[])
{
	struct bench *bench = bench_alloc(1, sizeof(*bench));

	bench->options = (struct options){
		.parallel = 1000,
		.series = 1024,
		.full = { .queues = 32000, .messages = 2, .bytes = 8000 },
		.rounds = 5,
	};
	parse_options(&bench->options, argc, argv);
	make_dir(bench);
	plan(bench);
	for (unsigned int i = 0; i < bench->options.rounds; i++)
		run_round(bench, i);
	close(bench->dirfd);
	rmdir(bench->path);
	report_all(bench);
	free(bench);
	return EXIT_SUCCESS;
}
