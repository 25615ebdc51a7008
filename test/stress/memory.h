/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exact counting of what the library allocates. The linker puts these calls
 * into the place of malloc and its kind (--wrap in local.mk), in our objects
 * only: what the C library and liburcu keep for themselves is not counted.
 */
#ifndef TEST_STRESS_MEMORY_H
#define TEST_STRESS_MEMORY_H

/* Pieces of memory that were allocated and not freed yet. */
long torture_memory_in_use(void);

#endif /* TEST_STRESS_MEMORY_H */
