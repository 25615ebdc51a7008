#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# All benchmarks: the walk, the tree and the counters in process, message
# queues and IPC namespaces beside the kernel's, then a storm over a real sysfs,
# the do-nothing floor daemon, and kernfuse under each lock policy, all in one
# run. Prints JSON lines, each group followed by its table.
#
#   KERNFUSE        the daemon (default: kernfuse)
#   BENCH_DIR       where kernfuse-bench and kernfuse-floor are (default:
#                   where this script is)
#   BENCH_SOURCE    the tree to take in (default: /sys)
#   BENCH_CLIENTS   processes of the storm (default: 8)
#   BENCH_ROUNDS    rounds of the walk and the storm (default: 5)
#   BENCH_ONLY      of "walk tree counter msg ns storm", what to run (default:
#                   all)
#
# The mounts live below one temporary directory and are gone at the end,
# however the end comes.

set -eu

: "${KERNFUSE:=kernfuse}"
: "${BENCH_DIR:=$(dirname "$0")}"
: "${BENCH_SOURCE:=/sys}"
: "${BENCH_CLIENTS:=8}"
: "${BENCH_ROUNDS:=5}"
: "${BENCH_ONLY:=walk tree counter msg ns storm}"

bench=$BENCH_DIR/kernfuse-bench
floor=$BENCH_DIR/kernfuse-floor
trees="floor global hashed rcu"
tmp=
child=

# A client that has just died may keep a mount busy for a moment.
unmount()
{
	for _ in 1 2 3 4 5; do
		mountpoint -q "$1" || return 0
		fusermount3 -u "$1" 2>/dev/null && return 0
		sleep 0.2
	done
	fusermount3 -u -z "$1"
}

cleanup()
{
	status=$?
	trap - EXIT
	trap '' HUP INT TERM
	if [ -n "$child" ]; then
		kill "$child" 2>/dev/null || true
		wait "$child" || true
	fi
	if [ -n "$tmp" ]; then
		for tree in $trees; do
			unmount "$tmp/$tree" || status=1
		done
		# never a recursive rm: a mount that stayed is not ours to empty
		for tree in $trees; do
			rmdir "$tmp/$tree" || status=1
		done
		rmdir "$tmp" || status=1
	fi
	exit "$status"
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# In the background, since a shell handles no signal while it waits for a
# program in the foreground.
run()
{
	"$@" &
	child=$!
	result=0
	wait "$child" || result=$?
	child=
	return "$result"
}

wanted()
{
	case " $BENCH_ONLY " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# Says what is missing, if anything.
missing_for_mounts()
{
	if [ ! -r /dev/fuse ] || [ ! -w /dev/fuse ]; then
		echo "/dev/fuse cannot be opened"
	elif ! command -v fusermount3 >/dev/null; then
		echo "there is no fusermount3"
	fi
}

storm()
{
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/kernfuse-bench.XXXXXX")
	for tree in $trees; do
		mkdir "$tmp/$tree"
	done
	run "$floor" "$BENCH_SOURCE" "$tmp/floor"
	for policy in global hashed rcu; do
		run "$KERNFUSE" -o "locking=$policy" "$BENCH_SOURCE" \
			"$tmp/$policy"
	done
	for mode in open stat; do
		run "$bench" storm --json --table --mode "$mode" \
			--clients "$BENCH_CLIENTS" --rounds "$BENCH_ROUNDS" \
			--base native --base floor \
			--dir "native=$BENCH_SOURCE" --dir "floor=$tmp/floor" \
			--dir "global=$tmp/global" --dir "hashed=$tmp/hashed" \
			--dir "rcu=$tmp/rcu"
	done
}

if wanted walk; then
	run "$bench" walk --json --table --rounds "$BENCH_ROUNDS"
fi
if wanted tree; then
	run "$bench" tree --json --table
fi
if wanted counter; then
	run "$bench" counter --json --table --rounds "$BENCH_ROUNDS"
fi
if wanted msg; then
	run "$bench" msg --json --table --kernfuse "$KERNFUSE"
fi
if wanted ns; then
	run "$bench" ns --json --table --rounds "$BENCH_ROUNDS"
fi
if wanted storm; then
	reason=$(missing_for_mounts)
	if [ -n "$reason" ]; then
		echo "run.sh: no storm: $reason" >&2
		exit 0
	fi
	storm
fi
