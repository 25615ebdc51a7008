#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# An ordinary user mounts through the setuid fusermount3, uses the mount alone,
# and unmounts it.
in_namespace=yes
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require setpriv
[ -u "$(realpath "$(command -v fusermount3)")" ] ||
	skip "fusermount3 is not setuid"

# where /dev/fuse is root's, give this namespace one that is everybody's
if ! as_nobody sh -c ': <>/dev/fuse' 2>/dev/null; then
	mount -t tmpfs tmpfs /mnt
	# shellcheck disable=SC2046
	mknod -m 666 /mnt/fuse $(stat -c 'c %Hr %Lr' /dev/fuse)
	mount --bind /mnt/fuse /dev/fuse
	umount -l /mnt
fi
as_nobody sh -c ': <>/dev/fuse' 2>/dev/null ||
	skip "no /dev/fuse for ordinary users"

program=$(for_everybody "$KERNFUSE")
make_tree "$tmp/src"
chown "$nobody:$nobody" "$mnt"

as_nobody "$program" -o "$(locking_options)" "$tmp/src" "$mnt" ||
	fail "it does not mount"
line=$(grep " $mnt " /proc/self/mounts)
case $line in
*user_id=$nobody,group_id=$nobody*) ;;
*) fail "whose is it: $line" ;;
esac
case $line in
*nosuid,nodev*) ;;
*) fail "not nosuid,nodev: $line" ;;
esac

as_nobody sh -c "cat '$mnt/devices/online' && ls -R '$mnt'" >/dev/null ||
	fail "its owner cannot use it"
# root's file stays root's, and what could not be read fails
as_nobody sh -c ": >'$mnt/devices/dev0/state'" 2>/dev/null &&
	fail "its owner writes what is root's"
as_nobody cat "$mnt/devices/dev0/secret" >/dev/null 2>&1 &&
	fail "its owner reads what nobody could read"
ls "$mnt" >/dev/null 2>&1 && fail "root is let in"

as_nobody fusermount3 -u "$mnt" || fail "its owner cannot unmount it"

# unmounted by a signal: the daemon calls fusermount3 itself
"${nobody_is[@]}" "$program" -f none "$mnt" >"$tmp/log" 2>&1 &
daemon=$!
wait_for 10 is_mounted "$mnt" || fail "not mounted"
as_nobody ls "$mnt" >/dev/null
kill -TERM "$daemon"
wait_daemon 0
