#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# stress-ng's message stressor, as it is.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"
# shellcheck source=test/ipc/run.sh
. "$abs_top_srcdir/test/ipc/run.sh"

require stress-ng
cd "$tmp"

# stress OPTION...: something was sent, nothing was complained of, nothing is
# left of its queues
stress()
{
	local ops

	# shellcheck disable=SC2016 # the inner shell's
	assert_status 0 run sh -c 'stress-ng "$@" --metrics-brief && ipcs -q -u' \
		sh "$@"
	! grep -Ei ' fail|error|untidy' "$tmp/out" "$tmp/err" ||
		fail "stress-ng $*"
	ops=$(cat "$tmp/out" "$tmp/err" |
		sed -n 's/^.*[] ] msg  *\([0-9][0-9]*\) .*/\1/p')
	[ "${ops:-0}" -gt 1000 ] || {
		cat "$tmp/out" "$tmp/err" >&2
		fail "stress-ng $*: ${ops:-no} messages"
	}
	grep -q 'allocated queues = 0' "$tmp/out" || fail "queues are left"
	echo "stress-ng $*: $ops messages"
}

stress --msg 2 --verify -t 2
stress --msg 1 --msg-types 10 -t 1
