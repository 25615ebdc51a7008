#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A copied tree is served as it was: names, types, modes, owners, link texts,
# values, and what cannot be read.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse

make_tree "$tmp/src"
mkdir -p "$tmp/src/many"
(cd "$tmp/src/many" && seq -f 'entry-%g' 500 | xargs touch)
printf 'a\0b' >"$tmp/src/devices/dev0/nuls"
seq 100000 >"$tmp/src/devices/dev0/large"
ln "$tmp/src/devices/online" "$tmp/src/devices/hard"
mkfifo "$tmp/src/devices/fifo"
if [ "$(id -u)" = 0 ]; then
	chown 12:34 "$tmp/src/devices/dev0/state" "$tmp/src/devices/dev0/power"
	chown -h 12:34 "$tmp/src/class/misc/dev0"
fi
start "$tmp/src"

# what we add to what was taken in
ours=(\( -path ./fs -o -path ./kernel/ipc \))

# show DIR: a line for everything in it but pipes and what we add
show()
{
	(cd "$1" && find . "${ours[@]}" -prune -o ! -type p \
		-printf '%p %y %m %U:%G %l\n' | sort)
}
show "$tmp/src" >"$tmp/source"
show "$mnt" >"$tmp/served"
assert_same "names, types, modes, owners, link texts" "$tmp/source" \
	"$tmp/served"

# values DIR: the sum of every file that can be read
values()
{
	(cd "$1" && find . "${ours[@]}" -prune -o -type f -readable -perm /444 \
		-print0 | sort -z | xargs -0 sha256sum)
}
values "$tmp/src" >"$tmp/source"
values "$mnt" >"$tmp/served"
assert_same "values" "$tmp/source" "$tmp/served"

[ ! -e "$mnt/devices/fifo" ] || fail "a pipe was taken in"

# what is served is a copy
if [ "$(id -u)" = 0 ]; then
	echo changed >"$mnt/devices/dev0/state"
	assert_eq "source" on "$(cat "$tmp/src/devices/dev0/state")"
fi
echo new >"$tmp/src/devices/new"
[ ! -e "$mnt/devices/new" ] || fail "the source shows through"
stop
