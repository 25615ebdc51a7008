/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the checks over one of the two; see parity.h and parity.sh. */
#undef NDEBUG
#include "test/ipc/parity.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/ipc/backend.h"

#define NOBODY 65534

static const struct backend *backend;
/* shared with children: they fail for us */
static int *failures;
struct message taken;

int get(key_t key, int flg)
{
	return backend->get(key, flg);
}

int snd(int id, const void *msgp, size_t size, int flg)
{
	return backend->snd(id, msgp, size, flg);
}

ssize_t rcv(int id, void *msgp, size_t size, long type, int flg)
{
	return backend->rcv(id, msgp, size, type, flg);
}

int ctl(int id, int cmd, void *buf)
{
	return backend->ctl(id, cmd, buf);
}

int set_limit(const char *name, long value)
{
	return backend->set_limit(name, value);
}

long get_limit(const char *name)
{
	return backend->get_limit(name);
}

char *table(void)
{
	return backend->table();
}

/* --- checks --- */

void says(const char *name, const char *result, const char *expected)
{
	bool right = strcmp(result, expected) == 0;

	printf("%s: %s\n", name, result);
	fflush(stdout);
	if (right || !backend->must_be_right)
		return;
	__atomic_add_fetch(failures, 1, __ATOMIC_RELAXED);
	fprintf(stderr, "%s: %s, expected %s\n", name, result, expected);
}

void is(const char *name, long result, const char *expected)
{
	char buf[32];

	if (result < 0) {
		const char *error = strerrorname_np((int)-result);

		says(name, error ? error : "an error without a name", expected);
		return;
	}
	snprintf(buf, sizeof(buf), "%ld", result);
	says(name, buf, expected);
}

void says_f(const char *name, const char *expected, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	says(name, buf, expected);
}

/* --- shorthands --- */

int new_queue(void)
{
	int id = get(IPC_PRIVATE, 0600);

	assert(id >= 0);
	return id;
}

int drop(int id)
{
	return ctl(id, IPC_RMID, NULL);
}

int put(int id, long type, const char *text)
{
	struct message m;

	m.type = type;
	memcpy(m.text, text, strlen(text));
	return snd(id, &m, strlen(text), IPC_NOWAIT);
}

int put_size(int id, long type, size_t size)
{
	static struct message m;

	m.type = type;
	memset(m.text, 'x', size);
	return snd(id, &m, size, IPC_NOWAIT);
}

ssize_t take(int id, size_t size, long type, int flg)
{
	memset(&taken, 0, offsetof(struct message, text) + 64);
	return rcv(id, &taken, size, type, flg | IPC_NOWAIT);
}

struct msqid_ds stat_of(int id)
{
	struct msqid_ds ds;

	memset(&ds, 0xff, sizeof(ds));
	assert(ctl(id, IPC_STAT, &ds) == 0);
	return ds;
}

int set_qbytes(int id, unsigned long qbytes)
{
	struct msqid_ds ds = stat_of(id);

	ds.msg_qbytes = qbytes;
	return ctl(id, IPC_SET, &ds);
}

const char *totals(void)
{
	static char buf[64];
	struct msginfo info;

	assert(ctl(0, MSG_INFO, &info) >= 0);
	snprintf(buf, sizeof(buf), "%d %d %d", info.msgpool, info.msgmap,
		 info.msgtql);
	return buf;
}

const char *filling(int id)
{
	static char buf[64];
	struct msqid_ds ds = stat_of(id);

	snprintf(buf, sizeof(buf), "%lu %lu", (unsigned long)ds.msg_qnum,
		 (unsigned long)ds.__msg_cbytes);
	return buf;
}

/* --- others --- */

void as_nobody(void (*func)(int), int arg)
{
	int status;
	pid_t pid = fork();

	assert(pid >= 0);
	if (pid == 0) {
		assert(setgroups(0, NULL) == 0);
		assert(setresgid(NOBODY, NOBODY, NOBODY) == 0);
		assert(setresuid(NOBODY, NOBODY, NOBODY) == 0);
		func(arg);
		_exit(0);
	}
	assert(waitpid(pid, &status, 0) == pid);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void ignore(int sig)
{
	(void)sig;
}

static void handle(bool restart)
{
	struct sigaction sa = {
		.sa_handler = ignore,
		.sa_flags = restart ? SA_RESTART : 0,
	};

	assert(sigaction(SIGUSR1, &sa, NULL) == 0);
}

static struct sleeper
start(void (*func)(struct reply *, int, size_t, long, int), int id, size_t size,
      long type, int flg, int handler)
{
	struct sleeper s;
	struct reply r;
	int fds[2];

	memset(&r, 0, sizeof(r));
	assert(pipe(fds) == 0);
	s.pid = fork();
	assert(s.pid >= 0);
	if (s.pid == 0) {
		close(fds[0]);
		if (handler)
			handle(handler == 2);
		func(&r, id, size, type, flg);
		assert(write(fds[1], &r, sizeof(r)) == sizeof(r));
		_exit(0);
	}
	close(fds[1]);
	s.fd = fds[0];
	return s;
}

static void do_receive(struct reply *r, int id, size_t size, long type, int flg)
{
	static struct message m;

	r->result = rcv(id, &m, size, type, flg);
	r->type = m.type;
	memcpy(r->text, m.text, sizeof(r->text) - 1);
}

static void do_send(struct reply *r, int id, size_t size, long type, int flg)
{
	static struct message m;

	m.type = type;
	memset(m.text, 's', sizeof(m.text));
	r->result = snd(id, &m, size, flg);
}

struct sleeper start_receive(int id, size_t size, long type, int flg)
{
	struct sleeper s = start(do_receive, id, size, type, flg, 0);

	until_asleep(&s);
	return s;
}

struct sleeper start_send(int id, long type, size_t size)
{
	struct sleeper s = start(do_send, id, size, type, 0, 0);

	until_asleep(&s);
	return s;
}

struct sleeper start_receive_handled(int id, bool restart)
{
	struct sleeper s = start(do_receive, id, 100, 0, 0, restart ? 2 : 1);

	until_asleep(&s);
	return s;
}

struct sleeper start_send_handled(int id, size_t size, bool restart)
{
	struct sleeper s = start(do_send, id, size, 1, 0, restart ? 2 : 1);

	until_asleep(&s);
	return s;
}

static char state_of(pid_t pid)
{
	char path[64], buf[256], *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY);
	assert(fd >= 0);
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	assert(n > 0);
	buf[n] = '\0';
	p = strrchr(buf, ')');
	assert(p && p[1] == ' ');
	return p[2];
}

/* Asleep three times in a row, or done already. */
void until_asleep(struct sleeper *s)
{
	for (int i = 0, asleep = 0; i < 20000 && asleep < 3; i++) {
		asleep = state_of(s->pid) == 'S' ? asleep + 1 : 0;
		if (state_of(s->pid) == 'Z')
			return;
		usleep(500);
	}
}

bool asleep(struct sleeper *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	return poll(&p, 1, 30) == 0;
}

struct reply finish(struct sleeper *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	struct reply r = { .result = -ETIMEDOUT };

	/* one that has not come back by then never will */
	if (poll(&p, 1, 10000) == 1)
		assert(read(s->fd, &r, sizeof(r)) == sizeof(r));
	else
		kill(s->pid, SIGKILL);
	close(s->fd);
	assert(waitpid(s->pid, NULL, 0) == s->pid);
	return r;
}

int main(int argc, char **argv)
{
	assert(argc >= 2);
	setvbuf(stdout, NULL, _IOLBF, 0);
	failures = backend_shared(sizeof(*failures));
	backend = strcmp(argv[1], "kernel") == 0 ? backend_kernel() :
						   backend_ours();
	if (!backend)
		return 77;
	if (argc > 2 && strcmp(argv[2], "big") == 0) {
		parity_big();
		return *failures ? 1 : 0;
	}
	parity_get();
	parity_send();
	parity_receive();
	parity_wait_receive();
	parity_wait_send();
	parity_ctl();
	parity_table();
	if (*failures)
		fprintf(stderr, "%d checks failed\n", *failures);
	return *failures ? 1 : 0;
}
