# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LTLIBRARIES += libipc.la

libipc_la_SOURCES = \
	%reldir%/alloc.c \
	%reldir%/fifo.c \
	%reldir%/heap.c \
	%reldir%/ids.c \
	%reldir%/ipc-internal.h \
	%reldir%/layout.h \
	%reldir%/lock.c \
	%reldir%/msg.c \
	%reldir%/msg.h \
	%reldir%/msgctl.c \
	%reldir%/namespace-internal.h \
	%reldir%/namespace.c \
	%reldir%/namespace.h \
	%reldir%/perm.c \
	%reldir%/reap.c \
	%reldir%/recover.c \
	%reldir%/region.c \
	%reldir%/select.c \
	%reldir%/slot.c \
	%reldir%/stat.c \
	%reldir%/teardown.c \
	%reldir%/teardown.h \
	%reldir%/types.c \
	%reldir%/wait.c
libipc_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libipc_la_LIBADD = liblock.la

EXTRA_DIST += %reldir%/README.md
