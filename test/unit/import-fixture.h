/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the tests of fs/import share: a directory to take in, the tree it goes
 * to, and short words for looking at both.
 *
 * The scratch directory is made and removed by the process that Check forks
 * from, so that it goes whatever becomes of a test.
 */
#ifndef TEST_UNIT_IMPORT_FIXTURE_H
#define TEST_UNIT_IMPORT_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fs/import/import.h"
#include "kernfuse/kernfs.h"
#include "test/unit/testroot.h"
#include "test/unit/util.h"

static char scratch_base[2048]; /* of the program */
static char scratch[2100];	/* of the test */

static struct kernfs_root *root;
static struct kf_content_store *store;
static struct kf_import_opts opts;
static struct kf_import_stats stats;
static char err[512];
static char warnings[8192]; /* one after the other, each with a newline */

/* --- life --- */

static inline void make_scratch_base(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(scratch_base, sizeof(scratch_base), "%s/kf-import.XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(scratch_base) || chmod(scratch_base, 0755)) {
		perror(scratch_base);
		exit(99);
	}
}

static inline int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st, (void)ftw;
	return type == FTW_DP || type == FTW_DNR ? rmdir(path) : unlink(path);
}

static inline void remove_scratch_base(void)
{
	nftw(scratch_base, remove_one, 64, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static inline void make_scratch(void)
{
	snprintf(scratch, sizeof(scratch), "%s/XXXXXX", scratch_base);
	ck_assert_ptr_nonnull(mkdtemp(scratch));
	ck_assert_int_eq(chmod(scratch, 0755), 0);
}

static inline void note_warning(void *ctx, const char *msg)
{
	(void)ctx;
	ck_assert_ptr_null(strchr(msg, '\n'));
	snprintf(warnings + strlen(warnings),
		 sizeof(warnings) - strlen(warnings), "%s\n", msg);
}

static inline void setup(void)
{
	make_scratch();
	warnings[0] = '\0';
	root = test_create_root(KERNFS_ROOT_EXTRA_OPEN_PERM_CHECK);
	store = kf_content_store_create();
	ck_assert_ptr_nonnull(store);
	opts.warn = note_warning;
	opts.store = store;
}

static inline void teardown(void)
{
	test_destroy_root(root);
	kf_content_store_destroy(store);
}

/* --- the source --- */

/* In one of a few buffers, so that two fit into one call. */
static inline const char *at(const char *name)
{
	static char bufs[4][8192];
	static unsigned int turn;
	char *buf = bufs[turn++ % 4];

	snprintf(buf, sizeof(bufs[0]), "%s/%s", scratch, name);
	return buf;
}

static inline void put_bytes(const char *name, const void *data, size_t len,
			     mode_t mode)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_EXCL, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, len), (ssize_t)len);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	ck_assert_int_eq(close(fd), 0);
}

static inline void put_text(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text), 0644);
}

static inline void put_dir(const char *name, mode_t mode)
{
	ck_assert_int_eq(mkdir(at(name), 0700), 0);
	ck_assert_int_eq(chmod(at(name), mode), 0);
}

/* --- the tree --- */

static inline int try_import(const char *path)
{
	return kf_import_directory(kernfs_root_to_node(root), path, &opts,
				   &stats, err, sizeof(err));
}

static inline void import(const char *path)
{
	int r = try_import(path);

	ck_assert_msg(r == 0, "%s", err);
}

/* Valid as long as the tree is not changed. */
static inline struct kernfs_node *find(const char *path)
{
	struct kernfs_node *kn =
		kernfs_walk_and_get(kernfs_root_to_node(root), path);

	kernfs_put(kn);
	return kn;
}

static inline struct kernfs_node *need(const char *path)
{
	struct kernfs_node *kn = find(path);

	ck_assert_msg(kn != NULL, "%s is not in the tree", path);
	return kn;
}

static inline struct stat stat_node(const char *path)
{
	struct stat st;

	kernfs_iop_getattr(need(path), NULL, &st);
	return st;
}

/* All of it, as a client that reads to the end; bytes or -errno. */
static inline ssize_t read_node(struct kernfs_node *kn, char *buf, size_t size)
{
	struct kernfs_open_file *of;
	size_t len = 0;
	ssize_t n;

	n = kernfs_fop_open(kn, O_RDONLY, &of);
	if (n)
		return n;
	do {
		n = kernfs_fop_read(of, buf + len, size - len, (off_t)len);
		if (n > 0)
			len += (size_t)n;
	} while (n > 0 && len < size);
	kernfs_fop_release(of);
	return n < 0 ? n : (ssize_t)len;
}

static inline ssize_t read_at(struct kernfs_node *kn, char *buf, size_t size,
			      off_t off)
{
	struct kernfs_open_file *of;
	ssize_t n;

	n = kernfs_fop_open(kn, O_RDONLY, &of);
	if (n)
		return n;
	n = kernfs_fop_read(of, buf, size, off);
	kernfs_fop_release(of);
	return n;
}

static inline ssize_t write_at(struct kernfs_node *kn, const void *data,
			       size_t len, off_t off)
{
	struct kernfs_open_file *of;
	ssize_t n;

	n = kernfs_fop_open(kn, O_WRONLY, &of);
	if (n)
		return n;
	n = kernfs_fop_write(of, data, len, off);
	kernfs_fop_release(of);
	return n;
}

static inline void expect_bytes(const char *path, const void *data, size_t len)
{
	char *buf = malloc(len + 1);
	ssize_t n = read_node(need(path), buf, len + 1);

	ck_assert_msg(n == (ssize_t)len, "%s: %zd instead of %zu", path, n,
		      len);
	ck_assert_msg(!memcmp(buf, data, len), "%s: other bytes", path);
	free(buf);
}

static inline void expect_text(const char *path, const char *text)
{
	expect_bytes(path, text, strlen(text));
}

static inline void expect_error(const char *path, int error)
{
	char buf[16];
	ssize_t n = read_node(need(path), buf, sizeof(buf));

	ck_assert_msg(n == -error, "%s: %zd instead of %d", path, n, -error);
}

/* --- the program --- */

/* Returns what main() returns. */
static inline int run_in_scratch(const char *name, const TTest *const *tests,
				 size_t nr)
{
	int r;

	make_scratch_base();
	r = test_run(name, tests, nr, setup, teardown);
	remove_scratch_base();
	return r;
}

#endif /* TEST_UNIT_IMPORT_FIXTURE_H */
