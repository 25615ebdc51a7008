#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What is wrong with the command line is said in one line, and nothing is
# mounted.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse

mkdir "$tmp/src"
touch "$tmp/file"

# refused STATUS MESSAGE ARGUMENT...: a usage error also says where to read on
refused()
{
	local status=$1 message=$2

	shift 2
	assert_status "$status" "$KERNFUSE" "$@"
	sed -i "/^Try 'kernfuse --help'\$/d" "$tmp/err"
	assert_eq "message of $*" "kernfuse: $message" "$(cat "$tmp/err")"
	[ ! -s "$tmp/out" ] || fail "output of $*: $(cat "$tmp/out")"
	! grep -q " $tmp/" /proc/self/mounts || fail "$* mounted something"
}

refused 2 "no SOURCE and no MOUNTPOINT given"
refused 2 "no MOUNTPOINT given" none
refused 1 "too many arguments: 'x'" none "$mnt" x
refused 1 "unknown option '-x'" -x none "$mnt"
refused 1 "unknown option '--frob'" --frob none "$mnt"
refused 1 "option '-o' needs a list of words" none "$mnt" -o
refused 1 "unknown option '-o frob'" -o frob none "$mnt"
refused 1 "unknown option '-o frob=1'" -o ro,frob=1 none "$mnt"
refused 1 "option '-o locking' needs a value" -o locking none "$mnt"
refused 1 "option '-o ro=1' takes no value" -o ro=1 none "$mnt"
refused 1 "'-o locking=none': expected global, hashed or rcu" \
	-o locking=none none "$mnt"
refused 1 "'-o nr_locks=0': expected a number from 1 to 1024" \
	-o nr_locks=0 none "$mnt"
refused 1 "'-o nr_locks=1025': expected a number from 1 to 1024" \
	-o nr_locks=1025 none "$mnt"
refused 1 "'-o nr_locks=-1': expected a number from 1 to 1024" \
	-o nr_locks=-1 none "$mnt"
refused 1 "'-o cache=all': expected none" -o cache=all none "$mnt"
refused 1 "'-o max_threads=0': expected a number from 1 to 4096" \
	-o max_threads=0 none "$mnt"
refused 1 "'-o max_threads=2x': expected a number from 1 to 4096" \
	-o max_threads=2x none "$mnt"
for value in 0 -1 1e3 abc 3601 . ''; do
	refused 1 "'-o read_timeout=$value': expected seconds, more than 0 and \
at most 3600" -o "read_timeout=$value" none "$mnt"
	refused 1 "'-o callback_timeout=$value': expected seconds, more than 0 \
and at most 3600" -o "callback_timeout=$value" none "$mnt"
done
refused 1 "'-o entry_timeout=1': expected 0, as cache=none sets it" \
	-o entry_timeout=1 none "$mnt"
refused 1 "'-o umask=8': expected an octal number up to 777" \
	-o umask=8 none "$mnt"

refused 1 "cannot take in $tmp/none: No such file or directory" \
	"$tmp/none" "$mnt"
refused 1 "cannot take in $tmp/file: it is no directory" "$tmp/file" "$mnt"
refused 4 "cannot mount on $tmp/none: No such file or directory" \
	none "$tmp/none"
refused 4 "cannot mount on $tmp/file: it is no directory" none "$tmp/file"
refused 4 "cannot mount on $tmp/file/x: Not a directory" none "$tmp/file/x"

# help and version go to the standard output
for option in -h --help; do
	assert_status 0 "$KERNFUSE" "$option"
	grep -q '^Usage: kernfuse \[OPTIONS\] SOURCE MOUNTPOINT' "$tmp/out" ||
		fail "$option does not say how to use it"
	[ ! -s "$tmp/err" ] || fail "$option writes to stderr"
done
for option in -V --version; do
	assert_status 0 "$KERNFUSE" "$option"
	grep -qx 'kernfuse [0-9]*\.[0-9]*\.[0-9]*' <(head -n 1 "$tmp/out") ||
		fail "$option: $(cat "$tmp/out")"
	grep -q '^libfuse 3\.' <(sed -n 2p "$tmp/out") ||
		fail "$option: $(cat "$tmp/out")"
done

# what follows -- is no option
cd "$tmp"
mkdir -- -d
assert_status 0 "$KERNFUSE" -- -d "$mnt"
is_mounted "$mnt" || fail "-- does not end the options"
