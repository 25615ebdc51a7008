#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A namespace follows its processes through exec, sessions, empty environments,
# closed descriptors and the kernel's namespaces, until they leave it.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"
# shellcheck source=test/ipc/run.sh
. "$abs_top_srcdir/test/ipc/run.sh"

require ipcs
require ipcmk

# sees WHAT COMMAND...: who shows the queue when it is started so
sees()
{
	local what=$1

	shift
	assert_status 0 in_ns a "$@" ipcs -q
	shows "$id" || fail "$what: does not see the queue"
}

hold a
id=$(in_ns a ipcmk -Q)
id=${id##* }

sees "itself"
sees "exec after exec" env nice -n 0 nohup bash -c 'exec "$@"' bash
sees "an empty environment" env -i
sees "twice empty" env -i env -i
sees "no preload" env -u LD_PRELOAD -u KERNFUSE_IPC_NS
sees "somebody else's preload" env LD_PRELOAD=
# shellcheck disable=SC2016 # the inner shell's
sees "closed descriptors" bash -c '
	for fd in /proc/self/fd/*; do
		fd=${fd##*/}
		[ "$fd" -le 2 ] || eval "exec $fd>&-" 2>/dev/null
	done
	exec "$@"' bash
sees "few descriptors" bash -c 'ulimit -n 20; exec "$@"' bash
sees "no standard ones" bash -c '"$@" <&- 2>&-' bash
! command -v setsid >/dev/null || sees "a session" setsid -w
! command -v timeout >/dev/null || sees "a process group" timeout 60
# shellcheck disable=SC2016 # the inner shell's
! command -v xargs >/dev/null ||
	sees "xargs" bash -c 'echo "$2" | xargs "$1"' bash
! command -v python3 >/dev/null || ! python3 -c '' 2>/dev/null ||
	sees "python" python3 -c 'import subprocess, sys
sys.exit(subprocess.run(sys.argv[1:], close_fds=True, env={}).returncode)'

# one that cannot be had is an error, and never the kernel's
for variable in 100:1:1:/none nonsense ""; do
	assert_status 1 env KERNFUSE_IPC_NS="$variable" \
		LD_PRELOAD="$abs_top_builddir/.libs/libkernfuse-ipc.so" ipcmk -Q
	grep -q "not implemented" "$tmp/err" || fail "'$variable': not ENOSYS"
done

# a core file is the program's
run awk -v dir="$KERNFUSE_IPC_DIR/" 'index($0, dir) { ours = 1 }
	ours && /^VmFlags/ { exit !/ dd/ } END { if (!ours) exit 1 }' \
	/proc/self/smaps || fail "the region would be in a core file"

# a daemon: all closed, another session, its parent gone
# shellcheck disable=SC2016 # perl's
in_ns a perl -e '
	use POSIX;
	fork() and exit; POSIX::setsid(); fork() and exit;
	POSIX::close($_) for (0 .. 255);
	chdir("/");
	open(STDIN, "<", "/dev/null");
	open(STDOUT, ">", $ARGV[0] . ".new");
	system("ipcs", "-q");
	close(STDOUT);
	rename($ARGV[0] . ".new", $ARGV[0]);
' "$tmp/daemon"
wait_for 10 test -e "$tmp/daemon" || fail "a daemon: no answer"
cp "$tmp/daemon" "$tmp/out"
shows "$id" || fail "a daemon does not see the queue"

# --- the kernel's namespaces ---

# left WHAT COMMAND...: who does not see the queue, but has a namespace
left()
{
	local what=$1

	shift
	# shellcheck disable=SC2016 # the inner shell's
	assert_status 0 in_ns a "$@" sh -c 'ipcs -q; ipcmk -Q && ipcs -q -u'
	! shows "$id" || fail "$what: sees the queue"
	grep -q "allocated queues = 1" "$tmp/out" ||
		fail "$what: has no namespace of its own"
}

require unshare
left "unshare -i" unshare -i
left "in a new environment" unshare -i env -i
sees "after others left"
if unshare -pf true 2>/dev/null; then
	sees "a PID namespace" unshare -pf
	sees "one with its /proc" unshare -pf --mount-proc
	left "PID and IPC" unshare -ipf
	# ids of one and the other may be equal; queues can be shared all the same
	# shellcheck disable=SC2016 # perl's
	in_ns a perl -e '
		my $id = shift;
		my $pid = fork();
		if (!$pid) {
			exec("unshare", "-pf", "perl", "-e",
			     "msgsnd($id, pack(q(l! a*), 1, q(there)), 0)");
		}
		msgrcv($id, my $got, 100, 0, 0) or die $!;
		waitpid($pid, 0);
		exit((unpack("l! a*", $got))[1] eq "there" ? 0 : 1);
	' "$id" || fail "nothing came from a PID namespace"
else
	echo "no PID namespaces"
fi
if unshare -Ur true 2>/dev/null; then
	sees "a user namespace" unshare -Ur
	left "user and IPC" unshare -Uir
fi

# --- another user ---

if [ "$(id -u)" = 0 ]; then
	require setpriv
	for_nobody
	# the queue lets others look
	sees "nobody" "${nobody_is[@]}"
	# shellcheck disable=SC2016 # perl's
	assert_status 13 in_ns a "${nobody_is[@]}" perl -e '
		msgsnd($ARGV[0], pack("l! a*", 1, "x"), 0) or exit($!)' "$id"
	# a namespace made without any privilege
	chmod 1777 "$KERNFUSE_IPC_DIR"
fi

release
wait_for 5 no_regions || fail "a region is left"
