/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernfuse-bench storm: many processes open, read and close files of a
 * mounted tree or of the real /sys.
 *
 * Several directories are compared in one run: the same clients, files and
 * lengths, the directories taking turns within a round.
 */
#include "storm.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define MAX_CLIENTS 4096

/* Requests that the daemon behind a directory has received, in decimal. */
#define UPCALLS_PATH "fs/kernfuse/upcalls/total"

/*
 * Where attributes are found in a sysfs tree without following its links
 * around: a device's own files, and those of CPUs, memory and clocks.
 */
static const char *const default_globs[] = {
	"class/*/*/*",
	"devices/system/*/*/*",
};

struct options {
	struct storm_dir dirs[STORM_MAX_DIRS];
	unsigned int nr_dirs;
	const char *bases[STORM_MAX_DIRS]; /* labels */
	unsigned int nr_bases;
	const char *list;
	const char *glob;
	unsigned int nr_files;
	unsigned int nr_clients;
	unsigned int ops;
	unsigned int rounds;
	double seconds;
	enum storm_mode mode;
	unsigned int forms;
};

/* What a directory gave, over all rounds. */
struct outcome {
	double rates[BENCH_MAX_ROUNDS]; /* ops a second, all clients */
	uint64_t ops, errors;
	double upcalls; /* NAN: nobody counts them */
	int error;
	const char *error_path;
};

static const char *mode_name(enum storm_mode mode)
{
	return mode == STORM_OPEN ? "open" : "stat";
}

/* --- the run --- */

static double read_upcalls(const struct storm_dir *dir)
{
	char text[32];
	ssize_t n;
	int fd;

	fd = openat(dir->fd, UPCALLS_PATH, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NAN;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return NAN;
	text[n] = '\0';
	return strtod(text, NULL);
}

static void run_round(struct storm_clients *clients,
		      const struct options *options, unsigned int round,
		      unsigned int nth, struct outcome *outcome)
{
	const struct storm_dir *dir = &options->dirs[nth];
	struct storm_result result;
	double upcalls = read_upcalls(dir);

	storm_clients_round(clients, nth, &result);
	outcome->upcalls += read_upcalls(dir) - upcalls;
	outcome->rates[round] = (double)result.ops / result.seconds;
	outcome->ops += result.ops;
	outcome->errors += result.errors;
	if (result.errors) {
		outcome->error = result.error;
		outcome->error_path = result.path;
	}
}

static void run_all(const struct options *options,
		    const struct storm_files *files, struct outcome *outcomes)
{
	struct storm_run run = {
		.dirs = options->dirs,
		.files = files,
		.mode = options->mode,
		.nr_clients = options->nr_clients,
		.ops = options->ops,
		.seconds = options->seconds,
	};
	struct storm_clients *clients = storm_clients_start(&run);

	for (unsigned int round = 0; round < options->rounds; round++)
		for (unsigned int i = 0; i < options->nr_dirs; i++)
			run_round(clients, options, round, i, &outcomes[i]);
	storm_clients_stop(clients);
}

/* Patterns promise nothing, so what is not in every tree is left out. */
static void find_files(const struct options *options, struct storm_files *files)
{
	const struct storm_dir *first = &options->dirs[0];
	const size_t nr_globs =
		sizeof(default_globs) / sizeof(default_globs[0]);

	if (options->glob)
		storm_files_glob(files, first, options->glob);
	for (size_t i = 0; !options->glob && i < nr_globs; i++)
		storm_files_glob(files, first, default_globs[i]);
	/* to look for thousands of files in each tree would take long */
	storm_files_thin(files, 2 * options->nr_files);
	storm_files_intersect(files, options->dirs, options->nr_dirs);
}

static void read_list(const struct options *options, struct storm_files *files)
{
	unsigned int dropped;

	storm_files_read(files, options->list);
	dropped = storm_files_intersect(files, options->dirs, options->nr_dirs);
	if (dropped)
		fprintf(stderr, "%s: %u files of %s are not in each DIR\n",
			BENCH_PROGRAM, dropped, options->list);
}

static void choose_files(const struct options *options,
			 struct storm_files *files)
{
	if (options->list)
		read_list(options, files);
	else
		find_files(options, files);
	if (!files->nr)
		bench_fail("found no file to open in %s",
			   options->dirs[0].path);
	storm_files_thin(files, options->nr_files);
}

/* --- results --- */

static unsigned int find_label(const struct options *options, const char *label)
{
	for (unsigned int i = 0; i < options->nr_dirs; i++)
		if (strcmp(options->dirs[i].label, label) == 0)
			return i;
	bench_fail("--base: no directory is labelled '%s'", label);
}

static void report_ratios(struct report *report, const struct options *options,
			  const struct outcome *outcomes, unsigned int nth)
{
	for (unsigned int i = 0; i < options->nr_bases; i++) {
		unsigned int base = find_label(options, options->bases[i]);
		struct bench_spread ratio;
		char key[64];

		ratio = bench_ratio(outcomes[nth].rates, outcomes[base].rates,
				    options->rounds);
		snprintf(key, sizeof(key), "ratio_to_%s", options->bases[i]);
		report_real(report, key, ratio.median, 3);
	}
}

static void report_outcome(struct report *report, const struct options *options,
			   unsigned int nr_files,
			   const struct outcome *outcomes, unsigned int nth)
{
	const struct outcome *outcome = &outcomes[nth];
	struct bench_spread rate =
		bench_spread(outcome->rates, options->rounds);

	report_begin(report);
	report_text(report, "case", mode_name(options->mode));
	report_text(report, "tree", options->dirs[nth].label);
	report_count(report, "clients", options->nr_clients);
	report_count(report, "files", nr_files);
	report_real(report, "ops_per_s", rate.median, 0);
	report_real(report, "min", rate.min, 0);
	report_real(report, "max", rate.max, 0);
	report_ratios(report, options, outcomes, nth);
	report_real(report, "upcalls_per_op",
		    outcome->upcalls / (double)outcome->ops, 2);
	report_count(report, "errors", outcome->errors);
	report_end(report);
}

static void report_all(const struct options *options, unsigned int nr_files,
		       const struct outcome *outcomes)
{
	struct report *report;

	report = report_create("storm", options->forms,
			       "bench case clients files");
	report_title(
		report, "storm: %u processes %s %u files; median of %u rounds",
		options->nr_clients,
		options->mode == STORM_OPEN ? "open, read and close" : "stat",
		nr_files, options->rounds);
	for (unsigned int i = 0; i < options->nr_dirs; i++)
		report_outcome(report, options, nr_files, outcomes, i);
	report_destroy(report);
}

/* One line for each directory where something failed. */
static void print_errors(const struct options *options,
			 const struct outcome *outcomes)
{
	for (unsigned int i = 0; i < options->nr_dirs; i++) {
		if (!outcomes[i].errors)
			continue;
		fprintf(stderr, "%s: %llu ops failed in %s, one on %s: %s\n",
			BENCH_PROGRAM, (unsigned long long)outcomes[i].errors,
			options->dirs[i].path, outcomes[i].error_path,
			strerror(outcomes[i].error));
	}
}

/* --- options --- */

static void print_help(void)
{
	puts("Usage: " BENCH_PROGRAM " storm --dir [LABEL=]DIR... [OPTIONS]\n"
	     "Let many processes open, read and close the same files of each "
	     "DIR.\n"
	     "\n"
	     "  --dir [LABEL=]DIR  a tree to hammer; repeat it to compare "
	     "several\n"
	     "  --base LABEL       show ratios to this tree; may be repeated\n"
	     "                     (default: the first)\n"
	     "  --clients N        processes (default: 8)\n"
	     "  --mode open|stat   what they do (default: open)\n"
	     "  --glob PATTERN     files, found in the first DIR\n"
	     "                     (default: class/*/*/* and "
	     "devices/system/*/*/*)\n"
	     "  --list FILE        files, a relative path in each line; - for "
	     "stdin\n"
	     "  --files N          at most so many of them (default: 64)\n"
	     "  --rounds N         rounds (default: 5)\n"
	     "  --seconds S        length of a round in each DIR (default: 1)\n"
	     "  --ops N            ops of each process in a round, instead of "
	     "seconds\n"
	     "  --json, --table    form of the result (default: table on a "
	     "terminal)\n"
	     "  --help             this text");
}

/* The label is what comes before a '=', unless that is part of a path. */
static void add_dir(struct options *options, char *arg)
{
	char *equals = strchr(arg, '=');
	char *slash = strchr(arg, '/');
	struct storm_dir *dir = &options->dirs[options->nr_dirs];

	if (options->nr_dirs == STORM_MAX_DIRS)
		bench_fail("--dir: more than %d directories", STORM_MAX_DIRS);
	dir->label = dir->path = arg;
	if (equals && (!slash || equals < slash)) {
		*equals = '\0';
		dir->path = equals + 1;
	}
	dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0)
		bench_fail("cannot open %s: %s", dir->path, strerror(errno));
	options->nr_dirs++;
}

static void add_base(struct options *options, const char *label)
{
	if (options->nr_bases == STORM_MAX_DIRS)
		bench_fail("--base: more than %d labels", STORM_MAX_DIRS);
	options->bases[options->nr_bases++] = label;
}

static enum storm_mode parse_mode(const char *text)
{
	if (strcmp(text, "open") == 0)
		return STORM_OPEN;
	if (strcmp(text, "stat") == 0)
		return STORM_STAT;
	bench_fail("--mode: '%s' is neither open nor stat", text);
}

static const struct option longopts[] = {
	{ "dir", required_argument, NULL, 'd' },
	{ "base", required_argument, NULL, 'b' },
	{ "clients", required_argument, NULL, 'c' },
	{ "mode", required_argument, NULL, 'm' },
	{ "glob", required_argument, NULL, 'g' },
	{ "list", required_argument, NULL, 'l' },
	{ "files", required_argument, NULL, 'f' },
	{ "rounds", required_argument, NULL, 'r' },
	{ "seconds", required_argument, NULL, 's' },
	{ "ops", required_argument, NULL, 'o' },
	{ "json", no_argument, NULL, 'j' },
	{ "table", no_argument, NULL, 'T' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

static void take_option(struct options *options, int opt)
{
	switch (opt) {
	case 'd':
		add_dir(options, optarg);
		break;
	case 'b':
		add_base(options, optarg);
		break;
	case 'c':
		options->nr_clients =
			bench_parse_uint("--clients", optarg, 1, MAX_CLIENTS);
		break;
	case 'm':
		options->mode = parse_mode(optarg);
		break;
	case 'g':
		options->glob = optarg;
		break;
	case 'l':
		options->list = optarg;
		break;
	case 'f':
		options->nr_files =
			bench_parse_uint("--files", optarg, 1, STORM_MAX_FILES);
		break;
	case 'r':
		options->rounds = bench_parse_uint("--rounds", optarg, 1,
						   BENCH_MAX_ROUNDS);
		break;
	case 's':
		options->seconds = bench_parse_seconds("--seconds", optarg);
		break;
	case 'o':
		options->ops = bench_parse_uint("--ops", optarg, 1, 100000000);
		break;
	default:
		options->forms |= bench_form_option(opt, print_help);
	}
}

static void parse_options(struct options *options, int argc, char *argv[])
{
	int opt;

	while ((opt = getopt_long(argc, argv, "h", longopts, NULL)) != -1)
		take_option(options, opt);
	if (optind < argc)
		bench_fail("storm: what is '%s'?", argv[optind]);
	if (!options->nr_dirs)
		bench_fail("storm: no --dir given");
	if (options->list && options->glob)
		bench_fail("storm: --list and --glob exclude each other");
	if (!options->nr_bases)
		add_base(options, options->dirs[0].label);
	for (unsigned int i = 0; i < options->nr_bases; i++)
		find_label(options, options->bases[i]);
}

int bench_storm(int argc, char *argv[])
{
	struct outcome *outcomes =
		bench_alloc(STORM_MAX_DIRS, sizeof(*outcomes));
	struct options options = {
		.nr_files = 64,
		.nr_clients = 8,
		.rounds = 5,
		.seconds = 1,
	};
	struct storm_files files = { 0 };

	parse_options(&options, argc, argv);
	choose_files(&options, &files);
	run_all(&options, &files, outcomes);
	report_all(&options, files.nr, outcomes);
	print_errors(&options, outcomes);

	storm_files_finish(&files);
	for (unsigned int i = 0; i < options.nr_dirs; i++)
		close(options.dirs[i].fd);
	free(outcomes);
	return EXIT_SUCCESS;
}
