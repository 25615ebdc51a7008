#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# chmod, chown and utimes hold; reading and writing change no time, truncating
# sets two, as on sysfs.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require_syscalls

make_tree "$tmp/src"
start "$tmp/src"
cd "$mnt"

check_calls <<'END'
chmod 600 devices/online: OK
chown 12 34 devices/online: OK
chmod 4755 devices/dev0/state: OK
chmod 700 devices/dev0: OK
chown 12 34 class/misc/dev0: OK
utimes set devices/dev0/config: OK
END
# the kernel forgets what nobody uses; what was set must not go with it
ls -lR . >/dev/null
echo 2 >/proc/sys/vm/drop_caches
check_calls <<'END'
stat devices/online: mode 100600 nlink 1 owner 12:34 size 4096 blocks 0 blksize 4096
stat devices/dev0/state: mode 104755 nlink 1 owner 0:0 size 4096 blocks 0 blksize 4096
stat devices/dev0: mode 40700 nlink 3 owner 0:0 size 0 blocks 0 blksize 4096
stat class/misc/dev0: mode 120777 nlink 1 owner 12:34 size 0 blocks 0 blksize 4096
END
assert_eq "times" "1000 2000" "$(stat -c '%X %Y' devices/dev0/config)"

# a mode that allows writing does not make a file writable
check_calls <<'END'
chmod 666 devices/online: OK
open wronly devices/online: EACCES
END

times()
{
	stat -c '%x %y %z' "$1"
}

touch devices/dev0/power/control
before=$(times devices/dev0/power/control)
sleep 0.05
echo on 1<>devices/dev0/power/control
cat devices/dev0/power/control >/dev/null
assert_eq "times after write and read" "$before" \
	"$(times devices/dev0/power/control)"
for size in 0 8192; do
	touch devices/dev0/power/control
	accessed=$(stat -c %x devices/dev0/power/control)
	changed=$(stat -c '%y %z' devices/dev0/power/control)
	sleep 0.05
	truncate -s $size devices/dev0/power/control
	assert_eq "size after truncate" 4096 \
		"$(stat -c %s devices/dev0/power/control)"
	assert_eq "atime after truncate" "$accessed" \
		"$(stat -c %x devices/dev0/power/control)"
	[ "$(stat -c '%y %z' devices/dev0/power/control)" != "$changed" ] ||
		fail "truncate set no time"
done
before=$(times devices/dev0/power/control)
sleep 0.05
chmod 640 devices/dev0/power/control
[ "$(times devices/dev0/power/control)" != "$before" ] ||
	fail "chmod did not change ctime"

now=$(date +%s)
touch devices/dev0/power/control
age=$((now - $(stat -c %Y devices/dev0/power/control)))
[ "$age" -le 5 ] || fail "touch set a time $age s ago"

cd /
stop
