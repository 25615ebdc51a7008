/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What step.c steps through: a scenario is a call and what surrounds it. */
#ifndef TEST_IPC_STEP_H
#define TEST_IPC_STEP_H

#include <linux/futex.h>
#include <sys/types.h>
#include <sys/user.h>

#include "fs/ipc/msg.h"
#include "lock/atomic.h"

struct step_message {
	long type;
	char text[64];
};

/* What the children leave for the parent to see. */
struct shared {
	int returned; /* the victim's call has returned */
	int prodded;  /* the parent did what lets it go on */
	int result;
	struct step_message got;   /* by the victim */
	struct step_message other; /* by the other receiver */
	long other_result;
};

struct scenario {
	const char *name;
	void (*before)(void); /* in the parent: makes the queue */
	void (*victim)(void); /* in the child: the one call */
	/* in the parent, when the victim is about to sleep; or NULL */
	void (*prod)(void);
	void (*after)(void); /* in the parent: checks, removes the queue */
};

extern const struct scenario step_send, step_receive, step_receive_last,
	step_handoff, step_blocked, step_blocked_second, step_blocked_send,
	step_wakes_sender, step_create, step_remove, step_large;

extern struct ipc_namespace *ns;
extern struct shared *shared;

void step_failed(const char *file, int line, const char *what);
#define must(cond)                                                             \
	do {                                                                   \
		if (!(cond))                                                   \
			step_failed(__FILE__, __LINE__, #cond);                \
	} while (0)

struct ipc_cred step_cred(void);
int step_send_text(int id, long type, const char *text, int flg);
ssize_t step_receive_text(int id, struct step_message *m, long type, int flg);
const char *step_drain(int id);
/* A child that is asleep in its call when this returns. */
pid_t step_start_other(void (*func)(void));
void step_finish_other(pid_t pid);

#endif /* TEST_IPC_STEP_H */
