/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of fs/import share; one section for each, in this order:
 * job.c, reader.c. hosttree.c is the caller of both.
 */
#ifndef FS_IMPORT_IMPORT_INTERNAL_H
#define FS_IMPORT_IMPORT_INTERNAL_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "fs/import/content.h"
#include "fs/import/import.h"
#include "lock/atomic.h"
#include "lock/mutex.h"

/* --- job.c: what was found, and what was read --- */

struct kf_import_dir {
	size_t parent;	 /* index; the top is 0 and its own parent */
	size_t name;	 /* offset into job->names */
	size_t path_len; /* bytes below the top, slashes included */
	struct kernfs_node *kn;
};

struct kf_import_file {
	size_t dir;  /* index */
	size_t name; /* offset into job->names */
	mode_t mode; /* permission bits */
	uid_t uid;
	gid_t gid;
	off_t size; /* st_size of the source */
	/*
	 * Results. Written with job->lock held by the current reader only;
	 * the caller's when there is none.
	 */
	bool timed_out;
	bool too_long; /* error is ours, not the file's */
	struct kf_content *content;
};

struct kf_reader;

/*
 * One import. The walk fills the lists; from the start of the first reader
 * they do not change, except for the results. Counted, because a reader that
 * is stuck in the kernel outlives the import.
 */
struct kf_import_job {
	int refs; /* atomic */
	int top;  /* the source directory, or -1; closed with the job */
	char *path;
	/* what "the same mount" means */
	struct statx mount;

	struct kf_import_dir *dirs;
	size_t nr_dirs, room_dirs;
	struct kf_import_file *files;
	size_t nr_files, room_files;
	char *names; /* NUL-terminated, one after the other */
	size_t len_names, room_names;

	struct kf_mutex lock; /* KF_RANK_CONTENT, never with another */
	pthread_cond_t cond;  /* a reader has finished; CLOCK_MONOTONIC */
	/* guarded by lock: whose results count; NULL: nobody's */
	struct kf_reader *reader;
	/* guarded by lock: why the reader gave up altogether, or 0 */
	int error;
};

/* With nothing in it and the source not open yet. NULL: no memory. */
struct kf_import_job *kf_import_job_create(const char *path);
void kf_import_job_get(struct kf_import_job *job);
/* Frees the results that nobody fetched, too. NULL is ignored. */
void kf_import_job_put(struct kf_import_job *job);

/* 0 or -ENOMEM. The top comes first, with its own index 0 as parent. */
int kf_import_job_add_dir(struct kf_import_job *job, size_t parent,
			  const char *name, struct kernfs_node *kn);
int kf_import_job_add_file(struct kf_import_job *job, size_t dir,
			   const char *name, const struct statx *stx);

static inline const char *kf_import_job_name(const struct kf_import_job *job,
					     size_t name)
{
	return job->names + name;
}

/* Is this entry part of the tree, or does something else cover it? */
bool kf_import_job_same_mount(const struct kf_import_job *job,
			      const struct statx *stx);

/*
 * A new descriptor of a directory, reached from the top name by name, so that
 * no link is followed whatever happens to the tree meanwhile. @flags: access
 * mode and O_PATH. Returns it or -errno; -EXDEV something was mounted there.
 */
int kf_import_job_open_dir(const struct kf_import_job *job, size_t dir,
			   int flags);

/* Longest message, NUL included; a longer path loses its beginning. */
#define KF_IMPORT_MSG_MAX 1024

/*
 * "PATH/dir/name: reason" in one line: control characters and backslashes of
 * names come out as \ooo. @name may be NULL. @size 0 writes nothing.
 */
void kf_import_job_describe(const struct kf_import_job *job, size_t dir,
			    const char *name, const char *reason, char *buf,
			    size_t size);

/* --- reader.c: getting the values, however long that takes --- */

/* The two calls that can block; a test puts its own in their place. */
struct kf_reader_ops {
	/* as openat(2), with the flags that are ours */
	int (*open)(int dirfd, const char *name);
	ssize_t (*read)(int fd, void *buf, size_t count);
};

/* Changed only while no import runs and none has left a thread behind. */
extern const struct kf_reader_ops *kf_reader_ops;

/*
 * Fills in the result of every file. On failure *@ret_file is the file that
 * failed, or job->nr_files if it was none in particular. Returns 0 or -errno,
 * see kf_import_directory().
 */
int kf_import_read_files(struct kf_import_job *job,
			 const struct kf_import_opts *opts, size_t *ret_file);

/* Pairs with the handler or thread that sets it; nothing else is ordered. */
static inline bool kf_import_stopped(const struct kf_import_opts *opts)
{
	return opts->stop && READ_ONCE(*opts->stop);
}

/* Own trouble, that would make everything that follows fail as well. */
static inline bool kf_import_fatal(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

#endif /* FS_IMPORT_IMPORT_INTERNAL_H */
