// SPDX-License-Identifier: LGPL-2.1-or-later
/* The calls themselves: by number, with bad pointers, interrupted. */
#include "calls.h"

#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

void case_raw(void)
{
	int id = (int)syscall(SYS_msgget, IPC_PRIVATE, IPC_CREAT | 0600);
	struct text message = { .type = 1, .text = "raw" };
	struct msqid_ds ds;

	check(id >= 0);
	check(syscall(SYS_msgsnd, id, &message, 4, 0) == 0);
	expect_text(id, "raw");
	send_text(id, "library");
	check(syscall(SYS_msgrcv, id, &message, 64, 0L, 0) == 8);
	check(strcmp(message.text, "library") == 0);
	check(syscall(SYS_msgctl, id, IPC_STAT, &ds) == 0);
	check(ds.msg_lrpid == getpid());
	check(syscall(SYS_msgctl, id, IPC_RMID, NULL) == 0);
	check_errno(EINVAL, syscall(SYS_msgctl, id, IPC_STAT, &ds));
}

/* All other numbers, with all their arguments. */
void case_raw_others(void)
{
	long page = sysconf(_SC_PAGESIZE);
	int fds[2];
	char *mem;
	pid_t pid;

	check(pipe(fds) == 0);
	check(ftruncate(fds[0], 0) == -1);
	mem = (char *)syscall(SYS_mmap, NULL, 2 * page,
			      (long)(PROT_READ | PROT_WRITE),
			      (long)(MAP_PRIVATE | MAP_ANONYMOUS), -1L, 0L);
	check(mem != MAP_FAILED);
	mem[2 * page - 1] = 1;
	check(syscall(SYS_getpid) == getpid());
	check_errno(EBADF, syscall(SYS_close, -1));
	check_errno(ENOSYS, syscall(100000));
	check(syscall(SYS_write, fds[1], "x", 1) == 1);
	pid = (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
	if (pid == 0)
		_exit(0);
	wait_child(pid);
}

/* What can be no address is told from others without a fault. */
void case_pointers(void)
{
	static void *const bad[] = { NULL, (void *)8, (void *)-1,
				     (void *)-4096 };
	int id = new_queue();

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		check_errno(EFAULT, msgsnd(id, bad[i], 4, 0));
		check_errno(EFAULT, syscall(SYS_msgsnd, id, bad[i], 4, 0));
		check_errno(EFAULT, msgctl(id, IPC_STAT, bad[i]));
		check_errno(EFAULT, msgctl(id, IPC_SET, bad[i]));
		check_errno(EFAULT, msgctl(0, MSG_INFO, bad[i]));
		send_text(id, "lost");
		check_errno(EFAULT, msgrcv(id, bad[i], 8, 0, 0));
		check(stat_queue(id).msg_qnum == 0);
	}
	check(msgctl(id, IPC_RMID, NULL) == 0);
}

/*
 * Half a message lies in a page that is not there: here the kernel gives
 * EFAULT, in user space the caller faults. In either case the queue can be
 * used by others.
 */
static void touch_bad_page(int id, int what)
{
	long page = sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, (size_t)(2 * page), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct text *message = (struct text *)(mem + page - 16);

	check(mem != MAP_FAILED);
	message->type = 1;
	check(munmap(mem + page, (size_t)page) == 0);
	if (what == 0)
		msgsnd(id, message, sizeof(message->text), 0);
	else if (what == 1)
		msgrcv(id, message, sizeof(message->text), 0, 0);
	else
		msgctl(id, IPC_STAT, (struct msqid_ds *)message);
	_exit(0);
}

void case_bad_page(void)
{
	int id = new_queue();
	char text[] = "0123456789012345678901234567890123456789";

	for (int what = 0; what < 3; what++) {
		int status;
		pid_t pid;

		send_text(id, text);
		pid = fork();
		if (pid == 0)
			touch_bad_page(id, what);
		check(waitpid(pid, &status, 0) == pid);
		check(status == 0 || (WIFSIGNALED(status) &&
				      WTERMSIG(status) == SIGSEGV));
		/* a message may be gone, or be back, but nothing is stuck */
		while (stat_queue(id).msg_qnum)
			expect_text(id, text);
		send_text(id, text);
		expect_text(id, text);
	}
}

static void on_signal(int signal)
{
	(void)signal;
}

static _Noreturn void sleep_in_call(int id, bool receive)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_RESTART };
	struct text message = { .type = 1 };

	sigaction(SIGHUP, &action, NULL);
	if (receive)
		check(msgrcv(id, &message, 64, 0, 0) == -1);
	else
		check(msgsnd(id, &message, 64, 0) == -1);
	_exit(errno == EINTR ? 0 : errno);
}

/* A handler ends the sleep, SA_RESTART or not; being stopped does not. */
void case_eintr(void)
{
	int id = new_queue(), full = new_queue();
	struct msqid_ds ds = stat_queue(full);

	ds.msg_qbytes = 0;
	check(msgctl(full, IPC_SET, &ds) == 0);
	for (int receive = 0; receive < 2; receive++) {
		pid_t pid = fork();

		if (pid == 0)
			sleep_in_call(receive ? id : full, receive);
		wait_asleep(pid);
		kill(pid, SIGSTOP);
		kill(pid, SIGCONT);
		wait_asleep(pid);
		kill(pid, SIGHUP);
		wait_child(pid);
	}
}

void case_eidrm(void)
{
	int id = new_queue();
	pid_t pid = fork();

	if (pid == 0) {
		struct text message;

		check_errno(EIDRM, msgrcv(id, &message, 64, 0, 0));
		_exit(0);
	}
	wait_asleep(pid);
	check(msgctl(id, IPC_RMID, NULL) == 0);
	wait_child(pid);
	check_errno(EINVAL, msgctl(id, IPC_RMID, NULL));
}
