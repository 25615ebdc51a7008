#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Each header compiles alone: the public ones in C and in C++ and without
# config.h, as a user includes them; the others in C. Each call of the public
# ones has a comment.

set -u
cd "${abs_top_srcdir:?is set by make check}" || exit 99

includes=(-I"${abs_top_builddir:?}/include" -Iinclude)
status=0

# CC and CXX may carry options
compile()
{
	local language=$1 header=$2
	shift 2
	# twice, for its guard; and a header of macros only leaves nothing else
	printf '#include "%s"\n#include "%s"\nextern int something;\n' \
		"$header" "$header" |
		"$@" -Wall -Wextra -Wundef -Werror -fsyntax-only \
			-x "$language" - && return
	echo "headers: $header does not compile alone as $language"
	status=1
}

read -ra cc <<<"$CC"
read -ra cxx <<<"$CXX"

for header in include/kernfuse/*.h "$abs_top_builddir"/include/kernfuse/*.h; do
	header=kernfuse/${header##*/}
	compile c "$header" "${cc[@]}" "${includes[@]}" -std=c11 -pedantic
	[ -z "$CXX" ] || compile c++ "$header" "${cxx[@]}" "${includes[@]}"
done

for header in include/kernfuse/*.h; do
	awk '/^(KERNFUSE_PUBLIC|static inline)/ && before !~ /\*\/$/ {
		print "headers: " FILENAME ":" FNR ": no comment"
		bad = 1
	}
	{ before = $0 }
	END { exit bad }' "$header" || status=1
done

read -ra fuse_cflags <<<"$(pkg-config --cflags fuse3)"
for header in lock/*.h fs/*/*.h fs/*/*/*.h; do
	compile c "$header" "${cc[@]}" -include "$abs_top_builddir/config.h" \
		"${includes[@]}" -I. "${fuse_cflags[@]}" -Wno-unused-function
done

[ -n "$CXX" ] || echo "headers: no C++ compiler, so C only"
exit "$status"
