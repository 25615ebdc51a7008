/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the files of kernfuse-bench msg. */
#ifndef BENCH_MSG_H
#define BENCH_MSG_H

#include <stdbool.h>

/* Whose queues. */
enum msg_backend {
	MSG_KERNEL,
	MSG_PERCPU, /* ours, with a counter for each CPU */
	MSG_ATOMIC, /* ours, with atomic counters */
	MSG_NR_BACKENDS,
};

enum msg_case {
	MSG_SAME_TASK, /* one that sends to itself */
	MSG_ONE_WAY,   /* a process sends, another receives */
	MSG_PING_PONG, /* and sends back */
	MSG_THREADS,   /* many, in pairs */
	MSG_STRESS,    /* stress-ng --msg N */
	MSG_STRESS_TYPES, /* with --msg-types 10 */
	MSG_NR_CASES,
};

extern const char *const msg_backend_names[MSG_NR_BACKENDS];
extern const char *const msg_case_names[MSG_NR_CASES];

#define MSG_MAX_TASKS 1000

struct msg_setup {
	enum msg_case which;
	unsigned int tasks; /* threads, or instances of stress-ng */
	unsigned int bytes; /* of a text */
	double seconds;
};

/* --- msg_client.c: what runs in a namespace --- */

/* Sends and receives; messages, or round trips, a second. */
double msg_client(const struct msg_setup *setup);

/* --- msg_run.c --- */

/* Is there this program? Also by $PATH. */
bool msg_has_program(const char *program);

/*
 * The same in a namespace of @backend's, in programs that know nothing of
 * that. @kernfuse is the command. NAN: the kernel has no queues.
 */
double msg_measure(const struct msg_setup *setup, enum msg_backend backend,
		   const char *kernfuse);

#endif /* BENCH_MSG_H */
