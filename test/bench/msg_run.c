/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One measurement of kernfuse-bench msg: a program in a namespace of the
 * kernel's or of ours, and the number that it prints.
 *
 * The namespace is new each time. Where a new one of the kernel's is not
 * permitted the one we are in has to do.
 */
#include "msg.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

const char *const msg_backend_names[MSG_NR_BACKENDS] = {
	[MSG_KERNEL] = "kernel",
	[MSG_PERCPU] = "percpu",
	[MSG_ATOMIC] = "atomic",
};

const char *const msg_case_names[MSG_NR_CASES] = {
	[MSG_SAME_TASK] = "same_task",
	[MSG_ONE_WAY] = "one_way",
	[MSG_PING_PONG] = "ping_pong",
	[MSG_THREADS] = "threads",
	[MSG_STRESS] = "stress-ng",
	[MSG_STRESS_TYPES] = "stress-ng types",
};

#define MAX_ARGS 32

/* Arguments and the room for the numbers among them. */
struct command {
	const char *argv[MAX_ARGS];
	unsigned int nr;
	char self[4096], which[16], tasks[16], bytes[16], seconds[32];
};

static void add(struct command *command, const char *arg)
{
	command->argv[command->nr++] = arg;
	command->argv[command->nr] = NULL;
}

static void add_backend(struct command *command, enum msg_backend backend,
			const char *kernfuse)
{
	if (backend == MSG_KERNEL)
		return;
	add(command, kernfuse);
	add(command, "ipc");
	add(command, "run");
	add(command, "--counters");
	add(command, msg_backend_names[backend]);
	add(command, "--");
}

static void add_stress(struct command *command, const struct msg_setup *setup)
{
	/* of whole seconds; it is the rate that counts */
	snprintf(command->seconds, sizeof(command->seconds), "%.0fs",
		 ceil(setup->seconds));
	add(command, "stress-ng");
	add(command, "--msg");
	add(command, command->tasks);
	if (setup->which == MSG_STRESS_TYPES) {
		add(command, "--msg-types");
		add(command, "10");
	}
	add(command, "--timeout");
	add(command, command->seconds);
	add(command, "--metrics-brief");
	add(command, "--temp-path");
	add(command, "/tmp");
}

/* Ourselves again, see bench_msg(). */
static void add_client(struct command *command, const struct msg_setup *setup)
{
	ssize_t len = readlink("/proc/self/exe", command->self,
			       sizeof(command->self) - 1);

	if (len < 0)
		bench_fail("/proc/self/exe: %s", strerror(errno));
	command->self[len] = '\0';
	snprintf(command->seconds, sizeof(command->seconds), "%.3f",
		 setup->seconds);
	add(command, command->self);
	add(command, "msg");
	add(command, "--client");
	add(command, command->which);
	add(command, "--threads");
	add(command, command->tasks);
	add(command, "--bytes");
	add(command, command->bytes);
	add(command, "--seconds");
	add(command, command->seconds);
}

/* --- running it --- */

static _Noreturn void become(const struct command *command,
			     enum msg_backend backend, int out)
{
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	if (backend == MSG_KERNEL && unshare(CLONE_NEWIPC) && errno != EPERM)
		_exit(126);
	execvp(command->argv[0], (char **)command->argv);
	dprintf(out, "%s: %s\n", command->argv[0], strerror(errno));
	_exit(127);
}

/* All it prints, which is little. */
static void read_all(int fd, char *buf, size_t size)
{
	size_t used = 0;
	ssize_t len;

	while (used + 1 < size &&
	       (len = read(fd, buf + used, size - 1 - used)) > 0)
		used += (size_t)len;
	buf[used] = '\0';
}

static void run(const struct command *command, enum msg_backend backend,
		char *buf, size_t size)
{
	int fds[2], status;
	pid_t pid;

	if (pipe(fds))
		bench_fail("pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		bench_fail("fork: %s", strerror(errno));
	if (pid == 0)
		become(command, backend, fds[1]);
	close(fds[1]);
	read_all(fds[0], buf, size);
	close(fds[0]);
	waitpid(pid, &status, 0);
	if (status)
		bench_fail("%s, status 0x%x: %s", command->argv[0],
			   (unsigned int)status, buf);
}

/* "... [PID] msg OPS SECONDS ..." of its metrics */
static double stress_rate(const char *text)
{
	const char *line = strstr(text, "] msg ");
	double ops, seconds;

	if (!line || sscanf(line + 6, "%lf %lf", &ops, &seconds) != 2)
		bench_fail("stress-ng's metrics are not understood: %s", text);
	return ops / seconds;
}

static bool kernel_has_queues(void)
{
	return msgget(IPC_PRIVATE - 1, 0) >= 0 || errno != ENOSYS;
}

bool msg_has_program(const char *program)
{
	char command[4096];

	snprintf(command, sizeof(command), "command -v '%s' >/dev/null 2>&1",
		 program);
	return system(command) == 0;
}

double msg_measure(const struct msg_setup *setup, enum msg_backend backend,
		   const char *kernfuse)
{
	struct command command = { .nr = 0 };
	char text[16384];
	bool stress = setup->which >= MSG_STRESS;

	if (backend == MSG_KERNEL && !kernel_has_queues())
		return NAN;
	snprintf(command.which, sizeof(command.which), "%d", setup->which);
	snprintf(command.tasks, sizeof(command.tasks), "%u", setup->tasks);
	snprintf(command.bytes, sizeof(command.bytes), "%u", setup->bytes);
	add_backend(&command, backend, kernfuse);
	if (stress)
		add_stress(&command, setup);
	else
		add_client(&command, setup);
	run(&command, backend, text, sizeof(text));
	return stress ? stress_rate(text) : strtod(text, NULL);
}
