#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# test/ipc/calls does what programs do with queues, threads, processes and
# namespaces: each case in a namespace of ours, and all of them on the kernel's
# queues, where those are, so that it is known to ask for nothing else.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"
# shellcheck source=test/ipc/run.sh
. "$abs_top_srcdir/test/ipc/run.sh"

# The library is never built with a sanitizer. Of what it does ThreadSanitizer
# would see the copies, and not the atomics that order them.
[ "${KERNFUSE_SANITIZER-}" != thread ] || skip "no preloading under this sanitizer"

calls=$abs_top_builddir/test/ipc/calls
[ -x "$calls" ] || fail "there is no $calls"

# each COMMAND...: runs each case so
each()
{
	local case status

	for case in $("$calls"); do
		status=0
		"$@" "$calls" "$case" >"$tmp/out" 2>&1 </dev/null || status=$?
		case $status in
		0) ;;
		77) echo "$case: skipped: $(<"$tmp/out")" ;;
		*)
			cat "$tmp/out" >&2
			fail "$* calls $case: status $status"
			;;
		esac
	done
}

each "$KERNFUSE" ipc run --
each env GLIBC_TUNABLES=glibc.pthread.rseq=0 \
	"$KERNFUSE" ipc run --counters=atomic --
no_regions || fail "regions are left"
! unshare -i test -e /proc/sysvipc/msg 2>/dev/null || each unshare -i
