/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Assertions that stay in: NDEBUG does not remove them. All consume their
 * expression, so that a variable used only here is used.
 */
#ifndef LOCK_ASSERT_H
#define LOCK_ASSERT_H

/* Says where and why on stderr, then aborts. Never returns. */
_Noreturn void kf_die(const char *file, int line, const char *what);

/* Cheap invariants: always checked. */
#define kf_assert(expr)                                                        \
	((expr) ? (void)0 : kf_die(__FILE__, __LINE__, #expr))

/* Dear ones: checked with --enable-lock-debug. */
#ifdef KF_LOCK_DEBUG
#define kf_assert_debug(expr) kf_assert(expr)
#else
#define kf_assert_debug(expr) ((void)sizeof((expr) ? 1 : 0))
#endif

/*
 * A caller's mistake that the library can survive: says so once on stderr,
 * as the kernel's WARN_ON_ONCE does, and is the condition's value.
 */
int kf_warn(const char *file, int line, const char *what);
#define kf_warn_on_once(expr)                                                  \
	({                                                                     \
		static int kf_warned_;                                         \
		int kf_cond_ = !!(expr);                                       \
		if (kf_cond_ &&                                                \
		    !__atomic_exchange_n(&kf_warned_, 1, __ATOMIC_RELAXED))    \
			kf_warn(__FILE__, __LINE__, #expr);                    \
		kf_cond_;                                                      \
	})

#endif /* LOCK_ASSERT_H */
