/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernfuse-floor: a file server that does nothing but answer.
 *
 * It mounts a copy of a directory with the same tree shape, timeouts and
 * libfuse settings as kernfuse, but without locks, references, callbacks or
 * checks. What a storm loses between this and kernfuse is kernfuse's own
 * cost; what it loses between the real directory and this is the price of
 * FUSE.
 */
#define FUSE_USE_VERSION 314

#include "floor.h"

#include <fuse_lowlevel.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "kernfuse-floor"

struct options {
	char *source;
	unsigned int max_threads;
};

static const struct fuse_opt option_spec[] = {
	{ "max_threads=%u", offsetof(struct options, max_threads), 0 },
	FUSE_OPT_END
};

/* The first plain argument is ours, everything else is libfuse's. */
static int take_source(void *data, const char *arg, int key,
		       struct fuse_args *outargs)
{
	struct options *options = data;

	(void)outargs;
	if (key != FUSE_OPT_KEY_NONOPT || options->source)
		return 1;
	options->source = strdup(arg);
	return options->source ? 0 : -1;
}

/* As many as kernfuse: one for each CPU, at least two. */
static unsigned int default_threads(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) < 2)
		return 2;
	return (unsigned int)CPU_COUNT(&set);
}

static void print_help(void)
{
	printf("Usage: " PROGRAM " SOURCE MOUNTPOINT [OPTIONS]\n"
	       "Serve a copy of SOURCE with as little work as possible.\n"
	       "\n"
	       "    -o max_threads=N       threads (default: one for each CPU,\n"
	       "                           at least 2)\n");
	fuse_cmdline_help();
	fuse_lowlevel_help();
}

static int loop(struct fuse_session *se, const struct options *options,
		const struct fuse_cmdline_opts *cmdline)
{
	struct fuse_loop_config *config;
	int ret;

	if (cmdline->singlethread)
		return fuse_session_loop(se);
	config = fuse_loop_cfg_create();
	if (!config)
		return -1;
	fuse_loop_cfg_set_clone_fd(config, 0);
	fuse_loop_cfg_set_max_threads(config, options->max_threads);
	ret = fuse_session_loop_mt(se, config);
	fuse_loop_cfg_destroy(config);
	return ret;
}

/* Exit codes are libfuse's: see enum fuse_main_result in later versions. */
static int serve(struct fuse_args *args, const struct options *options,
		 const struct fuse_cmdline_opts *cmdline)
{
	struct fuse_session *se;
	int status = 3;

	se = fuse_session_new(args, &floor_ops, sizeof(floor_ops), NULL);
	if (!se)
		return status;
	status = 6;
	if (fuse_set_signal_handlers(se))
		goto out_destroy;
	status = 4;
	if (fuse_session_mount(se, cmdline->mountpoint))
		goto out_signals;
	if (floor_io_attach(se)) {
		fprintf(stderr, PROGRAM ": cannot attach to /dev/fuse\n");
		goto out_unmount;
	}
	status = 5;
	if (fuse_daemonize(cmdline->foreground))
		goto out_unmount;
	/* positive: ended by that signal, which is how it is meant to end */
	status = loop(se, options, cmdline) < 0 ? 7 : 0;
out_unmount:
	fuse_session_unmount(se);
out_signals:
	fuse_remove_signal_handlers(se);
out_destroy:
	fuse_session_destroy(se);
	return status;
}

static int load_and_serve(struct fuse_args *args, const struct options *options,
			  const struct fuse_cmdline_opts *cmdline)
{
	struct floor_tree tree = { 0 };
	int status = 3;
	int ret;

	ret = floor_tree_load(&tree, options->source);
	if (ret) {
		fprintf(stderr, PROGRAM ": cannot take in %s: %s\n",
			options->source, strerror(-ret));
		goto out_finish;
	}
	floor_ops_serve(&tree);
	status = serve(args, options, cmdline);
out_finish:
	floor_tree_finish(&tree);
	return status;
}

static int usage_error(const char *what)
{
	fprintf(stderr, PROGRAM ": %s; try " PROGRAM " --help\n", what);
	return 1;
}

static int run(struct fuse_args *args, const struct options *options,
	       const struct fuse_cmdline_opts *cmdline)
{
	if (cmdline->show_help) {
		print_help();
		return 0;
	}
	if (cmdline->show_version) {
		printf(PROGRAM " %s\n", PACKAGE_VERSION);
		fuse_lowlevel_version();
		return 0;
	}
	if (!options->source)
		return usage_error("no source directory given");
	if (!cmdline->mountpoint)
		return usage_error("no mountpoint given");
	return load_and_serve(args, options, cmdline);
}

int main(int argc, char *argv[])
{
	struct fuse_args args = FUSE_ARGS_INIT(argc, argv);
	struct options options = { .max_threads = default_threads() };
	struct fuse_cmdline_opts cmdline = { 0 };
	int status = 1;

	if (fuse_opt_parse(&args, &options, option_spec, take_source) ||
	    fuse_parse_cmdline(&args, &cmdline) ||
	    fuse_opt_add_arg(&args,
			     "-odefault_permissions,noexec,fsname=" PROGRAM
			     ",subtype=" PROGRAM))
		goto out_free;
	status = run(&args, &options, &cmdline);
out_free:
	free(cmdline.mountpoint);
	free(options.source);
	fuse_opt_free_args(&args);
	return status;
}
