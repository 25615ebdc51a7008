#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# callback_timeout: who waits for a callback that hangs gets ETIMEDOUT, others
# notice nothing, and the open file lasts until the callback returns.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse
callback_timeout=300
start_treed

# times_out COMMAND...
times_out()
{
	assert_status 1 timeout 60 "$@"
	grep -q "timed out" "$tmp/err" || fail "$*: $(cat "$tmp/err")"
}

# inside N RELEASED: so many are in a callback, so many files were released
inside()
{
	[ "$(cat "$mnt/inside")" = "$1 $2" ]
}

# more than there are workers, and nobody waits for them
for _ in $(seq 6); do
	timeout 60 cat "$mnt/stuck" >>"$tmp/read" 2>>"$tmp/readers" &
	readers+=($!)
done
for i in 1 2 3; do
	echo "$i" | timeout 20 tee "$mnt/group/value" >/dev/null ||
		fail "a write had to wait"
	assert_eq "value" "$i" "$(timeout 20 cat "$mnt/group/value")"
done
for reader in "${readers[@]}"; do
	! wait "$reader" || fail "a read of stuck succeeded"
done
assert_eq "timed out" 6 "$(grep -c 'timed out' "$tmp/readers")"
[ ! -s "$tmp/read" ] || fail "something was read"
inside 6 0 || fail "6 inside, not: $(cat "$mnt/inside")"

# other kinds, and a second one of the same open file, which waits for the first
times_out bash -c "echo x >'$mnt/stuck'"
times_out cat "$mnt/stuck-open"
exec 5<"$mnt/stuck"
times_out bash -c 'cat <&5'
times_out bash -c 'cat <&5'
exec 5<&-
inside 9 0 || fail "9 inside, not: $(cat "$mnt/inside")"

# the late results are dropped, and everything is closed
echo go >"$mnt/slow"
wait_for 20 inside 0 9 || fail "still inside: $(cat "$mnt/inside")"
assert_eq "in time" late "$(cat "$mnt/stuck")"
assert_eq "in time" late "$(cat "$mnt/stuck-open")"
echo x >"$mnt/stuck"
wait_for 20 inside 0 12 || fail "not released: $(cat "$mnt/inside")"
stop_treed

# --- the command's ---

require ipcmk
export KERNFUSE_IPC_DIR=$tmp/regions
start -o callback_timeout=0.2 none
mkdir "$mnt/kernel/ipc/a"
run=("$KERNFUSE" ipc run --at "$mnt" --name a --)
id=$("${run[@]}" ipcmk -Q)
queue=$mnt/kernel/ipc/a/msg/queue/${id##* }
times_out cat "$queue/receive"
echo "3 hello" >"$queue/send"
assert_eq "received" "3 hello" "$(head -n 1 "$queue/receive")"
assert_eq "an ordinary file" 0 "$(<"$queue/qnum")"
stop
