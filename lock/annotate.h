/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lock annotations for Clang's thread-safety analysis; empty elsewhere.
 *
 * They state on a declaration what rank.h checks at run time. Only functions
 * are annotated: member annotations do not work on the Clang of Debian 12.
 */
#ifndef LOCK_ANNOTATE_H
#define LOCK_ANNOTATE_H

#if defined(__clang__)
#define KF_TSA(x) __attribute__((x))
#else
#define KF_TSA(x)
#endif

#define KF_CAPABILITY(name) KF_TSA(capability(name))
#define __kf_acquires(l) KF_TSA(acquire_capability(l))
#define __kf_acquires_shared(l) KF_TSA(acquire_shared_capability(l))
#define __kf_releases(l) KF_TSA(release_capability(l))
#define __kf_releases_shared(l) KF_TSA(release_shared_capability(l))
#define __kf_must_hold(l) KF_TSA(requires_capability(l))
#define __kf_no_analysis KF_TSA(no_thread_safety_analysis)

#endif /* LOCK_ANNOTATE_H */
