/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NAME/msg: totals, limits and the table of one namespace.
 *
 * Everything is read from the region when somebody reads the file; nothing is
 * kept here.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "fs/ipctree/ipctree-internal.h"

static struct ipc_namespace *ns_of(const struct seq_file *sf)
{
	const struct ipc_dir *dir = ipc_file_priv(sf);

	return dir->ns;
}

/* --- totals --- */

static int show_hdrs(struct seq_file *sf, void *v)
{
	struct ipc_totals t;
	int err = ipc_get_totals(ns_of(sf), &t);

	(void)v;
	if (err)
		return err;
	seq_printf(sf, "%" PRId64 "\n", t.msg_hdrs);
	return 0;
}

static int show_bytes(struct seq_file *sf, void *v)
{
	struct ipc_totals t;
	int err = ipc_get_totals(ns_of(sf), &t);

	(void)v;
	if (err)
		return err;
	seq_printf(sf, "%" PRId64 "\n", t.msg_bytes);
	return 0;
}

static int show_queues(struct seq_file *sf, void *v)
{
	struct ipc_totals t;
	int err = ipc_get_totals(ns_of(sf), &t);

	(void)v;
	if (err)
		return err;
	seq_printf(sf, "%d\n", t.queues);
	return 0;
}

static const char *counters_name(const struct ipc_namespace *ns)
{
	return ipc_ns_counters(ns) == IPC_COUNTERS_ATOMIC ? "atomic" : "percpu";
}

static int show_stat(struct seq_file *sf, void *v)
{
	struct ipc_namespace *ns = ns_of(sf);
	struct ipc_limits limits;
	struct ipc_memory memory;
	struct ipc_totals t;
	int err = ipc_get_totals(ns, &t);

	(void)v;
	if (!err)
		err = ipc_get_memory(ns, &memory);
	if (err)
		return err;
	ipc_get_limits(ns, &limits);
	seq_printf(sf, "msg_hdrs %" PRId64 "\n", t.msg_hdrs);
	seq_printf(sf, "msg_bytes %" PRId64 "\n", t.msg_bytes);
	seq_printf(sf, "queues %d\n", t.queues);
	seq_printf(sf, "msgmax %d\n", limits.msgmax);
	seq_printf(sf, "msgmnb %d\n", limits.msgmnb);
	seq_printf(sf, "msgmni %d\n", limits.msgmni);
	seq_printf(sf, "msg_next_id %d\n", limits.msg_next_id);
	seq_printf(sf, "counters %s\n", counters_name(ns));
	seq_printf(sf, "region_bytes %" PRIu64 "\n", memory.used);
	seq_printf(sf, "region_limit %" PRIu64 "\n", memory.limit);
	seq_printf(sf, "recoveries %" PRIu64 "\n", t.recoveries);
	return 0;
}

static int show_table(struct seq_file *sf, void *v)
{
	ssize_t len;
	char *text;

	(void)v;
	len = ipc_proc_sysvipc_msg(ns_of(sf), &text);
	if (len < 0)
		return (int)len;
	seq_write(sf, text, (size_t)len);
	free(text);
	return 0;
}

/* --- limits --- */

static int show_msgmax(struct seq_file *sf, void *v)
{
	struct ipc_limits limits;

	(void)v;
	ipc_get_limits(ns_of(sf), &limits);
	seq_printf(sf, "%d\n", limits.msgmax);
	return 0;
}

static int show_msgmnb(struct seq_file *sf, void *v)
{
	struct ipc_limits limits;

	(void)v;
	ipc_get_limits(ns_of(sf), &limits);
	seq_printf(sf, "%d\n", limits.msgmnb);
	return 0;
}

static int show_msgmni(struct seq_file *sf, void *v)
{
	struct ipc_limits limits;

	(void)v;
	ipc_get_limits(ns_of(sf), &limits);
	seq_printf(sf, "%d\n", limits.msgmni);
	return 0;
}

/* A number and at most blanks behind it, as the kernel's sysctls want it. */
static ssize_t store_limit(const struct kernfs_open_file *of, const char *buf,
			   size_t bytes, enum ipc_limit which)
{
	const struct ipc_dir *dir = kernfs_priv(of->kn);
	char *end;
	long value;
	int err;

	errno = 0;
	value = strtol(buf, &end, 10);
	if (errno || end == buf)
		return -EINVAL;
	while (*end == ' ' || *end == '\n' || *end == '\t')
		end++;
	if (end != buf + bytes)
		return -EINVAL;
	err = ipc_set_limit(dir->ns, which, value);
	return err ? err : (ssize_t)bytes;
}

static ssize_t store_msgmax(struct kernfs_open_file *of, char *buf,
			    size_t bytes, off_t off)
{
	(void)off;
	return store_limit(of, buf, bytes, IPC_LIMIT_MSGMAX);
}

static ssize_t store_msgmnb(struct kernfs_open_file *of, char *buf,
			    size_t bytes, off_t off)
{
	(void)off;
	return store_limit(of, buf, bytes, IPC_LIMIT_MSGMNB);
}

static ssize_t store_msgmni(struct kernfs_open_file *of, char *buf,
			    size_t bytes, off_t off)
{
	(void)off;
	return store_limit(of, buf, bytes, IPC_LIMIT_MSGMNI);
}

/* --- the directory --- */

#define RO(show_) { .seq_show = show_ }
#define RW(show_, store_) { .seq_show = show_, .write = store_ }

static const struct kernfs_ops hdrs_ops = RO(show_hdrs);
static const struct kernfs_ops bytes_ops = RO(show_bytes);
static const struct kernfs_ops queues_ops = RO(show_queues);
static const struct kernfs_ops stat_ops = RO(show_stat);
static const struct kernfs_ops table_ops = RO(show_table);
static const struct kernfs_ops msgmax_ops = RW(show_msgmax, store_msgmax);
static const struct kernfs_ops msgmnb_ops = RW(show_msgmnb, store_msgmnb);
static const struct kernfs_ops msgmni_ops = RW(show_msgmni, store_msgmni);

static const struct ipc_file msg_files[] = {
	{ "msg_bytes", 0444, &bytes_ops },  { "msg_hdrs", 0444, &hdrs_ops },
	{ "msgmax", 0644, &msgmax_ops },    { "msgmnb", 0644, &msgmnb_ops },
	{ "msgmni", 0644, &msgmni_ops },    { "queues", 0444, &queues_ops },
	{ "stat", 0444, &stat_ops },	    { "sysvipc", 0444, &table_ops },
};

int ipc_create_msg(struct kernfs_node *kn, struct ipc_dir *dir)
{
	struct kernfs_node *msg;
	int err;

	msg = kernfs_create_dir_ns(kn, "msg", 0755, dir->uid, dir->gid, dir,
				   NULL);
	if (IS_ERR(msg))
		return (int)PTR_ERR(msg);
	err = ipc_create_files(msg, msg_files,
			       sizeof(msg_files) / sizeof(*msg_files),
			       dir->uid, dir->gid, dir);
	return err ? err : ipc_create_queue_dir(msg, dir);
}
