# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks of the sources and of what was built from them.

build_tests = \
	%reldir%/dist.sh \
	%reldir%/exports.sh \
	%reldir%/headers.sh \
	%reldir%/house.sh \
	%reldir%/installed.sh \
	%reldir%/layers.sh \
	%reldir%/manual.sh \
	%reldir%/shellcheck.sh

EXTRA_DIST += $(build_tests) %reldir%/coverage %reldir%/lint
