# SPDX-License-Identifier: LGPL-2.1-or-later

public_headers = \
	%reldir%/kernfuse/caller.h \
	%reldir%/kernfuse/err.h \
	%reldir%/kernfuse/export.h \
	%reldir%/kernfuse/file.h \
	%reldir%/kernfuse/inode.h \
	%reldir%/kernfuse/kernfs.h \
	%reldir%/kernfuse/kobject.h \
	%reldir%/kernfuse/locking.h \
	%reldir%/kernfuse/log.h \
	%reldir%/kernfuse/mount.h \
	%reldir%/kernfuse/node.h \
	%reldir%/kernfuse/poll.h \
	%reldir%/kernfuse/root.h \
	%reldir%/kernfuse/seq_file.h \
	%reldir%/kernfuse/sysfs.h \
	%reldir%/kernfuse/types.h \
	%reldir%/kernfuse/xattr.h

pkginclude_HEADERS = $(public_headers)
nodist_pkginclude_HEADERS = %reldir%/kernfuse/version.h

EXTRA_DIST += %reldir%/README.md
