#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# poll, select and epoll: who is woken by a change, and who is asked.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse
polls=$abs_top_builddir/test/mount/polls
[ -x "$polls" ] || fail "there is no $polls"

mkdir "$tmp/src"
echo 0 >"$tmp/src/value"
start "$tmp/src"
"$polls" "$mnt/value" || fail "see above"
[ "$(cat "$mnt/fs/kernfuse/upcalls/poll")" -gt 0 ] || fail "nobody polled"
stop
