#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What is committed is also in the release archive.

set -u
cd "${abs_top_srcdir:?is set by make check}" || exit 99
if ! tracked=$(git ls-files 2>/dev/null) || [ -z "$tracked" ]; then
	echo "dist: not a git checkout, or nothing is committed yet"
	exit 77
fi

missing=$(comm -23 \
	<(grep -vE '(^|/)\.gitignore$' <<<"$tracked" | sort -u) \
	<(MAKEFLAGS='' "$MAKE" -s -C "${abs_top_builddir:?}" print-distfiles |
		sort -u))
if [ -n "$missing" ]; then
	echo "dist: in no EXTRA_DIST or SOURCES list:"
	echo "$missing"
	exit 1
fi
