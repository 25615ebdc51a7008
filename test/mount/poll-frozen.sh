#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# poll=auto|on|off: who answers, and that a daemon that is stopped holds up
# nobody who polls what cannot change.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse
require python3

mkdir "$tmp/src"
echo 0 >"$tmp/src/value"

# what a fresh file polls as, and then with the daemon $1 stopped
cat >"$tmp/poll.py" <<'END'
import os, select, signal, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
p = select.poll()
p.register(fd, select.POLLIN | select.POLLPRI)
print([event for _, event in p.poll(0)])
if len(sys.argv) > 2:
    os.kill(int(sys.argv[2]), signal.SIGSTOP)
    print([event for _, event in p.poll(0)])
    print([event for _, event in p.poll(10)])
END

# polls OPTIONS ANSWER: with these options a fresh file polls as ANSWER
polls()
{
	start -o "$1" "$tmp/src"
	assert_eq "a fresh file with $1" "$2" \
		"$(python3 "$tmp/poll.py" "$mnt/value")"
	stop
}
polls poll=on '[11]'
polls poll=auto '[11]'
polls rw '[11]'
polls poll=off '[1]'
polls ro '[1]'
polls ro,poll=auto '[1]'
polls ro,rw '[11]'
polls ro,poll=on '[11]'

for options in ro poll=off; do
	start -o "$options" "$tmp/src"
	pid=$daemon
	timeout 20 python3 "$tmp/poll.py" "$mnt/value" "$pid" >"$tmp/out" ||
		{
			kill -CONT "$pid"
			fail "a stopped daemon holds up poll with $options"
		}
	kill -CONT "$pid"
	assert_eq "answers with $options" '[1] [1] [1]' "$(xargs <"$tmp/out")"
	assert_eq "polls that came here" 1 \
		"$(cat "$mnt/fs/kernfuse/upcalls/poll")"
	stop
done
assert_status 1 "$KERNFUSE" -o poll=maybe "$tmp/src" "$mnt"
