/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The monotonic clock, for whoever waits until some time. */
#ifndef LOCK_CLOCK_H
#define LOCK_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t kf_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t kf_now_ms(void)
{
	return kf_now_ns() / 1000000;
}

#endif /* LOCK_CLOCK_H */
