#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# This machine's /sys, taken in: everything is there, links and errors, too.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
[ "$(stat -fc %T /sys)" = sysfs ] || skip "/sys is no sysfs"

# show DIR: a line for everything in it. Mount points below /sys are empty
# directories in ours.
mapfile -t mounts < <(awk '$2 ~ "^/sys/" { print substr($2, 6) }' \
	/proc/self/mounts)
prune=(-path ./fs/kernfuse -o -path ./kernel/ipc)
# a number that a mount gives back is the next one's: there, gone, there again
prune+=(-o -path '*/bdi/*:*')
for m in ${mounts[@]+"${mounts[@]}"}; do
	prune+=(-o -path "./$m/*")
done
show()
{
	(cd "$1" && find . \( "${prune[@]}" \) -prune -o \
		-printf '%p %y %m %U:%G %l\n' 2>/dev/null | sort)
}

show /sys >"$tmp/before"
began=$(date +%s%N)
start -o "read_timeout=$((2 * patience))" /sys
echo "ready after $((($(date +%s%N) - began) / 1000000)) ms"
cat "$tmp/log"

# A live tree changes while it is looked at: what is compared was there before
# and after.
show /sys >"$tmp/after"
comm -12 "$tmp/before" "$tmp/after" >"$tmp/stable"
show "$mnt" >"$tmp/served"
missing=$(comm -23 "$tmp/stable" "$tmp/served" | wc -l)
[ "$missing" = 0 ] || {
	comm -23 "$tmp/stable" "$tmp/served" | head -n 20 >&2
	fail "$missing of $(wc -l <"$tmp/stable") entries are missing or differ"
}
echo "$(wc -l <"$tmp/stable") entries are the same"

# the order of a directory is the kernel's; kernel/ipc is ours
for dir in . kernel class devices/system/cpu; do
	# unsorted, which find does not promise
	ls -U "/sys/$dir" >"$tmp/source"
	ls -U -I ipc "$mnt/$dir" >"$tmp/served"
	assert_same "order of $dir" "$tmp/source" "$tmp/served"
done

# errors DIR: what reading some quiet files says
errors()
{
	(cd "$1" && find class/net/lo/ devices/system -xdev \
		-type f -perm /444 -print0 2>/dev/null |
		xargs -0 cat 2>&1 >/dev/null | sort)
}
errors /sys >"$tmp/source"
errors "$mnt" >"$tmp/served"
errors /sys >"$tmp/again"
comm -12 "$tmp/source" "$tmp/again" >"$tmp/stable"
[ -s "$tmp/stable" ] || echo "nothing there fails to read"
lost=$(comm -23 "$tmp/stable" "$tmp/served")
assert_eq "errors that were not kept" "" "$lost"
echo "$(wc -l <"$tmp/stable") errors kept"
stop
