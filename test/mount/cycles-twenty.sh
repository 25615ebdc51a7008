#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Twenty starts and stops, each with files left open and inodes known.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse

make_tree "$tmp/src"
for i in $(seq 20); do
	start "$tmp/src"
	exec 3<"$mnt/devices/online" 4<"$mnt/fs/kernfuse/version"
	ls -lR "$mnt" >/dev/null
	if [ $((i % 2)) = 0 ]; then
		kill -TERM "$daemon"
		wait_daemon 0
		exec 3<&- 4<&-
	else
		exec 3<&- 4<&-
		stop
	fi
done
