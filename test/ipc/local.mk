# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Message queues: against the kernel's, killed at each instruction, and in a
# region that somebody damages; and programs as they are, in 'kernfuse ipc run'.

ipc_programs = \
	%reldir%/calls \
	%reldir%/fuzz \
	%reldir%/parity \
	%reldir%/step

ipc_scripts = \
	%reldir%/parity.sh \
	%reldir%/run-calls.sh \
	%reldir%/run-keep.sh \
	%reldir%/run-named.sh \
	%reldir%/run-perl.sh \
	%reldir%/run-processes.sh \
	%reldir%/run-procfiles.sh \
	%reldir%/run-status.sh \
	%reldir%/run-stress-ng.sh \
	%reldir%/run-tools.sh

ipc_once = \
	$(ipc_scripts) \
	%reldir%/fuzz \
	%reldir%/step

check_PROGRAMS += $(ipc_programs)

# an ordinary program, with nothing of ours in it
%canon_reldir%_calls_SOURCES = \
	%reldir%/calls.c \
	%reldir%/calls.h \
	%reldir%/calls_call.c \
	%reldir%/calls_signal.c \
	%reldir%/calls_task.c \
	%reldir%/calls_who.c
%canon_reldir%_calls_CFLAGS = -pthread $(WARN_CFLAGS)
%canon_reldir%_calls_LDADD =

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
	$(ipc_scripts) \
	%reldir%/README.md \
	%reldir%/parity-differs.txt \
	%reldir%/run.sh
