/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How an assertion ends, and how a survivable mistake is reported. */
#include "lock/assert.h"

#include <stdio.h>
#include <stdlib.h>

void kf_die(const char *file, int line, const char *what)
{
	fprintf(stderr, "kernfuse: %s:%d: assertion failed: %s\n", file, line,
		what);
	abort();
}

int kf_warn(const char *file, int line, const char *what)
{
	return fprintf(stderr, "kernfuse: %s:%d: caller's mistake: %s\n", file,
		       line, what);
}
