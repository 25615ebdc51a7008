// SPDX-License-Identifier: LGPL-2.1-or-later
/* Processes, threads and programs. */
#include "calls.h"

#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>

void case_fork(void)
{
	int id = new_queue();
	pid_t pid = fork();

	if (pid == 0) {
		send_text(id, "child");
		_exit(0);
	}
	wait_child(pid);
	check(stat_queue(id).msg_lspid == pid);
	expect_text(id, "child");
	check(stat_queue(id).msg_lrpid == getpid());
	pid = (pid_t)syscall(SYS_fork);
	if (pid == 0) {
		send_text(id, "raw child");
		_exit(0);
	}
	wait_child(pid);
	check(stat_queue(id).msg_lspid == pid);
	send_text(id, "parent");
	check(stat_queue(id).msg_lspid == getpid());
}

/* The child is another process on its parent's variables. */
void case_vfork(void)
{
	int id = new_queue(), own = getpid();
	pid_t pid;

	send_text(id, "parent");
	pid = vfork();
	if (pid == 0) {
		struct text message = { .type = 1, .text = "child" };

		_exit(msgsnd(id, &message, 6, IPC_NOWAIT));
	}
	wait_child(pid);
	check(stat_queue(id).msg_lspid == pid);
	send_text(id, "parent");
	check(stat_queue(id).msg_lspid == own);
	expect_text(id, "parent");
	expect_text(id, "child");
	check(stat_queue(id).msg_qnum == 1);
}

static char **arguments(const char *what, int id, const char *text)
{
	static char id_text[16];
	static char *argv[5];

	snprintf(id_text, sizeof(id_text), "%d", id);
	argv[0] = self;
	argv[1] = (char *)what;
	argv[2] = id_text;
	argv[3] = (char *)text;
	return argv;
}

static char *no_environment[] = { NULL };

void case_vfork_exec(void)
{
	int id = new_queue();
	char **argv = arguments("send", id, "program");
	pid_t pid = vfork();

	if (pid == 0) {
		execve(self, argv, no_environment);
		_exit(9);
	}
	wait_child(pid);
	expect_text(id, "program");
	check(stat_queue(id).msg_lspid == pid);
}

void case_exec_empty(void)
{
	int id = new_queue();
	pid_t pid = fork();

	send_text(id, "text");
	if (pid == 0) {
		execle(self, self, "receive",
		       arguments("receive", id, "text")[2], "text", NULL,
		       no_environment);
		_exit(9);
	}
	wait_child(pid);
	check(stat_queue(id).msg_qnum == 1);
}

/* Programs that close all descriptors that they do not know. */
void case_exec_closed(void)
{
	int id = new_queue(), max = (int)sysconf(_SC_OPEN_MAX);
	pid_t pid = fork();

	if (max > 4096)
		max = 4096;
	if (pid == 0) {
		for (int fd = 3; fd < max; fd++)
			close(fd);
		for (int fd = 3; fd < 300; fd++)
			dup2(2, fd);
		closefrom(3);
		send_text(id, "still here");
		execv(self, arguments("send", id, "and here"));
		_exit(9);
	}
	wait_child(pid);
	expect_text(id, "still here");
	expect_text(id, "and here");
}

void case_exec_raw(void)
{
	int id = new_queue();
	char **argv = arguments("send", id, "by number");
	pid_t pid = fork();

	if (pid == 0) {
		for (int fd = 3; fd < 300; fd++) {
			syscall(SYS_close, fd);
			syscall(SYS_dup3, 2, fd, 0);
		}
		syscall(SYS_close_range, 3, ~0U, 0);
		syscall(SYS_execve, self, argv, no_environment);
		_exit(9);
	}
	wait_child(pid);
	expect_text(id, "by number");
}

void case_spawn(void)
{
	int id = new_queue();
	char command[512];
	pid_t pid;

	check(posix_spawn(&pid, self, NULL, NULL,
			  arguments("send", id, "spawned"),
			  no_environment) == 0);
	wait_child(pid);
	expect_text(id, "spawned");
	snprintf(command, sizeof(command), "'%s' send %d shell", self, id);
	check(system(command) == 0);
	expect_text(id, "shell");
}

/* What the C library starts for a program has its environment as it is. */
void case_system_empty(void)
{
	int id = new_queue();
	char command[512];
	FILE *pipe;

	snprintf(command, sizeof(command), "'%s' send %d shell", self, id);
	check(clearenv() == 0);
	check(system(command) == 0);
	expect_text(id, "shell");
	check(clearenv() == 0);
	pipe = popen(command, "r");
	check(pipe != NULL && pclose(pipe) == 0);
	expect_text(id, "shell");
	check(system(NULL) != 0);
}

static int clone_child(void *data)
{
	struct text message = { .type = 1, .text = "clone" };

	return msgsnd(*(int *)data, &message, 6, IPC_NOWAIT);
}

void case_clone_vfork(void)
{
	static char stack[65536] __attribute__((aligned(64)));
	int id = new_queue();
	pid_t pid;

	send_text(id, "parent");
	pid = clone(clone_child, stack + sizeof(stack),
		    CLONE_VM | CLONE_VFORK | SIGCHLD, &id);
	wait_child(pid);
	check(stat_queue(id).msg_lspid == pid);
	send_text(id, "parent");
	check(stat_queue(id).msg_lspid == getpid());
}

static void *receive_for_ever(void *data)
{
	struct text message;

	msgrcv(*(int *)data, &message, sizeof(message.text), 0, 0);
	return NULL;
}

void case_cancel(void)
{
	struct timespec ms50 = { .tv_nsec = 50000000 };
	int id = new_queue();
	pthread_t thread;
	void *ret;

	check(pthread_create(&thread, NULL, receive_for_ever, &id) == 0);
	nanosleep(&ms50, NULL);
	check(pthread_cancel(thread) == 0);
	check(pthread_join(thread, &ret) == 0);
	check(ret == PTHREAD_CANCELED);
	send_text(id, "text");
	expect_text(id, "text");
}

#define NR_THREADS 4
#define NR_MESSAGES 2000

static void *sender(void *data)
{
	struct text message = { .type = 1 };

	for (int i = 0; i < NR_MESSAGES; i++)
		check(msgsnd(*(int *)data, &message, 8, 0) == 0);
	return NULL;
}

static void *receiver(void *data)
{
	struct text message;

	for (int i = 0; i < NR_MESSAGES; i++)
		check(msgrcv(*(int *)data, &message, 8, 0, 0) == 8);
	return NULL;
}

/* Nothing is lost between threads. */
void case_threads(void)
{
	int id = new_queue();
	pthread_t threads[2 * NR_THREADS];

	for (int i = 0; i < 2 * NR_THREADS; i++)
		check(pthread_create(&threads[i], NULL,
				     i % 2 ? receiver : sender, &id) == 0);
	for (int i = 0; i < 2 * NR_THREADS; i++)
		check(pthread_join(threads[i], NULL) == 0);
	check(stat_queue(id).msg_qnum == 0);
}
