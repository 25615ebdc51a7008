/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernfuse-bench walk: permission and revalidation of a path of six names, in
 * process, by one or more threads at a time.
 *
 * Policies take turns within a round, so that a busy moment of the machine
 * hits them alike.
 */
#include "walk.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

#define MAX_COUNTS 16

/*
 * Threads that neither waited for a lock nor had a CPU to themselves were
 * disturbed by another program; then the round is repeated, up to so often.
 */
#define MAX_REPEATS 3
#define ENOUGH_CPU 0.97

static const char *const case_names[WALK_NR_CASES] = { "hot", "own" };

/* Nobody: a caller without capabilities, let in by the mode bits alone. */
static const struct kernfs_cred user_cred = { .fsuid = 65534, .fsgid = 65534 };

static const struct caller {
	const char *name;
	const struct kernfs_cred *cred;
} callers[] = {
	{ "root", &kernfs_root_cred },
	{ "user", &user_cred },
};

#define NR_CALLERS (sizeof(callers) / sizeof(callers[0]))

struct options {
	unsigned int policies; /* a bit each */
	unsigned int threads[MAX_COUNTS];
	unsigned int nr_threads;
	unsigned int rounds;
	double seconds;
	unsigned int forms;
};

/* One case under one policy, and what it gave over all rounds. */
struct cell {
	const struct caller *caller;
	enum walk_case which;
	unsigned int threads;
	enum kernfs_locking policy;
	double rates[BENCH_MAX_ROUNDS]; /* walks a second, all threads */
	struct walk_result total;
	unsigned int repeats; /* rounds that were thrown away */
};

#define MAX_CELLS (NR_CALLERS * WALK_NR_CASES * MAX_COUNTS * KERNFS_NR_LOCKING)

struct bench {
	struct options options;
	struct kernfs_root *roots[KERNFS_NR_LOCKING]; /* NULL: not wanted */
	struct cell cells[MAX_CELLS]; /* in the order they run */
	unsigned int nr_cells;
};

/* --- the run --- */

static double cpu_share(const struct walk_result *result)
{
	return result->cpu_s / result->wall_s;
}

static bool was_disturbed(const struct walk_result *result,
			  unsigned int threads)
{
	return threads <= bench_nr_cpus() && !result->waits &&
	       cpu_share(result) < ENOUGH_CPU;
}

static void add_result(struct walk_result *sum, const struct walk_result *part)
{
	sum->rate += part->rate;
	sum->walks += part->walks;
	sum->runs += part->runs;
	sum->waits += part->waits;
	sum->cpu_s += part->cpu_s;
	sum->wall_s += part->wall_s;
}

static unsigned int max_threads(const struct options *options)
{
	unsigned int max = 0;

	for (unsigned int i = 0; i < options->nr_threads; i++)
		if (options->threads[i] > max)
			max = options->threads[i];
	return max;
}

/*
 * Few threads use, one after another, all the CPUs that the most threads use
 * at once: the CPUs of a virtual machine need not be equally fast, and a gain
 * by threads must not be one by CPUs.
 */
static void measure(const struct bench *bench, const struct cell *cell,
		    unsigned int round, struct walk_result *ret_result)
{
	const struct options *options = &bench->options;
	unsigned int most = max_threads(options), cpus = bench_nr_cpus();
	unsigned int places = (most < cpus ? most : cpus) / cell->threads;
	struct walk_setup setup = {
		.cred = cell->caller->cred,
		.which = cell->which,
		.threads = cell->threads,
		.round = round,
	};

	if (!places)
		places = 1;
	setup.seconds = options->seconds / places;
	*ret_result = (struct walk_result){ 0 };
	for (unsigned int i = 0; i < places; i++) {
		struct walk_result part;

		setup.first_cpu = i * cell->threads;
		walk_measure(bench->roots[cell->policy], &setup, &part);
		add_result(ret_result, &part);
	}
	ret_result->rate /= places;
}

/* Of a round that stays disturbed the least disturbed attempt counts. */
static void run_round(const struct bench *bench, struct cell *cell,
		      unsigned int round)
{
	struct walk_result best, again;

	measure(bench, cell, round, &best);
	for (unsigned int i = 0; i < MAX_REPEATS; i++) {
		if (!was_disturbed(&best, cell->threads))
			break;
		measure(bench, cell, round, &again);
		cell->repeats++;
		if (cpu_share(&again) > cpu_share(&best))
			best = again;
	}
	cell->rates[round] = best.rate;
	add_result(&cell->total, &best);
}

/* Policies, then thread counts innermost: what is compared runs side by side */
static void add_cells(struct bench *bench, const struct caller *caller,
		      enum walk_case which)
{
	const struct options *options = &bench->options;

	for (unsigned int i = 0; i < options->nr_threads; i++) {
		for (unsigned int p = 0; p < KERNFS_NR_LOCKING; p++) {
			if (!bench->roots[p])
				continue;
			bench->cells[bench->nr_cells++] = (struct cell){
				.caller = caller,
				.which = which,
				.threads = options->threads[i],
				.policy = p,
			};
		}
	}
}

static const struct cell *find_cell(const struct bench *bench,
				    const struct caller *caller,
				    enum walk_case which, unsigned int threads,
				    enum kernfs_locking policy)
{
	for (unsigned int i = 0; i < bench->nr_cells; i++) {
		const struct cell *cell = &bench->cells[i];

		if (cell->caller == caller && cell->which == which &&
		    cell->threads == threads && cell->policy == policy)
			return cell;
	}
	return NULL;
}

/* --- results --- */

static void report_cell(struct report *report, const struct cell *cell,
			unsigned int rounds)
{
	struct bench_spread rate = bench_spread(cell->rates, rounds);
	const struct walk_result *total = &cell->total;
	double walks = (double)total->walks;

	report_begin(report);
	report_text(report, "case", case_names[cell->which]);
	report_text(report, "caller", cell->caller->name);
	report_count(report, "threads", cell->threads);
	report_text(report, "policy", kernfs_locking_name(cell->policy));
	report_real(report, "ops_per_s", rate.median, 0);
	report_real(report, "min", rate.min, 0);
	report_real(report, "max", rate.max, 0);
	report_real(report, "runs_per_op", (double)total->runs / walks, 2);
	report_real(report, "waits_per_op", (double)total->waits / walks, 6);
	report_real(report, "cpu_share", cpu_share(total), 2);
	report_count(report, "repeats", cell->repeats);
	report_end(report);
}

static void report_ratio(struct report *report, const char *name,
			 const struct cell *num, const struct cell *den,
			 unsigned int rounds)
{
	struct bench_spread ratio;

	if (!num || !den)
		return; /* a policy that was not asked for */
	ratio = bench_ratio(num->rates, den->rates, rounds);
	report_begin(report);
	report_text(report, "ratio", name);
	report_text(report, "caller", num->caller->name);
	report_count(report, "threads", num->threads);
	report_real(report, "value", ratio.median, 2);
	report_real(report, "min", ratio.min, 2);
	report_real(report, "max", ratio.max, 2);
	report_end(report);
}

static void report_gain(struct report *report, const struct bench *bench,
			const struct caller *caller, enum walk_case which,
			enum kernfs_locking policy)
{
	const struct options *options = &bench->options;
	char name[64];

	snprintf(name, sizeof(name), "%s/global %s",
		 kernfs_locking_name(policy), case_names[which]);
	for (unsigned int i = 0; i < options->nr_threads; i++) {
		unsigned int n = options->threads[i];

		report_ratio(report, name,
			     find_cell(bench, caller, which, n, policy),
			     find_cell(bench, caller, which, n,
				       KERNFS_LOCKING_GLOBAL),
			     options->rounds);
	}
}

/* What the last thread count of the list gains over the first. */
static void report_scaling(struct report *report, const struct bench *bench,
			   const struct caller *caller, enum walk_case which,
			   enum kernfs_locking policy)
{
	const struct options *options = &bench->options;
	unsigned int first = options->threads[0];
	unsigned int last = options->threads[options->nr_threads - 1];
	const char *word = kernfs_locking_name(policy);
	char name[64];

	if (first == last)
		return;
	snprintf(name, sizeof(name), "%s %u threads/%s %u thread%s %s", word,
		 last, word, first, first == 1 ? "" : "s", case_names[which]);
	report_ratio(report, name,
		     find_cell(bench, caller, which, last, policy),
		     find_cell(bench, caller, which, first, policy),
		     options->rounds);
}

static void report_all(const struct bench *bench)
{
	const struct options *options = &bench->options;
	struct report *report;

	report = report_create("walk", options->forms, "bench");
	report_title(report,
		     "walk: permission + revalidate of a path of %d names, in "
		     "process; median of %u rounds of %g s",
		     WALK_DEPTH, options->rounds, options->seconds);
	for (unsigned int i = 0; i < bench->nr_cells; i++)
		report_cell(report, &bench->cells[i], options->rounds);

	report_title(report, "walk: ratios, median of the rounds' ratios");
	for (unsigned int i = 0; i < NR_CALLERS; i++) {
		const struct caller *caller = &callers[i];

		report_gain(report, bench, caller, WALK_HOT,
			    KERNFS_LOCKING_RCU);
		report_gain(report, bench, caller, WALK_OWN,
			    KERNFS_LOCKING_HASHED);
		report_scaling(report, bench, caller, WALK_HOT,
			       KERNFS_LOCKING_RCU);
		report_scaling(report, bench, caller, WALK_OWN,
			       KERNFS_LOCKING_HASHED);
	}
	report_destroy(report);
}

/* --- options --- */

static void print_help(void)
{
	puts("Usage: " BENCH_PROGRAM " walk [OPTIONS]\n"
	     "Walk a path of six names, in process, under each lock policy.\n"
	     "\n"
	     "  --policy NAME     hashed, global, rcu or all (default: all)\n"
	     "  --threads LIST    thread counts, as 1,2,4 (default: 1 and the "
	     "CPUs)\n"
	     "  --rounds N        rounds (default: 5)\n"
	     "  --seconds S       length of one measurement (default: 0.3)\n"
	     "  --json, --table   form of the result (default: table on a "
	     "terminal)\n"
	     "  --help            this text");
}

static void default_threads(struct options *options)
{
	unsigned int cpus = bench_nr_cpus();

	if (options->nr_threads)
		return;
	options->threads[options->nr_threads++] = 1;
	if (cpus > 1)
		options->threads[options->nr_threads++] =
			cpus < WALK_MAX_THREADS ? cpus : WALK_MAX_THREADS;
}

static void take_option(struct options *options, int opt)
{
	switch (opt) {
	case 'p':
		options->policies |= bench_parse_policies(optarg);
		break;
	case 't':
		options->nr_threads = bench_parse_uints(
			"--threads", optarg, options->threads, MAX_COUNTS);
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
		{ "policy", required_argument, NULL, 'p' },
		{ "threads", required_argument, NULL, 't' },
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
		bench_fail("walk: what is '%s'?", argv[optind]);
	if (!options->policies)
		options->policies = bench_parse_policies("all");
	default_threads(options);
	for (unsigned int i = 0; i < options->nr_threads; i++)
		if (options->threads[i] > WALK_MAX_THREADS)
			bench_fail("--threads: at most %d", WALK_MAX_THREADS);
}

static void create_roots(struct bench *bench)
{
	const struct options *options = &bench->options;

	for (unsigned int p = 0; p < KERNFS_NR_LOCKING; p++)
		if (options->policies & (1u << p))
			bench->roots[p] = walk_create_tree(
				p, max_threads(options), options->rounds);
}

int bench_walk(int argc, char *argv[])
{
	struct bench *bench = bench_alloc(1, sizeof(*bench));
	struct options *options = &bench->options;

	options->rounds = 5;
	options->seconds = 0.3;
	parse_options(options, argc, argv);

	create_roots(bench);
	for (unsigned int i = 0; i < NR_CALLERS; i++) {
		add_cells(bench, &callers[i], WALK_HOT);
		add_cells(bench, &callers[i], WALK_OWN);
	}
	for (unsigned int round = 0; round < options->rounds; round++)
		for (unsigned int i = 0; i < bench->nr_cells; i++)
			run_round(bench, &bench->cells[i], round);
	report_all(bench);

	for (unsigned int p = 0; p < KERNFS_NR_LOCKING; p++)
		kernfs_destroy_root(bench->roots[p]);
	free(bench);
	return EXIT_SUCCESS;
}
