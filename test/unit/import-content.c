/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an imported file serves: reads, writes and sizes of each kind. */
#include "fs/import/content.h"

#include <kernfuse/poll.h>

#include <fcntl.h>
#include <sys/epoll.h>

#include "test/unit/import-fixture.h"

#define PAGE KERNFS_PAGE_SIZE

static struct kernfs_node *add(const char *name, mode_t mode, const void *data,
			       size_t len, int error)
{
	struct kf_content *content = kf_content_create(data, len, error);
	struct kernfs_node *kn;

	ck_assert_ptr_nonnull(content);
	kf_content_store_add(store, content);
	kn = __kernfs_create_file(kernfs_root_to_node(root), name, mode, 0, 0,
				  kf_content_size(content),
				  kf_content_ops(content, mode), content, NULL);
	ck_assert(!IS_ERR(kn));
	return kn;
}

static struct kernfs_node *add_text(const char *name, mode_t mode,
				    const char *text)
{
	return add(name, mode, text, strlen(text), 0);
}

/* Bytes that differ from place to place, with NULs among them. */
static unsigned char *pattern(size_t len)
{
	unsigned char *bytes = malloc(len);
	size_t i;

	ck_assert_ptr_nonnull(bytes);
	for (i = 0; i < len; i++)
		bytes[i] = (unsigned char)(i * 7 + i / 256);
	return bytes;
}

START_TEST(text_is_read_at_any_offset)
{
	struct kernfs_node *kn = add_text("t", 0444, "0-1\n");
	char buf[16];

	expect_text("t", "0-1\n");
	ck_assert_int_eq(read_at(kn, buf, sizeof(buf), 1), 3);
	ck_assert_mem_eq(buf, "-1\n", 3);
	ck_assert_int_eq(read_at(kn, buf, sizeof(buf), 1000), 0);
	ck_assert_int_eq(write_at(kn, "x", 1, 0), -EACCES);
}
END_TEST

START_TEST(empty_value_is_a_value)
{
	add_text("e", 0644, "");
	expect_text("e", "");
	ck_assert_int_eq(stat_node("e").st_size, PAGE);
	ck_assert_int_eq(write_at(need("e"), "now", 3, 0), 3);
	expect_text("e", "now");
}
END_TEST

/* As a sysfs store callback: the whole value, at any offset. */
START_TEST(write_replaces_the_whole_text)
{
	struct kernfs_node *kn = add_text("t", 0644, "a longer value\n");
	char page[PAGE];

	ck_assert_int_eq(write_at(kn, "b\n", 2, 0), 2);
	expect_text("t", "b\n");
	ck_assert_int_eq(write_at(kn, "offset", 6, 50), 6);
	expect_text("t", "offset");
	ck_assert_int_eq(write_at(kn, "", 0, 0), 0);
	expect_text("t", "offset");
	ck_assert_int_eq(write_at(kn, "n\0l", 3, 0), 3);
	expect_bytes("t", "n\0l", 3);
	memset(page, 'p', sizeof(page));
	ck_assert_int_eq(write_at(kn, page, sizeof(page), 0), PAGE);
	expect_bytes("t", page, sizeof(page));
}
END_TEST

START_TEST(binary_is_read_a_page_at_a_time)
{
	size_t len = 256 * 1024 + 5;
	unsigned char *bytes = pattern(len);
	struct kernfs_node *kn = add("b", 0444, bytes, len, 0);
	char buf[2 * PAGE];

	expect_bytes("b", bytes, len);
	/* a page at most, from exactly where it was asked for */
	ck_assert_int_eq(read_at(kn, buf, sizeof(buf), 12345), PAGE);
	ck_assert_mem_eq(buf, bytes + 12345, PAGE);
	ck_assert_int_eq(read_at(kn, buf, sizeof(buf), (off_t)len - 2), 2);
	ck_assert_mem_eq(buf, bytes + len - 2, 2);
	ck_assert_int_eq(read_at(kn, buf, sizeof(buf), (off_t)len), 0);
	ck_assert_int_eq(read_at(kn, buf, sizeof(buf), INT64_MAX - PAGE), 0);
	ck_assert_int_eq(stat_node("b").st_size, len);
	free(bytes);
}
END_TEST

/* Within the length it has, which does not change. */
START_TEST(binary_keeps_its_length)
{
	char bytes[6] = "ab\0def";
	struct kernfs_node *kn = add("b", 0644, bytes, sizeof(bytes), 0);

	ck_assert_int_eq(write_at(kn, "XY", 2, 1), 2);
	expect_bytes("b", "aXYdef", 6);
	ck_assert_int_eq(write_at(kn, "123456", 6, 4), 2);
	expect_bytes("b", "aXYd12", 6);
	ck_assert_int_eq(write_at(kn, "z", 1, 6), -EFBIG);
	ck_assert_int_eq(write_at(kn, "z", 1, 1 << 20), -EFBIG);
	expect_bytes("b", "aXYd12", 6);
}
END_TEST

/* 4095 bytes are the longest text; 4096 without a NUL still look like one. */
START_TEST(kind_follows_length_and_nuls)
{
	char bytes[PAGE + 1];
	size_t len;

	memset(bytes, 'x', sizeof(bytes));
	for (len = PAGE - 1; len <= PAGE + 1; len++) {
		struct kf_content *c = kf_content_create(bytes, len, 0);
		const struct kernfs_ops *ops = kf_content_ops(c, 0644);

		ck_assert_int_eq(!!ops->seq_show, len < PAGE);
		ck_assert_int_eq(!!ops->read, len >= PAGE);
		ck_assert_int_eq(kf_content_size(c),
				 len > PAGE ? (off_t)len : PAGE);
		kf_content_free(c);
	}
	add("full", 0444, bytes, PAGE, 0);
	expect_bytes("full", bytes, PAGE);
	add("nul", 0444, "\0", 1, 0);
	ck_assert_int_eq(stat_node("nul").st_size, 1);
	expect_bytes("nul", "\0", 1);
}
END_TEST

START_TEST(error_is_returned_until_written_over)
{
	struct kernfs_node *kn = add("bad", 0644, NULL, 0, EIO);

	expect_error("bad", EIO);
	expect_error("bad", EIO);
	ck_assert_int_eq(stat_node("bad").st_size, PAGE);
	ck_assert_int_eq(write_at(kn, "good", 4, 0), 4);
	expect_text("bad", "good");
}
END_TEST

/* Which callbacks there are is what the extra open check goes by. */
START_TEST(callbacks_follow_the_mode)
{
	struct kf_content *c = kf_content_create("x", 1, 0);
	static const mode_t modes[] = { 0,    0400, 0040, 0004, 0200,
					0020, 0002, 0644, 0222, 0111 };
	size_t i;

	for (i = 0; i < NR_OF(modes); i++) {
		const struct kernfs_ops *ops = kf_content_ops(c, modes[i]);

		ck_assert_int_eq(!!ops->seq_show, !!(modes[i] & 0444));
		ck_assert_int_eq(!!ops->write, !!(modes[i] & 0222));
		ck_assert_ptr_null(ops->read);
	}
	ck_assert_ptr_nonnull(kf_content_ops(NULL, 0200)->write);
	ck_assert_int_eq(kf_content_size(NULL), PAGE);
	kf_content_free(c);
}
END_TEST

START_TEST(write_only_file_forgets)
{
	struct kernfs_node *kn = add_text("w", 0200, "secret");
	char buf[8];

	ck_assert_int_eq(read_at(kn, buf, sizeof(buf), 0), -EACCES);
	ck_assert_int_eq(write_at(kn, "1\n", 2, 0), 2);
}
END_TEST

/* Does writing this tell those who have read what was there? */
static bool is_news(struct kernfs_node *kn, const char *text, size_t len)
{
	struct kernfs_open_file *of;
	char buf[PAGE];
	bool news;

	ck_assert_int_eq(kernfs_fop_open(kn, O_RDWR, &of), 0);
	(void)kernfs_fop_read(of, buf, sizeof(buf), 0);
	ck_assert_int_eq(write_at(kn, text, len, 0), (ssize_t)len);
	news = kernfs_fop_poll(of, NULL) & EPOLLPRI;
	kernfs_fop_release(of);
	return news;
}

START_TEST(change_is_news)
{
	struct kernfs_node *text = add_text("t", 0644, "on\n");
	struct kernfs_node *binary = add("b", 0644, "a\0b", 3, 0);
	struct kernfs_node *error = add("e", 0644, NULL, 0, EIO);

	ck_assert(is_news(text, "off\n", 4));
	ck_assert(!is_news(text, "off\n", 4));
	ck_assert(is_news(text, "of", 2));
	ck_assert(is_news(binary, "x", 1));
	ck_assert(!is_news(binary, "x", 1));
	ck_assert(is_news(error, "y", 1));
	ck_assert(!is_news(error, "y", 1));
}
END_TEST

/* --- a value is never a mix of two --- */

#define VALUE_LEN 4000
#define ROUNDS 4000

static void *write_values(void *arg)
{
	char value[VALUE_LEN];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		memset(value, "ab"[i & 1], sizeof(value));
		ck_assert_int_eq(write_at(arg, value, sizeof(value), 0),
				 VALUE_LEN);
	}
	return NULL;
}

static void read_whole_values(struct kernfs_node *kn)
{
	char value[VALUE_LEN + 1];
	pthread_t writer = thread_start(write_values, kn);
	int i;

	for (i = 0; i < ROUNDS; i++) {
		ck_assert_int_eq(read_at(kn, value, sizeof(value), 0),
				 VALUE_LEN);
		ck_assert_mem_eq(value, value + 1, VALUE_LEN - 1);
	}
	thread_join(writer);
}

START_TEST(text_is_never_a_mix)
{
	char value[VALUE_LEN];

	memset(value, 'a', sizeof(value));
	read_whole_values(add("t", 0644, value, sizeof(value), 0));
}
END_TEST

START_TEST(binary_is_never_a_mix)
{
	char value[VALUE_LEN] = { 0 };

	read_whole_values(add("b", 0644, value, sizeof(value), 0));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		text_is_read_at_any_offset,
		empty_value_is_a_value,
		write_replaces_the_whole_text,
		binary_is_read_a_page_at_a_time,
		binary_keeps_its_length,
		kind_follows_length_and_nuls,
		error_is_returned_until_written_over,
		callbacks_follow_the_mode,
		write_only_file_forgets,
		change_is_news,
		text_is_never_a_mix,
		binary_is_never_a_mix,
	};

	return run_in_scratch("import-content", tests, NR_OF(tests));
}
