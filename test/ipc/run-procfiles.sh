#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# /proc/sysvipc/msg and /proc/sys/kernel/msg*, as programs open them.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"
# shellcheck source=test/ipc/run.sh
. "$abs_top_srcdir/test/ipc/run.sh"

require ipcmk
require perl

table=/proc/sysvipc/msg
msgmax=/proc/sys/kernel/msgmax

hold a
id=$(in_ns a ipcmk -Q -p 0640)
id=${id##* }

# --- reading ---

# reads COMMAND...: the table, by it
reads()
{
	assert_status 0 in_ns a "$@"
	assert_eq "$1: header" "key msqid perms cbytes qnum lspid lrpid uid gid\
 cuid cgid stime rtime ctime" "$(head -n 1 "$tmp/out" | xargs)"
	assert_eq "$1: rows" "$id 640 0 0 0 0 $(id -u) $(id -g)" \
		"$(tail -n +2 "$tmp/out" | awk '{ print $2, $3, $4, $5, $6, $7, $8, $9 }')"
}
reads cat "$table"
reads dd if="$table" status=none
reads bash -c "cat <$table"
reads bash -c "printf '%s\n' \"\$(<$table)\""
reads sh -c "while read -r line; do echo \"\$line\"; done <$table"
reads awk '{ print }' "$table"
reads perl -pe '' "$table"
reads sed '' "$table"
reads head -n 99 "$table"
reads tail -n 99 "$table"
! python3 -c '' 2>/dev/null ||
	reads python3 -c "print(open('$table').read(), end='')"
reads cp "$table" /dev/stdout
for test in -e -f -r; do
	in_ns a test "$test" "$table" || fail "test $test $table"
	in_ns a bash -c "[[ $test $msgmax ]]" || fail "bash: $test $msgmax"
done
assert_eq "stat" "444 regular empty file $(id -u)" \
	"$(in_ns a stat -c '%a %F %u' "$table")"
assert_eq "ls" "$msgmax" "$(in_ns a ls "$msgmax")"
assert_status 1 in_ns a sh -c "echo x >>$table"

# --- limits ---

for limit in msgmax=8192 msgmnb=16384 msgmni=32000 msg_next_id=-1; do
	assert_eq "${limit%=*}" "${limit#*=}" \
		"$(in_ns a cat "/proc/sys/kernel/${limit%=*}")"
done
before=$(cat "$msgmax" 2>/dev/null || :)
n=1000
# writes COMMAND...: a number, which is $n in it
writes()
{
	n=$((n + 1))
	assert_status 0 in_ns a env n="$n" "$@"
	assert_eq "written by $1" "$n" "$(in_ns a cat "$msgmax")"
}
# shellcheck disable=SC2016 # the inner shells'
{
	writes sh -c "echo \$n >$msgmax"
	writes bash -c "echo \$n >$msgmax"
	writes bash -c "printf %s \$n >$msgmax"
	writes bash -c "{ echo \$n; } >$msgmax"
	writes bash -c "(echo \$n) >$msgmax"
	writes sh -c "exec 3>$msgmax; echo \$n >&3; exec 3>&-"
	writes bash -c "exec 3>$msgmax; echo \$n >&3; exec 3>&-"
	writes bash -c "env echo \$n >$msgmax"
	writes sh -c "echo \$n | tee $msgmax"
	writes sh -c "echo \$n | dd of=$msgmax status=none"
	writes sh -c "echo \$n | cat >$msgmax"
	writes perl -e "open(F, '>', '$msgmax') && print(F \$ENV{n}) && close(F)
		or die"
}
! python3 -c '' 2>/dev/null ||
	writes python3 -c "import os
with open('$msgmax', 'w') as f: f.write(os.environ['n'])"
! command -v sysctl >/dev/null ||
	writes sh -c "sysctl -q -w kernel.msgmax=\$n"
for bad in -1 2147483648 x; do
	assert_status 1 in_ns a sh -c "echo $bad | tee $msgmax"
	grep -q "Invalid argument" "$tmp/err" || fail "'$bad': not EINVAL"
	assert_eq "after '$bad'" "$n" "$(in_ns a cat "$msgmax")"
done
# who closes a stream is told, as echo(1) does
assert_status 1 in_ns a bash -c "env echo x >$msgmax"
grep -q "Invalid argument" "$tmp/err" || fail "echo does not say EINVAL"
# they are what the calls go by
# shellcheck disable=SC2016 # perl's
assert_status 0 in_ns a perl -e '
	my ($id, $max) = @ARGV;
	msgsnd($id, pack("l! a*", 1, "x" x $max), 0) or die $!;
	msgsnd($id, pack("l! a*", 1, "x" x ($max + 1)), 0) and die "too long";
	exit($!{EINVAL} ? 0 : 1);
' "$id" "$n"
in_ns a sh -c 'echo 1 >/proc/sys/kernel/msgmni'
assert_status 1 in_ns a ipcmk -Q
in_ns a sh -c 'echo 32000 >/proc/sys/kernel/msgmni'
in_ns a sh -c 'echo 77 >/proc/sys/kernel/msg_next_id'
assert_eq "the next id" "Message queue id: 77" "$(in_ns a ipcmk -Q)"
assert_eq "msg_next_id" -1 "$(in_ns a cat /proc/sys/kernel/msg_next_id)"
assert_eq "set by an option" 55 \
	"$("$KERNFUSE" ipc run --msgmax 55 cat "$msgmax")"
assert_eq "the kernel's" "$before" "$(cat "$msgmax" 2>/dev/null || :)"

# --- those who may not ---

if [ "$(id -u)" = 0 ]; then
	require setpriv
	for_nobody
	assert_status 0 in_ns a "${nobody_is[@]}" cat "$table"
	assert_status 1 in_ns a "${nobody_is[@]}" test -w "$msgmax"
	assert_status 1 in_ns a "${nobody_is[@]}" tee "$msgmax"
	grep -q "Permission denied" "$tmp/err" || fail "not EACCES"
	assert_status 1 in_ns a "${nobody_is[@]}" bash -c "echo 5 >$msgmax"
	assert_eq "msgmax" "$n" "$(in_ns a cat "$msgmax")"
fi

release
wait_for 5 no_regions || fail "a region is left"
