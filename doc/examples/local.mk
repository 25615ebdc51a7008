# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs to begin with; test/mount/library-examples.sh runs them.

examples = \
	%reldir%/attributes \
	%reldir%/configtree \
	%reldir%/namespaces

check_PROGRAMS += $(examples)

# as a user links them, and without complaints of callbacks that need not all
# that they are given
%canon_reldir%_attributes_CFLAGS = $(AM_CFLAGS) -Wno-unused-parameter
%canon_reldir%_attributes_LDADD = libkernfuse.la
%canon_reldir%_configtree_CFLAGS = $(AM_CFLAGS) -Wno-unused-parameter
%canon_reldir%_configtree_LDADD = libkernfuse.la
%canon_reldir%_namespaces_CFLAGS = $(AM_CFLAGS) -Wno-unused-parameter
%canon_reldir%_namespaces_LDADD = libkernfuse.la
