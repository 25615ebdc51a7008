// SPDX-License-Identifier: LGPL-2.1-or-later
/* Messages: to stderr while somebody sees it, then to syslog. */
#include "fs/cli/cli-internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

/* set while no other thread runs */
static bool quiet;
static bool to_syslog;
static const char *help_of = "kernfuse";

static void __attribute__((format(printf, 2, 0)))
message(int priority, const char *fmt, va_list ap)
{
	char line[2 * 4096 + 512]; /* two paths and what is said of them */

	vsnprintf(line, sizeof(line), fmt, ap);
	kf_log(priority, line);
}

void kf_log(int priority, const char *line)
{
	if (to_syslog)
		syslog(priority, "%s", line);
	else
		fprintf(stderr, "kernfuse: %s\n", line);
}

void kf_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(LOG_ERR, fmt, ap);
	va_end(ap);
}

void kf_usage_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(LOG_ERR, fmt, ap);
	va_end(ap);
	fprintf(stderr, "Try '%s --help'\n", help_of);
}

void kf_info(const char *fmt, ...)
{
	va_list ap;

	if (quiet)
		return;
	va_start(ap, fmt);
	message(LOG_INFO, fmt, ap);
	va_end(ap);
}

void kf_messages_quiet(void)
{
	quiet = true;
}

void kf_messages_help(const char *command)
{
	help_of = command;
}

void kf_messages_to_syslog(void)
{
	openlog("kernfuse", LOG_PID, LOG_DAEMON);
	to_syslog = true;
}
