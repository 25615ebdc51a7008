/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of what was found: messages, and the way back to a directory. */
#include "fs/import/import-internal.h"

#include "test/unit/import-fixture.h"

/* scratch/a/b, and the job that knows of it. */
static struct kf_import_job *make_job(void)
{
	struct kf_import_job *job = kf_import_job_create(scratch);

	ck_assert_ptr_nonnull(job);
	job->top = open(scratch, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(job->top, 0);
	ck_assert_int_eq(statx(job->top, "", AT_EMPTY_PATH,
			       STATX_BASIC_STATS | STATX_MNT_ID, &job->mount),
			 0);
	put_dir("a", 0755);
	put_dir("a/b", 0755);
	put_text("a/b/f", "x");
	ck_assert_int_eq(kf_import_job_add_dir(job, 0, "", NULL), 0);
	ck_assert_int_eq(kf_import_job_add_dir(job, 0, "a", NULL), 0);
	ck_assert_int_eq(kf_import_job_add_dir(job, 1, "b", NULL), 0);
	return job;
}

START_TEST(directory_is_found_again)
{
	struct kf_import_job *job = make_job();
	int fd = kf_import_job_open_dir(job, 2, O_PATH);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(faccessat(fd, "f", R_OK, 0), 0);
	close(fd);
	ck_assert_uint_eq(job->dirs[2].path_len, strlen("/a/b"));
	kf_import_job_put(job);
}
END_TEST

/* A directory that became a link leads nowhere, at the end and on the way. */
START_TEST(links_are_no_way_back)
{
	struct kf_import_job *job = make_job();

	ck_assert_int_eq(rename(at("a"), at("c")), 0);
	ck_assert_int_eq(kf_import_job_open_dir(job, 2, O_PATH), -ENOENT);
	ck_assert_int_eq(symlink("c", at("a")), 0);
	ck_assert_int_eq(kf_import_job_open_dir(job, 1, O_RDONLY), -ENOTDIR);
	ck_assert_int_eq(kf_import_job_open_dir(job, 2, O_RDONLY), -ENOTDIR);
	kf_import_job_put(job);
}
END_TEST

START_TEST(message_is_one_line)
{
	struct kf_import_job *job = make_job();
	char buf[KF_IMPORT_MSG_MAX], expected[KF_IMPORT_MSG_MAX * 4];

	kf_import_job_describe(job, 2, "n\\e\tw\n\x7f", "why", buf,
			       sizeof(buf));
	snprintf(expected, sizeof(expected),
		 "%s/a/b/n\\134e\\011w\\012\\177: why", scratch);
	ck_assert_str_eq(buf, expected);
	kf_import_job_describe(job, 0, NULL, "why", buf, sizeof(buf));
	snprintf(expected, sizeof(expected), "%s: why", scratch);
	ck_assert_str_eq(buf, expected);
	kf_import_job_put(job);
}
END_TEST

/* Of any size: terminated, and never beyond the end. */
START_TEST(message_fits)
{
	struct kf_import_job *job = make_job();
	char buf[KF_IMPORT_MSG_MAX * 2];
	size_t size;

	for (size = 0; size <= sizeof(buf); size++) {
		memset(buf, '#', sizeof(buf));
		kf_import_job_describe(job, 2, "name", "why", buf, size);
		if (size)
			ck_assert_uint_lt(strnlen(buf, size), size);
		if (size < sizeof(buf))
			ck_assert_int_eq(buf[size], '#');
		if (size > 6)
			ck_assert_ptr_nonnull(strstr(buf, ": why"));
	}
	kf_import_job_put(job);
}
END_TEST

START_TEST(lists_grow)
{
	struct kf_import_job *job = make_job();
	struct statx stx = { .stx_mode = 0644, .stx_size = 7 };
	char name[16];
	size_t i;

	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "f%zu", i);
		ck_assert_int_eq(kf_import_job_add_file(job, 2, name, &stx),
				 0);
	}
	ck_assert_uint_eq(job->nr_files, 5000);
	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "f%zu", i);
		ck_assert_str_eq(kf_import_job_name(job, job->files[i].name),
				 name);
	}
	kf_import_job_put(job);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		directory_is_found_again,
		links_are_no_way_back,
		message_is_one_line,
		message_fits,
		lists_grow,
	};

	return run_in_scratch("import-job", tests, NR_OF(tests));
}
