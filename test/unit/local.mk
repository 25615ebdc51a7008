# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Check programs, one for each source file: test/unit/<room>-<file>.c. A test
# that creates a root belongs into unit_each, any other into unit_once; that
# one line is all a test of one source file needs.

unit_once = \
	%reldir%/import-job \
	%reldir%/import-reader \
	%reldir%/ipc-msg \
	%reldir%/ipc-namespace \
	%reldir%/ipc-region \
	%reldir%/ipc-slot \
	%reldir%/ipc-teardown \
	%reldir%/ipc-trim \
	%reldir%/ipc-types \
	%reldir%/lock-hashed \
	%reldir%/lock-llist \
	%reldir%/lock-nodelock \
	%reldir%/lock-ownlock \
	%reldir%/lock-percpu \
	%reldir%/lock-percpu_counter \
	%reldir%/lock-percpu_counter-shared \
	%reldir%/lock-presence \
	%reldir%/lock-rank \
	%reldir%/lock-rcu \
	%reldir%/lock-rcutab \
	%reldir%/lock-rseq \
	%reldir%/lock-rwsem \
	%reldir%/lock-seqcount \
	%reldir%/lock-wait \
	%reldir%/lock-workqueue

unit_each = \
	%reldir%/import-content \
	%reldir%/import-hosttree \
	%reldir%/kernfs-active \
	%reldir%/kernfs-add \
	%reldir%/kernfs-attr \
	%reldir%/kernfs-check \
	%reldir%/kernfs-dir \
	%reldir%/kernfs-export \
	%reldir%/kernfs-fault \
	%reldir%/kernfs-file \
	%reldir%/kernfs-hooks \
	%reldir%/kernfs-id \
	%reldir%/kernfs-lookup \
	%reldir%/kernfs-name \
	%reldir%/kernfs-node \
	%reldir%/kernfs-open \
	%reldir%/kernfs-path \
	%reldir%/kernfs-poll \
	%reldir%/kernfs-race \
	%reldir%/kernfs-regressions \
	%reldir%/kernfs-remove \
	%reldir%/kernfs-rename \
	%reldir%/kernfs-root \
	%reldir%/kernfs-seq_file \
	%reldir%/kernfs-symlink \
	%reldir%/kernfs-tree \
	%reldir%/kernfs-walk \
	%reldir%/kernfs-xattr \
	%reldir%/sysfs-bin \
	%reldir%/sysfs-dir \
	%reldir%/sysfs-file \
	%reldir%/sysfs-group \
	%reldir%/sysfs-kobject \
	%reldir%/sysfs-link \
	%reldir%/sysfs-owner

if HAVE_CHECK
check_PROGRAMS += $(unit_once) $(unit_each)
endif

# which allocations fail
%canon_reldir%_kernfs_fault_LDFLAGS = \
	$(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc \
	-Wl,--wrap=strdup,--wrap=free

# where operations are stopped
%canon_reldir%_kernfs_race_LDFLAGS = \
	$(AM_LDFLAGS) \
	-Wl,--wrap=kernfs_get_active,--wrap=pthread_mutex_lock

EXTRA_DIST += \
	%reldir%/import-fixture.h \
	%reldir%/ipc-fixture.h \
	%reldir%/kernfs-fixture.h \
	%reldir%/sysfs-fixture.h \
	%reldir%/testroot.h \
	%reldir%/util.h
