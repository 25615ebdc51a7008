/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one place from which the library speaks. */
#include "lock/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "lock/atomic.h"

static void to_stderr(int priority, const char *line)
{
	(void)priority;
	fprintf(stderr, "kernfuse: %s\n", line);
}

static kernfuse_log_fn log_fn = to_stderr; /* atomic */

void kernfuse_set_log(kernfuse_log_fn log)
{
	/* pairs with kf_say(): what the function uses was set up before */
	smp_store_release(&log_fn, log);
}

void kf_say(int priority, const char *fmt, ...)
{
	kernfuse_log_fn log = smp_load_acquire(&log_fn);
	char line[2 * KERNFS_PATH_MAX];
	va_list ap;

	if (!log)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	log(priority, line);
}
