#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mkdir, rmdir and rename through the hooks of a tree, and what becomes of
# files that are open when their node is hidden or removed.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require_syscalls
start_treed
cd "$mnt"

nl=$'\n'
check_calls <<END
# what there is no hook for, or what the hook refuses
mkdir new: EPERM
mkdir group: EEXIST
rmdir net: EPERM
rmdir group/value: ENOTDIR
rmdir group/missing: ENOENT
rename net group/net: EPERM
unlink group/value: EPERM
open creat,wronly group/new: EACCES

mkdir group/a: OK
mkdir group/a: EEXIST
mkdir group/value: EEXIST
mkdir group/a/b: OK
stat group: mode 40755 nlink 3 owner 0:0 size 0 blocks 0 blksize 4096
read rdonly group/a/value 10: "0\n"
read rdonly group/a/b/name 10: "b\n"
write wronly group/a/b/value new: 3
read rdonly group/a/b/value 10: "new"
rmdir group/a: EBUSY
mkdir missing/c: ENOENT
mkdir group/value/c: ENOTDIR

# the second name is absent first, and remembered as such
open rdonly group/c/name: ENOENT
rename group/a/b group/c: OK
read rdonly group/c/name 10: "c\n"
read rdonly group/c/value 10: "new"
open rdonly group/a/b/name: ENOENT
rename group/c group/a: EEXIST
renameat2 noreplace group/c group/d: EINVAL
renameat2 exchange group/c group/a: EINVAL
rename group/c group/a/c: OK
rename group/missing group/d: ENOENT
rename group/a/c group/a/c: OK
rmdir group/a/c: OK
rmdir group/a/c: ENOENT
rmdir group/a: OK
stat group: mode 40755 nlink 2 owner 0:0 size 0 blocks 0 blksize 4096

# gone, made again: an absence is not remembered for ever
open rdonly group/a/name: ENOENT
mkdir group/a: OK
read rdonly group/a/name 10: "a\n"
rmdir group/a: OK
open rdonly group/a/name: ENOENT
mmap rdonly group/value shared: ENODEV
END
! mkdir "group/two${nl}lines" 2>/dev/null || fail "a newline in a name"

# a file that clients have open when it goes
cat >"$tmp/open.py" <<'END'
import errno, os, select, sys

top = sys.argv[1]

def says(what, func, *args):
    try:
        func(*args)
        print(what, "OK")
    except OSError as e:
        print(what, errno.errorcode[e.errno])

def poll(fd):
    p = select.poll()
    p.register(fd, select.POLLIN | select.POLLPRI)
    return [hex(event) for _, event in p.poll(0)]

def put(name, text):
    with open(top + name, "w") as f:
        f.write(text)

def use(fd, o_path, dir_fd):
    says("read", os.read, fd, 10)
    says("pread", os.pread, fd, 10, 0)
    says("write", os.write, fd, b"x")
    print("poll", poll(fd))
    says("fstat", os.fstat, fd)
    says("fchmod", os.fchmod, fd, 0o640)
    says("ftruncate", os.ftruncate, fd, 0)
    says("setxattr", os.setxattr, fd, "trusted.x", b"x")
    says("reopen", os.open, "/proc/self/fd/%d" % o_path, os.O_RDONLY)
    says("openat", lambda: os.open("value", os.O_RDONLY, dir_fd=dir_fd))
    says("mkdirat", lambda: os.mkdir("new", dir_fd=dir_fd))
    print("list", os.listdir(dir_fd))

def open_all():
    return (os.open(top + "/d/value", os.O_RDWR),
            os.open(top + "/d/value", os.O_PATH),
            os.open(top + "/d", os.O_RDONLY))

os.mkdir(top + "/d")
fds = open_all()
os.read(fds[0], 10)
print("before", poll(fds[0]))
put("/d/remove", "1")
use(*fds)
says("stat", os.stat, top + "/d")

os.mkdir(top + "/d")
fd, _, _ = open_all()
os.read(fd, 10)
put("/d/show", "0")
print("hidden")
says("pread", os.pread, fd, 10, 0)
print("poll", poll(fd))
says("stat", os.stat, top + "/d/value")
print(sorted(os.listdir(top + "/d")))
put("/d/show", "1")
print("shown")
says("pread", os.pread, fd, 10, 0)
print("poll", poll(fd))
says("stat", os.stat, top + "/d/value")
put("/d/remove", "self")
print(sorted(os.listdir(top + "/d")))
# removed by rmdir(2) and not by the tree itself, it is dead to the VFS, too
d = os.open(top + "/d", os.O_RDONLY)
os.rmdir(top + "/d")
says("mkdirat", lambda: os.mkdir("new", dir_fd=d))
END
require python3
cat >"$tmp/expected" <<'END'
before ['0x1']
read ENODEV
pread ENODEV
write ENODEV
poll ['0xb']
fstat OK
fchmod OK
ftruncate OK
setxattr OK
reopen ENODEV
openat ENOENT
mkdirat ENODEV
list []
stat ENOENT
hidden
pread ENODEV
poll ['0xb']
stat ENOENT
['name', 'remove', 'show']
shown
pread OK
poll ['0x1']
stat OK
['name', 'show', 'value']
mkdirat ENOENT
END
python3 "$tmp/open.py" "$mnt/group" >"$tmp/actual"
assert_same "operations on open files" "$tmp/expected" "$tmp/actual"

# who waits for news of a file learns that it goes
mkdir group/w
cat >"$tmp/wait.py" <<'END'
import os, select, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
os.read(fd, 10)
p = select.poll()
p.register(fd, select.POLLPRI)
print("waiting", flush=True)
print(p.poll(20000)[0][1])
END
python3 "$tmp/wait.py" "$mnt/group/w/value" >"$tmp/waited" &
wait_for 10 grep -q waiting "$tmp/waited"
sleep 0.1
rmdir group/w
wait $!
assert_eq "events at removal" "waiting 10" "$(xargs <"$tmp/waited")"

cd /
stop_treed
