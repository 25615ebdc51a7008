// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kernfuse ipc run: find or make a namespace, and become the command.
 *
 * There is nobody in between: signals, job control and the exit status are
 * the command's own. A namespace is held by its processes alone; who frees it
 * then is a process in the background, see fs/ipc/keep.c.
 */
#include "fs/cli/ipc.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/cli/cli-internal.h"
#include "fs/ipc/session.h"

#define LIBRARY "libkernfuse-ipc.so"
#define NR_LIMITS 3

struct options {
	const char *at, *name;
	const char *counters; /* as given; NULL: not */
	struct ipc_params params;
	long limits[NR_LIMITS]; /* -1: as they are */
	bool help;
	char **command;
};

static const struct {
	const char *name;
	enum ipc_limit limit;
	long max;
} limits[NR_LIMITS] = {
	{ "msgmax", IPC_LIMIT_MSGMAX, INT_MAX },
	{ "msgmnb", IPC_LIMIT_MSGMNB, INT_MAX },
	{ "msgmni", IPC_LIMIT_MSGMNI, IPC_INDEX_MAX },
};

static void print_help(void)
{
	fputs("Usage: kernfuse ipc run [OPTIONS] [--] COMMAND [ARGUMENT...]\n"
	      "Run COMMAND, and all it starts, with SysV message queues of "
	      "its own.\n"
	      "\n"
	      "Options:\n"
	      "  --at MOUNTPOINT    a namespace of the tree mounted there; "
	      "needs --name\n"
	      "  --name NAME        a namespace that others can join, made if "
	      "there is none\n"
	      "  --counters KIND    percpu (default) or atomic, of a new one\n"
	      "  --memory BYTES     how far a new one may grow; K, M and G are "
	      "known\n"
	      "  --msgmax N         set its longest message, in bytes\n"
	      "  --msgmnb N         set how much new queues hold, in bytes\n"
	      "  --msgmni N         set how many queues there may be\n"
	      "  -h, --help         print this and exit\n"
	      "\n"
	      "The exit status is COMMAND's; 125 if kernfuse failed, 126 if "
	      "COMMAND cannot be\n"
	      "run, 127 if there is none.\n",
	      stdout);
}

/* --- options --- */

static int parse_limit(struct options *o, int which, const char *text)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (!errno && end != text && !*end && value >= 0 &&
	    value <= limits[which].max) {
		o->limits[which] = value;
		return 0;
	}
	kf_usage_error("'--%s %s': expected a number from 0 to %ld",
		       limits[which].name, text, limits[which].max);
	return -1;
}

static int parse_memory(struct options *o, const char *text)
{
	unsigned long long value;
	unsigned int shift = 0;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end == 'K')
		shift = 10;
	else if (*end == 'M')
		shift = 20;
	else if (*end == 'G')
		shift = 30;
	if (shift)
		end++;
	if (!errno && end != text && !*end && *text != '-' &&
	    value <= IPC_MEMORY_MAX >> shift &&
	    value << shift >= IPC_MEMORY_MIN) {
		o->params.limit = (size_t)value << shift;
		return 0;
	}
	kf_usage_error("'--memory %s': expected from 20M to 64G, in bytes or "
		       "with K, M or G", text);
	return -1;
}

static int parse_counters(struct options *o, const char *text)
{
	o->counters = text;
	if (strcmp(text, "percpu") == 0)
		o->params.counters = IPC_COUNTERS_PERCPU;
	else if (strcmp(text, "atomic") == 0)
		o->params.counters = IPC_COUNTERS_ATOMIC;
	else {
		kf_usage_error("'--counters %s': expected percpu or atomic",
			       text);
		return -1;
	}
	return 0;
}

static int bad_option(char **argv, int c)
{
	if (c == ':')
		kf_usage_error("option '%s' needs a value", argv[optind - 1]);
	else if (optopt && optopt < 256)
		kf_usage_error("unknown option '-%c'", optopt);
	else
		kf_usage_error("unknown option '%s'", argv[optind - 1]);
	return -1;
}

static int parse_dashes(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "at", required_argument, NULL, 'a' + 256 },
		{ "name", required_argument, NULL, 'n' + 256 },
		{ "counters", required_argument, NULL, 'c' + 256 },
		{ "memory", required_argument, NULL, 'm' + 256 },
		{ "msgmax", required_argument, NULL, 1024 + 0 },
		{ "msgmnb", required_argument, NULL, 1024 + 1 },
		{ "msgmni", required_argument, NULL, 1024 + 2 },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c, err = 0;

	opterr = 0;
	while (!err && (c = getopt_long(argc, argv, "+:h", longs, NULL)) != -1) {
		if (c == 'h')
			o->help = true;
		else if (c == 'a' + 256)
			o->at = optarg;
		else if (c == 'n' + 256)
			o->name = optarg;
		else if (c == 'c' + 256)
			err = parse_counters(o, optarg);
		else if (c == 'm' + 256)
			err = parse_memory(o, optarg);
		else if (c >= 1024)
			err = parse_limit(o, c - 1024, optarg);
		else
			err = bad_option(argv, c);
	}
	return err;
}

static int parse(struct options *o, int argc, char **argv)
{
	if (parse_dashes(o, argc, argv))
		return -1;
	o->command = argv + optind;
	if (o->help)
		return 0;
	if (o->name && !kf_ipc_is_name(o->name)) {
		kf_usage_error("'--name %s': expected a name without '/', not "
			       "beginning with '.'", o->name);
		return -1;
	}
	if (o->at && !o->name) {
		kf_usage_error("option '--at' needs '--name'");
		return -1;
	}
	if (o->at && (o->counters || o->params.limit)) {
		kf_usage_error("options '--counters' and '--memory' are not "
			       "for a namespace of a tree");
		return -1;
	}
	if (*o->command)
		return 0;
	kf_usage_error("no command given to run");
	return -1;
}

/* --- the namespace --- */

static int get_ns(const struct options *o, struct ipc_namespace **ret_ns,
		  char *ret_path)
{
	int err;

	if (o->at)
		return kf_ipc_tree(o->at, o->name, ret_ns, ret_path);
	if (o->name) {
		err = kf_ipc_named(o->name, &o->params, ret_ns, ret_path);
		if (!err)
			return 0;
		kf_error("cannot make or join namespace '%s': %s", o->name,
			 strerror(-err));
		return -1;
	}
	err = ipc_session_create_private(&o->params, ret_ns);
	if (err) {
		kf_error("cannot make a namespace: %s", strerror(-err));
		return -1;
	}
	ipc_session_keep_private(*ret_ns); /* or it does without */
	return 0;
}

static int configure(const struct options *o, struct ipc_namespace *ns)
{
	if (o->counters && ipc_ns_counters(ns) != o->params.counters) {
		kf_error("namespace '%s' is there, and its counters are not %s",
			 o->name, o->counters);
		return -1;
	}
	for (int i = 0; i < NR_LIMITS; i++) {
		int err;

		if (o->limits[i] < 0)
			continue;
		err = ipc_set_limit(ns, limits[i].limit, o->limits[i]);
		if (!err)
			continue;
		kf_error("cannot set %s: %s", limits[i].name, strerror(-err));
		return -1;
	}
	return 0;
}

/* --- the environment --- */

static bool is_readable(char *path, size_t size, const char *dir)
{
	int len = snprintf(path, size, "%s/" LIBRARY, dir);

	return len > 0 && (size_t)len < size && access(path, R_OK) == 0;
}

/*
 * The library that belongs to this program: where it was built, where it was
 * installed, or $KERNFUSE_IPC_LIBRARY.
 */
static int find_library(char *ret_path, size_t size)
{
	const char *given = getenv("KERNFUSE_IPC_LIBRARY");
	char dir[PATH_MAX];
	ssize_t len;
	char *slash;

	if (given && *given) {
		snprintf(ret_path, size, "%s", given);
		return access(ret_path, R_OK) == 0 ? 0 : -errno;
	}
	len = readlink("/proc/self/exe", dir, sizeof(dir) - sizeof("/.libs"));
	if (len > 0) {
		dir[len] = '\0';
		slash = strrchr(dir, '/');
		strcpy(slash ? slash : dir, "/.libs");
		if (is_readable(ret_path, size, dir))
			return 0;
	}
	return is_readable(ret_path, size, KF_PKGLIBDIR) ? 0 : -ENOENT;
}

/* Before those the user has: ours is about calls, theirs may be, too. */
static int set_preload(const char *library)
{
	const char *old = getenv("LD_PRELOAD");
	char *value;
	int err;

	if (asprintf(&value, "%s%s%s", library, old && *old ? ":" : "",
		     old ? old : "") < 0)
		return -ENOMEM;
	err = setenv("LD_PRELOAD", value, 1) ? -errno : 0;
	free(value);
	return err;
}

static int set_session(struct ipc_namespace **ns, const char *path)
{
	static struct ipc_session session;
	static char variable[IPC_SESSION_MAX];
	int err = ipc_session_begin(&session, ns, path);

	if (err)
		return err;
	ipc_session_print(&session, variable);
	return putenv(variable) ? -ENOMEM : 0;
}

static int prepare(struct ipc_namespace **ns, const char *path)
{
	char library[PATH_MAX];
	int err = find_library(library, sizeof(library));

	if (err) {
		kf_error("cannot find " LIBRARY ": %s", strerror(-err));
		return -1;
	}
	if (strpbrk(library, ": \t")) {
		kf_error("cannot preload %s: its path has a colon or a space",
			 library);
		return -1;
	}
	err = set_session(ns, path);
	if (!err)
		err = set_preload(library);
	if (!err)
		return 0;
	kf_error("cannot hand over the namespace: %s", strerror(-err));
	return -1;
}

int kf_ipc_run(int argc, char **argv)
{
	struct options o = {
		.params = { .owner = geteuid(), .group = getegid() },
		.limits = { -1, -1, -1 },
	};
	char path[PATH_MAX] = "";
	struct ipc_namespace *ns;
	int err;

	kf_messages_help("kernfuse ipc run");
	if (parse(&o, argc, argv))
		return KF_IPC_EXIT_FAILED;
	if (o.help) {
		print_help();
		return KF_EXIT_OK;
	}
	if (get_ns(&o, &ns, path) || configure(&o, ns) ||
	    prepare(&ns, *path ? path : NULL))
		return KF_IPC_EXIT_FAILED;
	execvp(o.command[0], o.command);
	err = errno;
	kf_error("cannot run %s: %s", o.command[0], strerror(err));
	return err == ENOENT ? KF_IPC_EXIT_NOT_FOUND : KF_IPC_EXIT_CANNOT;
}
