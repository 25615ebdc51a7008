# SPDX-License-Identifier: LGPL-2.1-or-later

include doc/examples/local.mk

if HAVE_POD2MAN
man_MANS += \
	%reldir%/kernfuse-ipc.1 \
	%reldir%/kernfuse.1 \
	%reldir%/libkernfuse.3
endif

kf_pod2man = $(MKDIR_P) %reldir% && \
	$(POD2MAN) --errors=die --section=1 \
		--center='kernfuse manual' --release='$(PACKAGE_STRING)'

%reldir%/kernfuse.1: %reldir%/kernfuse.pod
	$(AM_V_GEN)$(kf_pod2man) --name=KERNFUSE \
		$(srcdir)/%reldir%/kernfuse.pod $@.tmp && \
	mv $@.tmp $@

%reldir%/kernfuse-ipc.1: %reldir%/kernfuse-ipc.pod
	$(AM_V_GEN)$(kf_pod2man) --name=KERNFUSE-IPC \
		$(srcdir)/%reldir%/kernfuse-ipc.pod $@.tmp && \
	mv $@.tmp $@

%reldir%/libkernfuse.3: %reldir%/libkernfuse.pod
	$(AM_V_GEN)$(MKDIR_P) %reldir% && \
	$(POD2MAN) --errors=die --section=3 --name=LIBKERNFUSE \
		--center='kernfuse manual' --release='$(PACKAGE_STRING)' \
		$(srcdir)/%reldir%/libkernfuse.pod $@.tmp && \
	mv $@.tmp $@

CLEANFILES += \
	%reldir%/kernfuse.1 \
	%reldir%/kernfuse.1.tmp \
	%reldir%/kernfuse-ipc.1 \
	%reldir%/kernfuse-ipc.1.tmp \
	%reldir%/libkernfuse.3 \
	%reldir%/libkernfuse.3.tmp

EXTRA_DIST += \
	%reldir%/architecture.md \
	%reldir%/hacking.md \
	%reldir%/kernfuse-ipc.pod \
	%reldir%/kernfuse.pod \
	%reldir%/libkernfuse.pod \
	%reldir%/locking.md \
	%reldir%/performance.md \
	%reldir%/testing.md
