# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LTLIBRARIES += libimport.la

libimport_la_SOURCES = \
	%reldir%/content.c \
	%reldir%/content.h \
	%reldir%/hosttree.c \
	%reldir%/import-internal.h \
	%reldir%/import.h \
	%reldir%/job.c \
	%reldir%/reader.c

EXTRA_DIST += %reldir%/README.md
