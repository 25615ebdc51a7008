#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A signal while the source is taken in: nothing gets mounted.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require setsid
[ "$(stat -fc %T /sys)" = sysfs ] || skip "/sys is no sysfs"

# the shell that mounts in the background, and its child
no_children()
{
	! pgrep -f -- "$KERNFUSE /sys $mnt" >/dev/null
}

for delay in 0 0.02 0.1 0.3; do
	# in the foreground: it ends, and ends well
	"$KERNFUSE" -f /sys "$mnt" >"$tmp/log" 2>&1 &
	daemon=$!
	sleep $delay
	kill -TERM "$daemon"
	status=0
	wait "$daemon" || status=$?
	# before there is a handler, it is just killed
	[ "$status" = 0 ] || [ "$status" = 143 ] || fail "status $status"
	! is_mounted "$mnt" || fail "mounted after $delay s"
	check_log

	# to the background: what waits for the mount does not get it
	"$KERNFUSE" /sys "$mnt" >"$tmp/log" 2>&1 &
	daemon=$!
	sleep $delay
	kill -TERM "$daemon"
	status=0
	wait "$daemon" || status=$?
	if [ "$status" = 0 ]; then
		# it was ready already
		fusermount3 -u "$mnt"
	else
		wait_for 2 no_children || fail "the child goes on"
		! is_mounted "$mnt" || fail "mounted after $delay s"
	fi
	daemon=
	check_log
done
