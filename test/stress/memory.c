/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counting allocations; see memory.h. */
#include "memory.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
char *__real_strdup(const char *str);
void __real_free(void *mem);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
char *__wrap_strdup(const char *str);
void __wrap_free(void *mem);

static long in_use; /* atomic */

/* relaxed: the number counts only when nobody else is left */
static void *counted(void *mem)
{
	if (mem)
		__atomic_fetch_add(&in_use, 1, __ATOMIC_RELAXED);
	return mem;
}

long torture_memory_in_use(void)
{
	return __atomic_load_n(&in_use, __ATOMIC_RELAXED);
}

void *__wrap_malloc(size_t size)
{
	return counted(__real_malloc(size));
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return counted(__real_calloc(nr, size));
}

void *__wrap_realloc(void *old, size_t size)
{
	void *mem = __real_realloc(old, size);

	return old ? mem : counted(mem);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return counted(__real_aligned_alloc(align, size));
}

char *__wrap_strdup(const char *str)
{
	return counted(__real_strdup(str));
}

void __wrap_free(void *mem)
{
	if (mem)
		__atomic_fetch_sub(&in_use, 1, __ATOMIC_RELAXED);
	__real_free(mem);
}
