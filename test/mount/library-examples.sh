#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The programs of doc/examples do what they say, and each fits on a page.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse

for file in "$abs_top_srcdir"/doc/examples/*.c; do
	[ "$(wc -l <"$file")" -le 66 ] || fail "$file is longer than a page"
done

follow=$abs_top_builddir/test/mount/follow
two=$tmp/two
mkdir "$two"

# example NAME MOUNTPOINT...: starts it, and it is mounted
example()
{
	local program=$abs_top_builddir/doc/examples/$1

	[ -x "$program" ] || fail "there is no $program"
	shift
	"$program" "$@" >"$tmp/log" 2>&1 </dev/null &
	daemon=$!
	for dir; do
		wait_for 60 is_mounted "$dir" || fail "$program: not mounted"
		stat -f "$dir" >/dev/null
	done
}

# --- attributes ---

sensor=$mnt/sensor0/temperature

# the value that is set, or one that came soon after
at_least()
{
	[ "$(cat "$sensor")" -ge "$1" ]
}

example attributes "$mnt"
assert_eq "size and mode" "4096 644" "$(stat -c '%s %a' "$sensor")"
echo 100 >"$sensor"
at_least 100 || fail "not set"
wait_for 5 at_least 103 || fail "it does not go up"
first=$(cat "$sensor")
# a poller that has read wakes by the next change
"$follow" "$sensor" 3 >"$tmp/out" || fail "follow: $?"
assert_eq "values followed" 3 "$(wc -l <"$tmp/out")"
sort -n -u "$tmp/out" | diff - "$tmp/out" || fail "a value came twice"
[ "$(tail -n 1 "$tmp/out")" -gt "$first" ] || fail "old values"
kill -INT "$daemon"
wait_daemon 0

# --- configtree ---

example configtree "$mnt"
mkdir "$mnt/a" "$mnt/a/b" "$mnt/c"
echo 42 >"$mnt/a/b/value"
assert_eq "a/b/value" 42 "$(cat "$mnt/a/b/value")"
assert_eq "c/value" 0 "$(cat "$mnt/c/value")"
assert_eq "a" "b value" "$(cd "$mnt/a" && echo *)"
assert_status 1 rmdir "$mnt/a"
grep -q "not empty" "$tmp/err" || fail "$(cat "$tmp/err")"
assert_status 1 mkdir "$mnt/a"
grep -q "File exists" "$tmp/err" || fail "$(cat "$tmp/err")"
exec 5<"$mnt/c/value"
rmdir "$mnt/a/b" "$mnt/a" "$mnt/c"
assert_status 1 sh -c 'cat <&5'
exec 5<&-
assert_eq "all removed" "*" "$(cd "$mnt" && echo *)"
mkdir "$mnt/left"
stop

# --- namespaces ---

example namespaces "$mnt" "$two"
assert_eq "motto" "for all" "$(cat "$two/motto")"
assert_eq "net of red" "eth0 lo" "$(cd "$mnt/net" && echo *)"
assert_eq "net of blue" "eth0" "$(cd "$two/net" && echo *)"
assert_eq "eth0 of red" "born red" "$(cat "$mnt/net/eth0")"
assert_eq "eth0 of blue" "born blue" "$(cat "$two/net/eth0")"
echo blue >"$mnt/net/lo"
assert_eq "net of red" "eth0" "$(cd "$mnt/net" && echo *)"
! (echo red >"$mnt/motto") 2>"$tmp/err" || fail "motto can be written"
assert_eq "lo of blue" "wanders" "$(cat "$two/net/lo")"
! (echo red >"$two/net/eth0") 2>"$tmp/err" || fail "two of a name"
grep -q "File exists" "$tmp/err" || fail "$(cat "$tmp/err")"
fusermount3 -u "$two"
stop
