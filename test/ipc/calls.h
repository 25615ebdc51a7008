/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the cases of test/ipc/calls share. It is an ordinary program: it knows
 * nothing of kernfuse and gives the same results on the kernel's queues.
 */
#ifndef TEST_IPC_CALLS_H
#define TEST_IPC_CALLS_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_SKIP 77

#define fail(...)                                                              \
	do {                                                                   \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                \
		fprintf(stderr, __VA_ARGS__);                                  \
		fprintf(stderr, "\n");                                         \
		_exit(1);                                                      \
	} while (0)

#define check(condition)                                                       \
	do {                                                                   \
		if (!(condition))                                              \
			fail("not so: %s (errno %d)", #condition, errno);      \
	} while (0)

/* The call fails with that errno. */
#define check_errno(error, call)                                               \
	do {                                                                   \
		long ret_ = (long)(call);                                      \
                                                                               \
		if (ret_ != -1 || errno != (error))                            \
			fail("%s: %ld, errno %d, not %s", #call, ret_, errno,  \
			     #error);                                          \
	} while (0)

struct text {
	long type;
	char text[64];
};

/* path of this program */
extern char *self;

int new_queue(void);
/* a message of type 1 */
void send_text(int id, const char *text);
void expect_text(int id, const char *text);
struct msqid_ds stat_queue(int id);
/* it ends with status 0 */
void wait_child(pid_t pid);
/* it sleeps: state S */
void wait_asleep(pid_t pid);
/* skips if not root */
void need_root(void);

/* --- cases; each returns if all is well --- */

void case_fork(void);
void case_vfork(void);
void case_vfork_exec(void);
void case_exec_empty(void);
void case_exec_closed(void);
void case_exec_raw(void);
void case_spawn(void);
void case_system_empty(void);
void case_clone_vfork(void);
void case_raw(void);
void case_raw_others(void);
void case_pointers(void);
void case_bad_page(void);
void case_eintr(void);
void case_signals(void);
void case_handlers(void);
void case_eidrm(void);
void case_cancel(void);
void case_threads(void);
void case_seteuid(void);
void case_setgroups(void);
void case_unshare(void);
void case_clone_newipc(void);
void case_limits(void);

#endif /* TEST_IPC_CALLS_H */
