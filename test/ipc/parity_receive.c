/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* msgrcv without sleeping: what is chosen, sizes, MSG_COPY. */
#include "test/ipc/parity.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* Receives and says which: its type, or the error. */
static void takes(const char *name, int id, long type, int flg,
		  const char *expected)
{
	ssize_t ret = take(id, 100, type, flg);

	is(name, ret < 0 ? ret : taken.type, expected);
}

static int filled(const long *types, size_t nr)
{
	int id = new_queue();

	for (size_t i = 0; i < nr; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%zu", i);
		put(id, types[i], text);
	}
	return id;
}

static void types(void)
{
	static const long some[] = { 5, 3, 9, 3, 1 };
	int id = filled(some, NR(some));

	takes("type: -4, first", id, -4, 0, "1");
	takes("type: -4, second", id, -4, 0, "3");
	says("type: the older one", taken.text, "1");
	takes("type: -4, third", id, -4, 0, "3");
	says("type: the younger one", taken.text, "3");
	takes("type: -4, none", id, -4, 0, "ENOMSG");
	takes("type: -5", id, -5, 0, "5");
	takes("type: LONG_MIN", id, LONG_MIN, 0, "9");
	takes("type: LONG_MIN, none", id, LONG_MIN, 0, "ENOMSG");
	drop(id);

	id = filled(some, NR(some));
	takes("type: 0", id, 0, 0, "5");
	takes("type: 3", id, 3, 0, "3");
	says("type: 3, the older one", taken.text, "1");
	takes("type: 4", id, 4, 0, "ENOMSG");
	takes("type: not 9", id, 9, MSG_EXCEPT, "3");
	takes("type: not 9, again", id, 9, MSG_EXCEPT, "1");
	takes("type: not 9, none", id, 9, MSG_EXCEPT, "ENOMSG");
	takes("type: 0, EXCEPT ignored", id, 0, MSG_EXCEPT, "9");
	takes("type: 0, empty", id, 0, 0, "ENOMSG");
	drop(id);

	id = filled(some, NR(some));
	takes("type: -3, EXCEPT ignored", id, -3, MSG_EXCEPT, "1");
	takes("type: -1, none", id, -1, 0, "ENOMSG");
	takes("type: -1, EXCEPT, none", id, -1, MSG_EXCEPT, "ENOMSG");
	put(id, LONG_MAX, "max");
	takes("type: LONG_MAX", id, LONG_MAX, 0, "9223372036854775807");
	put(id, 121, "a");
	takes("type: -120", id, -2, 0, "ENOMSG");
	takes("type: -121 of a 121", id, -121, 0, "3");
	drop(id);
}

static void sizes(void)
{
	int id = new_queue();

	put(id, 1, "hello");
	is("size: too small", take(id, 4, 0, 0), "E2BIG");
	says("size: it stays", filling(id), "1 5");
	is("size: size 0", take(id, 0, 0, 0), "E2BIG");
	is("size: cut", take(id, 4, 0, MSG_NOERROR), "4");
	says("size: text", taken.text, "hell");
	says("size: the rest is lost", filling(id), "0 0");
	put(id, 1, "hello");
	is("size: cut to nothing", take(id, 0, 0, MSG_NOERROR), "0");
	is("size: type comes all the same", taken.type, "1");
	says("size: totals", totals(), "1 0 0");
	put(id, 1, "long");
	put(id, 2, "s");
	is("size: by type only", take(id, 2, -2, 0), "E2BIG");
	says("size: both stay", filling(id), "2 5");
	is("size: exactly", take(id, 4, 1, 0), "4");
	take(id, 1, 2, 0);
	put(id, 1, "");
	is("size: no text", take(id, 100, 0, 0), "0");
	is("size: negative", take(id, (size_t)-1, 0, 0), "EINVAL");
	is("size: LONG_MAX", take(id, LONG_MAX, 0, 0), "ENOMSG");
	drop(id);
}

static void order_as_nobody(int id)
{
	is("receive: nobody", take(id, 100, 0, 0), "EACCES");
	is("receive: nobody, nothing there", take(id, 100, 99, 0), "EACCES");
	is("receive: nobody, size -1", take(id, (size_t)-1, 0, 0), "EINVAL");
	is("receive: nobody, copy", take(id, 100, 0, MSG_COPY), "EACCES");
}

static void order(void)
{
	int id = new_queue(), gone = new_queue();

	drop(gone);
	put(id, 1, "x");
	is("receive: id -1", take(-1, 100, 0, 0), "EINVAL");
	is("receive: removed queue", take(gone, 100, 0, 0), "EINVAL");
	is("receive: no such queue", take(20000, 100, 0, 0), "EINVAL");
	as_nobody(order_as_nobody, id);
	is("receive: NULL", rcv(id, NULL, 100, 0, IPC_NOWAIT), "EFAULT");
	says("receive: NULL, it is lost", filling(id), "0 0");
	says("receive: NULL, totals", totals(), "1 0 0");
	is("receive: NULL, lrpid", stat_of(id).msg_lrpid == getpid(), "1");
	is("receive: NULL, nothing there", rcv(id, NULL, 100, 0, IPC_NOWAIT),
	   "ENOMSG");
	put(id, 1, "");
	is("receive: NULL, no text", rcv(id, NULL, 0, 0, IPC_NOWAIT), "EFAULT");
	put(id, 1, "x");
	is("receive: no user address",
	   rcv(id, (void *)-4096l, 100, 0, IPC_NOWAIT), "EFAULT");
	says("receive: it is lost, too", filling(id), "0 0");
	drop(id);
}

static void marks(void)
{
	int id = new_queue();
	time_t before = time(NULL);
	struct msqid_ds ds;

	put(id, 3, "hello");
	is("received: nothing of that type", take(id, 100, 4, 0), "ENOMSG");
	is("received: too big", take(id, 1, 3, 0), "E2BIG");
	is("received: failures leave no trace", stat_of(id).msg_lrpid, "0");
	is("received: nor a time", stat_of(id).msg_rtime, "0");
	is("received: bytes", take(id, 100, 0, 0), "5");
	says("received: text", taken.text, "hello");
	is("received: type", taken.type, "3");
	ds = stat_of(id);
	is("received: lrpid", ds.msg_lrpid == getpid(), "1");
	is("received: rtime",
	   ds.msg_rtime >= before - 1 && ds.msg_rtime <= time(NULL), "1");
	says("received: filling", filling(id), "0 0");
	drop(id);
}

static void copies(void)
{
	static const long some[] = { 5, 3, 9 };
	int id = filled(some, NR(some));

	is("copy: without IPC_NOWAIT", rcv(id, &taken, 100, 0, MSG_COPY),
	   "EINVAL");
	is("copy: with EXCEPT", take(id, 100, 0, MSG_COPY | MSG_EXCEPT),
	   "EINVAL");
	is("copy: argument before queue",
	   take(20000, 100, 0, MSG_COPY | MSG_EXCEPT), "EINVAL");
	is("copy: no such queue", take(20000, 100, 0, MSG_COPY), "EINVAL");
	takes("copy: first", id, 0, MSG_COPY, "5");
	says("copy: first text", taken.text, "0");
	takes("copy: second", id, 1, MSG_COPY, "3");
	takes("copy: third", id, 2, MSG_COPY, "9");
	takes("copy: fourth", id, 3, MSG_COPY, "ENOMSG");
	takes("copy: minus one", id, -1, MSG_COPY, "ENOMSG");
	takes("copy: LONG_MAX", id, LONG_MAX, MSG_COPY, "ENOMSG");
	says("copy: all stay", filling(id), "3 3");
	is("copy: no lrpid", stat_of(id).msg_lrpid, "0");
	is("copy: no rtime", stat_of(id).msg_rtime, "0");
	says("copy: totals", totals(), "1 3 3");
	is("copy: NULL", rcv(id, NULL, 100, 0, MSG_COPY | IPC_NOWAIT),
	   "EFAULT");
	is("copy: NULL before lookup",
	   rcv(20000, NULL, 100, 0, MSG_COPY | IPC_NOWAIT), "EFAULT");
	says("copy: none is lost", filling(id), "3 3");
	takes("copy: then receive", id, 0, 0, "5");
	takes("copy: first now", id, 0, MSG_COPY, "3");
	put(id, 4, "hello");
	is("copy: too small", take(id, 4, 2, MSG_COPY), "E2BIG");
	is("copy: too small, NOERROR", take(id, 4, 2, MSG_COPY | MSG_NOERROR),
	   "EINVAL");
	is("copy: exactly", take(id, 5, 2, MSG_COPY | MSG_NOERROR), "5");
	set_limit("msgmax", 3);
	is("copy: larger than msgmax", take(id, 100, 2, MSG_COPY), "EINVAL");
	is("copy: smaller", take(id, 100, 0, MSG_COPY), "1");
	set_limit("msgmax", 8192);
	drop(id);
	id = new_queue();
	takes("copy: empty queue", id, 0, MSG_COPY, "ENOMSG");
	is("copy: empty, no buffer", rcv(id, NULL, 0, 0, MSG_COPY | IPC_NOWAIT),
	   "ENOMSG");
	drop(id);
}

void parity_receive(void)
{
	types();
	sizes();
	order();
	marks();
	copies();
	says("receive: all gone", totals(), "0 0 0");
}
