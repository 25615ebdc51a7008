#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# 'kernfuse ipc run' ends as its command does and is reached by the signals
# that are meant for it; 125, 126 and 127 say that there was no command.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"
# shellcheck source=test/ipc/run.sh
. "$abs_top_srcdir/test/ipc/run.sh"

require ipcmk
require unshare

# --- its own ---

for status in 0 1 2 42 124 125 126 127 128 143 254 255; do
	assert_status "$status" run sh -c "exit $status"
done
assert_eq "nothing said" "" "$(cat "$tmp/out" "$tmp/err")"
assert_status 3 "$KERNFUSE" ipc run sh -c 'exit 3'

# --- ours ---

# failed STATUS MESSAGE OPTION...
failed()
{
	local expected=$1 message=$2

	shift 2
	assert_status "$expected" "$KERNFUSE" ipc run "$@"
	grep -qF -- "$message" "$tmp/err" || {
		cat "$tmp/err" >&2
		fail "ipc run $*: does not say '$message'"
	}
	assert_eq "nothing on standard output" "" "$(<"$tmp/out")"
}

failed 125 "no command"
failed 125 "no command" --
failed 125 "'--nonsense'" --nonsense true
failed 125 "--name" --name a/b true
failed 125 "--name" --name .hidden true
failed 125 "--name" --name "" true
failed 125 "--at" --at "$tmp" true
failed 125 "$tmp" --at "$tmp" --name a true
failed 125 "--msgmni" --msgmni 32769 true
failed 125 "--msgmax" --msgmax -1 true
failed 125 "--memory" --memory 12X true
failed 125 "--memory" --memory -5 true
failed 125 "from 20M" --memory 20479K true
failed 125 "from 20M" --memory 65G true
failed 125 "from 20M" --memory 18446744073709551615G true
failed 125 "--counters" --counters many true
failed 125 "needs a value" --name
failed 127 "no-such-command" no-such-command
failed 127 "$tmp/none" "$tmp/none"
: >"$tmp/plain"
chmod 644 "$tmp/plain"
failed 126 "$tmp/plain" "$tmp/plain"
failed 126 "$tmp" "$tmp"
KERNFUSE_IPC_LIBRARY=$tmp/none failed 125 "libkernfuse-ipc.so" true
KERNFUSE_IPC_DIR=$tmp/none failed 125 "namespace" true
# what a shell's ulimit leaves no room for
(ulimit -f 1000 && failed 125 "File too large" true)
if [ "${KERNFUSE_SANITIZER:-no}" = no ]; then
	(ulimit -v 1000000 && failed 125 "Cannot allocate memory" true)
	(ulimit -v 1000000 &&
		assert_status 0 "$KERNFUSE" ipc run --memory 64M ipcmk -Q &&
		assert_status 0 "$KERNFUSE" ipc run --memory 64M \
			unshare -i ipcmk -Q)
fi
assert_status 0 "$KERNFUSE" ipc run --help
grep -q "^Usage: kernfuse ipc run" "$tmp/out" || fail "no help"

# --- signals ---

# die NAME: a command that dies of it
die()
{
	local status=0

	run sh -c "kill -$1 \$\$" 2>/dev/null || status=$?
	assert_eq "status after SIG$1" $((128 + $(kill -l "$1"))) "$status"
}
for name in HUP INT QUIT KILL TERM USR1 SEGV; do
	# no core file
	(ulimit -c 0 && die "$name")
done

# told NAME: it is sent to what we started, and the command's trap runs
told()
{
	local pid status=0

	rm -f "$tmp/ready"
	# a shell that starts one in the background makes it deaf to INT, QUIT
	# shellcheck disable=SC2016 # the inner shell's
	env --default-signal="$1" "$KERNFUSE" ipc run bash -c '
		trap "exit 9" '"$1"'
		: >"$0/ready"
		while :; do read -r -t 1 <> <(:) || :; done
	' "$tmp" 2>/dev/null &
	pid=$!
	wait_for 10 test -e "$tmp/ready" || fail "no command"
	kill -"$1" "$pid"
	wait "$pid" || status=$?
	assert_eq "the command's trap on SIG$1" 9 "$status"
}
for name in TERM INT HUP QUIT USR1 USR2; do
	told "$name"
done

no_regions || fail "regions are left"
