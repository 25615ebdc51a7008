/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The calls that step.c kills, and what must be true afterwards. */
#undef NDEBUG
#include "test/ipc/step.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int id;
static pid_t other;

static void new_queue(void)
{
	struct ipc_cred cred = step_cred();

	id = ksys_msgget(ns, &cred, IPC_PRIVATE, 0600);
	assert(id >= 0);
}

static void drop_queue(void)
{
	struct ipc_cred cred = step_cred();

	must(ksys_msgctl(ns, &cred, id, IPC_RMID, NULL) == 0);
}

/* It holds what it must, and nothing else. */
static void left(const char *expected)
{
	const char *drained = step_drain(id);

	if (strcmp(drained, expected) != 0)
		step_failed(__FILE__, __LINE__, drained);
}

static void with_three(void)
{
	new_queue();
	must(step_send_text(id, 1, "a", 0) == 0);
	must(step_send_text(id, 2, "b", 0) == 0);
	must(step_send_text(id, 3, "c", 0) == 0);
}

/* --- a message is queued: it is there or not, and there if it returned --- */

static void send_victim(void)
{
	shared->result = step_send_text(id, 9, "victim", IPC_NOWAIT);
}

static void send_after(void)
{
	const char *drained = step_drain(id);

	must(!shared->returned || shared->result == 0);
	must(strcmp(drained, "1:a 2:b 3:c 9:victim") == 0 ||
	     (!shared->returned && strcmp(drained, "1:a 2:b 3:c") == 0));
	drop_queue();
}

const struct scenario step_send = {
	.name = "send",
	.before = with_three,
	.victim = send_victim,
	.after = send_after,
};

/*
 * --- a message is received: it is in the queue in its old place, or all of it
 * is with the victim ---
 */

static void receive_victim(void)
{
	shared->result =
		(int)step_receive_text(id, &shared->got, 2, IPC_NOWAIT);
}

static void receive_after(void)
{
	const char *drained = step_drain(id);

	if (strcmp(drained, "1:a 3:c") == 0)
		must(shared->got.type == 2 &&
		     strcmp(shared->got.text, "b") == 0);
	else
		must(!shared->returned && strcmp(drained, "1:a 2:b 3:c") == 0);
	drop_queue();
}

const struct scenario step_receive = {
	.name = "receive",
	.before = with_three,
	.victim = receive_victim,
	.after = receive_after,
};

/* --- the same with the only one --- */

static void with_one(void)
{
	new_queue();
	must(step_send_text(id, 2, "b", 0) == 0);
}

static void receive_last_after(void)
{
	const char *drained = step_drain(id);

	if (strcmp(drained, "") == 0)
		must(shared->got.type == 2 &&
		     strcmp(shared->got.text, "b") == 0);
	else
		must(!shared->returned && strcmp(drained, "2:b") == 0);
	drop_queue();
}

const struct scenario step_receive_last = {
	.name = "receive-last",
	.before = with_one,
	.victim = receive_victim,
	.after = receive_last_after,
};

/* --- the sender dies while it hands its message to somebody asleep --- */

static void other_receives(void)
{
	shared->other_result = step_receive_text(id, &shared->other, 0, 0);
}

static void with_receiver(void)
{
	new_queue();
	other = step_start_other(other_receives);
	shared->returned = 0;
}

static void handoff_victim(void)
{
	shared->result = step_send_text(id, 9, "victim", 0);
	shared->got.type = 1;
}

static void handoff_after(void)
{
	/* whoever sleeps gets this one, if not that of the victim */
	must(step_send_text(id, 1, "parent", 0) == 0);
	step_finish_other(other);
	must(shared->other_result > 0);
	if (shared->other.type == 9)
		left("1:parent");
	else
		must(shared->got.type == 0 && strcmp(step_drain(id), "") == 0);
	drop_queue();
}

const struct scenario step_handoff = {
	.name = "handoff",
	.before = with_receiver,
	.victim = handoff_victim,
	.after = handoff_after,
};

/* --- a receiver dies that sleeps, or was woken with a message --- */

static void blocked_victim(void)
{
	shared->result = (int)step_receive_text(id, &shared->got, 0, 0);
}

static void send_to_blocked(void)
{
	must(step_send_text(id, 5, "parent", 0) == 0);
}

static void blocked_after(void)
{
	const char *drained = step_drain(id);

	if (!shared->prodded)
		must(strcmp(drained, "") == 0);
	else if (strcmp(drained, "") == 0)
		must(shared->got.type == 5 &&
		     strcmp(shared->got.text, "parent") == 0);
	else
		must(!shared->returned && strcmp(drained, "5:parent") == 0);
	drop_queue();
}

const struct scenario step_blocked = {
	.name = "blocked-receive",
	.before = new_queue,
	.victim = blocked_victim,
	.prod = send_to_blocked,
	.after = blocked_after,
};

/* --- the same with another receiver behind it, who gets the message --- */

static void blocked_second_after(void)
{
	if (!shared->prodded)
		must(step_send_text(id, 5, "parent", 0) == 0);
	if (shared->got.type == 5 && strcmp(shared->got.text, "parent") == 0 &&
	    shared->prodded && shared->other_result == 0)
		/* it may have been delivered, or may come to the other one */
		must(step_send_text(id, 6, "more", 0) == 0);
	step_finish_other(other);
	must(shared->other_result > 0);
	must(shared->other.type == 5 || shared->got.type == 5);
	step_drain(id);
	drop_queue();
}

static void second_joins(void)
{
	other = step_start_other(other_receives);
	must(step_send_text(id, 5, "parent", 0) == 0);
}

static void second_after(void)
{
	if (!shared->prodded)
		other = step_start_other(other_receives);
	blocked_second_after();
}

const struct scenario step_blocked_second = {
	.name = "blocked-receive-two",
	.before = new_queue,
	.victim = blocked_victim,
	.prod = second_joins,
	.after = second_after,
};

/* --- a sender dies that waits for room --- */

static void fill_queue(void)
{
	struct msqid_ds ds;
	struct ipc_cred cred = step_cred();

	new_queue();
	must(step_send_text(id, 1, "a", 0) == 0);
	must(ksys_msgctl(ns, &cred, id, IPC_STAT, &ds) == 0);
	ds.msg_qbytes = 2;
	must(ksys_msgctl(ns, &cred, id, IPC_SET, &ds) == 0);
}

static void blocked_send_victim(void)
{
	shared->result = step_send_text(id, 2, "b", 0);
}

static void take_one(void)
{
	struct step_message m;

	must(step_receive_text(id, &m, 1, IPC_NOWAIT) == 2);
}

static void blocked_send_after(void)
{
	const char *drained = step_drain(id);

	if (!shared->prodded)
		must(strcmp(drained, "1:a") == 0);
	else if (strcmp(drained, "2:b") != 0)
		must(!shared->returned && strcmp(drained, "") == 0);
	drop_queue();
}

const struct scenario step_blocked_send = {
	.name = "blocked-send",
	.before = fill_queue,
	.victim = blocked_send_victim,
	.prod = take_one,
	.after = blocked_send_after,
};

/* --- a receiver dies that makes room for somebody asleep --- */

static void other_sends(void)
{
	shared->other_result = step_send_text(id, 2, "b", 0);
}

static void with_sender(void)
{
	fill_queue();
	shared->other_result = 1;
	other = step_start_other(other_sends);
	shared->returned = 0;
}

static void wakes_sender_victim(void)
{
	shared->result =
		(int)step_receive_text(id, &shared->got, 1, IPC_NOWAIT);
	shared->got.text[60] = 1;
}

static void wakes_sender_after(void)
{
	struct step_message m;

	/* what the victim did not take, we do: there is room then */
	if (step_receive_text(id, &m, 1, IPC_NOWAIT) < 0)
		must(shared->got.type == 1 &&
		     strcmp(shared->got.text, "a") == 0);
	else
		must(shared->got.text[60] == 0 && strcmp(m.text, "a") == 0);
	step_finish_other(other);
	must(shared->other_result == 0);
	left("2:b");
	drop_queue();
}

const struct scenario step_wakes_sender = {
	.name = "receive-wakes-sender",
	.before = with_sender,
	.victim = wakes_sender_victim,
	.after = wakes_sender_after,
};

/* --- a queue comes or goes --- */

#define KEY 77

static void nothing(void)
{
}

static void create_victim(void)
{
	struct ipc_cred cred = step_cred();

	shared->result = ksys_msgget(ns, &cred, KEY, IPC_CREAT | 0600);
}

static void create_after(void)
{
	struct ipc_cred cred = step_cred();

	id = ksys_msgget(ns, &cred, KEY, 0);
	must(!shared->returned || id == shared->result);
	if (id == -ENOENT)
		id = ksys_msgget(ns, &cred, KEY, IPC_CREAT | 0600);
	must(id >= 0 && step_send_text(id, 1, "a", 0) == 0);
	left("1:a");
	drop_queue();
}

const struct scenario step_create = {
	.name = "create",
	.before = nothing,
	.victim = create_victim,
	.after = create_after,
};

static void keyed_with_three(void)
{
	struct ipc_cred cred = step_cred();

	id = ksys_msgget(ns, &cred, KEY, IPC_CREAT | IPC_EXCL | 0600);
	must(id >= 0);
	must(step_send_text(id, 1, "a", 0) == 0);
	must(step_send_text(id, 2, "b", 0) == 0);
	must(step_send_text(id, 2, "c", 0) == 0);
}

static void remove_victim(void)
{
	struct ipc_cred cred = step_cred();

	shared->result = ksys_msgctl(ns, &cred, id, IPC_RMID, NULL);
}

static void remove_after(void)
{
	struct ipc_cred cred = step_cred();
	int found = ksys_msgget(ns, &cred, KEY, 0);

	must(found == -ENOENT || (!shared->returned && found == id));
	if (found < 0)
		return;
	left("1:a 2:b 2:c");
	drop_queue();
}

const struct scenario step_remove = {
	.name = "remove",
	.before = keyed_with_three,
	.victim = remove_victim,
	.after = remove_after,
};

/* --- a message that takes units of the heap to itself --- */

static char large[40000 + sizeof(long)];

static void large_before(void)
{
	new_queue();
	must(ipc_set_limit(ns, IPC_LIMIT_MSGMAX, 1 << 20) == 0);
	must(ipc_set_limit(ns, IPC_LIMIT_MSGMNB, 1 << 20) == 0);
	drop_queue();
	new_queue();
}

static void large_victim(void)
{
	struct ipc_cred cred = step_cred();

	*(long *)(void *)large = 4;
	shared->result = ksys_msgsnd(ns, &cred, id, large, 40000, 0);
}

static void large_after(void)
{
	struct ipc_cred cred = step_cred();
	ssize_t ret = ksys_msgrcv(ns, &cred, id, large, 40000, 0, IPC_NOWAIT);

	must(ret == 40000 || (ret == -ENOMSG && !shared->returned));
	drop_queue();
	must(ipc_set_limit(ns, IPC_LIMIT_MSGMAX, 8192) == 0);
	must(ipc_set_limit(ns, IPC_LIMIT_MSGMNB, 16384) == 0);
}

const struct scenario step_large = {
	.name = "send-large",
	.before = large_before,
	.victim = large_victim,
	.after = large_after,
};
