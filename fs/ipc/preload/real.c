// SPDX-License-Identifier: LGPL-2.1-or-later
/* The calls that ours stand before. */
#include "fs/ipc/preload/preload.h"

#include <dlfcn.h>

#include "lock/atomic.h"

static const struct name {
	const char *name;
	size_t offset;
} names[] = {
#define NAME(call)                                                             \
	{                                                                      \
		#call, offsetof(struct kf_real, call)                          \
	}
	NAME(access),
	NAME(capset),
	NAME(clone),
	NAME(close),
	NAME(close_range),
	NAME(dup2),
	NAME(dup3),
	NAME(euidaccess),
	NAME(execve),
	NAME(execveat),
	NAME(execvpe),
	NAME(faccessat),
	NAME(fclose),
	NAME(fexecve),
	NAME(fopen),
	NAME(fstat),
	NAME(fstatat),
	NAME(initgroups),
	NAME(lstat),
	NAME(msgctl),
	NAME(msgget),
	NAME(msgrcv),
	NAME(msgsnd),
	NAME(open),
	NAME(openat),
	NAME(popen),
	NAME(posix_spawn),
	NAME(posix_spawnp),
	NAME(setegid),
	NAME(seteuid),
	NAME(setgid),
	NAME(setgroups),
	NAME(setns),
	NAME(setregid),
	NAME(setresgid),
	NAME(setresuid),
	NAME(setreuid),
	NAME(setuid),
	NAME(sigaction),
	NAME(signal),
	NAME(sigset),
	NAME(stat),
	NAME(statx),
	NAME(system),
	NAME(sysv_signal),
	NAME(unshare),
	NAME(write),
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static struct kf_real real;
static bool ready; /* atomic */

/*
 * All at once: some of them are called where looking up a name is not allowed,
 * in signal handlers and children of vfork(). Threads may do it twice, with
 * the same result.
 */
static void find_all(void)
{
	for (size_t i = 0; i < NR_NAMES; i++) {
		void *call = dlsym(RTLD_NEXT, names[i].name);

		*(void **)(void *)((char *)&real + names[i].offset) = call;
	}
	/* with the acquire in kf_real() */
	smp_store_release(&ready, true);
}

const struct kf_real *kf_real(void)
{
	/* another library may call before our constructor has run */
	if (unlikely(!smp_load_acquire(&ready)))
		find_all();
	return &real;
}

static void __attribute__((constructor)) init(void)
{
	kf_real();
}
