/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What test/ipc/parity does not reach: totals beyond an int, the end of a
 * namespace, what is done for a receiver that died with a message.
 */
#include "test/unit/ipc-fixture.h"

#include <signal.h>
#include <sys/wait.h>

/* The kernel's go negative there. */
START_TEST(clamp)
{
	struct msginfo info;
	struct ipc_totals totals;
	const int64_t more[] = { INT_MAX, 1l + INT_MAX, 3l << 31, -5 };
	const int shown[] = { INT_MAX, INT_MAX, INT_MAX, 0 };

	for (unsigned int i = 0; i < NR_OF(more); i++) {
		percpu_counter_set(&ns->counters[IPC_MSG_HDRS], more[i]);
		percpu_counter_set(&ns->counters[IPC_MSG_BYTES], more[i]);
		must(ksys_msgctl(ns, &cred, 0, MSG_INFO, (void *)&info) == 0);
		ck_assert_int_eq(info.msgmap, shown[i]);
		ck_assert_int_eq(info.msgtql, shown[i]);
		must(ipc_get_totals(ns, &totals) == 0);
		ck_assert_int_eq(totals.msg_bytes, more[i] < 0 ? 0 : more[i]);
	}
	percpu_counter_set(&ns->counters[IPC_MSG_HDRS], 0);
	percpu_counter_set(&ns->counters[IPC_MSG_BYTES], 0);
}
END_TEST

static struct ipc_queue_stat must_stat(int id)
{
	struct ipc_queue_stat st;

	must(ipc_queue_stat(ns, id % IPC_INDEX_MAX, &st) == 0);
	return st;
}

/* A child that is asleep there; its status will be the first letter. */
static pid_t receiver(int id, long type)
{
	unsigned int before = must_stat(id).receivers;
	pid_t pid = fork();
	struct text m;

	if (pid == 0) {
		ssize_t ret =
			ksys_msgrcv(ns, &cred, id, &m, sizeof(m.text), type, 0);

		_exit(ret < 0 ? (int)-ret : m.text[0]);
	}
	while (must_stat(id).receivers == before)
		usleep(100);
	give_it_time();
	return pid;
}

static int result(pid_t pid)
{
	int status;

	must(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

START_TEST(end_of_a_namespace)
{
	int id = new_queue();
	pid_t pid = receiver(id, 0);

	ck_assert(!ipc_ns_dead(ns));
	ipc_ns_kill(ns);
	ck_assert(ipc_ns_dead(ns));
	ck_assert_int_eq(result(pid), EIDRM);
	ck_assert_int_eq(put(id, 1, "x"), -EINVAL);
	ck_assert_int_eq(ksys_msgget(ns, &cred, 1, IPC_CREAT), -EINVAL);
	ipc_ns_kill(ns);
}
END_TEST

/* The one it was handed to is stopped, and dies: the next one gets it. */
START_TEST(dead_with_a_message)
{
	int id = new_queue();
	pid_t first = receiver(id, 0), second;

	kill(first, SIGSTOP);
	must(waitpid(first, NULL, WUNTRACED) == first);
	ck_assert_int_eq(put(id, 4, "a"), 0);
	second = receiver(id, 0);
	kill(first, SIGKILL);
	must(waitpid(first, NULL, 0) == first);
	/* nobody helps: the second one looks around */
	ck_assert_int_eq(result(second), 'a');
}
END_TEST

START_TEST(dead_with_the_oldest)
{
	int id = new_queue();
	pid_t pid = receiver(id, 0);
	struct text m;

	kill(pid, SIGSTOP);
	must(waitpid(pid, NULL, WUNTRACED) == pid);
	ck_assert_int_eq(put(id, 4, "a"), 0);
	ck_assert_int_eq(put(id, 4, "b"), 0);
	ck_assert_uint_eq(must_stat(id).qnum, 1);
	kill(pid, SIGKILL);
	must(waitpid(pid, NULL, 0) == pid);
	/* it counts as soon as anybody looks, and is the oldest still */
	ck_assert_uint_eq(must_stat(id).qnum, 2);
	ck_assert_int_eq(take(id, 0, &m), 2);
	ck_assert_str_eq(m.text, "a");
	ck_assert_int_eq(take(id, 0, &m), 2);
	ck_assert_str_eq(m.text, "b");
}
END_TEST

/* The queue of a receiver that died has gone: so has its message. */
START_TEST(dead_after_removal)
{
	int id = new_queue(), index = id % IPC_INDEX_MAX;
	pid_t pid = receiver(id, 0);
	struct text m;

	kill(pid, SIGSTOP);
	must(waitpid(pid, NULL, WUNTRACED) == pid);
	ck_assert_int_eq(put(id, 4, "a"), 0);
	must(ksys_msgctl(ns, &cred, id, IPC_RMID, NULL) == 0);
	/* another one in the same place */
	must(ipc_set_limit(ns, IPC_LIMIT_NEXT_ID, 7 * 32768 + index) == 0);
	id = new_queue();
	kill(pid, SIGKILL);
	must(waitpid(pid, NULL, 0) == pid);
	ck_assert_int_eq(ipc_ns_recover(ns), 1);
	ck_assert_int_eq(take(id, 0, &m), -ENOMSG);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		clamp,
		end_of_a_namespace,
		dead_with_a_message,
		dead_with_the_oldest,
		dead_after_removal,
	};

	return test_run("ipc/msg", tests, NR_OF(tests), new_region,
			drop_region);
}
