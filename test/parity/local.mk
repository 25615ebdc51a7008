# SPDX-License-Identifier: LGPL-2.1-or-later
#
# System calls on the kernel's file systems and on ours: parity makes them,
# compare finds differences, the scripts provide two of a kind.

parity_once = \
	%reldir%/cgroup.sh \
	%reldir%/sysfs.sh

check_PROGRAMS += %reldir%/parity
%canon_reldir%_parity_SOURCES = \
	%reldir%/dir.c \
	%reldir%/forbid.c \
	%reldir%/hooks.c \
	%reldir%/io.c \
	%reldir%/link.c \
	%reldir%/main.c \
	%reldir%/open.c \
	%reldir%/parity.h \
	%reldir%/perm.c \
	%reldir%/poll.c \
	%reldir%/read.c \
	%reldir%/removed.c \
	%reldir%/say.c \
	%reldir%/setattr.c \
	%reldir%/site.c \
	%reldir%/site.h \
	%reldir%/stat.c \
	%reldir%/who.c \
	%reldir%/write.c \
	%reldir%/xattr.c
%canon_reldir%_parity_LDADD =

check_PROGRAMS += %reldir%/parityd
%canon_reldir%_parityd_SOURCES = \
	%reldir%/parityd.c \
	%reldir%/parityd.h \
	%reldir%/parityd_cgroup.c \
	%reldir%/parityd_device.c
# as a user of the library
%canon_reldir%_parityd_LDADD = libkernfuse.la

EXTRA_DIST += \
	$(parity_once) \
	%reldir%/README.md \
	%reldir%/compare \
	%reldir%/differences
