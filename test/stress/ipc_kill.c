/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Senders, receivers and others on a few queues, killed one after the other
 * wherever they may be. In the end each message that was sent has been received
 * once, or is still there, and the region is sound.
 *
 *	ipc_kill	for KERNFUSE_TEST_SECONDS, or 2; at least 1,000 deaths
 *			if that is 10 or more
 *
 * A receiver that is killed after its call returned, but before it could count
 * its message, has it in its buffer, which is shared.
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fs/ipc/msg.h"

#define NR_QUEUES 3
#define NR_SENDERS 4
#define NR_RECEIVERS 4
#define NR_OTHERS 2
#define NR_CHILDREN (NR_SENDERS + NR_RECEIVERS + NR_OTHERS)
#define MAX_MESSAGES (8u << 20)
#define NR_TYPES 5

struct message {
	long type;
	uint64_t number;
	char filling[700];
};

/* What each message has come to; written by whoever does it. */
enum {
	SENT = 1, /* msgsnd has returned 0 */
	RECEIVED = 2,
	MAYBE = 4, /* was in the buffer of a receiver that was killed */
};

struct shared {
	uint64_t next_number;
	uint64_t twice; /* a message that came a second time, + 1 */
	struct message buffer[NR_RECEIVERS];
	unsigned char state[MAX_MESSAGES];
};

static struct shared *shared;
static struct ipc_namespace *ns;
static int ids[NR_QUEUES];
static pid_t children[NR_CHILDREN];
static uint64_t state;

static unsigned int below(unsigned int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)((state >> 16) % n);
}

static struct ipc_cred cred(void)
{
	return (struct ipc_cred){ .tgid = getpid(), .tid = getpid() };
}

static void fail(const char *what, long number)
{
	fprintf(stderr, "ipc_kill: %s: %ld\n", what, number);
	exit(1);
}

/* --- children; only death ends them --- */

static void sender(unsigned int nr)
{
	struct message m = { .type = 1 };
	struct ipc_cred c = cred();
	int err;

	(void)nr;
	for (;;) {
		m.number = __atomic_fetch_add(&shared->next_number, 1,
					      __ATOMIC_RELAXED);
		if (m.number >= MAX_MESSAGES)
			pause();
		m.type = 1 + below(NR_TYPES);
		err = ksys_msgsnd(ns, &c, ids[below(NR_QUEUES)], &m,
				  sizeof(m.number) + below(700),
				  below(4) ? 0 : IPC_NOWAIT);
		if (err == 0)
			__atomic_fetch_or(&shared->state[m.number], SENT,
					  __ATOMIC_RELAXED);
		else if (err != -EAGAIN)
			fail("msgsnd", err);
	}
}

static void count(const struct message *m)
{
	if (m->number >= MAX_MESSAGES)
		fail("no such message", (long)m->number);
	if (__atomic_fetch_or(&shared->state[m->number], RECEIVED,
			      __ATOMIC_RELAXED) &
	    RECEIVED)
		__atomic_store_n(&shared->twice, m->number + 1,
				 __ATOMIC_RELAXED);
}

static void receiver(unsigned int nr)
{
	struct message *m = &shared->buffer[nr];
	struct ipc_cred c = cred();
	ssize_t ret;

	for (;;) {
		long type = (long)below(NR_TYPES + 1);
		int flg = below(3) ? IPC_NOWAIT : 0;

		if (below(2))
			type = -type;
		else if (!below(3))
			flg |= MSG_EXCEPT;
		m->type = 0;
		ret = ksys_msgrcv(ns, &c, ids[below(NR_QUEUES)], m,
				  sizeof(*m) - sizeof(m->type), type, flg);
		if (ret >= (ssize_t)sizeof(m->number)) {
			count(m);
			m->type = 0;
		} else if (ret != -ENOMSG) {
			fail("msgrcv", ret);
		}
	}
}

/* Queues come and go with messages in them; others are looked at. */
static void other(unsigned int nr)
{
	struct message m = { .type = 1 };
	struct ipc_cred c = cred();
	struct msginfo info;
	struct msqid_ds ds;
	int id;

	(void)nr;
	for (;;) {
		int q = ids[below(NR_QUEUES)];

		if (ksys_msgctl(ns, &c, q, IPC_STAT, &ds))
			fail("IPC_STAT", 0);
		if (!below(4) && ksys_msgctl(ns, &c, q, IPC_SET, &ds))
			fail("IPC_SET", 0);
		if (!below(16) &&
		    ksys_msgctl(ns, &c, 0, MSG_INFO, (void *)&info) < 0)
			fail("MSG_INFO", 0);
		id = ksys_msgget(ns, &c, below(2) ? 1 + (int)below(3) : 0,
				 IPC_CREAT | 0600);
		if (id < 0)
			fail("msgget", id);
		for (int i = 0; i < 3; i++)
			ksys_msgsnd(ns, &c, id, &m, 100, IPC_NOWAIT);
		ksys_msgctl(ns, &c, id, IPC_RMID, NULL);
	}
}

static void start(unsigned int i)
{
	pid_t pid = fork();

	assert(pid >= 0);
	if (pid) {
		children[i] = pid;
		return;
	}
	alarm(3600);
	state = (uint64_t)getpid() * 0x9e3779b97f4a7c15ull | 1;
	if (i < NR_SENDERS)
		sender(i);
	else if (i < NR_SENDERS + NR_RECEIVERS)
		receiver(i - NR_SENDERS);
	else
		other(i);
}

/* False: it had failed by itself. */
static bool end(unsigned int i)
{
	int status;

	kill(children[i], SIGKILL);
	assert(waitpid(children[i], &status, 0) == children[i]);
	if (i >= NR_SENDERS && i < NR_SENDERS + NR_RECEIVERS) {
		struct message *m = &shared->buffer[i - NR_SENDERS];

		if (m->type && m->number < MAX_MESSAGES)
			shared->state[m->number] |= MAYBE;
		m->type = 0;
	}
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* --- the reckoning --- */

static void audit(const char *when)
{
	struct ipc_audit a;
	int err = ipc_ns_audit(ns, &a);

	if (err == 0)
		return;
	fprintf(stderr, "ipc_kill: audit %s: %d, %u faults, %s\n", when, err,
		a.faults, a.first_fault);
	exit(1);
}

static void drain(int id)
{
	struct ipc_cred c = cred();
	struct message m;

	while (ksys_msgrcv(ns, &c, id, &m, sizeof(m), 0, IPC_NOWAIT) >= 0)
		count(&m);
}

static void reckon(unsigned long deaths)
{
	uint64_t last = shared->next_number, sent = 0, maybe = 0;
	struct ipc_totals totals;

	audit("after the last death");
	for (int i = 0; i < NR_QUEUES; i++)
		drain(ids[i]);
	if (shared->twice)
		fail("came twice", (long)shared->twice - 1);
	for (uint64_t i = 0; i < last && i < MAX_MESSAGES; i++) {
		unsigned char s = shared->state[i];

		sent += s & SENT;
		if ((s & SENT) && !(s & (RECEIVED | MAYBE)))
			fail("lost", (long)i);
		maybe += s == (SENT | MAYBE);
	}
	audit("at the end");
	assert(ipc_get_totals(ns, &totals) == 0);
	printf("%lu deaths, %lu messages, %lu of them with the dead, "
	       "%lu repairs\n",
	       deaths, (unsigned long)sent, (unsigned long)maybe,
	       (unsigned long)totals.recoveries);
}

static void complain(const char *line)
{
	fprintf(stderr, "%s\n", line);
}

int main(void)
{
	static const struct ipc_params params = { .mode = 0600 };
	const char *seconds = getenv("KERNFUSE_TEST_SECONDS");
	int time_given = seconds ? atoi(seconds) : 2;
	unsigned long deaths = 0, least = time_given >= 10 ? 1000 : 0;
	time_t until = time(NULL) + time_given;
	int dir = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct ipc_cred c = cred();

	assert(dir >= 0);
	ipc_set_log(complain);
	assert(ipc_ns_create_private(dir, &params, &ns) == 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(shared != MAP_FAILED);
	state = (uint64_t)time(NULL) << 20 | 1;
	for (int i = 0; i < NR_QUEUES; i++)
		ids[i] = ksys_msgget(ns, &c, IPC_PRIVATE, 0600);
	for (unsigned int i = 0; i < NR_CHILDREN; i++)
		start(i);
	while (time(NULL) < until || deaths < least) {
		unsigned int i = below(NR_CHILDREN);

		usleep(below(3000));
		if (!end(i))
			fail("a child failed", (long)i);
		deaths++;
		if (deaths % 64 == 0)
			audit("under load");
		start(i);
	}
	for (unsigned int i = 0; i < NR_CHILDREN; i++)
		end(i);
	reckon(deaths);
	ipc_ns_close(ns);
	return 0;
}
