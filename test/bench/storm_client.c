/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The client processes of a storm. Processes, not threads, as in the kernel
 * author's test: threads would share a file table and its lock.
 *
 * All meet at a barrier in shared memory before and after each round; in
 * between each writes only its own cache line there. A client that dies ends
 * the run, since the others would wait for it at the barrier; clients die
 * with their parent.
 */
#include "storm.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

struct client {
	alignas(128) uint64_t ops;
	uint64_t errors;
	uint64_t begin_ns, end_ns;
	int error;	   /* of the first op that failed */
	unsigned int file; /* on which */
};

/* Written by the parent between two barriers, when no client looks. */
struct orders {
	pthread_barrier_t begin, end;
	unsigned int dir;
	uint64_t deadline_ns; /* 0: until the ops are done */
	bool quit;
};

struct storm_clients {
	const struct storm_run *run;
	size_t size; /* of this mapping */
	struct orders orders;
	struct client clients[];
};

/* --- in the client --- */

static int open_read_close(int dirfd, const char *path)
{
	char buf[STORM_READ_SIZE];
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return errno;
	if (read(fd, buf, sizeof(buf)) < 0)
		error = errno;
	close(fd);
	return error;
}

static int do_op(enum storm_mode mode, int dirfd, const char *path)
{
	struct stat st;

	if (mode == STORM_OPEN)
		return open_read_close(dirfd, path);
	return fstatat(dirfd, path, &st, 0) ? errno : 0;
}

static bool is_done(const struct storm_run *run, const struct orders *orders,
		    const struct client *me)
{
	if (orders->deadline_ns)
		return me->end_ns >= orders->deadline_ns;
	return me->ops + me->errors >= run->ops;
}

/* @file is where the client begins: they are spread over the list. */
static void hammer(const struct storm_run *run, const struct orders *orders,
		   struct client *me, unsigned int file)
{
	int dirfd = run->dirs[orders->dir].fd;

	me->begin_ns = me->end_ns = bench_now_ns();
	while (!is_done(run, orders, me)) {
		int error = do_op(run->mode, dirfd, run->files->paths[file]);

		if (!error) {
			me->ops++;
		} else if (me->errors++ == 0) {
			me->error = error;
			me->file = file;
		}
		if (++file == run->files->nr)
			file = 0;
		me->end_ns = bench_now_ns();
	}
}

static _Noreturn void client_main(struct storm_clients *clients,
				  unsigned int nth, pid_t parent)
{
	const struct storm_run *run = clients->run;
	struct orders *orders = &clients->orders;
	unsigned int file = (unsigned int)((uint64_t)nth * run->files->nr /
					   run->nr_clients);

	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE); /* it died before the line above */
	for (;;) {
		pthread_barrier_wait(&orders->begin);
		if (orders->quit)
			_exit(EXIT_SUCCESS);
		hammer(run, orders, &clients->clients[nth], file);
		pthread_barrier_wait(&orders->end);
	}
}

/* --- in the parent --- */

static void client_died(int sig)
{
	static const char text[] = BENCH_PROGRAM ": a client died\n";

	(void)sig;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_FAILURE);
}

static void init_barrier(pthread_barrier_t *barrier, unsigned int count)
{
	pthread_barrierattr_t attr;

	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(barrier, &attr, count);
	pthread_barrierattr_destroy(&attr);
}

static struct storm_clients *map_shared(const struct storm_run *run)
{
	struct storm_clients *clients;
	size_t size = sizeof(*clients) +
		      run->nr_clients * sizeof(clients->clients[0]);

	clients = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (clients == MAP_FAILED)
		bench_fail("cannot map memory: %s", strerror(errno));
	clients->run = run;
	clients->size = size;
	init_barrier(&clients->orders.begin, run->nr_clients + 1);
	init_barrier(&clients->orders.end, run->nr_clients + 1);
	return clients;
}

struct storm_clients *storm_clients_start(const struct storm_run *run)
{
	struct storm_clients *clients = map_shared(run);
	pid_t parent = getpid();

	signal(SIGCHLD, client_died);
	for (unsigned int i = 0; i < run->nr_clients; i++) {
		pid_t pid = fork();

		if (pid == 0)
			client_main(clients, i, parent);
		if (pid < 0)
			bench_fail("cannot fork: %s", strerror(errno));
	}
	return clients;
}

static void sum_up(const struct storm_clients *clients,
		   struct storm_result *ret_result)
{
	const struct storm_run *run = clients->run;
	uint64_t begin = UINT64_MAX, end = 0;

	*ret_result = (struct storm_result){ 0 };
	for (unsigned int i = 0; i < run->nr_clients; i++) {
		const struct client *client = &clients->clients[i];

		ret_result->ops += client->ops;
		ret_result->errors += client->errors;
		if (client->begin_ns < begin)
			begin = client->begin_ns;
		if (client->end_ns > end)
			end = client->end_ns;
		if (!client->errors)
			continue;
		ret_result->error = client->error;
		ret_result->path = run->files->paths[client->file];
	}
	ret_result->seconds = (double)(end - begin) / 1e9;
}

void storm_clients_round(struct storm_clients *clients, unsigned int nth,
			 struct storm_result *ret_result)
{
	const struct storm_run *run = clients->run;
	struct orders *orders = &clients->orders;

	memset(clients->clients, 0,
	       run->nr_clients * sizeof(clients->clients[0]));
	orders->dir = nth;
	orders->deadline_ns = 0;
	if (!run->ops)
		orders->deadline_ns =
			bench_now_ns() + (uint64_t)(run->seconds * 1e9);
	pthread_barrier_wait(&orders->begin);
	pthread_barrier_wait(&orders->end);
	sum_up(clients, ret_result);
}

void storm_clients_stop(struct storm_clients *clients)
{
	signal(SIGCHLD, SIG_DFL);
	clients->orders.quit = true;
	pthread_barrier_wait(&clients->orders.begin);
	while (wait(NULL) > 0 || errno == EINTR)
		;
	munmap(clients, clients->size);
}
