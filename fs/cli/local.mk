# SPDX-License-Identifier: LGPL-2.1-or-later

bin_PROGRAMS += kernfuse

kernfuse_SOURCES = \
	%reldir%/background.c \
	%reldir%/check.c \
	%reldir%/cli-internal.h \
	%reldir%/help.c \
	%reldir%/ipc.c \
	%reldir%/ipc.h \
	%reldir%/ipc_list.c \
	%reldir%/ipc_named.c \
	%reldir%/ipc_run.c \
	%reldir%/ipc_tree.c \
	%reldir%/main.c \
	%reldir%/message.c \
	%reldir%/options.c \
	%reldir%/serve.c \
	%reldir%/words.c

kernfuse_CPPFLAGS = $(AM_CPPFLAGS) -DKF_PKGLIBDIR='"$(pkglibdir)"'

kernfuse_LDADD = \
	libkfd.la \
	libimport.la \
	libipctree.la \
	libipc.la \
	libkernfs.la \
	liblock.la

EXTRA_DIST += %reldir%/README.md
