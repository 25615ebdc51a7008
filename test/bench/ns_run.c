/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One measurement of kernfuse-bench ns: processes that make a namespace each,
 * put something into it, and exit.
 *
 * The parent is the keeper, as the daemon is: it learns of the exit by
 * waitpid() and makes the last put. Without a keeper the region has no name,
 * and what the exit of its last process frees is the region: the child's, or
 * that of a process which waits for the child as after 'kernfuse ipc run'.
 */
#include "ns.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "fs/ipc/namespace.h"
#include "fs/ipc/session.h"

#define MAX_BYTES 8192

struct child {
	pid_t pid;
	uint64_t exit_ns; /* when it began to exit; written by the child */
	uint64_t reaped_ns;
};

struct run {
	const struct ns_setup *setup;
	struct ipc_keeper *keeper;
	struct child *children; /* shared */
	int gate[2];		/* the children start when it ends */
};

struct text {
	long type;
	char bytes[MAX_BYTES];
};

/* --- the children --- */

static void fill_kernel(const struct ns_content *content)
{
	static struct text text = { .type = 1 };

	for (unsigned int i = 0; i < content->queues; i++) {
		int id = msgget(IPC_PRIVATE, 0600);

		if (id < 0)
			bench_fail("msgget: %s", strerror(errno));
		for (unsigned int m = 0; m < content->messages; m++)
			if (msgsnd(id, &text, content->bytes, IPC_NOWAIT))
				bench_fail("msgsnd: %s", strerror(errno));
	}
}

static void fill_ours(struct ipc_namespace *ns,
		      const struct ns_content *content)
{
	static struct text text = { .type = 1 };
	struct ipc_cred cred = {
		.euid = geteuid(),
		.egid = getegid(),
		.tgid = getpid(),
		.tid = gettid(),
	};

	for (unsigned int i = 0; i < content->queues; i++) {
		int id = ksys_msgget(ns, &cred, IPC_PRIVATE, 0600);
		int ret = id < 0 ? id : 0;

		for (unsigned int m = 0; !ret && m < content->messages; m++)
			ret = ksys_msgsnd(ns, &cred, id, &text, content->bytes,
					  IPC_NOWAIT);
		if (ret)
			bench_fail("filling a region: %s", strerror(-ret));
	}
}

static void name_of(char *buf, size_t size, unsigned int nth)
{
	snprintf(buf, size, "n%u", nth);
}

static void use_ours(const struct ns_setup *setup, unsigned int nth)
{
	struct ipc_params params = { .owner = geteuid(), .group = getegid() };
	struct ipc_namespace *ns;
	char name[16];
	int ret;

	name_of(name, sizeof(name), nth);
	if (setup->backend == NS_ALONE || setup->backend == NS_RUN)
		ret = ipc_ns_create_private(setup->dirfd, &params, &ns);
	else
		ret = ipc_ns_create(setup->dirfd, name, &params, &ns);
	if (ret)
		bench_fail("cannot make a region: %s", strerror(-ret));
	if (setup->backend == NS_RUN)
		ret = ipc_session_keep_private(ns);
	if (ret)
		bench_fail("nobody will free a region: %s", strerror(-ret));
	fill_ours(ns, &setup->content);
}

static _Noreturn void child(const struct run *run, unsigned int nth)
{
	const struct ns_setup *setup = run->setup;
	char c;

	close(run->gate[1]);
	if (read(run->gate[0], &c, 1) != 0)
		bench_fail("the gate is broken");
	if (setup->backend == NS_KERNEL) {
		if (unshare(CLONE_NEWIPC))
			bench_fail("unshare: %s", strerror(errno));
		fill_kernel(&setup->content);
	} else {
		use_ours(setup, nth);
	}
	run->children[nth].exit_ns = bench_now_ns();
	_exit(0);
}

static void start(struct run *run, unsigned int nth)
{
	pid_t pid = fork();

	if (pid < 0)
		bench_fail("cannot start a process: %s", strerror(errno));
	if (!pid)
		child(run, nth);
	run->children[nth].pid = pid;
}

/* --- the keeper --- */

static void last_put(const struct run *run, unsigned int nth)
{
	char name[16];
	int ret;

	if (!run->keeper)
		return;
	name_of(name, sizeof(name), nth);
	ret = ipc_keeper_reap(run->keeper, name);
	if (ret)
		bench_fail("cannot reap %s: %s", name, strerror(-ret));
}

static void reap(struct run *run, unsigned int first, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		unsigned int nth = first;
		pid_t pid;
		int status;

		pid = waitpid(nr == 1 ? run->children[first].pid : -1, &status,
			      0);
		if (pid < 0 || status)
			bench_fail("a process failed");
		while (run->children[nth].pid != pid)
			nth++;
		last_put(run, nth);
		run->children[nth].reaped_ns = bench_now_ns();
	}
}

static void open_gate(struct run *run)
{
	if (pipe(run->gate))
		bench_fail("pipe: %s", strerror(errno));
}

/* All are there before the first one goes on. */
static uint64_t run_parallel(struct run *run)
{
	unsigned int nr = run->setup->processes;
	uint64_t begin;

	open_gate(run);
	for (unsigned int i = 0; i < nr; i++)
		start(run, i);
	close(run->gate[0]);
	begin = bench_now_ns();
	close(run->gate[1]);
	reap(run, 0, nr);
	return bench_now_ns() - begin;
}

static uint64_t run_series(struct run *run)
{
	uint64_t begin = bench_now_ns();

	for (unsigned int i = 0; i < run->setup->processes; i++) {
		open_gate(run);
		start(run, i);
		close(run->gate[0]);
		close(run->gate[1]);
		reap(run, i, 1);
	}
	return bench_now_ns() - begin;
}

/* --- the measurement --- */

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double median_exit_us(const struct run *run)
{
	unsigned int nr = run->setup->processes;
	uint64_t *times = bench_alloc(nr, sizeof(*times));
	double median;

	for (unsigned int i = 0; i < nr; i++)
		times[i] =
			run->children[i].reaped_ns - run->children[i].exit_ns;
	qsort(times, nr, sizeof(*times), compare_ns);
	median = (double)(times[(nr - 1) / 2] + times[nr / 2]) / 2e3;
	free(times);
	return median;
}

/* The figure of the keeper's status, over all its users. */
static double figure(struct ipc_keeper *keeper, const char *name)
{
	double sum = 0;
	char *text, *at;

	if (ipc_keeper_text(keeper, &text) < 0)
		bench_fail("out of memory");
	for (at = text; (at = strstr(at, name)); at += strlen(name))
		sum += strtod(at + strlen(name), NULL);
	free(text);
	return sum;
}

/* Who frees after 'kernfuse ipc run' is an orphan, and given to us. */
static void take_orphans(bool yes)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, yes))
		bench_fail("prctl: %s", strerror(errno));
}

static void start_keeper(struct run *run)
{
	struct ipc_teardown_params params = {
		.mode = run->setup->backend == NS_SYNC ? IPC_TEARDOWN_SYNC :
							 IPC_TEARDOWN_DEFERRED,
	};
	int ret;

	run->keeper = NULL;
	if (run->setup->backend == NS_RUN)
		take_orphans(true);
	if (run->setup->backend != NS_SYNC &&
	    run->setup->backend != NS_DEFERRED)
		return;
	ret = ipc_keeper_create(run->setup->dirfd, &params, &run->keeper);
	if (ret)
		bench_fail("cannot start a keeper: %s", strerror(-ret));
}

static double ms_of(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static void reap_orphans(struct ns_result *ret_result, uint64_t begin)
{
	struct rusage usage;

	ret_result->free_cpu_ms = 0;
	while (wait4(-1, NULL, 0, &usage) > 0)
		ret_result->free_cpu_ms +=
			ms_of(usage.ru_utime) + ms_of(usage.ru_stime);
	ret_result->freed_ms = (double)(bench_now_ns() - begin) / 1e6;
	take_orphans(false);
}

static void end_keeper(struct run *run, struct ns_result *ret_result)
{
	uint64_t begin = bench_now_ns();

	ret_result->freed_ms = NAN;
	ret_result->free_cpu_ms = NAN;
	if (run->setup->backend == NS_RUN)
		reap_orphans(ret_result, begin);
	if (!run->keeper)
		return;
	ipc_keeper_flush(run->keeper);
	ret_result->freed_ms = (double)(bench_now_ns() - begin) / 1e6;
	ret_result->free_cpu_ms = figure(run->keeper, " cpu_ns ") / 1e6;
	if (figure(run->keeper, " namespaces ") > 0)
		bench_fail("namespaces were left");
	ipc_keeper_destroy(run->keeper);
}

void ns_measure(const struct ns_setup *setup, struct ns_result *ret_result)
{
	size_t size = setup->processes * sizeof(struct child);
	struct run run = { .setup = setup };
	uint64_t total;

	run.children = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run.children == MAP_FAILED)
		bench_fail("out of memory");
	start_keeper(&run);
	total = setup->parallel ? run_parallel(&run) : run_series(&run);
	end_keeper(&run, ret_result);
	ret_result->total_us = (double)total / 1e3 / setup->processes;
	ret_result->exit_us = median_exit_us(&run);
	munmap(run.children, size);
}

bool ns_kernel_works(void)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		bench_fail("cannot start a process: %s", strerror(errno));
	if (!pid)
		_exit(unshare(CLONE_NEWIPC) ? 1 : 0);
	return waitpid(pid, &status, 0) == pid && status == 0;
}
