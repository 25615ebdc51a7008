#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The same calls, made on the real sysfs and on a mount of it, return the same.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require_syscalls
[ "$(stat -fc %T /sys)" = sysfs ] || skip "/sys is no sysfs"
file=devices/system/cpu/online
[ -e "/sys/$file" ] || skip "there is no /sys/$file"
grep -q ' /sys sysfs rw' /proc/self/mounts || skip "/sys is read only"

# a directory is enough
start /sys/devices/system/cpu

cat >"$tmp/calls" <<END
open creat,wronly new
open creat,excl,wronly online
open creat online
open tmpfile,rdwr .
mkdir new
mkdir online
mknod reg new
mknod fifo new
symlink text new
link online new
unlink online
unlink missing
rmdir missing
rmdir online
rename online new
rename missing new
renameat2 noreplace online new
renameat2 exchange online present
open wronly online
open rdwr online
open rdonly,trunc online
open rdonly,direct online
open rdonly,directory online
open rdonly uevent
open rdwr uevent
open wronly uevent
access rw online
access x online
execve online
truncate online 0
truncate online 8192
ftruncate rdonly online 0
write rdonly online x
fsync rdonly online
flock rdonly online
fadvise rdonly online
splice online
copy online
mmap rdonly online shared
ioctl rdonly online getflags
ioctl rdonly online figetbsz
ioctl rdonly online fionread
fstat_size rdonly online
stat online
stat uevent
read rdonly online 1 100 100
pread rdonly online 1 100
pread rdonly online 100000 100
lseek rdonly online 0 end
lseek rdonly online 0 data
lseek rdonly online 0 hole
lseek rdonly online 5000 data
poll rdonly online
handle open online
handle fid online
handle open .
listxattr online
listxattr . 0
getxattr user.x online
getxattr user. online
getxattr trusted.x online
getxattr security.capability online
getxattr system.posix_acl_access online
getxattr system.x online
getxattr nothing online
setxattr any user.x online value
setxattr replace user.x online value
setxattr any user. online value
setxattr any trusted. online value
setxattr any nothing.x online value
setxattr any system.x online value
setxattr any trusted.kernfuse online value
getxattr trusted.kernfuse online
getxattr trusted.kernfuse online 0
getxattr trusted.kernfuse online 2
setxattr create trusted.kernfuse online value
setxattr replace trusted.kernfuse online 3000
setxattr replace trusted.absent online 3000
setxattr any trusted.aaa online 0
setxattr any security.kernfuse online other
setxattr any trusted.kernfuse online 65537
listxattr online
listxattr online 10
listxattr online 0
removexattr trusted.aaa online
removexattr trusted.kernfuse online
removexattr security.kernfuse online
removexattr trusted.kernfuse online
removexattr user.x online
removexattr nothing online
listxattr online
setxattr any trusted.kernfuse . value
listxattr .
removexattr trusted.kernfuse .
END

cd /sys/devices/system/cpu
"$syscalls" <"$tmp/calls" >"$tmp/sysfs"
cd "$mnt"
"$syscalls" <"$tmp/calls" >"$tmp/kernfuse"
cd /
assert_same "calls on sysfs and on kernfuse" "$tmp/sysfs" "$tmp/kernfuse"
stop
