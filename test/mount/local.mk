# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Shell tests on a real mount: test/mount/<subject>-<case>.sh.

mount_once = \
	%reldir%/abort-connection.sh \
	%reldir%/background-ready.sh \
	%reldir%/blocked-callbacks.sh \
	%reldir%/callback-timeout.sh \
	%reldir%/calls-nobody.sh \
	%reldir%/calls-parity.sh \
	%reldir%/cycles-twenty.sh \
	%reldir%/faults-each.sh \
	%reldir%/import-sys.sh \
	%reldir%/ipc-holders.sh \
	%reldir%/ipc-hundred.sh \
	%reldir%/ipc-tree.sh \
	%reldir%/killed-stale.sh \
	%reldir%/library-examples.sh \
	%reldir%/library-mounts.sh \
	%reldir%/lookup-parallel.sh \
	%reldir%/messages-device.sh \
	%reldir%/messages-usage.sh \
	%reldir%/options-generic.sh \
	%reldir%/options-mount8.sh \
	%reldir%/permission-groups.sh \
	%reldir%/poll-frozen.sh \
	%reldir%/poll-wakes.sh \
	%reldir%/signals-early.sh \
	%reldir%/signals-running.sh \
	%reldir%/unmount-ways.sh \
	%reldir%/user-fusermount.sh

mount_each = \
	%reldir%/attr-persist.sh \
	%reldir%/calls-root.sh \
	%reldir%/figures-count.sh \
	%reldir%/hooks-through.sh \
	%reldir%/import-copy.sh \
	%reldir%/namespaces-two.sh \
	%reldir%/read-offsets.sh \
	%reldir%/readdir-offsets.sh \
	%reldir%/stat-shows.sh \
	%reldir%/storm-forget.sh \
	%reldir%/write-values.sh

# says what system calls return
check_PROGRAMS += %reldir%/syscalls
%canon_reldir%_syscalls_SOURCES = %reldir%/syscalls.c
%canon_reldir%_syscalls_LDADD =

# waits for news of a file
check_PROGRAMS += %reldir%/polls
%canon_reldir%_polls_SOURCES = %reldir%/polls.c
%canon_reldir%_polls_LDADD =

# reads a file whenever it changes
check_PROGRAMS += %reldir%/follow
%canon_reldir%_follow_SOURCES = %reldir%/follow.c
%canon_reldir%_follow_LDADD =

# serves a tree that is alive
check_PROGRAMS += %reldir%/treed
%canon_reldir%_treed_SOURCES = %reldir%/treed.c

# mounts as a user of the shared library does
check_PROGRAMS += %reldir%/mounts
%canon_reldir%_mounts_SOURCES = %reldir%/mounts.c
%canon_reldir%_mounts_LDADD = libkernfuse.la

# mounts and serves while allocations fail
check_PROGRAMS += %reldir%/faults
%canon_reldir%_faults_SOURCES = %reldir%/faults.c
%canon_reldir%_faults_LDFLAGS = \
	$(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc \
	-Wl,--wrap=strdup,--wrap=free

EXTRA_DIST += $(mount_once) $(mount_each)
