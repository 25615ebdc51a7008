/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two that parity.c compares. All return -errno. */
#ifndef TEST_IPC_BACKEND_H
#define TEST_IPC_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct backend {
	bool must_be_right;
	int (*get)(key_t key, int flg);
	int (*snd)(int id, const void *msgp, size_t size, int flg);
	ssize_t (*rcv)(int id, void *msgp, size_t size, long type, int flg);
	int (*ctl)(int id, int cmd, void *buf);
	int (*set_limit)(const char *name, long value);
	long (*get_limit)(const char *name);
	char *(*table)(void);
};

/* A fresh namespace each; NULL after a line that says why not. */
const struct backend *backend_kernel(void);
const struct backend *backend_ours(void);

/* Zeroed memory that children share. */
void *backend_shared(size_t size);

#endif /* TEST_IPC_BACKEND_H */
