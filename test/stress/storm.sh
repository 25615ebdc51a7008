#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# 200 shells at once on a real mount: they open, read and close files, list the
# directory, look names up that are not there, and one changes modes all the
# time, for KERNFUSE_TEST_SECONDS (default 2). Every answer must be right; then
# the mount must go at the first attempt, and the daemon with it.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse

nr_clients=200
nr_files=128
seconds=${KERNFUSE_TEST_SECONDS:-2}
# for unmounting and the end of the daemon; a leak check takes its time
limit_ms=1000
[ "${KERNFUSE_SANITIZER:-no}" = no ] || limit_ms=30000

gids=class/infiniband/mlx5_0/ports/1/gids
mkdir -p "$tmp/src/$gids" "$tmp/failed"
for ((i = 0; i < nr_files; i++)); do
	echo "gid $i" >"$tmp/src/$gids/$i"
done
# all of it readable, whoever runs the test
chmod -R u=rwX,go=rX "$tmp/src"
start "$tmp/src"
cd "$mnt/$gids" || fail "there is no $gids"

# wrong NUMBER WHAT: a client's last words
wrong()
{
	echo "client $1: $2" >"$tmp/failed/$1"
	exit 1
}

# client NUMBER: until $tmp/end is there; only builtins, so that the mount and
# not fork(2) is what is tested
client()
{
	local i line entries rounds=0

	while [ ! -e "$tmp/end" ]; do
		for ((i = $1 % nr_files; i < nr_files; i += 5)); do
			read -r line <"$i" || wrong "$1" "cannot read $i"
			[ "$line" = "gid $i" ] || wrong "$1" "$i has: $line"
		done
		[ ! -e "absent$1" ] || wrong "$1" "found absent$1"
		entries=(*)
		[ "${#entries[@]}" = "$nr_files" ] ||
			wrong "$1" "${#entries[@]} entries"
		rounds=$((rounds + 1))
	done
	echo "$rounds" >"$tmp/rounds.$1"
}

# Modes that let everybody read go on and off another bit; only root's count.
chmodder()
{
	while [ ! -e "$tmp/end" ]; do
		chmod 755 ./* || wrong chmod "chmod fails"
		chmod 644 ./* || wrong chmod "chmod fails"
	done
}

pids=()
for ((i = 1; i <= nr_clients; i++)); do
	client "$i" &
	pids+=($!)
done
chmodder &
pids+=($!)
sleep "$seconds"
: >"$tmp/end"
for pid in "${pids[@]}"; do
	wait "$pid" || :
done
cd "$tmp" || exit 99
for file in "$tmp"/failed/*; do
	[ ! -e "$file" ] || fail "$(<"$file")"
done
mapfile -t rounds < <(cat "$tmp"/rounds.*)
[ "${#rounds[@]}" = "$nr_clients" ] ||
	fail "only ${#rounds[@]} clients came to an end"

begin=${EPOCHREALTIME/./}
fusermount3 -u "$mnt" || fail "busy, though nobody is there"
wait_daemon 0
took_ms=$(((${EPOCHREALTIME/./} - begin) / 1000))
[ "$took_ms" -le "$limit_ms" ] || fail "unmounting took $took_ms ms"

total=0
for i in "${rounds[@]}"; do
	total=$((total + i))
done
echo "storm: $nr_clients clients, $total rounds, unmounted in $took_ms ms"
