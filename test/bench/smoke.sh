#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The benchmarks run and print what doc/performance.md says. How fast they are
# is not looked at.

set -eu

: "${abs_top_builddir:=$PWD}"
bench=$abs_top_builddir/test/bench/kernfuse-bench
floor=$abs_top_builddir/test/bench/kernfuse-floor
tmp=$(mktemp -d)

cleanup()
{
	if mountpoint -q "$tmp/mount"; then
		fusermount3 -u -z "$tmp/mount" || true
	fi
	# what is below a mount that stayed is not ours to remove
	rm -r --one-file-system "$tmp"
}
trap cleanup EXIT

fail()
{
	echo "FAIL: $*" >&2
	exit 1
}

# expect COUNT PATTERN FILE
expect()
{
	local found

	found=$(grep -c -e "$2" "$3" || true)
	[ "$found" -eq "$1" ] && return
	cat "$3" >&2
	fail "$found lines with $2, not $1"
}

# usage_error ARG... - one line on stderr, exit 1
usage_error()
{
	local status=0

	"$bench" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" -eq 1 ] || fail "'$*' ends with status $status"
	[ ! -s "$tmp/out" ] || fail "'$*' prints on stdout"
	[ "$(wc -l <"$tmp/err")" -eq 1 ] || fail "'$*' does not print a line"
}

usage_error
usage_error run
usage_error walk --threads 0
usage_error walk --policy none
usage_error walk more
usage_error storm
usage_error storm --dir "$tmp/absent"
usage_error storm --dir "$tmp" --glob 'none*'
usage_error tree --shape round
usage_error counter --adders 0
usage_error counter --slots 1000000
usage_error msg --threads 0
usage_error msg --bytes 9000
usage_error msg --kernfuse "$tmp/absent"
usage_error ns --bytes 9000
usage_error ns --dir "$tmp/absent"
for command in "" walk storm tree counter msg ns; do
	# shellcheck disable=SC2086 # none is no argument
	"$bench" $command --help | grep -q '^Usage: kernfuse-bench'
done

# 2 callers, 2 cases, 2 thread counts, 3 policies; 6 + 6 sections in a walk
"$bench" walk --threads 1,2 --rounds 2 --seconds 0.01 >"$tmp/walk"
expect 24 '^{"bench":"walk","case":".*"ops_per_s":[1-9].*"waits_per_op":' \
	"$tmp/walk"
expect 24 '"runs_per_op":1[12]\.' "$tmp/walk"
expect 4 '"ratio":"rcu/global hot"' "$tmp/walk"
expect 4 '"ratio":"hashed/global own"' "$tmp/walk"
expect 2 '"ratio":"rcu 2 threads/rcu 1 thread hot"' "$tmp/walk"

"$bench" tree --policy all --nodes 100,1000 --rounds 1 >"$tmp/tree"
expect 12 '"create_ns":.*"lookup_ns":.*"remove_ns":.*"bytes_per_node":' \
	"$tmp/tree"
expect 12 '"ratio":"lookup\(_random\)\? 1000/100"' "$tmp/tree"

# 2 kinds of adders, 2 counts, 2 modes; 2 numbers of slots
"$bench" counter --adders 1,2 --slots 1,3 --rounds 2 --seconds 0.002 \
	>"$tmp/counter"
expect 8 '"counters":".*"ns_per_add":[0-9.]*,.*"adds_per_s":[1-9].*"rseq":"' \
	"$tmp/counter"
expect 4 '"ratio":"atomic/percpu"' "$tmp/counter"
expect 8 '"slots":[13],"adders":[01],"ns_per_sum":[0-9.]*,' "$tmp/counter"

# 4 cases, 3 kinds of queues; a program with a sanitizer does not let another
# library be loaded before that
if [ "${KERNFUSE_SANITIZER-no}" = no ]; then
	"$bench" msg --kernfuse "${KERNFUSE-$abs_top_builddir/kernfuse}" \
		--no-stress --threads 4 --rounds 1 --seconds 0.05 >"$tmp/msg"
	expect 8 '"queues":"\(percpu\|atomic\)","msgs_per_s":[1-9].*"ratio_to_kernel":' \
		"$tmp/msg"
	expect 4 '"queues":"kernel","msgs_per_s":' "$tmp/msg"
fi

# 2 storms, 2 contents; the kernel's rows only where that is allowed
# ThreadSanitizer's helper is a child that the bench would wait for
if [ "${KERNFUSE_SANITIZER-no}" != thread ]; then
	"$bench" ns --parallel 3 --series 2 --queues 5 --rounds 1 >"$tmp/ns" \
		2>"$tmp/err"
	rows=4
	[ -s "$tmp/err" ] && rows=3
	expect $((2 * rows)) '"backend":".*"us_per_process":[0-9.]*,' "$tmp/ns"
	# and one with a process that waits for the last user, not for storms
	rows=$((rows + 1))
	expect $((2 * rows)) '"case":"\(empty\|full\)","backend":.*"exit_us":[0-9]*,' \
		"$tmp/ns"
	expect "$rows" '"ratio":"exit full/empty' "$tmp/ns"
fi

mkdir -p "$tmp/source/fs" "$tmp/source/class/a/b" "$tmp/mount"
echo one >"$tmp/source/class/a/b/one"
echo two >"$tmp/source/class/a/b/two"
ln -s ../class/absent "$tmp/source/fs/link"

"$bench" storm --dir "here=$tmp/source" --clients 3 --ops 20 --rounds 2 \
	>"$tmp/storm"
expect 1 '"tree":"here","clients":3,"files":2,.*"errors":0' "$tmp/storm"
"$bench" storm --dir "$tmp/source" --table --ops 20 --rounds 1 >"$tmp/storm"
expect 1 'tree  *ops/s .* ratio to .*upcalls/op' "$tmp/storm"

if [ ! -w /dev/fuse ] || ! command -v fusermount3 >/dev/null; then
	echo "SKIP: no mounts: /dev/fuse or fusermount3 is missing"
	exit 77
fi

"$floor" "$tmp/source" "$tmp/mount"
[ "$(cat "$tmp/mount/class/a/b/one")" = one ] || fail "the floor reads wrong"
[ "$(readlink "$tmp/mount/fs/link")" = ../class/absent ] ||
	fail "the floor's link is wrong"
[ "$(ls "$tmp/mount/class/a/b")" = "$(ls "$tmp/source/class/a/b")" ] ||
	fail "the floor lists wrong"
"$bench" storm --dir "source=$tmp/source" --dir "floor=$tmp/mount" \
	--clients 3 --ops 20 --rounds 2 >"$tmp/storm"
expect 1 '"tree":"source".*"ratio_to_source":1.000,"upcalls_per_op":null' \
	"$tmp/storm"
expect 1 '"tree":"floor".*"upcalls_per_op":[1-9].*"errors":0' "$tmp/storm"
fusermount3 -u "$tmp/mount"
