/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of test/parity/parityd share: a daemon that serves a tree with
 * hooks, for comparison with a file system of the kernel's that has the same.
 */
#ifndef TEST_PARITY_PARITYD_H
#define TEST_PARITY_PARITYD_H

#include <stddef.h>

#include <kernfuse/kernfs.h>

struct template_file {
	const char *name;
	mode_t mode;
	const char *text; /* "" if it cannot be read */
};

/* The files of a directory of the kernel's: what ours will have, too. */
extern struct template_file template_files[];
extern size_t nr_template_files;

/* Ends the program. */
void die(const char *what);

/* NULL: it failed. */
struct kernfs_root *cgroup_create(void);
struct kernfs_root *device_create(const char *path);

#endif /* TEST_PARITY_PARITYD_H */
