// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Who is calling: ids, groups, capabilities, process and thread.
 *
 * A queue asks for them at each call, and asking the kernel would cost more
 * than the whole call. So a thread remembers them together with a generation,
 * and asks again when that is not the process' generation any more, which
 *
 * - calls that change ids, groups or capabilities of the process raise;
 * - the kernel clears in the child of any fork(), raw system calls included,
 *   since it is in a page marked so.
 *
 * The child of vfork() has its parent's memory; there the thread's own copy is
 * forgotten, see vfork.c. It cannot be told apart where a program uses clone()
 * with CLONE_VM but neither CLONE_THREAD, CLONE_VFORK nor CLONE_SETTLS: two
 * tasks then share one thread's variables, ours as well as the C library's.
 */
#include "fs/ipc/preload/preload.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "lock/atomic.h"

/* More than that, and they are asked for at each call. */
#define MAX_GROUPS 64

struct task {
	uint32_t generation; /* 0: asked for nothing yet */
	struct ipc_cred cred;
	gid_t groups[MAX_GROUPS];
	gid_t *more_groups;
};

static __thread struct task self __attribute__((tls_model("initial-exec")));

/* 0 in a new child. Atomic; NULL: none, so that nothing can be remembered. */
static uint32_t *generation;
static uint32_t last_generation; /* atomic */

static void next_generation(void)
{
	uint32_t next;

	do
		next = __atomic_add_fetch(&last_generation, 1,
					  __ATOMIC_RELAXED);
	while (!next);
	/* The new ids were there before: pairs with the load in task_cred(). */
	smp_store_release(generation, next);
}

static void __attribute__((constructor)) init(void)
{
	uint32_t *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return;
	if (madvise(page, sizeof(*page), MADV_WIPEONFORK)) {
		munmap(page, sizeof(*page));
		return;
	}
	generation = page;
	next_generation();
}

static bool has_cap(const struct __user_cap_data_struct *caps, int cap)
{
	return caps[cap / 32].effective & (1u << (cap % 32));
}

static void ask_capabilities(struct ipc_cred *cred)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	memset(caps, 0, sizeof(caps));
	syscall(SYS_capget, &header, caps);
	cred->cap_ipc_owner = has_cap(caps, CAP_IPC_OWNER);
	cred->cap_sys_admin = has_cap(caps, CAP_SYS_ADMIN);
	cred->cap_sys_resource = has_cap(caps, CAP_SYS_RESOURCE);
	cred->cap_checkpoint_restore = has_cap(caps, CAP_CHECKPOINT_RESTORE);
}

/* Without memory for them the caller is in none. */
static void ask_groups(struct task *task)
{
	int nr = getgroups(MAX_GROUPS, task->groups);

	task->cred.groups = task->groups;
	if (nr < 0) {
		gid_t *groups;

		nr = getgroups(0, NULL);
		groups = realloc(task->more_groups,
				 (size_t)nr * sizeof(*groups));
		if (groups) {
			task->more_groups = groups;
			task->cred.groups = groups;
			nr = getgroups(nr, groups);
		}
		if (!groups || nr < 0)
			nr = 0;
	}
	task->cred.nr_groups = (size_t)nr;
}

static void __attribute__((noinline)) ask(struct task *task)
{
	int saved_errno = errno;
	struct ipc_cred *cred = &task->cred;

	if (generation) {
		if (!READ_ONCE(*generation))
			next_generation();
		task->generation = smp_load_acquire(generation);
	}
	cred->euid = geteuid();
	cred->egid = getegid();
	cred->tgid = getpid();
	cred->tid = (pid_t)syscall(SYS_gettid);
	ask_groups(task);
	ask_capabilities(cred);
	errno = saved_errno;
}

const struct ipc_cred *kf_task_cred(void)
{
	struct task *task = &self;

	/* acquire: pairs with next_generation() */
	if (unlikely(!generation || !task->generation ||
		     task->generation != smp_load_acquire(generation)))
		ask(task);
	return &task->cred;
}

void kf_task_forget(void)
{
	self.generation = 0;
}

void kf_task_forget_all(void)
{
	if (generation)
		next_generation();
}
