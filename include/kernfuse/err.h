/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors in pointers, as the kernel returns them: the last 4095 addresses are
 * never objects, so they carry negative errnos.
 */
#ifndef KERNFUSE_ERR_H
#define KERNFUSE_ERR_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#define KERNFS_MAX_ERRNO 4095

/* A pointer that stands for -errno. */
static inline void *ERR_PTR(long error)
{
	return (void *)(intptr_t)error;
}

/* The -errno it stands for. */
static inline long PTR_ERR(const void *ptr)
{
	return (long)(intptr_t)ptr;
}

/* Does it stand for an error? */
static inline bool IS_ERR(const void *ptr)
{
	return (uintptr_t)ptr >= (uintptr_t)-KERNFS_MAX_ERRNO;
}

/* Is there nothing to use, for one reason or the other? */
static inline bool IS_ERR_OR_NULL(const void *ptr)
{
	return !ptr || IS_ERR(ptr);
}

#endif /* KERNFUSE_ERR_H */
