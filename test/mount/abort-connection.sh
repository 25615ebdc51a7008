#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The connection is aborted: the daemon ends, clients get an error.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse

control=/sys/fs/fuse/connections
start none
if [ -z "$(ls $control)" ]; then
	mount -t fusectl fusectl $control 2>/dev/null || {
		stop
		skip "no fusectl"
	}
	trap 'umount $control; cleanup' EXIT
fi
abort=$control/$(stat -c %d "$mnt")/abort
[ -e "$abort" ] || abort=$control/$(mountpoint -d "$mnt" | cut -d: -f2)/abort
echo 1 >"$abort"
wait_for 2 not_running "$daemon" || fail "it goes on"
wait "$daemon" || true
daemon=
assert_status 1 stat "$mnt"
