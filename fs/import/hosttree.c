/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Taking in a directory of this machine.
 *
 * Three passes. The walk creates directories and links and lists the files;
 * the readers (reader.c) get every value; then the files are created, because
 * the callbacks and the size of a file depend on its value, and a node's are
 * fixed. Directories are walked in the order they are found, level by level,
 * so that neither the stack nor the descriptors grow with the tree; all files
 * of one directory follow one another in the list.
 *
 * A live sysfs changes under the walk. What is gone when we get to it is left
 * out; trouble that is our own (memory, descriptors) ends the import instead,
 * since it would leave out all the rest.
 *
 * Locks: none held here; the tree's own are taken by each creation.
 */
#include "fs/import/import-internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "kernfuse/err.h"
#include "kernfuse/inode.h"
#include "kernfuse/node.h"

struct import {
	struct kf_import_job *job;
	const struct kf_import_opts *opts;
	struct kf_import_stats stats;
	bool real_sysfs;
	char *err;
	size_t errlen;
};

/* The directory that is being listed, and what it would not give. */
struct listing {
	size_t dir; /* index */
	int fd;
	unsigned long dropped;
	int first_error; /* negative */
	char first_name[NAME_MAX + 1];
};

/* --- messages --- */

/* Returns @error, so that callers can fail in one statement. */
static int fail(struct import *im, size_t dir, const char *name, int error)
{
	kf_import_job_describe(im->job, dir, name, strerror(-error), im->err,
			       im->errlen);
	return error;
}

static void warn(struct import *im, size_t dir, const char *name,
		 const char *reason)
{
	char msg[KF_IMPORT_MSG_MAX];

	if (!im->opts->warn)
		return;
	kf_import_job_describe(im->job, dir, name, reason, msg, sizeof(msg));
	im->opts->warn(im->opts->ctx, msg);
}

static void warn_dropped(struct import *im, const struct listing *list)
{
	char reason[128];

	if (list->dropped == 0)
		return;
	snprintf(reason, sizeof(reason), "left out: %s",
		 strerror(-list->first_error));
	if (list->dropped > 1)
		snprintf(reason, sizeof(reason),
			 "left out, with %lu more of this directory: %s",
			 list->dropped - 1, strerror(-list->first_error));
	warn(im, list->dir, list->first_name, reason);
}

static void warn_special(struct import *im)
{
	char reason[128];

	if (im->stats.skipped_special == 0)
		return;
	snprintf(reason, sizeof(reason),
		 "%lu special files left out (fifos, sockets, devices)",
		 im->stats.skipped_special);
	warn(im, 0, NULL, reason);
}

/* --- the walk --- */

/* An entry is left out; only trouble of our own is passed on. */
static int drop(struct import *im, struct listing *list, const char *name,
		int error)
{
	if (kf_import_fatal(error))
		return fail(im, list->dir, name, error);
	if (list->dropped++ == 0) {
		list->first_error = error;
		snprintf(list->first_name, sizeof(list->first_name), "%s",
			 name);
	}
	return 0;
}

static struct kernfs_node *listed_node(struct import *im,
				       const struct listing *list)
{
	return im->job->dirs[list->dir].kn;
}

static int take_dir(struct import *im, struct listing *list, const char *name,
		    const struct statx *stx)
{
	struct kf_import_job *job = im->job;
	bool mount = !kf_import_job_same_mount(job, stx);
	struct kernfs_node *kn;
	int r;

	/* nobody could name what is below; also bounds the depth */
	if (job->dirs[list->dir].path_len + 1 + strlen(name) >=
	    KERNFS_PATH_MAX)
		return drop(im, list, name, -ENAMETOOLONG);
	kn = kernfs_create_dir_ns(listed_node(im, list), name,
				  stx->stx_mode & 07777, stx->stx_uid,
				  stx->stx_gid, NULL, NULL);
	if (IS_ERR(kn))
		return fail(im, list->dir, name, (int)PTR_ERR(kn));
	im->stats.dirs++;
	if (mount) {
		im->stats.skipped_mounts++;
		return 0;
	}
	r = kf_import_job_add_dir(job, list->dir, name, kn);
	return r ? fail(im, list->dir, name, r) : 0;
}

static int take_link(struct import *im, struct listing *list, const char *name,
		     const struct statx *stx)
{
	char text[KERNFS_PATH_MAX];
	struct kernfs_node *kn;
	ssize_t len;

	len = readlinkat(list->fd, name, text, sizeof(text));
	if (len < 0)
		return drop(im, list, name, -errno);
	if (len == 0)
		return drop(im, list, name, -EINVAL);
	if ((size_t)len == sizeof(text))
		return drop(im, list, name, -ENAMETOOLONG);
	text[len] = '\0';
	kn = kernfs_create_link_text(listed_node(im, list), name, stx->stx_uid,
				     stx->stx_gid, text, NULL);
	if (IS_ERR(kn))
		return fail(im, list->dir, name, (int)PTR_ERR(kn));
	im->stats.links++;
	return 0;
}

static int take_file(struct import *im, struct listing *list, const char *name,
		     const struct statx *stx)
{
	int r;

	r = kf_import_job_add_file(im->job, list->dir, name, stx);
	return r ? fail(im, list->dir, name, r) : 0;
}

static int take_entry(struct import *im, struct listing *list,
		      const char *name)
{
	struct statx stx;

	/*
	 * No automounts, and no question to a server: one that is mounted
	 * below and does not answer would hold up the walk for good.
	 */
	if (statx(list->fd, name,
		  AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
		  STATX_BASIC_STATS | STATX_MNT_ID, &stx))
		return drop(im, list, name, -errno);
	if (S_ISDIR(stx.stx_mode))
		return take_dir(im, list, name, &stx);
	if (!kf_import_job_same_mount(im->job, &stx)) {
		im->stats.skipped_mounts++;
		return 0;
	}
	if (S_ISLNK(stx.stx_mode))
		return take_link(im, list, name, &stx);
	if (S_ISREG(stx.stx_mode))
		return take_file(im, list, name, &stx);
	im->stats.skipped_special++;
	return 0;
}

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static int list_entries(struct import *im, struct listing *list, DIR *dir)
{
	struct dirent *de;
	int r;

	for (;;) {
		if (kf_import_stopped(im->opts))
			return fail(im, 0, NULL, -EINTR);
		errno = 0;
		de = readdir(dir);
		if (!de)
			break;
		if (is_dot(de->d_name))
			continue;
		r = take_entry(im, list, de->d_name);
		if (r)
			return r;
	}
	if (errno)
		warn(im, list->dir, NULL, strerror(errno));
	return 0;
}

/* A directory that cannot be listed stays empty, unless it is the top. */
static int no_listing(struct import *im, size_t i, int error)
{
	if (i == 0 || kf_import_fatal(error))
		return fail(im, i, NULL, error);
	warn(im, i, NULL, strerror(-error));
	return 0;
}

static int walk_dir(struct import *im, size_t i)
{
	struct listing list = { .dir = i };
	DIR *dir;
	int r;

	list.fd = kf_import_job_open_dir(im->job, i, O_RDONLY);
	if (list.fd < 0)
		return no_listing(im, i, list.fd);
	dir = fdopendir(list.fd);
	if (!dir) {
		r = -errno;
		close(list.fd);
		return no_listing(im, i, r);
	}
	r = list_entries(im, &list, dir);
	closedir(dir);
	warn_dropped(im, &list);
	return r;
}

static int walk(struct import *im)
{
	size_t i;
	int r;

	/* the list grows as directories are found */
	for (i = 0; i < im->job->nr_dirs; i++) {
		r = walk_dir(im, i);
		if (r)
			return r;
	}
	return 0;
}

/* --- the values --- */

static int read_values(struct import *im)
{
	const struct kf_import_file *file;
	size_t i;
	int r;

	r = kf_import_read_files(im->job, im->opts, &i);
	if (!r)
		return 0;
	if (i == im->job->nr_files)
		return fail(im, 0, NULL, r);
	file = &im->job->files[i];
	return fail(im, file->dir, kf_import_job_name(im->job, file->name), r);
}

/* --- the files --- */

static void account(struct import *im, const struct kf_import_file *file,
		    const char *name)
{
	im->stats.files++;
	if (!file->content || !kf_content_error(file->content))
		return;
	im->stats.unreadable++;
	if (file->timed_out) {
		im->stats.timed_out++;
		warn(im, file->dir, name, "not read in time");
	}
	if (file->too_long)
		warn(im, file->dir, name, "not read: longer than 64 MiB");
}

/* sysfs has permission bits only, and nothing here is ever run as a program. */
#define FILE_MODE_MASK (07777 & ~(S_ISUID | S_ISGID))

static int create_file(struct import *im, struct kf_import_file *file)
{
	const char *name = kf_import_job_name(im->job, file->name);
	struct kf_content *content = file->content;
	struct kernfs_node *kn;
	off_t size;

	size = im->real_sysfs ? file->size : kf_content_size(content);
	kn = __kernfs_create_file(im->job->dirs[file->dir].kn, name,
				  file->mode & FILE_MODE_MASK, file->uid,
				  file->gid, size,
				  kf_content_ops(content, file->mode), content,
				  NULL);
	if (IS_ERR(kn))
		return fail(im, file->dir, name, (int)PTR_ERR(kn));
	account(im, file, name);
	if (content)
		kf_content_store_add(im->opts->store, content);
	/* the store's from now on */
	file->content = NULL;
	return 0;
}

static int create_files(struct import *im)
{
	size_t i;
	int r;

	for (i = 0; i < im->job->nr_files; i++) {
		if (kf_import_stopped(im->opts))
			return fail(im, 0, NULL, -EINTR);
		r = create_file(im, &im->job->files[i]);
		if (r)
			return r;
	}
	return 0;
}

/* --- the whole --- */

/* The top: its attributes become those of @into, its mount the boundary. */
static int take_top(struct import *im, struct kernfs_node *into)
{
	struct kf_import_job *job = im->job;
	struct kernfs_iattr attr = {
		.valid = KERNFS_ATTR_MODE | KERNFS_ATTR_UID | KERNFS_ATTR_GID,
	};
	struct statfs fs;

	job->top = open(job->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (job->top < 0)
		return -errno;
	if (statx(job->top, "", AT_EMPTY_PATH,
		  STATX_BASIC_STATS | STATX_MNT_ID, &job->mount) ||
	    fstatfs(job->top, &fs))
		return -errno;
	im->real_sysfs = fs.f_type == SYSFS_MAGIC;
	attr.mode = job->mount.stx_mode & 07777;
	attr.uid = job->mount.stx_uid;
	attr.gid = job->mount.stx_gid;
	return kernfs_setattr(into, &attr);
}

static int run(struct import *im, struct kernfs_node *into)
{
	int r;

	r = kf_import_job_add_dir(im->job, 0, "", into);
	if (!r)
		r = take_top(im, into);
	if (r)
		return fail(im, 0, NULL, r);
	r = walk(im);
	if (!r)
		r = read_values(im);
	if (!r)
		r = create_files(im);
	if (!r)
		warn_special(im);
	return r;
}

int kf_import_directory(struct kernfs_node *into, const char *path,
			const struct kf_import_opts *opts,
			struct kf_import_stats *ret_stats, char *err,
			size_t errlen)
{
	struct import im = { .opts = opts, .err = err, .errlen = errlen };
	int r;

	im.job = kf_import_job_create(path);
	if (!im.job) {
		snprintf(err, errlen, "%s: %s", path, strerror(ENOMEM));
		return -ENOMEM;
	}
	r = opts->store ? run(&im, into) : fail(&im, 0, NULL, -EINVAL);
	kf_import_job_put(im.job);
	if (!r && ret_stats)
		*ret_stats = im.stats;
	return r;
}

int kf_import_skeleton(struct kernfs_node *into, char *err, size_t errlen)
{
	static const char *const names[] = {
		"block", "bus", "class", "dev", "devices", "firmware",
		"fs", "kernel", "module", "power",
	};
	struct kernfs_node *kn;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		kn = kernfs_create_dir(into, names[i], 0755, NULL);
		if (!IS_ERR(kn))
			continue;
		snprintf(err, errlen, "%s: %s", names[i],
			 strerror((int)-PTR_ERR(kn)));
		return (int)PTR_ERR(kn);
	}
	return 0;
}
