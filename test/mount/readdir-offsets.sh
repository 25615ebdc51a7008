#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A directory with thousands of entries: each is listed once, with its type,
# and offsets taken earlier still lead to the same place.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"

require_fuse

mkdir -p "$tmp/src/many"
cd "$tmp/src/many"
seq -f 'f%g' 2000 | xargs touch
seq -f 'd%g' 200 | xargs mkdir
for i in {1..100}; do
	ln -s ../many "l$i"
done
cd /
start "$tmp/src"

find "$tmp/src/many" -mindepth 1 -printf '%f %y\n' | sort >"$tmp/source"
find "$mnt/many" -mindepth 1 -printf '%f %y\n' | sort >"$tmp/served"
assert_same "names and types" "$tmp/source" "$tmp/served"

# shellcheck disable=SC2012 # find leaves them out
assert_eq "first entries" ". .." "$(ls -aU "$mnt/many" | head -n 2 | xargs)"
ls -aU "$mnt/many" >"$tmp/first"
ls -aU "$mnt/many" >"$tmp/second"
assert_same "order" "$tmp/first" "$tmp/second"

require perl
perl - "$mnt/many" <<'END' || fail "seekdir does not lead back"
use strict;
opendir(my $dir, $ARGV[0]) or die $!;
my (@names, @offsets);
while (1) {
	push @offsets, telldir($dir);
	my $name = readdir($dir);
	last unless defined $name;
	push @names, $name;
}
for (my $i = $#names; $i >= 0; $i -= 7) {
	seekdir($dir, $offsets[$i]);
	my $name = readdir($dir);
	die "$name instead of $names[$i]" unless $name eq $names[$i];
}
rewinddir($dir);
die "rewinddir" unless readdir($dir) eq '.';
END
stop
