// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * syscall(): system calls by their number.
 *
 * Those that have to do with queues, namespaces, credentials, descriptors that
 * might be ours and new programs are answered here; all others are made as they
 * are, with six arguments whatever the program passed. On x86-64 that happens
 * in assembly which leaves the stack alone: one of them may be clone() with a
 * stack of its own, or one that returns twice.
 */
#include "fs/ipc/preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/syscall.h>

int close_range(unsigned int first, unsigned int last, int flags);
int setns(int fd, int type);
int unshare(int flags);

long kf_syscall(long nr, long a, long b, long c, long d, long e, long f);
long kf_syscall_failed(long ret);

/* --- a new namespace for a new process --- */

static long clone_newipc(long nr, long a, long b, long c, long d, long e)
{
	struct ipc_namespace *ns;
	int err = kf_ns_create(&ns);
	long ret;

	if (err) {
		errno = -err;
		return -1;
	}
	ret = kf_syscall_raw(nr, a, b, c, d, e, 0);
	if (!ret && kf_ns_switch(ns, NULL))
		_exit(127);
	if (!ret)
		return 0;
	err = errno;
	ipc_ns_close(ns);
	errno = err;
	return ret;
}

static bool wants_newipc(unsigned long flags)
{
	return (flags & CLONE_NEWIPC) && !(flags & CLONE_VM) && kf_in_ns();
}

static long do_clone3(struct clone_args *args, size_t size)
{
	struct clone_args copy;

	if (size < CLONE_ARGS_SIZE_VER0 || size > sizeof(copy) ||
	    args->stack || !wants_newipc(args->flags))
		return kf_syscall_raw(SYS_clone3, (long)args, (long)size, 0, 0,
				      0, 0);
	memcpy(&copy, args, size);
	copy.flags &= ~(uint64_t)CLONE_NEWIPC;
	return clone_newipc(SYS_clone3, (long)&copy, (long)size, 0, 0, 0);
}

/* --- */

long kf_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret;

	switch (nr) {
	case SYS_msgget:
		return msgget((key_t)a, (int)b);
	case SYS_msgsnd:
		return msgsnd((int)a, (void *)b, (size_t)c, (int)d);
	case SYS_msgrcv:
		return msgrcv((int)a, (void *)b, (size_t)c, d, (int)e);
	case SYS_msgctl:
		return msgctl((int)a, (int)b, (void *)c);
	case SYS_unshare:
		return unshare((int)a);
	case SYS_setns:
		return setns((int)a, (int)b);
	case SYS_close:
		return close((int)a);
	case SYS_close_range:
		return close_range((unsigned int)a, (unsigned int)b, (int)c);
#ifdef SYS_dup2
	case SYS_dup2:
		return dup2((int)a, (int)b);
#endif
	case SYS_dup3:
		return dup3((int)a, (int)b, (int)c);
	case SYS_execve:
		return execve((char *)a, (char **)b, (char **)c);
	case SYS_execveat:
		return execveat((int)a, (char *)b, (char **)c, (char **)d,
				(int)e);
#if defined(__x86_64__) || defined(__aarch64__)
	case SYS_rt_sigaction:
		return kf_signal_syscall(a, (void *)b, (void *)c, d);
#endif
	case SYS_clone:
		if (b || !wants_newipc((unsigned long)a))
			break;
		return clone_newipc(nr, a & ~(long)CLONE_NEWIPC, b, c, d, e);
	case SYS_clone3:
		return do_clone3((struct clone_args *)a, (size_t)b);
	case SYS_setuid:
	case SYS_setgid:
	case SYS_setreuid:
	case SYS_setregid:
	case SYS_setresuid:
	case SYS_setresgid:
	case SYS_setgroups:
	case SYS_capset:
		ret = kf_syscall_raw(nr, a, b, c, d, e, f);
		kf_task_forget_all();
		return ret;
	}
	return kf_syscall_raw(nr, a, b, c, d, e, f);
}

#if defined(__x86_64__)

long kf_syscall_failed(long ret)
{
	errno = (int)-ret;
	return -1;
}

/*
 * The arguments lie as in any call of seven, so both branches and the error
 * are jumps. clone() and clone3() go to C only if they are for us and come
 * back on this stack, in another memory: CLONE_NEWIPC without CLONE_VM and
 * without a stack. vfork() has its own way of coming back, see vfork.c.
 */
#define STRING(x) #x
#define EXPAND(x) STRING(x)
#define TO(nr, label)                                                          \
	"	cmpq $" EXPAND(nr) ", %rdi\n"                                  \
	"	je " label "\n"

__asm__(".pushsection .text\n"
	".globl syscall\n"
	".type syscall, @function\n"
	".globl kf_syscall_raw\n"
	".hidden kf_syscall_raw\n"
	".type kf_syscall_raw, @function\n"
	".balign 16\n"
	"syscall:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	TO(__NR_msgsnd, "kf_syscall")
	TO(__NR_msgrcv, "kf_syscall")
	TO(__NR_msgget, "kf_syscall")
	TO(__NR_msgctl, "kf_syscall")
	TO(__NR_unshare, "kf_syscall")
	TO(__NR_setns, "kf_syscall")
	TO(__NR_setuid, "kf_syscall")
	TO(__NR_setgid, "kf_syscall")
	TO(__NR_setreuid, "kf_syscall")
	TO(__NR_setregid, "kf_syscall")
	TO(__NR_setresuid, "kf_syscall")
	TO(__NR_setresgid, "kf_syscall")
	TO(__NR_setgroups, "kf_syscall")
	TO(__NR_capset, "kf_syscall")
	TO(__NR_rt_sigaction, "kf_syscall")
	TO(__NR_close, "kf_syscall")
	TO(__NR_close_range, "kf_syscall")
	TO(__NR_dup2, "kf_syscall")
	TO(__NR_dup3, "kf_syscall")
	TO(__NR_execve, "kf_syscall")
	TO(__NR_execveat, "kf_syscall")
	TO(__NR_vfork, "vfork")
	TO(__NR_clone, "2f")
	TO(__NR_clone3, "3f")
	"kf_syscall_raw:\n"
	"1:	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsi\n"
	"	movq %rcx, %rdx\n"
	"	movq %r8, %r10\n"
	"	movq %r9, %r8\n"
	"	movq 8(%rsp), %r9\n"
	"	syscall\n"
	"	cmpq $-4095, %rax\n"
	"	jae 4f\n"
	"	ret\n"
	"2:	testl $" EXPAND(CLONE_NEWIPC) ", %esi\n"
	"	jz 1b\n"
	"	testl $" EXPAND(CLONE_VM) ", %esi\n"
	"	jnz 1b\n"
	"	testq %rdx, %rdx\n"
	"	jnz 1b\n"
	"	jmp kf_syscall\n"
	"3:	cmpq $4096, %rsi\n"
	"	jb 1b\n"
	"	testl $" EXPAND(CLONE_NEWIPC) ", (%rsi)\n"
	"	jz 1b\n"
	"	testl $" EXPAND(CLONE_VM) ", (%rsi)\n"
	"	jnz 1b\n"
	"	cmpq $0, 40(%rsi)\n"
	"	jne 1b\n"
	"	jmp kf_syscall\n"
	"4:	movq %rax, %rdi\n"
	"	jmp kf_syscall_failed\n"
	"	.cfi_endproc\n"
	".size syscall, . - syscall\n"
	".popsection\n");

#else

static long (*next_syscall)(long nr, ...);

static void __attribute__((constructor)) init(void)
{
	*(void **)(void *)&next_syscall = dlsym(RTLD_NEXT, "syscall");
}

long kf_syscall_raw(long nr, long a, long b, long c, long d, long e, long f)
{
	if (!next_syscall)
		init();
	return next_syscall(nr, a, b, c, d, e, f);
}

KF_CALL long syscall(long nr, ...)
{
	long args[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(ap, long);
	va_end(ap);
	return kf_syscall(nr, args[0], args[1], args[2], args[3], args[4],
			  args[5]);
}

#endif
