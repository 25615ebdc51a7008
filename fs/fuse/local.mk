# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LTLIBRARIES += libkfd.la

# The only room that sees libfuse's headers.
libkfd_la_CPPFLAGS = $(AM_CPPFLAGS) $(FUSE3_CFLAGS)
libkfd_la_LIBADD = $(FUSE3_LIBS)
libkfd_la_SOURCES = \
	%reldir%/attr.c \
	%reldir%/caller.c \
	%reldir%/dentry.c \
	%reldir%/dir.c \
	%reldir%/file.c \
	%reldir%/forbidden.c \
	%reldir%/fuse-internal.h \
	%reldir%/handle.c \
	%reldir%/index.c \
	%reldir%/inode.c \
	%reldir%/log.c \
	%reldir%/lookup.c \
	%reldir%/mount.c \
	%reldir%/offload.c \
	%reldir%/ops.c \
	%reldir%/poll.c \
	%reldir%/reply.c \
	%reldir%/session.c \
	%reldir%/session.h \
	%reldir%/signal.c \
	%reldir%/stats.c \
	%reldir%/xattr.c

EXTRA_DIST += %reldir%/README.md
