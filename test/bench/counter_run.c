/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One measurement of kernfuse-bench counter: threads or processes that add to
 * the two counters of one group, as a send adds one message and its bytes.
 *
 * The group, the flags and the results lie in memory that all share. Times are
 * CPU times: waiting for a cache line is part of them, waiting for a CPU that
 * another program has is not.
 */
#include "counter.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define BATCH 1000 /* pairs of adds, or sums, between two looks at the flag */
#define BYTES 64   /* what the second counter grows by */

struct worker {
	alignas(128) struct shared *shared;
	pthread_t thread;
	pid_t pid;
	unsigned int cpu;
	uint64_t rounds, cpu_ns, wall_ns;
};

struct shared {
	unsigned int ready; /* workers that are there; atomic */
	bool go, stop;	    /* atomic */
	struct worker workers[COUNTER_MAX_ADDERS];
	struct worker summer;
	alignas(PERCPU_COUNTER_ALIGN) char group[];
};

/* Inherited by the processes. */
static struct percpu_counter counters[2];

bool counter_has_rseq(void)
{
	struct kf_rseq *rseq = kf_rseq_get();

#if KF_HAVE_RSEQ
	return rseq &&
	       (int32_t)__atomic_load_n(&rseq->cpu_id, __ATOMIC_RELAXED) >= 0;
#else
	return rseq;
#endif
}

/* --- workers --- */

static void begin(struct worker *worker)
{
	struct shared *shared = worker->shared;

	bench_pin_to_cpu(worker->cpu);
	__atomic_fetch_add(&shared->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&shared->go, __ATOMIC_ACQUIRE))
		usleep(100);
	worker->wall_ns = bench_now_ns();
	worker->cpu_ns = bench_thread_cpu_ns();
}

static bool stopped(const struct worker *worker)
{
	return __atomic_load_n(&worker->shared->stop, __ATOMIC_RELAXED);
}

static void end(struct worker *worker, uint64_t rounds)
{
	worker->cpu_ns = bench_thread_cpu_ns() - worker->cpu_ns;
	worker->wall_ns = bench_now_ns() - worker->wall_ns;
	worker->rounds = rounds;
}

static void *add(void *arg)
{
	struct worker *worker = arg;
	uint64_t rounds = 0;

	begin(worker);
	for (; !stopped(worker); rounds += BATCH) {
		for (unsigned int i = 0; i < BATCH; i++) {
			percpu_counter_add_local(&counters[0], 1);
			percpu_counter_add_local(&counters[1], BYTES);
		}
	}
	end(worker, rounds);
	return NULL;
}

static void *sum(void *arg)
{
	struct worker *worker = arg;
	uint64_t rounds = 0;
	int64_t seen = 0;

	begin(worker);
	for (; !stopped(worker); rounds += BATCH)
		for (unsigned int i = 0; i < BATCH; i++)
			seen |= percpu_counter_sum(&counters[0]);
	end(worker, rounds);
	if (seen < 0)
		bench_fail("a counter that only grows was negative");
	return NULL;
}

static void start(struct worker *worker, void *(*func)(void *), bool process)
{
	int error;
	pid_t pid;

	if (!process) {
		error = pthread_create(&worker->thread, NULL, func, worker);
		if (error)
			bench_fail("cannot start a thread: %s",
				   strerror(error));
		return;
	}
	pid = fork();
	if (pid < 0)
		bench_fail("cannot start a process: %s", strerror(errno));
	if (!pid) {
		func(worker);
		_exit(0);
	}
	worker->pid = pid; /* only here: the child shares the memory */
}

static void join(struct worker *worker)
{
	int status;

	if (!worker->pid) {
		pthread_join(worker->thread, NULL);
		return;
	}
	if (waitpid(worker->pid, &status, 0) < 0 || status)
		bench_fail("a process that added failed");
}

/* --- the measurement --- */

static struct shared *share(const struct counter_setup *setup, size_t *ret_size)
{
	struct percpu_counter_params params = {
		.mode = setup->mode,
		.nr_slots = setup->nr_slots,
	};
	size_t group = percpu_counter_bytes(2, &params);
	struct shared *shared;

	*ret_size = sizeof(*shared) + group;
	shared = mmap(NULL, *ret_size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED ||
	    percpu_counter_init_at(counters, 0, 2, shared->group, group,
				   &params))
		bench_fail("cannot make the counters: %s", strerror(errno));
	return shared;
}

static void run(const struct counter_setup *setup, struct shared *shared)
{
	unsigned int all = setup->adders + setup->sum;

	for (unsigned int i = 0; i < setup->adders; i++) {
		shared->workers[i].shared = shared;
		shared->workers[i].cpu = i;
		start(&shared->workers[i], add, setup->processes);
	}
	if (setup->sum) {
		shared->summer.shared = shared;
		shared->summer.cpu = setup->adders;
		start(&shared->summer, sum, false);
	}
	while (__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) < all)
		usleep(100);
	__atomic_store_n(&shared->go, true, __ATOMIC_RELEASE);
	bench_sleep(setup->seconds);
	__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < setup->adders; i++)
		join(&shared->workers[i]);
	if (setup->sum)
		join(&shared->summer);
}

static void evaluate(const struct counter_setup *setup,
		     const struct shared *shared,
		     struct counter_result *ret_result)
{
	double cpu_ns = 0, wall_ns = 0, rate = 0;
	uint64_t rounds = 0;

	for (unsigned int i = 0; i < setup->adders; i++) {
		const struct worker *worker = &shared->workers[i];

		rounds += worker->rounds;
		cpu_ns += (double)worker->cpu_ns;
		wall_ns += (double)worker->wall_ns;
		rate += 2e9 * (double)worker->rounds / (double)worker->wall_ns;
	}
	if (percpu_counter_sum(&counters[0]) != (int64_t)rounds ||
	    percpu_counter_sum(&counters[1]) != (int64_t)rounds * BYTES)
		bench_fail("the counters are wrong");
	ret_result->add_ns = rounds ? cpu_ns / (2 * (double)rounds) : NAN;
	ret_result->adds_per_s = rate;
	ret_result->cpu_share = wall_ns > 0 ? cpu_ns / wall_ns : NAN;
	ret_result->sum_ns = (double)shared->summer.cpu_ns /
			     (double)shared->summer.rounds; /* 0 / 0 is NAN */
}

void counter_measure(const struct counter_setup *setup,
		     struct counter_result *ret_result)
{
	size_t size;
	struct shared *shared = share(setup, &size);

	run(setup, shared);
	evaluate(setup, shared, ret_result);
	percpu_counter_destroy_many(counters, 2);
	munmap(shared, size);
}
