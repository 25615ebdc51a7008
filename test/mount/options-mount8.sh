#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mount(8) calls us through mount.fuse3, as an entry of fstab does.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require mount.fuse3
require findmnt

program=$(for_everybody "$KERNFUSE")
# mount(8) does not pass a PATH on
mkdir -p "$tmp/src/devices"
assert_status 0 mount -t fuse "$program#$tmp/src" "$mnt" \
	-o ro,allow_other,nofail,x-systemd.automount,locking=rcu
assert_eq "source and type" "$tmp/src fuse.kernfuse" \
	"$(findmnt -nro SOURCE,FSTYPE "$mnt")"
assert_eq "policy" rcu "$(cat "$mnt/fs/kernfuse/locking/policy")"
umount "$mnt"

PATH=$tmp:$PATH assert_status 0 mount.fuse3 "$tmp/src" "$mnt" \
	-t fuse.kernfuse -o rw,nosuid,_netdev
assert_eq "source and type" "$tmp/src fuse.kernfuse" \
	"$(findmnt -nro SOURCE,FSTYPE "$mnt")"
umount "$mnt"

# opened and mounted by mount.fuse3; then we get a descriptor
assert_status 0 mount -t fuse "$program#none" "$mnt" \
	-o setuid=nobody,drop_privileges,default_permissions,allow_other
wait_for 5 ls "$mnt/devices" || fail "it does not serve a descriptor"
umount "$mnt"
assert_status 1 mount -t fuse "$program#none" "$mnt" \
	-o setuid=nobody,drop_privileges,allow_other
grep -q "without '-o default_permissions'" "$tmp/err" ||
	fail "$(cat "$tmp/err")"
umount "$mnt" 2>/dev/null || true

assert_status 1 mount -t fuse "$program#$tmp/src" "$mnt" -o frob
grep -q "unknown option '-o frob'" "$tmp/err" || fail "$(cat "$tmp/err")"
