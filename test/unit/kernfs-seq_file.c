/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text files: when show runs, what reads return, and what iterators see. */
#include "test/unit/testroot.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

/* What the file under test prints, and what was asked of it. */
static struct {
	const char *text;
	size_t text_len;
	int show_err;
	unsigned int shows, starts, nexts, stops;
	void *last_stop;
	/* iterator */
	const size_t *len; /* of each record */
	int nr;
	int bad;       /* record that fails */
	int bad_err;   /* positive: skipped */
	int start_err; /* if not 0 */
	int next_err;  /* of the step from record bad */
	bool stuck;    /* next does not move the index on */
} t;

static struct kernfs_root *root;
static struct kernfs_node *kn;

static void setup(void)
{
	memset(&t, 0, sizeof(t));
	t.bad = -1;
	root = test_create_root(0);
	kn = NULL;
}

static void teardown(void)
{
	test_destroy_root(root);
}

static struct kernfs_open_file *open_with(const struct kernfs_ops *ops)
{
	struct kernfs_open_file *of;

	kn = __kernfs_create_file(kernfs_root_to_node(root), "file", 0644, 0, 0,
				  4096, ops, NULL, NULL);
	ck_assert(!IS_ERR(kn));
	ck_assert_int_eq(kernfs_fop_open(kn, O_RDWR, &of), 0);
	return of;
}

/* A read of @len bytes at @pos returns @want. */
static void expect_read(struct kernfs_open_file *of, size_t len, off_t pos,
			const char *want)
{
	char buf[64];

	ck_assert_uint_le(len, sizeof(buf));
	ck_assert_int_eq(kernfs_fop_read(of, buf, len, pos),
			 (ssize_t)strlen(want));
	ck_assert_mem_eq(buf, want, strlen(want));
}

static void expect_err(struct kernfs_open_file *of, off_t pos, int err)
{
	char buf[64];

	ck_assert_int_eq(kernfs_fop_read(of, buf, sizeof(buf), pos), err);
}

/* --- single record --- */

static int text_show(struct seq_file *sf, void *v)
{
	struct kernfs_open_file *of = sf->private_data;

	ck_assert_ptr_nonnull(v);
	ck_assert_ptr_eq(of->kn, kn);
	ck_assert_ptr_eq(of->seq_file, sf);
	ck_assert_int_eq(sf->index, 0);
	t.shows++;
	seq_write(sf, t.text, t.text_len);
	return t.show_err;
}

static const struct kernfs_ops text_ops = { .seq_show = text_show };

static struct kernfs_open_file *open_text(const char *text)
{
	t.text = text;
	t.text_len = strlen(text);
	return open_with(&text_ops);
}

START_TEST(show_runs_again_at_offset_0)
{
	struct kernfs_open_file *of = open_text("one\n");

	expect_read(of, 64, 0, "one\n");
	t.text = "two\n";
	expect_read(of, 64, 0, "two\n");
	expect_read(of, 2, 0, "tw");
	t.text = "six\n";
	expect_read(of, 2, 0, "si");
	ck_assert_uint_eq(t.shows, 4);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(short_reads_come_from_the_buffer)
{
	struct kernfs_open_file *of = open_text("0123456789");

	expect_read(of, 3, 0, "012");
	t.text = "abcdefghij";
	expect_read(of, 3, 3, "345");
	expect_read(of, 4, 6, "6789");
	expect_read(of, 4, 10, "");
	expect_read(of, 4, 10, "");
	ck_assert_uint_eq(t.shows, 1);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(another_offset_shows_and_skips)
{
	struct kernfs_open_file *of = open_text("0123456789");

	expect_read(of, 3, 4, "456");
	ck_assert_uint_eq(t.shows, 1);
	expect_read(of, 3, 7, "789");
	ck_assert_uint_eq(t.shows, 1);
	expect_read(of, 3, 2, "234");
	ck_assert_uint_eq(t.shows, 2);
	expect_read(of, 64, 3, "3456789");
	ck_assert_uint_eq(t.shows, 3);
	/* the end exactly, and behind it */
	expect_read(of, 64, 10, "");
	expect_read(of, 64, 11, "");
	expect_read(of, 64, (off_t)1 << 62, "");
	expect_read(of, 64, 0, "0123456789");
	kernfs_fop_release(of);
}
END_TEST

START_TEST(nothing_to_read)
{
	struct kernfs_open_file *of = open_text("");
	char c;

	expect_read(of, 64, 0, "");
	ck_assert_uint_eq(t.shows, 1);
	/* no room: no callback */
	ck_assert_int_eq(kernfs_fop_read(of, &c, 0, 0), 0);
	ck_assert_uint_eq(t.shows, 1);
	expect_err(of, -1, -EINVAL);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(errors_of_show)
{
	struct kernfs_open_file *of = open_text("text");

	t.show_err = -EIO;
	expect_err(of, 0, -EIO);
	expect_err(of, 2, -EIO);
	/* not taken for "the buffer was too small" */
	t.show_err = -EAGAIN;
	expect_err(of, 0, -EAGAIN);
	expect_err(of, 2, -EAGAIN);
	t.show_err = 0;
	expect_read(of, 64, 2, "xt");
	expect_read(of, 64, 0, "text");
	kernfs_fop_release(of);
}
END_TEST

START_TEST(skipped_record)
{
	struct kernfs_open_file *of = open_text("text");

	t.show_err = 1;
	expect_read(of, 64, 0, "");
	expect_read(of, 64, 2, "");
	kernfs_fop_release(of);
}
END_TEST

/* Lengths around the sizes of the buffer, and how often show runs. */
static const struct {
	size_t len;
	unsigned int shows;
} overflow_case[] = {
	{ 4095, 1 }, { 4096, 2 }, { 4097, 2 },
	{ 8191, 2 }, { 8192, 3 }, { 100000, 6 },
};

START_TEST(overflow_shows_again)
{
	size_t len = overflow_case[_i].len, at;
	char *text = malloc(len + 1), *buf = malloc(len + 1);
	struct kernfs_open_file *of;

	for (size_t i = 0; i < len; i++)
		text[i] = (char)('a' + i % 23);
	text[len] = '\0';
	of = open_text(text);
	ck_assert_int_eq(kernfs_fop_read(of, buf, len + 1, 0), (ssize_t)len);
	ck_assert_mem_eq(buf, text, len);
	ck_assert_uint_eq(t.shows, overflow_case[_i].shows);
	kernfs_fop_release(of);

	/* the same when what overflows is to be skipped, in a fresh file */
	t.shows = 0;
	ck_assert_int_eq(kernfs_fop_open(kn, O_RDONLY, &of), 0);
	at = len - 5;
	ck_assert_int_eq(kernfs_fop_read(of, buf, 100, (off_t)at), 5);
	ck_assert_mem_eq(buf, text + at, 5);
	ck_assert_uint_eq(t.shows, overflow_case[_i].shows);
	kernfs_fop_release(of);
	free(text);
	free(buf);
}
END_TEST

static bool wild;

static int wild_show(struct seq_file *sf, void *v)
{
	(void)v;
	/* does not fit whatever the size, and says so again */
	while (wild && sf->count < sf->size)
		seq_write(sf, "x", sf->size);
	seq_puts(sf, "tame");
	return 0;
}

static const struct kernfs_ops wild_ops = { .seq_show = wild_show };

START_TEST(endless_overflow_ends)
{
	struct kernfs_open_file *of = open_with(&wild_ops);

	/* or each malloc() of up to 1 GiB is filled where it is asked to */
	mallopt(M_PERTURB, 0);
	wild = true;
	expect_err(of, 0, -ENOMEM);
	expect_err(of, 1, -ENOMEM);
	wild = false;
	expect_read(of, 64, 0, "tame");
	expect_read(of, 64, 1, "ame");
	kernfs_fop_release(of);
}
END_TEST

/* --- removal --- */

START_TEST(leftovers_survive_removal)
{
	struct kernfs_open_file *of = open_text("0123456789");

	expect_read(of, 3, 0, "012");
	kernfs_remove(kn);
	expect_read(of, 3, 3, "345");
	/* more than is left: what is left, and only then the error */
	expect_read(of, 64, 6, "6789");
	expect_err(of, 10, -ENODEV);
	expect_err(of, 0, -ENODEV);
	expect_err(of, 5, -ENODEV);
	ck_assert_uint_eq(t.shows, 1);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(exact_leftovers_survive_removal)
{
	struct kernfs_open_file *of = open_text("0123456789");

	expect_read(of, 3, 0, "012");
	kernfs_remove(kn);
	expect_read(of, 7, 3, "3456789");
	expect_err(of, 10, -ENODEV);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(end_of_file_needs_the_node)
{
	struct kernfs_open_file *of = open_text("0123456789");

	expect_read(of, 64, 0, "0123456789");
	expect_read(of, 64, 10, "");
	kernfs_remove(kn);
	expect_err(of, 10, -ENODEV);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(seek_in_a_removed_file_loses_the_leftovers)
{
	struct kernfs_open_file *of = open_text("0123456789");

	expect_read(of, 3, 0, "012");
	kernfs_remove(kn);
	expect_err(of, 0, -ENODEV);
	expect_err(of, 3, -ENODEV);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(hide_and_show_again)
{
	struct kernfs_open_file *of = open_text("0123456789");

	expect_read(of, 3, 0, "012");
	kernfs_show(kn, false);
	expect_read(of, 64, 3, "3456789");
	expect_err(of, 10, -ENODEV);
	/* without a release callback the file lives on, as in the kernel */
	kernfs_show(kn, true);
	expect_read(of, 64, 0, "0123456789");
	kernfs_fop_release(of);
}
END_TEST

/* --- iterators --- */

static char letter(long long nr)
{
	return (char)('a' + nr % 26);
}

static void *rec_at(long long pos)
{
	return pos < t.nr ? (void *)&t.len[pos] : NULL;
}

static void *rec_start(struct seq_file *sf, long long *pos)
{
	ck_assert_ptr_eq(pos, &sf->index);
	ck_assert_int_ge(*pos, 0);
	t.starts++;
	return t.start_err ? ERR_PTR(t.start_err) : rec_at(*pos);
}

static void *rec_next(struct seq_file *sf, void *v, long long *pos)
{
	long long at = *pos;

	(void)sf;
	ck_assert_ptr_eq(v, rec_at(at));
	t.nexts++;
	if (t.stuck)
		return NULL;
	++*pos;
	return t.next_err && at == t.bad ? ERR_PTR(t.next_err) : rec_at(*pos);
}

static void rec_stop(struct seq_file *sf, void *v)
{
	(void)sf;
	t.stops++;
	t.last_stop = v;
}

static int rec_show(struct seq_file *sf, void *v)
{
	size_t len = *(const size_t *)v;

	t.shows++;
	ck_assert_uint_eq(t.starts, t.stops + 1);
	ck_assert_ptr_eq(v, rec_at(sf->index));
	for (size_t i = 0; i < len; i++)
		seq_putc(sf, letter(sf->index));
	return sf->index == t.bad && !t.next_err ? t.bad_err : 0;
}

static const struct kernfs_ops rec_ops = {
	.seq_show = rec_show,
	.seq_start = rec_start,
	.seq_next = rec_next,
	.seq_stop = rec_stop,
};

static struct kernfs_open_file *open_records(const size_t *len, int nr)
{
	t.len = len;
	t.nr = nr;
	return open_with(&rec_ops);
}

static void close_records(struct kernfs_open_file *of)
{
	ck_assert_uint_eq(t.starts, t.stops);
	/* nothing is held: this would wait for ever */
	kernfs_remove(kn);
	kernfs_fop_release(of);
}

static const size_t lengths[] = { 2, 0, 3, 1, 0, 4 };

START_TEST(records_fill_the_reader)
{
	struct kernfs_open_file *of = open_records(lengths, 6);

	expect_read(of, 64, 0, "aacccdffff");
	ck_assert_uint_eq(t.starts, 1);
	ck_assert_uint_eq(t.shows, 6);
	ck_assert_ptr_null(t.last_stop);
	expect_read(of, 64, 10, "");
	ck_assert_uint_eq(t.shows, 6);
	close_records(of);
}
END_TEST

START_TEST(no_more_records_than_wanted)
{
	struct kernfs_open_file *of = open_records(lengths, 6);

	expect_read(of, 1, 0, "a");
	ck_assert_uint_eq(t.shows, 1);
	/* stopped at the record after the one shown */
	ck_assert_ptr_eq(t.last_stop, &lengths[1]);
	expect_read(of, 1, 1, "a");
	ck_assert_uint_eq(t.shows, 1);
	expect_read(of, 4, 2, "cccd");
	ck_assert_uint_eq(t.shows, 4);
	expect_read(of, 64, 6, "ffff");
	expect_read(of, 64, 10, "");
	ck_assert_uint_eq(t.shows, 6);
	close_records(of);
}
END_TEST

START_TEST(no_records)
{
	struct kernfs_open_file *of = open_records(NULL, 0);

	expect_read(of, 64, 0, "");
	expect_read(of, 64, 7, "");
	ck_assert_uint_eq(t.shows, 0);
	close_records(of);
}
END_TEST

START_TEST(records_skipped)
{
	struct kernfs_open_file *of = open_records(lengths, 6);

	t.bad = _i;
	t.bad_err = 1;
	switch (_i) {
	case 0:
		expect_read(of, 64, 0, "cccdffff");
		expect_read(of, 64, 2, "cdffff");
		break;
	case 2:
		expect_read(of, 64, 0, "aadffff");
		expect_read(of, 2, 2, "df");
		break;
	case 5:
		expect_read(of, 64, 0, "aacccd");
		expect_read(of, 64, 6, "");
		break;
	}
	close_records(of);
}
END_TEST

START_TEST(start_fails)
{
	const int err[] = { -EIO, -ENODEV, -EAGAIN };
	struct kernfs_open_file *of = open_records(lengths, 6);

	/* -ENODEV of its own: the active reference is dropped once, as always,
	 * and stop is called as always */
	t.start_err = err[_i];
	expect_err(of, 0, err[_i]);
	expect_err(of, 4, err[_i]);
	ck_assert_uint_eq(t.starts, 2);
	ck_assert_uint_eq(t.stops, 2);
	ck_assert_ptr_eq(t.last_stop, ERR_PTR(err[_i]));
	ck_assert_int_eq(kn->active, 0);
	t.start_err = 0;
	expect_read(of, 64, 4, "cdffff");
	close_records(of);
}
END_TEST

START_TEST(record_fails)
{
	struct kernfs_open_file *of = open_records(lengths, 6);

	t.bad = 3;
	t.bad_err = -EIO;
	/* what came before is delivered, then the error */
	expect_read(of, 64, 0, "aaccc");
	expect_err(of, 5, -EIO);
	expect_err(of, 7, -EIO);
	/* and what is left in the buffer, without a word about the rest */
	expect_read(of, 3, 0, "aac");
	expect_read(of, 64, 3, "cc");
	expect_err(of, 5, -EIO);
	t.bad = -1;
	expect_read(of, 64, 5, "dffff");
	ck_assert_int_eq(kn->active, 0);
	close_records(of);
}
END_TEST

START_TEST(next_fails)
{
	const int err[] = { -EIO, -ENODEV };
	struct kernfs_open_file *of = open_records(lengths, 6);

	t.bad = 2;
	t.next_err = err[_i];
	expect_read(of, 64, 0, "aaccc");
	ck_assert_ptr_eq(t.last_stop, ERR_PTR(err[_i]));
	/* goes on behind the record, as the kernel does */
	expect_read(of, 64, 5, "dffff");
	/* the same step while skipping is an error, unless it goes far enough
	 */
	expect_err(of, 7, err[_i]);
	expect_read(of, 1, 3, "c");
	ck_assert_int_eq(kn->active, 0);
	close_records(of);
}
END_TEST

START_TEST(next_does_not_move_on)
{
	struct kernfs_open_file *of = open_records(lengths + 2, 4);

	t.stuck = true;
	expect_read(of, 64, 0, "aaa");
	/* not the same record for ever */
	expect_read(of, 64, 3, "b");
	close_records(of);
}
END_TEST

START_TEST(removed_between_records)
{
	struct kernfs_open_file *of = open_records(lengths, 6);
	unsigned int starts;

	expect_read(of, 1, 0, "a");
	starts = t.starts;
	kernfs_remove(kn);
	expect_read(of, 64, 1, "a");
	expect_err(of, 2, -ENODEV);
	expect_err(of, 0, -ENODEV);
	/* neither start nor stop without the node */
	ck_assert_uint_eq(t.starts, starts);
	ck_assert_uint_eq(t.stops, starts);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(records_larger_than_a_page)
{
	static const size_t big[] = { 10, 5000, 0, 9000, 3, 4095, 4096, 1 };
	const int nr = sizeof(big) / sizeof(*big);
	struct kernfs_open_file *of = open_records(big, nr);
	char *all = malloc(30000), *got = malloc(30000);
	size_t total = 0, at = 0, step = 1;
	ssize_t len;

	for (int i = 0; i < nr; i++) {
		memset(all + total, letter(i), big[i]);
		total += big[i];
	}
	/* a record that does not fit is left for the next read */
	ck_assert_int_eq(kernfs_fop_read(of, got, 30000, 0), 10);
	while ((len = kernfs_fop_read(of, got, step, (off_t)at)) > 0) {
		ck_assert_mem_eq(got, all + at, (size_t)len);
		at += (size_t)len;
		step = step * 3 + 1;
		if (step > 20000)
			step = 7;
	}
	ck_assert_int_eq(len, 0);
	ck_assert_uint_eq(at, total);
	free(all);
	free(got);
	close_records(of);
}
END_TEST

/* Any offsets and lengths at all, against the text as a whole. */
START_TEST(random_reads)
{
	enum { NR = 40, MAX = 6000 };
	struct kernfs_open_file *of;
	size_t len[NR], total = 0;
	char *all = malloc(NR * MAX), *got = malloc(NR * MAX);
	unsigned int seed = 1000 + (unsigned int)_i;
	off_t pos = 0;

	for (int i = 0; i < NR; i++) {
		len[i] = (size_t)(rand_r(&seed) % (i % 4 ? 50 : MAX));
		memset(all + total, letter(i), len[i]);
		total += len[i];
	}
	of = open_records(len, NR);
	for (int i = 0; i < 2000; i++) {
		size_t want = (size_t)(rand_r(&seed) % (i % 3 ? 60 : 9000) + 1);
		ssize_t done;

		if (rand_r(&seed) % 8 == 0)
			pos = (off_t)((size_t)rand_r(&seed) % (total + 10));
		done = kernfs_fop_read(of, got, want, pos);
		ck_assert_int_ge(done, 0);
		if (pos >= (off_t)total) {
			ck_assert_int_eq(done, 0);
			continue;
		}
		ck_assert_int_gt(done, 0);
		ck_assert_int_le(done, (ssize_t)want);
		ck_assert_int_le(pos + done, (off_t)total);
		ck_assert_mem_eq(got, all + pos, (size_t)done);
		pos += done;
	}
	free(all);
	free(got);
	close_records(of);
}
END_TEST

/* --- printing --- */

START_TEST(printing)
{
	char buf[8];
	struct seq_file sf = { .buf = buf, .size = sizeof(buf) };

	seq_printf(&sf, "%d%s", 12, "x");
	seq_putc(&sf, '\0');
	ck_assert_int_eq(seq_write(&sf, "\0y", 2), 0);
	ck_assert_uint_eq(sf.count, 6);
	ck_assert_mem_eq(buf, "12x\0\0y", 6);
	seq_puts(&sf, "");
	ck_assert_uint_eq(sf.count, 6);
	seq_putc(&sf, 'z');
	/* one byte short of the size is what fits */
	ck_assert_uint_eq(sf.count, 7);
	ck_assert_int_eq(seq_write(&sf, "", 0), 0);
	seq_putc(&sf, '!');
	ck_assert_uint_eq(sf.count, sf.size);
	ck_assert_int_eq(seq_write(&sf, "", 0), -1);
	ck_assert_int_eq(seq_write(&sf, "a", 1), -1);
	seq_printf(&sf, "%s", "much more than fits");
	seq_puts(&sf, "more");
	ck_assert_uint_eq(sf.count, sf.size);
}
END_TEST

START_TEST(formatted_to_the_brim)
{
	char buf[8];
	struct seq_file sf = { .buf = buf, .size = sizeof(buf) };

	seq_printf(&sf, "%.*s", _i, "123456789");
	if (_i < 8) {
		ck_assert_uint_eq(sf.count, (size_t)_i);
		ck_assert_mem_eq(buf, "123456789", (size_t)_i);
	} else {
		ck_assert_uint_eq(sf.count, sf.size);
	}
}
END_TEST

static TCase *new_case(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	return tc;
}

static Suite *seq_file_suite(void)
{
	Suite *s = suite_create("kernfs-seq_file");
	TCase *tc = new_case(s, "single record");

	tcase_add_test(tc, show_runs_again_at_offset_0);
	tcase_add_test(tc, short_reads_come_from_the_buffer);
	tcase_add_test(tc, another_offset_shows_and_skips);
	tcase_add_test(tc, nothing_to_read);
	tcase_add_test(tc, errors_of_show);
	tcase_add_test(tc, skipped_record);
	tcase_add_loop_test(tc, overflow_shows_again, 0, 6);
	tcase_add_test(tc, endless_overflow_ends);

	tc = new_case(s, "removal");
	tcase_add_test(tc, leftovers_survive_removal);
	tcase_add_test(tc, exact_leftovers_survive_removal);
	tcase_add_test(tc, end_of_file_needs_the_node);
	tcase_add_test(tc, seek_in_a_removed_file_loses_the_leftovers);
	tcase_add_test(tc, hide_and_show_again);

	tc = new_case(s, "iterators");
	tcase_add_test(tc, records_fill_the_reader);
	tcase_add_test(tc, no_more_records_than_wanted);
	tcase_add_test(tc, no_records);
	tcase_add_loop_test(tc, records_skipped, 0, 6);
	tcase_add_loop_test(tc, start_fails, 0, 3);
	tcase_add_test(tc, record_fails);
	tcase_add_loop_test(tc, next_fails, 0, 2);
	tcase_add_test(tc, next_does_not_move_on);
	tcase_add_test(tc, removed_between_records);
	tcase_add_test(tc, records_larger_than_a_page);
	tcase_add_loop_test(tc, random_reads, 0, 4);

	tc = tcase_create("printing");
	tcase_add_test(tc, printing);
	tcase_add_loop_test(tc, formatted_to_the_brim, 0, 10);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	SRunner *sr = srunner_create(seq_file_suite());
	int failed;

	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
