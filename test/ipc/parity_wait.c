/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sleeping: hand-off, who is woken, signals, removal, changes. */
#include "test/ipc/parity.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a sleeper got: its text, or the error. */
static void got(const char *name, struct sleeper *s, const char *expected)
{
	struct reply r = finish(s);

	if (r.result < 0)
		is(name, r.result, expected);
	else
		says(name, r.text, expected);
}

static void returned(const char *name, struct sleeper *s, const char *expected)
{
	is(name, finish(s).result, expected);
}

static void handoff(void)
{
	int id = new_queue();
	struct sleeper s = start_receive(id, 100, 0, 0);
	struct msqid_ds ds;

	is("handoff: send", put(id, 4, "hello"), "0");
	got("handoff: text", &s, "hello");
	ds = stat_of(id);
	is("handoff: lspid", ds.msg_lspid == getpid(), "1");
	is("handoff: lrpid", ds.msg_lrpid == s.pid, "1");
	is("handoff: times", ds.msg_stime != 0 && ds.msg_rtime != 0, "1");
	says("handoff: filling", filling(id), "0 0");
	says("handoff: totals", totals(), "1 0 0");

	s = start_receive(id, 100, 7, 0);
	put(id, 6, "six");
	is("handoff: another type", asleep(&s), "1");
	says("handoff: it is queued", filling(id), "1 3");
	put(id, 7, "seven");
	got("handoff: its type", &s, "seven");
	says("handoff: the other stays", filling(id), "1 3");
	take(id, 100, 0, 0);

	s = start_receive(id, 100, -5, 0);
	put(id, 6, "six");
	is("handoff: above the limit", asleep(&s), "1");
	put(id, 5, "five");
	got("handoff: at the limit", &s, "five");
	take(id, 100, 0, 0);
	s = start_receive(id, 100, 5, MSG_EXCEPT);
	put(id, 5, "five");
	is("handoff: the excepted type", asleep(&s), "1");
	put(id, 6, "six");
	got("handoff: another than that", &s, "six");
	drop(id);
}

static void *receive_in_thread(void *arg)
{
	static struct message m;
	int id = *(int *)arg;

	rcv(id, &m, 100, 0, 0);
	*(int *)arg = (int)syscall(SYS_gettid);
	return NULL;
}

/* The kernel notes a thread's id there, and a process's elsewhere. */
static void thread_ids(void)
{
	int id = new_queue(), arg = id;
	pthread_t thread;

	pthread_create(&thread, NULL, receive_in_thread, &arg);
	usleep(100000);
	put(id, 1, "x");
	pthread_join(thread, NULL);
	is("thread: lrpid of a hand-off is the thread's",
	   stat_of(id).msg_lrpid == arg, "1");
	is("thread: which is not the process's", arg == getpid(), "0");
	put(id, 1, "x");
	arg = id;
	pthread_create(&thread, NULL, receive_in_thread, &arg);
	pthread_join(thread, NULL);
	is("thread: else it is the process's",
	   stat_of(id).msg_lrpid == getpid(), "1");
	drop(id);
}

static void several(void)
{
	int id = new_queue();
	struct sleeper s[3];

	for (int i = 0; i < 3; i++)
		s[i] = start_receive(id, 100, 0, 0);
	put(id, 1, "a");
	put(id, 1, "b");
	put(id, 1, "c");
	got("several: first come", &s[0], "a");
	got("several: second", &s[1], "b");
	got("several: third", &s[2], "c");

	s[0] = start_receive(id, 2, 0, 0);
	s[1] = start_receive(id, 100, 0, 0);
	put(id, 1, "hello");
	got("several: too small a buffer", &s[0], "E2BIG");
	got("several: the next one has it", &s[1], "hello");
	s[0] = start_receive(id, 2, 0, 0);
	put(id, 1, "hello");
	got("several: only a small one", &s[0], "E2BIG");
	says("several: it is queued", filling(id), "1 5");
	take(id, 100, 0, 0);
	s[0] = start_receive(id, 2, 0, MSG_NOERROR);
	put(id, 1, "hello");
	got("several: cut", &s[0], "he");
	says("several: whole or not", totals(), "1 0 0");
	s[0] = start_receive(id, 0, 0, MSG_NOERROR);
	put(id, 1, "hello");
	returned("several: cut to nothing", &s[0], "0");
	drop(id);
}

/* The test for room comes before the look for receivers. */
static void full(void)
{
	int id = new_queue();
	struct sleeper s;

	put_size(id, 1, 8192);
	put_size(id, 1, 8192);
	s = start_receive(id, 100, 9, 0);
	is("full: though a receiver waits", put(id, 9, "nine"), "EAGAIN");
	is("full: he still does", asleep(&s), "1");
	take(id, 8192, 0, 0);
	is("full: no more", put(id, 9, "nine"), "0");
	got("full: now he has it", &s, "nine");
	drop(id);
}

static void signals(void)
{
	int id = new_queue();
	struct sleeper s = start_receive_handled(id, false);

	kill(s.pid, SIGUSR1);
	returned("signal: receive", &s, "EINTR");
	s = start_receive_handled(id, true);
	kill(s.pid, SIGUSR1);
	returned("signal: receive, SA_RESTART", &s, "EINTR");
	s = start_receive_handled(id, false);
	kill(s.pid, SIGSTOP);
	usleep(20000);
	kill(s.pid, SIGCONT);
	is("signal: stopped and continued", asleep(&s), "1");
	put(id, 1, "hello");
	got("signal: goes on", &s, "hello");
	s = start_receive_handled(id, false);
	kill(s.pid, SIGSTOP);
	usleep(20000);
	put(id, 1, "hello");
	/* the kernel has him start over, and so out of the line */
	says("signal: to one who is stopped", filling(id), "0 0");
	kill(s.pid, SIGCONT);
	got("signal: has it", &s, "hello");

	put_size(id, 1, 8192);
	put_size(id, 1, 8192);
	s = start_send_handled(id, 1, false);
	kill(s.pid, SIGUSR1);
	returned("signal: send", &s, "EINTR");
	s = start_send_handled(id, 1, true);
	kill(s.pid, SIGUSR1);
	returned("signal: send, SA_RESTART", &s, "EINTR");
	says("signal: nothing was sent", filling(id), "2 16384");
	drop(id);
}

static void removal(void)
{
	int id = new_queue();
	struct sleeper s = start_receive(id, 100, 0, 0);
	struct sleeper t = start_receive(id, 100, 7, 0);

	drop(id);
	returned("removal: receiver", &s, "EIDRM");
	returned("removal: another", &t, "EIDRM");
	id = new_queue();
	put_size(id, 1, 8192);
	put_size(id, 1, 8192);
	s = start_send(id, 1, 1);
	t = start_send(id, 1, 8192);
	drop(id);
	returned("removal: sender", &s, "EIDRM");
	returned("removal: another sender", &t, "EIDRM");
	says("removal: totals", totals(), "0 0 0");
	id = new_queue();
	set_qbytes(id, 1);
	s = start_send(id, 1, 2);
	is("removal: never fits", asleep(&s), "1");
	drop(id);
	returned("removal: never did", &s, "EIDRM");
}

static void changes(void)
{
	int id = get(IPC_PRIVATE, 0666);
	struct msqid_ds ds = stat_of(id);
	struct sleeper s = start_receive(id, 100, 0, 0);

	is("change: nothing", ctl(id, IPC_SET, &ds), "0");
	is("change: is not noticed", asleep(&s), "1");
	put(id, 1, "hello");
	got("change: goes on", &s, "hello");
	drop(id);
}

static void tightened(int id)
{
	static struct message m;

	is("change: nobody, mode tightened", rcv(id, &m, 100, 0, 0), "EACCES");
	m.type = 1;
	is("change: nobody, cannot send", snd(id, &m, 1, 0), "EACCES");
}

static void tighten(void)
{
	int id = get(IPC_PRIVATE, 0666);
	struct msqid_ds ds = stat_of(id);
	pid_t pid = fork();

	if (pid == 0) {
		usleep(150000);
		ds.msg_perm.mode = 0600;
		_exit(ctl(id, IPC_SET, &ds) ? 1 : 0);
	}
	as_nobody(tightened, id);
	drop(id);
}

void parity_wait_receive(void)
{
	handoff();
	thread_ids();
	several();
	full();
	signals();
	removal();
	changes();
	tighten();
	says("wait: all gone", totals(), "0 0 0");
}

/* --- senders --- */

static int full_queue(void)
{
	int id = new_queue();

	put_size(id, 1, 8192);
	put_size(id, 1, 8192);
	return id;
}

static void room_comes(void)
{
	int id = full_queue();
	struct sleeper s = start_send(id, 5, 100), t;

	is("room comes: waits", asleep(&s), "1");
	is("room comes: take", take(id, 8192, 0, 0), "8192");
	returned("room comes: sent", &s, "0");
	says("room comes: filling", filling(id), "2 8292");
	is("room comes: lspid", stat_of(id).msg_lspid == s.pid, "1");
	drop(id);

	id = full_queue();
	s = start_send(id, 5, 100);
	set_limit("msgmnb", 20000);
	is("room comes: larger qbytes", set_qbytes(id, 16484), "0");
	set_limit("msgmnb", 16384);
	returned("room comes: sent then", &s, "0");
	says("room comes: filling then", filling(id), "3 16484");
	drop(id);

	id = new_queue();
	put_size(id, 1, 100);
	put_size(id, 1, 8192);
	put_size(id, 1, 8092);
	s = start_send(id, 5, 8000);
	t = start_send(id, 6, 100);
	take(id, 100, 0, 0);
	returned("room comes: the small one passes", &t, "0");
	is("room comes: the large one waits", asleep(&s), "1");
	is("room comes: one who does not wait", put_size(id, 1, 1), "EAGAIN");
	take(id, 8192, 0, 0);
	returned("room comes: the large one", &s, "0");
	drop(id);
}

/* A message for a receiver who waits for that type, when room comes. */
static void room_and_receiver(void)
{
	int id = full_queue();
	struct sleeper s = start_send(id, 9, 10);
	struct sleeper r = start_receive(id, 100, 9, 0);

	is("room and receiver: sender waits", asleep(&s), "1");
	is("room and receiver: receiver waits", asleep(&r), "1");
	take(id, 8192, 0, 0);
	returned("room and receiver: sent", &s, "0");
	returned("room and receiver: received", &r, "10");
	says("room and receiver: handed over", filling(id), "1 8192");
	drop(id);
}

static void copy_makes_none(void)
{
	int id = full_queue();
	struct sleeper s = start_send(id, 9, 10);

	is("no room: copy", take(id, 8192, 0, MSG_COPY), "8192");
	is("no room: too big", take(id, 10, 0, 0), "E2BIG");
	is("no room: waits", asleep(&s), "1");
	drop(id);
	returned("no room: removed", &s, "EIDRM");
}

void parity_wait_send(void)
{
	room_comes();
	room_and_receiver();
	copy_makes_none();
	says("wait: senders gone", totals(), "0 0 0");
}
