#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Perl and shell pipelines: the builtin calls, fork, effective ids.
# shellcheck source=test/lib/functions.sh
. "${abs_top_srcdir:-$(dirname "$0")/../..}/test/lib/functions.sh"
# shellcheck source=test/ipc/run.sh
. "$abs_top_srcdir/test/ipc/run.sh"

require perl
require ipcs

cat >"$tmp/lib.pl" <<'EOF'
use strict;
use warnings;
use Errno;
use constant { CREAT => 01000, NOWAIT => 04000, RMID => 0, STAT => 2 };

sub check { my ($ok, $what) = @_; $ok or die "not so: $what ($!)\n" }
sub queue { my $id = msgget(0, CREAT | 0600); check(defined $id, "a queue");
	    return $id }
sub snd { my ($id, $text, $type) = @_;
	  return msgsnd($id, pack("l! a*", $type // 1, $text), NOWAIT) }
sub rcv { my ($id, $type) = @_; my $got;
	  msgrcv($id, $got, 8192, $type // 0, NOWAIT) or return undef;
	  return (unpack("l! a*", $got))[1] }
1;
EOF

# perl_is NAME OPTION... <PROGRAM
perl_is()
{
	local name=$1

	shift
	cat >"$tmp/$name.pl"
	"$KERNFUSE" ipc run "$@" -- \
		perl -e 'require shift; do shift or die $@ || $!' \
		"$tmp/lib.pl" "$tmp/$name.pl" || fail "perl: $name"
}

perl_is types <<'EOF'
my $id = queue();
check(snd($id, "three", 3), "send");
check(snd($id, "one", 1), "send");
check(snd($id, "", 2), "send nothing");
check(rcv($id, -2) eq "one", "lowest type first");
check(rcv($id, 2) eq "", "an empty one");
check(!defined rcv($id, 2) && $!{ENOMSG}, "ENOMSG");
check(rcv($id) eq "three", "the rest");
check(!snd($id, "x" x 8193) && $!{EINVAL}, "too long");
check(msgctl($id, RMID, 0), "remove");
check(!snd($id, "x") && $!{EINVAL}, "gone");
1;
EOF

perl_is fork <<'EOF'
my ($to, $back) = (queue(), queue());
my @pids;
for my $n (1 .. 4) {
	my $pid = fork();
	if (!$pid) {
		my $got;
		# sleeps
		msgrcv($to, $got, 100, $n, 0) or exit(1);
		exit(snd($back, (unpack("l! a*", $got))[1] . "!", $n) ? 0 : 2);
	}
	push(@pids, $pid);
}
snd($to, "child $_", $_) for (reverse 1 .. 4);
for (@pids) {
	waitpid($_, 0);
	check($? == 0, "status of a child");
}
check(rcv($back, $_) eq "child $_!", "answer of $_") for (1 .. 4);
1;
EOF

# what system() and backquotes start is in it, too
perl_is programs <<'EOF'
my $id = queue();
check(`ipcs -q` =~ / $id /, "ipcs shows it");
{
	local %ENV = (PATH => $ENV{PATH});
	check(`ipcs -q` =~ / $id /, "with few variables");
	check(system("ipcrm", "-q", $id) == 0, "ipcrm");
}
check(!snd($id, "x") && $!{EINVAL}, "gone");
1;
EOF

# a dying sender or receiver takes nothing along
perl_is killed <<'EOF'
my $id = queue();
my $pid = fork();
if (!$pid) {
	for (;;) { snd($id, "from the child"); rcv($id) }
}
select(undef, undef, undef, 0.1);
kill(KILL => $pid);
waitpid($pid, 0);
1 while defined rcv($id);
check(snd($id, "after"), "send");
check(rcv($id) eq "after", "receive");
1;
EOF

if [ "$(id -u)" = 0 ]; then
	perl_is seteuid <<'EOF'
my $id = queue();
my $other = msgget(0, CREAT | 0666);
check(snd($id, "x"), "as root");
$> = 65534;
check(!snd($id, "x") && $!{EACCES}, "as nobody");
check(!msgctl($id, RMID, 0) && $!{EPERM}, "remove as nobody");
check(snd($other, "x"), "to who lets others");
$> = 0;
check(snd($id, "x"), "as root again");
$) = "65534 65534";
$> = 65534;
check(!defined rcv($id) && $!{EACCES}, "as nobody of nogroup");
# and a child is who its parent is
my $pid = fork();
if (!$pid) { exit(snd($id, "x") ? 1 : $!{EACCES} ? 0 : 2) }
waitpid($pid, 0);
check($? == 0, "a child of nobody");
1;
EOF
fi

# --- pipelines: each part is a process of its own ---

# shellcheck disable=SC2016 # the inner shell's and perl's
run bash -eu -o pipefail -c '
	id=$(ipcmk -Q)
	id=${id##* }
	seq 1 50 | perl -ne "
		msgsnd($id, pack(\"l! a*\", 1, \$_), 0) or die \$!
	"
	perl -e "
		for (1 .. 50) {
			msgrcv($id, my \$got, 100, 0, 0) or die \$!;
			print((unpack(\"l! a*\", \$got))[1]);
		}
	" | sort -n | cmp - <(seq 1 50)
	ipcs -q | grep -q " $id " | cat
' || fail "a pipeline"
no_regions || fail "regions are left"
