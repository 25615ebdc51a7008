# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Torture programs: torture_<thing>.c with the files whose names go on from
# there, upon the frame torture.c; and a storm of processes on a mount.

torture_programs = \
	%reldir%/torture_activate \
	%reldir%/torture_file \
	%reldir%/torture_lookup \
	%reldir%/torture_remove \
	%reldir%/torture_rename

stress_scripts = \
	%reldir%/storm.sh

stress_once = \
	%reldir%/ipc_kill
stress_each = $(torture_programs) $(stress_scripts)

check_PROGRAMS += $(stress_once) $(torture_programs)

torture_frame = \
	%reldir%/book.c \
	%reldir%/book.h \
	%reldir%/memory.c \
	%reldir%/memory.h \
	%reldir%/torture.c \
	%reldir%/torture.h

# what memory.c counts, and torture.c takes for a failure
torture_ldflags = \
	$(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc \
	-Wl,--wrap=strdup,--wrap=free,--wrap=kf_warn

%canon_reldir%_torture_activate_LDFLAGS = $(torture_ldflags)
%canon_reldir%_torture_activate_SOURCES = \
	$(torture_frame) \
	%reldir%/torture_activate.c

%canon_reldir%_torture_file_LDFLAGS = $(torture_ldflags)
%canon_reldir%_torture_file_SOURCES = \
	$(torture_frame) \
	%reldir%/torture_file.c \
	%reldir%/torture_file.h \
	%reldir%/torture_file_ops.c \
	%reldir%/torture_file_own.c \
	%reldir%/torture_file_use.c

%canon_reldir%_torture_lookup_LDFLAGS = $(torture_ldflags)
%canon_reldir%_torture_lookup_SOURCES = \
	$(torture_frame) \
	%reldir%/torture_lookup.c \
	%reldir%/torture_lookup.h \
	%reldir%/torture_lookup_attr.c \
	%reldir%/torture_lookup_list.c \
	%reldir%/torture_lookup_look.c \
	%reldir%/torture_lookup_move.c \
	%reldir%/torture_lookup_names.c

%canon_reldir%_torture_remove_LDFLAGS = $(torture_ldflags)
%canon_reldir%_torture_remove_SOURCES = \
	$(torture_frame) \
	%reldir%/torture_remove.c \
	%reldir%/torture_remove.h \
	%reldir%/torture_remove_ops.c \
	%reldir%/torture_remove_own.c \
	%reldir%/torture_remove_tree.c

%canon_reldir%_torture_rename_LDFLAGS = $(torture_ldflags)
%canon_reldir%_torture_rename_SOURCES = \
	$(torture_frame) \
	%reldir%/torture_rename.c \
	%reldir%/torture_rename.h \
	%reldir%/torture_rename_log.c

EXTRA_DIST += $(stress_scripts) %reldir%/README.md %reldir%/tsan.supp
