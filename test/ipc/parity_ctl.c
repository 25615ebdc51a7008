/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* msgctl, the table, and totals too large for an int. */
#include "test/ipc/parity.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct msqid_ds ds;

static void stat_as_nobody(int id)
{
	is("stat: nobody", ctl(id, IPC_STAT, &ds), "EACCES");
	is("stat: nobody, by index", ctl(id % 32768, MSG_STAT, &ds), "EACCES");
	is("stat: nobody, any", ctl(id % 32768, MSG_STAT_ANY, &ds) == id, "1");
	is("stat: nobody, NULL", ctl(id, IPC_STAT, NULL), "EACCES");
}

static void stats(void)
{
	int id = new_queue();

	is("stat: it", ctl(id, IPC_STAT, &ds), "0");
	is("stat: by index", ctl(id % 32768, MSG_STAT, &ds) == id, "1");
	is("stat: by index, any", ctl(id % 32768, MSG_STAT_ANY, &ds) == id,
	   "1");
	is("stat: a whole id does as well", ctl(id, MSG_STAT, &ds) == id, "1");
	is("stat: index above, masked",
	   ctl(id % 32768 + 3 * 32768, MSG_STAT, &ds) == id, "1");
	is("stat: empty index", ctl(20000, MSG_STAT, &ds), "EINVAL");
	is("stat: empty index, any", ctl(20000, MSG_STAT_ANY, &ds), "EINVAL");
	is("stat: no such id", ctl(20000, IPC_STAT, &ds), "EINVAL");
	is("stat: id -1", ctl(-1, IPC_STAT, &ds), "EINVAL");
	is("stat: index -1", ctl(-1, MSG_STAT, &ds), "EINVAL");
	is("stat: NULL", ctl(id, IPC_STAT, NULL), "EFAULT");
	is("stat: by index, NULL", ctl(id % 32768, MSG_STAT, NULL), "EFAULT");
	is("stat: no such id, NULL", ctl(20000, IPC_STAT, NULL), "EINVAL");
	is("stat: command -1", ctl(id, -1, &ds), "EINVAL");
	is("stat: command 4711", ctl(id, 4711, &ds), "EINVAL");
	is("stat: command of semaphores", ctl(id, 18, &ds), "EINVAL");
	as_nobody(stat_as_nobody, id);
	drop(id);
	id = get(IPC_PRIVATE, 0200);
	is("stat: root, no read bit", ctl(id, IPC_STAT, &ds), "0");
	drop(id);
}

static void set_as_nobody(int id)
{
	memset(&ds, 0, sizeof(ds));
	is("set: nobody", ctl(id, IPC_SET, &ds), "EPERM");
	is("set: nobody, NULL first", ctl(id, IPC_SET, NULL), "EFAULT");
	is("set: nobody, no such id", ctl(20000, IPC_SET, &ds), "EINVAL");
	is("set: nobody, remove", ctl(id, IPC_RMID, NULL), "EPERM");
	is("set: nobody, remove no such id", ctl(20000, IPC_RMID, NULL),
	   "EINVAL");
}

static void own_as_nobody(int id)
{
	is("set: nobody owns it, stat", ctl(id, IPC_STAT, &ds), "0");
	ds.msg_qbytes = 10000;
	is("set: nobody owns it, less", ctl(id, IPC_SET, &ds), "0");
	ds.msg_qbytes = 16384;
	is("set: nobody owns it, up to msgmnb", ctl(id, IPC_SET, &ds), "0");
	ds.msg_qbytes = 16385;
	is("set: nobody owns it, above", ctl(id, IPC_SET, &ds), "EPERM");
	ds.msg_qbytes = 16384;
	ds.msg_perm.uid = 0;
	is("set: nobody gives it back", ctl(id, IPC_SET, &ds), "0");
	is("set: nobody no more", ctl(id, IPC_SET, &ds), "EPERM");
}

static void sets(void)
{
	int id = new_queue();
	struct msqid_ds before = stat_of(id);

	before.msg_perm.mode = 07777;
	before.msg_perm.uid = 11;
	before.msg_perm.gid = 12;
	before.msg_perm.cuid = 13;
	before.msg_perm.cgid = 14;
	before.msg_perm.__key = 15;
	before.msg_qbytes = 1000;
	is("set: root", ctl(id, IPC_SET, &before), "0");
	ds = stat_of(id);
	is("set: mode", ds.msg_perm.mode, "511");
	says_f("set: owners", "11 12 0 0 0", "%d %d %d %d %d", ds.msg_perm.uid,
	       ds.msg_perm.gid, ds.msg_perm.cuid, ds.msg_perm.cgid,
	       ds.msg_perm.__key);
	is("set: qbytes", (long)ds.msg_qbytes, "1000");
	is("set: ctime", ds.msg_ctime >= time(NULL) - 2, "1");
	is("set: NULL", ctl(id, IPC_SET, NULL), "EFAULT");
	is("set: id -1, NULL", ctl(-1, IPC_SET, NULL), "EINVAL");
	is("set: no such id, NULL", ctl(20000, IPC_SET, NULL), "EFAULT");
	is("set: no such id", ctl(20000, IPC_SET, &ds), "EINVAL");
	ds.msg_perm.uid = (uid_t)-1;
	is("set: no such user", ctl(id, IPC_SET, &ds), "EINVAL");
	ds.msg_perm.uid = 11;
	ds.msg_perm.gid = (gid_t)-1;
	ds.msg_qbytes = 5;
	is("set: no such group", ctl(id, IPC_SET, &ds), "EINVAL");
	is("set: and nothing changed", (long)stat_of(id).msg_qbytes, "1000");
	is("set: qbytes 2^32 is 0", set_qbytes(id, 1ul << 32), "0");
	is("set: it is", (long)stat_of(id).msg_qbytes, "0");
	drop(id);
	id = new_queue();
	as_nobody(set_as_nobody, id);
	ds = stat_of(id);
	ds.msg_perm.uid = 65534;
	ctl(id, IPC_SET, &ds);
	as_nobody(own_as_nobody, id);
	is("set: remove", drop(id), "0");
	is("set: remove again", drop(id), "EINVAL");
}

/* Raising it above msgmnb: root may, if he has that capability. */
static void raise_qbytes(void)
{
	int id = new_queue();
	int ret = set_qbytes(id, 16385);

	is("raise: as capability says", ret == 0 || ret == -EPERM, "1");
	set_limit("msgmnb", 20000);
	is("raise: below a higher msgmnb", set_qbytes(id, 16385), "0");
	set_limit("msgmnb", 16384);
	is("raise: stays", (long)stat_of(id).msg_qbytes, "16385");
	is("raise: less is always allowed", set_qbytes(id, 16384), "0");
	drop(id);
}

static void by_class_as_nobody(int id)
{
	static struct message m = { .type = 1 };

	is("class: other may write", snd(id, &m, 1, IPC_NOWAIT), "0");
	is("class: other may not read", rcv(id, &m, 1, 0, IPC_NOWAIT),
	   "EACCES");
	is("class: nor look", ctl(id, IPC_STAT, &ds), "EACCES");
}

static void group_as_nobody(int id)
{
	static struct message m = { .type = 1 };

	is("class: group may read", rcv(id, &m, 1, 0, IPC_NOWAIT), "1");
	is("class: group may not write, other may", snd(id, &m, 1, IPC_NOWAIT),
	   "EACCES");
}

static void owner_as_nobody(int id)
{
	static struct message m = { .type = 1 };

	is("class: owner has nothing, others do", rcv(id, &m, 1, 0, IPC_NOWAIT),
	   "EACCES");
	is("class: may change that", ctl(id, IPC_RMID, NULL), "0");
}

static void classes(void)
{
	int id = get(IPC_PRIVATE, 0602);

	as_nobody(by_class_as_nobody, id);
	ds = stat_of(id);
	ds.msg_perm.mode = 0642;
	ds.msg_perm.gid = 65534;
	ctl(id, IPC_SET, &ds);
	as_nobody(group_as_nobody, id);
	ds.msg_perm.mode = 0066;
	ds.msg_perm.uid = 65534;
	ctl(id, IPC_SET, &ds);
	as_nobody(owner_as_nobody, id);
}

static void infos(void)
{
	int id = new_queue(), other = new_queue();
	struct msginfo i;

	put(id, 1, "hello");
	put(other, 1, "x");
	put(other, 1, "");
	memset(&i, 0xff, sizeof(i));
	is("info: IPC_INFO", ctl(0, IPC_INFO, &i) == other % 32768, "1");
	says_f("info: limits", "512000 16384 8192 16384 32000 16 16384 65535",
	       "%d %d %d %d %d %d %d %u", i.msgpool, i.msgmap, i.msgmax,
	       i.msgmnb, i.msgmni, i.msgssz, i.msgtql, i.msgseg);
	memset(&i, 0xff, sizeof(i));
	is("info: MSG_INFO", ctl(0, MSG_INFO, &i) == other % 32768, "1");
	says_f("info: figures", "2 3 8192 16384 32000 16 6 65535",
	       "%d %d %d %d %d %d %d %u", i.msgpool, i.msgmap, i.msgmax,
	       i.msgmnb, i.msgmni, i.msgssz, i.msgtql, i.msgseg);
	is("info: any id will do", ctl(4711, MSG_INFO, &i) >= 0, "1");
	is("info: id -1", ctl(-1, MSG_INFO, &i), "EINVAL");
	is("info: NULL", ctl(0, MSG_INFO, NULL), "EFAULT");
	is("info: limits, NULL", ctl(0, IPC_INFO, NULL), "EFAULT");
	set_limit("msgmax", 77);
	set_limit("msgmnb", 78);
	set_limit("msgmni", 79);
	ctl(0, IPC_INFO, &i);
	says_f("info: limits are the namespace's", "512000 16384 77 78 79",
	       "%d %d %d %d %d", i.msgpool, i.msgmap, i.msgmax, i.msgmnb,
	       i.msgmni);
	set_limit("msgmax", 8192);
	set_limit("msgmnb", 16384);
	set_limit("msgmni", 32000);
	drop(id);
	says("info: removed with a message", totals(), "1 2 1");
	drop(other);
	is("info: none in use", ctl(0, MSG_INFO, &i), "0");
}

void parity_ctl(void)
{
	stats();
	sets();
	raise_qbytes();
	classes();
	infos();
	says("ctl: all gone", totals(), "0 0 0");
}

/* --- the table --- */

/* The line of queue @id, cut behind the figures that are always the same. */
static void row(const char *name, int id, const char *expected)
{
	char *text = table(), *line, *save = NULL, want[32];
	int key, msqid;

	snprintf(want, sizeof(want), "no line");
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "%d %d", &key, &msqid) == 2 && msqid == id)
			break;
	}
	if (line && strlen(line) > 51)
		line[line[0] == '-' ? 51 : 50] = '\0';
	/* the id is not the same in a longer run */
	if (line)
		memset(line + snprintf(NULL, 0, "%10d ", key), '#', 10);
	says(name, line ? line : want, expected);
	free(text);
}

/* All of a row, each figure once more in its width. */
static void widths(const char *name)
{
	char *text = table(), *line = strchr(text, '\n') + 1;
	long long f[14];
	char again[256];

	sscanf(line,
	       "%lld %lld %llo %lld %lld %lld %lld %lld %lld %lld %lld %lld "
	       "%lld %lld",
	       &f[0], &f[1], (unsigned long long *)&f[2], &f[3], &f[4], &f[5],
	       &f[6], &f[7], &f[8], &f[9], &f[10], &f[11], &f[12], &f[13]);
	snprintf(again, sizeof(again),
		 "%10lld %10lld  %4llo  %10lld %10lld %5lld %5lld %5lld %5lld "
		 "%5lld %5lld %10lld %10lld %10lld\n",
		 f[0], f[1], (unsigned long long)f[2], f[3], f[4], f[5], f[6],
		 f[7], f[8], f[9], f[10], f[11], f[12], f[13]);
	is(name, strncmp(line, again, strlen(again)) == 0, "1");
	free(text);
}

void parity_table(void)
{
	char *text = table();
	int a, b;

	says("table: empty", text,
	     "       key      msqid perms      cbytes       qnum lspid lrpid   "
	     "uid   gid  cuid  cgid      stime      rtime      ctime\n");
	free(text);
	a = get((key_t)0x80000001, IPC_CREAT | 0644);
	b = get(0x12345, IPC_CREAT | 07);
	put(a, 1, "hello");
	put(a, 1, "world");
	row("table: negative key", a,
	    "-2147483647 ##########   644          10          2");
	row("table: another", b,
	    "     74565 ##########     7           0          0");
	widths("table: widths");
	drop(a);
	row("table: removed", a, "no line");
	drop(b);
}

/* --- 2 GiB of messages --- */

void parity_big(void)
{
	static char buf[(64 << 20) + sizeof(long)];
	int id, n = 0;

	*(long *)(void *)buf = 1;
	set_limit("msgmax", INT_MAX);
	set_limit("msgmnb", INT_MAX);
	id = new_queue();
	while (n < 31 && snd(id, buf, 64 << 20, IPC_NOWAIT) == 0)
		n++;
	is("big: messages", n, "31");
	says("big: just below", totals(), "1 31 2080374784");
	id = new_queue();
	is("big: another", snd(id, buf, 64 << 20, IPC_NOWAIT), "0");
	says("big: 2 GiB", totals(), "2 32 2147483647");
}
