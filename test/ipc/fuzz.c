/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A region in use, in which bytes change that nobody wrote: before a call,
 * between two, and in another thread during it. Whatever comes of it, no call
 * may crash, hang, or touch what is not the region's; run it with sanitizers.
 *
 *	fuzz [SEED]	for KERNFUSE_TEST_SECONDS, or 1; with SEED once
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fs/ipc/ipc-internal.h"

#define NR_ROUNDS 40
#define NR_CALLS 30
#define LIMIT (64u << 20)
#define ONE_RUN_SECONDS 60

static struct ipc_namespace *ns;
static struct ipc_cred cred;
static int ids[8];
static int stop;

/* each thread has its own */
static __thread unsigned long long state;

static unsigned int below(unsigned int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)((state >> 16) % n);
}

static size_t odd_size(void)
{
	switch (below(4)) {
	case 0:
		return below(100);
	case 1:
		return below(8193);
	case 2:
		return 8192;
	default:
		return below(8);
	}
}

/* --- damage --- */

/* Somewhere in what is used, the head of it more often. */
static char *somewhere(void)
{
	uint64_t heap = ns->off_heap + 2 * (uint64_t)IPC_UNIT;

	switch (below(8)) {
	case 0:
		return ns->base + below(sizeof(struct ipc_super));
	case 1:
		return ns->base + IPC_OFF_IDMAP + below(64);
	case 2:
		return (char *)ipc_arena_at(ns, 0) +
		       below(sizeof(struct ipc_arena));
	case 3:
		return (char *)ipc_slot_at(ns, 1) +
		       below(4 * sizeof(struct ipc_slot));
	case 4:
		return (char *)ipc_queue_at(ns, 0) +
		       below(8 * sizeof(struct ipc_queue));
	case 5:
		return (char *)ipc_unit_at(ns, 0) + below(64);
	case 6:
		/* heads of messages */
		return ns->base + ns->off_heap + below(64) * 96u + below(64);
	default:
		return ns->base + below((unsigned int)heap);
	}
}

static void damage(void)
{
	unsigned char *p = (unsigned char *)somewhere();
	uint32_t *word = (uint32_t *)(void *)((uintptr_t)p & ~3ul);

	switch (below(6)) {
	case 0:
		*p ^= (unsigned char)(1u << below(8));
		break;
	case 1:
		*p = (unsigned char)below(256);
		break;
	case 2:
		*word = below(UINT_MAX);
		break;
	case 3:
		/* what looks like what is there */
		*word = *(uint32_t *)(void *)((uintptr_t)somewhere() & ~3ul);
		break;
	case 4:
		*word = below(2) ? 0 : UINT_MAX;
		break;
	default:
		*word += below(2) ? 1 : -1u;
		break;
	}
	if (below(10))
		ipc_super(ns)->magic = IPC_MAGIC;
	if (below(4))
		ipc_super(ns)->dead = 0;
}

static void *vandal(void *arg)
{
	state = *(unsigned long long *)arg | 1;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		damage();
		if (!below(3))
			usleep(below(50));
	}
	return NULL;
}

/* --- calls --- */

static void wake_up(int sig)
{
	(void)sig;
}

static void sleeping_call(void)
{
	struct itimerval it = { .it_value.tv_usec = 2000,
				.it_interval.tv_usec = 2000 };
	static char buf[8200] = { 1 };

	setitimer(ITIMER_REAL, &it, NULL);
	if (below(2))
		ksys_msgrcv(ns, &cred, ids[below(8)], buf, 8192, 5, 0);
	else
		ksys_msgsnd(ns, &cred, ids[below(8)], buf, odd_size(), 0);
	memset(&it, 0, sizeof(it));
	setitimer(ITIMER_REAL, &it, NULL);
}

static void look(void)
{
	struct ipc_audit audit;
	struct ipc_totals totals;
	struct msginfo info;
	struct msqid_ds ds;
	char *text;

	switch (below(8)) {
	case 0:
		ipc_ns_audit(ns, &audit);
		break;
	case 1:
		ipc_ns_recover(ns);
		break;
	case 2:
		if (ipc_proc_sysvipc_msg(ns, &text) > 0)
			free(text);
		break;
	case 3:
		ipc_get_totals(ns, &totals);
		break;
	case 4:
		ksys_msgctl(ns, &cred, 0, MSG_INFO, (void *)&info);
		break;
	default:
		ksys_msgctl(ns, &cred, ids[below(8)],
			    below(2) ? IPC_STAT : MSG_STAT, &ds);
		break;
	}
}

static void change(void)
{
	struct msqid_ds ds = { .msg_perm.mode = 0600, .msg_qbytes = 16384 };
	unsigned int i = below(8);

	if (below(3)) {
		ds.msg_qbytes = 100 + below(16000);
		ksys_msgctl(ns, &cred, ids[i], IPC_SET, &ds);
		return;
	}
	ksys_msgctl(ns, &cred, ids[i], IPC_RMID, NULL);
	ids[i] = ksys_msgget(ns, &cred, below(2) ? 0 : (int)below(4),
			     IPC_CREAT | 0600);
}

static void call(void)
{
	static const int flags[] = { 0, MSG_NOERROR, MSG_EXCEPT, MSG_COPY };
	static char buf[8192 + sizeof(long)];
	long type = 1 + below(9);

	switch (below(10)) {
	case 0:
		look();
		break;
	case 1:
		change();
		break;
	case 2:
	case 3:
	case 4:
		ksys_msgrcv(ns, &cred, ids[below(8)], buf, odd_size(), type - 5,
			    IPC_NOWAIT | flags[below(4)]);
		break;
	case 5:
		if (!below(10))
			sleeping_call();
		break;
	default:
		memcpy(buf, &type, sizeof(type));
		ksys_msgsnd(ns, &cred, ids[below(8)], buf, odd_size(),
			    IPC_NOWAIT);
		break;
	}
}

/* A region like this one, but found on the disk. */
static void open_damaged(void)
{
	struct ipc_namespace *other;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", ipc_ns_fd(ns));
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && ipc_ns_open_fd(fd, &other) == 0)
		ipc_ns_close(other);
}

static void one_run(unsigned long long seed)
{
	static const struct ipc_params params = { .mode = 0600,
						  .limit = LIMIT };
	int dir = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sigaction sa = { .sa_handler = wake_up };
	unsigned long long other = seed * 3;
	pthread_t thread;

	state = seed | 1;
	alarm(ONE_RUN_SECONDS);
	sigaction(SIGALRM, &sa, NULL);
	cred = (struct ipc_cred){ .tgid = getpid(), .tid = getpid() };
	assert(dir >= 0);
	assert(ipc_ns_create_private(dir, &params, &ns) == 0);
	ns->patience = 1000000;
	for (unsigned int i = 0; i < 8; i++)
		ids[i] = ksys_msgget(ns, &cred, i & 1 ? 0 : (int)i,
				     IPC_CREAT | 0600);
	for (int i = 0; i < 100; i++)
		call();
	if (seed % 3 == 0)
		assert(pthread_create(&thread, NULL, vandal, &other) == 0);
	for (int round = 0; round < NR_ROUNDS; round++) {
		if (seed % 3) {
			for (unsigned int n = 1 + below(4); n > 0; n--)
				damage();
		}
		for (int i = 0; i < NR_CALLS; i++)
			call();
		if (!below(8))
			open_damaged();
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	if (seed % 3 == 0)
		pthread_join(thread, NULL);
	ipc_ns_close(ns);
}

/* In a child, so that one that crashes or hangs can be named. */
static int try(unsigned long long seed)
{
	struct timespec nap = { .tv_nsec = 1000000 };
	int status;
	pid_t pid = fork();

	assert(pid >= 0);
	if (pid == 0) {
		one_run(seed);
		exit(0);
	}
	for (int i = 0; waitpid(pid, &status, WNOHANG) == 0; i++) {
		nanosleep(&nap, NULL);
		if (i > ONE_RUN_SECONDS * 900) {
			fprintf(stderr, "fuzz: hangs with seed %llu\n", seed);
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return 1;
		}
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	fprintf(stderr, "fuzz: status %#x with seed %llu\n", status, seed);
	return 1;
}

int main(int argc, char **argv)
{
	const char *seconds = getenv("KERNFUSE_TEST_SECONDS");
	const char *sanitizer = getenv("KERNFUSE_SANITIZER");
	time_t until = time(NULL) + (seconds ? atoi(seconds) : 1) + 1;
	unsigned long long seed = (unsigned long long)time(NULL) << 20;
	unsigned long nr = 0;

	if (sanitizer && !strcmp(sanitizer, "thread")) {
		fprintf(stderr, "fuzz: skipped: its races are meant\n");
		return 77;
	}
	if (argc > 1)
		return try(strtoull(argv[1], NULL, 0));
	for (; time(NULL) < until; nr++) {
		if (try(seed + nr))
			return 1;
	}
	printf("%lu regions, seeds from %llu\n", nr, seed);
	return 0;
}
