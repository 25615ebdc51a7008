// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The words of -o: ours, libfuse's, and those that mount(8) and fstab(5) put
 * into every list.
 */
#include "fs/cli/cli-internal.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kernfuse/root.h>

/* Threads: more than this many CPUs nobody has. Seconds: an hour. */
#define MAX_THREADS 4096
#define MAX_TIMEOUT_MS (3600 * 1000)

int kf_append(char **str, const char *fmt, ...)
{
	char *more, *all;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&more, fmt, ap);
	va_end(ap);
	if (len < 0)
		return -ENOMEM;
	if (asprintf(&all, "%s%s", *str ? *str : "", more) < 0)
		all = NULL;
	free(more);
	if (!all)
		return -ENOMEM;
	free(*str);
	*str = all;
	return 0;
}

/* --- values --- */

static int parse_number(const char *value, int base, unsigned long max,
			unsigned long *ret_number)
{
	unsigned long number;
	char *end;

	/* strtoul() also takes signs and blanks */
	if (!isdigit((unsigned char)value[0]))
		return -EINVAL;
	errno = 0;
	number = strtoul(value, &end, base);
	if (errno || *end || number > max)
		return -EINVAL;
	*ret_number = number;
	return 0;
}

/* Seconds with at most three decimals that count. */
static int parse_seconds_ms(const char *value, unsigned int *ret_ms)
{
	unsigned long ms = 0;
	unsigned int scale = 1000;

	if (!isdigit((unsigned char)value[0]) && value[0] != '.')
		return -EINVAL;
	for (; isdigit((unsigned char)*value); value++)
		if (ms <= MAX_TIMEOUT_MS)
			ms = ms * 10 + 1000UL * (unsigned long)(*value - '0');
	if (*value == '.')
		value++;
	for (; isdigit((unsigned char)*value); value++) {
		scale /= 10;
		ms += scale * (unsigned long)(*value - '0');
	}
	if (*value || ms == 0 || ms > MAX_TIMEOUT_MS)
		return -EINVAL;
	*ret_ms = (unsigned int)ms;
	return 0;
}

/* --- what a word does: 0 or -errno --- */

typedef int (*word_fn)(struct kf_options *o, const char *value);

static int set_locking(struct kf_options *o, const char *value)
{
	return kernfs_locking_parse(value, &o->locking);
}

static int set_nr_locks(struct kf_options *o, const char *value)
{
	unsigned long n;
	int err = parse_number(value, 10, KERNFS_MAX_LOCKS, &n);

	if (!err)
		o->nr_locks = (unsigned int)n;
	return err || !n ? -EINVAL : 0;
}

static int set_cache(struct kf_options *o, const char *value)
{
	(void)o;
	return strcmp(value, "none") ? -EINVAL : 0;
}

static int set_poll(struct kf_options *o, const char *value)
{
	if (strcmp(value, "auto") == 0)
		o->poll = KF_POLL_AUTO;
	else if (strcmp(value, "on") == 0)
		o->poll = KF_POLL_ON;
	else if (strcmp(value, "off") == 0)
		o->poll = KF_POLL_OFF;
	else
		return -EINVAL;
	return 0;
}

static int set_read_only(struct kf_options *o, const char *value)
{
	(void)value;
	o->read_only = true;
	return kf_append(&o->flags, ",ro");
}

static int set_read_write(struct kf_options *o, const char *value)
{
	(void)value;
	o->read_only = false;
	return kf_append(&o->flags, ",rw");
}

static int set_max_threads(struct kf_options *o, const char *value)
{
	unsigned long n;
	int err = parse_number(value, 10, MAX_THREADS, &n);

	if (err || !n)
		return -EINVAL;
	o->max_threads = (unsigned int)n;
	return 0;
}

static int set_max_idle_threads(struct kf_options *o, const char *value)
{
	unsigned long n;
	int err = parse_number(value, 10, MAX_THREADS, &n);

	/* with 0 libfuse can end up with no thread at all */
	if (err || !n)
		return -EINVAL;
	o->max_idle_threads = (unsigned int)n;
	return 0;
}

static int set_read_timeout(struct kf_options *o, const char *value)
{
	return parse_seconds_ms(value, &o->read_timeout_ms);
}

static int set_callback_timeout(struct kf_options *o, const char *value)
{
	return parse_seconds_ms(value, &o->callback_timeout_ms);
}

static int set_ipc(struct kf_options *o, const char *value)
{
	if (strcmp(value, "on") == 0)
		o->no_ipc = false;
	else if (strcmp(value, "off") == 0)
		o->no_ipc = true;
	else
		return -EINVAL;
	return 0;
}

static int set_counters(struct kf_options *o, const char *value)
{
	if (strcmp(value, "percpu") == 0)
		o->counters = IPC_COUNTERS_PERCPU;
	else if (strcmp(value, "atomic") == 0)
		o->counters = IPC_COUNTERS_ATOMIC;
	else
		return -EINVAL;
	return 0;
}

static int set_teardown(struct kf_options *o, const char *value)
{
	if (strcmp(value, "deferred") == 0)
		o->teardown = IPC_TEARDOWN_DEFERRED;
	else if (strcmp(value, "sync") == 0)
		o->teardown = IPC_TEARDOWN_SYNC;
	else
		return -EINVAL;
	return 0;
}

static int set_uid(struct kf_options *o, const char *value)
{
	unsigned long n;
	int err = parse_number(value, 10, UINT_MAX - 1, &n);

	if (err)
		return err;
	o->set_uid = true;
	o->uid = (uid_t)n;
	return 0;
}

static int set_gid(struct kf_options *o, const char *value)
{
	unsigned long n;
	int err = parse_number(value, 10, UINT_MAX - 1, &n);

	if (err)
		return err;
	o->set_gid = true;
	o->gid = (gid_t)n;
	return 0;
}

static int set_umask(struct kf_options *o, const char *value)
{
	unsigned long n;
	int err = parse_number(value, 8, 0777, &n);

	if (!err)
		o->umask = (mode_t)n;
	return err;
}

static int set_clone_fd(struct kf_options *o, const char *value)
{
	(void)value;
	o->clone_fd = true;
	return 0;
}

static int set_default_permissions(struct kf_options *o, const char *value)
{
	(void)value;
	o->default_permissions = true;
	return 0;
}

static int set_debug(struct kf_options *o, const char *value)
{
	(void)value;
	o->debug = true;
	return 0;
}

static int set_string(char **str, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(*str);
	*str = copy;
	return 0;
}

static int set_fsname(struct kf_options *o, const char *value)
{
	return set_string(&o->fsname, value);
}

static int set_subtype(struct kf_options *o, const char *value)
{
	return value[0] ? set_string(&o->subtype, value) : -EINVAL;
}

static int set_max_read(struct kf_options *o, const char *value)
{
	unsigned long n;
	int err = parse_number(value, 10, UINT_MAX, &n);

	/* the kernel takes less for a page */
	if (err || n < 4096)
		return -EINVAL;
	o->max_read = (unsigned int)n;
	return 0;
}

/* What cache=none sets to 0 anyway may be set to 0. */
static int check_timeout(struct kf_options *o, const char *value)
{
	(void)o;
	return value[strspn(value, "0.")] || !value[0] ? -EINVAL : 0;
}

static int ignore(struct kf_options *o, const char *value)
{
	(void)o, (void)value;
	return 0;
}

/* --- the words --- */

/* A name that ends in '=' wants a value; NULL for @fn: passed to libfuse. */
static const struct word {
	const char *name;
	word_fn fn;
	const char *expected; /* of the value, for the message */
} words[] = {
	{ "locking=", set_locking, "global, hashed or rcu" },
	{ "nr_locks=", set_nr_locks, "a number from 1 to 1024" },
	{ "cache=", set_cache, "none" },
	{ "poll=", set_poll, "auto, on or off" },
	{ "max_threads=", set_max_threads, "a number from 1 to 4096" },
	{ "read_timeout=", set_read_timeout,
	  "seconds, more than 0 and at most 3600" },
	{ "callback_timeout=", set_callback_timeout,
	  "seconds, more than 0 and at most 3600" },

	{ "ipc=", set_ipc, "on or off" },
	{ "counters=", set_counters, "percpu or atomic" },
	{ "teardown=", set_teardown, "deferred or sync" },

	{ "uid=", set_uid, "a user's number" },
	{ "gid=", set_gid, "a group's number" },
	{ "umask=", set_umask, "an octal number up to 777" },

	{ "allow_other", NULL, NULL },
	{ "allow_root", NULL, NULL },
	{ "auto_unmount", NULL, NULL },
	{ "default_permissions", set_default_permissions, NULL },
	{ "direct_io", ignore, NULL }, /* always on */
	{ "fsname=", set_fsname, NULL },
	{ "subtype=", set_subtype, "a name" },
	{ "max_read=", set_max_read, "bytes, at least 4096" },
	{ "max_idle_threads=", set_max_idle_threads,
	  "a number from 1 to 4096" },
	{ "clone_fd", set_clone_fd, NULL },
	{ "debug", set_debug, NULL },
	{ "attr_timeout=", check_timeout, "0, as cache=none sets it" },
	{ "ac_attr_timeout=", check_timeout, "0, as cache=none sets it" },
	{ "entry_timeout=", check_timeout, "0, as cache=none sets it" },
	{ "negative_timeout=", check_timeout, "0, as cache=none sets it" },

	{ "ro", set_read_only, NULL },
	{ "rw", set_read_write, NULL },
	{ "suid", NULL, NULL },
	{ "nosuid", NULL, NULL },
	{ "dev", NULL, NULL },
	{ "nodev", NULL, NULL },
	{ "exec", NULL, NULL },
	{ "noexec", NULL, NULL },
	{ "sync", NULL, NULL },
	{ "async", NULL, NULL },
	{ "dirsync", NULL, NULL },
	{ "noatime", NULL, NULL },

	/* times of access are never kept, whatever these say */
	{ "atime", ignore, NULL },
	{ "relatime", ignore, NULL },
	{ "norelatime", ignore, NULL },
	{ "strictatime", ignore, NULL },
	{ "nostrictatime", ignore, NULL },
	{ "lazytime", ignore, NULL },
	{ "nolazytime", ignore, NULL },
	{ "diratime", ignore, NULL },
	{ "nodiratime", ignore, NULL },

	/* for mount(8) alone */
	{ "defaults", ignore, NULL },
	{ "auto", ignore, NULL },
	{ "noauto", ignore, NULL },
	{ "user", ignore, NULL },
	{ "user=", ignore, NULL },
	{ "nouser", ignore, NULL },
	{ "users", ignore, NULL },
	{ "nousers", ignore, NULL },
	{ "owner", ignore, NULL },
	{ "noowner", ignore, NULL },
	{ "group", ignore, NULL },
	{ "nogroup", ignore, NULL },
	{ "nofail", ignore, NULL },
	{ "_netdev", ignore, NULL },
	{ "comment", ignore, NULL },
	{ "comment=", ignore, NULL },
};

static const struct word *find_word(const char *word, const char **ret_value)
{
	size_t len = strcspn(word, "=");

	len += word[len] == '=';
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i].name) != len ||
		    strncmp(words[i].name, word, len))
			continue;
		*ret_value = word + len;
		return &words[i];
	}
	return NULL;
}

/* A name with or without '=' that would be known the other way round. */
static const struct word *find_other_way(const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strncmp(words[i].name, word, len) == 0 &&
		    (words[i].name[len] == '\0' || words[i].name[len] == '='))
			return &words[i];
	return NULL;
}

static int unknown(const char *word)
{
	const struct word *other = find_other_way(word);

	if (!other)
		kf_usage_error("unknown option '-o %s'", word);
	else if (other->name[strlen(other->name) - 1] == '=')
		kf_usage_error("option '-o %s' needs a value", word);
	else
		kf_usage_error("option '-o %s' takes no value", word);
	return -1;
}

static int parse_word(struct kf_options *o, const char *word)
{
	const struct word *known;
	const char *value;
	int err;

	if (!word[0] || strncmp(word, "x-", 2) == 0 ||
	    strncmp(word, "X-", 2) == 0)
		return 0;
	known = find_word(word, &value);
	if (!known)
		return unknown(word);
	err = known->fn ? known->fn(o, value) :
			  kf_append(&o->flags, ",%s", word);
	if (err == -EINVAL) {
		kf_usage_error("'-o %s': expected %s", word, known->expected);
		return -1;
	}
	if (err)
		kf_error("out of memory");
	return err ? -1 : 0;
}

/* Moves one word from @list to @word; a backslash takes the next character
 * as it is. Returns what is left of @list. */
static const char *next_word(const char *list, char *word)
{
	for (; *list && *list != ','; list++) {
		if (*list == '\\' && list[1])
			list++;
		*word++ = *list;
	}
	*word = '\0';
	return *list ? list + 1 : list;
}

int kf_words_parse(struct kf_options *o, const char *list)
{
	char *word = malloc(strlen(list) + 1);
	int err = 0;

	if (!word) {
		kf_error("out of memory");
		return -1;
	}
	while (*list && !err) {
		list = next_word(list, word);
		err = parse_word(o, word);
	}
	free(word);
	return err;
}
