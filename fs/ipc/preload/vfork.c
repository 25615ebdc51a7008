// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Children that share their parent's memory while it waits: vfork(), and
 * clone() with CLONE_VM and CLONE_VFORK.
 *
 * Such a child runs on its parent's thread variables: it must forget whose
 * ids and whose robust list they hold, and so must the parent when it goes on;
 * and it must count without rseq, see kf_rseq_pause().
 *
 * vfork() returns twice to the same place on the stack, of which the child
 * may overwrite what is below. So it cannot be a C function; the return
 * address waits in a register, which the kernel restores for each. Where it
 * is not written here vfork() is fork(), as POSIX allows, whose child needs
 * no such care.
 */
#include "fs/ipc/preload/preload.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "lock/presence.h"
#include "lock/rseq.h"

int kf_vfork_before(void);
int kf_vfork_after(long ret);

int kf_vfork_before(void)
{
	kf_rseq_pause();
	return 0;
}

/* What its variables say of this thread was said of another one. */
static void forget(void)
{
	kf_task_forget();
	kf_presence_tls.generation = 0;
}

/* In both of them. The child keeps the pause. */
int kf_vfork_after(long ret)
{
	forget();
	if (ret)
		kf_rseq_resume();
	if (ret >= 0)
		return (int)ret;
	errno = (int)-ret;
	return -1;
}

#if defined(__x86_64__)

#define STRING(x) #x
#define EXPAND(x) STRING(x)

__asm__(".pushsection .text\n"
	".globl vfork\n"
	".globl __vfork\n"
	".type vfork, @function\n"
	".type __vfork, @function\n"
	".balign 16\n"
	"vfork:\n"
	"__vfork:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call kf_vfork_before\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_register %rip, %rdi\n"
	"	movl $" EXPAND(__NR_vfork) ", %eax\n"
	"	syscall\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rip, 0\n"
	"	movq %rax, %rdi\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call kf_vfork_after\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size vfork, . - vfork\n"
	".size __vfork, . - __vfork\n"
	".popsection\n");

#else

KF_CALL pid_t vfork(void)
{
	return fork();
}

pid_t __vfork(void);
KF_ALIAS(vfork) pid_t __vfork(void);

#endif

/* --- clone() --- */

struct start {
	int (*fn)(void *arg);
	void *arg;
	struct ipc_namespace *ns; /* to go into, or NULL */
};

static int child(void *data)
{
	/* a copy: the parent's stack is not ours without CLONE_VM's wait */
	struct start start = *(struct start *)data;

	forget();
	if (start.ns && kf_ns_switch(start.ns, NULL))
		_exit(127);
	return start.fn(start.arg);
}

static int clone_sharing(struct start *start, void *stack, int flags,
			 void *const extra[3])
{
	int ret;

	kf_rseq_pause();
	ret = kf_real()->clone(child, stack, flags, start, extra[0], extra[1],
			       extra[2]);
	kf_rseq_resume();
	forget();
	return ret;
}

/* The parent keeps its namespace; the child has inherited the other one. */
static int clone_newipc(struct start *start, void *stack, int flags,
			void *const extra[3])
{
	int ret, err;

	err = kf_ns_create(&start->ns);
	if (err) {
		errno = -err;
		return -1;
	}
	ret = kf_real()->clone(child, stack, flags & ~CLONE_NEWIPC, start,
			       extra[0], extra[1], extra[2]);
	err = errno;
	ipc_ns_close(start->ns);
	errno = err;
	return ret;
}

KF_CALL int clone(int (*fn)(void *arg), void *stack, int flags, void *arg, ...)
{
	struct start start = { .fn = fn, .arg = arg };
	void *extra[3];
	va_list ap;

	/* whether they were passed or not, as the C library does */
	va_start(ap, arg);
	for (int i = 0; i < 3; i++)
		extra[i] = va_arg(ap, void *);
	va_end(ap);
	if (fn && (flags & CLONE_VM) && (flags & CLONE_VFORK))
		return clone_sharing(&start, stack, flags, extra);
	if (fn && (flags & CLONE_NEWIPC) && !(flags & CLONE_VM) && kf_in_ns())
		return clone_newipc(&start, stack, flags, extra);
	return kf_real()->clone(fn, stack, flags, arg, extra[0], extra[1],
				extra[2]);
}

KF_ALIAS(clone)
int __clone(int (*fn)(void *arg), void *stack, int flags, void *arg, ...);
