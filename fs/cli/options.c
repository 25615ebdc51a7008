// SPDX-License-Identifier: LGPL-2.1-or-later
/* The command line. */
#include "fs/cli/cli-internal.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The time one file may take while it is taken in. */
#define DEFAULT_READ_TIMEOUT_MS 1000

/* Those we may use; two at least, so that a slow request does not stop all. */
static unsigned int default_threads(void)
{
	cpu_set_t cpus;
	long nr;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		nr = CPU_COUNT(&cpus);
	else
		nr = sysconf(_SC_NPROCESSORS_ONLN);
	return nr < 2 ? 2 : (unsigned int)nr;
}

static enum kf_exit bad_option(int argc, char **argv)
{
	(void)argc;
	if (optopt == 'o')
		kf_usage_error("option '-o' needs a list of words");
	else if (optopt)
		kf_usage_error("unknown option '-%c'", optopt);
	else
		kf_usage_error("unknown option '%s'", argv[optind - 1]);
	return KF_EXIT_USAGE;
}

static enum kf_exit parse_dashes(struct kf_options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":dfho:qsV", longs, NULL)) != -1) {
		switch (c) {
		case 'd':
			o->debug = true;
			break;
		case 'f':
			o->foreground = true;
			break;
		case 'h':
			o->help = true;
			break;
		case 'o':
			if (kf_words_parse(o, optarg))
				return KF_EXIT_USAGE;
			break;
		case 'q':
			o->quiet = true;
			break;
		case 's':
			o->single_threaded = true;
			break;
		case 'V':
			o->version = true;
			break;
		default:
			return bad_option(argc, argv);
		}
	}
	return KF_EXIT_OK;
}

static enum kf_exit take_positionals(struct kf_options *o, int nr, char **args)
{
	if (nr == 0) {
		kf_usage_error("no SOURCE and no MOUNTPOINT given");
		return KF_EXIT_NO_MOUNTPOINT;
	}
	if (nr == 1) {
		kf_usage_error("no MOUNTPOINT given");
		return KF_EXIT_NO_MOUNTPOINT;
	}
	if (nr > 2) {
		kf_usage_error("too many arguments: '%s'", args[2]);
		return KF_EXIT_USAGE;
	}
	o->source = args[0];
	o->mountpoint = args[1];
	return KF_EXIT_OK;
}

enum kf_exit kf_options_parse(struct kf_options *o, int argc, char **argv)
{
	enum kf_exit status;

	*o = (struct kf_options){
		.locking = KERNFS_LOCKING_HASHED,
		.max_threads = default_threads(),
		.read_timeout_ms = DEFAULT_READ_TIMEOUT_MS,
	};
	status = parse_dashes(o, argc, argv);
	if (status || o->help || o->version)
		return status;
	if (o->debug)
		o->foreground = true;
	if (o->quiet)
		kf_messages_quiet();
	return take_positionals(o, argc - optind, argv + optind);
}

void kf_options_finish(struct kf_options *o)
{
	free(o->source_path);
	free(o->mount_path);
	free(o->fsname);
	free(o->subtype);
	free(o->flags);
}

/* Appends ",name=value", with what libfuse would split at escaped. */
static int append_escaped(char **str, const char *name, const char *value)
{
	char *escaped = malloc(2 * strlen(value) + 1), *to = escaped;
	int err;

	if (!escaped)
		return -ENOMEM;
	for (; *value; value++) {
		if (*value == ',' || *value == '\\')
			*to++ = '\\';
		*to++ = *value;
	}
	*to = '\0';
	err = kf_append(str, ",%s=%s", name, escaped);
	free(escaped);
	return err;
}

char *kf_options_for_libfuse(const struct kf_options *o)
{
	char *str = NULL;
	int err;

	/* sysfs is mounted like that; the user's words come later and win */
	err = kf_append(&str, "default_permissions,nosuid,nodev,noexec%s",
			o->flags ? o->flags : "");
	if (!err && o->max_read)
		err = kf_append(&str, ",max_read=%u", o->max_read);
	if (!err)
		err = append_escaped(&str, "fsname",
				     o->fsname ? o->fsname : o->source);
	if (!err)
		err = append_escaped(&str, "subtype",
				     o->subtype ? o->subtype : "kernfuse");
	if (!err)
		return str;
	free(str);
	return NULL;
}
