#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# ipcs, ipcmk and ipcrm of util-linux, and busybox's.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"
# shellcheck source=test/ipc/run.sh
. "$abs_top_srcdir/test/ipc/run.sh"

require ipcs
require ipcmk
require ipcrm
require perl

# value NAME: what 'ipcs' printed behind it last
value()
{
	sed -n "s/^.*$1 *= *\([0-9]*\).*/\1/p" "$tmp/out"
}

# ipcs OPTION...: in the namespace, to $tmp/out
show()
{
	assert_status 0 in_ns a ipcs "$@"
}

# send ID BYTES
send()
{
	# shellcheck disable=SC2016 # perl's
	in_ns a perl -e '
		msgsnd($ARGV[0], pack("l! a*", 1, "x" x $ARGV[1]), 0) or die $!
	' "$1" "$2"
}

hold a

# --- make ---

first=$(in_ns a ipcmk -Q)
second=$(in_ns a ipcmk -Q -p 0600)
first=${first##* }
second=${second##* }
[ "$first" != "$second" ] || fail "two queues with one id, $first"
send "$first" 100
send "$first" 20
send "$second" 3

# --- show ---

user=$(id -un)
# rows: key and what the tool prints of times and processes are not compared
rows()
{
	awk '$1 ~ /^0x/ { print $2, $3, $4, $5, $6 }' "$tmp/out"
}
show -q
assert_eq "ipcs -q" "$first $user 644 120 2
$second $user 600 3 1" "$(rows)"
key=$(awk '$2 == '"$second"' { print $1 }' "$tmp/out")
show -q -u
assert_eq "allocated queues" 2 "$(value "allocated queues")"
assert_eq "used headers" 3 "$(value "used headers")"
assert_eq "used space" 123 "$(value "used space")"
show -q -i "$first"
grep -q "msqid=$first" "$tmp/out" || fail "ipcs -q -i shows another queue"
grep -q "cbytes=120.*qbytes=16384.*qnum=2" "$tmp/out" || {
	cat "$tmp/out" >&2
	fail "ipcs -q -i $first"
}
in_ns a ipcs -q -i 31999 >"$tmp/out" 2>&1 || :
grep -q "id 31999 not found" "$tmp/out" || fail "ipcs -q -i 31999"
show -l
assert_eq "max queues" 32000 "$(value "max queues system wide")"
assert_eq "max size" 8192 "$(value "max size of message (bytes)")"
assert_eq "max of a queue" 16384 "$(value "default max size of queue (bytes)")"
for option in -t -p -c; do
	show -q "$option"
	grep -q "^$first " "$tmp/out" || {
		cat "$tmp/out" >&2
		fail "ipcs -q $option does not show $first"
	}
done
show -q -p
lspid=$(awk '$1 == '"$first"' { print $3 }' "$tmp/out")
[ "$lspid" -gt 0 ] || fail "nobody sent to $first"
# all kinds at once: the others are the kernel's
show -a
shows "$first" || fail "ipcs -a does not show $first"

# --- remove ---

in_ns a ipcrm -q "$first"
show -q
assert_eq "after ipcrm -q" "$second" "$(rows | cut -d' ' -f1)"
assert_status 1 in_ns a ipcrm -q "$first"
in_ns a ipcrm -Q "$key"
show -q
assert_eq "after ipcrm -Q" "" "$(rows)"
assert_status 1 in_ns a ipcrm -Q "$key"
for _ in 1 2 3; do
	in_ns a ipcmk -Q >/dev/null
done
show -q
assert_eq "three queues" 3 "$(rows | wc -l)"
in_ns a ipcrm --all=msg
show -q -u
assert_eq "after ipcrm --all=msg" 0 "$(value "allocated queues")"

# --- busybox's ---

id=$(in_ns a ipcmk -Q)
id=${id##* }
if busybox --list 2>/dev/null | grep -qx ipcs &&
	! readelf -d "$(command -v busybox)" 2>/dev/null |
	grep -q "no dynamic section"; then
	assert_status 0 in_ns a busybox ipcs -q
	shows "$id" || fail "busybox ipcs does not show $id"
	assert_status 0 in_ns a busybox ipcs -q -i "$id"
	grep -q "msqid=$id" "$tmp/out" || fail "busybox ipcs -q -i"
	assert_status 0 in_ns a busybox ipcs -q -u
	assert_eq "busybox ipcs -q -u" 1 "$(value "allocated queues")"
	assert_status 0 in_ns a busybox ipcs -q -l
	assert_eq "busybox ipcs -q -l" 8192 \
		"$(value "max size of message (bytes)")"
	in_ns a busybox ipcrm -q "$id"
	assert_status 0 in_ns a busybox ipcs -q
	! shows "$id" || fail "busybox ipcrm left $id"
else
	echo "no busybox with ipcs"
	in_ns a ipcrm -q "$id"
fi

# --- outside nobody sees any of it ---

in_ns a ipcmk -Q >/dev/null
assert_status 0 run ipcs -q
assert_eq "another namespace" "" "$(rows)"
release
wait_for 5 no_regions || fail "a region is left"
