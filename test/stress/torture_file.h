/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of torture_file share: the content behind a file, what one
 * open of it is to its callbacks, and what it is to the one who opened it.
 *
 * Every file has an owner that creates it, hides and shows it, removes it and
 * then frees its content at once. Callbacks use the content without any lock,
 * as a driver does, relying on the library alone; all accesses are plain, so
 * that a sanitizer sees what the library does not order.
 */
#ifndef TEST_STRESS_TORTURE_FILE_H
#define TEST_STRESS_TORTURE_FILE_H

#include "torture.h"

enum file_counter {
	COUNT_OPENS,
	COUNT_OPENS_REFUSED,
	COUNT_READS,
	COUNT_WRITES,
	COUNT_SEEKS,
	COUNT_GONE,
	COUNT_AFTER,
	COUNT_SHARED,
	COUNT_RELEASED_BY_CLOSE,
	COUNT_RELEASED_BY_DRAIN,
	COUNT_SUICIDES,
	COUNT_BREAKS,
	COUNT_HIDES,
	COUNT_HAUNTS,
	COUNT_REMOVED,
	COUNT_RIVALS,
};

enum file_kind {
	FILE_TEXT,	 /* one record, longer than a page, and release */
	FILE_TEXT_PLAIN, /* one record, no open, no release */
	FILE_RECORDS,	 /* an iterator */
	FILE_BINARY,	 /* read and write */
	FILE_PREALLOC,	 /* the same, preallocated */
	NR_KINDS,
};

/* One of each, and one that anybody may hide and show. */
#define NR_FILES (NR_KINDS + 1)
#define FILE_HAUNTED NR_KINDS
#define NR_RECORDS 200

/* Behind a file: allocated by its owner, freed when it has removed the file. */
struct content {
	enum file_kind kind;
	uint64_t value; /* what is read; atomic */
	/* opens that succeeded, and calls of release; atomic */
	long opened, released;
	unsigned int touched[TORTURE_MAX_THREADS]; /* each thread's */
	bool hidden;				   /* the owner's */
	/* the owner has a reference, so callbacks may remove it; atomic */
	bool may_go;
};

/* An open file, for the one who opened it. */
struct handle {
	struct kernfs_open_file *of;
	struct kernfs_node *kn; /* counted */
	enum file_kind kind;
	int released; /* calls of release; atomic */
};

struct file_tree {
	struct kernfs_root *root;
	struct kernfs_node *files, *aux;
};

/* fixed while threads run */
extern struct file_tree tree;

const char *file_name(unsigned int i);
enum file_kind kind_of(unsigned int i);
bool has_release(enum file_kind kind);

/* --- torture_file_ops.c: the callbacks --- */

extern const struct kernfs_ops file_ops[NR_KINDS];

/*
 * What the callbacks that a thread runs belong to: said before each call into
 * the library, since they have no argument for it.
 */
void callbacks_of(struct torture_thread *t, struct handle *opening);
/* May this thread's callbacks remove their own file, or give up protecting it?
 */
void allow_callbacks(bool to_let_go);

/* --- torture_file_use.c: opening, reading, writing --- */

struct handle *open_file(struct torture_thread *t, unsigned int i);
void close_file(struct torture_thread *t, struct handle *h);
/* One read, write or seek; @alone: nobody else uses the handle. */
void use_file(struct torture_thread *t, struct handle *h, bool alone);

void user_begin(struct torture_thread *t);
void user_round(struct torture_thread *t);
void user_end(struct torture_thread *t);
void share_round(struct torture_thread *t);
/* when threads are done and the root is gone: close what is still open */
void close_left_over(struct torture_thread *t);

/* --- torture_file_own.c: creating, hiding, removing --- */

void own_round(struct torture_thread *t);
void rival_round(struct torture_thread *t);
void haunt_round(struct torture_thread *t);
/* when the root is gone: the content of files that it removed */
void free_kept(struct torture_thread *t);

#endif /* TEST_STRESS_TORTURE_FILE_H */
