#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# House rules that a program can check: each file has a licence line, nothing
# is left unfinished, no white space at the end of a line.

set -u
cd "${abs_top_srcdir:?is set by make check}" || exit 99

# Sources only: in a build inside the source tree there is more.
mapfile -t files < <(
	find include lock fs test doc -type f \( -name '*.[ch]' -o \
		-name '*.in' -o -name '*.map' -o -name '*.md' -o -name '*.mk' \
		-o -name '*.pod' -o -name '*.sh' -o -name '*.txt' \)
	printf '%s\n' .ci/run .clang-format .editorconfig Makefile.am \
		bootstrap configure.ac test/build/lint test/lib/variant
)
status=0

# complain WHAT: each line of stdin is a place where the rule WHAT is broken
complain()
{
	local lines
	lines=$(cat)
	[ -n "$lines" ] || return
	echo "house: $1:"
	echo "$lines"
	status=1
}

files_without_licence()
{
	local file
	for file in "${files[@]}"; do
		head -n 5 "$file" | grep -q \
			'SPDX-License-Identifier: LGPL-2.1-or-later' ||
			echo "$file"
	done
}

# this file has the words, too
complain "no SPDX line" < <(files_without_licence)
complain "unfinished" < <(grep -nE '\b(TODO|FIXME|XXX)\b' \
	"${files[@]}" | grep -v '^test/build/house.sh:')
complain "white space at the end" < <(grep -nE '[[:blank:]]+$' "${files[@]}")
exit "$status"
