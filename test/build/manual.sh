#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The manual is well-formed and has an item for every option and every -o word
# that --help lists.

set -u
pod=${abs_top_srcdir:?is set by make check}/doc/kernfuse.pod
status=0

# Prints the options and words of --help, one a line, without their values:
# what stands in the 18 columns after an indentation of two, or, where that is
# too narrow, before two spaces. [no]x stands for x and nox.
options()
{
	"$KERNFUSE" --help |
		sed -nE 's/^  ([^ ].*)$/\1/p' |
		sed -E 's/^(.{18}) .*/\1/; s/  .*//' |
		tr -s ', ' '\n' | sed -E 's/[=[]?\.\.\..*//; s/=.*//' |
		sed -E 's/^\[([a-z]+)\](.*)/\2\n\1\2/' |
		grep -E '^[a-z_]+$|^-[a-zA-Z]$|^--[a-z-]+$' | sort -u
}

if ! help=$(options) || [ "$(wc -l <<<"$help")" -lt 10 ]; then
	echo "manual: the output of --help was not understood"
	exit 99
fi

# the words of the manual's items, and those in bold
items=$(grep -E '^=item|B<' "$pod" | grep -oE '[-a-zA-Z_]+')
while read -r option; do
	grep -qxF -e "$option" <<<"$items" && continue
	echo "manual: $option is in --help but not in doc/kernfuse.pod"
	status=1
done <<<"$help"

if command -v podchecker >/dev/null; then
	podchecker -warnings "$pod" || status=1
fi
exit "$status"
