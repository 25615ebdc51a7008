/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everything a user of the tree needs. */
#ifndef KERNFUSE_KERNFS_H
#define KERNFUSE_KERNFS_H

#include <kernfuse/caller.h>
#include <kernfuse/err.h>
#include <kernfuse/export.h>
#include <kernfuse/file.h>
#include <kernfuse/inode.h>
#include <kernfuse/locking.h>
#include <kernfuse/node.h>
#include <kernfuse/poll.h>
#include <kernfuse/root.h>
#include <kernfuse/seq_file.h>
#include <kernfuse/types.h>
#include <kernfuse/version.h>
#include <kernfuse/xattr.h>

#endif /* KERNFUSE_KERNFS_H */
