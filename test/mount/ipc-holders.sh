#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A namespace of kernel/ipc lives as long as somebody wants it: who made its
# directory, or whoever has its "ns" open, however the last one ends.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse
export KERNFUSE_IPC_DIR=$tmp/regions
start none
ipc=$mnt/kernel/ipc

gone()
{
	[ ! -e "$ipc/$1" ]
}

# nobody holds it
mkdir "$ipc/a"
rmdir "$ipc/a"
wait_for 5 gone a || fail "a is there though it was dropped"

# somebody holds it, and closes it
mkdir "$ipc/b"
exec 8<"$ipc/b/ns"
rmdir "$ipc/b"
[ -e "$ipc/b/msg/stat" ] || fail "b went while it was held"
exec 8<&-
wait_for 5 gone b || fail "b is there though nobody holds it"

# somebody holds it, and is killed
mkdir "$ipc/c"
# shellcheck disable=SC2217 # it need not read to hold
sleep 60 <"$ipc/c/ns" &
holder=$!
holds()
{
	[[ $(readlink "/proc/$holder/fd/0") = */ns ]]
}
wait_for 5 holds
rmdir "$ipc/c"
kill -KILL "$holder"
wait_for 5 gone c || fail "c is there though its holder was killed"

# it was made, and stays
mkdir "$ipc/d"
: <"$ipc/d/ns"
sleep 0.2
[ -e "$ipc/d/msg/stat" ] || fail "d went though nobody dropped it"

# of two holders the first to go changes nothing
exec 8<"$ipc/d/ns" 9<"$ipc/d/ns"
rmdir "$ipc/d"
exec 8<&-
sleep 0.2
[ -e "$ipc/d/msg/stat" ] || fail "d went with the first of two holders"
exec 9<&-
wait_for 5 gone d || fail "d is there though nobody holds it"

stop
assert_eq "regions left" "" "$(ls "$tmp/regions" 2>/dev/null)"
