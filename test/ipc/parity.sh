#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The same calls to the kernel's message queues and to ours: the same answers,
# but for those that test/ipc/parity-differs.txt gives a reason for. Where the
# kernel's cannot be had, ours are compared with what is written down.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

[ "$(id -u)" -eq 0 ] || skip "not root: users cannot be changed"

parity=$abs_top_builddir/test/ipc/parity
differs=$abs_top_srcdir/test/ipc/parity-differs.txt

# without_known WHICH: what it printed but for lines that may differ
without_known()
{
	sed -n 's/^\([^#].*\): .*/\1: /p' "$differs" >"$tmp/known"
	grep -vF -f "$tmp/known" "$tmp/$1"
}

# compare [big]
compare()
{
	local status=0

	"$parity" ours "$@" >"$tmp/ours" || fail "ours: status $?"
	"$parity" kernel "$@" >"$tmp/kernel" || status=$?
	if [ "$status" = 77 ]; then
		cat "$tmp/kernel"
		return
	fi
	[ "$status" = 0 ] || fail "the kernel: status $status"
	without_known kernel >"$tmp/kernel.lines"
	without_known ours >"$tmp/ours.lines"
	assert_same "the kernel (-) and ours (+) differ" \
		"$tmp/kernel.lines" "$tmp/ours.lines"
	echo "$(wc -l <"$tmp/ours.lines") answers are the same"
}

compare
# 4 GiB of memory for a moment, so only when there is time, too
[ "${KERNFUSE_TEST_SECONDS:-0}" -lt 10 ] || compare big
