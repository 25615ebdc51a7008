#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Being unmounted ends the daemon, whoever does it.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse

make_tree "$tmp/src"

start "$tmp/src"
fusermount3 -u "$mnt"
wait_daemon 0

start -s "$tmp/src"
fusermount3 -u "$mnt"
wait_daemon 0

# lazily: as soon as nobody uses it
start "$tmp/src"
exec 3<"$mnt/devices/online"
fusermount3 -uz "$mnt"
sleep 0.1
running "$daemon" || fail "it ended while a file was open"
assert_eq "value" 0-1 "$(cat <&3)"
exec 3<&-
wait_daemon 0

# not at all while it is used
start "$tmp/src"
exec 3<"$mnt/devices/online"
if fusermount3 -u "$mnt" 2>/dev/null; then
	fail "unmounted while a file was open"
fi
exec 3<&-
stop

if [ "$(id -u)" = 0 ]; then
	start "$tmp/src"
	umount "$mnt"
	wait_daemon 0

	start "$tmp/src"
	exec 3<"$mnt/devices/online"
	umount -l "$mnt"
	exec 3<&-
	wait_daemon 0
fi
