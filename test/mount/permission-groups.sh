#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Supplementary groups and capabilities decide as on any file system.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_root
require_fuse
require setpriv

make_tree "$tmp/src"
chown 0:4321 "$tmp/src/devices/dev0/state" "$tmp/src/devices/dev0/power"
chmod 640 "$tmp/src/devices/dev0/state"
chmod 750 "$tmp/src/devices/dev0/power"
start -o allow_other "$tmp/src"

# with GROUPS COMMAND...
with()
{
	local groups=$1

	shift
	setpriv --reuid="$nobody" --regid="$nobody" "$groups" --inh-caps=-all \
		-- "$@" >/dev/null 2>&1
}

with --groups=4321 cat "$mnt/devices/dev0/state" ||
	fail "a member of the group cannot read"
with --groups=1,2,3,4321 cat "$mnt/devices/dev0/power/control" ||
	fail "a member of the group cannot search"
with --groups=4322 cat "$mnt/devices/dev0/state" &&
	fail "a member of another group reads"
with --clear-groups cat "$mnt/devices/dev0/power/control" &&
	fail "a member of no group searches"
with --groups=4321 sh -c "echo x >'$mnt/devices/dev0/state'" &&
	fail "a member of the group writes"
setpriv --reuid=0 --regid=4321 --clear-groups --inh-caps=-all \
	--bounding-set=-all -- cat "$mnt/devices/dev0/state" >/dev/null ||
	fail "root without capabilities is no owner any more"

# a change holds at once
chmod 600 "$mnt/devices/dev0/state"
with --groups=4321 cat "$mnt/devices/dev0/state" &&
	fail "chmod comes late"
chgrp 4322 "$mnt/devices/dev0/state"
chmod 640 "$mnt/devices/dev0/state"
with --groups=4322 cat "$mnt/devices/dev0/state" || fail "chgrp comes late"
stop

# without allow_other nobody else is let in
start "$tmp/src"
with --clear-groups ls "$mnt" && fail "others are let in without allow_other"
stop
