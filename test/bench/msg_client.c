/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program of kernfuse-bench msg: it sends and receives by the four calls,
 * and neither knows nor asks whose queues those are.
 */
#include "msg.h"

#include <errno.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define BATCH 64 /* messages between two looks at the clock */
#define TEXT 1
#define END 2

struct message {
	long type;
	char text[8192];
};

static int make_queue(void)
{
	int id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);

	if (id < 0)
		bench_fail("msgget: %s", strerror(errno));
	return id;
}

static void remove_queue(int id)
{
	msgctl(id, IPC_RMID, NULL);
}

static void send_message(int id, const struct message *message,
			 unsigned int bytes)
{
	if (msgsnd(id, message, bytes, 0))
		bench_fail("msgsnd: %s", strerror(errno));
}

/* its type */
static long receive_message(int id, struct message *message)
{
	if (msgrcv(id, message, sizeof(message->text), 0, 0) < 0)
		bench_fail("msgrcv: %s", strerror(errno));
	return message->type;
}

static uint64_t deadline(const struct msg_setup *setup)
{
	return bench_now_ns() + (uint64_t)(setup->seconds * 1e9);
}

static double per_second(uint64_t count, uint64_t begin_ns)
{
	return (double)count * 1e9 / (double)(bench_now_ns() - begin_ns);
}

static double same_task(const struct msg_setup *setup)
{
	struct message message = { .type = TEXT };
	uint64_t end = deadline(setup), begin = bench_now_ns(), count = 0;
	int id = make_queue();

	bench_pin_to_cpu(0);
	while (bench_now_ns() < end) {
		for (int i = 0; i < BATCH; i++) {
			send_message(id, &message, setup->bytes);
			receive_message(id, &message);
		}
		count += BATCH;
	}
	remove_queue(id);
	return per_second(count, begin);
}

/* Sends until the time is up, then the end. */
static void send_all(int id, unsigned int bytes, uint64_t end)
{
	struct message message = { .type = TEXT };

	while (bench_now_ns() < end)
		for (int i = 0; i < BATCH; i++)
			send_message(id, &message, bytes);
	message.type = END;
	send_message(id, &message, 0);
}

static uint64_t receive_all(int id)
{
	struct message message;
	uint64_t count = 0;

	while (receive_message(id, &message) != END)
		count++;
	return count;
}

static double one_way(const struct msg_setup *setup)
{
	uint64_t end = deadline(setup), begin = bench_now_ns(), count;
	int id = make_queue();
	pid_t pid = fork();

	if (pid < 0)
		bench_fail("fork: %s", strerror(errno));
	if (pid == 0) {
		bench_pin_to_cpu(0);
		send_all(id, setup->bytes, end);
		_exit(0);
	}
	bench_pin_to_cpu(1);
	count = receive_all(id);
	waitpid(pid, NULL, 0);
	remove_queue(id);
	return per_second(count, begin);
}

static _Noreturn void send_back(int to, int from, unsigned int bytes)
{
	struct message message;

	bench_pin_to_cpu(1);
	while (receive_message(to, &message) != END)
		send_message(from, &message, bytes);
	_exit(0);
}

static double ping_pong(const struct msg_setup *setup)
{
	struct message message = { .type = TEXT };
	uint64_t end = deadline(setup), begin = bench_now_ns(), count = 0;
	int to = make_queue(), from = make_queue();
	pid_t pid = fork();
	double rate;

	if (pid < 0)
		bench_fail("fork: %s", strerror(errno));
	if (pid == 0)
		send_back(to, from, setup->bytes);
	bench_pin_to_cpu(0);
	for (; bench_now_ns() < end; count++) {
		send_message(to, &message, setup->bytes);
		receive_message(from, &message);
	}
	rate = per_second(count, begin);
	message.type = END;
	send_message(to, &message, 0);
	waitpid(pid, NULL, 0);
	remove_queue(to);
	remove_queue(from);
	return rate;
}

/* --- pairs of threads --- */

struct pair {
	alignas(128) pthread_t sender, receiver;
	int id;
	unsigned int bytes;
	uint64_t end, count;
};

static void *sender(void *data)
{
	struct pair *pair = data;

	send_all(pair->id, pair->bytes, pair->end);
	return NULL;
}

static void *receiver(void *data)
{
	struct pair *pair = data;

	pair->count = receive_all(pair->id);
	return NULL;
}

static void start(pthread_t *thread, void *(*fn)(void *), struct pair *pair)
{
	pthread_attr_t attr;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	err = pthread_create(thread, &attr, fn, pair);
	pthread_attr_destroy(&attr);
	if (err)
		bench_fail("cannot start a thread: %s", strerror(err));
}

static double threads(const struct msg_setup *setup)
{
	unsigned int nr = (setup->tasks + 1) / 2;
	struct pair *pairs = aligned_alloc(128, nr * sizeof(*pairs));
	uint64_t begin = bench_now_ns(), end = deadline(setup), count = 0;
	double rate;

	if (!pairs)
		bench_fail("out of memory");
	for (unsigned int i = 0; i < nr; i++) {
		pairs[i].id = make_queue();
		pairs[i].bytes = setup->bytes;
		pairs[i].end = end;
		start(&pairs[i].receiver, receiver, &pairs[i]);
		start(&pairs[i].sender, sender, &pairs[i]);
	}
	for (unsigned int i = 0; i < nr; i++) {
		pthread_join(pairs[i].sender, NULL);
		pthread_join(pairs[i].receiver, NULL);
		count += pairs[i].count;
	}
	rate = per_second(count, begin);
	for (unsigned int i = 0; i < nr; i++)
		remove_queue(pairs[i].id);
	free(pairs);
	return rate;
}

double msg_client(const struct msg_setup *setup)
{
	switch (setup->which) {
	case MSG_SAME_TASK:
		return same_task(setup);
	case MSG_ONE_WAY:
		return one_way(setup);
	case MSG_PING_PONG:
		return ping_pong(setup);
	case MSG_THREADS:
		return threads(setup);
	default:
		bench_fail("no such case");
	}
}
