/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernfuse-bench SUBCOMMAND [OPTIONS]: what things cost.
 *
 * README.md beside this file says how to read the results.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static const struct subcommand {
	const char *name;
	const char *title; /* argv[0] of the subcommand, for getopt */
	int (*run)(int argc, char *argv[]);
	const char *summary;
} subcommands[] = {
	{ "walk", BENCH_PROGRAM " walk", bench_walk,
	  "permission and revalidation of a path, in process" },
	{ "storm", BENCH_PROGRAM " storm", bench_storm,
	  "processes that open, read and close files of mounted trees" },
	{ "tree", BENCH_PROGRAM " tree", bench_tree,
	  "create, look up, list and remove many nodes, in process" },
	{ "counter", BENCH_PROGRAM " counter", bench_counter,
	  "add to shared counters: a word for each CPU, or one for all" },
	{ "msg", BENCH_PROGRAM " msg", bench_msg,
	  "send and receive on the kernel's message queues and on ours" },
	{ "ns", BENCH_PROGRAM " ns", bench_ns,
	  "make IPC namespaces and leave them, empty and full" },
};

#define NR_SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

static void print_help(void)
{
	puts("Usage: " BENCH_PROGRAM " SUBCOMMAND [OPTIONS]\n"
	     "Measure the kernfuse tree, its lock policies, counters and queues.\n");
	for (size_t i = 0; i < NR_SUBCOMMANDS; i++)
		printf("  %-7s %s\n", subcommands[i].name,
		       subcommands[i].summary);
	puts("\n"
	     "Each result is a line of JSON; on a terminal it is a table.\n"
	     "'" BENCH_PROGRAM " SUBCOMMAND --help' lists the options.");
}

int main(int argc, char *argv[])
{
	if (argc < 2)
		bench_fail("no subcommand given; try '" BENCH_PROGRAM
			   " --help'");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help();
		return 0;
	}
	for (size_t i = 0; i < NR_SUBCOMMANDS; i++) {
		if (strcmp(argv[1], subcommands[i].name) != 0)
			continue;
		argv[1] = (char *)subcommands[i].title;
		return subcommands[i].run(argc - 1, argv + 1);
	}
	bench_fail("no subcommand '%s'; try '" BENCH_PROGRAM " --help'",
		   argv[1]);
}
