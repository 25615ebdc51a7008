/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One measurement of kernfuse-bench walk: threads that walk their paths for
 * some time.
 *
 * Every thread has its own struct kernfs_walk, as every process has its own
 * place in a path, and walks it warm: no lookups are measured. The threads
 * meet at a barrier and stop at a flag; nothing else is shared between them
 * but the tree.
 */
#include "walk.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

/* Walks between two looks at the flag. */
#define BATCH 32

/* Components as in /sys, so that names are as long as real ones. */
static const char *const components[WALK_DEPTH] = {
	"devices", "system", "cpu", "cpu0", "cache", "size",
};

struct round {
	struct kernfs_root *root;
	const struct kernfs_cred *cred;
	pthread_barrier_t ready;
	bool stop; /* atomic */
};

struct worker {
	alignas(128) pthread_t thread;
	struct round *round;
	unsigned int cpu;
	char path[WALK_DEPTH * 32];
	uint64_t walks, begin_ns, end_ns;
	uint64_t cpu_ns; /* it ran; the rest it waited for a lock or a CPU */
	int error;	 /* of the first walk that failed, or 0 */
};

/* --- the tree --- */

/*
 * hot: "devices/system/...". own: the same with the thread's and the round's
 * number in each name. A path for each round, because which hashed locks two
 * paths share depends on where their nodes happen to lie.
 */
static void make_path(char *buf, size_t size, enum walk_case which,
		      unsigned int nth, unsigned int round)
{
	size_t used = 0;

	for (unsigned int i = 0; i < WALK_DEPTH; i++) {
		const char *slash = i ? "/" : "";
		int n;

		if (which == WALK_HOT)
			n = snprintf(buf + used, size - used, "%s%s", slash,
				     components[i]);
		else
			n = snprintf(buf + used, size - used, "%s%s-%u-%u",
				     slash, components[i], nth, round);
		used += (size_t)n;
	}
}

static void create_path(struct kernfs_root *root, char *path)
{
	static const struct kernfs_ops no_ops;
	struct kernfs_node *kn = kernfs_root_to_node(root);
	char *name, *next;

	for (name = strsep(&path, "/"); name; name = next) {
		next = strsep(&path, "/");
		if (next)
			kn = kernfs_create_dir(kn, name, 0755, NULL);
		else
			kn = __kernfs_create_file(kn, name, 0444, 0, 0,
						  KERNFS_PAGE_SIZE, &no_ops,
						  NULL, NULL);
		if (IS_ERR(kn))
			bench_fail("cannot create %s: %s", name,
				   strerror((int)-PTR_ERR(kn)));
	}
}

struct kernfs_root *walk_create_tree(enum kernfs_locking locking,
				     unsigned int threads, unsigned int rounds)
{
	struct kernfs_root_locking_params params = { .locking = locking };
	char path[WALK_DEPTH * 32];
	struct kernfs_root *root;

	root = kernfs_create_root_locking(NULL, 0, NULL, &params);
	if (IS_ERR(root))
		bench_fail("cannot create a root: %s",
			   strerror((int)-PTR_ERR(root)));
	make_path(path, sizeof(path), WALK_HOT, 0, 0);
	create_path(root, path);
	for (unsigned int round = 0; round < rounds; round++) {
		for (unsigned int i = 0; i < threads; i++) {
			make_path(path, sizeof(path), WALK_OWN, i, round);
			create_path(root, path);
		}
	}
	return root;
}

/* --- the threads --- */

static int walk_batch(struct kernfs_walk *walk, const struct kernfs_cred *cred)
{
	struct kernfs_node *kn;
	int ret = 0;

	for (unsigned int i = 0; i < BATCH && !ret; i++)
		ret = kernfs_walk(walk, cred, &kn);
	return ret;
}

/* The walk is created here, so that its memory is this thread's own. */
static void *work(void *arg)
{
	struct worker *worker = arg;
	struct round *round = worker->round;
	struct kernfs_walk *walk;

	bench_pin_to_cpu(worker->cpu);
	walk = kernfs_walk_create(kernfs_root_to_node(round->root),
				  worker->path, NULL);
	if (IS_ERR(walk))
		worker->error = (int)PTR_ERR(walk);
	else
		worker->error = walk_batch(walk, round->cred); /* warms it */

	pthread_barrier_wait(&round->ready);
	worker->cpu_ns = bench_thread_cpu_ns();
	worker->begin_ns = bench_now_ns();
	while (!worker->error &&
	       !__atomic_load_n(&round->stop, __ATOMIC_RELAXED)) {
		worker->error = walk_batch(walk, round->cred);
		worker->walks += BATCH;
	}
	worker->end_ns = bench_now_ns();
	worker->cpu_ns = bench_thread_cpu_ns() - worker->cpu_ns;
	if (!IS_ERR(walk))
		kernfs_walk_destroy(walk);
	return NULL;
}

static void start_workers(struct worker *workers, struct round *round,
			  const struct walk_setup *setup)
{
	for (unsigned int i = 0; i < setup->threads; i++) {
		struct worker *worker = &workers[i];
		int ret;

		memset(worker, 0, sizeof(*worker));
		worker->round = round;
		worker->cpu = setup->first_cpu + i;
		make_path(worker->path, sizeof(worker->path), setup->which, i,
			  setup->round);
		ret = pthread_create(&worker->thread, NULL, work, worker);
		if (ret)
			bench_fail("cannot start a thread: %s", strerror(ret));
	}
}

static void join_worker(struct worker *worker, struct walk_result *result)
{
	double wall_s;

	pthread_join(worker->thread, NULL);
	if (worker->error)
		bench_fail("walking %s: %s", worker->path,
			   strerror(-worker->error));
	wall_s = (double)(worker->end_ns - worker->begin_ns) / 1e9;
	result->rate += (double)worker->walks / wall_s;
	result->walks += worker->walks + BATCH;
	result->wall_s += wall_s;
	result->cpu_s += (double)worker->cpu_ns / 1e9;
}

static void add_stats(struct kernfs_root *root, struct walk_result *result,
		      int sign)
{
	static const enum kernfs_lock_path paths[] = {
		KERNFS_LOCK_PERMISSION,
		KERNFS_LOCK_REVALIDATE,
	};
	struct kernfs_lock_stats stats;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (kernfs_root_lock_stats(root, paths[i], &stats))
			continue;
		result->runs += (uint64_t)sign * stats.runs;
		result->waits += (uint64_t)sign * stats.waits;
	}
}

void walk_measure(struct kernfs_root *root, const struct walk_setup *setup,
		  struct walk_result *ret_result)
{
	static struct worker workers[WALK_MAX_THREADS];
	struct round round = { .root = root, .cred = setup->cred };

	*ret_result = (struct walk_result){ 0 };
	add_stats(root, ret_result, -1);
	pthread_barrier_init(&round.ready, NULL, setup->threads + 1);
	start_workers(workers, &round, setup);
	pthread_barrier_wait(&round.ready);
	bench_sleep(setup->seconds);
	__atomic_store_n(&round.stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < setup->threads; i++)
		join_worker(&workers[i], ret_result);
	pthread_barrier_destroy(&round.ready);
	add_stats(root, ret_result, 1);
}
