# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Message queues: against the kernel's, killed at each instruction, and in a
# region that somebody damages.

ipc_programs = \
	%reldir%/fuzz \
	%reldir%/parity \
	%reldir%/step

ipc_once = \
	%reldir%/fuzz \
	%reldir%/parity.sh \
	%reldir%/step

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

%canon_reldir%_step_SOURCES = \
	%reldir%/step.c \
	%reldir%/step.h \
	%reldir%/step_scenarios.c

EXTRA_DIST += \
	%reldir%/parity-differs.txt \
	%reldir%/parity.sh
