#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Generic words of mount(8) and fstab(5), repeated -o, and what findmnt shows.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse
require findmnt

mkdir "$tmp/a,b" "$tmp/a,b/x"

# shown OPTION...: starts it, says what the kernel shows
shown()
{
	"$KERNFUSE" "$@" 2>"$tmp/log" </dev/null || {
		cat "$tmp/log" >&2
		fail "kernfuse $*"
	}
	findmnt -nro SOURCE,FSTYPE,OPTIONS "$mnt"
	fusermount3 -u "$mnt"
}

# has WHAT WORD: the options in it hold the word
has()
{
	case ",${1##* }," in
	*",$2,"*) ;;
	*) fail "no $2 in: $1" ;;
	esac
}

noise=_netdev,nofail,user,noauto,x-a.b,X-c,noexec,nosuid,nodev,rw,defaults
noise+=,relatime,auto,nouser,users,user=me,comment=some,owner,group,async
noise+=,atime,strictatime,lazytime,nodiratime,default_permissions,direct_io
noise+=,entry_timeout=0,attr_timeout=0.0,negative_timeout=0
line=$(shown none "$mnt" -o "$noise")
assert_eq "source and type" "none fuse.kernfuse" "${line% *}"
for word in rw nosuid nodev noexec default_permissions; do
	has "$line" $word
done

line=$(shown -o ro -o fsname=my,subtype=own -o noatime none "$mnt")
assert_eq "source and type" "my fuse.own" "${line% *}"
has "$line" ro
has "$line" noatime

line=$(shown -oro -orw none -f "$mnt" -o max_read=65536 2>/dev/null &
	sleep 0.5; findmnt -nro SOURCE,FSTYPE,OPTIONS "$mnt";
	fusermount3 -u "$mnt")
has "$line" rw
has "$line" max_read=65536

line=$(shown "$tmp/a,b" "$mnt")
assert_eq "source" "$tmp/a,b" "${line%% *}"
line=$(shown -o 'fsname=c\,d\\e' none "$mnt")
assert_eq "source" 'c,d\x5ce' "${line%% *}"

if [ "$(id -u)" = 0 ]; then
	line=$(shown none "$mnt" -o dev,suid,exec,allow_other)
	has "$line" allow_other
	for word in nosuid nodev noexec; do
		case ",${line##* }," in
		*",$word,"*) fail "$word in: $line" ;;
		esac
	done
fi

# owners and modes can be replaced
start -o uid=12,gid=34,umask=027 none
assert_eq "owner and mode" "12 34 750" \
	"$(stat -c '%u %g %a' "$mnt/devices")"
stop

# read only
start -o ro none
if mkdir "$mnt/new" 2>"$tmp/err"; then
	fail "mkdir on a read-only mount"
fi
grep -q 'Read-only file system' "$tmp/err" || fail "$(cat "$tmp/err")"
stop

# threads: main, liburcu's, the one that takes down namespaces, and the workers
start -o max_threads=3,clone_fd none
clients=()
for _ in 1 2 3 4 5 6 7 8; do
	ls -R "$mnt" >/dev/null &
	clients+=($!)
done
wait "${clients[@]}"
threads=$(find "/proc/$daemon/task" -mindepth 1 -maxdepth 1 | wc -l)
# ThreadSanitizer has one of its own
[ "${KERNFUSE_SANITIZER-}" != thread ] || threads=$((threads - 1))
[ "$threads" -le 6 ] || fail "$threads threads"
stop
start -s none
ls -R "$mnt" >/dev/null
stop
