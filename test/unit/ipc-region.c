/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a namespace. */
#include "test/unit/ipc-fixture.h"

#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

static char name[64];

static void setup(void)
{
	snprintf(name, sizeof(name), "kernfuse-test-%d", (int)getpid());
	new_region();
}

static void teardown(void)
{
	unlinkat(shm_dir, name, 0);
	ipc_ns_close(ns);
	close(shm_dir);
}

START_TEST(by_name)
{
	struct ipc_params params = { .mode = 0640,
				     .owner = geteuid(),
				     .group = getegid(),
				     .counters = IPC_COUNTERS_ATOMIC };
	struct ipc_namespace *a, *b;
	struct stat st;
	struct text m;
	int id;

	ck_assert_int_eq(ipc_ns_open(shm_dir, name, &a), -ENOENT);
	ck_assert_int_eq(ipc_ns_create(shm_dir, name, &params, &a), 0);
	ck_assert_int_eq(ipc_ns_create(shm_dir, name, &params, &b), -EEXIST);
	ck_assert_int_eq(fstatat(shm_dir, name, &st, 0), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0640);
	ck_assert_int_eq(ipc_ns_open(shm_dir, name, &b), 0);
	ck_assert_int_eq(ipc_ns_counters(b), IPC_COUNTERS_ATOMIC);
	ck_assert_uint_eq(ipc_ns_owner(b).uid, geteuid());
	id = ksys_msgget(a, &cred, 5, IPC_CREAT | 0600);
	ck_assert_int_eq(ksys_msgget(b, &cred, 5, 0), id);
	m.type = 3;
	ck_assert_int_eq(ksys_msgsnd(a, &cred, id, &m, 10, 0), 0);
	ipc_ns_close(a);
	ck_assert_int_eq(ksys_msgrcv(b, &cred, id, &m, 10, 0, 0), 10);
	ipc_ns_close(b);
	/* it lives on without holders */
	ck_assert_int_eq(ipc_ns_open(shm_dir, name, &a), 0);
	ck_assert_int_eq(ksys_msgget(a, &cred, 5, 0), id);
	ipc_ns_close(a);
}
END_TEST

START_TEST(lock_of_holders)
{
	struct ipc_params params = { .mode = 0600 };
	struct ipc_namespace *a, *b;
	int fd;

	ck_assert_int_eq(ipc_ns_create(shm_dir, name, &params, &a), 0);
	fd = openat(shm_dir, name, O_RDWR | O_CLOEXEC);
	ck_assert_int_lt(flock(fd, LOCK_EX | LOCK_NB), 0);
	ipc_ns_close(a);
	ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
	ck_assert_int_eq(ipc_ns_open(shm_dir, name, &b), -EWOULDBLOCK);
	close(fd);
	ck_assert_int_eq(ipc_ns_open(shm_dir, name, &b), 0);
	ck_assert_int_eq(fcntl(ipc_ns_fd(b), F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(ipc_ns_set_inherit(b, true), 0);
	ck_assert_int_eq(fcntl(ipc_ns_fd(b), F_GETFD), 0);
	ipc_ns_close(b);
}
END_TEST

START_TEST(what_is_no_region)
{
	struct ipc_params params = { .limit = 4096 };
	struct ipc_namespace *a;
	char bytes[8192] = "not a region";
	int fd;

	ck_assert_int_eq(ipc_ns_create_private(shm_dir, &params, &a), -EINVAL);
	params.limit = SIZE_MAX;
	ck_assert_int_eq(ipc_ns_create_private(shm_dir, &params, &a), -EINVAL);
	params.limit = 0;
	params.counters = (enum ipc_counters)7;
	ck_assert_int_eq(ipc_ns_create_private(shm_dir, &params, &a), -EINVAL);
	fd = openat(shm_dir, name, O_RDWR | O_CREAT | O_EXCL, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ipc_ns_open(shm_dir, name, &a), -EINVAL);
	ck_assert_int_eq(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	ck_assert_int_eq(ipc_ns_open(shm_dir, name, &a), -EINVAL);
	close(fd);
}
END_TEST

/* Each byte of the header, changed: it is refused, or it does not matter. */
START_TEST(header_bytes)
{
	struct ipc_params params = { .mode = 0600 };
	struct ipc_namespace *a, *b;
	size_t limits = offsetof(struct ipc_super, msgmax);

	ck_assert_int_eq(ipc_ns_create(shm_dir, name, &params, &a), 0);
	for (size_t i = 0; i < limits; i++) {
		char was = a->base[i];

		a->base[i] = (char)(was ^ 0x41);
		if (ipc_ns_open(shm_dir, name, &b) == 0)
			ipc_ns_close(b);
		else
			must(i < limits - 8);
		a->base[i] = was;
	}
	must(ipc_ns_open(shm_dir, name, &b) == 0);
	ipc_ns_close(b);
	ck_assert_int_eq(ftruncate(ipc_ns_fd(a), 1 << 20), 0);
	ck_assert_int_eq(ipc_ns_open(shm_dir, name, &b), -EIO);
	ipc_ns_close(a);
}
END_TEST

static void on_bus_error(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	if (!ipc_ns_fault(info->si_addr))
		_exit(3);
}

/* A file that shrinks is a region that has gone, and no more. */
START_TEST(shrinks)
{
	struct sigaction sa = { .sa_sigaction = on_bus_error,
				.sa_flags = SA_SIGINFO };
	int id = new_queue();
	struct ipc_totals totals;
	struct text m;

	ck_assert(!ipc_ns_fault(&sa));
	ck_assert_int_eq(sigaction(SIGBUS, &sa, NULL), 0);
	ck_assert_int_eq(put(id, 1, "x"), 0);
	ck_assert_int_eq(ftruncate(ipc_ns_fd(ns), 0), 0);
	ck_assert_int_lt(take(id, 0, &m), 0);
	ck_assert_int_eq(take(id, 0, &m), -EIO);
	ck_assert_int_eq(put(id, 1, "x"), -EIO);
	ck_assert_int_eq(ksys_msgget(ns, &cred, 1, IPC_CREAT), -EIO);
	ck_assert_int_eq(ipc_get_totals(ns, &totals), -EIO);
}
END_TEST

START_TEST(out_of_memory)
{
	struct ipc_params params = { .limit = 20u << 20 };
	static char big[(1 << 20) + sizeof(long)];
	struct ipc_namespace *a;
	struct ipc_audit audit;
	int id, err, nr = 0;

	*(long *)(void *)big = 1;
	ck_assert_int_eq(ipc_ns_create_private(shm_dir, &params, &a), 0);
	ipc_set_limit(a, IPC_LIMIT_MSGMAX, INT_MAX);
	ipc_set_limit(a, IPC_LIMIT_MSGMNB, INT_MAX);
	id = ksys_msgget(a, &cred, 0, 0600);
	while ((err = ksys_msgsnd(a, &cred, id, big, 1 << 20, IPC_NOWAIT)) == 0)
		nr++;
	ck_assert_int_eq(err, -ENOMEM);
	while ((err = ksys_msgsnd(a, &cred, id, big, 8192, IPC_NOWAIT)) == 0)
		;
	ck_assert_int_eq(err, -ENOMEM);
	ck_assert_int_eq(ipc_ns_audit(a, &audit), 0);
	/* and there is room again */
	ck_assert_int_eq(ksys_msgrcv(a, &cred, id, big, 1 << 20, 0, 0),
			 1 << 20);
	ck_assert_int_eq(ksys_msgsnd(a, &cred, id, big, 1 << 20, IPC_NOWAIT),
			 0);
	ck_assert_int_eq(ksys_msgctl(a, &cred, id, IPC_RMID, NULL), 0);
	ck_assert_int_eq(ipc_ns_audit(a, &audit), 0);
	ck_assert_int_gt(nr, 1);
	ipc_ns_close(a);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		by_name,      lock_of_holders, what_is_no_region,
		header_bytes, shrinks,	       out_of_memory,
	};

	return test_run("ipc/region", tests, NR_OF(tests), setup, teardown);
}
