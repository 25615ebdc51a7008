/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernel/ipc/host: the kernel's own SysV queues, as the daemon sees them: those
 * of the IPC namespace it was started in. Reading fails with the kernel's own
 * errno where it has none.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <unistd.h>

#include "fs/ipctree/ipctree-internal.h"

static int host_info(int cmd, struct msginfo *ret)
{
	return msgctl(0, cmd, (struct msqid_ds *)(void *)ret) < 0 ? -errno : 0;
}

static int show_hdrs(struct seq_file *sf, void *v)
{
	struct msginfo info;
	int err = host_info(MSG_INFO, &info);

	(void)v;
	if (!err)
		seq_printf(sf, "%d\n", info.msgmap);
	return err;
}

static int show_bytes(struct seq_file *sf, void *v)
{
	struct msginfo info;
	int err = host_info(MSG_INFO, &info);

	(void)v;
	if (!err)
		seq_printf(sf, "%d\n", info.msgtql);
	return err;
}

static int show_queues(struct seq_file *sf, void *v)
{
	struct msginfo info;
	int err = host_info(MSG_INFO, &info);

	(void)v;
	if (!err)
		seq_printf(sf, "%d\n", info.msgpool);
	return err;
}

static int show_msgmax(struct seq_file *sf, void *v)
{
	struct msginfo info;
	int err = host_info(IPC_INFO, &info);

	(void)v;
	if (!err)
		seq_printf(sf, "%d\n", info.msgmax);
	return err;
}

static int show_msgmnb(struct seq_file *sf, void *v)
{
	struct msginfo info;
	int err = host_info(IPC_INFO, &info);

	(void)v;
	if (!err)
		seq_printf(sf, "%d\n", info.msgmnb);
	return err;
}

static int show_msgmni(struct seq_file *sf, void *v)
{
	struct msginfo info;
	int err = host_info(IPC_INFO, &info);

	(void)v;
	if (!err)
		seq_printf(sf, "%d\n", info.msgmni);
	return err;
}

static int show_stat(struct seq_file *sf, void *v)
{
	struct msginfo used, limits;
	int err = host_info(MSG_INFO, &used);

	(void)v;
	if (!err)
		err = host_info(IPC_INFO, &limits);
	if (err)
		return err;
	seq_printf(sf, "msg_hdrs %d\n", used.msgmap);
	seq_printf(sf, "msg_bytes %d\n", used.msgtql);
	seq_printf(sf, "queues %d\n", used.msgpool);
	seq_printf(sf, "msgmax %d\n", limits.msgmax);
	seq_printf(sf, "msgmnb %d\n", limits.msgmnb);
	seq_printf(sf, "msgmni %d\n", limits.msgmni);
	return 0;
}

static int copy_table(struct seq_file *sf, int fd)
{
	char buf[KERNFS_PAGE_SIZE];
	ssize_t len;

	while ((len = read(fd, buf, sizeof(buf))) > 0)
		seq_write(sf, buf, (size_t)len);
	return len < 0 ? -errno : 0;
}

static int show_table(struct seq_file *sf, void *v)
{
	int fd = open("/proc/sysvipc/msg", O_RDONLY | O_CLOEXEC), err;

	(void)v;
	if (fd < 0)
		return -errno;
	err = copy_table(sf, fd);
	close(fd);
	return err;
}

static const struct kernfs_ops hdrs_ops = { .seq_show = show_hdrs };
static const struct kernfs_ops bytes_ops = { .seq_show = show_bytes };
static const struct kernfs_ops queues_ops = { .seq_show = show_queues };
static const struct kernfs_ops msgmax_ops = { .seq_show = show_msgmax };
static const struct kernfs_ops msgmnb_ops = { .seq_show = show_msgmnb };
static const struct kernfs_ops msgmni_ops = { .seq_show = show_msgmni };
static const struct kernfs_ops stat_ops = { .seq_show = show_stat };
static const struct kernfs_ops table_ops = { .seq_show = show_table };

static const struct ipc_file host_files[] = {
	{ "msg_bytes", 0444, &bytes_ops }, { "msg_hdrs", 0444, &hdrs_ops },
	{ "msgmax", 0444, &msgmax_ops },   { "msgmnb", 0444, &msgmnb_ops },
	{ "msgmni", 0444, &msgmni_ops },   { "queues", 0444, &queues_ops },
	{ "stat", 0444, &stat_ops },	   { "sysvipc", 0444, &table_ops },
};

int ipc_create_host(struct kernfs_node *kn)
{
	struct kernfs_node *host = kernfs_create_dir(kn, "host", 0755, NULL);
	struct kernfs_node *msg;

	if (IS_ERR(host))
		return (int)PTR_ERR(host);
	msg = kernfs_create_dir(host, "msg", 0755, NULL);
	if (IS_ERR(msg))
		return (int)PTR_ERR(msg);
	return ipc_create_files(msg, host_files,
				sizeof(host_files) / sizeof(*host_files), 0, 0,
				NULL);
}
