#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A private namespace is freed by a process in the background, so that nobody
# waits for that: it is nobody's child, has nothing of the command's open, is
# out of reach of its terminal, and ends when the last user has.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"
# shellcheck source=test/ipc/run.sh
. "$abs_top_srcdir/test/ipc/run.sh"

require ipcmk
require pgrep
require unshare

# keepers: who waits for a namespace of this test's
keepers()
{
	local pid fd

	for pid in $(pgrep -x kernfuse-ipc); do
		for fd in "/proc/$pid/fd/"*; do
			case $(readlink "$fd") in
			"$KERNFUSE_IPC_DIR"/*) echo "$pid" ;;
			esac
		done
	done
}

one_keeper()
{
	[ "$(keepers | wc -l)" = 1 ]
}

no_keepers()
{
	[ -z "$(keepers)" ]
}

run true
wait_for 5 no_keepers || fail "somebody waits though nobody is there"

# --- what it is ---

# started with a pipe, and another one, which must end with the command
# shellcheck disable=SC2016 # the inner shell's
{
	exec 9>&1
	# not through a function: a shell in between would hold the pipe
	"$KERNFUSE" ipc run bash -c '
		echo $$ >"$0/pid"
		read -r children <"/proc/$$/task/$$/children"
		echo "children: $children"
		exec >&- 9>&-
		while [ ! -e "$0/end" ]; do read -r -t 0.1 <> <(:); done
		exit 0
	' "$tmp" 2>/dev/null &
	exec 9>&-
} | cat >"$tmp/said" &
reader=$!
wait "$reader"
assert_eq "the command's children" "children: " "$(cat "$tmp/said")"
pid=$(<"$tmp/pid")
wait_for 5 one_keeper || fail "nobody waits for the namespace"
keeper=$(keepers)
[ "$keeper" != "$pid" ] || fail "the command waits for itself"
assert_eq "descriptors" "/dev/null /dev/null /dev/null" \
	"$(cd "/proc/$keeper/fd" && readlink 0 1 2 | xargs)"
assert_eq "how many of them" 4 "$(find "/proc/$keeper/fd/" -type l | wc -l)"
assert_eq "its directory" / "$(readlink "/proc/$keeper/cwd")"
assert_eq "its terminal" 0 "$(awk '{ print $7 }' "/proc/$keeper/stat")"
[ "$(ps -o sid= -p "$keeper")" != "$(ps -o sid= -p "$pid")" ] ||
	fail "it is in the command's session"
: >"$tmp/end"
wait_for 5 no_keepers || fail "somebody waits though the command has ended"

# --- children of the command are users, too; however they end ---

# shellcheck disable=SC2016 # the inner shell's
run sh -c 'sleep 300 >/dev/null & echo $! >"$0/child"' "$tmp"
sleep 0.2
one_keeper || fail "nobody waits for the command's child"
kill -KILL "$(<"$tmp/child")"
wait_for 5 no_keepers || fail "somebody waits though the child was killed"

# --- without one: killed, or where the command would see it ---

run sleep 300 &
pid=$!
wait_for 5 one_keeper || fail "nobody waits for the namespace"
kill -KILL "$(keepers)"
kill "$pid"
assert_status 143 wait "$pid"
assert_status 0 run ipcmk -Q
if unshare -pfr --mount-proc true 2>/dev/null; then
	# shellcheck disable=SC2016 # the inner shell's
	assert_status 0 unshare -pfr --mount-proc "$KERNFUSE" ipc run bash -c '
		[ $$ = 1 ] && ! pgrep -x kernfuse-ipc && ipcmk -Q'
fi

# --- nobody to wait for, and nothing open ---

(
	trap '' CHLD
	assert_status 3 run sh -c 'exit 3'
	assert_status 3 "$KERNFUSE" ipc run --name a sh -c 'exit 3'
)
(
	exec <&- >&- 2>&-
	"$KERNFUSE" ipc run -- sh -c 'exit 3'
	[ $? = 3 ] || exit 1
	"$KERNFUSE" ipc run --name a -- sh -c 'exit 3'
	[ $? = 3 ]
) || fail "does not run with nothing open"
wait_for 5 no_keepers || fail "somebody waits though nobody is there"
wait_for 5 no_regions || fail "regions are left"
