#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Reading: offsets, short reads, the end, and rereading from the start.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse
require_syscalls

make_tree "$tmp/src"
# more than a page of text, and of bytes
seq 3000 >"$tmp/src/devices/dev0/long"
head -c 10000 /dev/urandom >"$tmp/src/devices/dev0/blob"
start "$tmp/src"
cd "$mnt"

check_calls <<'END'
read rdonly devices/online 4096 4096: "0-1\n" ""
read rdonly devices/online 1 100 100: "0" "-1\n" ""
read rdonly devices/online 1 1 1 1 1: "0" "-" "1" "\n" ""
read rdonly devices/dev0/empty 10 10: "" ""
pread rdonly devices/online 1 100: "-1\n"
pread rdonly devices/online 4 100: ""
pread rdonly devices/online 4095 100: ""
pread rdonly devices/online 1000000 100: ""
pread rdonly devices/online -1 100: EINVAL
lseek rdonly devices/online 0 end: 4096
lseek rdonly devices/online 2 set: 2
lseek rdonly devices/online -1 set: EINVAL
lseek rdonly devices/online 0 data: 0
lseek rdonly devices/online 0 hole: 4096
lseek rdonly devices/online 4096 data: ENXIO
END

cmp "$tmp/src/devices/dev0/long" devices/dev0/long
cmp "$tmp/src/devices/dev0/blob" devices/dev0/blob
cmp "$tmp/src/devices/dev0/config" devices/dev0/config
for bs in 1 7 4096 5000 65536 300000; do
	for file in long blob; do
		dd if=devices/dev0/$file of="$tmp/copy" bs=$bs status=none
		cmp "$tmp/src/devices/dev0/$file" "$tmp/copy" ||
			fail "$file read $bs bytes at a time"
	done
done

# one read of bytes is a page at most
assert_eq "bytes of one read" 4096 \
	"$(dd if=devices/dev0/blob bs=10000 count=1 status=none | wc -c)"

# an open file sees a new value when it goes back to its start
if [ "$(id -u)" = 0 ]; then
	exec 3<devices/dev0/state
	assert_eq "value" on "$(head -c 10 <&3)"
	echo off >devices/dev0/state
	assert_eq "rest of the old one" "" "$(head -c 10 <&3)"
	exec 3<devices/dev0/state
	assert_eq "new value" off "$(head -c 10 <&3)"
	exec 3<&-
fi

cd /
stop
