#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# kernel/ipc: namespaces are directories, their queues and totals are files.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse
require ipcmk
require ipcrm
require ipcs
preload=$abs_top_builddir/.libs/libkernfuse-ipc.so
[ -e "$preload" ] || fail "there is no $preload"

export KERNFUSE_IPC_DIR=$tmp/regions
start none
ipc=$mnt/kernel/ipc

# names DIRECTORY: in one line
names()
{
	(cd "$1" && echo *)
}

# --- what is there ---

assert_eq "at first" "host teardown" "$(names "$ipc")"
mkdir "$ipc/a"
assert_eq "a namespace" "msg ns" "$(names "$ipc/a")"
assert_eq "its msg" \
	"msg_bytes msg_hdrs msgmax msgmnb msgmni queue queues stat sysvipc" \
	"$(names "$ipc/a/msg")"
assert_status 1 mkdir "$ipc/a"
assert_status 1 mkdir "$ipc/host"
assert_status 1 mkdir "$ipc/a/b"
assert_status 1 mkdir "$mnt/kernel/other"
assert_status 1 rmdir "$ipc/host"
assert_status 1 rmdir "$ipc/a/msg"
for limit in msgmax=8192 msgmnb=16384 msgmni=32000 queues=0 msg_hdrs=0 \
	msg_bytes=0; do
	assert_eq "${limit%=*}" "${limit#*=}" "$(<"$ipc/a/msg/${limit%=*}")"
done

# --- clients' queues ---

run()
{
	"$KERNFUSE" ipc run --at "$mnt" --name a -- "$@"
}

id=$(run ipcmk -Q -p 0600)
id=${id##* }
assert_eq "queues" 1 "$(<"$ipc/a/msg/queues")"
assert_eq "their directories" "$id" "$(ls "$ipc/a/msg/queue")"
queue=$ipc/a/msg/queue/$id
assert_eq "files of a queue" \
	"cbytes cgid ctime cuid gid key lrpid lspid perms qbytes qnum receive\
 rtime send stime uid" "$(names "$queue")"
assert_eq "perms" 600 "$(<"$queue/perms")"
assert_eq "uid" "$(id -u)" "$(<"$queue/uid")"
assert_eq "qbytes" 16384 "$(<"$queue/qbytes")"
run ipcs -q >"$tmp/ipcs"
grep -q " $id " "$tmp/ipcs" || fail "ipcs does not show queue $id"

# --- shells send and receive ---

echo "5 hello" >"$queue/send"
printf '%s' "7 no newline" >"$queue/send"
echo "9" >"$queue/send"
assert_eq "qnum" 3 "$(<"$queue/qnum")"
assert_eq "cbytes" 15 "$(<"$queue/cbytes")"
assert_eq "totals" "3 15" \
	"$(<"$ipc/a/msg/msg_hdrs") $(<"$ipc/a/msg/msg_bytes")"
grep -qx "msg_hdrs 3" "$ipc/a/msg/stat" || fail "stat has no msg_hdrs 3"
assert_eq "the table" "$id" \
	"$(awk 'NR == 2 { print $2 }' "$ipc/a/msg/sysvipc")"
assert_eq "lspid is a process" 1 "$(($(<"$queue/lspid") > 0))"
assert_eq "first" "5 hello" "$(cat "$queue/receive")"
assert_eq "second" "7 no newline" "$(cat "$queue/receive")"
assert_eq "empty text" "9 " "$(cat "$queue/receive")"
assert_status 1 dd if="$queue/receive" iflag=nonblock count=1 status=none
grep -q "Resource temporarily unavailable" "$tmp/err" || fail "not EAGAIN"
for bad in "" hello "0 text" "-1 text" "1text"; do
	(echo "$bad" >"$queue/send") 2>/dev/null && fail "sent '$bad'"
done
long=$(head -c 8000 /dev/zero | tr '\0' x)
# echo would write it in pieces
echo "1 $long" | dd of="$queue/send" bs=64k iflag=fullblock status=none
assert_eq "a long one" "1 $long" "$(cat "$queue/receive")"

# --- a reader waits, the tree does not ---

cat "$queue/receive" >"$tmp/received" &
reader=$!
cat "$queue/receive" >"$tmp/received2" &
reader2=$!
cat "$queue/receive" >"$tmp/received3" &
reader3=$!
sleep 0.2
assert_eq "others go on" 0 "$(<"$queue/qnum")"
echo "3 late" >"$queue/send"
wait_for 5 test -s "$tmp/received" -o -s "$tmp/received2" \
	-o -s "$tmp/received3" || fail "nobody got the message"
assert_eq "one got it" "3 late" \
	"$(cat "$tmp/received" "$tmp/received2" "$tmp/received3")"
kill "$reader" "$reader2" 2>/dev/null || :
run ipcrm -q "$id"
wait_for 5 not_running "$reader3" || fail "a reader outlived its queue"
wait_for 5 not_running "$reader" || fail "a killed reader stays"
wait_for 5 not_running "$reader2" || fail "a killed reader stays"
[ ! -e "$queue" ] || fail "the queue's directory is there"
assert_eq "no queue" "" "$(ls "$ipc/a/msg/queue")"

# --- limits ---

echo 100 >"$ipc/a/msg/msgmax"
assert_eq "msgmax" 100 "$(<"$ipc/a/msg/msgmax")"
for bad in "" -1 2147483648 x "1 2"; do
	(echo "$bad" >"$ipc/a/msg/msgmax") 2>/dev/null && fail "took '$bad'"
done
echo 0 >"$ipc/a/msg/msgmni"
assert_status 1 run ipcmk -Q

rmdir "$ipc/a"
[ ! -e "$ipc/a" ] || fail "the namespace is there"
stop
assert_eq "regions left" "" "$(ls "$tmp/regions" 2>/dev/null)"
