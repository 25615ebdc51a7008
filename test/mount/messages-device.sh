#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What keeps a mount from being made is said in one line that names it.
in_namespace=yes
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require setpriv

program=$(for_everybody "$KERNFUSE")
chown "$nobody:$nobody" "$mnt"

# a /dev of our own, where /dev/fuse can be anything
mkdir "$tmp/dev"
mount -t tmpfs tmpfs "$tmp/dev"
chmod 755 "$tmp/dev"
mknod -m 666 "$tmp/dev/null" c 1 3
ln -s /proc/self/fd "$tmp/dev/fd"
device=$(stat -c 'c %Hr %Lr' /dev/fuse 2>/dev/null) || device='c 10 229'
mount --bind "$tmp/dev" /dev

# refused MESSAGE COMMAND...
refused()
{
	local message=$1

	shift
	assert_status 4 "$@"
	assert_eq "message of $*" "kernfuse: $message" "$(cat "$tmp/err")"
	! is_mounted "$mnt" || fail "$* mounted"
}

load="is the kernel module fuse loaded ('modprobe fuse'), and does this \
container have the device?"
for f in -f -q; do
	refused "cannot mount on $mnt: /dev/fuse: No such file or directory; \
$load" "$program" $f none "$mnt"
done

# a number that no driver has
mknod -m 666 /dev/fuse c 10 250
if ! (exec 9<>/dev/fuse) 2>/dev/null; then
	refused "cannot mount on $mnt: /dev/fuse: No such device; $load" \
		"$program" none "$mnt"
fi
rm /dev/fuse

# shellcheck disable=SC2086
mknod -m 600 /dev/fuse $device
refused "cannot mount on $mnt: /dev/fuse: Permission denied; this user, or \
this container, may not use FUSE" as_nobody "$program" none "$mnt"
chmod 666 /dev/fuse

# an ordinary user needs fusermount3
fusermount=$(command -v fusermount3)
: >"$tmp/not-a-program"
mount --bind "$tmp/not-a-program" "$fusermount"
assert_status 4 as_nobody "$program" none "$mnt"
grep -q '^kernfuse: .*: install the package fuse3$' "$tmp/err" ||
	fail "no word of fuse3: $(cat "$tmp/err")"
assert_eq "lines" 1 "$(wc -l <"$tmp/err")"
umount "$fusermount"

# and permission for allow_other
if [ -u "$(realpath "$fusermount")" ]; then
	: >"$tmp/fuse.conf"
	mount --bind "$tmp/fuse.conf" /etc/fuse.conf
	for option in allow_other allow_root; do
		assert_status 4 as_nobody "$program" -o $option none "$mnt"
		grep -q '^kernfuse: .*/etc/fuse.conf.*user_allow_other$' \
			"$tmp/err" || fail "$option: $(cat "$tmp/err")"
		assert_eq "lines" 1 "$(wc -l <"$tmp/err")"
	done
	# a mountpoint of somebody else's
	chown 0:0 "$mnt"
	assert_status 4 as_nobody "$program" none "$mnt"
	assert_eq "lines" 1 "$(wc -l <"$tmp/err")"
	grep -q "^kernfuse: cannot mount on $mnt: .*" "$tmp/err" ||
		fail "foreign mountpoint: $(cat "$tmp/err")"
fi
