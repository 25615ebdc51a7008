/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The requests of kernfuse-floor, answered straight from the array: what is
 * left is the cost of FUSE and libfuse themselves.
 *
 * The replies carry what kernfuse's do: zero timeouts, so that every walk
 * comes here, and direct I/O without flush. No state changes, so no locks.
 */
#define FUSE_USE_VERSION 314

#include "floor.h"

#include <errno.h>
#include <fuse_lowlevel.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in fs/fuse/session.c: bytes of the longest write, requests at once. */
#define MAX_WRITE (128 * 1024)
#define MAX_BACKGROUND 64

static const struct floor_tree *tree; /* set before the loop, then read only */

void floor_ops_serve(const struct floor_tree *served)
{
	tree = served;
}

static const struct floor_node *node_of(fuse_ino_t ino)
{
	return &tree->nodes[ino - FUSE_ROOT_ID];
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->max_write = MAX_WRITE;
	conn->max_background = MAX_BACKGROUND;
	conn->congestion_threshold = MAX_BACKGROUND * 3 / 4;
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	uint32_t index =
		floor_tree_find(tree, (uint32_t)parent - FUSE_ROOT_ID, name);
	struct fuse_entry_param entry = { 0 };

	if (!index) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	entry.ino = index + FUSE_ROOT_ID;
	entry.attr = tree->nodes[index].st;
	fuse_reply_entry(req, &entry);
}

static void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup)
{
	(void)ino;
	(void)nlookup;
	fuse_reply_none(req);
}

static void op_forget_multi(fuse_req_t req, size_t count,
			    struct fuse_forget_data *forgets)
{
	(void)count;
	(void)forgets;
	fuse_reply_none(req);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi)
{
	(void)fi;
	fuse_reply_attr(req, &node_of(ino)->st, 0);
}

static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr,
		       int to_set, struct fuse_file_info *fi)
{
	(void)attr;
	(void)to_set;
	op_getattr(req, ino, fi);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	const struct floor_node *node = node_of(ino);

	if (node->data)
		fuse_reply_readlink(req, node->data);
	else
		fuse_reply_err(req, node->read_error);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	fi->direct_io = 1;
	fi->noflush = 1;
	fuse_reply_open(req, fi);
}

static void reply_upcalls(fuse_req_t req, size_t size, off_t off)
{
	char text[24];
	size_t len = (size_t)snprintf(text, sizeof(text), "%" PRIu64 "\n",
				      floor_io_upcalls());

	if (off > 0 || size < len)
		len = 0;
	fuse_reply_buf(req, text, len);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	const struct floor_node *node = node_of(ino);

	(void)fi;
	if (node->kind == FLOOR_UPCALLS) {
		reply_upcalls(req, size, off);
		return;
	}
	if (node->read_error) {
		fuse_reply_err(req, node->read_error);
		return;
	}
	if (off >= (off_t)node->data_len) {
		fuse_reply_buf(req, NULL, 0);
		return;
	}
	if (size > node->data_len - (size_t)off)
		size = node->data_len - (size_t)off;
	fuse_reply_buf(req, node->data + off, size);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *buf,
		     size_t size, off_t off, struct fuse_file_info *fi)
{
	(void)ino;
	(void)buf;
	(void)off;
	(void)fi;
	fuse_reply_write(req, size);
}

static void op_release(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi)
{
	(void)ino;
	(void)fi;
	fuse_reply_err(req, 0);
}

static void op_opendir(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi)
{
	(void)ino;
	fuse_reply_open(req, fi);
}

/* Entry 0 is ".", 1 "..", then the children; an offset is the next entry. */
static size_t add_dirent(fuse_req_t req, const struct floor_node *dir,
			 char *buf, size_t size, uint32_t entry)
{
	const struct floor_node *node = dir;
	const char *name = ".";

	if (entry == 1) {
		node = &tree->nodes[dir->parent];
		name = "..";
	} else if (entry > 1) {
		node = &tree->nodes[dir->first_child + entry - 2];
		name = node->name;
	}
	return fuse_add_direntry(req, buf, size, name, &node->st, entry + 1);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		       struct fuse_file_info *fi)
{
	const struct floor_node *dir = node_of(ino);
	size_t used = 0;
	char *buf;

	(void)fi;
	buf = malloc(size);
	if (!buf) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	for (off_t entry = off; entry < (off_t)dir->nr_children + 2; entry++) {
		size_t need = add_dirent(req, dir, buf + used, size - used,
					 (uint32_t)entry);

		if (need > size - used)
			break;
		used += need;
	}
	fuse_reply_buf(req, buf, used);
	free(buf);
}

const struct fuse_lowlevel_ops floor_ops = {
	.init = op_init,
	.lookup = op_lookup,
	.forget = op_forget,
	.forget_multi = op_forget_multi,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.readlink = op_readlink,
	.open = op_open,
	.read = op_read,
	.write = op_write,
	.release = op_release,
	.opendir = op_opendir,
	.readdir = op_readdir,
	.releasedir = op_release,
};
