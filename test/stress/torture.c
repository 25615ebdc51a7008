/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The frame of a torture program; see torture.h.
 *
 * The work is done in a child process, so that whatever ends it (a failed
 * check, an assertion of the library, a sanitizer, a signal) the parent can
 * say how to repeat it. A hang ends by an alarm that says what each thread
 * was about to do.
 */
#include "torture.h"

#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fs/kernfs/kernfs-internal.h"
#include "memory.h"

/* How long after its time a program may take to stop, in seconds. Generous,
 * for sanitizers on a busy machine; see also test/lib/variant. */
#define PATIENCE 60

/* How long an area stays in focus: some scheduler time slices. */
#define FOCUS_MS 20

struct torture_options torture_options;

static const struct torture_program *program; /* fixed after begin */
static long memory_before;		      /* main thread */
static struct torture_thread threads[TORTURE_MAX_THREADS]; /* each its own */
static unsigned int nr_threads; /* fixed while threads run */
static bool stopping;		/* atomic */

/* --- options --- */

static void usage(int status)
{
	fprintf(status ? stderr : stdout,
		"Usage: %s [OPTION...]\n"
		"  --threads N    threads, at most %u (default %u)\n"
		"  --seconds S    how long (KERNFUSE_TEST_SECONDS, or 2)\n"
		"  --seed X       of the random choices (default: the clock)\n"
		"  --locking P    hashed, global or rcu"
		" (KERNFUSE_TEST_LOCKING, or hashed)\n"
		"  --nr-locks N   node locks; 0: by CPUs"
		" (KERNFUSE_TEST_NR_LOCKS, or 0)\n",
		program->name, TORTURE_MAX_THREADS, program->threads);
	exit(status);
}

static uint64_t number(const char *str, uint64_t max)
{
	char *end;
	uint64_t n = strtoull(str, &end, 0);

	if (!*str || *end || n > max) {
		fprintf(stderr, "%s: not a number up to %" PRIu64 ": %s\n",
			program->name, max, str);
		exit(2);
	}
	return n;
}

static uint64_t number_from_env(const char *name, uint64_t fallback,
				uint64_t max)
{
	const char *str = getenv(name);

	return str && *str ? number(str, max) : fallback;
}

static enum kernfs_locking policy(const char *str)
{
	enum kernfs_locking locking;

	if (kernfs_locking_parse(str, &locking)) {
		fprintf(stderr, "%s: no such policy: %s\n", program->name, str);
		exit(2);
	}
	return locking;
}

static void set_defaults(void)
{
	const char *locking = getenv("KERNFUSE_TEST_LOCKING");
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	torture_options = (struct torture_options){
		.threads = program->threads,
		.seconds = (unsigned int)number_from_env(
			"KERNFUSE_TEST_SECONDS", 2, 1000000),
		.seed = (uint64_t)now.tv_sec * 1000000000 +
			(uint64_t)now.tv_nsec,
		.locking = locking && *locking ? policy(locking) :
						 KERNFS_LOCKING_HASHED,
		.nr_locks = (unsigned int)number_from_env(
			"KERNFUSE_TEST_NR_LOCKS", 0, KERNFS_MAX_LOCKS),
	};
}

static void parse(int argc, char *argv[])
{
	static const struct option options[] = {
		{ "threads", required_argument, NULL, 't' },
		{ "seconds", required_argument, NULL, 's' },
		{ "seed", required_argument, NULL, 'x' },
		{ "locking", required_argument, NULL, 'l' },
		{ "nr-locks", required_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct torture_options *o = &torture_options;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 't')
			o->threads = (unsigned int)number(optarg,
							  TORTURE_MAX_THREADS);
		else if (c == 's')
			o->seconds = (unsigned int)number(optarg, 1000000);
		else if (c == 'x')
			o->seed = number(optarg, UINT64_MAX);
		else if (c == 'l')
			o->locking = policy(optarg);
		else if (c == 'n')
			o->nr_locks =
				(unsigned int)number(optarg, KERNFS_MAX_LOCKS);
		else
			usage(c == 'h' ? 0 : 2);
	}
	if (optind != argc || !o->threads)
		usage(2);
}

/* --- failing --- */

void torture_fail(const char *file, int line, const char *fmt, ...)
{
	static bool failed; /* atomic */
	va_list ap;

	/* what follows the first failure may be its consequence */
	while (__atomic_exchange_n(&failed, true, __ATOMIC_RELAXED))
		pause();
	fprintf(stderr, "%s: FAILED: ", program->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, " (%s:%d)\n", file, line);
	_exit(1);
}

/* A caller's mistake that the library survives: ours, so it fails the test.
 * The linker puts this into the place of kf_warn(); see memory.h. */
int __wrap_kf_warn(const char *file, int line, const char *what);

int __wrap_kf_warn(const char *file, int line, const char *what)
{
	torture_fail(file, line, "caller's mistake: %s", what);
}

static void say(const char *str)
{
	ssize_t written = write(STDERR_FILENO, str, strlen(str));

	(void)written;
}

/* Only what a signal handler may do. */
static void on_alarm(int sig)
{
	(void)sig;
	say(program->name);
	say(": FAILED: hangs; its threads were about to\n");
	for (unsigned int i = 0; i < nr_threads; i++) {
		const char *doing = READ_ONCE(threads[i].doing);

		say("\t");
		say(threads[i].role ? threads[i].role->name : "?");
		say(": ");
		say(doing ? doing : "start");
		say("\n");
	}
	_exit(1);
}

static void arm_watchdog(void)
{
	const struct sigaction sa = { .sa_handler = on_alarm };

	sigaction(SIGALRM, &sa, NULL);
	alarm(torture_options.seconds + PATIENCE);
}

/* --- begin and end --- */

/* Waits for the child that does the work and ends as it did. */
static void be_parent(pid_t child, const char *argv0)
{
	const struct torture_options *o = &torture_options;
	int status;

	if (waitpid(child, &status, 0) != child)
		exit(99);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		exit(0);
	if (WIFSIGNALED(status))
		fprintf(stderr, "%s: FAILED: %s\n", program->name,
			strsignal(WTERMSIG(status)));
	fprintf(stderr,
		"%s: to repeat: %s --threads %u --seconds %u --seed %" PRIu64
		" --locking %s --nr-locks %u\n",
		program->name, argv0, o->threads, o->seconds, o->seed,
		kernfs_locking_name(o->locking), o->nr_locks);
	exit(1);
}

void torture_begin(const struct torture_program *prog, int argc, char *argv[])
{
	pid_t child;

	program = prog;
	set_defaults();
	parse(argc, argv);
	child = fork();
	if (child < 0) {
		perror("fork");
		exit(99);
	}
	if (child)
		be_parent(child, argv[0]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	arm_watchdog();
}

static void print_counters(void)
{
	for (unsigned int c = 0; program->counter[c]; c++) {
		uint64_t sum = 0;

		for (unsigned int i = 0; i < TORTURE_MAX_THREADS; i++)
			sum += threads[i].count[c];
		printf("%12" PRIu64 "  %s\n", sum, program->counter[c]);
	}
}

static void print_histogram(void)
{
	static const char *const label[] = { "0",    "1",     "2-3",   "4-7",
					     "8-15", "16-31", "32-63", "64-" };

	if (!program->histogram)
		return;
	printf("%12s  %s:", "", program->histogram);
	for (unsigned int b = 0; b < 8; b++) {
		uint64_t sum = 0;

		for (unsigned int i = 0; i < TORTURE_MAX_THREADS; i++)
			sum += threads[i].bucket[b];
		printf(" %s: %" PRIu64 "%s", label[b], sum, b < 7 ? "," : "\n");
	}
}

int torture_end(void)
{
	const struct torture_options *o = &torture_options;

	alarm(0);
	printf("%s: passed: %u threads, %u s, seed %" PRIu64
	       ", locking %s, nr-locks %u\n",
	       program->name, o->threads, o->seconds, o->seed,
	       kernfs_locking_name(o->locking), o->nr_locks);
	print_counters();
	print_histogram();
	return 0;
}

/* --- roots --- */

struct kernfs_root *torture_create_root(const struct kernfs_syscall_ops *scops,
					unsigned int flags)
{
	const struct kernfs_root_locking_params params = {
		.locking = torture_options.locking,
		.nr_locks = torture_options.nr_locks,
	};
	struct kernfs_root *root;

	memory_before = torture_memory_in_use();
	root = kernfs_create_root_locking(scops, flags, NULL, &params);
	torture_expect(!IS_ERR(root), "no root: %ld", PTR_ERR(root));
	return root;
}

void torture_check_memory(void)
{
	long lost;

	kf_rcu_barrier();
	lost = torture_memory_in_use() - memory_before;
	torture_expect(!lost, "%ld pieces of memory are not back", lost);
}

void torture_check_tree(struct kernfs_root *root)
{
	unsigned int wrong = kernfs_check_tree(root);

	torture_expect(!wrong, "the tree has %u faults", wrong);
}

void torture_destroy_root(struct kernfs_root *root)
{
	torture_check_tree(root);
	kernfs_destroy_root(root);
	torture_check_memory();
}

/* --- threads --- */

/* splitmix64: any seed will do, also neighbouring ones */
static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);

	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

unsigned int torture_random(struct torture_thread *t, unsigned int n)
{
	return (unsigned int)((next_random(&t->random) >> 32) * n >> 32);
}

void torture_pause(struct torture_thread *t)
{
	const struct timespec moment = { .tv_nsec = 20000 };
	unsigned int dice = torture_random(t, 1024);

	if (dice < 128)
		for (unsigned int i = 0; i < dice; i++)
			cpu_relax();
	else if (dice < 132)
		sched_yield();
	else if (dice == 132)
		nanosleep(&moment, NULL);
}

void torture_linger(struct torture_thread *t)
{
	const struct timespec moment = { .tv_nsec = 50000 };
	unsigned int dice = torture_random(t, 16);

	if (dice < 6)
		sched_yield();
	else if (dice < 8)
		nanosleep(&moment, NULL);
	else
		torture_pause(t);
}

unsigned int torture_focus(unsigned int nr)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned int)(now.tv_nsec / (FOCUS_MS * 1000000)) % nr;
}

void torture_rest(void)
{
	const struct timespec moment = { .tv_nsec = 300000 };

	nanosleep(&moment, NULL);
}

void torture_histogram(struct torture_thread *t, uint64_t value)
{
	unsigned int b = 0;

	while (value && b < 7) {
		value >>= 1;
		b++;
	}
	t->bucket[b]++;
}

bool torture_running(void)
{
	return !__atomic_load_n(&stopping, __ATOMIC_RELAXED);
}

static void *thread_main(void *arg)
{
	struct torture_thread *t = arg;

	if (t->role->begin)
		t->role->begin(t);
	do {
		t->role->round(t);
	} while (torture_running());
	torture_doing(t, "end");
	if (t->role->end)
		t->role->end(t);
	torture_doing(t, "nothing");
	return NULL;
}

/* The role of the @nr-th thread: one of each, then one of each that is due
 * more, and so on. */
static unsigned int role_of(const struct torture_role *roles,
			    unsigned int nr_roles, unsigned int nr)
{
	unsigned int shares = 0, i, pass;

	for (i = 0; i < nr_roles; i++)
		shares += roles[i].share;
	nr %= shares;
	for (pass = 0;; pass++)
		for (i = 0; i < nr_roles; i++)
			if (roles[i].share > pass && nr-- == 0)
				return i;
}

unsigned int torture_nr_threads(const struct torture_role *roles,
				unsigned int nr_roles, unsigned int i)
{
	unsigned int nr = 0;

	for (unsigned int t = 0; t < torture_options.threads; t++)
		nr += role_of(roles, nr_roles, t) == i;
	return nr;
}

static void cast(const struct torture_role *roles, unsigned int nr_roles)
{
	nr_threads = torture_options.threads;
	for (unsigned int i = 0; i < nr_threads; i++) {
		struct torture_thread *t = &threads[i];

		t->role = &roles[role_of(roles, nr_roles, i)];
		t->nr = i;
		t->index = 0;
		for (unsigned int j = 0; j < i; j++)
			t->index += threads[j].role == t->role;
		t->own = NULL;
		t->random += torture_options.seed ^ (uint64_t)i << 32;
	}
}

static void sleep_ms(uint64_t ms)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(ms / 1000),
		.tv_nsec = (long)(ms % 1000) * 1000000,
	};

	nanosleep(&ts, NULL);
}

void torture_run_and(const struct torture_role *roles, unsigned int nr_roles,
		     unsigned int percent, void (*halfway)(void))
{
	uint64_t half_ms = torture_options.seconds * UINT64_C(5) * percent;
	pthread_t id[TORTURE_MAX_THREADS];

	cast(roles, nr_roles);
	__atomic_store_n(&stopping, false, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < nr_threads; i++)
		torture_expect(!pthread_create(&id[i], NULL, thread_main,
					       &threads[i]),
			       "no thread");
	sleep_ms(half_ms);
	if (halfway)
		halfway();
	sleep_ms(half_ms);
	__atomic_store_n(&stopping, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_join(id[i], NULL);
}

void torture_run(const struct torture_role *roles, unsigned int nr_roles)
{
	torture_run_and(roles, nr_roles, 100, NULL);
}
