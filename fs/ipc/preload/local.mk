# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What programs load before the C library. It is compiled by itself: it takes
# in only what it needs, liburcu not at all, and it cannot have a sanitizer's
# runtime, which would have to be in the program.

pkglib_LTLIBRARIES += libkernfuse-ipc.la

libkernfuse_ipc_la_SOURCES = \
	$(ipc_call_sources) \
	$(ipc_lock_sources) \
	%reldir%/attach.c \
	%reldir%/close.c \
	%reldir%/cred.c \
	%reldir%/exec.c \
	%reldir%/fopen.c \
	%reldir%/msg.c \
	%reldir%/namespace.c \
	%reldir%/open.c \
	%reldir%/preload.h \
	%reldir%/procfile.c \
	%reldir%/real.c \
	%reldir%/signal.c \
	%reldir%/stat.c \
	%reldir%/syscall.c \
	%reldir%/task.c \
	%reldir%/vfork.c
libkernfuse_ipc_la_CFLAGS = -pthread $(WARN_CFLAGS) -fvisibility=hidden
libkernfuse_ipc_la_LIBADD =
# Names are bound when the library is loaded: later may be in a signal handler.
libkernfuse_ipc_la_LDFLAGS = \
	-pthread \
	-module -avoid-version -shared -no-undefined -Wl,--no-undefined \
	-Wl,-z,now -Wl,-Bsymbolic-functions \
	-Wl,--version-script=$(top_srcdir)/%reldir%/libkernfuse-ipc.map
libkernfuse_ipc_la_DEPENDENCIES = \
	$(top_srcdir)/%reldir%/libkernfuse-ipc.map

EXTRA_DIST += \
	%reldir%/README.md \
	%reldir%/libkernfuse-ipc.map
