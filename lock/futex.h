/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Futexes in memory that processes share.
 */
#ifndef LOCK_FUTEX_H
#define LOCK_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * Sleeps while *@word is @val, for @ns nanoseconds at most. 0 woken (or for
 * no reason), -EAGAIN it was not @val, -ETIMEDOUT, -EINTR a signal handler
 * has run, whatever its SA_RESTART: only a wait without limit would be
 * restarted, so there is none here.
 */
static inline int kf_futex_wait(uint32_t *word, uint32_t val, uint64_t ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	if (syscall(SYS_futex, word, FUTEX_WAIT, val, &ts, NULL, 0) == 0)
		return 0;
	return -errno;
}

static inline void kf_futex_wake(uint32_t *word, int nr)
{
	syscall(SYS_futex, word, FUTEX_WAKE, nr, NULL, NULL, 0);
}

#endif /* LOCK_FUTEX_H */
