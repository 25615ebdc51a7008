// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libfuse's messages, and fusermount3's.
 *
 * A failure is told once, by fs/cli. So while mounting nothing reaches
 * the terminal: stderr is a memory file then, which fusermount3 inherits.
 * libfuse's own lines go the same way, since it may write them in a child.
 */
#include "fs/fuse/fuse-internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static kfd_log_fn log_fn;     /* set while no other thread runs */
static int saved_stderr = -1; /* main thread; -1: not catching */

/* One line of it: no newline, no "fuse: ", which is not our name. */
static void tidy(char *line)
{
	static const char *const prefixes[] = { "fuse: ", "fusermount3: " };

	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t len = strlen(prefixes[i]);

		if (strncmp(line, prefixes[i], len) == 0)
			memmove(line, line + len, strlen(line + len) + 1);
	}
}

static void __attribute__((format(printf, 2, 0)))
take_line(enum fuse_log_level level, const char *fmt, va_list ap)
{
	char line[512];

	/* -d: as it comes; a request is several lines, some without end */
	if (level == FUSE_LOG_DEBUG) {
		vfprintf(stderr, fmt, ap);
		return;
	}
	vsnprintf(line, sizeof(line), fmt, ap);
	tidy(line);
	if (saved_stderr >= 0)
		dprintf(STDERR_FILENO, "%s\n", line);
	else
		kfd_log_line((int)level, line);
}

void kfd_log_line(int priority, const char *line)
{
	if (log_fn)
		log_fn(priority, line);
}

void kfd_log_init(void)
{
	fuse_set_log_func(take_line);
}

void kfd_log_to(kfd_log_fn log)
{
	log_fn = log;
}

const char *kfd_libfuse_version(void)
{
	return fuse_pkgversion();
}

void kfd_log_catch(void)
{
	int fd = memfd_create("kernfuse-stderr", MFD_CLOEXEC);

	if (fd < 0)
		return;
	saved_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (saved_stderr >= 0)
		dup2(fd, STDERR_FILENO);
	close(fd);
}

void kfd_log_caught(char *line, size_t size)
{
	ssize_t n;

	line[0] = '\0';
	if (saved_stderr < 0)
		return;
	n = pread(STDERR_FILENO, line, size - 1, 0);
	line[n > 0 ? n : 0] = '\0';
	/* the first line: later ones only repeat it */
	tidy(line);
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	saved_stderr = -1;
}
