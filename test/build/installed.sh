#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A program builds against what "make install" puts into a tree, found by
# pkg-config, and runs.

set -u
: "${abs_top_srcdir:?is set by make check}" "${abs_top_builddir:?}"
if ! command -v pkg-config >/dev/null; then
	echo "installed: there is no pkg-config"
	exit 77
fi
# a sanitized library wants a sanitized program
if [ "${KERNFUSE_SANITIZER-no}" != no ]; then
	echo "installed: built with a sanitizer"
	exit 77
fi

dest=$(mktemp -d "${TMPDIR:-/tmp}/kernfuse-installed.XXXXXX")
trap 'rm -rf "$dest"' EXIT

die()
{
	echo "installed: $*"
	exit 1
}

MAKEFLAGS='' "$MAKE" -s -C "$abs_top_builddir" install DESTDIR="$dest/tree" \
	>"$dest/log" 2>&1 || { cat "$dest/log"; die "make install fails"; }
pc=$(find "$dest/tree" -name kernfuse.pc)
[ -n "$pc" ] || die "there is no kernfuse.pc"

PKG_CONFIG_PATH=${pc%/*}
PKG_CONFIG_SYSROOT_DIR=$dest/tree
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
flags=$(pkg-config --cflags --libs kernfuse) || die "pkg-config fails"
read -ra flags <<<"$flags"
libdir=$PKG_CONFIG_SYSROOT_DIR$(unset PKG_CONFIG_SYSROOT_DIR
	pkg-config --variable=libdir kernfuse)
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

read -ra cc <<<"$CC"
for example in "$abs_top_srcdir"/doc/examples/*.c; do
	name=${example##*/}
	# from elsewhere, so that nothing is found in the source tree
	(cd "$dest" && "${cc[@]}" -Wall -Wl,--no-undefined -o "${name%.c}" \
		"$example" "${flags[@]}") || die "$name does not build"
	# without a mountpoint it says so, and so it has started
	"$dest/${name%.c}" 2>"$dest/err" && die "$name mounts on nothing"
	grep -q "^kernfuse: cannot mount on : No such file" "$dest/err" ||
		die "$name: $(cat "$dest/err")"
done
