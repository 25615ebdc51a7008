#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# SIGINT, SIGTERM and SIGHUP unmount within a second: idle, with files open,
# with one thread, and while clients storm.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse

make_tree "$tmp/src"

# milliseconds; sanitizers look for leaks first
limit=1000
[ "${KERNFUSE_SANITIZER:-no}" = no ] || limit=10000

# ends SIGNAL OPTION...: it does, in time, with status 0
ends()
{
	local signal=$1 began

	began=$(date +%s%N)
	kill -s "$signal" "$daemon"
	wait_for 5 not_running "$daemon" || fail "SIG$signal: goes on"
	took=$((($(date +%s%N) - began) / 1000000))
	[ "$took" -lt "$limit" ] || fail "SIG$signal: took $took ms"
	wait_daemon 0
	echo "SIG$signal after $took ms"
}

for signal in INT TERM HUP; do
	for options in '' -s; do
		# shellcheck disable=SC2086
		start $options "$tmp/src"
		ends $signal
	done
done

# somebody has a file and a directory open, and one is inside
start "$tmp/src"
exec 3<"$mnt/devices/online"
(cd "$mnt/devices" && exec sleep 100) &
sleeper=$!
ends TERM
kill $sleeper
exec 3<&-

storm()
{
	while cat "$mnt/devices/online" "$mnt/class/misc/dev0/state" \
		>/dev/null && ls -lR "$mnt" >/dev/null; do
		:
	done
}
for signal in INT TERM HUP; do
	start "$tmp/src"
	for _ in 1 2 3 4 5 6; do
		storm 2>/dev/null &
	done
	sleep 0.3
	ends $signal
	# all of them notice
	for job in $(jobs -p); do
		wait_for 5 not_running "$job" || fail "a client hangs"
	done
	wait
done
