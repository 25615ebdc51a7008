/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernfuse-bench msg: message queues, the kernel's against ours.
 *
 * Back ends take turns within a round, so that a busy moment of the machine
 * hits them alike.
 */
#include "msg.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define MAX_COUNTS 8

struct options {
	unsigned int threads, bytes, rounds;
	unsigned int stress[MAX_COUNTS]; /* instances */
	unsigned int nr_stress;
	bool no_stress;
	double seconds;
	unsigned int forms;
	const char *kernfuse;
	int client; /* enum msg_case: be the program; -1: no */
};

struct cell {
	struct msg_setup setup;
	double rates[MSG_NR_BACKENDS][BENCH_MAX_ROUNDS];
};

#define MAX_CELLS (MSG_STRESS + 2 * MAX_COUNTS)

struct bench {
	struct options options;
	struct cell cells[MAX_CELLS];
	unsigned int nr_cells;
};

/* --- the run --- */

static void plan_one(struct bench *bench, enum msg_case which,
		     unsigned int tasks)
{
	bench->cells[bench->nr_cells++].setup = (struct msg_setup){
		.which = which,
		.tasks = tasks,
		.bytes = bench->options.bytes,
		.seconds = bench->options.seconds,
	};
}

static void plan(struct bench *bench)
{
	const struct options *options = &bench->options;

	plan_one(bench, MSG_SAME_TASK, 1);
	plan_one(bench, MSG_ONE_WAY, 2);
	plan_one(bench, MSG_PING_PONG, 2);
	plan_one(bench, MSG_THREADS, options->threads);
	if (options->no_stress)
		return;
	if (!msg_has_program("stress-ng")) {
		fputs(BENCH_PROGRAM ": there is no stress-ng\n", stderr);
		return;
	}
	for (unsigned int i = 0; i < options->nr_stress; i++)
		plan_one(bench, MSG_STRESS, options->stress[i]);
	for (unsigned int i = 0; i < options->nr_stress; i++)
		plan_one(bench, MSG_STRESS_TYPES, options->stress[i]);
}

static void run_round(struct bench *bench, unsigned int round)
{
	for (unsigned int i = 0; i < bench->nr_cells; i++) {
		struct cell *cell = &bench->cells[i];

		for (unsigned int b = 0; b < MSG_NR_BACKENDS; b++)
			cell->rates[b][round] = msg_measure(
				&cell->setup, b, bench->options.kernfuse);
	}
}

/* --- results --- */

static void report_cell(struct report *report, const struct cell *cell,
			enum msg_backend backend, unsigned int rounds)
{
	struct bench_spread rate = bench_spread(cell->rates[backend], rounds);
	struct bench_spread ratio = bench_ratio(
		cell->rates[backend], cell->rates[MSG_KERNEL], rounds);

	report_begin(report);
	report_text(report, "case", msg_case_names[cell->setup.which]);
	report_count(report, "tasks", cell->setup.tasks);
	report_text(report, "queues", msg_backend_names[backend]);
	report_real(report, "msgs_per_s", rate.median, 0);
	report_real(report, "min", rate.min, 0);
	report_real(report, "max", rate.max, 0);
	report_real(report, "ratio_to_kernel", ratio.median, 2);
	report_end(report);
}

static void report_all(const struct bench *bench)
{
	const struct options *options = &bench->options;
	struct report *report;

	report = report_create("msg", options->forms, "bench");
	report_title(report,
		     "msg: messages of %u bytes a second (ping_pong: round "
		     "trips); median of %u rounds of %g s",
		     options->bytes, options->rounds, options->seconds);
	for (unsigned int i = 0; i < bench->nr_cells; i++)
		for (unsigned int b = 0; b < MSG_NR_BACKENDS; b++)
			report_cell(report, &bench->cells[i], b,
				    options->rounds);
	report_destroy(report);
}

/* --- options --- */

static void print_help(void)
{
	puts("Usage: " BENCH_PROGRAM " msg [OPTIONS]\n"
	     "Send and receive on the kernel's message queues and on ours.\n"
	     "\n"
	     "  --threads N       threads of the case with many (default: "
	     "160)\n"
	     "  --bytes N         length of a text (default: 4)\n"
	     "  --stress LIST     instances of stress-ng --msg (default: "
	     "1,2,8)\n"
	     "  --no-stress       leave stress-ng out\n"
	     "  --kernfuse PATH   the command (default: $KERNFUSE, or "
	     "kernfuse)\n"
	     "  --rounds N        rounds (default: 3)\n"
	     "  --seconds S       length of one measurement (default: 1)\n"
	     "  --json, --table   form of the result (default: table on a "
	     "terminal)\n"
	     "  --help            this text");
}

static void take_option(struct options *options, int opt)
{
	switch (opt) {
	case 'C':
		options->client = (int)bench_parse_uint("--client", optarg, 0,
							MSG_STRESS - 1);
		break;
	case 't':
		options->threads = bench_parse_uint("--threads", optarg, 1,
						    MSG_MAX_TASKS);
		break;
	case 'b':
		options->bytes = bench_parse_uint("--bytes", optarg, 0, 8192);
		break;
	case 'S':
		options->nr_stress = bench_parse_uints(
			"--stress", optarg, options->stress, MAX_COUNTS);
		break;
	case 'n':
		options->no_stress = true;
		break;
	case 'k':
		options->kernfuse = optarg;
		break;
	case 'r':
		options->rounds = bench_parse_uint("--rounds", optarg, 1,
						   BENCH_MAX_ROUNDS);
		break;
	case 's':
		options->seconds = bench_parse_seconds("--seconds", optarg);
		break;
	default:
		options->forms |= bench_form_option(opt, print_help);
	}
}

static void parse_options(struct options *options, int argc, char *argv[])
{
	static const struct option longopts[] = {
		{ "client", required_argument, NULL, 'C' },
		{ "threads", required_argument, NULL, 't' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "stress", required_argument, NULL, 'S' },
		{ "no-stress", no_argument, NULL, 'n' },
		{ "kernfuse", required_argument, NULL, 'k' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' },
		{ "table", no_argument, NULL, 'T' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "h", longopts, NULL)) != -1)
		take_option(options, opt);
	if (optind < argc)
		bench_fail("msg: what is '%s'?", argv[optind]);
	if (!options->nr_stress)
		options->nr_stress = bench_parse_uints(
			"--stress", "1,2,8", options->stress, MAX_COUNTS);
}

/* In a namespace, started by msg_measure(): prints one number. */
static int be_client(const struct options *options)
{
	struct msg_setup setup = {
		.which = (enum msg_case)options->client,
		.tasks = options->threads,
		.bytes = options->bytes,
		.seconds = options->seconds,
	};

	printf("%f\n", msg_client(&setup));
	return EXIT_SUCCESS;
}

int bench_msg(int argc, char *argv[])
{
	struct bench *bench = bench_alloc(1, sizeof(*bench));
	const char *kernfuse = getenv("KERNFUSE");
	int status = EXIT_SUCCESS;

	bench->options = (struct options){
		.threads = 160,
		.bytes = 4,
		.rounds = 3,
		.seconds = 1,
		.kernfuse = kernfuse ? kernfuse : "kernfuse",
		.client = -1,
	};
	parse_options(&bench->options, argc, argv);
	if (bench->options.client >= 0) {
		status = be_client(&bench->options);
		goto out;
	}
	if (!msg_has_program(bench->options.kernfuse))
		bench_fail("msg: there is no %s", bench->options.kernfuse);
	plan(bench);
	for (unsigned int i = 0; i < bench->options.rounds; i++)
		run_round(bench, i);
	report_all(bench);
out:
	free(bench);
	return status;
}
