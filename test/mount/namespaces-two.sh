#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# One tagged directory seen through two mounts of one tree, and a node that
# moves from one namespace to the other.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse
start_treed

# names DIR: of its entries, on a line
names()
{
	find "$1" -mindepth 1 -printf '%f\n' | sort | xargs
}

assert_eq "red sees" "eth0 lo" "$(names "$mnt/net")"
assert_eq "blue sees" eth0 "$(names "$blue/net")"
assert_eq "red's eth0" "born red" "$(cat "$mnt/net/eth0")"
assert_eq "blue's eth0" "born blue" "$(cat "$blue/net/eth0")"
[ "$(stat -c %i "$mnt/net/eth0")" != "$(stat -c %i "$blue/net/eth0")" ] ||
	fail "one file under two tags"
# what is not tagged is the same
assert_eq "inode of net" "$(stat -c %i "$mnt/net")" \
	"$(stat -c %i "$blue/net")"
echo shared >"$mnt/group/value"
assert_eq "group/value" shared "$(cat "$blue/group/value")"

# an absent name is looked for, and then it comes
[ ! -e "$blue/net/lo" ] || fail "blue sees red's lo"
exec 5<"$mnt/net/lo"
echo "lo red blue" >"$mnt/move"
assert_eq "red sees" eth0 "$(names "$mnt/net")"
[ ! -e "$mnt/net/lo" ] || fail "red still sees lo"
assert_eq "blue sees" "eth0 lo" "$(names "$blue/net")"
assert_eq "lo in blue" "lo of red" "$(cat "$blue/net/lo")"
# who has it open does not mind
assert_eq "lo through an open file" "lo of red" "$(cat <&5)"
exec 5<&-
# the name is taken there
! echo "eth0 red blue" 2>"$tmp/err" >"$mnt/move" || fail "two of a name"
grep -q "File exists" "$tmp/err" || fail "not EEXIST: $(cat "$tmp/err")"
echo "lo blue red" >"$blue/move"
assert_eq "lo is back" "eth0 lo" "$(names "$mnt/net")"
stop_treed
