#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Callbacks that block hold up those who called them, and nobody else.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse
start_treed

# twice as many as there are workers
readers=()
for _ in $(seq 8); do
	cat "$mnt/slow" >>"$tmp/slow" &
	readers+=($!)
done
sleep 0.2
for i in $(seq 10); do
	echo "$i" | timeout 20 tee "$mnt/group/value" >/dev/null ||
		fail "a write had to wait"
	assert_eq "value" "$i" "$(timeout 20 cat "$mnt/group/value")"
done
timeout 20 mkdir "$mnt/group/d"
timeout 20 rmdir "$mnt/group/d"
timeout 20 ls "$blue/net" >/dev/null
[ ! -s "$tmp/slow" ] || fail "slow is not slow"

# who is killed while it waits goes at once
kill -KILL "${readers[0]}"
wait "${readers[0]}" 2>/dev/null || :
unset 'readers[0]'

echo go >"$mnt/slow"
for reader in "${readers[@]}"; do
	wait "$reader" || fail "a reader of slow failed"
done
assert_eq "what they read" 7 "$(grep -c 'at last' "$tmp/slow")"
stop_treed
