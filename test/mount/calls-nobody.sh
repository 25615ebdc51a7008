#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What an ordinary user gets: the mode bits decide before sysfs is asked.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require_syscalls
require setpriv

make_tree "$tmp/src"
start -o allow_other "$tmp/src"
cd "$mnt"
syscalls=$(for_everybody "$syscalls")
touch "$tmp/elsewhere"

# may one link to a file one could not write?
hard_link=EPERM
[ "$(cat /proc/sys/fs/protected_hardlinks)" = 1 ] || hard_link=EACCES

caller=("${nobody_is[@]}")
check_calls <<END
open creat,wronly new: EACCES
open creat,excl,wronly devices/online: EEXIST
open creat devices/online: OK
open tmpfile,rdwr devices: EACCES
mkdir new: EACCES
mkdir devices: EEXIST
mknod reg new: EACCES
mknod fifo new: EACCES
symlink text new: EACCES
link devices/online new: $hard_link

unlink devices/online: EACCES
unlink class/misc/dev0: EACCES
unlink devices: EACCES
unlink missing: ENOENT
rmdir devices: EACCES
rmdir devices/online: EACCES
rmdir missing: ENOENT
rename devices/online devices/new: EACCES
rename missing new: ENOENT
renameat2 noreplace devices/online devices/new: EACCES

open rdonly devices/online: OK
open wronly devices/online: EACCES
open rdwr devices/online: EACCES
open rdonly,trunc devices/online: EACCES
open wronly devices/dev0/state: EACCES
open rdonly devices/dev0/trigger: EACCES
open wronly devices/dev0/trigger: EACCES
open rdonly devices/dev0/secret: EACCES
open rdonly,direct devices/online: EINVAL
open wronly devices: EISDIR
open rdonly,nofollow class/misc/dev0: ELOOP
open rdonly,directory devices/online: ENOTDIR
open path devices/dev0/secret: OK
access r devices/online: OK
access w devices/online: EACCES
access x devices/online: EACCES
access r devices/dev0/secret: EACCES
execve devices/online: EACCES

truncate devices/online 0: EACCES
truncate devices/dev0/state 0: EACCES
truncate devices/dev0/state -1: EINVAL
truncate devices 0: EISDIR
chmod 666 devices/online: EPERM
chown 65534 65534 devices/online: EPERM
utimes now devices/online: EACCES
utimes set devices/online: EPERM

read rdonly devices/online 100: "0-1\n"
splice devices/online: OK
fsync rdonly devices/online: OK
flock rdonly devices/online: OK

setxattr any user.x devices/online x: EACCES
setxattr any trusted.x devices/online x: EPERM
setxattr any security.x devices/online x: EPERM
getxattr trusted.x devices/online: ENODATA
END

# trusted.* is there, but not listed for everybody
caller=()
check_calls <<END
setxattr any trusted.x devices/online x: OK
setxattr any security.x devices/online x: OK
listxattr devices/online: "trusted.x\000security.x\000"
END
caller=("${nobody_is[@]}")
check_calls <<END
listxattr devices/online: "security.x\000"
END
caller=(setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin --)
check_calls <<END
listxattr devices/online: "security.x\000"
END

cd /
stop
