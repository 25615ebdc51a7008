# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Message queues: against the kernel's, against a model, and killed at each
# instruction.

ipc_programs = \
	%reldir%/parity

ipc_once = \
	%reldir%/parity.sh

check_PROGRAMS += $(ipc_programs)

%canon_reldir%_parity_SOURCES = \
	%reldir%/backend.c \
	%reldir%/backend.h \
	%reldir%/parity.c \
	%reldir%/parity.h \
	%reldir%/parity_ctl.c \
	%reldir%/parity_get.c \
	%reldir%/parity_receive.c \
	%reldir%/parity_send.c \
	%reldir%/parity_wait.c
%canon_reldir%_parity_LDADD = libipc.la

EXTRA_DIST += \
	%reldir%/parity-differs.txt \
	%reldir%/parity.sh
