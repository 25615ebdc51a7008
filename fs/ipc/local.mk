# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LTLIBRARIES += libipc.la

# The calls: also what the preload library is made of.
ipc_call_sources = \
	%reldir%/alloc.c \
	%reldir%/audit.c \
	%reldir%/fifo.c \
	%reldir%/heap.c \
	%reldir%/ids.c \
	%reldir%/ipc-internal.h \
	%reldir%/layout.h \
	%reldir%/lock.c \
	%reldir%/msg.c \
	%reldir%/msg.h \
	%reldir%/msgctl.c \
	%reldir%/perm.c \
	%reldir%/recover.c \
	%reldir%/region.c \
	%reldir%/select.c \
	%reldir%/session.c \
	%reldir%/session.h \
	%reldir%/slot.c \
	%reldir%/stat.c \
	%reldir%/trim.c \
	%reldir%/types.c \
	%reldir%/wait.c

# With what a daemon keeps of namespaces.
libipc_la_SOURCES = \
	$(ipc_call_sources) \
	%reldir%/keep.c \
	%reldir%/namespace-internal.h \
	%reldir%/namespace.c \
	%reldir%/namespace.h \
	%reldir%/reap.c \
	%reldir%/teardown.c \
	%reldir%/teardown.h
libipc_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libipc_la_LIBADD = liblock.la

# What the preload library needs of lock/, which it compiles for itself.
ipc_lock_sources = \
	lock/assert.c \
	lock/assert.h \
	lock/atomic.h \
	lock/futex.h \
	lock/ownlock.c \
	lock/ownlock.h \
	lock/percpu_counter.c \
	lock/percpu_counter.h \
	lock/presence.c \
	lock/presence.h \
	lock/rank.c \
	lock/rank.h \
	lock/rseq.c \
	lock/rseq.h \
	lock/say.c \
	lock/say.h

EXTRA_DIST += %reldir%/README.md
