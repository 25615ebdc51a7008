#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# 100 namespaces made, used and dropped while others send and receive and the
# tree is read: each one goes, and neither memory nor files stay behind.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse
export KERNFUSE_IPC_DIR=$tmp/regions
start none
ipc=$mnt/kernel/ipc
calls=$abs_top_builddir/test/ipc/calls
[ -x "$calls" ] || skip "test/ipc/calls is not built"

gone()
{
	[ ! -e "$ipc/$1" ]
}

# load: messages through a queue in a namespace that stays, and readers
mkdir "$ipc/load"
(
	while :; do
		"$KERNFUSE" ipc run --at "$mnt" --name load -- "$calls" fork \
			>"$tmp/load.out" 2>&1 || touch "$tmp/load.failed"
		cat "$ipc"/*/msg/stat "$ipc/teardown" >"$tmp/seen" \
			2>"$tmp/seen.err" || :
	done
) &
load=$!

# one NR: every second one is dropped while it is held and before it is used
one()
{
	mkdir "$ipc/n$1" || return
	if (($1 % 2)); then
		exec 8<"$ipc/n$1/ns" && rmdir "$ipc/n$1" || return
	fi
	if (($1 % 4 < 2)); then
		"$KERNFUSE" ipc run --at "$mnt" --name "n$1" -- \
			"$calls" raw || return
	fi
	(($1 % 2)) || rmdir "$ipc/n$1"
}

for ((i = 0; i < 100; i += 5)); do
	pids=()
	for ((j = i; j < i + 5; j++)); do
		one "$j" >"$tmp/one.$j" 2>&1 &
		pids+=($!)
	done
	for j in "${!pids[@]}"; do
		wait "${pids[j]}" || touch "$tmp/failed.$((i + j))"
	done
done
kill "$load"
wait "$load" 2>/dev/null || :

for ((i = 0; i < 100; i++)); do
	[ ! -e "$tmp/failed.$i" ] || {
		cat "$tmp/one.$i" >&2
		fail "namespace $i"
	}
	wait_for 10 gone "n$i" || fail "n$i is still there"
done
[ ! -e "$tmp/load.failed" ] || fail "load: $(<"$tmp/load.out")"
rmdir "$ipc/load"
drained()
{
	grep -qx 'pending 0' "$ipc/teardown" &&
		[ -z "$(find "$KERNFUSE_IPC_DIR" -type f)" ]
}
wait_for 10 drained || {
	cat "$ipc/teardown" >&2
	find "$KERNFUSE_IPC_DIR" >&2
	fail "regions were left"
}
