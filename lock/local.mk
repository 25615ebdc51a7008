# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LTLIBRARIES += liblock.la

liblock_la_SOURCES = \
	%reldir%/annotate.h \
	%reldir%/assert.c \
	%reldir%/assert.h \
	%reldir%/atomic.h \
	%reldir%/clock.h \
	%reldir%/futex.h \
	%reldir%/hashed.c \
	%reldir%/hashed.h \
	%reldir%/llist.h \
	%reldir%/mutex.h \
	%reldir%/nodelock.c \
	%reldir%/nodelock.h \
	%reldir%/ownlock.c \
	%reldir%/ownlock.h \
	%reldir%/percpu.c \
	%reldir%/percpu.h \
	%reldir%/percpu_counter.c \
	%reldir%/percpu_counter.h \
	%reldir%/presence.c \
	%reldir%/presence.h \
	%reldir%/rank.c \
	%reldir%/rank.h \
	%reldir%/rcu.c \
	%reldir%/rcu.h \
	%reldir%/rcutab.c \
	%reldir%/rcutab.h \
	%reldir%/rseq.c \
	%reldir%/rseq.h \
	%reldir%/rwsem.c \
	%reldir%/rwsem.h \
	%reldir%/say.c \
	%reldir%/say.h \
	%reldir%/seqcount.h \
	%reldir%/wait.c \
	%reldir%/wait.h \
	%reldir%/workqueue.c \
	%reldir%/workqueue.h
liblock_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
liblock_la_LIBADD = $(URCU_LIBS)

EXTRA_DIST += %reldir%/README.md
