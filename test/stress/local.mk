# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Torture programs: torture_<thing>.c with the files whose names go on from
# there, upon the frame torture.c.

stress_once =

stress_each = \
	%reldir%/torture_activate \
	%reldir%/torture_file \
	%reldir%/torture_lookup \
	%reldir%/torture_remove \
	%reldir%/torture_rename

check_PROGRAMS += $(stress_once) $(stress_each)

torture_frame = \
	%reldir%/book.c \
	%reldir%/book.h \
	%reldir%/memory.c \
	%reldir%/memory.h \
	%reldir%/torture.c \
	%reldir%/torture.h

# what memory.c counts
torture_ldflags = \
	$(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc \
	-Wl,--wrap=strdup,--wrap=free

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

EXTRA_DIST += %reldir%/tsan.supp
