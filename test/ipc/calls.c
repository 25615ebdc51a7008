// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * calls CASE: does what programs do with message queues, and checks what comes
 * of it. Without a case it lists them. Exit: 0; 1; 77 if it cannot be tried.
 */
#include "calls.h"

#include <time.h>

char *self;

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "fork", case_fork },
	{ "vfork", case_vfork },
	{ "vfork_exec", case_vfork_exec },
	{ "exec_empty", case_exec_empty },
	{ "exec_closed", case_exec_closed },
	{ "exec_raw", case_exec_raw },
	{ "spawn", case_spawn },
	{ "system_empty", case_system_empty },
	{ "clone_vfork", case_clone_vfork },
	{ "raw", case_raw },
	{ "raw_others", case_raw_others },
	{ "pointers", case_pointers },
	{ "bad_page", case_bad_page },
	{ "eintr", case_eintr },
	{ "signals", case_signals },
	{ "handlers", case_handlers },
	{ "eidrm", case_eidrm },
	{ "cancel", case_cancel },
	{ "threads", case_threads },
	{ "seteuid", case_seteuid },
	{ "setgroups", case_setgroups },
	{ "unshare", case_unshare },
	{ "clone_newipc", case_clone_newipc },
	{ "limits", case_limits },
};

#define NR_CASES (sizeof(cases) / sizeof(cases[0]))

int new_queue(void)
{
	int id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);

	check(id >= 0);
	return id;
}

void send_text(int id, const char *text)
{
	struct text message = { .type = 1 };

	strcpy(message.text, text);
	check(msgsnd(id, &message, strlen(text) + 1, IPC_NOWAIT) == 0);
}

void expect_text(int id, const char *text)
{
	struct text message;
	ssize_t len = msgrcv(id, &message, sizeof(message.text), 0,
			     IPC_NOWAIT);

	check(len == (ssize_t)strlen(text) + 1);
	check(message.type == 1);
	check(strcmp(message.text, text) == 0);
}

struct msqid_ds stat_queue(int id)
{
	struct msqid_ds ds;

	check(msgctl(id, IPC_STAT, &ds) == 0);
	return ds;
}

void wait_child(pid_t pid)
{
	int status;

	check(pid > 0);
	check(waitpid(pid, &status, 0) == pid);
	if (status)
		fail("child: status 0x%x", status);
}

static char state_of(pid_t pid)
{
	char path[64], line[512], *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	check(file != NULL);
	check(fgets(line, sizeof(line), file) != NULL);
	fclose(file);
	end = strrchr(line, ')');
	check(end != NULL);
	return end[2];
}

/* Three times in a row: it may be asleep elsewhere on its way. */
void wait_asleep(pid_t pid)
{
	struct timespec ms5 = { .tv_nsec = 5000000 };
	int in_a_row = 0;

	for (int i = 0; i < 2000; i++) {
		in_a_row = state_of(pid) == 'S' ? in_a_row + 1 : 0;
		if (in_a_row == 3)
			return;
		nanosleep(&ms5, NULL);
	}
	fail("it does not go to sleep");
}

void need_root(void)
{
	if (geteuid() == 0)
		return;
	printf("needs root\n");
	exit(EXIT_SKIP);
}

/* what the program is started again for */
static int started_again(char **argv)
{
	int id = atoi(argv[2]);

	if (strcmp(argv[1], "send") == 0)
		send_text(id, argv[3]);
	else
		expect_text(id, argv[3]);
	return 0;
}

int main(int argc, char **argv)
{
	self = argv[0];
	if (argc == 4)
		return started_again(argv);
	for (size_t i = 0; i < NR_CASES; i++) {
		if (argc < 2) {
			puts(cases[i].name);
		} else if (strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			return 0;
		}
	}
	if (argc < 2)
		return 0;
	fail("no case %s", argv[1]);
}
