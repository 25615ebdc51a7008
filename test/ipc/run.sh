# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What tests of 'kernfuse ipc run' share; test/lib/functions.sh comes first.
: "${tmp:?}" "${abs_top_builddir:?}"

[ -x "$KERNFUSE" ] || fail "there is no $KERNFUSE"
[ -e "$abs_top_builddir/.libs/libkernfuse-ipc.so" ] ||
	fail "there is no libkernfuse-ipc.so"

export KERNFUSE_IPC_DIR=$tmp/regions
mkdir "$KERNFUSE_IPC_DIR"

# run COMMAND...: in a namespace of its own
run()
{
	"$KERNFUSE" ipc run -- "$@"
}

# in_ns NAME COMMAND...
in_ns()
{
	local name=$1

	shift
	"$KERNFUSE" ipc run --name "$name" -- "$@"
}

# hold NAME: somebody is in it, until 'release'
hold()
{
	# not through a function: $! is the command itself
	"$KERNFUSE" ipc run --name "$1" -- sleep 300 &
	holder=$!
	wait_for 10 has_library "$holder" || fail "$1 cannot be held"
}

has_library()
{
	grep -q libkernfuse-ipc "/proc/$1/maps" 2>/dev/null
}

release()
{
	kill -KILL "$holder"
	wait "$holder" 2>/dev/null || :
}

# no_regions: once the last holder has ended nothing is left
no_regions()
{
	[ -z "$(ls "$KERNFUSE_IPC_DIR")" ]
}

# shows ID: 'ipcs -q' in $tmp/out does
shows()
{
	awk -v id="$1" '$1 ~ /^0x/ && $2 == id { found = 1 }
		END { exit !found }' "$tmp/out"
}

# for_nobody: kernfuse and its library where other users find them, $KERNFUSE
for_nobody()
{
	local library=$abs_top_builddir/.libs/libkernfuse-ipc.so
	local program=$abs_top_builddir/.libs/kernfuse

	[ -x "$program" ] || program=$KERNFUSE
	KERNFUSE_IPC_LIBRARY=$(for_everybody "$library")
	export KERNFUSE_IPC_LIBRARY
	chmod 1777 "$KERNFUSE_IPC_DIR"
}
