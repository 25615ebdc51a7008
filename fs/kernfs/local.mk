# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LTLIBRARIES += libkernfs.la

libkernfs_la_SOURCES = \
	%reldir%/active.c \
	%reldir%/add.c \
	%reldir%/attr.c \
	%reldir%/caller.c \
	%reldir%/check.c \
	%reldir%/dir.c \
	%reldir%/export.c \
	%reldir%/file.c \
	%reldir%/hooks.c \
	%reldir%/id.c \
	%reldir%/kernfs-internal.h \
	%reldir%/lookup.c \
	%reldir%/name.c \
	%reldir%/node.c \
	%reldir%/open-file.h \
	%reldir%/open.c \
	%reldir%/path.c \
	%reldir%/path.h \
	%reldir%/poll.c \
	%reldir%/remove.c \
	%reldir%/rename.c \
	%reldir%/root.c \
	%reldir%/seq_file.c \
	%reldir%/symlink.c \
	%reldir%/tree.c \
	%reldir%/walk.c \
	%reldir%/xattr.c
libkernfs_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden

EXTRA_DIST += %reldir%/README.md
