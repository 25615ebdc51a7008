#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The manual pages are well-formed. The commands' have an item for every option,
# command and -o word that --help lists, the library's names every public header
# and no call that is in none, and its program compiles.

set -u
library_pod=${abs_top_srcdir:?is set by make check}/doc/libkernfuse.pod
status=0

# Prints the options and words of --help, one a line, without their values:
# what stands in the 18 columns after an indentation of two, or, where that is
# too narrow, before two spaces. [no]x stands for x and nox.
options()
{
	"$KERNFUSE" "$@" --help |
		sed -nE 's/^  ([^ ].*)$/\1/p' |
		sed -E 's/^(.{18}) .*/\1/; s/  .*//' |
		tr -s ', ' '\n' | sed -E 's/[=[]?\.\.\..*//; s/=.*//' |
		sed -E 's/^\[([a-z]+)\](.*)/\2\n\1\2/' |
		grep -E '^[a-z_]+$|^-[a-zA-Z]$|^--[a-z-]+$' | sort -u
}

# check_page POD MINIMUM ARGUMENT... - the page for the help of these arguments,
# which has so many options at least
check_page()
{
	local pod=${abs_top_srcdir:?is set by make check}/doc/$1 minimum=$2
	local help items option

	shift 2
	if ! help=$(options "$@") || [ "$(wc -l <<<"$help")" -lt "$minimum" ]
	then
		echo "manual: the output of $* --help was not understood"
		exit 99
	fi
	# the words of the manual's items, and those in bold
	items=$(grep -E '^=item|B<' "$pod" | grep -oE '[-a-zA-Z_]+')
	while read -r option; do
		grep -qxF -e "$option" <<<"$items" && continue
		echo "manual: $option is in --help but not in ${pod##*/}"
		status=1
	done <<<"$help"
	if command -v podchecker >/dev/null; then
		podchecker -warnings "$pod" || status=1
	fi
}

check_page kernfuse.pod 10
check_page kernfuse-ipc.pod 3 ipc
check_page kernfuse-ipc.pod 8 ipc run

# what the library's manual says of headers and calls
for header in "$abs_top_srcdir"/include/kernfuse/*.h; do
	header=kernfuse/${header##*/}
	case $header in
	kernfuse/types.h) continue ;;
	esac
	grep -qF "$header" "$library_pod" && continue
	echo "manual: $header is not in doc/libkernfuse.pod"
	status=1
done
while read -r call; do
	grep -qwF -e "$call" "$abs_top_srcdir"/include/kernfuse/*.h && continue
	echo "manual: doc/libkernfuse.pod names $call, which does not exist"
	status=1
done < <(grep -oE 'B<[a-z_]*(kernfs|kernfuse|sysfs|kobject|seq)_[a-z_]+>\(\)' \
	"$library_pod" | sed 's/^B<//; s/>.*//' | sort -u)

# the synopsis' program: the indented lines from its first to its last
read -ra cc <<<"$CC"
program()
{
	sed -n '/^    #include/p' "$library_pod"
	sed -n '/^    static int hello_show/,/^    }$/p
		/^    static const struct kernfs_ops hello/p
		/^    int main/,/^    }$/p' "$library_pod"
}
program | "${cc[@]}" -x c -Wall -Werror -fsyntax-only \
	-I"${abs_top_builddir:?}/include" -I"$abs_top_srcdir/include" - ||
	status=1

if command -v podchecker >/dev/null; then
	podchecker -warnings "$library_pod" || status=1
fi
exit "$status"
