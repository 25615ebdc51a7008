/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Death at every instruction. A child makes one call, stepped through it
 * instruction by instruction, which gives the list of them. Then for each of
 * the list another child runs as far as there and is killed, and the region
 * must be sound: nothing that was sent is lost, nothing comes twice, nothing
 * stays locked.
 *
 *	step [SCENARIO...]
 *
 * Not all in 'make check': every KERNFUSE_TEST_STEPth, and all if
 * KERNFUSE_TEST_SECONDS is 10 or more.
 *
 * Without rseq, so that each run takes the same way: a stepped thread never
 * gets through a restartable sequence, and there is nothing to be killed in
 * one, as it is a single store.
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test/ipc/step.h"

struct ipc_namespace *ns;
struct shared *shared;

static const struct scenario *const scenarios[] = {
	&step_send,	    &step_receive,	&step_receive_last,
	&step_handoff,	    &step_blocked,	&step_blocked_second,
	&step_blocked_send, &step_wakes_sender, &step_create,
	&step_remove,	    &step_large,
};
#define NR_SCENARIOS (sizeof(scenarios) / sizeof(scenarios[0]))

static const char *doing;
static unsigned long at_step;

void step_failed(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s, killed after %lu instructions: %s\n", file,
		line, doing, at_step, what);
	exit(1);
}

/* --- calls, as whoever makes them --- */

struct ipc_cred step_cred(void)
{
	return (struct ipc_cred){ .tgid = getpid(), .tid = getpid() };
}

int step_send_text(int id, long type, const char *text, int flg)
{
	struct ipc_cred cred = step_cred();
	struct step_message m = { .type = type };

	strcpy(m.text, text);
	return ksys_msgsnd(ns, &cred, id, &m, strlen(text) + 1, flg);
}

ssize_t step_receive_text(int id, struct step_message *m, long type, int flg)
{
	struct ipc_cred cred = step_cred();

	return ksys_msgrcv(ns, &cred, id, m, sizeof(m->text), type, flg);
}

/* Takes all messages and writes them down: "1:a 2:b". */
const char *step_drain(int id)
{
	static char buf[512];
	struct step_message m;
	size_t len = 0;
	ssize_t ret;

	buf[0] = '\0';
	while ((ret = step_receive_text(id, &m, 0, IPC_NOWAIT)) >= 0) {
		len += (size_t)snprintf(buf + len, sizeof(buf) - len,
					"%s%ld:%.20s", len ? " " : "", m.type,
					m.text);
		must(len < sizeof(buf) - 64);
	}
	must(ret == -ENOMSG);
	return buf;
}

/* --- children --- */

static pid_t start(void (*func)(void), bool traced)
{
	pid_t pid = fork();

	assert(pid >= 0);
	if (pid)
		return pid;
	alarm(60);
	if (traced) {
		assert(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
		raise(SIGSTOP);
	}
	func();
	if (traced)
		WRITE_ONCE(shared->returned, 1);
	_exit(0);
}

pid_t step_start_other(void (*func)(void))
{
	pid_t pid = start(func, false);
	char path[64], buf[512], *p;
	int asleep = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (int i = 0; i < 5000 && asleep < 2; i++) {
		int fd = open(path, O_RDONLY);
		ssize_t n = read(fd, buf, sizeof(buf) - 1);

		assert(n > 0);
		buf[n] = '\0';
		close(fd);
		p = strrchr(buf, ')');
		asleep = p && p[2] == 'S' ? asleep + 1 : 0;
		usleep(100);
	}
	return pid;
}

/* It must come back, and soon. */
void step_finish_other(pid_t pid)
{
	int status;

	for (int i = 0; i < 5000; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid) {
			must(WIFEXITED(status) && WEXITSTATUS(status) == 0);
			return;
		}
		usleep(1000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	must(!"another process sleeps for ever");
}

/* --- stepping --- */

#define MAX_STEPS 100000
static unsigned long trace[MAX_STEPS];
static unsigned long nr_steps;
static bool prodded;

static unsigned long where(pid_t pid)
{
	return (unsigned long)ptrace(PTRACE_PEEKUSER, pid,
				     (void *)offsetof(struct user, regs.rip),
				     NULL);
}

/* Is the child in a call that waits for somebody? */
static bool is_asleep(pid_t pid)
{
	char path[64], buf[512], *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY);
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	assert(n > 0);
	buf[n] = '\0';
	p = strrchr(buf, ')');
	return p && p[2] == 'S';
}

/*
 * Lets the child go on until it stops again; if it sleeps meanwhile, does what
 * wakes it. False: it has ended.
 */
static bool go(pid_t pid, enum __ptrace_request how, const struct scenario *s)
{
	int status, ret;

	if (ptrace(how, pid, NULL, NULL) < 0)
		return false;
	for (unsigned int i = 0;; i++) {
		ret = waitpid(pid, &status, s->prod && !prodded ? WNOHANG : 0);
		assert(ret == pid || ret == 0);
		if (ret == pid)
			break;
		if (i > 20 && is_asleep(pid)) {
			prodded = true;
			s->prod();
		}
		if (i > 20)
			usleep(20);
	}
	if (WIFSTOPPED(status))
		return true;
	must(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return false;
}

/* A fresh region each time, so that each run finds the same. */
static void new_region(void)
{
	static const struct ipc_params params = { .mode = 0600 };
	static int dir = -1;

	if (dir < 0)
		dir = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert(dir >= 0);
	if (ns)
		ipc_ns_close(ns);
	assert(ipc_ns_create_private(dir, &params, &ns) == 0);
}

static pid_t begin(const struct scenario *s)
{
	pid_t pid;

	new_region();
	memset(shared, 0, sizeof(*shared));
	prodded = false;
	s->before();
	pid = start(s->victim, true);
	assert(waitpid(pid, NULL, 0) == pid);
	return pid;
}

static void check(const struct scenario *s)
{
	struct ipc_audit audit;
	int err;

	shared->prodded = prodded;
	err = ipc_ns_audit(ns, &audit);
	if (err) {
		fprintf(stderr, "audit: %d, %u faults, %s\n", err, audit.faults,
			audit.first_fault);
		must(!"the region is not sound");
	}
	s->after();
	must(ipc_ns_audit(ns, &audit) == 0);
	must(audit.slots_busy == 0 && audit.messages == 0);
}

/*
 * One that comes round again and again is a loop over memory; killing it there
 * once more tells nothing new.
 */
static bool seen_often(unsigned long addr)
{
	static unsigned char times[1 << 16];

	if (nr_steps == 0)
		memset(times, 0, sizeof(times));
	if (times[addr % sizeof(times)] >= 20)
		return true;
	times[addr % sizeof(times)]++;
	return false;
}

static long set_code(pid_t pid, unsigned long addr, long code)
{
	long was = ptrace(PTRACE_PEEKTEXT, pid, (void *)addr, NULL);

	assert(ptrace(PTRACE_POKETEXT, pid, (void *)addr, (void *)code) == 0);
	return was;
}

/*
 * Runs the child until it is about to execute @addr for the @nth time. False
 * if it never was: it took another way, and has ended.
 */
static bool run_to(pid_t pid, const struct scenario *s, unsigned long addr,
		   unsigned long nth)
{
	long code = ptrace(PTRACE_PEEKTEXT, pid, (void *)addr, NULL);
	long trap = (code & ~0xffl) | 0xcc;

	if (where(pid) == addr && nth-- == 0)
		return true;
	for (;;) {
		if (where(pid) == addr) {
			if (!go(pid, PTRACE_SINGLESTEP, s))
				return false;
			if (where(pid) == addr && nth-- == 0)
				return true;
			continue;
		}
		set_code(pid, addr, trap);
		if (!go(pid, PTRACE_CONT, s))
			return false;
		set_code(pid, addr, code);
		assert(where(pid) == addr + 1);
		assert(ptrace(PTRACE_POKEUSER, pid,
			      (void *)offsetof(struct user, regs.rip),
			      (void *)addr) == 0);
		if (nth-- == 0)
			return true;
	}
}

/* A repeated string instruction would be stepped byte by byte. */
static bool over_string(pid_t pid, const struct scenario *s)
{
	unsigned long addr = where(pid);
	long code = ptrace(PTRACE_PEEKTEXT, pid, (void *)addr, NULL);
	int length = (code >> 8 & 0xff) == 0x48 ? 3 : 2;
	int op = (int)(code >> 8 * (length - 1) & 0xff);

	return (code & 0xff) == 0xf3 &&
	       (op == 0xa4 || op == 0xa5 || op == 0xaa || op == 0xab) &&
	       run_to(pid, s, addr + (unsigned long)length, 0);
}

/* The way through the call; nobody dies. */
static void record(const struct scenario *s)
{
	pid_t pid = begin(s);

	nr_steps = 0;
	do {
		unsigned long addr = where(pid);

		assert(nr_steps < MAX_STEPS);
		if (!seen_often(addr))
			trace[nr_steps++] = addr;
	} while ((over_string(pid, s) || go(pid, PTRACE_SINGLESTEP, s)) &&
		 !READ_ONCE(shared->returned));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check(s);
}

/* False: the child was not where it was to die. */
static bool one_death(const struct scenario *s, unsigned long step)
{
	unsigned long nth = 0;
	bool there;
	pid_t pid;

	at_step = step;
	for (unsigned long i = 0; i < step; i++)
		nth += trace[i] == trace[step];
	pid = begin(s);
	there = run_to(pid, s, trace[step], nth);
	if (there) {
		kill(pid, SIGKILL);
		assert(waitpid(pid, NULL, 0) == pid);
	}
	check(s);
	return there;
}

static void run(const struct scenario *s, unsigned long every,
		unsigned long first)
{
	unsigned long nr = 0, missed = 0;
	struct timespec t0, t1;

	doing = s->name;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	record(s);
	for (unsigned long i = first % every; i < nr_steps; i += every, nr++)
		missed += !one_death(s, i);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	printf("%s: killed at %lu of %lu instructions, %.1f s\n", s->name,
	       nr - missed, nr_steps,
	       (double)(t1.tv_sec - t0.tv_sec) +
		       (double)(t1.tv_nsec - t0.tv_nsec) / 1e9);
	fflush(stdout);
	/* beside other work a call may take another path than was recorded */
	must(missed <= 2 + nr / 10);
}

static unsigned long how_often(void)
{
	const char *step = getenv("KERNFUSE_TEST_STEP");
	const char *seconds = getenv("KERNFUSE_TEST_SECONDS");

	if (step && atol(step) > 0)
		return (unsigned long)atol(step);
	return seconds && atoi(seconds) >= 10 ? 1 : 97;
}

static void complain(const char *line)
{
	fprintf(stderr, "%s\n", line);
}

int main(int argc, char **argv)
{
	unsigned long every = how_often(), seed = (unsigned long)time(NULL);

	if (!getenv("GLIBC_TUNABLES")) {
		setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
		setenv("LD_BIND_NOW", "1",
		       1); /* once, not in the first child */
		execv("/proc/self/exe", argv);
	}
#if !defined(__x86_64__)
	printf("only on x86-64\n");
	return 77;
#endif
	ipc_set_log(complain);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(shared != MAP_FAILED);
	for (size_t i = 0; i < NR_SCENARIOS; i++) {
		if (argc < 2 || strcmp(argv[1], scenarios[i]->name) == 0)
			run(scenarios[i], every, seed + i * 7);
	}
	return 0;
}
