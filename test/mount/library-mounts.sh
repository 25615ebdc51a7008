#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Mounts inside a process, through the shared library: see test/mount/mounts.c.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse

mounts=$abs_top_builddir/test/mount/mounts
[ -x "$mounts" ] || fail "there is no $mounts"
mkdir "$tmp/two" "$tmp/three"
for case in $("$mounts" list "$mnt" "$tmp/two" "$tmp/three"); do
	echo "$case" >>"$tmp/log"
	timeout 60 "$mounts" "$case" "$mnt" "$tmp/two" "$tmp/three" \
		>>"$tmp/log" 2>&1 || fail "$case: status $?"
	[ -z "$(mounts_below "$tmp")" ] || fail "$case leaves a mount"
done
