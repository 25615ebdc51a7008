/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A private region for each test, and calls as this process. */
#ifndef TEST_UNIT_IPC_FIXTURE_H
#define TEST_UNIT_IPC_FIXTURE_H

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "fs/ipc/ipc-internal.h"
#include "test/unit/util.h"

struct text {
	long type;
	char text[100];
};

static struct ipc_namespace *ns;
static struct ipc_cred cred;
static int shm_dir = -1;

static inline void new_region(void)
{
	static const struct ipc_params params = { .mode = 0600 };

	shm_dir = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(shm_dir, 0);
	cred = (struct ipc_cred){ .euid = geteuid(),
				  .egid = getegid(),
				  .tgid = getpid(),
				  .tid = getpid() };
	ck_assert_int_eq(ipc_ns_create_private(shm_dir, &params, &ns), 0);
}

/* Whatever the test did, the region is sound. */
static inline void drop_region(void)
{
	struct ipc_audit audit;

	ck_assert_msg(ipc_ns_audit(ns, &audit) == 0, "%s", audit.first_fault);
	ipc_ns_close(ns);
	close(shm_dir);
}

static inline int new_queue(void)
{
	int id = ksys_msgget(ns, &cred, IPC_PRIVATE, 0600);

	must(id >= 0);
	return id;
}

static inline int put(int id, long type, const char *text)
{
	struct text m = { .type = type };

	strcpy(m.text, text);
	return ksys_msgsnd(ns, &cred, id, &m, strlen(text) + 1, IPC_NOWAIT);
}

static inline ssize_t take(int id, long type, struct text *m)
{
	return ksys_msgrcv(ns, &cred, id, m, sizeof(m->text), type, IPC_NOWAIT);
}

#endif /* TEST_UNIT_IPC_FIXTURE_H */
