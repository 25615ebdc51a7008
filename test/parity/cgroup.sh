#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The same calls on control groups of the kernel's and on some of ours. What is
# changed is a group that was made for it.
in_namespace=yes
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
parity=$abs_top_builddir/test/parity/parity
parityd=$abs_top_builddir/test/parity/parityd
[[ -x $parity && -x $parityd ]] || fail "there is no $parity or no $parityd"

mkdir "$tmp/cgroup2"
mount -t cgroup2 cgroup2 "$tmp/cgroup2" 2>/dev/null ||
	skip "there are no control groups of version 2"
group=kernfuse-parity-$$
mkdir "$tmp/cgroup2/$group" 2>/dev/null || skip "no control group can be made"
for file in type max.depth events freeze kill; do
	[ -e "$tmp/cgroup2/$group/cgroup.$file" ] ||
		absent="there is no cgroup.$file"
done

remove_groups()
{
	local status=$?

	set +e
	find "$tmp/cgroup2/$group" -depth -type d -exec rmdir {} \; 2>/dev/null
	umount -l "$tmp/cgroup2"
	(exit "$status")
	cleanup
}
trap remove_groups EXIT
[ -z "${absent-}" ] || skip "$absent"

serve()
{
	"$parityd" "$@" >"$tmp/log" 2>&1 &
	daemon=$!
	wait_for 10 is_mounted "$mnt" || fail "parityd did not mount"
	stat -f "$mnt" >/dev/null
}

serve cgroup "$tmp/cgroup2/$group" "$mnt"
mkdir "$mnt/$group" "$mnt/$group/sub" "$tmp/cgroup2/$group/sub"
groups=(stat open read write io dir forbid poll setattr perm xattr hooks)
! has_user_namespaces || groups+=(userns)
groups+=(removed)
"$parity" cgroup "$tmp/cgroup2" "$group" "${groups[@]}" >"$tmp/kernel" &
"$parity" cgroup "$mnt" "$group" "${groups[@]}" >"$tmp/ours"
wait $! || fail "no run on the kernel's control groups"
"$abs_top_srcdir/test/parity/compare" "$tmp/kernel" "$tmp/ours" \
	"$abs_top_srcdir/test/parity/differences" ||
	fail "not what the kernel's control groups do"
stop
