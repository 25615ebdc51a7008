/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree that kernfuse-floor serves: an array filled once at start and only
 * read afterwards, so that no request needs a lock or a reference count.
 *
 * A node's index is its FUSE node id minus FUSE_ROOT_ID; index 0 is the root.
 * Nodes are numbered breadth first, so the children of a directory are
 * neighbours in the array.
 */
#ifndef FLOOR_H
#define FLOOR_H

#include <stdint.h>
#include <sys/stat.h>

/* Bytes of content kept of each file: what one sysfs read returns at most. */
#define FLOOR_PAGE 4096

enum floor_kind {
	FLOOR_TAKEN_IN,	    /* comes from the source directory */
	FLOOR_KERNFUSE_DIR, /* fs/kernfuse */
	FLOOR_UPCALLS_DIR,  /* fs/kernfuse/upcalls */
	FLOOR_UPCALLS,	    /* fs/kernfuse/upcalls/total, made at each open */
};

struct floor_node {
	char *name;
	char *data;	      /* link text or first page of content */
	uint32_t data_len;    /* bytes */
	int read_error;	      /* errno that reading the source gave, or 0 */
	uint32_t parent;      /* index */
	uint32_t first_child; /* index, if nr_children is not 0 */
	uint32_t nr_children;
	enum floor_kind kind;
	struct stat st; /* st_ino is the FUSE node id */
};

struct floor_tree {
	struct floor_node *nodes;
	uint32_t nr_nodes;
	uint32_t max_nodes;
	/* open addressing, index of the node or 0: the root has no name */
	uint32_t *slots;
	uint32_t slot_mask;
};

/**
 * floor_tree_load - take in a directory
 * @tree: zeroed by the caller; to be given to floor_tree_finish() either way
 * @source: path of the directory; other file systems below it are skipped
 *
 * A read that blocks is broken off by SIGALRM, which the call borrows.
 *
 * Return: 0; -errno.
 */
int floor_tree_load(struct floor_tree *tree, const char *source);
void floor_tree_finish(struct floor_tree *tree);

/* The index of the child of @parent that has @name; 0 if there is none. */
uint32_t floor_tree_find(const struct floor_tree *tree, uint32_t parent,
			 const char *name);

/* From floor_ops.c; the tree is kept by reference. */
struct fuse_lowlevel_ops;
extern const struct fuse_lowlevel_ops floor_ops;
void floor_ops_serve(const struct floor_tree *tree);

/* From floor_io.c: messages read from the kernel so far. */
uint64_t floor_io_upcalls(void);

/*
 * Routes the session's /dev/fuse traffic through counted read(2) and
 * writev(2) calls, of which the first asks for parallel lookups. To be called
 * after fuse_session_mount(). Return: 0; -errno.
 */
struct fuse_session;
int floor_io_attach(struct fuse_session *se);

#endif /* FLOOR_H */
