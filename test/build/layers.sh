#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Rooms depend on each other in one direction only:
#
#   include <- lock <- fs/kernfs <- fs/sysfs <- fs/fuse, fs/import <- fs/cli
#              lock <- fs/ipc <- fs/ipc/preload
#              fs/kernfs, fs/ipc <- fs/ipctree <- fs/cli
#
# A file includes from its own room or from those to its left, and a source its
# own header first, or else the one its room shares. Besides, only
# fs/fuse knows libfuse and only lock/ knows liburcu, but for its plain lists.

set -u
cd "${abs_top_srcdir:?is set by make check}" || exit 99

# Rooms that the files of room $1 may include from, besides their own.
allowed_rooms()
{
	case $1 in
	include) ;;
	lock) echo include ;;
	fs/ipc | fs/kernfs) echo include lock ;;
	fs/sysfs) echo include lock fs/kernfs ;;
	fs/ipc/preload) echo lock fs/ipc ;;
	fs/ipctree) echo include lock fs/kernfs fs/ipc ;;
	fs/fuse | fs/import) echo include lock fs/kernfs fs/sysfs ;;
	fs/cli)
		echo include lock fs/kernfs fs/sysfs fs/ipc fs/ipctree \
			fs/fuse fs/import
		;;
	*) echo "layers: no rule for $1" >&2 && exit 99 ;;
	esac
}

# The room that the header named by an #include belongs to; "-" if outside.
room_of()
{
	case $1 in
	kernfuse/*) echo include ;;
	lock/*) echo lock ;;
	fs/*/*) echo "${1%/*}" ;;
	fuse*.h) echo libfuse ;;
	urcu/list.h | urcu/hlist.h) echo - ;;
	urcu.h | urcu/* | urcu-*) echo liburcu ;;
	*) echo - ;;
	esac
}

# Prints what is wrong with the includes of file $1 of room $2.
check_file()
{
	local header quote room rooms
	rooms=" $2 - $(allowed_rooms "$2") "
	case $2 in
	lock) rooms+="liburcu " ;;
	fs/fuse) rooms+="libfuse " ;;
	esac
	while read -r quote header; do
		room=$(room_of "$header")
		[[ $rooms == *" $room "* ]] ||
			echo "$1: $2 may not include $header of $room"
		[[ $quote == '"' && $room == - ]] &&
			echo "$1: write $header from the root: \"room/file.h\""
	done < <(sed -nE 's/^[ \t]*#[ \t]*include[ \t]*(["<])([^">]*)[">].*/\1 \2/p' "$1")
	return 0
}

# Prints a complaint if source file $1 has a header and does not start with it.
check_first()
{
	local first
	[ -e "${1%.c}.h" ] || return 0
	first=$(sed -nE 's/^#include "(.*)"/\1/p;T;q' "$1")
	[[ $first == "${1%.c}.h" || $first == "${1%/*}"/*-internal.h ]] ||
		echo "$1: includes something else before ${1%.c}.h"
}

found=$(
	for file in lock/*.c fs/*/*.c fs/*/*/*.c; do
		check_first "$file"
	done
	for file in include/kernfuse/* lock/*.[ch] fs/*/*.[ch] fs/*/*/*.[ch]; do
		room=${file%/*}
		check_file "$file" "${room/#include\/kernfuse/include}"
	done
)
if [ -n "$found" ]; then
	printf '%s\n' "$found"
	exit 1
fi
