/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The same checks over the kernel's message queues and over ours. A check is
 * a line "name: result"; two runs are to print the same lines. For ours the
 * expected results are in the program, too, so that it can fail by itself.
 *
 * Results are what the calls return, errors by name. Pids and times are never
 * printed, only how they compare.
 */
#ifndef TEST_IPC_PARITY_H
#define TEST_IPC_PARITY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/msg.h>
#include <sys/types.h>

#define TEXT_MAX 32768

struct message {
	long type;
	char text[TEXT_MAX];
};

/* --- one of the two --- */

int get(key_t key, int flg);
int snd(int id, const void *msgp, size_t size, int flg);
ssize_t rcv(int id, void *msgp, size_t size, long type, int flg);
int ctl(int id, int cmd, void *buf);
/* "msgmax", "msgmnb", "msgmni", "msg_next_id" */
int set_limit(const char *name, long value);
long get_limit(const char *name);
/* the text of /proc/sysvipc/msg; the caller frees it */
char *table(void);

/* --- checks --- */

void is(const char *name, long result, const char *expected);
void says(const char *name, const char *result, const char *expected);
/* prints what comes between %s:%s and such */
void says_f(const char *name, const char *expected, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* --- shorthands --- */

int new_queue(void); /* private, 0600; ends the run if it fails */
int drop(int id);    /* IPC_RMID */
int put(int id, long type, const char *text); /* IPC_NOWAIT */
int put_size(int id, long type, size_t size); /* IPC_NOWAIT */
/* IPC_NOWAIT added; the text received is in taken */
ssize_t take(int id, size_t size, long type, int flg);
extern struct message taken;
struct msqid_ds stat_of(int id);
/* sets qbytes and leaves all else */
int set_qbytes(int id, unsigned long qbytes);
/* totals as MSG_INFO gives them: "queues hdrs bytes" */
const char *totals(void);
/* "qnum cbytes" */
const char *filling(int id);

/* --- others --- */

/* Runs @func in a child as user and group nobody; what it checks counts. */
void as_nobody(void (*func)(int), int arg);
/*
 * A child that makes one call that may sleep, and tells what came of it.
 */
struct sleeper {
	pid_t pid;
	int fd;
};
struct reply {
	long result;
	long type;
	char text[64];
};
struct sleeper start_receive(int id, size_t size, long type, int flg);
struct sleeper start_send(int id, long type, size_t size);
/* the same with a handler for SIGUSR1, SA_RESTART if asked */
struct sleeper start_receive_handled(int id, bool restart);
struct sleeper start_send_handled(int id, size_t size, bool restart);
void until_asleep(struct sleeper *s);
bool asleep(struct sleeper *s); /* still, a while later */
struct reply finish(struct sleeper *s);

void parity_get(void);
void parity_send(void);
void parity_receive(void);
void parity_wait_receive(void);
void parity_wait_send(void);
void parity_ctl(void);
void parity_table(void);
void parity_big(void);

#endif /* TEST_IPC_PARITY_H */
