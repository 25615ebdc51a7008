/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory accesses the project uses between threads, by their kernel
 * names. Relaxed ones say at the call which access they pair with.
 */
#ifndef LOCK_ATOMIC_H
#define LOCK_ATOMIC_H

#define KF_CACHELINE 64

/* one access, not torn, not ordered */
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)

/* what was written before the release is seen after the acquire */
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

#endif /* LOCK_ATOMIC_H */
