/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restartable sequences: an add to memory that belongs to a CPU.
 *
 * A thread announces a short piece of code by storing the address of its
 * description in the rseq_cs field of its struct rseq. If it is preempted,
 * migrated or handed a signal inside, the kernel goes on at the abort address
 * instead; so whatever precedes the last instruction may have happened in
 * vain, and the last one happens on the CPU that was looked up, undisturbed,
 * or not at all. Nobody else writes that CPU's memory, whatever its process,
 * so the add needs no lock prefix.
 *
 * Everything that knows the kernel's interface is here and in rseq.c. Rules:
 * - only rseq_cs is ever written: kernels from 7.0 on kill a process that
 *   writes the other fields;
 * - rseq_cs is cleared behind the section, because the description may be in
 *   a library that somebody unloads;
 * - cpu_id alone tells where we are; mm_cid repeats between processes;
 * - whoever is turned down KF_RSEQ_TRIES times counts in some other way.
 *
 * Where there can be none (another machine, 32 bits, ThreadSanitizer, which
 * does not see into the section) KF_HAVE_RSEQ is 0 and kf_rseq_get() is always
 * NULL.
 */
#ifndef LOCK_RSEQ_H
#define LOCK_RSEQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lock/atomic.h"

#if defined(__SANITIZE_THREAD__)
#define KF_RSEQ_HIDDEN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KF_RSEQ_HIDDEN 1
#endif
#endif

#if defined(__linux__) && defined(__LP64__) && !defined(KF_RSEQ_HIDDEN) &&     \
	(defined(__x86_64__) || defined(__aarch64__))
#define KF_HAVE_RSEQ 1
#else
#define KF_HAVE_RSEQ 0
#endif

/* A section is a few instructions: to fail so often in a row takes a debugger
 * that steps through it, or signals without end. */
#define KF_RSEQ_TRIES 64

/* What every kernel has of struct rseq; the C library's may be longer. */
struct kf_rseq {
	uint32_t cpu_id_start;
	uint32_t cpu_id; /* negative, that is huge, if not registered */
	uint64_t rseq_cs;
	uint32_t flags;
};

/*
 * The CPU numbers this machine can have: one more than the highest, at least
 * 1. The same in every process that sees the same /sys, and from the first
 * call on.
 */
unsigned int kf_rseq_nr_cpus(void);

/* The same from the kernel's list form, "0-3,8\n"; 0 if it is no such list. */
unsigned int kf_rseq_parse_cpus(const char *list);

/*
 * kf_rseq_pause, kf_rseq_resume - between them this thread has no rseq
 *
 * For whoever starts a child that shares this thread's memory while it waits:
 * the child of vfork(), or of clone() with CLONE_VM and CLONE_VFORK, runs on
 * this thread's struct rseq but is not registered; cpu_id then says where the
 * parent was, and nothing aborts a section. Pause before the call and resume
 * in the parent after it; the child inherits the pause. Pairs nest.
 *
 * Context: any, signal handlers included.
 */
void kf_rseq_pause(void);
void kf_rseq_resume(void);

/* Between them, or in a child that was started there. Context: any. */
bool kf_rseq_is_paused(void);

#if KF_HAVE_RSEQ

/*
 * The calling thread's, or NULL: not looked for yet, there is none, or paused.
 * Of the thread alone; no other one reads it.
 */
extern __thread struct kf_rseq *kf_rseq_self
	__attribute__((tls_model("initial-exec")));

struct kf_rseq *kf_rseq_find(void);

/* What kf_rseq_get() has found before, without a call. */
static inline struct kf_rseq *kf_rseq_peek(void)
{
	return kf_rseq_self;
}

static inline struct kf_rseq *kf_rseq_get(void)
{
	struct kf_rseq *self = kf_rseq_peek();

	return __builtin_expect(self != NULL, 1) ? self : kf_rseq_find();
}

/*
 * One description: version and flags 0, begin, length, abort address; 32
 * bytes, so aligned. It needs relocation in a library, hence the section. The
 * kernel wants the signature in the 4 bytes before the abort address.
 */
#define KF_RSEQ_DESCRIBE(quad)                                                 \
	".pushsection .data.rel.ro.kf_rseq, \"aw\"\n\t"                        \
	".balign 32\n"                                                         \
	"3:\t.long 0, 0\n\t" quad " 1f, 2f - 1f, 4f\n\t"                       \
	".popsection\n\t"

/*
 * kf_rseq_add - add to a word of a CPU, if this thread is on that CPU
 * @rseq: of the calling thread, from kf_rseq_get()
 * @cpu: the CPU
 * @word: its word, aligned to 8 bytes; only this function ever writes it
 *
 * Return: true if it was added, once; false if nothing was: the thread is
 * somewhere else, or was interrupted.
 */
#if defined(__x86_64__)

/* The signature is the operand of an undefined instruction, so that what
 * disassembles or speculates past it is not led astray. */
static inline __attribute__((always_inline)) bool
kf_rseq_add(struct kf_rseq *rseq, uint32_t cpu, int64_t *word, int64_t amount)
{
	__asm__ goto(KF_RSEQ_DESCRIBE(
			     ".quad") "leaq 3b(%%rip), %%rax\n\t"
				      "movq %%rax, 8(%[rseq])\n"
				      "1:\tcmpl %[cpu], 4(%[rseq])\n\t"
				      "jne %l[not_here]\n\t"
				      "addq %[amount], (%[word])\n"
				      "2:\tmovq $0, 8(%[rseq])\n\t"
				      ".pushsection .text.unlikely, \"ax\"\n\t"
				      ".byte 0x0f, 0xb9, 0x3d\n\t"
				      ".long 0x53053053\n"
				      "4:\tjmp %l[not_here]\n\t"
				      ".popsection"
		     :
		     : [rseq] "r"(rseq), [cpu] "r"(cpu), [word] "r"(word),
		       [amount] "er"(amount)
		     : "rax", "cc", "memory"
		     : not_here);
	return true;
not_here:
	WRITE_ONCE(rseq->rseq_cs, 0); /* read by the kernel alone */
	return false;
}

#elif defined(__aarch64__)

/* The signature is a BRK; as an instruction it has the byte order of code,
 * which is what the C library registers on big-endian machines, too. */
static inline __attribute__((always_inline)) bool
kf_rseq_add(struct kf_rseq *rseq, uint32_t cpu, int64_t *word, int64_t amount)
{
	__asm__ goto(KF_RSEQ_DESCRIBE(
			     ".xword") "adrp x16, 3b\n\t"
				       "add x16, x16, :lo12:3b\n\t"
				       "str x16, [%[rseq], #8]\n"
				       "1:\tldr w16, [%[rseq], #4]\n\t"
				       "cmp w16, %w[cpu]\n\t"
				       "b.ne %l[not_here]\n\t"
				       "ldr x16, [%[word]]\n\t"
				       "add x16, x16, %[amount]\n\t"
				       "str x16, [%[word]]\n"
				       "2:\tstr xzr, [%[rseq], #8]\n\t"
				       ".pushsection .text.unlikely, \"ax\"\n\t"
				       ".inst 0xd428bc00\n"
				       "4:\tb %l[not_here]\n\t"
				       ".popsection"
		     :
		     : [rseq] "r"(rseq), [cpu] "r"(cpu), [word] "r"(word),
		       [amount] "r"(amount)
		     : "x16", "cc", "memory"
		     : not_here);
	return true;
not_here:
	WRITE_ONCE(rseq->rseq_cs, 0); /* read by the kernel alone */
	return false;
}

#endif

#else /* !KF_HAVE_RSEQ */

static inline struct kf_rseq *kf_rseq_peek(void)
{
	return NULL;
}

static inline struct kf_rseq *kf_rseq_get(void)
{
	return NULL;
}

static inline bool kf_rseq_add(struct kf_rseq *rseq, uint32_t cpu,
			       int64_t *word, int64_t amount)
{
	(void)rseq, (void)cpu, (void)word, (void)amount;
	return false;
}

#endif /* KF_HAVE_RSEQ */

#endif /* LOCK_RSEQ_H */
