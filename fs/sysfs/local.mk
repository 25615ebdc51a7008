# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LTLIBRARIES += libsysfs.la

libsysfs_la_SOURCES = \
	%reldir%/bin.c \
	%reldir%/dir.c \
	%reldir%/file.c \
	%reldir%/group.c \
	%reldir%/kobject.c \
	%reldir%/link.c \
	%reldir%/owner.c \
	%reldir%/sysfs-internal.h
libsysfs_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden

EXTRA_DIST += %reldir%/README.md
