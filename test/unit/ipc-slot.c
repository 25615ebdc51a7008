/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who is inside a call: left by longjmp(), interrupted, forked, dead. */
#include "test/unit/ipc-fixture.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

static sigjmp_buf back;
static int queue, answer;
static pid_t child;

static pid_t main_tid;
static pthread_t main_thread;

/* Is the main thread asleep, for which it must have a CPU first? */
static bool main_sleeps(void)
{
	char path[64], line[128] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat",
		 (int)GET(main_tid));
	f = fopen(path, "r");
	must(f != NULL);
	must(fgets(line, sizeof(line), f) != NULL);
	fclose(f);
	return strstr(line, ") S ") != NULL;
}

static void *interrupt(void *arg)
{
	(void)arg;
	/* it does not sleep on the way into the call, whatever the load */
	wait_until(main_sleeps());
	pthread_kill(GET(main_thread), SIGALRM);
	return NULL;
}

/* Has @handler run as soon as the call that is made next sleeps. */
static void interrupt_sleep(void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };
	pthread_t id;

	/* the thread of the time before may not have ended yet */
	SET(main_tid, gettid());
	SET(main_thread, pthread_self());
	answer = 1;
	must(sigaction(SIGALRM, &sa, NULL) == 0);
	id = thread_start(interrupt, NULL);
	must(pthread_detach(id) == 0);
}

static void jump(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

/* As programs do that want a time limit. */
static void leave_by_longjmp(void)
{
	static struct text m;

	if (sigsetjmp(back, 1) == 0) {
		interrupt_sleep(jump);
		ksys_msgrcv(ns, &cred, queue, &m, sizeof(m.text), 0, 0);
		ck_abort_msg("came back by itself");
	}
}

START_TEST(left_by_longjmp)
{
	struct text m;

	/* more often than calls may lie within each other */
	for (int i = 0; i < 10; i++) {
		queue = new_queue();
		leave_by_longjmp();
		/* through more frames than the call that was left */
		ck_assert_int_eq(put(queue, 1, "x"), 0);
		ck_assert_int_eq(take(queue, 0, &m), 2);
	}
	queue = new_queue();
	leave_by_longjmp();
	/* nobody waits there any more */
	ck_assert_int_eq(put(queue, 1, "x"), 0);
	ck_assert_int_eq(take(queue, 0, &m), 2);
	ck_assert_int_eq(take(queue, 0, &m), -ENOMSG);
}
END_TEST

static void send_in_handler(int sig)
{
	(void)sig;
	answer = put(queue, 7, "from the handler");
}

START_TEST(call_in_handler)
{
	int other = new_queue();
	struct text m;
	ssize_t ret;

	queue = other;
	other = new_queue();
	interrupt_sleep(send_in_handler);
	ck_assert_int_eq(ksys_msgrcv(ns, &cred, other, &m, sizeof(m.text), 0,
				     0),
			 -EINTR);
	ck_assert_int_eq(answer, 0);
	ck_assert_int_gt(take(queue, 0, &m), 0);
	/* to the very queue: it is handed to the call that was interrupted */
	queue = other;
	interrupt_sleep(send_in_handler);
	ret = ksys_msgrcv(ns, &cred, other, &m, sizeof(m.text), 0, 0);
	ck_assert_int_eq(answer, 0);
	ck_assert_int_gt(ret, 0);
	ck_assert_int_eq(m.type, 7);
}
END_TEST

/* Check allocates memory, which a handler may not. */
static int put_answer, take_answer;

static void call_on_locked(int sig)
{
	struct text m;

	(void)sig;
	put_answer = put(queue, 1, "x");
	take_answer = take(queue, 1, &m);
	answer = put(new_queue(), 1, "x");
}

/* The lock of a queue that this thread's interrupted call has. */
START_TEST(own_lock)
{
	struct sigaction sa = { .sa_handler = call_on_locked };
	struct ipc_queue *q;
	struct ipc_call c;

	answer = 1;
	must(sigaction(SIGUSR1, &sa, NULL) == 0);
	queue = new_queue();
	must(ipc_call_begin(&c, ns) == 0);
	must(ipc_ids_obtain(&c, queue, &q) == 0);
	raise(SIGUSR1);
	ck_assert_int_eq(put_answer, -EDEADLK);
	ck_assert_int_eq(take_answer, -EDEADLK);
	ck_assert_int_eq(answer, 0);
	ipc_unlock_queue(&c, q);
	ipc_call_end(&c);
	ck_assert_int_eq(put(queue, 1, "x"), 0);
}
END_TEST

static void fork_in_handler(int sig)
{
	(void)sig;
	child = fork();
}

/* Both come back from the call, but only one of them was inside. */
START_TEST(fork_inside)
{
	struct ipc_audit audit;
	struct text m;
	int status, other = new_queue();
	ssize_t ret;

	queue = new_queue();
	interrupt_sleep(fork_in_handler);
	ret = ksys_msgrcv(ns, &cred, queue, &m, sizeof(m.text), 0, 0);
	/* in the parent's queue the parent may still be in line */
	if (child == 0)
		_exit(ret == -EINTR && put(other, 3, "child") == 0 &&
				      take(other, 0, &m) == 6 ?
			      0 :
			      1);
	ck_assert_int_eq(ret, -EINTR);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(ipc_ns_audit(ns, &audit), 0);
	ck_assert_uint_eq(audit.slots_busy, 0);
}
END_TEST

/* A receiver that dies asleep is out of the line at once. */
START_TEST(dead_sleeper)
{
	struct ipc_queue_stat st;
	struct text m;
	int index;

	queue = new_queue();
	index = queue % IPC_INDEX_MAX;
	child = fork();
	if (child == 0) {
		ksys_msgrcv(ns, &cred, queue, &m, sizeof(m.text), 0, 0);
		_exit(0);
	}
	do
		must(ipc_queue_stat(ns, index, &st) == 0);
	while (st.receivers == 0);
	give_it_time();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ck_assert_int_eq(put(queue, 1, "x"), 0);
	ck_assert_int_eq(take(queue, 0, &m), 2);
	ck_assert_int_eq(ipc_ns_recover(ns), 1);
	ck_assert_int_eq(ipc_ns_recover(ns), 0);
	ck_assert_int_eq(ipc_queue_stat(ns, index, &st), 0);
	ck_assert_uint_eq(st.receivers, 0);
}
END_TEST

/* More callers asleep than there are slots near the start. */
START_TEST(many_callers)
{
	pid_t pids[100];
	struct ipc_queue_stat st;
	struct text m;

	queue = new_queue();
	for (unsigned int i = 0; i < NR_OF(pids); i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(ksys_msgrcv(ns, &cred, queue, &m, sizeof(m.text),
					  0, 0) == 2 ?
				      0 :
				      1);
	}
	do {
		usleep(1000);
		must(ipc_queue_stat(ns, queue % IPC_INDEX_MAX, &st) == 0);
	} while (st.receivers < NR_OF(pids));
	for (unsigned int i = 0; i < NR_OF(pids); i++)
		must(put(queue, 1, "x") == 0);
	for (unsigned int i = 0; i < NR_OF(pids); i++) {
		int status;

		must(waitpid(pids[i], &status, 0) == pids[i] && status == 0);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		left_by_longjmp, call_in_handler, own_lock,
		fork_inside,	 dead_sleeper,	  many_callers,
	};

	return test_run("ipc/slot", tests, NR_OF(tests), new_region,
			drop_region);
}
