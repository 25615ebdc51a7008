/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the two files of kernfuse-bench ns. */
#ifndef BENCH_NS_H
#define BENCH_NS_H

#include <stdbool.h>
#include <stdint.h>

/* Who frees a namespace, and when. */
enum ns_backend {
	NS_KERNEL,   /* unshare(CLONE_NEWIPC) */
	NS_DEFERRED, /* a keeper, later */
	NS_SYNC,     /* a keeper, as part of the last put */
	NS_RUN,	     /* a process of its own, as of 'kernfuse ipc run' */
	NS_ALONE,    /* no keeper: the process that exits */
	NS_NR_BACKENDS,
};

#define NS_MAX_PROCESSES 10000

/* What each process puts into its namespace. */
struct ns_content {
	unsigned int queues;
	unsigned int messages; /* in each queue */
	unsigned int bytes;    /* of each message */
};

struct ns_setup {
	enum ns_backend backend;
	unsigned int processes;
	bool parallel; /* or one after another */
	struct ns_content content;
	int dirfd; /* where regions are made */
};

struct ns_result {
	double total_us; /* from the first start to the last exit, for each */
	double exit_us;	 /* median: from exit to reaped and put */
	double freed_ms; /* from the last put until all is freed; NAN: unknown
			  */
	double free_cpu_ms; /* CPU time of freeing; NAN: unknown */
};

/* Can this process make namespaces of the kernel's? */
bool ns_kernel_works(void);

void ns_measure(const struct ns_setup *setup, struct ns_result *ret_result);

#endif /* BENCH_NS_H */
