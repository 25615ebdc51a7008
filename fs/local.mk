# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Each room is a convenience library. The shared library is lock, kernfs,
# sysfs and fuse behind a version script; the program takes the rooms as they
# are, with what the shared library hides.

include fs/kernfs/local.mk
include fs/sysfs/local.mk
include fs/import/local.mk
include fs/ipc/local.mk
include fs/ipctree/local.mk
include fs/ipc/preload/local.mk
include fs/fuse/local.mk
include fs/cli/local.mk

lib_LTLIBRARIES += libkernfuse.la

libkernfuse_la_SOURCES =
libkernfuse_la_LIBADD = libkfd.la libsysfs.la libkernfs.la liblock.la
# -version-info: current:revision:age of the interface, not the release
libkernfuse_la_LDFLAGS = \
	$(AM_LDFLAGS) \
	-no-undefined $(NO_UNDEFINED) \
	-version-info 0:0:0 \
	-Wl,--version-script=$(top_srcdir)/%reldir%/libkernfuse.map
libkernfuse_la_DEPENDENCIES = \
	libkfd.la libsysfs.la libkernfs.la liblock.la \
	$(top_srcdir)/%reldir%/libkernfuse.map

# what pkg-config tells of it
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = %reldir%/kernfuse.pc

# The same objects for tests and benchmarks: hidden names are visible to
# whoever links them statically.
noinst_LTLIBRARIES += libkernfuse_testing.la
libkernfuse_testing_la_SOURCES =
libkernfuse_testing_la_LIBADD = libsysfs.la libkernfs.la liblock.la

EXTRA_DIST += %reldir%/README.md %reldir%/libkernfuse.map
