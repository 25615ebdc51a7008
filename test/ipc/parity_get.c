/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* msgget: keys, permissions, identifiers, limits. */
#include "test/ipc/parity.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEY 0x4b46

static void ids(void)
{
	int id[8];

	is("id: no queue yet, highest index",
	   ctl(0, MSG_INFO, &(struct msginfo){ 0 }), "0");
	is("id: first", id[0] = get(IPC_PRIVATE, 0600), "0");
	is("id: second", id[1] = get(IPC_PRIVATE, 0600), "1");
	is("id: third", id[2] = get(IPC_PRIVATE, 0600), "2");
	is("id: remove second", drop(id[1]), "0");
	is("id: not the lowest free index", id[3] = get(IPC_PRIVATE, 0600),
	   "3");
	is("id: highest index", ctl(0, MSG_INFO, &(struct msginfo){ 0 }), "3");
	is("id: remove last", drop(id[3]), "0");
	is("id: highest index then", ctl(0, IPC_INFO, &(struct msginfo){ 0 }),
	   "2");
	drop(id[0]);
	drop(id[2]);
	for (int i = 4; i < 64; i++)
		drop(get(IPC_PRIVATE, 0600));
	is("id: round the window", id[0] = get(IPC_PRIVATE, 0600), "32768");
	drop(id[0]);
	for (int i = 1; i < 64; i++)
		drop(get(IPC_PRIVATE, 0600));
	is("id: twice round", id[0] = get(IPC_PRIVATE, 0600), "65536");
	is("id: old sequence number", ctl(0, IPC_STAT, &(struct msqid_ds){ 0 }),
	   "EINVAL");
	is("id: next sequence number",
	   ctl(98304, IPC_STAT, &(struct msqid_ds){ 0 }), "EINVAL");
	drop(id[0]);
	is("id: removed", ctl(id[0], IPC_STAT, &(struct msqid_ds){ 0 }),
	   "EINVAL");
	is("id: negative", ctl(-1, IPC_STAT, &(struct msqid_ds){ 0 }),
	   "EINVAL");
	is("id: largest", ctl(INT_MAX, IPC_STAT, &(struct msqid_ds){ 0 }),
	   "EINVAL");
}

/* The window is one and a half times what is in use. */
static void window(void)
{
	static int id[200];
	int first, last;

	for (int i = 1; i < 16; i++)
		drop(get(IPC_PRIVATE, 0600));
	for (int i = 0; i < 100; i++)
		id[i] = get(IPC_PRIVATE, 0600);
	first = id[0] % 32768;
	last = id[99] % 32768;
	says_f("window: 100 queues from 16 on", "16 115", "%d %d", first, last);
	for (int i = 0; i < 50; i += 2)
		drop(id[i]);
	for (int i = 100; i < 150; i++)
		id[i] = get(IPC_PRIVATE, 0600);
	says_f("window: then", "98304 98428", "%d %d", id[100], id[149]);
	is("window: highest index", ctl(0, MSG_INFO, &(struct msginfo){ 0 }),
	   "124");
	for (int i = 0; i < 150; i++)
		drop(id[i]);
	says("window: empty again", totals(), "0 0 0");
}

static void keys_as_nobody(int id)
{
	(void)id;
	is("get: nobody, no bits", get(KEY, 0) >= 0, "1");
	is("get: nobody, 0400", get(KEY, 0400), "EACCES");
	is("get: nobody, 0004", get(KEY, 0004), "EACCES");
	is("get: nobody, 0040", get(KEY, 0040), "EACCES");
	is("get: nobody, 0200", get(KEY, 0200), "EACCES");
	is("get: nobody, 0600", get(KEY, 0600), "EACCES");
	is("get: nobody, exists before permission",
	   get(KEY, IPC_CREAT | IPC_EXCL | 0600), "EEXIST");
	is("get: nobody, create what exists", get(KEY, IPC_CREAT | 0600),
	   "EACCES");
}

static void keys(void)
{
	int id, other;

	is("get: no key", get(KEY, 0), "ENOENT");
	is("get: no key, IPC_EXCL", get(KEY, IPC_EXCL | 0600), "ENOENT");
	id = get(KEY, IPC_CREAT | 0640);
	is("get: create", id >= 0, "1");
	is("get: again", get(KEY, 0) == id, "1");
	is("get: again, IPC_CREAT", get(KEY, IPC_CREAT | 0640) == id, "1");
	is("get: again, IPC_EXCL", get(KEY, IPC_EXCL) == id, "1");
	is("get: again, both", get(KEY, IPC_CREAT | IPC_EXCL | 0640), "EEXIST");
	is("get: more bits than it has, as root", get(KEY, 0777) == id, "1");
	as_nobody(keys_as_nobody, id);
	other = get(KEY + 1, IPC_CREAT | IPC_EXCL | 0600);
	is("get: another key", other >= 0 && other != id, "1");
	drop(id);
	is("get: removed key", get(KEY, 0), "ENOENT");
	is("get: other key stays", get(KEY + 1, 0) == other, "1");
	drop(other);
	id = get(IPC_PRIVATE, IPC_CREAT | IPC_EXCL | 0600);
	other = get(IPC_PRIVATE, IPC_CREAT | IPC_EXCL | 0600);
	is("get: private twice", id >= 0 && other >= 0 && id != other, "1");
	drop(id);
	drop(other);
}

static void mode_zero_as_nobody(int id)
{
	(void)id;
	is("get: mode 0, 0400", get(KEY, 0400), "EACCES");
	is("get: mode 0, 0200", get(KEY, 0200), "EACCES");
	is("get: mode 0, 0600", get(KEY, 0600), "EACCES");
}

static void fresh(void)
{
	time_t before = time(NULL);
	int id = get(KEY, IPC_CREAT | 0xfe00 | 0640);
	struct msqid_ds ds = stat_of(id);

	is("fresh: mode", ds.msg_perm.mode, "416");
	is("fresh: key", ds.msg_perm.__key == KEY, "1");
	is("fresh: seq is the id's", ds.msg_perm.__seq == id >> 15, "1");
	is("fresh: owners",
	   ds.msg_perm.uid == geteuid() && ds.msg_perm.cuid == geteuid() &&
		   ds.msg_perm.gid == getegid() &&
		   ds.msg_perm.cgid == getegid(),
	   "1");
	is("fresh: ctime",
	   ds.msg_ctime >= before - 1 && ds.msg_ctime <= time(NULL), "1");
	is("fresh: stime", ds.msg_stime, "0");
	is("fresh: rtime", ds.msg_rtime, "0");
	is("fresh: lspid", ds.msg_lspid, "0");
	is("fresh: lrpid", ds.msg_lrpid, "0");
	is("fresh: qbytes", (long)ds.msg_qbytes, "16384");
	says("fresh: filling", filling(id), "0 0");
	drop(id);
	id = get(KEY, IPC_CREAT);
	is("fresh: no mode", stat_of(id).msg_perm.mode, "0");
	as_nobody(mode_zero_as_nobody, id);
	drop(id);
}

static void limits(void)
{
	int a, b;

	is("limit: msgmax", get_limit("msgmax"), "8192");
	is("limit: msgmnb", get_limit("msgmnb"), "16384");
	is("limit: msgmni", get_limit("msgmni"), "32000");
	is("limit: msg_next_id", get_limit("msg_next_id") == -1, "1");
	is("limit: msgmax -1", set_limit("msgmax", -1), "EINVAL");
	is("limit: msgmax 2^31", set_limit("msgmax", 1l << 31), "EINVAL");
	is("limit: msgmax largest", set_limit("msgmax", INT_MAX), "0");
	is("limit: msgmax reads back", get_limit("msgmax"), "2147483647");
	is("limit: msgmax 0", set_limit("msgmax", 0), "0");
	set_limit("msgmax", 8192);
	is("limit: msgmnb -1", set_limit("msgmnb", -1), "EINVAL");
	is("limit: msgmnb 2^31", set_limit("msgmnb", 1l << 31), "EINVAL");
	is("limit: msgmnb 1000", set_limit("msgmnb", 1000), "0");
	a = new_queue();
	is("limit: msgmnb of a new queue", (long)stat_of(a).msg_qbytes, "1000");
	set_limit("msgmnb", 16384);
	is("limit: msgmnb of an old queue", (long)stat_of(a).msg_qbytes,
	   "1000");
	is("limit: msgmni -1", set_limit("msgmni", -1), "EINVAL");
	is("limit: msgmni 32769", set_limit("msgmni", 32769), "EINVAL");
	is("limit: msgmni 32768", set_limit("msgmni", 32768), "0");
	is("limit: msgmni 2", set_limit("msgmni", 2), "0");
	b = get(KEY, IPC_CREAT | 0600);
	is("limit: up to msgmni", b >= 0, "1");
	is("limit: over msgmni", get(IPC_PRIVATE, 0600), "ENOSPC");
	is("limit: over msgmni, by key", get(KEY + 1, IPC_CREAT | 0600),
	   "ENOSPC");
	is("limit: over msgmni, existing key", get(KEY, IPC_CREAT | 0600) == b,
	   "1");
	is("limit: msgmni 0", set_limit("msgmni", 0), "0");
	is("limit: nothing is removed",
	   ctl(a, IPC_STAT, &(struct msqid_ds){ 0 }), "0");
	set_limit("msgmni", 32000);
	drop(a);
	drop(b);
}

static void next_id(void)
{
	int before = new_queue(), a, b, c;

	is("next id: -1", set_limit("msg_next_id", -1), "EINVAL");
	is("next id: 2^31", set_limit("msg_next_id", 1l << 31), "EINVAL");
	is("next id: 70000", set_limit("msg_next_id", 70000), "0");
	is("next id: reads back", get_limit("msg_next_id"), "70000");
	is("next id: it is", a = new_queue(), "70000");
	is("next id: only once", get_limit("msg_next_id") == -1, "1");
	set_limit("msg_next_id", 70000);
	is("next id: busy", b = new_queue(), "70001");
	c = new_queue();
	is("next id: the turn goes on", c == before + 1, "1");
	set_limit("msg_next_id", INT_MAX);
	drop(a);
	a = new_queue();
	is("next id: largest", a, "2147483647");
	set_limit("msg_next_id", 70001);
	is("next id: not for an existing key", get(KEY, 0), "ENOENT");
	is("next id: still there", get_limit("msg_next_id"), "70001");
	drop(b);
	is("next id: now", b = get(KEY, IPC_CREAT | 0600), "70001");
	drop(a);
	drop(b);
	drop(c);
	drop(before);
}

void parity_get(void)
{
	ids();
	window();
	keys();
	fresh();
	limits();
	next_id();
	says("get: all gone", totals(), "0 0 0");
}
