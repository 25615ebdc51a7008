#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# In the background: when the command returns, the mount can be used.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse

for i in $(seq 100); do
	"$KERNFUSE" -o "$(locking_options)" none "$mnt" 2>"$tmp/log" ||
		fail "start $i"
	test -e "$mnt/class" || fail "no class after start $i"
	fusermount3 -u "$mnt"
done
check_log

# a caller that waits for the end of the output does not wait for the daemon
output=$(timeout 10 "$KERNFUSE" none "$mnt" 2>&1) || fail "it holds a pipe"
assert_eq "output" "" "$output"
exec 8>"$tmp/held"
fusermount3 -u "$mnt"

# neither does one that waits for some other descriptor
"$KERNFUSE" none "$mnt"
exec 8>&-
pid=$(pid_of_mount "$mnt")
held=$(find "/proc/$pid/fd" -lname "$tmp/*" | wc -l)
assert_eq "files of the caller that stay open" 0 "$held"
assert_eq "working directory" / "$(readlink "/proc/$pid/cwd")"
assert_eq "umask" 0000 "$(awk '/^Umask/ { print $2 }' "/proc/$pid/status")"
[ "$(ps -o sid= -p "$pid" | xargs)" = "$pid" ] || fail "no session of its own"
fusermount3 -u "$mnt"
wait_for 2 not_running "$pid" || fail "it goes on"

# relative names are those of the caller's directory
mkdir -p "$tmp/src/x"
cd "$tmp"
"$KERNFUSE" ./src mnt
[ -d mnt/x ] || fail "relative source"
fusermount3 -u mnt
