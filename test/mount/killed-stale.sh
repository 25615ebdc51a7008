#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A daemon that is killed leaves a dead mount: accesses fail at once, and the
# next start says what to do.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse

start none
exec 3<"$mnt/fs/kernfuse/version"
kill -KILL "$daemon"
wait_for 5 not_running "$daemon" || fail "it does not die"
daemon=

# who comes while it dies hears that the connection was aborted
stat "$mnt" >/dev/null 2>&1 || :
assert_status 1 stat "$mnt"
grep -q 'Transport endpoint is not connected' "$tmp/err" ||
	fail "$(cat "$tmp/err")"
assert_status 1 cat "$mnt/fs/kernfuse/version"
! read -r _ <&3 2>/dev/null || fail "an open file still works"
exec 3<&-

for f in -f -q; do
	assert_status 4 "$KERNFUSE" $f none "$mnt"
	assert_eq "message" "kernfuse: $mnt is a dead mount: its daemon has \
ended without unmounting it; run 'fusermount3 -uz $mnt' first" \
		"$(cat "$tmp/err")"
done

fusermount3 -uz "$mnt"
start none
[ -d "$mnt/devices" ] || fail "it does not start again"
stop

# unless fusermount3 was asked to see to it; for ordinary users its older
# versions do so only with allow_other
if [ "$(id -u)" = 0 ]; then
	start -o auto_unmount none
	kill -KILL "$daemon"
	wait_for 5 not_mounted "$mnt" || fail "auto_unmount does not"
	daemon=
fi
