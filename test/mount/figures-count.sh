#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# fs/kernfuse: what is there, and that it counts.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse

# a captured tree can hold the figures of another daemon
mkdir -p "$tmp/src/fs/kernfuse/old" "$tmp/src/fs/other" "$tmp/src/d"
echo 1.2.3 >"$tmp/src/fs/kernfuse/version"
echo value >"$tmp/src/d/file"
start "$tmp/src"
top=$mnt/fs/kernfuse

# entries DIR: their names on a line
entries()
{
	find "$1" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | xargs
}
assert_eq "directory" "locking upcalls version" "$(entries "$top")"
[ -d "$mnt/fs/other" ] || fail "the rest of fs is gone"
assert_eq "version" "$("$KERNFUSE" -V | head -n 1)" \
	"kernfuse $(cat "$top/version")"
assert_eq "locking" "lookup nr_locks permission policy readdir revalidate \
update" "$(entries "$top/locking")"
assert_eq "policy" "${KERNFUSE_TEST_LOCKING:-hashed}" \
	"$(cat "$top/locking/policy")"
[ -z "${KERNFUSE_TEST_NR_LOCKS-}" ] ||
	assert_eq "locks" "$KERNFUSE_TEST_NR_LOCKS" \
		"$(cat "$top/locking/nr_locks")"
assert_eq "modes" 444 "$(find "$top" -type f -printf '%m\n' | sort -u)"
find "$top/locking" -type f ! -name policy -exec cat {} + >"$tmp/numbers"
find "$top/upcalls" -type f -exec cat {} + >>"$tmp/numbers"
! grep -Evx '[0-9]+' "$tmp/numbers" || fail "no numbers: see above"

# op NAME: how often it was called
op()
{
	cat "$top/upcalls/$1"
}
opens=$(op open)
reads=$(op read)
lookups=$(op lookup)
getattrs=$(op getattr)
runs=$(cat "$top/locking/revalidate/runs")
for _ in $(seq 10); do
	cat "$mnt/d/file" >/dev/null
done
[ $(($(op open) - opens)) -ge 10 ] || fail "open is not counted"
[ $(($(op read) - reads)) -ge 20 ] || fail "read is not counted"
[ $(($(op lookup) - lookups)) -ge 20 ] || fail "lookup is not counted"
[ $(($(op getattr) - getattrs)) -ge 20 ] || fail "getattr is not counted"
[ $(($(cat "$top/locking/revalidate/runs") - runs)) -ge 20 ] ||
	fail "walks do not revalidate"
sum=0
for file in "$top"/upcalls/*; do
	[ "${file##*/}" = total ] || sum=$((sum + $(cat "$file")))
done
[ "$(op total)" -ge "$sum" ] || fail "total is less than the sum $sum"
stop

# where there is no fs, it is made
mkdir "$tmp/bare"
start "$tmp/bare"
[ -s "$mnt/fs/kernfuse/version" ] || fail "no figures in a bare tree"
stop

# and where it cannot be, the tree is served without
echo text >"$tmp/bare/fs"
start "$tmp/bare"
assert_eq "fs" text "$(cat "$mnt/fs")"
stop
