// SPDX-License-Identifier: LGPL-2.1-or-later
/* Credentials, namespaces, and the files of /proc. */
#include "calls.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define NOBODY 65534

static void expect_access(int id, bool allowed)
{
	struct text message = { .type = 1 };

	if (allowed)
		check(msgsnd(id, &message, 0, IPC_NOWAIT) == 0);
	else
		check_errno(EACCES, msgsnd(id, &message, 0, IPC_NOWAIT));
}

/* Permission goes by who one is at the call. */
void case_seteuid(void)
{
	int id;

	need_root();
	id = new_queue();
	expect_access(id, true);
	check(seteuid(NOBODY) == 0);
	expect_access(id, false);
	check_errno(EPERM, msgctl(id, IPC_RMID, NULL));
	check(seteuid(0) == 0);
	expect_access(id, true);
	check(syscall(SYS_setresuid, -1, NOBODY, -1) == 0);
	expect_access(id, false);
	check(syscall(SYS_setresuid, -1, 0, -1) == 0);
	expect_access(id, true);
	check(setresuid(NOBODY, NOBODY, NOBODY) == 0);
	expect_access(id, false);
	check(stat_queue(new_queue()).msg_perm.uid == NOBODY);
}

void case_setgroups(void)
{
	gid_t groups[100];
	struct msqid_ds ds;
	int id;

	need_root();
	id = new_queue();
	ds = stat_queue(id);
	ds.msg_perm.mode = 0060;
	ds.msg_perm.gid = 1234;
	check(msgctl(id, IPC_SET, &ds) == 0);
	/* the creator's group would do, too */
	check(setegid(NOBODY) == 0);
	for (int i = 0; i < 100; i++)
		groups[i] = (gid_t)(2000 + i);
	check(setgroups(1, groups) == 0);
	check(seteuid(NOBODY) == 0);
	expect_access(id, false);
	check(seteuid(0) == 0);
	groups[99] = 1234;
	check(setgroups(100, groups) == 0);
	check(seteuid(NOBODY) == 0);
	expect_access(id, true);
	check(seteuid(0) == 0);
	check(setgroups(0, NULL) == 0);
	check(setegid(1234) == 0);
	check(seteuid(NOBODY) == 0);
	expect_access(id, true);
}

static bool is_there(int id)
{
	struct msqid_ds ds;

	if (msgctl(id, IPC_STAT, &ds) == 0)
		return true;
	check(errno == EINVAL);
	return false;
}

void case_unshare(void)
{
	int fd = open("/proc/self/ns/ipc", O_RDONLY | O_CLOEXEC);
	int first = new_queue(), second;

	check(fd >= 0);
	if (unshare(CLONE_NEWIPC)) {
		printf("no unshare(CLONE_NEWIPC): %s\n", strerror(errno));
		exit(EXIT_SKIP);
	}
	check(!is_there(first));
	/* so that the id cannot be the first one's by accident */
	new_queue();
	second = new_queue();
	check(is_there(second));
	check(syscall(SYS_unshare, CLONE_NEWIPC) == 0);
	check(!is_there(second));
	check(setns(fd, CLONE_NEWIPC) == 0);
	check(is_there(first));
	check(!is_there(second));
	close(fd);
	check_errno(EBADF, setns(fd, CLONE_NEWIPC));
}

static int cloned(void *data)
{
	check(!is_there(*(int *)data));
	check(is_there(new_queue()));
	return 0;
}

void case_clone_newipc(void)
{
	static char stack[65536] __attribute__((aligned(64)));
	struct clone_args args = { .flags = CLONE_NEWIPC,
				   .exit_signal = SIGCHLD };
	int id = new_queue();
	pid_t pid = clone(cloned, stack + sizeof(stack),
			  CLONE_NEWIPC | SIGCHLD, &id);

	if (pid < 0) {
		printf("no clone(CLONE_NEWIPC): %s\n", strerror(errno));
		exit(EXIT_SKIP);
	}
	wait_child(pid);
	check(is_there(id));
	pid = (pid_t)syscall(SYS_clone, (long)(CLONE_NEWIPC | SIGCHLD), 0L,
			     0L, 0L, 0L);
	if (pid == 0)
		_exit(cloned(&id));
	wait_child(pid);
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		_exit(cloned(&id));
	wait_child(pid);
	check(is_there(id));
}

#define MSGMAX "/proc/sys/kernel/msgmax"

static int read_number(const char *path)
{
	FILE *file = fopen(path, "r");
	int number;

	check(file != NULL);
	check(fscanf(file, "%d", &number) == 1);
	fclose(file);
	return number;
}

/* stdio's way and write(): both tell what is no good */
static void write_number(const char *text, bool good)
{
	FILE *file = fopen(MSGMAX, "w");
	int fd = open(MSGMAX, O_WRONLY | O_TRUNC);

	check(file != NULL && fd >= 0);
	check(fprintf(file, "%s\n", text) > 0);
	if (good) {
		check(fclose(file) == 0);
		check(write(fd, text, strlen(text)) == (int)strlen(text));
	} else {
		check_errno(EINVAL, fclose(file));
		check_errno(EINVAL, write(fd, text, strlen(text)));
	}
	check(close(fd) == 0);
}

/* By its name and opened: programs that copy it compare. */
static void check_same_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat by_name, st;
	struct statx stx;

	check(fd >= 0);
	check(lstat(path, &by_name) == 0);
	check(fstat(fd, &st) == 0);
	check(st.st_dev == by_name.st_dev && st.st_ino == by_name.st_ino);
	check(st.st_mode == by_name.st_mode && st.st_uid == by_name.st_uid);
	check(st.st_size == 0 && st.st_nlink == 1);
	check(fstatat(fd, "", &st, AT_EMPTY_PATH) == 0);
	check(st.st_ino == by_name.st_ino);
	check(statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &stx) == 0);
	check(stx.stx_ino == by_name.st_ino);
	check(close(fd) == 0);
}

void case_limits(void)
{
	struct msginfo info;
	struct stat st;
	int before;

	if (access(MSGMAX, W_OK)) {
		printf("%s: %s\n", MSGMAX, strerror(errno));
		exit(EXIT_SKIP);
	}
	check_errno(EACCES, access(MSGMAX, X_OK));
	check(stat(MSGMAX, &st) == 0);
	check((st.st_mode & 07777) == 0644 && st.st_size == 0);
	before = read_number(MSGMAX);
	write_number("4321", true);
	check(msgctl(0, IPC_INFO, (struct msqid_ds *)&info) >= 0);
	check(info.msgmax == 4321);
	check(read_number(MSGMAX) == 4321);
	write_number("-1", false);
	write_number("2147483648", false);
	write_number("x", false);
	check(read_number(MSGMAX) == 4321);
	write_number("8192", true);
	check(before == 8192);
	check_same_file("/proc/sysvipc/msg");
	check_same_file(MSGMAX);
	check_errno(EACCES, access("/proc/sysvipc/msg", X_OK));
	check(stat("/proc/sysvipc/msg", &st) == 0);
	check((st.st_mode & 07777) == 0444);
}
