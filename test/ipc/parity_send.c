/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* msgsnd: the order of its tests, what fits, what changes. */
#include "test/ipc/parity.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int send_type(int id, long type, size_t size)
{
	static struct message m;

	m.type = type;
	return snd(id, &m, size, IPC_NOWAIT);
}

static void order_as_nobody(int id)
{
	is("send: nobody, too big", send_type(id, 1, 8193), "EINVAL");
	is("send: nobody, type 0", send_type(id, 0, 1), "EINVAL");
	is("send: nobody, no permission", send_type(id, 1, 1), "EACCES");
	is("send: nobody, no permission, full or not", send_type(id, 1, 0),
	   "EACCES");
}

static void order(void)
{
	int id = new_queue(), gone = new_queue();

	drop(gone);
	is("send: NULL", snd(id, NULL, 1, 0), "EFAULT");
	is("send: NULL before bad id", snd(-1, NULL, 1, 0), "EFAULT");
	is("send: NULL before too big", snd(id, NULL, 8193, 0), "EFAULT");
	is("send: no user address", snd(id, (void *)-4096l, 1, 0), "EFAULT");
	is("send: too big", send_type(id, 1, 8193), "EINVAL");
	is("send: as big as allowed", send_type(id, 1, 8192), "0");
	take(id, 8192, 0, 0);
	is("send: size -1", send_type(id, 1, (size_t)-1), "EINVAL");
	is("send: size LONG_MIN", send_type(id, 1, (size_t)LONG_MIN), "EINVAL");
	is("send: id -1", send_type(-1, 1, 1), "EINVAL");
	is("send: type 0", send_type(id, 0, 1), "EINVAL");
	is("send: type -1", send_type(id, -1, 1), "EINVAL");
	is("send: type LONG_MIN", send_type(id, LONG_MIN, 1), "EINVAL");
	is("send: type LONG_MAX", send_type(id, LONG_MAX, 1), "0");
	is("send: removed queue", send_type(gone, 1, 1), "EINVAL");
	is("send: no such queue", send_type(20000, 1, 1), "EINVAL");
	is("send: type before queue", send_type(gone, 0, 1), "EINVAL");
	as_nobody(order_as_nobody, id);
	is("send: failures leave no trace", stat_of(id).msg_lspid == getpid(),
	   "1");
	drop(id);
}

static void flags(void)
{
	int id = new_queue();
	struct message *m = calloc(1, sizeof(*m));

	m->type = 1;
	is("send: unknown flags", snd(id, m, 1, 0x7ffff000), "0");
	is("send: flags of others",
	   snd(id, m, 1, MSG_NOERROR | IPC_CREAT | 0777), "0");
	says("send: filling", filling(id), "2 2");
	free(m);
	drop(id);
}

static void room(void)
{
	int id = new_queue();
	int n = 0;

	is("room: half", put_size(id, 1, 8192), "0");
	is("room: one byte too many", put_size(id, 1, 8192 - 1 + 0), "0");
	is("room: full but one, 2", put_size(id, 1, 2), "EAGAIN");
	is("room: full but one, 1", put_size(id, 1, 1), "0");
	is("room: full, 1", put_size(id, 1, 1), "EAGAIN");
	is("room: full, 0", put_size(id, 1, 0), "0");
	says("room: filling", filling(id), "4 16384");
	drop(id);

	id = new_queue();
	while (put_size(id, 1, 0) == 0)
		n++;
	is("room: messages without text", n, "16384");
	is("room: one more", put_size(id, 1, 0), "EAGAIN");
	says("room: totals then", totals(), "1 16384 0");
	is("room: take one", take(id, 0, 0, 0), "0");
	is("room: put one", put_size(id, 1, 0), "0");
	is("room: put text", put_size(id, 1, 1), "EAGAIN");
	drop(id);
	says("room: totals after", totals(), "0 0 0");

	id = new_queue();
	is("room: qbytes 0", set_qbytes(id, 0), "0");
	is("room: qbytes 0, no text", put_size(id, 1, 0), "EAGAIN");
	set_qbytes(id, 100);
	is("room: larger than the queue", put_size(id, 1, 101), "EAGAIN");
	is("room: as large", put_size(id, 1, 100), "0");
	set_qbytes(id, 50);
	says("room: overfull", filling(id), "1 100");
	is("room: overfull, no text", put_size(id, 1, 0), "EAGAIN");
	take(id, 100, 0, 0);
	set_qbytes(id, 3);
	for (int i = 0; i < 3; i++)
		put_size(id, 1, 0);
	is("room: as many messages as bytes", put_size(id, 1, 0), "EAGAIN");
	drop(id);
}

static void marks(void)
{
	int id = new_queue();
	time_t before = time(NULL);
	struct msqid_ds ds;

	put(id, 7, "hello");
	ds = stat_of(id);
	is("sent: lspid", ds.msg_lspid == getpid(), "1");
	is("sent: stime",
	   ds.msg_stime >= before - 1 && ds.msg_stime <= time(NULL), "1");
	is("sent: lrpid", ds.msg_lrpid, "0");
	is("sent: rtime", ds.msg_rtime, "0");
	says("sent: filling", filling(id), "1 5");
	says("sent: totals", totals(), "1 1 5");
	set_limit("msgmax", 4);
	is("sent: msgmax is read each time", put(id, 1, "hello"), "EINVAL");
	is("sent: what is there stays", take(id, 100, 0, 0), "5");
	set_limit("msgmax", 20000);
	set_qbytes(id, 16384);
	is("sent: larger msgmax", put_size(id, 1, 16384), "0");
	is("sent: over the queue", put_size(id, 1, 20000), "EAGAIN");
	is("sent: received", take(id, 20000, 0, 0), "16384");
	set_limit("msgmax", 8192);
	drop(id);
}

void parity_send(void)
{
	order();
	flags();
	room();
	marks();
	says("send: all gone", totals(), "0 0 0");
}
