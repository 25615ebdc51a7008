#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Each allocation of mounting and serving fails once: see test/mount/faults.c.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse

faults=$abs_top_builddir/test/mount/faults
[ -x "$faults" ] || fail "there is no $faults"
# with a timeout callbacks have threads of their own, and what that takes
for limit in "" 60000; do
	timeout 120 "$faults" "$mnt" $limit >"$tmp/out" 2>"$tmp/log" || {
		cat "$tmp/out"
		fail "status $?"
	}
	cat "$tmp/out"
done
[ -z "$(mounts_below "$tmp")" ] || fail "still mounted"
