# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LTLIBRARIES += libipctree.la

libipctree_la_SOURCES = \
	%reldir%/cred.c \
	%reldir%/host.c \
	%reldir%/ipctree-internal.h \
	%reldir%/ipctree.c \
	%reldir%/ipctree.h \
	%reldir%/msg.c \
	%reldir%/namespace.c \
	%reldir%/queue.c \
	%reldir%/regions.c \
	%reldir%/text.c
libipctree_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden

EXTRA_DIST += %reldir%/README.md
