// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libfuse's messages, and fusermount3's.
 *
 * A failure is told once, by whoever mounts. So while mounting nothing is
 * logged: what libfuse says in that thread is kept. The command's fs/cli also
 * keeps stderr, which is a memory file then that fusermount3 inherits;
 * libfuse's own lines go the same way, since it may write them in a child. In
 * a process that is somebody else's stderr stays what it is.
 */
#include "fs/fuse/fuse-internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lock/say.h"

static bool logging; /* atomic; only ever set */
static __thread struct kfd_catch *catching;

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

/* The first line: later ones only repeat it. */
static void keep(struct kfd_catch *c, const char *line)
{
	if (c->saved_stderr >= 0)
		dprintf(STDERR_FILENO, "%s\n", line);
	else if (!c->line[0])
		snprintf(c->line, sizeof(c->line), "%s", line);
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
	if (catching)
		keep(catching, line);
	else if (READ_ONCE(logging))
		kf_say((int)level, "%s", line);
}

void kfd_log_init(bool log)
{
	if (log)
		WRITE_ONCE(logging, true);
	fuse_set_log_func(take_line);
}

void kfd_log_to(kernfuse_log_fn log)
{
	kernfuse_set_log(log);
	WRITE_ONCE(logging, true);
}

const char *kfd_libfuse_version(void)
{
	return fuse_pkgversion();
}

static void redirect_stderr(struct kfd_catch *c)
{
	int fd = memfd_create("kernfuse-stderr", MFD_CLOEXEC);

	if (fd < 0)
		return;
	c->saved_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (c->saved_stderr >= 0)
		dup2(fd, STDERR_FILENO);
	close(fd);
}

void kfd_log_catch(struct kfd_catch *c, bool with_stderr)
{
	c->line[0] = '\0';
	c->saved_stderr = -1;
	if (with_stderr)
		redirect_stderr(c);
	catching = c;
}

void kfd_log_caught(struct kfd_catch *c)
{
	ssize_t n;

	catching = NULL;
	if (c->saved_stderr < 0)
		return;
	n = pread(STDERR_FILENO, c->line, sizeof(c->line) - 1, 0);
	c->line[n > 0 ? n : 0] = '\0';
	tidy(c->line);
	dup2(c->saved_stderr, STDERR_FILENO);
	close(c->saved_stderr);
}
