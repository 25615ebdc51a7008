#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Lookups in one directory run side by side. Each reply is held up, so that it
# shows.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require strace
strace -o /dev/null true 2>/dev/null || skip "strace may not trace"
[ -z "${KERNFUSE_SANITIZER-}" ] || [ "$KERNFUSE_SANITIZER" = no ] ||
	skip "sanitizers and strace do not mix"

mkdir -p "$tmp/src/d"
(cd "$tmp/src/d" && seq 10 | xargs touch)
start -o max_threads=12 "$tmp/src"
ls "$mnt/d" >/dev/null

strace -f -q -o "$tmp/trace" -e trace=writev \
	-e inject=writev:delay_enter=200000 -p "$daemon" 2>/dev/null &
tracer=$!
wait_for 5 grep -q "^TracerPid:.*$tracer" "/proc/$daemon/status" ||
	skip "strace cannot attach"
cd "$mnt/d"

# ms_since TIME
ms_since()
{
	echo $((($(date +%s%N) - $1) / 1000000))
}

# an absent name costs a GETATTR of the directory and one LOOKUP; ten of them
# in turns take nine times 200 ms longer
began=$(date +%s%N)
test -e absent || true
one=$(ms_since "$began")
began=$(date +%s%N)
for i in 1 2 3 4 5 6 7 8 9 10; do
	stat "absent-$i" >/dev/null 2>&1 &
	clients+=($!)
done
for client in "${clients[@]}"; do
	wait "$client" || true
done
ten=$(ms_since "$began")
cd /
kill "$tracer"
wait "$tracer" || true
echo "one lookup $one ms, ten at once $ten ms"
[ "$one" -ge 200 ] || skip "strace delays nothing"
[ "$ten" -lt $((one + 900)) ] || fail "lookups in one directory take turns"
stop
