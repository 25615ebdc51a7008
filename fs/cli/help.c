// SPDX-License-Identifier: LGPL-2.1-or-later
/* What -h and -V print. doc/kernfuse.pod says the same at length. */
#include "fs/cli/cli-internal.h"

#include <stdio.h>

#include <kernfuse/version.h>

#include "fs/fuse/session.h"

void kf_print_help(void)
{
	fputs("Usage: kernfuse [OPTIONS] SOURCE MOUNTPOINT\n"
	      "       kernfuse ipc run|ls|rm ...\n"
	      "Serve a directory, for example /sys, as a sysfs of its own; or "
	      "see 'kernfuse ipc\n"
	      "--help'.\n"
	      "\n"
	      "SOURCE is a directory to take in, or 'none' for the empty "
	      "directories of a sysfs.\n"
	      "Unmount with 'fusermount3 -u MOUNTPOINT' or 'umount "
	      "MOUNTPOINT'.\n"
	      "\n"
	      "Options:\n"
	      "  -h, --help         print this and exit\n"
	      "  -V, --version      print the version and exit\n"
	      "  -f                 stay in the foreground\n"
	      "  -d, -o debug       print every request; implies -f\n"
	      "  -s                 serve with one thread\n"
	      "  -q                 print errors only\n"
	      "  -o WORD[,WORD...]  as follows; may be repeated\n"
	      "\n"
	      "Words:\n"
	      "  locking=POLICY     global, hashed (default) or rcu\n"
	      "  nr_locks=N         locks, 1 to 1024 (default: by the CPUs)\n"
	      "  cache=none         the kernel keeps nothing (default)\n"
	      "  poll=auto|on|off   answer poll(2), or let the kernel say "
	      "ready (default:\n"
	      "                     auto, answer unless mounted ro)\n"
	      "  max_threads=N      threads (default: one for each CPU, at "
	      "least 2)\n"
	      "  max_idle_threads=N end idle threads above N (default: never)\n"
	      "  clone_fd           a /dev/fuse of its own for each thread\n"
	      "  read_timeout=S     seconds one file may take while it is "
	      "taken in (default: 1)\n"
	      "  callback_timeout=S seconds one open, read or write may take "
	      "(default: for\n"
	      "                     ever)\n"
	      "  ipc=on|off         kernel/ipc, message queues in the tree "
	      "(default: on)\n"
	      "  counters=percpu|atomic\n"
	      "                     how namespaces made there count (default: "
	      "percpu)\n"
	      "  teardown=deferred|sync\n"
	      "                     free them off the path of who drops them "
	      "(default), or\n"
	      "                     at once\n"
	      "  uid=N, gid=N       show this owner for everything\n"
	      "  umask=M            hide these permission bits (octal)\n"
	      "  ro, rw             read only, or not (default)\n"
	      "  allow_other        let other users in\n"
	      "  allow_root         let root in\n"
	      "  auto_unmount       unmount when the daemon is killed\n"
	      "  fsname=NAME        shown as source (default: SOURCE)\n"
	      "  subtype=NAME       shown as type fuse.NAME (default: "
	      "kernfuse)\n"
	      "  max_read=BYTES     longest read request\n"
	      "  [no]suid [no]dev [no]exec [a]sync dirsync [no]atime\n"
	      "                     as mount(8) has them (default: nosuid,"
	      "nodev,noexec)\n"
	      "Words that only mount(8) and fstab(5) understand are ignored.\n",
	      stdout);
}

void kf_print_version(void)
{
	printf("kernfuse %s\n"
	       "libfuse %s\n",
	       KERNFUSE_VERSION, kfd_libfuse_version());
}
