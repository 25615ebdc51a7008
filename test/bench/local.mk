# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Built by 'make check' so that they keep compiling; run by 'make bench'.

bench_tests = %reldir%/smoke.sh

check_PROGRAMS += %reldir%/kernfuse-bench %reldir%/kernfuse-floor

%canon_reldir%_kernfuse_bench_SOURCES = \
	%reldir%/bench.h \
	%reldir%/counter.c \
	%reldir%/counter.h \
	%reldir%/counter_run.c \
	%reldir%/main.c \
	%reldir%/msg.c \
	%reldir%/msg.h \
	%reldir%/msg_client.c \
	%reldir%/msg_run.c \
	%reldir%/ns.c \
	%reldir%/ns.h \
	%reldir%/ns_run.c \
	%reldir%/report.c \
	%reldir%/storm.c \
	%reldir%/storm.h \
	%reldir%/storm_client.c \
	%reldir%/storm_files.c \
	%reldir%/tree.c \
	%reldir%/tree.h \
	%reldir%/tree_run.c \
	%reldir%/util.c \
	%reldir%/walk.c \
	%reldir%/walk.h \
	%reldir%/walk_run.c
%canon_reldir%_kernfuse_bench_LDADD = libipc.la libkernfuse_testing.la -lm

%canon_reldir%_kernfuse_floor_SOURCES = \
	%reldir%/floor.c \
	%reldir%/floor.h \
	%reldir%/floor_io.c \
	%reldir%/floor_ops.c \
	%reldir%/floor_tree.c
%canon_reldir%_kernfuse_floor_CPPFLAGS = $(AM_CPPFLAGS) $(FUSE3_CFLAGS)
%canon_reldir%_kernfuse_floor_LDADD = $(FUSE3_LIBS)

.PHONY: bench
bench: all
	$(MAKE) $(AM_MAKEFLAGS) %reldir%/kernfuse-bench %reldir%/kernfuse-floor
	KERNFUSE='$(abs_top_builddir)/kernfuse' BENCH_DIR='%reldir%' \
		$(SHELL) $(srcdir)/%reldir%/run.sh

EXTRA_DIST += $(bench_tests) %reldir%/README.md %reldir%/run.sh
