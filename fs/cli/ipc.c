// SPDX-License-Identifier: LGPL-2.1-or-later
/* kernfuse ipc: its verbs. doc/kernfuse-ipc.pod says the same at length. */
#include "fs/cli/ipc.h"

#include <stdio.h>
#include <string.h>

#include "fs/cli/cli-internal.h"

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "ls", kf_ipc_ls },
	{ "rm", kf_ipc_rm },
	{ "run", kf_ipc_run },
};

static void print_help(void)
{
	fputs("Usage: kernfuse ipc run [OPTIONS] [--] COMMAND [ARGUMENT...]\n"
	      "       kernfuse ipc ls\n"
	      "       kernfuse ipc rm NAME...\n"
	      "SysV message queues in user space.\n"
	      "\n"
	      "Commands:\n"
	      "  run                run a program in a namespace\n"
	      "  ls                 list your namespaces that have names\n"
	      "  rm                 end them\n"
	      "\n"
	      "'kernfuse ipc run --help' lists the options of run.\n"
	      "A directory that is called ipc is served as ./ipc.\n",
	      stdout);
}

bool kf_ipc_is_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') &&
	       strlen(name) <= NAME_MAX;
}

int kf_ipc(int argc, char **argv)
{
	kf_messages_help("kernfuse ipc");
	if (argc < 2) {
		kf_usage_error("no command given after 'ipc'");
		return KF_EXIT_USAGE;
	}
	if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
		print_help();
		return KF_EXIT_OK;
	}
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	kf_usage_error("unknown command 'ipc %s'", argv[1]);
	return KF_EXIT_USAGE;
}
