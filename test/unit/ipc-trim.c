/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* However much a process sends or receives, it has little mapped. */
#include "fs/ipc/ipc-internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "test/unit/util.h"

#define QUEUES 4000
#define BYTES 8000
#define MOST (12ul << 20) /* mapped; there are 32 MB of messages */

static struct ipc_namespace *ns;
static struct ipc_cred cred;
static int ids[QUEUES];

static struct text {
	long type;
	char bytes[BYTES];
} text;

static void setup(void)
{
	struct ipc_params params = { .owner = geteuid(), .group = getegid() };
	const char *base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	int dir = open(base, O_RDONLY | O_DIRECTORY);

	cred = (struct ipc_cred){
		.euid = geteuid(),
		.egid = getegid(),
		.tgid = getpid(),
		.tid = getpid(),
	};
	ck_assert_int_eq(ipc_ns_create_private(dir, &params, &ns), 0);
	close(dir);
}

static void teardown(void)
{
	ipc_ns_close(ns);
}

/* Bytes of the region in this process's page tables. */
static unsigned long mapped(void)
{
	FILE *smaps = fopen("/proc/self/smaps", "r");
	unsigned long start = 0, kb = 0;
	char line[512], other;
	bool ours = false;

	ck_assert_ptr_nonnull(smaps);
	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%*x %c", &start, &other) == 2)
			ours = start == (unsigned long)(uintptr_t)ns->base;
		else if (ours && sscanf(line, "Rss: %lu", &kb) == 1)
			break;
	}
	fclose(smaps);
	return kb << 10;
}

static void send_one(int id, unsigned int nth)
{
	text.type = 1;
	memset(text.bytes, (int)nth, BYTES);
	must(ksys_msgsnd(ns, &cred, id, &text, BYTES, IPC_NOWAIT) == 0);
}

static void receive_one(int id, unsigned int nth)
{
	must(ksys_msgrcv(ns, &cred, id, &text, BYTES, 0, IPC_NOWAIT) == BYTES);
	must(text.bytes[0] == (char)nth);
	must(memcmp(text.bytes, text.bytes + 1, BYTES - 1) == 0);
}

START_TEST(much)
{
	unsigned long most = 0;

	for (unsigned int i = 0; i < QUEUES; i++) {
		ids[i] = ksys_msgget(ns, &cred, IPC_PRIVATE, 0600);
		must(ids[i] >= 0);
		send_one(ids[i], i);
		if (i % 500 == 0 && mapped() > most)
			most = mapped();
	}
	for (unsigned int i = 0; i < QUEUES; i++) {
		receive_one(ids[i], i);
		if (i % 500 == 0 && mapped() > most)
			most = mapped();
	}
	ck_assert_uint_gt(most, 0);
	ck_assert_uint_lt(most, MOST);
}
END_TEST

/* The same few parts again and again: nothing is let go of. */
START_TEST(little)
{
	int id = ksys_msgget(ns, &cred, IPC_PRIVATE, 0600);
	unsigned int touched;

	for (unsigned int i = 0; i < 100; i++) {
		send_one(id, i);
		receive_one(id, i);
	}
	touched = ns->nr_touched;
	ck_assert_uint_gt(touched, 0);
	for (unsigned int i = 0; i < 20000; i++) {
		send_one(id, i);
		receive_one(id, i);
	}
	ck_assert_uint_eq(ns->nr_touched, touched);
}
END_TEST

/* More than that, again and again: some day nothing is let go of any more. */
START_TEST(in_use)
{
	unsigned int touched;

	for (unsigned int i = 0; i < QUEUES / 4; i++) {
		ids[i] = ksys_msgget(ns, &cred, IPC_PRIVATE, 0600);
		must(ids[i] >= 0);
		send_one(ids[i], i);
	}
	for (unsigned int round = 0; round < 10; round++) {
		touched = ns->nr_touched;
		for (unsigned int i = 0; i < QUEUES / 4; i++) {
			send_one(ids[i], i);
			receive_one(ids[i], i);
		}
	}
	ck_assert_uint_eq(ns->nr_touched, touched);
	ck_assert_uint_gt(mapped(), QUEUES / 4 * BYTES);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		much,
		little,
		in_use,
	};

	return test_run("ipc-trim", tests, NR_OF(tests), setup, teardown);
}
