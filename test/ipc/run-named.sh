#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Namespaces with a name: joined, listed, ended, and gone with the last who has
# them, however he ends.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"
# shellcheck source=test/ipc/run.sh
. "$abs_top_srcdir/test/ipc/run.sh"

require ipcs
require ipcmk
require ipcrm

# queues NAME: their ids
queues()
{
	in_ns "$1" ipcs -q | awk '$1 ~ /^0x/ { print $2 }' | xargs
}

# nobody keeps it
in_ns a true
wait_for 5 no_regions || fail "a is there though nobody is in it"

# --- two runs see the same queues, others do not ---

hold a
id=$(in_ns a ipcmk -Q)
id=${id##* }
assert_eq "a second run" "$id" "$(queues a)"
assert_eq "another name" "" "$(queues b)"
assert_eq "no name" "" "$(run ipcs -q | awk '$1 ~ /^0x/')"

# --- ls ---

assert_status 0 "$KERNFUSE" ipc ls
assert_eq "ls" "a percpu 1 0 0" \
	"$(awk '$1 != "NAME" && $1 != "b" { print $1, $2, $3, $4, $5 }' \
		"$tmp/out")"
assert_status 1 "$KERNFUSE" ipc ls x
assert_status 125 "$KERNFUSE" ipc run --name a --counters atomic true

# --- what a kill leaves: whoever is last, the name goes with him ---

release
wait_for 5 no_regions || fail "a is there though its last was killed"
hold a
assert_eq "a new one has no queues" "" "$(queues a)"

# children hold it as well, and are last
# shellcheck disable=SC2016 # the inner shell's
in_ns a sh -c 'sleep 300 & echo $! >"$0/child"; exit 0' "$tmp" >/dev/null
child=$(<"$tmp/child")
release
sleep 0.1
[ -e "$KERNFUSE_IPC_DIR/a" ] || fail "a went though a child is in it"
kill -KILL "$child"
wait_for 5 no_regions || fail "a is there though its last child was killed"

# a keeper that was killed: the next who joins, or ls, makes up for it
hold a
keeper=$(pgrep -x kernfuse-ipc | while read -r pid; do
	for fd in "/proc/$pid/fd/"*; do
		[ "$(readlink "$fd")" != "$KERNFUSE_IPC_DIR/a" ] || echo "$pid"
	done
done | head -n 1)
[ -n "$keeper" ] || fail "nobody keeps a"
kill -KILL "$keeper"
release
[ -e "$KERNFUSE_IPC_DIR/a" ] || fail "a went by itself"
assert_status 0 "$KERNFUSE" ipc ls
no_regions || fail "ls left a behind"

# --- rm wakes who sleeps, and the name is free ---

require perl
# shellcheck disable=SC2016 # perl's
in_ns a perl -e '
	my $id = msgget(0, 0600 | 01000);
	open(my $ready, ">", $ARGV[0]);
	close($ready);
	my $got;
	exit(5) if msgrcv($id, $got, 10, 0, 0);
	exit($!{EIDRM} ? 0 : 6);
' "$tmp/ready" &
sleeper=$!
wait_for 10 test -e "$tmp/ready" || fail "no sleeper"
sleep 0.1
assert_status 0 "$KERNFUSE" ipc rm a
status=0
wait "$sleeper" || status=$?
assert_eq "who slept in a" 0 "$status"
wait_for 5 no_regions || fail "rm left a"
assert_status 1 "$KERNFUSE" ipc rm a
assert_status 1 "$KERNFUSE" ipc rm ../x
assert_status 1 "$KERNFUSE" ipc rm
hold a
assert_status 0 "$KERNFUSE" ipc rm a
# who still runs in it has no queues, a new one under the name has
hold_old=$holder
id=$(in_ns a ipcmk -Q) || fail "no new a"
kill -KILL "$hold_old"
wait "$hold_old" 2>/dev/null || :

# --- many at once ---

pids=()
for _ in 1 2 3 4 5 6 7 8; do
	in_ns c ipcmk -Q >>"$tmp/made" &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	wait "$pid" || fail "one of many failed"
done
assert_eq "queues made by many" 8 "$(wc -l <"$tmp/made")"
wait_for 5 no_regions || fail "something is left"
