# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LTLIBRARIES += libipc.la

libipc_la_SOURCES = \
	%reldir%/msg.h
libipc_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden

EXTRA_DIST += %reldir%/README.md
