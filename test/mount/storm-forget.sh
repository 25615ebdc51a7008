#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Lookups, listings and chmods by many clients while the kernel forgets: every
# answer is right, and nothing is lost.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse

mkdir -p "$tmp/src"
for i in $(seq 20); do
	mkdir "$tmp/src/d$i"
	for j in $(seq 20); do
		echo "$i.$j" >"$tmp/src/d$i/f$j"
	done
done
start -o max_threads=6 "$tmp/src"

# client N: reads files, one of which it knows the value of
client()
{
	local i j entries end=$((SECONDS + 4))

	while [ "$SECONDS" -lt "$end" ]; do
		i=$((RANDOM % 20 + 1))
		j=$((RANDOM % 20 + 1))
		[ "$(<"$mnt/d$i/f$j")" = "$i.$j" ] || return 1
		[ ! -e "$mnt/d$i/absent" ] || return 1
		entries=("$mnt/d$i"/*)
		[ "${#entries[@]}" = 20 ] || return 1
	done
}
for _ in 1 2 3 4; do
	client &
	clients+=($!)
done
for _ in $(seq 8); do
	sleep 0.4
	# dentries and inodes go, and FORGETs come
	echo 2 >/proc/sys/vm/drop_caches
	chmod 640 "$mnt"/d*/f7
	chmod 644 "$mnt"/d*/f7
done
for pid in "${clients[@]}"; do
	wait "$pid" || fail "a client got a wrong answer"
done
[ "$(cat "$mnt/fs/kernfuse/upcalls/forget")" -gt 0 ] ||
	echo "the kernel forgot nothing"
stop
