#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sizes, links, blocks and owners that stat shows, and what statfs shows.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse
require_syscalls

make_tree "$tmp/src"
start "$tmp/src"
cd "$mnt"
owner=$(id -u):$(id -g)

# links of a directory: itself, its name, and one for each directory in it
check_calls <<END
stat devices: mode 40755 nlink 3 owner $owner size 0 blocks 0 blksize 4096
stat devices/dev0: mode 40755 nlink 3 owner $owner size 0 blocks 0 blksize 4096
stat devices/dev0/power: mode 40755 nlink 2 owner $owner size 0 blocks 0 blksize 4096
stat devices/online: mode 100444 nlink 1 owner $owner size 4096 blocks 0 blksize 4096
stat devices/dev0/empty: mode 100444 nlink 1 owner $owner size 4096 blocks 0 blksize 4096
stat devices/dev0/state: mode 100644 nlink 1 owner $owner size 4096 blocks 0 blksize 4096
stat devices/dev0/trigger: mode 100200 nlink 1 owner $owner size 4096 blocks 0 blksize 4096
stat devices/dev0/config: mode 100444 nlink 1 owner $owner size 300 blocks 0 blksize 4096
stat class/misc/dev0: mode 120777 nlink 1 owner $owner size 0 blocks 0 blksize 4096
stat missing: ENOENT
statfs .: bsize 4096 frsize 4096 blocks 0 files 0 namelen 255
fstat_size rdonly devices/online: 4096
END
assert_eq "inode number of the top" 1 "$(stat -c %i .)"

# an inode number belongs to a node, however often it is looked up
first=$(stat -c %i devices/online)
ls -R . >/dev/null
assert_eq "inode number" "$first" "$(stat -c %i devices/online)"

cd /
stop
