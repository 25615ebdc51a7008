#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The shared library exports exactly what the public headers declare with
# KERNFUSE_PUBLIC, all of it by the names of its rooms.

set -u
library=${abs_top_builddir:?is set by make check}/.libs/libkernfuse.so
: "${abs_top_srcdir:?}"
if [ ! -e "$library" ]; then
	echo "exports: there is no shared library (--disable-shared?)"
	exit 77
fi

# Prints the names that the public headers declare as exported: in the
# preprocessed text each such declaration has the attribute, and its name is
# the last word before the arguments.
declared()
{
	read -ra cc <<<"$CC"
	(cd "$abs_top_srcdir/include/kernfuse" &&
		printf '#include <kernfuse/%s>\n' *.h) |
		"${cc[@]}" -E -P -I"$abs_top_builddir/include" \
			-I"$abs_top_srcdir/include" - |
		tr -s '[:space:]' ' ' | tr '{};' '[\n*]' |
		sed -nE 's/.*__attribute__ ?\(\(visibility\("default"\)\)\)//p' |
		sed -E 's/\(.*//; s/ +$//; s/.*[ *]//'
}

# Data and functions, without the version's own symbol.
exported()
{
	nm -D --defined-only --format=posix "$library" |
		awk '$2 != "A" { sub(/@.*/, "", $1); print $1 }'
}

# what a public name looks like, a kind a line
names='kernfs_.*
|__kernfs_create_file
|kernfuse_.*
|kobj_sysfs_ops
|kobject_.*
|sysfs_.*
|compat_only_sysfs_link_entry_to_kobj'

status=0
report()
{
	[ -n "$2" ] || return
	echo "exports: $1:"
	echo "$2"
	status=1
}

if [ "$(declared | wc -l)" -lt 50 ]; then
	echo "exports: the headers' declarations were not understood"
	exit 99
fi
report "declared but not exported" \
	"$(comm -23 <(declared | sort -u) <(exported | sort -u))"
report "exported but not declared" \
	"$(comm -13 <(declared | sort -u) <(exported | sort -u))"
report "not a public name" \
	"$(exported | grep -vE "^($(tr -d '\n' <<<"$names"))\$")"
exit "$status"
