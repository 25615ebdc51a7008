/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the two files of kernfuse-bench counter. */
#ifndef BENCH_COUNTER_H
#define BENCH_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "lock/percpu_counter.h"

#define COUNTER_MAX_ADDERS 256

struct counter_setup {
	enum percpu_counter_mode mode;
	bool processes;	       /* or threads */
	unsigned int adders;   /* 0: nobody adds, for sums */
	unsigned int nr_slots; /* 0: as many as the machine has CPUs */
	bool sum;	       /* one more thread sums all the time */
	double seconds;
};

struct counter_result {
	double add_ns;	   /* CPU time of an add; NAN without adders */
	double adds_per_s; /* of all adders together */
	double sum_ns;	   /* CPU time of a sum; NAN if there was none */
	double cpu_share;  /* how much of the time the adders ran */
};

/* Ends the program if what was counted is not what was added. */
void counter_measure(const struct counter_setup *setup,
		     struct counter_result *ret_result);

/* Do adds of this process use restartable sequences? */
bool counter_has_rseq(void);

#endif /* BENCH_COUNTER_H */
