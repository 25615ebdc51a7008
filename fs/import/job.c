/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The job: lists of the directories and files that the walk found, and the
 * way back to each of them.
 *
 * Entries are kept by index and names by offset, in arrays that grow, so that
 * a million files cost three allocations. Directories are opened again name
 * by name instead of being kept open: a tree may have more of them than a
 * process may have descriptors.
 *
 * Locks: none here; the lists belong to one thread until a reader starts and
 * do not change afterwards.
 */
#include "fs/import/import-internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- life --- */

static void destroy_job(struct kf_import_job *job)
{
	size_t i;

	for (i = 0; i < job->nr_files; i++)
		kf_content_free(job->files[i].content);
	free(job->files);
	free(job->dirs);
	free(job->names);
	free(job->path);
	if (job->top >= 0)
		close(job->top);
	kf_assert(pthread_cond_destroy(&job->cond) == 0);
	mutex_destroy(&job->lock);
	free(job);
}

static void init_locks(struct kf_import_job *job)
{
	pthread_condattr_t attr;

	mutex_init(&job->lock, KF_RANK_CONTENT);
	kf_assert(pthread_condattr_init(&attr) == 0);
	kf_assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
	kf_assert(pthread_cond_init(&job->cond, &attr) == 0);
	pthread_condattr_destroy(&attr);
}

struct kf_import_job *kf_import_job_create(const char *path)
{
	struct kf_import_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->refs = 1;
	job->top = -1;
	init_locks(job);
	job->path = strdup(path);
	if (!job->path) {
		destroy_job(job);
		return NULL;
	}
	return job;
}

void kf_import_job_get(struct kf_import_job *job)
{
	__atomic_add_fetch(&job->refs, 1, __ATOMIC_RELAXED);
}

void kf_import_job_put(struct kf_import_job *job)
{
	/* release: our last use comes before the free; acquire: the others' */
	if (job && !__atomic_sub_fetch(&job->refs, 1, __ATOMIC_ACQ_REL))
		destroy_job(job);
}

/* --- lists --- */

/* Makes room for @more items beyond @used. */
static int grow(void *parray, size_t *room, size_t used, size_t more,
		size_t item)
{
	size_t want = *room ? *room : 256;
	void *array, *larger;

	if (used + more <= *room)
		return 0;
	while (want < used + more)
		want *= 2;
	memcpy(&array, parray, sizeof(array));
	larger = reallocarray(array, want, item);
	if (!larger)
		return -ENOMEM;
	memcpy(parray, &larger, sizeof(larger));
	*room = want;
	return 0;
}

static int add_name(struct kf_import_job *job, const char *name,
		    size_t *ret_offset)
{
	size_t size = strlen(name) + 1;
	int r;

	r = grow(&job->names, &job->room_names, job->len_names, size, 1);
	if (r)
		return r;
	memcpy(job->names + job->len_names, name, size);
	*ret_offset = job->len_names;
	job->len_names += size;
	return 0;
}

int kf_import_job_add_dir(struct kf_import_job *job, size_t parent,
			  const char *name, struct kernfs_node *kn)
{
	struct kf_import_dir *dir;
	size_t offset;
	int r;

	r = grow(&job->dirs, &job->room_dirs, job->nr_dirs, 1, sizeof(*dir));
	if (!r)
		r = add_name(job, name, &offset);
	if (r)
		return r;
	dir = &job->dirs[job->nr_dirs];
	dir->parent = parent;
	dir->name = offset;
	dir->path_len = 0;
	if (job->nr_dirs)
		dir->path_len = job->dirs[parent].path_len + 1 + strlen(name);
	dir->kn = kn;
	job->nr_dirs++;
	return 0;
}

int kf_import_job_add_file(struct kf_import_job *job, size_t dir,
			   const char *name, const struct statx *stx)
{
	size_t offset;
	int r;

	r = grow(&job->files, &job->room_files, job->nr_files, 1,
		 sizeof(*job->files));
	if (!r)
		r = add_name(job, name, &offset);
	if (r)
		return r;
	job->files[job->nr_files++] = (struct kf_import_file){
		.dir = dir,
		.name = offset,
		.mode = stx->stx_mode & 07777,
		.uid = stx->stx_uid,
		.gid = stx->stx_gid,
		.size = (off_t)stx->stx_size,
	};
	return 0;
}

/* --- the way back --- */

bool kf_import_job_same_mount(const struct kf_import_job *job,
			      const struct statx *stx)
{
	const struct statx *top = &job->mount;
	bool same_dev = stx->stx_dev_major == top->stx_dev_major &&
			stx->stx_dev_minor == top->stx_dev_minor;

	if (!(stx->stx_mask & top->stx_mask & STATX_MNT_ID))
		return same_dev;
	if (stx->stx_mnt_id != top->stx_mnt_id)
		return false;
	/* files of one overlay show the devices of its layers */
	return same_dev || !S_ISDIR(stx->stx_mode);
}

/* As deep as the tree, which the walk bounds by KERNFS_PATH_MAX. */
static int open_step(const struct kf_import_job *job, size_t dir, int flags)
{
	const struct kf_import_dir *d = &job->dirs[dir];
	int parent, fd;

	flags |= O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	if (dir == 0) {
		fd = openat(job->top, ".", flags);
		return fd < 0 ? -errno : fd;
	}
	parent = open_step(job, d->parent, O_PATH);
	if (parent < 0)
		return parent;
	fd = openat(parent, kf_import_job_name(job, d->name), flags);
	if (fd < 0)
		fd = -errno;
	close(parent);
	return fd;
}

int kf_import_job_open_dir(const struct kf_import_job *job, size_t dir,
			   int flags)
{
	int fd = open_step(job, dir, flags);
	struct statx stx;
	int r = 0;

	if (fd < 0)
		return fd;
	/* with no way up, a mount anywhere on the path shows at its end */
	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
		  STATX_TYPE | STATX_MNT_ID, &stx))
		r = -errno;
	else if (!kf_import_job_same_mount(job, &stx))
		r = -EXDEV;
	if (!r)
		return fd;
	close(fd);
	return r;
}

/* --- messages --- */

/* A line that is written from its end to its beginning. */
struct tail {
	char buf[KF_IMPORT_MSG_MAX];
	size_t start;
	bool full;
};

static void prepend(struct tail *tail, const char *text, size_t len)
{
	if (tail->full || len > tail->start) {
		tail->full = true;
		return;
	}
	tail->start -= len;
	memcpy(tail->buf + tail->start, text, len);
}

static void prepend_escaped(struct tail *tail, const char *name)
{
	size_t i = strlen(name);

	while (i--) {
		unsigned char c = (unsigned char)name[i];
		char octal[4] = { '\\', (char)('0' + (c >> 6)),
				  (char)('0' + (c >> 3 & 7)),
				  (char)('0' + (c & 7)) };

		if (c < ' ' || c == 0x7f || c == '\\')
			prepend(tail, octal, sizeof(octal));
		else
			prepend(tail, name + i, 1);
	}
}

void kf_import_job_describe(const struct kf_import_job *job, size_t dir,
			    const char *name, const char *reason, char *buf,
			    size_t size)
{
	struct tail tail;

	if (!size)
		return;
	tail.start = size < sizeof(tail.buf) ? size : sizeof(tail.buf);
	tail.full = false;
	prepend(&tail, "", 1);
	prepend(&tail, reason, strlen(reason));
	prepend(&tail, ": ", 2);
	if (name) {
		prepend_escaped(&tail, name);
		prepend(&tail, "/", 1);
	}
	for (; dir; dir = job->dirs[dir].parent) {
		prepend_escaped(&tail,
				kf_import_job_name(job, job->dirs[dir].name));
		prepend(&tail, "/", 1);
	}
	prepend_escaped(&tail, job->path);
	if (size > sizeof(tail.buf))
		size = sizeof(tail.buf);
	memcpy(buf, tail.buf + tail.start, size - tail.start);
}
