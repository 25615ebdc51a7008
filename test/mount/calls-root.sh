#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What root gets for calls that sysfs forbids, ignores, or has its own mind
# about: the table of a real sysfs.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require_syscalls

make_tree "$tmp/src"
start "$tmp/src"
cd "$mnt"
touch "$tmp/elsewhere"

check_calls <<END
# nothing can be created
open creat,wronly new: EACCES
open creat,excl,wronly devices/online: EEXIST
open creat devices/online: OK
open tmpfile,rdwr devices: EOPNOTSUPP
mkdir new: EPERM
mkdir devices: EEXIST
mknod reg new: EACCES
mknod fifo new: EPERM
mknod sock new: EPERM
mknod chr new: EPERM
mknod blk new: EPERM
symlink text new: EPERM
link devices/online new: EPERM
link $tmp/elsewhere new: EXDEV

# nothing can be removed or renamed
unlink devices/online: EPERM
unlink class/misc/dev0: EPERM
unlink devices: EISDIR
unlink missing: ENOENT
rmdir devices: EPERM
rmdir devices/dev0/power: EPERM
rmdir devices/online: ENOTDIR
rmdir missing: ENOENT
rename devices/online devices/new: EPERM
rename devices/online devices/dev0/state: EPERM
rename devices new: EPERM
rename missing new: ENOENT
rename devices/online $tmp/new: EXDEV
renameat2 noreplace devices/online devices/new: EINVAL
renameat2 exchange devices/online devices/dev0/state: EINVAL
renameat2 whiteout devices/online devices/new: EINVAL

# mode bits bind root, too, when a file is opened
open rdonly devices/online: OK
open wronly devices/online: EACCES
open rdwr devices/online: EACCES
open rdonly,trunc devices/online: OK
open rdwr devices/dev0/state: OK
open wronly,append devices/dev0/state: OK
open wronly,trunc devices/dev0/state: OK
open rdonly devices/dev0/trigger: EACCES
open rdwr devices/dev0/trigger: EACCES
open wronly devices/dev0/trigger: OK
open rdonly devices/dev0/secret: OK
open rdonly,direct devices/online: EINVAL
open wronly,direct devices/online: EACCES	# the mode is looked at first
open wronly devices: EISDIR
open rdonly,nofollow class/misc/dev0: ELOOP
open rdonly,directory devices/online: ENOTDIR
open path devices/online: OK
open rdonly class/misc/dangling: ENOENT
open rdonly devices/online/x: ENOTDIR
access rw devices/online: OK
access x devices/online: EACCES
execve devices/online: EACCES

# sizes are ignored
truncate devices/online 0: OK
truncate devices/dev0/state 8192: OK
truncate devices/dev0/state -1: EINVAL
truncate devices 0: EISDIR
ftruncate rdonly devices/online 0: EINVAL
ftruncate rdwr devices/dev0/state 1: OK
read rdonly devices/dev0/state 100: "on\n"

# what an open file can do
write rdonly devices/online x: EBADF
pread wronly devices/dev0/state 0 10: EBADF
write wronly devices/dev0/state 0: 0
fallocate rdwr devices/dev0/state: EOPNOTSUPP
fsync rdonly devices/online: OK
fdatasync rdonly devices/online: OK
syncfs rdonly devices/online: OK
fsync rdonly devices: EINVAL
flock rdonly devices/online: OK
fadvise rdonly devices/online: OK
splice devices/online: OK
copy devices/online: EINVAL
mmap rdonly devices/online shared: ENODEV
ioctl rdonly devices/online getflags: ENOTTY
ioctl rdonly devices/online figetbsz: 4096
ioctl rdonly devices/online fionread: 4096
poll rdonly devices/online: 13
getxattr user.x devices/online: ENODATA
END

cd /
stop
