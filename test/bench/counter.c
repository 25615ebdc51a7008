/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernfuse-bench counter: what it costs to add to the totals of a namespace,
 * a word for each CPU against one word for all, and to sum them up.
 *
 * Modes take turns within a round, so that a busy moment of the machine hits
 * them alike.
 */
#include "counter.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

#define MAX_COUNTS 8
#define NR_KINDS 2

static const char *const kind_names[NR_KINDS] = { "thread", "process" };
static const char *const mode_names[PERCPU_COUNTER_NR_MODES] = {
	[PERCPU_COUNTER_PERCPU] = "percpu",
	[PERCPU_COUNTER_ATOMIC] = "atomic",
};

struct options {
	unsigned int adders[MAX_COUNTS];
	unsigned int nr_adders;
	unsigned int slots[MAX_COUNTS];
	unsigned int nr_slots;
	unsigned int rounds;
	double seconds;
	unsigned int forms;
};

struct cell {
	struct counter_setup setup;
	double ns[BENCH_MAX_ROUNDS]; /* of an add, or of a sum */
	double rates[BENCH_MAX_ROUNDS];
	double shares[BENCH_MAX_ROUNDS];
};

#define MAX_CELLS (MAX_COUNTS * PERCPU_COUNTER_NR_MODES * 2 * NR_KINDS)

struct bench {
	struct options options;
	struct cell adds[MAX_CELLS], sums[MAX_CELLS];
	unsigned int nr_adds, nr_sums;
};

/* --- the run --- */

/* Modes innermost: what is compared runs side by side. */
static void plan_adds(struct bench *bench)
{
	const struct options *options = &bench->options;

	for (unsigned int i = 0; i < NR_KINDS * options->nr_adders; i++)
		for (unsigned int m = 0; m < PERCPU_COUNTER_NR_MODES; m++)
			bench->adds[bench->nr_adds++]
				.setup = (struct counter_setup){
				.mode = m,
				.processes = i / options->nr_adders,
				.adders =
					options->adders[i % options->nr_adders],
				.seconds = options->seconds,
			};
}

/* Idle, and while one thread adds. */
static void plan_sums(struct bench *bench)
{
	const struct options *options = &bench->options;

	for (unsigned int i = 0; i < 2 * options->nr_slots; i++)
		for (unsigned int m = 0; m < PERCPU_COUNTER_NR_MODES; m++)
			bench->sums[bench->nr_sums++]
				.setup = (struct counter_setup){
				.mode = m,
				.adders = i / options->nr_slots,
				.nr_slots =
					options->slots[i % options->nr_slots],
				.sum = true,
				.seconds = options->seconds,
			};
}

static void run_round(struct bench *bench, unsigned int round)
{
	struct counter_result result;

	for (unsigned int i = 0; i < bench->nr_adds; i++) {
		struct cell *cell = &bench->adds[i];

		counter_measure(&cell->setup, &result);
		cell->ns[round] = result.add_ns;
		cell->rates[round] = result.adds_per_s;
		cell->shares[round] = result.cpu_share;
	}
	for (unsigned int i = 0; i < bench->nr_sums; i++) {
		counter_measure(&bench->sums[i].setup, &result);
		bench->sums[i].ns[round] = result.sum_ns;
	}
}

/* --- results --- */

static void report_adds(struct report *report, const struct cell *cell,
			unsigned int rounds)
{
	struct bench_spread ns = bench_spread(cell->ns, rounds);
	bool percpu = cell->setup.mode == PERCPU_COUNTER_PERCPU;

	report_begin(report);
	report_text(report, "by", kind_names[cell->setup.processes]);
	report_count(report, "adders", cell->setup.adders);
	report_text(report, "counters", mode_names[cell->setup.mode]);
	report_real(report, "ns_per_add", ns.median, 2);
	report_real(report, "min", ns.min, 2);
	report_real(report, "max", ns.max, 2);
	report_real(report, "adds_per_s",
		    bench_spread(cell->rates, rounds).median, 0);
	report_real(report, "cpu_share",
		    bench_spread(cell->shares, rounds).median, 2);
	report_text(report, "rseq",
		    percpu && counter_has_rseq() ? "yes" : "no");
	report_end(report);
}

static void report_sums(struct report *report, const struct cell *cell,
			unsigned int rounds)
{
	struct bench_spread ns = bench_spread(cell->ns, rounds);

	report_begin(report);
	report_text(report, "counters", mode_names[cell->setup.mode]);
	report_count(report, "slots", cell->setup.nr_slots);
	report_count(report, "adders", cell->setup.adders);
	report_real(report, "ns_per_sum", ns.median, 1);
	report_real(report, "min", ns.min, 1);
	report_real(report, "max", ns.max, 1);
	report_end(report);
}

/* Cells of one number of adders are neighbours: per CPU, then atomic. */
static void report_ratio(struct report *report, const struct cell *percpu,
			 unsigned int rounds)
{
	const struct cell *atomic = percpu + 1;
	struct bench_spread ratio = bench_ratio(atomic->ns, percpu->ns, rounds);

	report_begin(report);
	report_text(report, "ratio", "atomic/percpu");
	report_text(report, "by", kind_names[percpu->setup.processes]);
	report_count(report, "adders", percpu->setup.adders);
	report_real(report, "value", ratio.median, 1);
	report_real(report, "min", ratio.min, 1);
	report_real(report, "max", ratio.max, 1);
	report_end(report);
}

static void report_all(const struct bench *bench)
{
	const struct options *options = &bench->options;
	struct report *report;

	report = report_create("counter", options->forms, "bench");
	report_title(report,
		     "counter: CPU time of an add to one of two shared "
		     "counters; median of %u rounds of %g s",
		     options->rounds, options->seconds);
	for (unsigned int i = 0; i < bench->nr_adds; i++)
		report_adds(report, &bench->adds[i], options->rounds);
	report_title(report, "counter: ratios, median of the rounds' ratios");
	for (unsigned int i = 0; i < bench->nr_adds;
	     i += PERCPU_COUNTER_NR_MODES)
		report_ratio(report, &bench->adds[i], options->rounds);
	report_title(report, "counter: CPU time of a sum, alone and while one "
			     "thread adds");
	for (unsigned int i = 0; i < bench->nr_sums; i++)
		report_sums(report, &bench->sums[i], options->rounds);
	report_destroy(report);
}

/* --- options --- */

static void print_help(void)
{
	puts("Usage: " BENCH_PROGRAM " counter [OPTIONS]\n"
	     "Add to counters with a word for each CPU, and to atomic ones.\n"
	     "\n"
	     "  --adders LIST     how many add at once, as 1,2,4 (default: 1 "
	     "and the CPUs)\n"
	     "  --slots LIST      CPUs that a sum reads (default: this "
	     "machine's, 64 and 256)\n"
	     "  --rounds N        rounds (default: 5)\n"
	     "  --seconds S       length of one measurement (default: 0.2)\n"
	     "  --json, --table   form of the result (default: table on a "
	     "terminal)\n"
	     "  --help            this text");
}

static void set_defaults(struct options *options)
{
	unsigned int cpus = bench_nr_cpus();

	if (!options->nr_adders) {
		options->adders[options->nr_adders++] = 1;
		if (cpus > 1)
			options->adders[options->nr_adders++] =
				cpus < COUNTER_MAX_ADDERS ? cpus :
							    COUNTER_MAX_ADDERS;
	}
	if (!options->nr_slots) {
		options->slots[options->nr_slots++] = kf_rseq_nr_cpus();
		options->slots[options->nr_slots++] = 64;
		options->slots[options->nr_slots++] = 256;
	}
}

static void check_counts(const char *option, const unsigned int *counts,
			 unsigned int nr, unsigned int max)
{
	for (unsigned int i = 0; i < nr; i++)
		if (counts[i] > max)
			bench_fail("%s: at most %u", option, max);
}

static void take_option(struct options *options, int opt)
{
	switch (opt) {
	case 'a':
		options->nr_adders = bench_parse_uints(
			"--adders", optarg, options->adders, MAX_COUNTS);
		check_counts("--adders", options->adders, options->nr_adders,
			     COUNTER_MAX_ADDERS);
		break;
	case 'S':
		options->nr_slots = bench_parse_uints(
			"--slots", optarg, options->slots, MAX_COUNTS);
		check_counts("--slots", options->slots, options->nr_slots,
			     PERCPU_COUNTER_MAX_SLOTS);
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
		{ "adders", required_argument, NULL, 'a' },
		{ "slots", required_argument, NULL, 'S' },
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
		bench_fail("counter: what is '%s'?", argv[optind]);
	set_defaults(options);
}

int bench_counter(int argc, char *argv[])
{
	struct bench *bench = bench_alloc(1, sizeof(*bench));

	bench->options.rounds = 5;
	bench->options.seconds = 0.2;
	parse_options(&bench->options, argc, argv);
	plan_adds(bench);
	plan_sums(bench);
	for (unsigned int i = 0; i < bench->options.rounds; i++)
		run_round(bench, i);
	report_all(bench);
	free(bench);
	return EXIT_SUCCESS;
}
