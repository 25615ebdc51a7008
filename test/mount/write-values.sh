#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Writing: whole values, one page at most, whatever the offset.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require_syscalls

make_tree "$tmp/src"
chmod 644 "$tmp/src/devices/dev0/config"
start "$tmp/src"
cd "$mnt"

check_calls <<'END'
write wronly devices/dev0/state off: 3
read rdonly devices/dev0/state 100: "off"
write wronly devices/dev0/state 0: 0
read rdonly devices/dev0/state 100: "off"
pwrite wronly devices/dev0/state 50 other: 5
read rdonly devices/dev0/state 100: "other"
write wronly,append devices/dev0/state appended: 8
read rdonly devices/dev0/state 100: "appended"
write wronly,trunc devices/dev0/state cut: 3
read rdonly devices/dev0/state 100: "cut"
write wronly devices/dev0/state 5000: 4096
write wronly devices/dev0/trigger go: 2
fstat_size rdonly devices/dev0/state: 4096
# O_APPEND does not make it the end
write wronly,append devices/dev0/config AB: 2
read rdonly devices/dev0/config 2: "AB"
pwrite wronly devices/dev0/config 300 over: EFBIG
END

# the source is only read
assert_eq "source" on "$(cat "$tmp/src/devices/dev0/state")"

cd /
stop
