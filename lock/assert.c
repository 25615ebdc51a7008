/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How an assertion ends, and how a survivable mistake is reported. */
#include "lock/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>

#include "lock/say.h"

void kf_die(const char *file, int line, const char *what)
{
	fprintf(stderr, "kernfuse: %s:%d: assertion failed: %s\n", file, line,
		what);
	abort();
}

int kf_warn(const char *file, int line, const char *what)
{
	kf_say(LOG_WARNING, "%s:%d: caller's mistake: %s", file, line, what);
	return 1;
}
