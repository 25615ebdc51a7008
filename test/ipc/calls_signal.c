// SPDX-License-Identifier: LGPL-2.1-or-later
/* Signals that come at any moment of a call, and handlers as they were set. */
#include "calls.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/time.h>

#define ROUNDS 1500
#define RESCUE_US 20000

static volatile sig_atomic_t nr_signals, nr_in_call, in_call;

static void count(int sig)
{
	(void)sig;
	nr_signals++;
	nr_in_call += in_call;
}

/* One after @us, and should that go unnoticed others later. */
static void alarm_in(long us)
{
	struct itimerval timer = {
		.it_value = { .tv_usec = us },
		.it_interval = { .tv_usec = us ? RESCUE_US : 0 },
	};

	check(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

/* Return: it took more than one signal that came in the call. */
static bool was_missed(int id, int full, bool receive, long us)
{
	struct text message = { .type = 1 };
	ssize_t ret;

	nr_in_call = 0;
	alarm_in(us);
	in_call = 1;
	if (receive)
		ret = msgrcv(id, &message, sizeof(message.text), 0, 0);
	else
		ret = msgsnd(full, &message, 1, 0);
	in_call = 0;
	alarm_in(0);
	check(ret == -1 && errno == EINTR);
	return nr_in_call > 1;
}

/*
 * A signal that is handled ends the call, also if it comes as the call is
 * about to sleep. Only one that comes on the way into the call does not, so a
 * few are allowed.
 */
void case_signals(void)
{
	struct sigaction action = { .sa_handler = count };
	int id = new_queue(), full = new_queue(), missed = 0;
	struct msqid_ds ds = stat_queue(full);

	ds.msg_qbytes = 0;
	check(msgctl(full, IPC_SET, &ds) == 0);
	check(sigaction(SIGALRM, &action, NULL) == 0);
	for (int i = 0; i < ROUNDS; i++)
		missed += was_missed(id, full, i & 1, 1 + i * 7 % 60);
	printf("%d of %d went unnoticed\n", missed, ROUNDS);
	check(missed <= ROUNDS / 20);
}

/* --- what a program sees of its handlers --- */

static siginfo_t seen_info;

static void take_info(int sig, siginfo_t *info, void *context)
{
	check(sig == SIGUSR1 && context != NULL);
	seen_info = *info;
	nr_signals++;
}

static void check_info(void)
{
	struct sigaction action = { .sa_sigaction = take_info,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct sigaction old;

	check(sigaction(SIGUSR1, &action, NULL) == 0);
	check(sigaction(SIGUSR1, NULL, &old) == 0);
	check(old.sa_sigaction == take_info);
	check((old.sa_flags & (SA_SIGINFO | SA_NODEFER)) ==
	      (SA_SIGINFO | SA_NODEFER));
	nr_signals = 0;
	raise(SIGUSR1);
	check(nr_signals == 1 && seen_info.si_pid == getpid());
}

static void check_reset(void)
{
	struct sigaction action = { .sa_handler = count,
				    .sa_flags = (int)SA_RESETHAND };
	struct sigaction old;

	check(sigaction(SIGUSR1, &action, &old) == 0);
	check(old.sa_sigaction == take_info);
	raise(SIGUSR1);
	check(nr_signals == 2);
	check(signal(SIGUSR1, SIG_IGN) == SIG_DFL);
	raise(SIGUSR1);
	check(nr_signals == 2);
	check(signal(SIGUSR1, count) == SIG_IGN);
	raise(SIGUSR1);
	check(nr_signals == 3);
	check(signal(SIGUSR1, SIG_DFL) == count);
	check(signal(SIGKILL, count) == SIG_ERR);
	check(sigaction(-1, NULL, &old) == -1 && errno == EINVAL);
}

/* It has actions of its own, though it shares its parent's memory. */
static void check_vfork(void)
{
	static struct sigaction action = { .sa_sigaction = take_info,
					   .sa_flags = SA_SIGINFO };
	static struct sigaction old;
	pid_t pid;

	check(signal(SIGUSR1, count) == SIG_DFL);
	pid = vfork();
	if (pid == 0) {
		sigaction(SIGUSR1, &action, &old);
		kill(getpid(), SIGUSR1);
		_exit(old.sa_handler != count);
	}
	wait_child(pid);
	check(nr_signals == 4 && seen_info.si_pid == pid);
	raise(SIGUSR1);
	check(nr_signals == 5);
	check(signal(SIGUSR1, SIG_DFL) == count);
}

/* What the kernel takes; a signal that comes with a plain one needs none. */
struct raw_action {
	void (*handler)(int sig);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

/* One that the C library has set, its restorer included, is set again. */
static void check_raw(void)
{
	struct raw_action action, old;
	long size = sizeof(action.mask);

	check(signal(SIGUSR1, count) == SIG_DFL);
	check(syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, size) == 0);
	check(action.handler == count);
	check(signal(SIGUSR1, SIG_DFL) == count);
	check(syscall(SYS_rt_sigaction, SIGUSR1, &action, &old, size) == 0);
	check(old.handler == SIG_DFL);
	nr_signals = 0;
	raise(SIGUSR1);
	check(nr_signals == 1);
	check(signal(SIGUSR1, SIG_DFL) == count);
	check(syscall(SYS_rt_sigaction, SIGUSR1, 1, NULL, size) == -1);
	check(errno == EFAULT);
	check(syscall(SYS_rt_sigaction, SIGUSR1, NULL, NULL, 4L) == -1);
	check(errno == EINVAL);
}

void case_handlers(void)
{
	check_raw();
	check_info();
	check_reset();
	check_vfork();
}
