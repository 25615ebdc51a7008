// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Going to the background.
 *
 * The fork comes first, before any thread exists; the child does everything.
 * The parent stays until the mount answers, so that the next command of a
 * script finds it, and returns the child's failure as its own.
 *
 * Over a pipe the child says "mounted" with one byte. Then the parent asks
 * the mount itself: the kernel holds that back until the daemon serves. No
 * byte: the child has ended, and told why.
 */
#include "fs/cli/cli-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the parent --- */

/* for the handler below; set before it is installed */
static pid_t child_pid;
static volatile sig_atomic_t forwarded;

/* The child has a session of its own: a Ctrl-C reaches only us. */
static void forward(int sig)
{
	int saved = errno;

	forwarded = sig;
	kill(child_pid, SIGTERM);
	errno = saved;
}

static void forward_signals(const sigset_t *old_mask)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = forward }, old;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	sigprocmask(SIG_SETMASK, old_mask, NULL);
}

static int child_status(void)
{
	int status;

	while (waitpid(child_pid, &status, 0) < 0)
		if (errno != EINTR)
			return KF_EXIT_LOST;
	if (forwarded) {
		signal(forwarded, SIG_DFL);
		raise(forwarded);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status))
		return WEXITSTATUS(status);
	if (WIFSIGNALED(status))
		kf_error("the daemon was killed by signal %d before it was "
			 "ready",
			 WTERMSIG(status));
	return KF_EXIT_LOST;
}

static int ask_mount(const struct kf_options *o)
{
	struct statfs st;

	if (kf_is_fd_mountpoint(o->mount_path))
		return KF_EXIT_OK;
	while (statfs(o->mount_path, &st)) {
		if (errno == EINTR)
			continue;
		kf_error("%s is mounted but does not answer: %s", o->mountpoint,
			 strerror(errno));
		return KF_EXIT_SILENT;
	}
	return KF_EXIT_OK;
}

static int wait_for_child(int fd, const struct kf_options *o)
{
	ssize_t n;
	char byte;

	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	close(fd);
	return n == 1 ? ask_mount(o) : child_status();
}

/* --- the child --- */

static void close_inherited(int ready_fd, const struct kf_options *o)
{
	int keep = ready_fd;

	/* another one's /dev/fuse is among them */
	if (kf_is_fd_mountpoint(o->mount_path))
		return;
	/* so that nobody waits for the end of a pipe we know nothing of */
	if (keep != 3) {
		dup2(keep, 3);
		close(keep);
	}
	close_range(4, ~0U, 0);
}

static void become_daemon(struct kf_ready *ready, const struct kf_options *o)
{
	setsid();
	umask(0);
	close_inherited(ready->fd, o);
	if (!kf_is_fd_mountpoint(o->mount_path))
		ready->fd = 3;
	fcntl(ready->fd, F_SETFD, FD_CLOEXEC);
}

static int leave_terminal(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	return 0;
}

int kf_tell_ready(struct kf_ready *ready)
{
	int err;

	if (ready->fd < 0)
		return 0;
	kf_messages_to_syslog();
	err = leave_terminal();
	if (!err && write(ready->fd, "", 1) != 1)
		err = -errno;
	close(ready->fd);
	ready->fd = -1;
	return err;
}

/* --- both --- */

static int fork_failed(const int fds[2])
{
	kf_error("cannot go to the background: %s", strerror(errno));
	close(fds[0]);
	close(fds[1]);
	return KF_EXIT_BACKGROUND;
}

int kf_background(struct kf_ready *ready, const struct kf_options *o)
{
	sigset_t all, old_mask;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC)) {
		kf_error("cannot go to the background: %s", strerror(errno));
		return KF_EXIT_BACKGROUND;
	}
	/* until there is a handler: a signal now must not kill only one */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old_mask);
	child_pid = fork();
	if (child_pid < 0) {
		sigprocmask(SIG_SETMASK, &old_mask, NULL);
		return fork_failed(fds);
	}
	if (child_pid) {
		close(fds[1]);
		forward_signals(&old_mask);
		return wait_for_child(fds[0], o);
	}
	close(fds[0]);
	ready->fd = fds[1];
	become_daemon(ready, o);
	/* SIGTERM and its like wait until kfd_signals_init() unblocks them */
	sigaddset(&old_mask, SIGHUP);
	sigaddset(&old_mask, SIGINT);
	sigaddset(&old_mask, SIGTERM);
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
	return -1;
}
