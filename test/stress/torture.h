/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the torture programs share: options, threads that play roles, random
 * choices, counters and a histogram, and how a failure ends the program.
 *
 * A program is
 *
 *	torture_begin(&program, argc, argv);
 *	root = torture_create_root(hooks, flags);
 *	... build a tree ...
 *	torture_run(roles, nr_roles);
 *	... checks that need quiet ...
 *	torture_destroy_root(root);
 *	return torture_end();
 *
 * Its verdict never depends on time: threads check invariants while they
 * disturb one another, and time only says how long. What does depend on the
 * machine is how much they meet; the histogram shows it.
 */
#ifndef TEST_STRESS_TORTURE_H
#define TEST_STRESS_TORTURE_H

#include <kernfuse/kernfs.h>

#include "lock/atomic.h"

#define TORTURE_MAX_THREADS 256
#define TORTURE_MAX_COUNTERS 24

struct torture_program {
	const char *name;
	/* what counters are called, ended by NULL */
	const char *counter[TORTURE_MAX_COUNTERS + 1];
	/* what the values given to torture_histogram() are */
	const char *histogram;
	unsigned int threads; /* default of --threads */
};

struct torture_options {
	unsigned int threads;
	unsigned int seconds;
	uint64_t seed;
	enum kernfs_locking locking;
	unsigned int nr_locks; /* 0: by CPUs */
};

/* fixed after torture_begin() */
extern struct torture_options torture_options;

struct torture_thread;

struct torture_role {
	const char *name;
	/* of the threads this part, compared with that of the others */
	unsigned int share;
	/* each may be NULL but round, which is called until time is up */
	void (*begin)(struct torture_thread *t);
	void (*round)(struct torture_thread *t);
	void (*end)(struct torture_thread *t);
};

/* One thread. All of it belongs to the thread, but for what is marked. */
struct torture_thread {
	const struct torture_role *role;
	unsigned int nr;    /* among all threads */
	unsigned int index; /* among those with the same role */
	void *own;	    /* the role's */
	uint64_t random;
	/* what it is about to do; the watchdog reads it */
	const char *doing;
	uint64_t count[TORTURE_MAX_COUNTERS];
	uint64_t bucket[8];
} __attribute__((aligned(KF_CACHELINE)));

/*
 * Reads options and environment. What follows runs in a child; the parent
 * waits for it and, if it fails in any way, prints the command to repeat it.
 */
void torture_begin(const struct torture_program *program, int argc,
		   char *argv[]);
/* Prints what was counted. Return: the exit status of success. */
int torture_end(void);

/* Runs threads for the time asked for; each plays at least one round. */
void torture_run(const struct torture_role *roles, unsigned int nr_roles);
/* Does so for @percent of that time and halfway calls @halfway beside them. */
void torture_run_and(const struct torture_role *roles, unsigned int nr_roles,
		     unsigned int percent, void (*halfway)(void));
/* How many threads will play the @i-th role. */
unsigned int torture_nr_threads(const struct torture_role *roles,
				unsigned int nr_roles, unsigned int i);
/* Is there time left? For loops inside a round. */
bool torture_running(void);

/* A root with the locks that the options ask for; dies if there is none. */
struct kernfs_root *torture_create_root(const struct kernfs_syscall_ops *scops,
					unsigned int flags);
/* Nobody changes the tree: are its invariants kept? */
void torture_check_tree(struct kernfs_root *root);
/* The root is destroyed, and every reference was put: is all memory back? */
void torture_check_memory(void);
/* All three, for a tree that nothing is kept of. */
void torture_destroy_root(struct kernfs_root *root);

/* 0 .. @n - 1 */
unsigned int torture_random(struct torture_thread *t, unsigned int n);
/* Mostly nothing, sometimes a moment, seldom the CPU to somebody else. */
void torture_pause(struct torture_thread *t);
/* Inside something that others wait for: mostly lets them come to wait. */
void torture_linger(struct torture_thread *t);

/*
 * Which of @nr areas is the one to be stirred now. It changes every few
 * milliseconds: threads meet more often if they are in one area together,
 * most of all where there are more threads than CPUs.
 */
unsigned int torture_focus(unsigned int nr);
/* For a thread with little to do in that area: leaves the CPU to others. */
void torture_rest(void);

static inline void torture_doing(struct torture_thread *t, const char *what)
{
	/* relaxed: read when nothing moves any more */
	WRITE_ONCE(t->doing, what);
}

static inline void torture_count(struct torture_thread *t, unsigned int counter)
{
	t->count[counter]++;
}

void torture_histogram(struct torture_thread *t, uint64_t value);

/* Says what is wrong and ends the program; the first of several is heard. */
_Noreturn void torture_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#define torture_expect(cond, ...)                                              \
	((cond) ? (void)0 : torture_fail(__FILE__, __LINE__, __VA_ARGS__))

#endif /* TEST_STRESS_TORTURE_H */
