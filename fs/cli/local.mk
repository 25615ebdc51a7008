# SPDX-License-Identifier: LGPL-2.1-or-later

bin_PROGRAMS += kernfuse

kernfuse_SOURCES = \
	%reldir%/background.c \
	%reldir%/check.c \
	%reldir%/cli-internal.h \
	%reldir%/help.c \
	%reldir%/main.c \
	%reldir%/message.c \
	%reldir%/options.c \
	%reldir%/serve.c \
	%reldir%/words.c

kernfuse_LDADD = \
	libkfd.la \
	libimport.la \
	libkernfs.la \
	liblock.la

EXTRA_DIST += %reldir%/README.md
