/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads, writes and seeks: what callbacks get, what callers get. */
#include "test/unit/testroot.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What the callback under test does, and what it was given. */
static struct {
	ssize_t ret; /* to return; CLAMP: as many as asked for */
	unsigned int calls;
	size_t bytes;
	off_t pos;
	const char *buf;
	char copy[3 * KERNFS_PAGE_SIZE];
	off_t cur;
	int whence;
} t;

#define CLAMP (-99999)

static struct kernfs_root *root;
static struct kernfs_node *kn;

static void setup(void)
{
	memset(&t, 0, sizeof(t));
	t.ret = CLAMP;
	root = test_create_root(0);
}

static void teardown(void)
{
	test_destroy_root(root);
}

static struct kernfs_node *new_file(const char *name, off_t size,
				    const struct kernfs_ops *ops)
{
	struct kernfs_node *file =
		__kernfs_create_file(kernfs_root_to_node(root), name, 0644, 0,
				     0, size, ops, NULL, NULL);

	ck_assert(!IS_ERR(file));
	return file;
}

static struct kernfs_open_file *open_with(const struct kernfs_ops *ops)
{
	struct kernfs_open_file *of;

	kn = new_file("file", 100, ops);
	ck_assert_int_eq(kernfs_fop_open(kn, O_RDWR, &of), 0);
	return of;
}

static ssize_t read_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
		       off_t off)
{
	ck_assert_ptr_eq(of->kn, kn);
	t.calls++;
	t.buf = buf;
	t.bytes = bytes;
	t.pos = off;
	for (size_t i = 0; i < bytes; i++)
		buf[i] = (char)('a' + (size_t)off % 26 + i % 3);
	return t.ret == CLAMP ? (ssize_t)bytes : t.ret;
}

static ssize_t write_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
			off_t off)
{
	ck_assert_ptr_eq(of->kn, kn);
	t.calls++;
	t.buf = buf;
	t.bytes = bytes;
	t.pos = off;
	ck_assert_uint_eq((size_t)(unsigned char)buf[bytes], 0);
	ck_assert_uint_le(bytes, sizeof(t.copy));
	memcpy(t.copy, buf, bytes);
	/* the buffer is the callback's, for strsep() and the like */
	memset(buf, '#', bytes + 1);
	return t.ret == CLAMP ? (ssize_t)bytes : t.ret;
}

static const struct kernfs_ops direct_ops = {
	.read = read_cb,
	.write = write_cb,
};
static const struct kernfs_ops prealloc_ops = {
	.read = read_cb,
	.write = write_cb,
	.prealloc = true,
};
/* less than a page, so that a read needs more than a write */
static const struct kernfs_ops small_prealloc_ops = {
	.read = read_cb,
	.write = write_cb,
	.prealloc = true,
	.atomic_write_len = 16,
};
static const struct kernfs_ops no_ops = { .prealloc = false };

static const struct kernfs_ops *const direct[] = { &direct_ops, &prealloc_ops,
						   &small_prealloc_ops };

/* --- read --- */

START_TEST(read_passes_offset_and_size)
{
	struct kernfs_open_file *of = open_with(direct[_i]);
	char buf[32] = "";

	ck_assert_int_eq(kernfs_fop_read(of, buf, 5, 27), 5);
	ck_assert_uint_eq(t.bytes, 5);
	ck_assert_int_eq(t.pos, 27);
	ck_assert_str_eq(buf, "bcdbc");
	/* no notion of a current offset, no end, no buffer kept */
	ck_assert_int_eq(kernfs_fop_read(of, buf, 3, 0), 3);
	ck_assert_str_eq(buf, "abcbc");
	ck_assert_int_eq(t.pos, 0);
	ck_assert_uint_eq(t.calls, 2);
	t.ret = 1;
	ck_assert_int_eq(kernfs_fop_read(of, buf, 3, 1000), 1);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(read_is_a_page_at_most)
{
	struct kernfs_open_file *of = open_with(direct[_i]);
	char *buf = malloc(1 << 20);

	ck_assert_int_eq(kernfs_fop_read(of, buf, 1 << 20, 0), 4096);
	ck_assert_uint_eq(t.bytes, 4096);
	ck_assert_int_eq(kernfs_fop_read(of, buf, 4096, 0), 4096);
	ck_assert_int_eq(kernfs_fop_read(of, buf, 4095, 0), 4095);
	free(buf);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(read_results)
{
	struct kernfs_open_file *of = open_with(direct[_i]);
	char buf[8];

	t.ret = 0;
	ck_assert_int_eq(kernfs_fop_read(of, buf, 8, 0), 0);
	t.ret = -EXDEV;
	ck_assert_int_eq(kernfs_fop_read(of, buf, 8, 0), -EXDEV);
	/* a mistake of the callback's, which does not become ours */
	t.ret = 9;
	ck_assert_int_eq(kernfs_fop_read(of, buf, 8, 0), 8);
	ck_assert_uint_eq(t.calls, 3);
	/* what asks for nothing comes, too */
	t.ret = -EBUSY;
	ck_assert_int_eq(kernfs_fop_read(of, buf, 0, 0), -EBUSY);
	ck_assert_uint_eq(t.calls, 4);
	/* these need no callback */
	ck_assert_int_eq(kernfs_fop_read(of, buf, 8, -1), -EINVAL);
	ck_assert_int_eq(kernfs_fop_read(of, buf, SIZE_MAX, 0), -EINVAL);
	ck_assert_uint_eq(t.calls, 4);
	kernfs_remove(kn);
	ck_assert_int_eq(kernfs_fop_read(of, buf, 8, 0), -ENODEV);
	ck_assert_int_eq(kernfs_fop_read(of, buf, 0, 0), -ENODEV);
	ck_assert_uint_eq(t.calls, 4);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(no_callbacks)
{
	struct kernfs_open_file *of = open_with(&no_ops);
	char buf[8] = "";

	ck_assert_int_eq(kernfs_fop_read(of, buf, 8, 0), -EINVAL);
	ck_assert_int_eq(kernfs_fop_write(of, buf, 8, 0), -EINVAL);
	kernfs_remove(kn);
	ck_assert_int_eq(kernfs_fop_read(of, buf, 8, 0), -ENODEV);
	ck_assert_int_eq(kernfs_fop_write(of, buf, 8, 0), -ENODEV);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(prealloc_has_one_buffer)
{
	struct kernfs_open_file *of = open_with(&prealloc_ops);
	const char *first;
	char buf[8];

	ck_assert_int_eq(kernfs_fop_read(of, buf, 3, 0), 3);
	ck_assert_mem_eq(buf, "abc", 3);
	first = t.buf;
	ck_assert_int_eq(kernfs_fop_read(of, buf, 8, 0), 8);
	ck_assert_ptr_eq(t.buf, first);
	ck_assert_int_eq(kernfs_fop_write(of, "xyz", 3, 0), 3);
	ck_assert_ptr_eq(t.buf, first);
	kernfs_fop_release(of);
}
END_TEST

/* --- write --- */

START_TEST(write_passes_offset_and_size)
{
	struct kernfs_open_file *of = open_with(direct[_i]);

	ck_assert_int_eq(kernfs_fop_write(of, "hello world", 11, 50), 11);
	ck_assert_uint_eq(t.bytes, 11);
	ck_assert_int_eq(t.pos, 50);
	ck_assert_mem_eq(t.copy, "hello world", 11);
	/* shorter: no remains of the longer one */
	ck_assert_int_eq(kernfs_fop_write(of, "bye", 3, 0), 3);
	ck_assert_mem_eq(t.copy, "bye", 3);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(write_is_short_at_a_page)
{
	struct kernfs_open_file *of = open_with(direct[_i]);
	char *buf = malloc(10000);

	memset(buf, 'w', 10000);
	ck_assert_int_eq(kernfs_fop_write(of, buf, 10000, 0), 4096);
	ck_assert_uint_eq(t.bytes, 4096);
	ck_assert_int_eq(kernfs_fop_write(of, buf, 10000 - 4096, 4096), 4096);
	ck_assert_int_eq(t.pos, 4096);
	ck_assert_int_eq(kernfs_fop_write(of, buf, 10000 - 8192, 8192), 1808);
	ck_assert_uint_eq(t.bytes, 1808);
	ck_assert_int_eq(kernfs_fop_write(of, buf, 4096, 0), 4096);
	free(buf);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(write_results)
{
	struct kernfs_open_file *of = open_with(direct[_i]);

	t.ret = 2;
	ck_assert_int_eq(kernfs_fop_write(of, "abc", 3, 0), 2);
	t.ret = 0;
	ck_assert_int_eq(kernfs_fop_write(of, "abc", 3, 0), 0);
	t.ret = -EBUSY;
	ck_assert_int_eq(kernfs_fop_write(of, "abc", 3, 0), -EBUSY);
	t.ret = 4;
	ck_assert_int_eq(kernfs_fop_write(of, "abc", 3, 0), 3);
	/* nothing comes as nothing, and a NUL */
	t.ret = -EBUSY;
	ck_assert_int_eq(kernfs_fop_write(of, "abc", 0, 0), -EBUSY);
	ck_assert_uint_eq(t.calls, 5);
	/* these need no callback */
	ck_assert_int_eq(kernfs_fop_write(of, "abc", 3, -1), -EINVAL);
	ck_assert_int_eq(kernfs_fop_write(of, "abc", SIZE_MAX, 0), -EINVAL);
	ck_assert_uint_eq(t.calls, 5);
	kernfs_remove(kn);
	ck_assert_int_eq(kernfs_fop_write(of, "abc", 3, 0), -ENODEV);
	ck_assert_int_eq(kernfs_fop_write(of, "abc", 0, 0), -ENODEV);
	ck_assert_uint_eq(t.calls, 5);
	kernfs_fop_release(of);
}
END_TEST

#define ATOMIC_LEN 10000

START_TEST(atomic_write_is_all_or_nothing)
{
	/* copied into the open file: ops are gone after removal */
	struct kernfs_ops *ops = calloc(1, sizeof(*ops));
	struct kernfs_open_file *of;
	char *buf = malloc(ATOMIC_LEN + 1);

	ops->write = write_cb;
	ops->atomic_write_len = ATOMIC_LEN;
	ops->prealloc = _i;
	of = open_with(ops);
	memset(buf, 'w', ATOMIC_LEN + 1);
	ck_assert_int_eq(kernfs_fop_write(of, buf, ATOMIC_LEN, 0), ATOMIC_LEN);
	ck_assert_uint_eq(t.bytes, ATOMIC_LEN);
	ck_assert_mem_eq(t.copy, buf, ATOMIC_LEN);
	ck_assert_int_eq(kernfs_fop_write(of, buf, ATOMIC_LEN + 1, 0), -E2BIG);
	ck_assert_uint_eq(t.calls, 1);
	ck_assert_int_eq(kernfs_fop_write(of, buf, 1, 0), 1);
	kernfs_remove(kn);
	free(ops);
	/* the size is tested first */
	ck_assert_int_eq(kernfs_fop_write(of, buf, ATOMIC_LEN + 1, 0), -E2BIG);
	ck_assert_int_eq(kernfs_fop_write(of, buf, ATOMIC_LEN, 0), -ENODEV);
	ck_assert_int_eq(kernfs_fop_read(of, buf, 1, 0), -ENODEV);
	ck_assert_int_eq(kernfs_fop_llseek(of, 0, 0, SEEK_SET), -ENODEV);
	ck_assert_uint_eq(t.calls, 2);
	kernfs_fop_release(of);
	free(buf);
}
END_TEST

/* --- llseek --- */

#define EOF_AT 100
#define MAX_AT 0x7fffffffL

/* As seen on sysfs of Linux 6.18, with an st_size of EOF_AT. */
static const struct {
	off_t pos, offset;
	int whence;
	off_t want;
} seek_case[] = {
	{ 0, 0, SEEK_SET, 0 },
	{ 50, 7, SEEK_SET, 7 },
	{ 0, 5000, SEEK_SET, 5000 },
	{ 0, -1, SEEK_SET, -EINVAL },
	{ 0, MAX_AT, SEEK_SET, MAX_AT },
	{ 0, MAX_AT + 1, SEEK_SET, -EINVAL },
	{ 0, INT64_MAX, SEEK_SET, -EINVAL },
	{ 10, 0, SEEK_CUR, 10 },
	{ 10, -3, SEEK_CUR, 7 },
	{ 10, -10, SEEK_CUR, 0 },
	{ 10, -11, SEEK_CUR, -EINVAL },
	{ 10, INT64_MAX, SEEK_CUR, -EINVAL },
	{ 0, 0, SEEK_END, EOF_AT },
	{ 0, 1, SEEK_END, EOF_AT + 1 },
	{ 0, -EOF_AT, SEEK_END, 0 },
	{ 0, -EOF_AT - 1, SEEK_END, -EINVAL },
	{ 0, INT64_MAX, SEEK_END, -EINVAL },
	{ 0, INT64_MIN, SEEK_END, -EINVAL },
	{ 50, 0, SEEK_DATA, 0 },
	{ 0, EOF_AT - 1, SEEK_DATA, EOF_AT - 1 },
	{ 0, EOF_AT, SEEK_DATA, -ENXIO },
	{ 0, -1, SEEK_DATA, -ENXIO },
	{ 0, 0, SEEK_HOLE, EOF_AT },
	{ 50, EOF_AT - 1, SEEK_HOLE, EOF_AT },
	{ 0, EOF_AT, SEEK_HOLE, -ENXIO },
	{ 0, -1, SEEK_HOLE, -ENXIO },
	{ 0, 0, SEEK_HOLE + 1, -EINVAL },
	{ 0, 0, -1, -EINVAL },
};

#define NR_SEEK_CASES ((int)(sizeof(seek_case) / sizeof(*seek_case)))

START_TEST(llseek_table)
{
	struct kernfs_open_file *of = open_with(&no_ops);
	off_t got = kernfs_fop_llseek(of, seek_case[_i].pos,
				      seek_case[_i].offset,
				      seek_case[_i].whence);

	ck_assert_int_eq(got, seek_case[_i].want);
	kernfs_fop_release(of);
}
END_TEST

static off_t llseek_cb(struct kernfs_open_file *of, off_t pos, off_t offset,
		       int whence)
{
	ck_assert_ptr_eq(of->kn, kn);
	t.calls++;
	t.cur = pos;
	t.pos = offset;
	t.whence = whence;
	return t.ret;
}

static const struct kernfs_ops llseek_ops = { .llseek = llseek_cb };

START_TEST(llseek_callback)
{
	struct kernfs_open_file *of = open_with(&llseek_ops);

	t.ret = 4242;
	ck_assert_int_eq(kernfs_fop_llseek(of, 3, -4, SEEK_END), 4242);
	ck_assert_int_eq(t.cur, 3);
	ck_assert_int_eq(t.pos, -4);
	ck_assert_int_eq(t.whence, SEEK_END);
	t.ret = -ESPIPE;
	ck_assert_int_eq(kernfs_fop_llseek(of, 0, 0, SEEK_SET), -ESPIPE);
	ck_assert_int_eq(kernfs_fop_llseek(of, 0, 0, 77), -EINVAL);
	ck_assert_uint_eq(t.calls, 2);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(llseek_needs_the_node)
{
	const int whence[] = { SEEK_SET, SEEK_CUR, SEEK_END, SEEK_DATA,
			       SEEK_HOLE };
	struct kernfs_open_file *of = open_with(&no_ops);

	kernfs_show(kn, false);
	ck_assert_int_eq(kernfs_fop_llseek(of, 0, 0, whence[_i]), -ENODEV);
	kernfs_show(kn, true);
	ck_assert_int_ge(kernfs_fop_llseek(of, 0, 0, whence[_i]), 0);
	kernfs_remove(kn);
	ck_assert_int_eq(kernfs_fop_llseek(of, 0, 0, whence[_i]), -ENODEV);
	kernfs_fop_release(of);
}
END_TEST

/* --- what runs beside a callback --- */

/* A callback that says it has come and waits to be let go. */
static pthread_barrier_t came, may_go;

static int waiting_show(struct seq_file *sf, void *v)
{
	(void)v;
	pthread_barrier_wait(&came);
	pthread_barrier_wait(&may_go);
	seq_puts(sf, "done");
	return 0;
}

static const struct kernfs_ops waiting_ops = { .seq_show = waiting_show };

static void *read_thread(void *arg)
{
	struct kernfs_open_file *of = arg;
	char buf[8] = "";

	ck_assert_int_eq(kernfs_fop_read(of, buf, 8, 0), 4);
	ck_assert_str_eq(buf, "done");
	return NULL;
}

static atomic_bool removed;

static void *remove_thread(void *arg)
{
	(void)arg;
	kernfs_remove(kn);
	atomic_store(&removed, true);
	return NULL;
}

static void *hide_thread(void *arg)
{
	(void)arg;
	kernfs_show(kn, false);
	atomic_store(&removed, true);
	return NULL;
}

START_TEST(drain_waits_for_a_callback)
{
	struct kernfs_open_file *of = open_with(&waiting_ops), *second;
	pthread_t reader, remover;
	char buf[8];

	ck_assert_int_eq(kernfs_fop_open(kn, O_RDONLY, &second), 0);
	pthread_barrier_init(&came, NULL, 2);
	pthread_barrier_init(&may_go, NULL, 2);
	atomic_store(&removed, false);
	pthread_create(&reader, NULL, read_thread, of);
	pthread_barrier_wait(&came);
	pthread_create(&remover, NULL, _i ? hide_thread : remove_thread, NULL);
	while (kernfs_active(kn))
		sched_yield();
	/* new operations fail at once, they do not wait */
	ck_assert_int_eq(kernfs_fop_read(second, buf, 8, 0), -ENODEV);
	ck_assert_int_eq(kernfs_fop_open(kn, O_RDONLY, &second), -ENODEV);
	usleep(20000);
	ck_assert(!atomic_load(&removed));
	pthread_barrier_wait(&may_go);
	pthread_join(reader, NULL);
	pthread_join(remover, NULL);
	ck_assert(atomic_load(&removed));
	kernfs_fop_release(second);
	kernfs_fop_release(of);
	pthread_barrier_destroy(&came);
	pthread_barrier_destroy(&may_go);
}
END_TEST

static atomic_int inside;

/* Two at once would be seen by one of them. */
static ssize_t alone(struct kernfs_open_file *of)
{
	(void)of;
	ck_assert_int_eq(atomic_fetch_add(&inside, 1), 0);
	sched_yield();
	ck_assert_int_eq(atomic_fetch_sub(&inside, 1), 1);
	return 1;
}

static ssize_t alone_read(struct kernfs_open_file *of, char *buf, size_t bytes,
			  off_t off)
{
	(void)bytes, (void)off;
	buf[0] = 'x';
	return alone(of);
}

static ssize_t alone_write(struct kernfs_open_file *of, char *buf, size_t bytes,
			   off_t off)
{
	(void)bytes, (void)off;
	ck_assert_int_eq(buf[0], 'x');
	return alone(of);
}

static off_t alone_llseek(struct kernfs_open_file *of, off_t pos, off_t offset,
			  int whence)
{
	(void)pos, (void)offset, (void)whence;
	return alone(of);
}

static const struct kernfs_ops alone_ops[] = {
	{ .read = alone_read, .write = alone_write, .llseek = alone_llseek },
	{
		.read = alone_read,
		.write = alone_write,
		.llseek = alone_llseek,
		.prealloc = true,
	},
};

static void *mixed_thread(void *arg)
{
	struct kernfs_open_file *of = arg;
	char c;

	for (int i = 0; i < 500; i++) {
		ck_assert_int_eq(kernfs_fop_read(of, &c, 1, 0), 1);
		ck_assert_int_eq(c, 'x');
		ck_assert_int_eq(kernfs_fop_write(of, "x", 1, 0), 1);
		ck_assert_int_eq(kernfs_fop_llseek(of, 0, 0, SEEK_SET), 1);
	}
	return NULL;
}

START_TEST(callbacks_of_one_open_file_take_turns)
{
	struct kernfs_open_file *of = open_with(&alone_ops[_i]);
	pthread_t thread[4];

	atomic_store(&inside, 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, mixed_thread, of);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	kernfs_fop_release(of);
}
END_TEST

/* Both must be inside before either leaves. */
START_TEST(open_files_of_one_node_do_not_wait_for_each_other)
{
	struct kernfs_open_file *of = open_with(&waiting_ops), *second;
	pthread_t thread[2];

	ck_assert_int_eq(kernfs_fop_open(kn, O_RDONLY, &second), 0);
	pthread_barrier_init(&came, NULL, 3);
	pthread_barrier_init(&may_go, NULL, 2);
	pthread_create(&thread[0], NULL, read_thread, of);
	pthread_create(&thread[1], NULL, read_thread, second);
	pthread_barrier_wait(&came);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	kernfs_fop_release(second);
	kernfs_fop_release(of);
	pthread_barrier_destroy(&came);
	pthread_barrier_destroy(&may_go);
}
END_TEST

/* --- callbacks that change the tree --- */

static ssize_t busy_write(struct kernfs_open_file *of, char *buf, size_t bytes,
			  off_t off)
{
	struct kernfs_node *dir = kernfs_get_parent(of->kn), *other;
	struct kernfs_open_file *inner;

	(void)buf, (void)off;
	other = new_file("other", 0, &direct_ops);
	ck_assert_int_eq(kernfs_rename(other, dir, "renamed"), 0);
	ck_assert_int_eq(kernfs_fop_open(other, O_RDWR, &inner), 0);
	kernfs_remove_by_name(dir, "renamed");
	kernfs_fop_release(inner);
	ck_assert_int_eq(kernfs_fop_open(of->kn, O_RDWR, &inner), 0);
	kernfs_fop_release(inner);
	kernfs_put(dir);
	return (ssize_t)bytes;
}

static const struct kernfs_ops busy_ops = { .write = busy_write };

START_TEST(callback_changes_the_tree)
{
	struct kernfs_open_file *of = open_with(&busy_ops);

	ck_assert_int_eq(kernfs_fop_write(of, "x", 1, 0), 1);
	ck_assert_int_eq(kernfs_fop_write(of, "x", 1, 0), 1);
	kernfs_fop_release(of);
}
END_TEST

static ssize_t suicidal_write(struct kernfs_open_file *of, char *buf,
			      size_t bytes, off_t off)
{
	(void)buf, (void)off;
	ck_assert(kernfs_remove_self(of->kn));
	return (ssize_t)bytes;
}

static const struct kernfs_ops suicidal_ops = { .write = suicidal_write };

START_TEST(callback_removes_its_own_node)
{
	struct kernfs_open_file *of = open_with(&suicidal_ops);

	ck_assert_int_eq(kernfs_fop_write(of, "x", 1, 0), 1);
	ck_assert_int_eq(kernfs_fop_write(of, "x", 1, 0), -ENODEV);
	ck_assert_ptr_null(
		kernfs_find_and_get(kernfs_root_to_node(root), "file"));
	kernfs_fop_release(of);
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

static Suite *file_suite(void)
{
	Suite *s = suite_create("kernfs-file");
	TCase *tc = new_case(s, "read");

	tcase_add_loop_test(tc, read_passes_offset_and_size, 0, 3);
	tcase_add_loop_test(tc, read_is_a_page_at_most, 0, 3);
	tcase_add_loop_test(tc, read_results, 0, 3);
	tcase_add_test(tc, no_callbacks);
	tcase_add_test(tc, prealloc_has_one_buffer);

	tc = new_case(s, "write");
	tcase_add_loop_test(tc, write_passes_offset_and_size, 0, 3);
	tcase_add_loop_test(tc, write_is_short_at_a_page, 0, 2);
	tcase_add_loop_test(tc, write_results, 0, 3);
	tcase_add_loop_test(tc, atomic_write_is_all_or_nothing, 0, 2);

	tc = new_case(s, "llseek");
	tcase_add_loop_test(tc, llseek_table, 0, NR_SEEK_CASES);
	tcase_add_test(tc, llseek_callback);
	tcase_add_loop_test(tc, llseek_needs_the_node, 0, 5);

	tc = new_case(s, "beside");
	tcase_add_loop_test(tc, drain_waits_for_a_callback, 0, 2);
	tcase_add_loop_test(tc, callbacks_of_one_open_file_take_turns, 0, 2);
	tcase_add_test(tc, open_files_of_one_node_do_not_wait_for_each_other);

	tc = new_case(s, "tree");
	tcase_add_test(tc, callback_changes_the_tree);
	tcase_add_test(tc, callback_removes_its_own_node);
	return s;
}

int main(void)
{
	SRunner *sr = srunner_create(file_suite());
	int failed;

	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
