/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where messages go. The library returns errors and stays silent, but for
 * two things that have no caller to return to: a mistake in the program that
 * uses it, such as a second file of the same name, and what libfuse reports
 * while a mount is served.
 */
#ifndef KERNFUSE_LOG_H
#define KERNFUSE_LOG_H

#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

/*
 * Takes one line without its newline; @priority is one of <syslog.h>. Called
 * in the thread that has something to say, perhaps by several at once, and
 * perhaps with locks held: it must not call this library.
 */
typedef void (*kernfuse_log_fn)(int priority, const char *line);

/**
 * kernfuse_set_log - hand messages to a function of yours
 * @log: takes them from now on; NULL: nobody does
 *
 * Before the first call each line goes to stderr, "kernfuse: " before it.
 *
 * Context: any. One function for the whole process.
 */
KERNFUSE_PUBLIC void kernfuse_set_log(kernfuse_log_fn log);

KERNFUSE_END_DECLS

#endif /* KERNFUSE_LOG_H */
