/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * send and receive: a queue for shells.
 *
 *	echo "1 hello" > .../queue/0/send
 *	cat .../queue/0/receive
 *
 * One write is one message, "TYPE TEXT", less one newline at the end. A read
 * at offset 0 takes the first message and gives "TYPE TEXT\n"; reads that go
 * on from there give its rest and then end, so that cat(1) prints one message.
 * Opened with O_NONBLOCK both fail with EAGAIN where they would wait. Who may
 * is decided by the queue, for each message.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs/ipctree/ipctree-internal.h"

/* As the calls of sys/msg.h want it. */
struct message {
	long type;
	char text[];
};

/* --- send --- */

/* Where the text begins; NULL: there is no type. */
static const char *parse_type(const char *buf, long *ret_type)
{
	char *end;

	errno = 0;
	*ret_type = strtol(buf, &end, 10);
	if (errno || end == buf || (*end && *end != ' ' && *end != '\n'))
		return NULL;
	return *end == ' ' ? end + 1 : end;
}

static ssize_t send_text(struct kernfs_open_file *of, char *buf, size_t bytes,
			 off_t off)
{
	const struct ipc_queue_dir *q = kernfs_priv(of->kn);
	const char *text, *end = buf + bytes;
	struct message *m;
	struct ipc_cred cred;
	long type;
	int err;

	(void)off;
	text = parse_type(buf, &type);
	if (!text)
		return -EINVAL;
	if (end > text && end[-1] == '\n')
		end--;
	m = malloc(sizeof(*m) + (size_t)(end - text));
	if (!m)
		return -ENOMEM;
	m->type = type;
	memcpy(m->text, text, (size_t)(end - text));
	ipc_current_cred(&cred);
	err = ksys_msgsnd(q->dir->ns, &cred, q->id, m, (size_t)(end - text),
			  of->flags & O_NONBLOCK ? IPC_NOWAIT : 0);
	free(m);
	return err ? err : (ssize_t)bytes;
}

const struct kernfs_ops ipc_send_ops = {
	.write = send_text,
	.may_block = true,
	/* type, blank, the longest text a mount passes on, newline */
	.atomic_write_len = 128 * 1024,
};

/* --- receive --- */

/* A long in decimal, blank, newline, NUL. */
#define TYPE_MAX 32

/* The message taken last, as text; of->mutex. */
struct taken {
	size_t len;
	char text[];
};

/* Bytes: of anything that is in the queue, or that comes while we wait. */
static size_t longest_message(const struct ipc_queue_dir *q)
{
	struct ipc_queue_stat st;
	struct ipc_limits limits;
	size_t max;

	ipc_get_limits(q->dir->ns, &limits);
	max = (size_t)limits.msgmax;
	/* msgmax may have been lowered since */
	if (ipc_queue_stat(q->dir->ns, ipc_queue_index(q), &st) == 0 &&
	    st.cbytes > max)
		max = st.cbytes;
	return max;
}

static int take(struct kernfs_open_file *of, const struct ipc_queue_dir *q)
{
	const size_t room = longest_message(q);
	struct message *m = malloc(sizeof(*m) + room);
	struct taken *taken = malloc(sizeof(*taken) + room + TYPE_MAX);
	struct ipc_cred cred;
	ssize_t len = -ENOMEM;
	int n;

	if (!m || !taken)
		goto out;
	ipc_current_cred(&cred);
	len = ksys_msgrcv(q->dir->ns, &cred, q->id, m, room, 0,
			  of->flags & O_NONBLOCK ? IPC_NOWAIT : 0);
	/* the error of read(2) that means "try again" */
	if (len == -ENOMSG)
		len = -EAGAIN;
	if (len < 0)
		goto out;
	n = snprintf(taken->text, TYPE_MAX, "%ld ", m->type);
	memcpy(taken->text + n, m->text, (size_t)len);
	taken->text[n + len] = '\n';
	taken->len = (size_t)n + (size_t)len + 1;
	free(of->priv);
	of->priv = taken;
	taken = NULL;
	len = 0;
out:
	free(taken);
	free(m);
	return (int)len;
}

static ssize_t receive_text(struct kernfs_open_file *of, char *buf,
			    size_t bytes, off_t off)
{
	const struct taken *taken;
	int err;

	if (off == 0 && bytes) {
		err = take(of, kernfs_priv(of->kn));
		if (err)
			return err;
	}
	taken = of->priv;
	if (!taken || (size_t)off >= taken->len)
		return 0;
	if (bytes > taken->len - (size_t)off)
		bytes = taken->len - (size_t)off;
	memcpy(buf, taken->text + off, bytes);
	return (ssize_t)bytes;
}

static void receive_release(struct kernfs_open_file *of)
{
	free(of->priv);
}

const struct kernfs_ops ipc_receive_ops = {
	.read = receive_text,
	.release = receive_release,
	.may_block = true,
};
