// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Being told to stop.
 *
 * libfuse's loops look at a flag and then sleep. A signal that comes between
 * the two is lost: the loop sleeps until the next request, which may be
 * never. So the handler also starts a timer that interrupts the sleep again
 * and again until the loop has looked.
 *
 * libfuse's worker threads block our signals, so handlers run in the main
 * thread, which is the one that sleeps in the loop.
 */
#include "fs/fuse/fuse-internal.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* Short for whoever waits for the end, long for the CPU. */
#define KICK_NS 10000000

volatile sig_atomic_t kfd_stop_requested;

/* main thread; read by its handlers. NULL while there is nothing to end */
static struct fuse_session *running;
static timer_t kick; /* sends SIGALRM; set by kfd_signals_init() */

static void on_stop(int sig)
{
	static const struct itimerspec soon_and_often = {
		.it_value.tv_nsec = KICK_NS,
		.it_interval.tv_nsec = KICK_NS,
	};
	/* relaxed: as a rule by the thread that this handler interrupts */
	struct fuse_session *se = READ_ONCE(running);
	int saved = errno;

	/* relaxed: whoever stops because of it needs nothing else */
	WRITE_ONCE(kfd_stop_requested, sig);
	if (se)
		fuse_session_exit(se);
	timer_settime(kick, 0, &soon_and_often, NULL);
	errno = saved;
}

/* Only there to interrupt system calls. */
static void on_kick(int sig)
{
	(void)sig;
}

static int handle(int sig, void (*handler)(int))
{
	/* no SA_RESTART: sleeping calls are to return */
	struct sigaction action = { .sa_handler = handler };

	sigemptyset(&action.sa_mask);
	return sigaction(sig, &action, NULL) ? -errno : 0;
}

static int handle_hangup(void)
{
	struct sigaction old;

	if (sigaction(SIGHUP, NULL, &old))
		return -errno;
	return old.sa_handler == SIG_IGN ? 0 : handle(SIGHUP, on_stop);
}

static void unblock(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int kfd_signals_init(void)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGALRM,
	};
	int err;

	if (timer_create(CLOCK_MONOTONIC, &event, &kick))
		return -errno;
	err = handle(SIGALRM, on_kick);
	if (!err)
		err = handle(SIGPIPE, SIG_IGN);
	if (!err)
		err = handle_hangup();
	/* a shell starts background jobs with SIGINT ignored; whoever sends
	 * it to us by number means it */
	if (!err)
		err = handle(SIGINT, on_stop);
	if (!err)
		err = handle(SIGTERM, on_stop);
	if (err) {
		timer_delete(kick);
		return err;
	}
	unblock();
	return 0;
}

void kfd_signals_finish(void)
{
	handle(SIGTERM, SIG_DFL);
	handle(SIGINT, SIG_DFL);
	handle(SIGHUP, SIG_DFL);
	timer_delete(kick);
	/* stays ignored: the timer may have sent one more */
	handle(SIGALRM, SIG_IGN);
}

void kfd_signals_watch(struct fuse_session *se)
{
	/* relaxed, as on_stop() reads it; a program may serve several mounts */
	WRITE_ONCE(running, se);
	/* a request to stop that came before */
	if (se && READ_ONCE(kfd_stop_requested))
		fuse_session_exit(se);
}
