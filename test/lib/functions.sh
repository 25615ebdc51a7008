# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What mount tests share. A test begins with
#
#	. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"
#
# and then has a directory of its own, $tmp, with an empty directory $mnt in
# it. Whatever is mounted below $tmp is unmounted, whatever was started is
# stopped and $tmp is removed when the test ends, however it ends.
#
# From the environment:
#
#	KERNFUSE		the program (default: that of the build tree)
#	KERNFUSE_TEST_LOCKING	the policy mounts are made with
#	KERNFUSE_TEST_NR_LOCKS	and how many locks
#
# A test that sets in_namespace=yes first runs in a mount namespace of its own,
# where it may put other things in the place of /dev/fuse, fusermount3 and
# /etc/fuse.conf.

set -eu
# messages are compared
export LC_ALL=C

: "${abs_top_srcdir:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
: "${abs_top_builddir:=$PWD}"
: "${KERNFUSE:=$abs_top_builddir/kernfuse}"

nobody=65534

# How much longer than usual to wait for what must come to an end.
patience=1
[ "${KERNFUSE_SANITIZER:-no}" = no ] || patience=10

# --- verdicts ---

skip()
{
	echo "skipped: $*"
	exit 77
}

fail()
{
	echo "FAILED: $*" >&2
	exit 1
}

# assert_eq WHAT EXPECTED ACTUAL
assert_eq()
{
	[ "$2" = "$3" ] && return
	echo "expected: $2" >&2
	echo "actual:   $3" >&2
	fail "$1"
}

# assert_same WHAT FILE FILE: shows what differs
assert_same()
{
	diff -u "$2" "$3" >&2 && return
	fail "$1"
}

# assert_status STATUS COMMAND...: runs it, output in $tmp/out and $tmp/err
assert_status()
{
	local expected=$1 status=0

	shift
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	[ "$status" = "$expected" ] && return
	cat "$tmp/out" "$tmp/err" >&2
	fail "status $status instead of $expected: $*"
}

# wait_for SECONDS COMMAND...: until it succeeds
wait_for()
{
	local end=$((SECONDS + $1 * patience + 1))

	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.02
	done
}

# check_calls: makes each call of its standard input in the current directory,
# as $caller says, which is as we are; lines are "CALL ARGUMENT...: RESULT"
caller=()
check_calls()
{
	cat >"$tmp/expected"
	# what a line of the table is for is said after a '#'
	sed -i -e 's/[[:blank:]]*#.*//' -e '/^$/d' "$tmp/expected"
	sed 's/: .*//' "$tmp/expected" |
		${caller[@]+"${caller[@]}"} "$syscalls" >"$tmp/actual"
	assert_same "system calls" "$tmp/expected" "$tmp/actual"
}

# --- what a test needs ---

require()
{
	command -v "$1" >/dev/null || skip "there is no $1"
}

require_root()
{
	[ "$(id -u)" = 0 ] || skip "needs root"
}

require_fuse()
{
	[ -e /dev/fuse ] || skip "there is no /dev/fuse"
	# opening tells more than the mode does
	(exec 9<>/dev/fuse) 2>/dev/null || skip "/dev/fuse cannot be opened"
	require fusermount3
	[ -x "$KERNFUSE" ] || fail "there is no $KERNFUSE"
}

# has_user_namespaces: may a process make one? With ThreadSanitizer's own thread
# in it none may.
has_user_namespaces()
{
	[ "${KERNFUSE_SANITIZER-}" != thread ] && unshare -U true 2>/dev/null
}

# require_syscalls: $syscalls, see test/mount/syscalls.c
require_syscalls()
{
	syscalls=$abs_top_builddir/test/mount/syscalls
	[ -x "$syscalls" ] || fail "there is no $syscalls"
}

# as_nobody COMMAND...: without any privilege or supplementary group. In the
# background use the array: then $! is the command, not a shell around it.
nobody_is=(setpriv --reuid="$nobody" --regid="$nobody" --clear-groups
	--inh-caps=-all --)
as_nobody()
{
	"${nobody_is[@]}" "$@"
}

# for_everybody FILE: a copy below $tmp, since a build tree may be private
for_everybody()
{
	cp "$1" "$tmp/"
	chmod 755 "$tmp/${1##*/}"
	echo "$tmp/${1##*/}"
}

# --- the daemon ---

# The options a variant of the suite asks for.
locking_options()
{
	local options=${KERNFUSE_TEST_LOCKING:+locking=$KERNFUSE_TEST_LOCKING}

	[ -z "${KERNFUSE_TEST_NR_LOCKS-}" ] ||
		options+=${options:+,}nr_locks=$KERNFUSE_TEST_NR_LOCKS
	echo "${options:-rw}"
}

is_mounted()
{
	grep -q " $1 fuse.kernfuse " /proc/self/mounts
}

not_mounted()
{
	! is_mounted "$1"
}

running()
{
	[ -e "/proc/$1/exe" ]
}

# start [OPTION...] SOURCE: serves it at $mnt from the foreground, $daemon;
# what it prints goes to $tmp/log
start()
{
	"$KERNFUSE" -f -o "$(locking_options)" "$@" "$mnt" \
		>"$tmp/log" 2>&1 </dev/null &
	daemon=$!
	if ! wait_for 60 mounted_or_ended || ! is_mounted "$mnt"; then
		cat "$tmp/log" >&2
		fail "kernfuse $* did not mount"
	fi
	# the kernel mounts first and asks later
	stat -f "$mnt" >/dev/null
}

mounted_or_ended()
{
	is_mounted "$mnt" || ! running "$daemon"
}

# start_treed: serves a tree that is alive, see test/mount/treed.c, at $mnt and
# $blue; the process is $daemon. $callback_timeout: in milliseconds
start_treed()
{
	local treed=$abs_top_builddir/test/mount/treed

	[ -x "$treed" ] || fail "there is no $treed"
	blue=$tmp/blue
	mkdir "$blue"
	"$treed" "$mnt" "$blue" ${callback_timeout:+"$callback_timeout"} \
		>"$tmp/log" 2>&1 </dev/null &
	daemon=$!
	if ! wait_for 60 mounted_or_ended || ! wait_for 5 is_mounted "$blue"; then
		cat "$tmp/log" >&2
		fail "treed did not mount"
	fi
	stat -f "$mnt" "$blue" >/dev/null
}

# stop_treed: unmounts both, and it ends well
stop_treed()
{
	wait_for 5 fusermount3 -u "$blue" 2>/dev/null ||
		fusermount3 -u "$blue"
	stop
}

# wait_daemon STATUS: the daemon has ended, or is about to, with that status
wait_daemon()
{
	local status=0 pid=$daemon

	wait_for 5 not_running "$pid" || fail "the daemon did not end"
	daemon=
	wait "$pid" || status=$?
	check_log
	assert_eq "exit status of the daemon" "$1" "$status"
	! is_mounted "$mnt" || fail "still mounted"
}

not_running()
{
	! running "$1"
}

# stop: unmounts, and the daemon ends well
stop()
{
	# a process that just ended may still have the mount busy
	wait_for 5 fusermount3 -u "$mnt" 2>/dev/null || fusermount3 -u "$mnt"
	wait_daemon 0
}

# Nothing in the log may look like trouble.
check_log()
{
	if grep -E 'Sanitizer|runtime error|assert|ssertion|rank' \
		"$tmp/log" >&2; then
		cat "$tmp/log" >&2
		fail "see the daemon's log above"
	fi
}

# pid_of_mount MOUNTPOINT: of a daemon in the background
pid_of_mount()
{
	pgrep -f -x -- "$KERNFUSE .*$1" | head -n 1
}

# --- cleaning up ---

mounts_below()
{
	# innermost last mounted, so last first
	awk -v top="$1/" 'index($2, top) == 1 { print $2 }' \
		/proc/self/mounts | tac
}

cleanup()
{
	local status=$? m job

	trap '' HUP INT TERM
	set +e
	for m in $(mounts_below "$tmp"); do
		fusermount3 -u "$m" 2>/dev/null ||
			fusermount3 -uz "$m" 2>/dev/null || umount -l "$m"
	done
	for job in $(jobs -p); do
		kill -TERM "$job" 2>/dev/null
	done
	if [ -n "${daemon-}" ]; then
		wait_for 2 not_running "$daemon" || kill -KILL "$daemon"
	fi
	if [ "$status" != 0 ] && [ "$status" != 77 ] && [ -s "$tmp/log" ]; then
		echo "--- the daemon's log:" >&2
		cat "$tmp/log" >&2
	fi
	wait
	rm -rf "$tmp"
	exit "$status"
}

if [ -n "${in_namespace-}" ] && [ -z "${KERNFUSE_TEST_NAMESPACE-}" ]; then
	require_root
	require unshare
	unshare -m true 2>/dev/null || skip "no mount namespaces"
	export KERNFUSE_TEST_NAMESPACE=1
	exec unshare -m --propagation private bash "$0"
fi

daemon=
tmp=$(mktemp -d "${TMPDIR:-/tmp}/kernfuse-test.XXXXXX")
# as /proc/self/mounts has it; others may look in
tmp=$(realpath "$tmp")
chmod 755 "$tmp"
mnt=$tmp/mnt
mkdir "$mnt"
: >"$tmp/log"
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# --- a tree to take in ---

# make_tree DIR: a little of everything
make_tree()
{
	mkdir -p "$1/devices/dev0/power" "$1/class/misc" "$1/kernel"
	printf '0-1\n' >"$1/devices/online"
	printf 'on\n' >"$1/devices/dev0/state"
	printf 'secret\n' >"$1/devices/dev0/secret"
	printf 'trigger\n' >"$1/devices/dev0/trigger"
	: >"$1/devices/dev0/empty"
	# bytes, which a NUL makes sure of
	{ printf '\0' && head -c 299 /dev/urandom; } \
		>"$1/devices/dev0/config"
	printf 'auto\n' >"$1/devices/dev0/power/control"
	printf 'odd\n' >"$1/devices/dev0/a b:c,d@e+f#g\\h"
	ln -s ../../devices/dev0 "$1/class/misc/dev0"
	ln -s /absolute/target "$1/class/misc/absolute"
	ln -s ../nowhere "$1/class/misc/dangling"
	chmod 444 "$1/devices/online" "$1/devices/dev0/empty" \
		"$1/devices/dev0/config" "$1/devices/dev0/a b:c,d@e+f#g\\h"
	chmod 644 "$1/devices/dev0/state" "$1/devices/dev0/power/control"
	chmod 400 "$1/devices/dev0/secret"
	chmod 200 "$1/devices/dev0/trigger"
	chmod 755 "$1" "$1"/*/ "$1/devices/dev0" "$1/devices/dev0/power" \
		"$1/class/misc"
}
