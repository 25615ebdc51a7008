/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Random calls on message queues, and the same on a model that is as simple as
 * can be: arrays, searched from the front. Every answer, every text and, now
 * and then, all figures must agree. Nothing sleeps here.
 *
 *	ipc-model [SEED]	for KERNFUSE_TEST_SECONDS, or 1
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fs/ipc/msg.h"

#define NR_QUEUES 80
#define MAX_MESSAGES 4096
#define MAX_TEXT 300
#define NR_KEYS 40

struct message {
	long type;
	size_t size;
	unsigned char first; /* the text is this and what follows it */
};

struct queue {
	bool used;
	int id;
	key_t key;
	unsigned long qbytes, cbytes;
	int qnum;
	struct message messages[MAX_MESSAGES];
};

static struct queue queues[NR_QUEUES];
static int nr_used, last_index = -1, cursor, seq, next_id = -1;
static int msgmax = 8192, msgmnb = 16384, msgmni = 32000;

static struct ipc_namespace *ns;
static struct ipc_cred cred;
static unsigned long nr_calls;
static unsigned long long seed;
static unsigned long long state;

static _Noreturn void differs(int line, const char *what, long ours, long model)
{
	fprintf(stderr,
		"%s:%d: call %lu: %s is %ld, the model says %ld; seed %llu\n",
		__FILE__, line, nr_calls, what, ours, model, seed);
	exit(1);
}
#define same(what, ours, model)                                                \
	do {                                                                   \
		long ours_ = (long)(ours), model_ = (long)(model);             \
		if (ours_ != model_)                                           \
			differs(__LINE__, what, ours_, model_);                \
	} while (0)

static unsigned int below(unsigned int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)((state >> 16) % n);
}

/* --- the model --- */

static int find_key(key_t key)
{
	for (int i = 0; i < NR_QUEUES; i++) {
		if (queues[i].used && queues[i].key == key)
			return i;
	}
	return -1;
}

static int find_id(int id)
{
	for (int i = 0; i < NR_QUEUES; i++) {
		if (queues[i].used && queues[i].id == id)
			return i;
	}
	return -1;
}

static bool index_free(int index)
{
	for (int i = 0; i < NR_QUEUES; i++) {
		if (queues[i].used && queues[i].id % 32768 == index)
			return false;
	}
	return true;
}

static int new_id(void)
{
	int window = nr_used * 3 / 2 < 64 ? 64 : nr_used * 3 / 2;
	int index, id;

	if (next_id >= 0) {
		for (index = next_id % 32768; !index_free(index); index++)
			;
		id = next_id / 32768 * 32768 + index;
		next_id = -1;
		return id;
	}
	for (index = cursor; index < window && !index_free(index); index++)
		;
	if (index >= window) {
		for (index = 0; !index_free(index); index++)
			;
	}
	if (index <= last_index)
		seq = seq + 1 >= 65535 ? 0 : seq + 1;
	last_index = index;
	cursor = index + 1;
	return seq * 32768 + index;
}

static int model_get(key_t key, int flg)
{
	int q = key == IPC_PRIVATE ? -1 : find_key(key);

	if (q >= 0)
		return flg & IPC_CREAT && flg & IPC_EXCL ? -EEXIST :
							   queues[q].id;
	if (key != IPC_PRIVATE && !(flg & IPC_CREAT))
		return -ENOENT;
	if (nr_used >= msgmni)
		return -ENOSPC;
	for (q = 0; queues[q].used; q++)
		;
	queues[q].id = new_id();
	queues[q].used = true;
	queues[q].key = key;
	queues[q].qbytes = (unsigned long)msgmnb;
	queues[q].cbytes = 0;
	queues[q].qnum = 0;
	nr_used++;
	return queues[q].id;
}

static int model_send(int id, const struct message *m)
{
	int i = find_id(id);
	struct queue *q;

	if (m->size > (size_t)msgmax || m->type < 1 || i < 0)
		return -EINVAL;
	q = &queues[i];
	if (m->size + q->cbytes > q->qbytes ||
	    (unsigned long)q->qnum + 1 > q->qbytes)
		return -EAGAIN;
	q->messages[q->qnum++] = *m;
	q->cbytes += m->size;
	return 0;
}

static int choose(const struct queue *q, long type, int flg)
{
	int best = -1;

	if (flg & MSG_COPY)
		return type >= 0 && type < q->qnum ? (int)type : -1;
	for (int i = 0; i < q->qnum; i++) {
		long t = q->messages[i].type;

		if (type == 0 ||
		    (type > 0 && !(flg & MSG_EXCEPT) && t == type) ||
		    (type > 0 && flg & MSG_EXCEPT && t != type))
			return i;
		if (type < 0 && t <= (type == LONG_MIN ? LONG_MAX : -type) &&
		    (best < 0 || t < q->messages[best].type))
			best = i;
	}
	return best;
}

static long model_receive(int id, size_t size, long type, int flg,
			  struct message *m)
{
	int i = find_id(id), n;
	struct queue *q;

	if (flg & MSG_COPY && flg & MSG_EXCEPT)
		return -EINVAL;
	if (i < 0)
		return -EINVAL;
	q = &queues[i];
	n = choose(q, type, flg);
	if (n < 0)
		return -ENOMSG;
	*m = q->messages[n];
	if (m->size > size && !(flg & MSG_NOERROR))
		return -E2BIG;
	if (flg & MSG_COPY)
		return m->size > size || m->size > (size_t)msgmax ?
			       -EINVAL :
			       (long)m->size;
	q->qnum--;
	q->cbytes -= m->size;
	memmove(&q->messages[n], &q->messages[n + 1],
		(size_t)(q->qnum - n) * sizeof(*m));
	return (long)(m->size < size ? m->size : size);
}

/* --- both --- */

static int some_id(void)
{
	int i = (int)below(NR_QUEUES);

	/* one that was, or never will be, at times */
	if (!queues[i].used && below(4))
		i = (int)below(3);
	return below(50) ? queues[i].id : (int)below(1 << 20);
}

static long some_type(void)
{
	switch (below(6)) {
	case 0:
		return 1 + below(1000000);
	case 1:
		return LONG_MAX - below(3);
	default:
		return 1 + below(12);
	}
}

static void do_get(void)
{
	key_t key = below(3) ? (key_t)below(NR_KEYS) - NR_KEYS / 2 :
			       IPC_PRIVATE;
	int flg = 0600 | (below(3) ? IPC_CREAT : 0) | (below(4) ? 0 : IPC_EXCL);

	if (nr_used == NR_QUEUES && (key == IPC_PRIVATE || find_key(key) < 0))
		return;
	same("msgget", ksys_msgget(ns, &cred, key, flg), model_get(key, flg));
}

static void do_send(void)
{
	struct message m = { .type = some_type(),
			     .first = (unsigned char)below(256) };
	static char buf[sizeof(long) + MAX_TEXT];
	int id = some_id(), i = find_id(id);

	m.size = below(4) ? below(40) : below(MAX_TEXT);
	if (!below(100))
		m.type = -(long)below(2);
	if (i >= 0 && queues[i].qnum == MAX_MESSAGES)
		return;
	memcpy(buf, &m.type, sizeof(m.type));
	for (size_t n = 0; n < m.size; n++)
		buf[sizeof(long) + n] = (char)(m.first + n);
	same("msgsnd", ksys_msgsnd(ns, &cred, id, buf, m.size, IPC_NOWAIT),
	     model_send(id, &m));
}

static void do_receive(void)
{
	static unsigned char buf[sizeof(long) + MAX_TEXT];
	static const int flags[] = { 0,		 0,
				     0,		 MSG_NOERROR,
				     MSG_EXCEPT, MSG_EXCEPT | MSG_NOERROR,
				     MSG_COPY,	 MSG_COPY | MSG_NOERROR };
	int flg = IPC_NOWAIT | flags[below(8)], id = some_id();
	size_t size = below(4) ? MAX_TEXT : below(40);
	long type = below(3) ? some_type() : 0, got, want;
	struct message m = { 0 };

	if (!below(3))
		type = -type;
	if (!below(100))
		type = LONG_MIN;
	if (flg & MSG_COPY && below(4))
		type = below(20);
	got = ksys_msgrcv(ns, &cred, id, buf, size, type, flg);
	want = model_receive(id, size, type, flg, &m);
	same("msgrcv", got, want);
	if (got < 0)
		return;
	memcpy(&type, buf, sizeof(type));
	same("type", type, m.type);
	for (long n = 0; n < got; n++)
		same("text", buf[sizeof(long) + n],
		     (unsigned char)(m.first + n));
}

static void do_set(void)
{
	int id = some_id(), i = find_id(id);
	struct msqid_ds ds = { .msg_perm.mode = 0600 };

	ds.msg_qbytes = below(20) ? 500 + below(16000) : below(20);
	same("IPC_SET", ksys_msgctl(ns, &cred, id, IPC_SET, &ds),
	     i < 0 ? -EINVAL : 0);
	if (i >= 0)
		queues[i].qbytes = ds.msg_qbytes;
}

static void do_remove(void)
{
	int id = some_id(), i = find_id(id);

	if (nr_used < NR_QUEUES / 2 && below(4))
		return;
	same("IPC_RMID", ksys_msgctl(ns, &cred, id, IPC_RMID, NULL),
	     i < 0 ? -EINVAL : 0);
	if (i < 0)
		return;
	queues[i].used = false;
	nr_used--;
}

static void do_limits(void)
{
	msgmax = below(3) ? 8192 : (int)below(200);
	msgmnb = 1000 + (int)below(15000);
	msgmni = below(3) ? 32000 : nr_used + (int)below(3);
	assert(ipc_set_limit(ns, IPC_LIMIT_MSGMAX, msgmax) == 0);
	assert(ipc_set_limit(ns, IPC_LIMIT_MSGMNB, msgmnb) == 0);
	assert(ipc_set_limit(ns, IPC_LIMIT_MSGMNI, msgmni) == 0);
	if (below(2))
		return;
	next_id = (int)below(1 << 20);
	assert(ipc_set_limit(ns, IPC_LIMIT_NEXT_ID, next_id) == 0);
}

static void compare_queue(const struct queue *q, int *highest)
{
	struct msqid_ds ds;

	same("IPC_STAT", ksys_msgctl(ns, &cred, q->id, IPC_STAT, &ds), 0);
	same("qnum", ds.msg_qnum, q->qnum);
	same("cbytes", ds.__msg_cbytes, q->cbytes);
	same("qbytes", ds.msg_qbytes, q->qbytes);
	same("key", ds.msg_perm.__key, q->key);
	if (q->id % 32768 > *highest)
		*highest = q->id % 32768;
}

static void compare_all(void)
{
	long messages = 0, bytes = 0;
	struct ipc_audit audit;
	struct msginfo info;
	int highest = 0;

	for (int i = 0; i < NR_QUEUES; i++) {
		if (!queues[i].used)
			continue;
		compare_queue(&queues[i], &highest);
		messages += queues[i].qnum;
		bytes += (long)queues[i].cbytes;
	}
	same("MSG_INFO", ksys_msgctl(ns, &cred, 0, MSG_INFO, (void *)&info),
	     highest);
	same("queues", info.msgpool, nr_used);
	same("messages", info.msgmap, messages);
	same("bytes", info.msgtql, bytes);
	if (ipc_ns_audit(ns, &audit) != 0) {
		fprintf(stderr, "call %lu: %s; seed %llu\n", nr_calls,
			audit.first_fault, seed);
		exit(1);
	}
}

static void one_call(void)
{
	unsigned int n = below(1000);

	nr_calls++;
	if (n < 480)
		do_send();
	else if (n < 930)
		do_receive();
	else if (n < 965)
		do_get();
	else if (n < 980)
		do_set();
	else if (n < 997)
		do_remove();
	else
		do_limits();
}

int main(int argc, char **argv)
{
	static const struct ipc_params params = { .mode = 0600 };
	const char *seconds = getenv("KERNFUSE_TEST_SECONDS");
	time_t end = time(NULL) + (seconds ? atoi(seconds) : 1) + 1;
	int dir = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) :
			  (unsigned long long)time(NULL) << 16 |
				  (unsigned long long)(getpid() & 0xffff);
	state = seed * 0x9e3779b97f4a7c15ull | 1;
	printf("seed %llu\n", seed);
	assert(dir >= 0);
	cred = (struct ipc_cred){ .tgid = getpid(),
				  .tid = getpid(),
				  .cap_sys_resource = true };
	assert(ipc_ns_create_private(dir, &params, &ns) == 0);
	while (time(NULL) < end) {
		for (int i = 0; i < 5000; i++)
			one_call();
		compare_all();
	}
	printf("%lu calls\n", nr_calls);
	ipc_ns_close(ns);
	return 0;
}
