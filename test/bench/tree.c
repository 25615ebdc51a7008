/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernfuse-bench tree: what a node costs in time and memory, in trees of very
 * different sizes, all nodes in one directory or nested.
 *
 * Each measurement runs in a process of its own, one at a time.
 */
#include "tree.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define MAX_SIZES 8

static const char *const shape_names[TREE_NR_SHAPES] = { "flat", "nested" };

static const char *const step_names[TREE_NR_STEPS] = {
	"create", "lookup", "lookup_random", "list", "remove",
};

struct options {
	unsigned int policies; /* a bit each */
	unsigned int shapes;   /* a bit each */
	unsigned int sizes[MAX_SIZES];
	unsigned int nr_sizes;
	unsigned int rounds;
	unsigned int seed;
	unsigned int forms;
};

/* One tree under one policy, and what each round gave. */
struct cell {
	enum kernfs_locking policy;
	enum tree_shape shape;
	unsigned int nodes;
	struct tree_result results[BENCH_MAX_ROUNDS];
};

#define MAX_CELLS (KERNFS_NR_LOCKING * TREE_NR_SHAPES * MAX_SIZES)

struct bench {
	struct options options;
	struct cell *cells; /* in memory shared with the children */
	unsigned int nr_cells;
};

/* --- the run --- */

static void add_cells(struct bench *bench, enum kernfs_locking policy,
		      enum tree_shape shape)
{
	const struct options *options = &bench->options;

	if (!(options->policies & (1u << policy)) ||
	    !(options->shapes & (1u << shape)))
		return;
	for (unsigned int i = 0; i < options->nr_sizes; i++)
		bench->cells[bench->nr_cells++] = (struct cell){
			.policy = policy,
			.shape = shape,
			.nodes = options->sizes[i],
		};
}

static void map_cells(struct bench *bench)
{
	void *mem = mmap(NULL, MAX_CELLS * sizeof(struct cell),
			 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			 0);

	if (mem == MAP_FAILED)
		bench_fail("cannot map memory: %s", strerror(errno));
	bench->cells = mem;
	for (unsigned int p = 0; p < KERNFS_NR_LOCKING; p++)
		for (unsigned int s = 0; s < TREE_NR_SHAPES; s++)
			add_cells(bench, p, s);
}

static void run_cell(const struct bench *bench, struct cell *cell,
		     unsigned int round)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		bench_fail("cannot fork: %s", strerror(errno));
	if (pid == 0) {
		tree_measure(cell->policy, cell->shape, cell->nodes,
			     bench->options.seed, &cell->results[round]);
		_exit(EXIT_SUCCESS);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			bench_fail("cannot wait: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS)
		return;
	if (WIFSIGNALED(status))
		bench_fail("a tree of %u nodes ended by signal %d", cell->nodes,
			   WTERMSIG(status));
	exit(EXIT_FAILURE); /* the child has said why */
}

/* --- results --- */

/* Median over the rounds of one field of struct tree_result. */
static double median_of(const struct cell *cell, unsigned int rounds,
			size_t offset)
{
	double values[BENCH_MAX_ROUNDS];

	for (unsigned int i = 0; i < rounds; i++)
		memcpy(&values[i], (const char *)&cell->results[i] + offset,
		       sizeof(values[i]));
	return bench_spread(values, rounds).median;
}

static void report_cell(struct report *report, const struct cell *cell,
			unsigned int rounds)
{
	static const struct {
		const char *key;
		size_t offset;
	} others[] = {
		{ "memory_ns", offsetof(struct tree_result, memory_ns) },
		{ "bytes_per_node", offsetof(struct tree_result, bytes) },
		{ "name_bytes", offsetof(struct tree_result, name_bytes) },
		{ "rss_per_node", offsetof(struct tree_result, rss_bytes) },
	};

	report_begin(report);
	report_text(report, "shape", shape_names[cell->shape]);
	report_text(report, "policy", kernfs_locking_name(cell->policy));
	report_count(report, "nodes", cell->nodes);
	for (unsigned int step = 0; step < TREE_NR_STEPS; step++) {
		char key[32];

		snprintf(key, sizeof(key), "%s_ns", step_names[step]);
		report_real(report, key,
			    median_of(cell, rounds,
				      offsetof(struct tree_result, ns) +
					      step * sizeof(double)),
			    1);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		report_real(report, others[i].key,
			    median_of(cell, rounds, others[i].offset), 1);
	report_end(report);
}

static void report_ratio(struct report *report, const struct cell *large,
			 const struct cell *small, enum tree_step step,
			 unsigned int rounds)
{
	double num[BENCH_MAX_ROUNDS], den[BENCH_MAX_ROUNDS];
	struct bench_spread ratio;
	char name[64];

	for (unsigned int i = 0; i < rounds; i++) {
		num[i] = large->results[i].ns[step];
		den[i] = small->results[i].ns[step];
	}
	ratio = bench_ratio(num, den, rounds);
	snprintf(name, sizeof(name), "%s %u/%u", step_names[step], large->nodes,
		 small->nodes);

	report_begin(report);
	report_text(report, "ratio", name);
	report_text(report, "shape", shape_names[large->shape]);
	report_text(report, "policy", kernfs_locking_name(large->policy));
	report_real(report, "value", ratio.median, 2);
	report_real(report, "min", ratio.min, 2);
	report_real(report, "max", ratio.max, 2);
	report_end(report);
}

/* The last size of the list against the first: neighbours in the cells. */
static void report_ratios(struct report *report, const struct bench *bench)
{
	const struct options *options = &bench->options;
	unsigned int nr = options->nr_sizes;

	if (nr < 2)
		return;
	report_title(report, "tree: time per lookup, largest/smallest tree");
	for (unsigned int i = 0; i < bench->nr_cells; i += nr) {
		const struct cell *small = &bench->cells[i];
		const struct cell *large = &bench->cells[i + nr - 1];

		report_ratio(report, large, small, TREE_LOOKUP,
			     options->rounds);
		report_ratio(report, large, small, TREE_LOOKUP_RANDOM,
			     options->rounds);
	}
}

static void report_all(const struct bench *bench)
{
	const struct options *options = &bench->options;
	struct report *report;

	report = report_create("tree", options->forms, "bench");
	report_title(
		report,
		"tree: ns and bytes per node; flat: one directory, "
		"nested: %d children in each; median of %u rounds, seed %u",
		TREE_FANOUT, options->rounds, options->seed);
	for (unsigned int i = 0; i < bench->nr_cells; i++)
		report_cell(report, &bench->cells[i], options->rounds);
	report_ratios(report, bench);
	report_destroy(report);
}

/* --- options --- */

static void print_help(void)
{
	puts("Usage: " BENCH_PROGRAM " tree [OPTIONS]\n"
	     "Create, look up, list and remove the nodes of trees, in "
	     "process.\n"
	     "\n"
	     "  --policy NAME     hashed, global, rcu or all (default: "
	     "hashed)\n"
	     "  --shape NAME      flat, nested or all (default: all)\n"
	     "  --nodes LIST      sizes (default: 1000,100000,1000000)\n"
	     "  --rounds N        rounds (default: 3)\n"
	     "  --seed N          of the random order (default: 1)\n"
	     "  --json, --table   form of the result (default: table on a "
	     "terminal)\n"
	     "  --help            this text");
}

static unsigned int parse_shapes(const char *text)
{
	if (strcmp(text, "all") == 0)
		return (1u << TREE_NR_SHAPES) - 1;
	for (unsigned int i = 0; i < TREE_NR_SHAPES; i++)
		if (strcmp(text, shape_names[i]) == 0)
			return 1u << i;
	bench_fail("--shape: '%s' is neither flat nor nested nor all", text);
}

static void take_option(struct options *options, int opt)
{
	switch (opt) {
	case 'p':
		options->policies |= bench_parse_policies(optarg);
		break;
	case 'S':
		options->shapes |= parse_shapes(optarg);
		break;
	case 'n':
		options->nr_sizes = bench_parse_uints(
			"--nodes", optarg, options->sizes, MAX_SIZES);
		break;
	case 'r':
		options->rounds = bench_parse_uint("--rounds", optarg, 1,
						   BENCH_MAX_ROUNDS);
		break;
	case 'e':
		options->seed =
			bench_parse_uint("--seed", optarg, 0, 0x7fffffff);
		break;
	default:
		options->forms |= bench_form_option(opt, print_help);
	}
}

static void parse_options(struct options *options, int argc, char *argv[])
{
	static const struct option longopts[] = {
		{ "policy", required_argument, NULL, 'p' },
		{ "shape", required_argument, NULL, 'S' },
		{ "nodes", required_argument, NULL, 'n' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "seed", required_argument, NULL, 'e' },
		{ "json", no_argument, NULL, 'j' },
		{ "table", no_argument, NULL, 'T' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "h", longopts, NULL)) != -1)
		take_option(options, opt);
	if (optind < argc)
		bench_fail("tree: what is '%s'?", argv[optind]);
	if (!options->policies)
		options->policies = 1u << KERNFS_LOCKING_HASHED;
	if (!options->shapes)
		options->shapes = parse_shapes("all");
	if (!options->nr_sizes)
		options->nr_sizes =
			bench_parse_uints("--nodes", "1000,100000,1000000",
					  options->sizes, MAX_SIZES);
}

int bench_tree(int argc, char *argv[])
{
	struct bench bench = {
		.options = { .rounds = 3, .seed = 1 },
	};

	parse_options(&bench.options, argc, argv);
	map_cells(&bench);
	for (unsigned int round = 0; round < bench.options.rounds; round++)
		for (unsigned int i = 0; i < bench.nr_cells; i++)
			run_cell(&bench, &bench.cells[i], round);
	report_all(&bench);
	munmap(bench.cells, MAX_CELLS * sizeof(struct cell));
	return EXIT_SUCCESS;
}
