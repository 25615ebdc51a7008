/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernfuse ipc: namespaces for message queues. One section for each .c file.
 */
#ifndef FS_CLI_IPC_H
#define FS_CLI_IPC_H

#include <limits.h>
#include <stdbool.h>

#include "fs/ipc/msg.h"

/* --- ipc.c --- */

/* argv[0] is "ipc". Return: exit status. */
int kf_ipc(int argc, char **argv);

/* A file name, and none that a tree or a listing would hide. */
bool kf_ipc_is_name(const char *name);

/* --- ipc_list.c --- */

int kf_ipc_ls(int argc, char **argv);
int kf_ipc_rm(int argc, char **argv);

/* --- ipc_run.c --- */

/* Exit statuses besides the command's, those of env(1) and nohup(1). */
enum kf_ipc_exit {
	KF_IPC_EXIT_FAILED = 125,
	KF_IPC_EXIT_CANNOT = 126,
	KF_IPC_EXIT_NOT_FOUND = 127,
};

/* Does not return if the command could be started. */
int kf_ipc_run(int argc, char **argv);

/* --- ipc_named.c: namespaces of this user's that have a name --- */

/*
 * The namespace @name, made if it is not there. @ret_path: its region's, of
 * PATH_MAX bytes. Return: 0; -errno.
 */
int kf_ipc_named(const char *name, const struct ipc_params *params,
		 struct ipc_namespace **ret_ns, char *ret_path);

/* --- ipc_tree.c: namespaces of a mounted tree --- */

/*
 * The namespace @name of the tree at @mountpoint, made if it is not there. Its
 * file "ns" stays open, over exec(), which holds it in the tree. Return: 0;
 * -1, and the error was told.
 */
int kf_ipc_tree(const char *mountpoint, const char *name,
		struct ipc_namespace **ret_ns, char *ret_path);

#endif /* FS_CLI_IPC_H */
