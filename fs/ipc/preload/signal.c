// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Signal handlers. A call that has to wait looks for a while before it sleeps;
 * a signal that is handled then does not end a sleep that has not begun. So
 * whatever handler a program asks for, the kernel is given ours, which tells
 * the queues and goes on to the program's.
 *
 * What the program sees are its own handlers: ours is taken for what it stands
 * for when an action is asked for, and may be set again by whoever got to see
 * it, as siginterrupt() and programs that make the system call do.
 *
 * The child of vfork() has actions of its own, but our table is its parent's:
 * what it sets is left as it is.
 */
#include "fs/ipc/preload/preload.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#include "lock/atomic.h"
#include "lock/rseq.h"

#ifndef SIG_HOLD
#define SIG_HOLD ((handler_fn *)2)
#endif

typedef void handler_fn(int sig);
typedef void action_fn(int sig, siginfo_t *info, void *context);

/* What the program has asked for; atomic. Stays when a signal is ignored. */
static handler_fn *handlers[_NSIG];

/* Whichever kind of handler was asked for: a plain one ignores the others. */
static void tell(int sig, siginfo_t *info, void *context)
{
	action_fn *fn;

	ipc_note_signal();
	/* pairs with the exchange in stand_in() */
	fn = (action_fn *)(void *)smp_load_acquire(&handlers[sig]);
	if (fn)
		fn(sig, info, context);
}

#define TELL ((handler_fn *)(void *)tell)

static bool is_signal(int sig)
{
	return sig > 0 && sig < _NSIG;
}

static handler_fn *present(int sig)
{
	return is_signal(sig) ? smp_load_acquire(&handlers[sig]) : NULL;
}

/*
 * What to give the kernel for @fn. The new one is called from now on: a signal
 * just before the action is changed is as one just after.
 */
static handler_fn *stand_in(int sig, handler_fn *fn)
{
	if (fn == SIG_DFL || fn == SIG_IGN || fn == SIG_ERR || fn == SIG_HOLD ||
	    fn == TELL || !is_signal(sig) || kf_rseq_is_paused())
		return fn;
	__atomic_store_n(&handlers[sig], fn, __ATOMIC_RELEASE);
	return TELL;
}

/* What was before, for the program; @before is what present() was then. */
static handler_fn *seen(handler_fn *fn, handler_fn *before)
{
	return fn == TELL ? before : fn;
}

KF_CALL int sigaction(int sig, const struct sigaction *action,
		      struct sigaction *old)
{
	handler_fn *before = present(sig);
	struct sigaction ours;
	int ret;

	if (action) {
		ours = *action;
		ours.sa_handler = stand_in(sig, action->sa_handler);
	}
	ret = kf_real()->sigaction(sig, action ? &ours : NULL, old);
	if (ret == 0 && old)
		old->sa_handler = seen(old->sa_handler, before);
	return ret;
}

int __sigaction(int sig, const struct sigaction *action, struct sigaction *old);
KF_ALIAS(sigaction)
int __sigaction(int sig, const struct sigaction *action, struct sigaction *old);

KF_CALL handler_fn *signal(int sig, handler_fn *fn)
{
	handler_fn *before = present(sig);

	return seen(kf_real()->signal(sig, stand_in(sig, fn)), before);
}

handler_fn *bsd_signal(int sig, handler_fn *fn);
handler_fn *ssignal(int sig, handler_fn *fn);
KF_ALIAS(signal) handler_fn *bsd_signal(int sig, handler_fn *fn);
KF_ALIAS(signal) handler_fn *ssignal(int sig, handler_fn *fn);

handler_fn *sysv_signal(int sig, handler_fn *fn);
KF_CALL handler_fn *sysv_signal(int sig, handler_fn *fn)
{
	handler_fn *before = present(sig);

	return seen(kf_real()->sysv_signal(sig, stand_in(sig, fn)), before);
}

handler_fn *__sysv_signal(int sig, handler_fn *fn);
KF_ALIAS(sysv_signal) handler_fn *__sysv_signal(int sig, handler_fn *fn);

handler_fn *sigset(int sig, handler_fn *fn);
KF_CALL handler_fn *sigset(int sig, handler_fn *fn)
{
	handler_fn *before = present(sig);

	return seen(kf_real()->sigset(sig, stand_in(sig, fn)), before);
}

/* --- by its number --- */

/* As the kernel has it on machines with a restorer, 64 signals. */
struct kernel_action {
	handler_fn *handler;
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

long kf_signal_syscall(long sig, const void *action, void *old, long size)
{
	handler_fn *before = present((int)sig), *after;
	struct kernel_action ours;
	long ret;

	/* the kernel shall say what is wrong with these */
	if (size != sizeof(ours.mask) || (action && !kf_is_pointer(action)) ||
	    (old && !kf_is_pointer(old)))
		return kf_syscall_raw(SYS_rt_sigaction, sig, (long)action,
				      (long)old, size, 0, 0);
	if (action) {
		memcpy(&ours, action, sizeof(ours));
		ours.handler = stand_in((int)sig, ours.handler);
	}
	ret = kf_syscall_raw(SYS_rt_sigaction, sig,
			     action ? (long)&ours : 0, (long)old, size, 0, 0);
	if (ret || !old)
		return ret;
	memcpy(&after, old, sizeof(after));
	after = seen(after, before);
	memcpy(old, &after, sizeof(after));
	return 0;
}
