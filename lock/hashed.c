/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizing and setting up a table of locks; see lock/hashed.h. */
#include "lock/hashed.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/sysinfo.h>

#define MAX_CPUS_COUNTED 32 /* where the kernel's table stops growing */
#define MIN_BITS 4	    /* see hashed.h */

unsigned int kf_nr_possible_cpus(void)
{
	int nr = get_nprocs_conf();

	return nr > 0 ? (unsigned int)nr : 1;
}

unsigned int kf_hashed_default_bits(unsigned int nr_cpus)
{
	unsigned int log2 = 0;

	if (nr_cpus > MAX_CPUS_COUNTED)
		nr_cpus = MAX_CPUS_COUNTED;
	while (nr_cpus >>= 1)
		log2++;
	return 2 * log2 < MIN_BITS ? MIN_BITS : 2 * log2;
}

int kf_hashed_init(struct kf_hashed *table, unsigned int bits)
{
	size_t nr = (size_t)1 << bits;

	table->locks = aligned_alloc(KF_CACHELINE, nr * sizeof(*table->locks));
	if (!table->locks)
		return -ENOMEM;
	table->bits = bits;
	for (size_t i = 0; i < nr; i++)
		init_rwsem(&table->locks[i]);
	return 0;
}

void kf_hashed_destroy(struct kf_hashed *table)
{
	if (!table->locks)
		return;
	for (size_t i = 0; i < (size_t)1 << table->bits; i++)
		destroy_rwsem(&table->locks[i]);
	free(table->locks);
	table->locks = NULL;
}
