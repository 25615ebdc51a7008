/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * percpu_counter between processes: sums are exact whatever the adders are,
 * with rseq, without, on one CPU, in a child of vfork(), stepped through, or
 * killed.
 */
#include "lock/percpu_counter.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "test/unit/util.h"

#define PROCESSES 6
#define ROUNDS 200000

static const char *self; /* this program */

/* One group, mapped at two addresses. */
static struct shared {
	int fd;
	size_t size;
	void *mem, *other;
} shared;
static struct percpu_counter c[2], other[2];

static void *map(void)
{
	return mmap(NULL, shared.size, PROT_READ | PROT_WRITE, MAP_SHARED,
		    shared.fd, 0);
}

static void setup(void)
{
	shared.size = percpu_counter_bytes(2, NULL);
	shared.fd = memfd_create("counters", 0);
	ck_assert_int_ge(shared.fd, 0);
	ck_assert_int_eq(ftruncate(shared.fd, (off_t)shared.size), 0);
	shared.mem = map();
	shared.other = map();
	ck_assert_ptr_ne(shared.mem, MAP_FAILED);
	ck_assert_ptr_ne(shared.other, MAP_FAILED);
	ck_assert_ptr_ne(shared.mem, shared.other);
	ck_assert_int_eq(percpu_counter_init_at(c, 0, 2, shared.mem,
						shared.size, NULL),
			 0);
	ck_assert_int_eq(
		percpu_counter_attach(other, 2, shared.other, shared.size), 0);
}

static void teardown(void)
{
	munmap(shared.mem, shared.size);
	munmap(shared.other, shared.size);
	close(shared.fd);
}

/* What has been counted in rows of CPUs; the rest is in the bank. */
static int64_t in_slots(const struct percpu_counter *fbc)
{
	int64_t sum = 0;

	for (size_t i = 0; i < fbc->nr_slots; i++)
		sum += fbc->slots[i * PERCPU_COUNTER_ALIGN / 8];
	return sum;
}

static bool have_rseq(void)
{
	struct kf_rseq *rseq = kf_rseq_get();

	return rseq && (int32_t)READ_ONCE(rseq->cpu_id) >= 0;
}

static void add_many(struct percpu_counter *fbc)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		percpu_counter_inc(&fbc[0]);
		percpu_counter_sub(&fbc[1], i);
	}
}

#define MANY_SUM (-(int64_t)(ROUNDS - 1) * (ROUNDS / 2))

static void expect_many(unsigned int adders)
{
	ck_assert_int_eq(percpu_counter_sum(&other[0]),
			 (int64_t)adders * ROUNDS);
	ck_assert_int_eq(percpu_counter_sum(&other[1]),
			 (int64_t)adders * MANY_SUM);
}

static void wait_for(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* Starts this program again, with or without rseq, to add to the group. */
static void exec_adder(bool with_rseq)
{
	char fd[16];

	snprintf(fd, sizeof(fd), "%d", shared.fd);
	if (!with_rseq)
		setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	execl(self, self, "add", fd, with_rseq ? "any" : "off", NULL);
	_exit(99);
}

static int adder_main(char *argv[])
{
	shared.fd = atoi(argv[2]);
	shared.size = percpu_counter_bytes(2, NULL);
	shared.mem = map();
	if (strcmp(argv[3], "off") == 0 && have_rseq())
		return 2; /* the tunable had no effect */
	if (shared.mem == MAP_FAILED ||
	    percpu_counter_attach(c, 2, shared.mem, shared.size))
		return 3;
	add_many(c);
	return 0;
}

/* --- several processes --- */

START_TEST(forked)
{
	pid_t pid[PROCESSES];

	for (unsigned int i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		ck_assert_int_ge(pid[i], 0);
		if (pid[i])
			continue;
		add_many(i % 2 ? c : other);
		_exit(0);
	}
	for (unsigned int i = 0; i < PROCESSES; i++)
		wait_for(pid[i]);
	expect_many(PROCESSES);
	if (have_rseq()) /* a child of fork() is registered at once */
		ck_assert_int_eq(in_slots(&c[0]), PROCESSES * ROUNDS);
}
END_TEST

/* Those without rseq side by side with those that have it. */
START_TEST(executed_with_and_without_rseq)
{
	pid_t pid[PROCESSES];

	for (unsigned int i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		ck_assert_int_ge(pid[i], 0);
		if (!pid[i])
			exec_adder(i % 2);
	}
	for (unsigned int i = 0; i < PROCESSES; i++)
		wait_for(pid[i]);
	expect_many(PROCESSES);
	if (have_rseq())
		ck_assert_int_eq(in_slots(&c[0]), PROCESSES / 2 * ROUNDS);
}
END_TEST

/* Many on one CPU: each switch may be in the middle of an add. */
START_TEST(one_cpu)
{
	pid_t pid[PROCESSES];
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return; /* moved between the two, off a CPU we may use */
	for (unsigned int i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		ck_assert_int_ge(pid[i], 0);
		if (pid[i])
			continue;
		add_many(c);
		_exit(0);
	}
	for (unsigned int i = 0; i < PROCESSES; i++)
		wait_for(pid[i]);
	expect_many(PROCESSES);
}
END_TEST

/* Moved from one CPU to another all the time. */
static void *moving_thread(void *stop)
{
	cpu_set_t all, one;

	must(sched_getaffinity(getpid(), sizeof(all), &all) == 0);
	for (int cpu = 0; !GET(*(bool *)stop); cpu = (cpu + 1) % CPU_SETSIZE) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(getpid(), sizeof(one), &one);
	}
	return NULL;
}

START_TEST(migrated)
{
	bool stop = false;
	pthread_t id = thread_start(moving_thread, &stop);
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	add_many(c); /* the main thread is the one that is moved */
	if (!pid)
		_exit(0);
	wait_for(pid);
	SET(stop, true);
	thread_join(id);
	expect_many(2);
}
END_TEST

/* --- interrupted --- */

/* To the same word as what it interrupts. */
static unsigned int handled;

static void add_in_handler(int sig)
{
	(void)sig;
	handled++;
	percpu_counter_inc(&c[0]);
}

START_TEST(handlers_add)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } };
	struct itimerval never = { { 0, 0 }, { 0, 0 } };
	int64_t added = 0;

	signal(SIGALRM, add_in_handler);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
	for (; GET(handled) < 500; added++)
		percpu_counter_inc(&c[0]);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
	ck_assert_int_eq(percpu_counter_sum(&c[0]), added + GET(handled));
}
END_TEST

/*
 * A debugger that steps through an add aborts the sequence at every step, for
 * ever if nobody counted. At each step the sum is the old or the new one.
 */
static pid_t start_traced(unsigned int adds)
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		kf_rseq_get();
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		while (adds--)
			percpu_counter_add(&c[0], 5);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSTOPPED(status));
	return pid;
}

static bool may_trace(void)
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (!pid)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? 1 : 0);
	waitpid(pid, &status, 0);
	return status == 0;
}

START_TEST(stepped_through)
{
	int64_t last = 0, sum;
	unsigned long steps = 0;
	int status;
	pid_t pid;

	if (!may_trace())
		return;
	for (pid = start_traced(3);; steps++) {
		must(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) == 0);
		must(waitpid(pid, &status, 0) == pid);
		if (!WIFSTOPPED(status))
			break;
		sum = percpu_counter_sum(&c[0]);
		must(sum == last || sum == last + 5);
		last = sum;
		must(steps < 100000);
	}
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(percpu_counter_sum(&c[0]), 15);
	/* no sequence came through, so each add went to the bank */
	ck_assert_int_eq(in_slots(&c[0]), 0);
}
END_TEST

/* Killed at any time: the word that was counted last is whole. */
START_TEST(killed)
{
	for (unsigned int round = 0; round < 20; round++) {
		int64_t first;
		pid_t pid = fork();
		int status;

		ck_assert_int_ge(pid, 0);
		while (!pid)
			percpu_counter_add(&c[0], INT64_C(0x100000001));
		usleep(1000 + round * 100);
		kill(pid, SIGKILL);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		first = percpu_counter_sum(&c[0]);
		ck_assert_int_eq(first >> 32, first & 0xffffffff);
		ck_assert_int_eq(percpu_counter_sum(&c[0]), first);
	}
}
END_TEST

/* --- vfork --- */

/* The child runs on our struct rseq and is not registered: told of it, it
 * counts in the bank, and exec makes everything as it was. */
static __attribute__((noinline)) pid_t vfork_adder(void)
{
	pid_t pid = vfork();

	if (!pid) {
		add_many(other);
		exec_adder(true);
	}
	return pid;
}

START_TEST(vforked)
{
	pid_t pid[PROCESSES / 2];

	for (unsigned int i = 0; i < NR_OF(pid); i++) {
		kf_rseq_pause();
		pid[i] = vfork_adder();
		kf_rseq_resume();
		ck_assert_int_ge(pid[i], 0);
	}
	for (unsigned int i = 0; i < NR_OF(pid); i++)
		wait_for(pid[i]);
	expect_many(2 * NR_OF(pid));
	if (have_rseq())
		ck_assert_int_eq(in_slots(&c[0]), NR_OF(pid) * ROUNDS);
}
END_TEST

int main(int argc, char *argv[])
{
	const TTest *const tests[] = {
		forked,	      executed_with_and_without_rseq,
		one_cpu,      migrated,
		handlers_add, stepped_through,
		killed,	      vforked,
	};

	self = "/proc/self/exe";
	if (argc == 4 && strcmp(argv[1], "add") == 0)
		return adder_main(argv);
	return test_run("lock-percpu_counter-shared", tests, NR_OF(tests),
			setup, teardown);
}
