#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The same calls on the kernel's sysfs and on a mount that took it in. What is
# changed is a network device of a namespace of our own.
in_namespace=yes
if [ -z "${PARITY_NETWORK-}" ]; then
	[ "$(id -u)" = 0 ] || { echo "skipped: needs root" && exit 77; }
	unshare -n true 2>/dev/null ||
		{ echo "skipped: no network namespaces" && exit 77; }
	export PARITY_NETWORK=1
	exec unshare -n bash "$0"
fi
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require ip
parity=$abs_top_builddir/test/parity/parity
[ -x "$parity" ] || fail "there is no $parity"

mkdir "$tmp/sysfs"
mount -t sysfs sysfs "$tmp/sysfs" 2>/dev/null || skip "sysfs cannot be mounted"
ip link add parity0 type veth peer name parity1 2>/dev/null ||
	skip "no network device can be made"
device=devices/virtual/net/parity0
for file in bus/platform/drivers_probe class/net/lo/speed kernel/notes \
	"$device/ifalias"; do
	[ -e "$tmp/sysfs/$file" ] || skip "sysfs has no $file"
done
[ "$(cat "$tmp/sysfs/bus/platform/drivers_autoprobe")" = 1 ] ||
	skip "drivers are not probed automatically, and this would change it"

start -o allow_other "$tmp/sysfs"
groups=(stat open read write io dir link forbid poll setattr perm xattr)
! has_user_namespaces || groups+=(userns)
"$parity" sysfs "$tmp/sysfs" "$device" "${groups[@]}" >"$tmp/kernel" &
"$parity" sysfs "$mnt" "$device" "${groups[@]}" >"$tmp/ours"
wait $! || fail "no run on the kernel's sysfs"
stop

# what is taken in does not go by itself: so a daemon of its own for that
"$abs_top_builddir/test/parity/parityd" device "$tmp/sysfs/$device" "$mnt" \
	"$device" >"$tmp/log" 2>&1 &
daemon=$!
wait_for 10 is_mounted "$mnt" || fail "parityd did not mount"
stat -f "$mnt" >/dev/null
PARITY_REMOVE='ip link del parity0' \
	"$parity" sysfs "$tmp/sysfs" "$device" removed >>"$tmp/kernel"
PARITY_REMOVE='echo 1 >remove' \
	"$parity" sysfs "$mnt" "$device" removed >>"$tmp/ours"
stop

"$abs_top_srcdir/test/parity/compare" "$tmp/kernel" "$tmp/ours" \
	"$abs_top_srcdir/test/parity/differences" ||
	fail "not what the kernel's sysfs does"
