/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening and closing, and who calls release: exactly once, whatever races,
 * never beside another callback, never with a lock held.
 */
#include "fs/kernfs/open-file.h"
#include "test/unit/testroot.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct kernfs_root *root;
static struct kernfs_node *top;

static void use_root(unsigned int flags, unsigned int nr_locks)
{
	root = test_create_root_locks(flags, nr_locks);
	top = kernfs_root_to_node(root);
}

static void setup(void)
{
	use_root(0, 0);
}

/* every collision there can be */
static void setup_one_lock(void)
{
	use_root(0, 1);
}

static void setup_strict(void)
{
	use_root(KERNFS_ROOT_EXTRA_OPEN_PERM_CHECK, 0);
}

static void teardown(void)
{
	test_destroy_root(root);
}

static struct kernfs_node *new_file(const char *name, mode_t mode,
				    const struct kernfs_ops *ops)
{
	struct kernfs_node *kn = __kernfs_create_file(top, name, mode, 0, 0,
						      4096, ops, NULL, NULL);

	ck_assert(!IS_ERR(kn));
	return kn;
}

static struct kernfs_open_file *open_ok(struct kernfs_node *kn)
{
	struct kernfs_open_file *of;

	ck_assert_int_eq(kernfs_fop_open(kn, O_RDWR, &of), 0);
	return of;
}

static ssize_t read_byte(struct kernfs_open_file *of)
{
	char c;

	return kernfs_fop_read(of, &c, 1, 0);
}

static void expect_dead(struct kernfs_open_file *of)
{
	ck_assert_int_eq(read_byte(of), -ENODEV);
	ck_assert_int_eq(kernfs_fop_write(of, "x", 1, 0), -ENODEV);
	ck_assert_int_eq(kernfs_fop_llseek(of, 0, 0, SEEK_SET), -ENODEV);
}

static void expect_alive(struct kernfs_open_file *of)
{
	ck_assert_int_eq(read_byte(of), 1);
	ck_assert_int_eq(kernfs_fop_write(of, "x", 1, 0), 1);
	ck_assert_int_eq(kernfs_fop_llseek(of, 0, 0, SEEK_SET), 0);
}

/* --- the callbacks --- */

static atomic_int opens, releases;
static int open_err;

static ssize_t read_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
		       off_t off)
{
	(void)of, (void)off;
	memset(buf, 'r', bytes);
	return (ssize_t)bytes;
}

static ssize_t write_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
			off_t off)
{
	(void)of, (void)buf, (void)off;
	return (ssize_t)bytes;
}

static int show_cb(struct seq_file *sf, void *v)
{
	(void)v;
	seq_putc(sf, 's');
	return 0;
}

static int open_cb(struct kernfs_open_file *of)
{
	ck_assert_ptr_nonnull(of->seq_file);
	ck_assert_ptr_eq(of->seq_file->private_data, of);
	ck_assert_int_eq(of->flags & O_ACCMODE, O_RDWR);
	ck_assert_ptr_null(of->priv);
	kf_assert_may_drain();
	of->priv = strdup("of the open callback");
	atomic_fetch_add(&opens, 1);
	if (open_err)
		free(of->priv);
	return open_err;
}

static void release_cb(struct kernfs_open_file *of)
{
	kf_assert_may_drain();
	atomic_fetch_add(&releases, 1);
	/* twice is for AddressSanitizer to see */
	free(of->priv);
}

static const struct kernfs_ops plain_ops = {
	.read = read_cb,
	.write = write_cb,
};
static const struct kernfs_ops full_ops = {
	.open = open_cb,
	.release = release_cb,
	.read = read_cb,
	.write = write_cb,
};

static void count_from_zero(void)
{
	atomic_store(&opens, 0);
	atomic_store(&releases, 0);
	open_err = 0;
}

static void expect_counts(int nr_opens, int nr_releases)
{
	ck_assert_int_eq(atomic_load(&opens), nr_opens);
	ck_assert_int_eq(atomic_load(&releases), nr_releases);
}

/* --- open --- */

START_TEST(only_files_are_opened)
{
	struct kernfs_node *dir = kernfs_create_dir(top, "dir", 0755, NULL);
	struct kernfs_node *link = kernfs_create_link(top, "link", dir);
	struct kernfs_open_file *of = (void *)&of;

	ck_assert_int_eq(kernfs_fop_open(dir, O_RDONLY, &of), -EINVAL);
	ck_assert_int_eq(kernfs_fop_open(link, O_RDONLY, &of), -EINVAL);
	/* set on success only */
	ck_assert_ptr_eq(of, (void *)&of);
	kernfs_fop_release(NULL);
}
END_TEST

START_TEST(open_needs_an_active_node)
{
	struct kernfs_node *kn = new_file("file", 0644, &full_ops);
	struct kernfs_open_file *of;

	count_from_zero();
	kernfs_show(kn, false);
	ck_assert_int_eq(kernfs_fop_open(kn, O_RDWR, &of), -ENODEV);
	kernfs_show(kn, true);
	kernfs_fop_release(open_ok(kn));
	kernfs_get(kn);
	kernfs_remove(kn);
	ck_assert_int_eq(kernfs_fop_open(kn, O_RDWR, &of), -ENODEV);
	expect_counts(1, 1);
	kernfs_put(kn);
}
END_TEST

START_TEST(open_holds_no_active_reference)
{
	struct kernfs_node *kn = new_file("file", 0644, &plain_ops);
	struct kernfs_open_file *of = open_ok(kn);

	ck_assert_int_eq(kn->active, 0);
	ck_assert_int_eq(kn->count, 2);
	ck_assert_ptr_eq(of->kn, kn);
	kernfs_remove(kn);
	/* but the memory: it is the last to hold it */
	ck_assert_int_eq(kn->count, 1);
	ck_assert_int_eq(kernfs_type(of->kn), KERNFS_FILE);
	expect_dead(of);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(open_node_comes_and_goes)
{
	struct kernfs_node *kn =
		new_file("file", 0644, _i ? &full_ops : &plain_ops);
	struct kernfs_open_file *a, *b;

	ck_assert_ptr_null(kn->attr.open);
	a = open_ok(kn);
	b = open_ok(kn);
	ck_assert_ptr_nonnull(kn->attr.open);
	ck_assert_ptr_eq(kf_open_file(a)->on, kf_open_file(b)->on);
	kernfs_fop_release(a);
	ck_assert_ptr_nonnull(kn->attr.open);
	kernfs_fop_release(b);
	ck_assert_ptr_null(kn->attr.open);
	kernfs_fop_release(open_ok(kn));
	ck_assert_ptr_null(kn->attr.open);
}
END_TEST

START_TEST(event_is_taken_when_content_is_read)
{
	static const struct kernfs_ops show_ops = { .seq_show = show_cb };
	struct kernfs_node *kn =
		new_file("file", 0644, _i ? &show_ops : &plain_ops);
	struct kernfs_open_file *a = open_ok(kn), *b = open_ok(kn);

	ck_assert_uint_eq(kf_open_file(a)->event, 0);
	ck_assert_uint_eq(kf_open_file(a)->on->event, 1);
	ck_assert_int_eq(read_byte(a), 1);
	ck_assert_uint_eq(kf_open_file(a)->event, 1);
	ck_assert_uint_eq(kf_open_file(b)->event, 0);
	kernfs_fop_release(a);
	kernfs_fop_release(b);
}
END_TEST

START_TEST(open_callback_fails)
{
	struct kernfs_node *kn = new_file("file", 0644, &full_ops);
	struct kernfs_open_file *of, *kept = NULL;

	count_from_zero();
	/* alone, or beside one that is open */
	if (_i)
		kept = open_ok(kn);
	open_err = -EBUSY;
	ck_assert_int_eq(kernfs_fop_open(kn, O_RDWR, &of), -EBUSY);
	expect_counts(_i + 1, 0);
	ck_assert_int_eq(kn->active, 0);
	ck_assert_int_eq(kn->count, 1 + _i);
	if (!_i)
		ck_assert_ptr_null(kn->attr.open);
	kernfs_remove(kn);
	expect_counts(_i + 1, _i);
	kernfs_fop_release(kept);
	expect_counts(_i + 1, _i);
}
END_TEST

START_TEST(prealloc_together_with_show)
{
	static const struct kernfs_ops ops = {
		.open = open_cb,
		.release = release_cb,
		.seq_show = show_cb,
		.prealloc = true,
	};
	struct kernfs_node *kn = new_file("file", 0644, &ops);
	struct kernfs_open_file *of;

	count_from_zero();
	ck_assert_int_eq(kernfs_fop_open(kn, O_RDWR, &of), -EINVAL);
	expect_counts(0, 0);
	ck_assert_int_eq(kn->active, 0);
	ck_assert_int_eq(kn->count, 1);
	ck_assert_ptr_null(kn->attr.open);
}
END_TEST

START_TEST(locks_have_cache_lines_of_their_own)
{
	ck_assert_uint_eq((uintptr_t)root->open_locks % KF_CACHELINE, 0);
	ck_assert_uint_eq(1U << root->open_bits, 1);
	kernfs_fop_release(open_ok(new_file("file", 0644, &full_ops)));
}
END_TEST

/* --- the extra check --- */

enum { R = 1, W = 2 };

static const struct kernfs_ops show_write_ops = {
	.seq_show = show_cb,
	.write = write_cb,
};
static const struct kernfs_ops show_only_ops = { .seq_show = show_cb };
static const struct kernfs_ops read_only_ops = { .read = read_cb };
static const struct kernfs_ops write_only_ops = { .write = write_cb };
static const struct kernfs_ops nothing_ops = { .prealloc = true };

static const struct {
	mode_t mode;
	const struct kernfs_ops *ops;
	int allowed;
} perm_case[] = {
	{ 0644, &show_write_ops, R | W },
	{ 0644, &plain_ops, R | W },
	{ 0444, &show_write_ops, R },
	{ 0200, &show_write_ops, W },
	{ 0000, &show_write_ops, 0 },
	/* any one of the three bits will do: whose it is, is not asked here */
	{ 0006, &show_write_ops, R | W },
	{ 0040, &show_write_ops, R },
	{ 0020, &show_write_ops, W },
	{ 0111, &show_write_ops, 0 },
	{ 0666, &show_only_ops, R },
	{ 0666, &read_only_ops, R },
	{ 0666, &write_only_ops, W },
	{ 0666, &nothing_ops, 0 },
	{ 0444, &write_only_ops, 0 },
	{ 0222, &show_only_ops, 0 },
};

#define NR_PERM_CASES ((int)(sizeof(perm_case) / sizeof(*perm_case)))

static void expect_open(struct kernfs_node *kn, int flags, int want)
{
	struct kernfs_open_file *of = NULL;

	ck_assert_int_eq(kernfs_fop_open(kn, flags, &of), want);
	kernfs_fop_release(of);
}

START_TEST(extra_check)
{
	int allowed = perm_case[_i].allowed;
	struct kernfs_node *kn =
		new_file("file", perm_case[_i].mode, perm_case[_i].ops);
	int r = allowed & R ? 0 : -EACCES;
	int w = allowed & W ? 0 : -EACCES;

	expect_open(kn, O_RDONLY, r);
	expect_open(kn, O_WRONLY, w);
	expect_open(kn, O_RDWR, r ? r : w);
	expect_open(kn, O_WRONLY | O_TRUNC | O_APPEND, w);
	/* neither reading nor writing: for ioctl(2) only */
	expect_open(kn, O_ACCMODE, 0);
}
END_TEST

START_TEST(extra_check_goes_by_the_present_mode)
{
	struct kernfs_node *kn = new_file("file", 0444, &show_write_ops);
	struct kernfs_iattr attr = { .valid = KERNFS_ATTR_MODE, .mode = 0200 };

	expect_open(kn, O_WRONLY, -EACCES);
	ck_assert_int_eq(kernfs_setattr(kn, &attr), 0);
	expect_open(kn, O_WRONLY, 0);
	expect_open(kn, O_RDONLY, -EACCES);
}
END_TEST

START_TEST(no_check_without_the_flag)
{
	struct kernfs_node *kn =
		new_file("file", perm_case[_i].mode, perm_case[_i].ops);

	expect_open(kn, O_RDONLY, 0);
	expect_open(kn, O_WRONLY, 0);
	expect_open(kn, O_RDWR, 0);
}
END_TEST

/* --- release, one thread --- */

START_TEST(release_at_close)
{
	struct kernfs_node *kn = new_file("file", 0644, &full_ops);
	struct kernfs_open_file *a, *b;

	count_from_zero();
	a = open_ok(kn);
	b = open_ok(kn);
	expect_alive(a);
	kernfs_fop_release(a);
	expect_counts(2, 1);
	expect_alive(b);
	kernfs_fop_release(b);
	expect_counts(2, 2);
	ck_assert(!kernfs_should_drain_open_files(kn));
	kernfs_remove(kn);
	expect_counts(2, 2);
}
END_TEST

START_TEST(release_at_removal)
{
	/* nothing of the user's is touched once the node is removed */
	struct kernfs_ops *ops = malloc(sizeof(*ops));
	struct kernfs_open_file *of[5];
	struct kernfs_node *kn;

	count_from_zero();
	*ops = full_ops;
	kn = new_file("file", 0644, ops);
	for (int i = 0; i < 5; i++)
		of[i] = open_ok(kn);
	kernfs_fop_release(of[2]);
	ck_assert(kernfs_should_drain_open_files(kn));
	kernfs_remove(kn);
	free(ops);
	expect_counts(5, 5);
	ck_assert(!kernfs_should_drain_open_files(kn));
	for (int i = 0; i < 5; i++) {
		if (i == 2)
			continue;
		expect_dead(of[i]);
		kernfs_fop_release(of[i]);
	}
	expect_counts(5, 5);
}
END_TEST

START_TEST(hide_kills_for_ever)
{
	struct kernfs_node *kn = new_file("file", 0644, &full_ops);
	struct kernfs_open_file *old, *young;

	count_from_zero();
	old = open_ok(kn);
	kernfs_show(kn, false);
	expect_counts(1, 1);
	expect_dead(old);
	kernfs_show(kn, true);
	expect_dead(old);
	young = open_ok(kn);
	expect_alive(young);
	expect_dead(old);
	kernfs_show(kn, false);
	expect_counts(2, 2);
	kernfs_show(kn, true);
	expect_dead(young);
	kernfs_fop_release(old);
	kernfs_fop_release(young);
	expect_counts(2, 2);
	ck_assert_int_eq(kn->active, 0);
}
END_TEST

START_TEST(hide_without_release_is_survived)
{
	struct kernfs_node *kn = new_file("file", 0644, &plain_ops);
	struct kernfs_open_file *of = open_ok(kn);

	kernfs_show(kn, false);
	expect_dead(of);
	kernfs_show(kn, true);
	expect_alive(of);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(directory_goes_with_its_open_files)
{
	struct kernfs_node *dir = kernfs_create_dir(top, "dir", 0755, NULL);
	struct kernfs_open_file *of[20];
	char name[16];

	count_from_zero();
	for (int i = 0; i < 20; i++) {
		struct kernfs_node *kn;

		snprintf(name, sizeof(name), "f%d", i / 2);
		kn = i % 2 ? kernfs_find_and_get(dir, name) :
			     __kernfs_create_file(dir, name, 0644, 0, 0, 0,
						  &full_ops, NULL, NULL);
		of[i] = open_ok(kn);
		if (i % 2)
			kernfs_put(kn);
	}
	kernfs_remove(dir);
	expect_counts(20, 20);
	for (int i = 0; i < 20; i++)
		kernfs_fop_release(of[i]);
	expect_counts(20, 20);
}
END_TEST

/* --- callbacks that remove their own node --- */

static int suicidal_open(struct kernfs_open_file *of)
{
	ck_assert(kernfs_remove_self(of->kn));
	atomic_fetch_add(&opens, 1);
	/* not under our feet */
	expect_counts(1, 0);
	return open_err;
}

START_TEST(open_callback_removes_its_node)
{
	struct kernfs_ops *ops = malloc(sizeof(*ops));
	struct kernfs_open_file *of = NULL;
	struct kernfs_node *kn;

	count_from_zero();
	*ops = full_ops;
	ops->open = suicidal_open;
	open_err = _i ? -EBUSY : 0;
	kn = new_file("file", 0644, ops);
	kernfs_get(kn);
	ck_assert_int_eq(kernfs_fop_open(kn, O_RDWR, &of), open_err);
	/* the open was a success, and release has run while it could; a failed
	 * one has nothing to release */
	expect_counts(1, !_i);
	free(ops);
	if (of)
		expect_dead(of);
	kernfs_fop_release(of);
	expect_counts(1, !_i);
	ck_assert_ptr_null(kn->attr.open);
	kernfs_put(kn);
}
END_TEST

static ssize_t suicidal_write(struct kernfs_open_file *of, char *buf,
			      size_t bytes, off_t off)
{
	(void)buf, (void)off;
	ck_assert(kernfs_remove_self(of->kn));
	ck_assert_int_eq(atomic_load(&releases), 2);
	return (ssize_t)bytes;
}

START_TEST(write_callback_removes_its_node)
{
	static const struct kernfs_ops ops = {
		.open = open_cb,
		.release = release_cb,
		.write = suicidal_write,
	};
	struct kernfs_node *kn = new_file("file", 0644, &ops);
	struct kernfs_open_file *a, *b;

	count_from_zero();
	a = open_ok(kn);
	b = open_ok(kn);
	ck_assert_int_eq(kernfs_fop_write(a, "x", 1, 0), 1);
	expect_dead(a);
	expect_dead(b);
	kernfs_fop_release(a);
	kernfs_fop_release(b);
	expect_counts(2, 2);
}
END_TEST

/* --- release callbacks that use the tree, with a single lock for all --- */

static struct kernfs_node *victim;
static struct kernfs_open_file *victim_file, *sibling;

static void busy_release(struct kernfs_open_file *of)
{
	struct kernfs_node *other = new_file("other", 0644, &full_ops);
	struct kernfs_open_file *inner = open_ok(other), *again;

	(void)of;
	/* no lock of ours is held */
	kf_assert_none_held();
	kernfs_remove(victim);
	kernfs_fop_release(victim_file);
	ck_assert_int_eq(kernfs_fop_open(other, O_RDWR, &again), 0);
	kernfs_fop_release(again);
	kernfs_remove(other);
	kernfs_fop_release(inner);
	/* one that is open on our own node: it closes here or was drained */
	kernfs_fop_release(sibling);
	sibling = NULL;
}

static const struct kernfs_ops busy_ops = { .release = busy_release };

START_TEST(release_callback_uses_the_tree)
{
	struct kernfs_node *kn = new_file("file", 0644, &busy_ops);
	struct kernfs_open_file *of = open_ok(kn);

	count_from_zero();
	victim = new_file("victim", 0644, &full_ops);
	victim_file = open_ok(victim);
	sibling = NULL;
	if (_i == 0)
		kernfs_fop_release(of);
	else if (_i == 1)
		kernfs_show(kn, false);
	else
		kernfs_remove(kn);
	expect_counts(3, 3);
	if (_i)
		kernfs_fop_release(of);
	ck_assert_uint_eq(kernfs_check_tree(root), 0);
}
END_TEST

static void closing_release(struct kernfs_open_file *of)
{
	struct kernfs_open_file *other = sibling;

	atomic_fetch_add(&releases, 1);
	if (of == other)
		return;
	sibling = NULL; /* once */
	kernfs_fop_release(other);
}

START_TEST(release_callback_closes_its_sibling)
{
	static const struct kernfs_ops ops = { .release = closing_release };
	struct kernfs_node *kn = new_file("file", 0644, &ops);
	struct kernfs_open_file *of[4];
	int closed;

	count_from_zero();
	for (int i = 0; i < 4; i++)
		of[i] = open_ok(kn);
	/* the oldest is drained first: what its callback closes is yet to be
	 * released, or has been by the callback before */
	closed = _i == 1 ? 0 : 3;
	sibling = of[closed];
	if (_i == 2)
		kernfs_fop_release(of[0]);
	ck_assert_int_eq(atomic_load(&releases), _i == 2 ? 2 : 0);
	kernfs_remove(kn);
	ck_assert_int_eq(atomic_load(&releases), 4);
	for (int i = 0; i < 4; i++)
		if (i != closed && !(_i == 2 && i == 0))
			kernfs_fop_release(of[i]);
	ck_assert_int_eq(atomic_load(&releases), 4);
}
END_TEST

/* --- close and drain wait for each other --- */

static pthread_barrier_t came, may_go;
static atomic_int finished;

static void waiting_release(struct kernfs_open_file *of)
{
	(void)of;
	pthread_barrier_wait(&came);
	pthread_barrier_wait(&may_go);
	atomic_fetch_add(&releases, 1);
}

static const struct kernfs_ops waiting_ops = { .release = waiting_release };

static void *close_thread(void *of)
{
	kernfs_fop_release(of);
	atomic_fetch_add(&finished, 1);
	return NULL;
}

static void *remove_thread(void *kn)
{
	kernfs_remove(kn);
	atomic_fetch_add(&finished, 1);
	return NULL;
}

static void *hide_thread(void *kn)
{
	kernfs_show(kn, false);
	atomic_fetch_add(&finished, 1);
	return NULL;
}

static void start_waiting(void)
{
	pthread_barrier_init(&came, NULL, 2);
	pthread_barrier_init(&may_go, NULL, 2);
	atomic_store(&finished, 0);
	count_from_zero();
}

static void end_waiting(void)
{
	pthread_barrier_destroy(&came);
	pthread_barrier_destroy(&may_go);
}

/* The first runs release, the others must wait for its end. */
static void *(*const waiter[][3])(void *) = {
	{ close_thread, remove_thread, remove_thread },
	{ close_thread, hide_thread, remove_thread },
	{ remove_thread, close_thread, remove_thread },
	{ hide_thread, close_thread, remove_thread },
	{ hide_thread, hide_thread, close_thread },
};

START_TEST(all_wait_for_the_running_release)
{
	struct kernfs_node *kn = new_file("file", 0644, &waiting_ops);
	struct kernfs_open_file *of = open_ok(kn);
	pthread_t thread[3];

	kernfs_get(kn);
	start_waiting();
	for (int i = 0; i < 3; i++) {
		void *arg = waiter[_i][i] == close_thread ? (void *)of : kn;

		pthread_create(&thread[i], NULL, waiter[_i][i], arg);
		if (i == 0)
			pthread_barrier_wait(&came);
	}
	usleep(30000);
	ck_assert_int_eq(atomic_load(&finished), 0);
	pthread_barrier_wait(&may_go);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	ck_assert_int_eq(atomic_load(&releases), 1);
	ck_assert_ptr_null(kn->attr.open);
	kernfs_put(kn);
	end_waiting();
}
END_TEST

START_TEST(show_ends_the_wait_of_hide)
{
	struct kernfs_node *kn = new_file("file", 0644, &waiting_ops);
	struct kernfs_open_file *of = open_ok(kn), *young;
	pthread_t closer, hider;

	start_waiting();
	pthread_create(&closer, NULL, close_thread, of);
	pthread_barrier_wait(&came);
	pthread_create(&hider, NULL, hide_thread, kn);
	while (kernfs_active(kn))
		sched_yield();
	usleep(10000);
	ck_assert_int_eq(atomic_load(&finished), 0);
	kernfs_show(kn, true);
	pthread_join(hider, NULL);
	ck_assert_int_eq(atomic_load(&releases), 0);
	/* not its business: opened since */
	young = open_ok(kn);
	pthread_barrier_wait(&may_go);
	pthread_join(closer, NULL);
	ck_assert_int_eq(atomic_load(&releases), 1);
	pthread_create(&closer, NULL, close_thread, young);
	pthread_barrier_wait(&came);
	pthread_barrier_wait(&may_go);
	pthread_join(closer, NULL);
	ck_assert_int_eq(atomic_load(&releases), 2);
	end_waiting();
}
END_TEST

/* A show that comes when hide has looked and is about to claim. */
START_TEST(show_saves_what_hide_has_not_claimed)
{
	struct kernfs_node *kn = new_file("file", 0644, &full_ops);
	struct kernfs_open_file *of;
	pthread_t hider;

	count_from_zero();
	of = open_ok(kn);
	mutex_lock(&root->open_locks[0].mutex);
	pthread_create(&hider, NULL, hide_thread, kn);
	while (kernfs_active(kn))
		sched_yield();
	usleep(30000);
	kernfs_show(kn, true);
	mutex_unlock(&root->open_locks[0].mutex);
	pthread_join(hider, NULL);
	expect_counts(1, 0);
	expect_alive(of);
	kernfs_fop_release(of);
	expect_counts(1, 1);
}
END_TEST

/* A drain waits for callbacks before it releases, and neither for the other. */
static atomic_bool reading;

static ssize_t slow_read(struct kernfs_open_file *of, char *buf, size_t bytes,
			 off_t off)
{
	(void)of, (void)bytes, (void)off;
	atomic_store(&reading, true);
	pthread_barrier_wait(&came);
	pthread_barrier_wait(&may_go);
	usleep(10000);
	atomic_store(&reading, false);
	buf[0] = 'x';
	return 1;
}

static void after_read_release(struct kernfs_open_file *of)
{
	(void)of;
	ck_assert(!atomic_load(&reading));
	atomic_fetch_add(&releases, 1);
}

static void *read_thread(void *of)
{
	ck_assert_int_eq(read_byte(of), 1);
	return NULL;
}

START_TEST(release_waits_for_callbacks)
{
	static const struct kernfs_ops ops = {
		.read = slow_read,
		.release = after_read_release,
	};
	struct kernfs_node *kn = new_file("file", 0644, &ops);
	struct kernfs_open_file *of = open_ok(kn);
	pthread_t reader, remover;

	start_waiting();
	pthread_create(&reader, NULL, read_thread, of);
	pthread_barrier_wait(&came);
	pthread_create(&remover, NULL, _i ? hide_thread : remove_thread, kn);
	while (kernfs_active(kn))
		sched_yield();
	usleep(10000);
	ck_assert_int_eq(atomic_load(&releases), 0);
	pthread_barrier_wait(&may_go);
	pthread_join(remover, NULL);
	pthread_join(reader, NULL);
	ck_assert_int_eq(atomic_load(&releases), 1);
	kernfs_fop_release(of);
	end_waiting();
}
END_TEST

/* --- races --- */

/* What callbacks know of one open file. */
struct watch {
	atomic_int inside;   /* operations in callbacks */
	atomic_int released; /* times */
};

static atomic_int running; /* release callbacks of all files */

static int watch_open(struct kernfs_open_file *of)
{
	of->priv = calloc(1, sizeof(struct watch));
	ck_assert_ptr_nonnull(of->priv);
	atomic_fetch_add(&opens, 1);
	return 0;
}

static ssize_t watch_read(struct kernfs_open_file *of, char *buf, size_t bytes,
			  off_t off)
{
	struct watch *watch = of->priv;

	(void)bytes, (void)off;
	atomic_fetch_add(&watch->inside, 1);
	ck_assert_int_eq(atomic_load(&watch->released), 0);
	buf[0] = 'x';
	ck_assert_int_eq(atomic_load(&watch->released), 0);
	atomic_fetch_sub(&watch->inside, 1);
	return 1;
}

static void watch_release(struct kernfs_open_file *of)
{
	struct watch *watch = of->priv;

	atomic_fetch_add(&running, 1);
	ck_assert_int_eq(atomic_fetch_add(&watch->released, 1), 0);
	ck_assert_int_eq(atomic_load(&watch->inside), 0);
	sched_yield();
	ck_assert_int_eq(atomic_load(&watch->inside), 0);
	atomic_fetch_add(&releases, 1);
	/* a callback that comes later is for AddressSanitizer to see */
	free(watch);
	atomic_fetch_sub(&running, 1);
}

static const struct kernfs_ops watch_ops = {
	.open = watch_open,
	.read = watch_read,
	.release = watch_release,
};

enum { ROUNDS = 1500, CLOSERS = 3 };

static pthread_barrier_t round_begin, round_end;
static struct kernfs_node *round_kn;
static struct kernfs_open_file *round_of[CLOSERS];

static void *round_closer(void *arg)
{
	struct kernfs_open_file **of = arg;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&round_begin);
		if (i % 3 == 0)
			read_byte(*of);
		kernfs_fop_release(*of);
		pthread_barrier_wait(&round_end);
	}
	return NULL;
}

static void drain_round(int nr)
{
	switch (nr % 4) {
	case 0:
		kernfs_remove(round_kn);
		break;
	case 1:
		ck_assert_int_eq(kernfs_remove_by_name(top, "round"), 0);
		break;
	case 2:
		kernfs_show(round_kn, false);
		break;
	case 3:
		kernfs_show(round_kn, false);
		/* nothing of what was open before is running now */
		ck_assert_int_eq(atomic_load(&running), 0);
		kernfs_show(round_kn, true);
		return;
	}
	ck_assert_int_eq(atomic_load(&running), 0);
}

START_TEST(close_races_drain)
{
	pthread_t thread[CLOSERS];

	count_from_zero();
	atomic_store(&running, 0);
	pthread_barrier_init(&round_begin, NULL, CLOSERS + 1);
	pthread_barrier_init(&round_end, NULL, CLOSERS + 1);
	for (int i = 0; i < CLOSERS; i++)
		pthread_create(&thread[i], NULL, round_closer, &round_of[i]);
	for (int r = 0; r < ROUNDS; r++) {
		round_kn = new_file("round", 0644, &watch_ops);
		kernfs_get(round_kn);
		for (int i = 0; i < CLOSERS; i++)
			round_of[i] = open_ok(round_kn);
		pthread_barrier_wait(&round_begin);
		drain_round(r);
		pthread_barrier_wait(&round_end);
		expect_counts((r + 1) * CLOSERS, (r + 1) * CLOSERS);
		ck_assert_ptr_null(round_kn->attr.open);
		kernfs_remove(round_kn);
		kernfs_put(round_kn);
	}
	for (int i = 0; i < CLOSERS; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&round_begin);
	pthread_barrier_destroy(&round_end);
}
END_TEST

/* Opening, reading and closing while the node comes and goes. */
static atomic_bool stop;
static atomic_int dead_reads, live_reads;

static void *user_thread(void *arg)
{
	struct kernfs_node *kn = arg;
	struct kernfs_open_file *of;

	while (!atomic_load(&stop)) {
		if (kernfs_fop_open(kn, O_RDWR, &of))
			continue;
		for (int i = 0; i < 20; i++) {
			ssize_t ret = read_byte(of);

			ck_assert(ret == 1 || ret == -ENODEV);
			atomic_fetch_add(ret == 1 ? &live_reads : &dead_reads,
					 1);
		}
		kernfs_fop_release(of);
	}
	return NULL;
}

static void *toggle_thread(void *kn)
{
	while (!atomic_load(&stop)) {
		kernfs_show(kn, false);
		kernfs_show(kn, true);
	}
	return NULL;
}

START_TEST(storm_of_hide_and_show)
{
	struct kernfs_node *kn = new_file("file", 0644, &watch_ops);
	pthread_t user[3], toggle[2];

	count_from_zero();
	atomic_store(&stop, false);
	atomic_store(&dead_reads, 0);
	atomic_store(&live_reads, 0);
	/* one hides and shows, or two against each other */
	for (int i = 0; i <= _i; i++)
		pthread_create(&toggle[i], NULL, toggle_thread, kn);
	for (int i = 0; i < 3; i++)
		pthread_create(&user[i], NULL, user_thread, kn);
	/* on a busy machine those who hide may leave the others little */
	do {
		usleep(300000);
	} while (!atomic_load(&live_reads));
	atomic_store(&stop, true);
	for (int i = 0; i < 3; i++)
		pthread_join(user[i], NULL);
	for (int i = 0; i <= _i; i++)
		pthread_join(toggle[i], NULL);
	ck_assert_int_eq(atomic_load(&opens), atomic_load(&releases));
	ck_assert_int_eq(kn->active, 0);
	ck_assert_ptr_null(kn->attr.open);
}
END_TEST

/* The same with whole nodes: created, opened by many, removed. */
static void *churn_thread(void *arg)
{
	struct kernfs_open_file *of;
	struct kernfs_node *kn;

	(void)arg;
	while (!atomic_load(&stop)) {
		kn = kernfs_find_and_get(top, "churn");
		if (!kn) {
			sched_yield();
			continue;
		}
		if (kernfs_fop_open(kn, O_RDWR, &of) == 0) {
			read_byte(of);
			kernfs_fop_release(of);
		}
		kernfs_put(kn);
	}
	return NULL;
}

START_TEST(storm_of_removal)
{
	pthread_t user[3];

	count_from_zero();
	atomic_store(&stop, false);
	for (int i = 0; i < 3; i++)
		pthread_create(&user[i], NULL, churn_thread, NULL);
	for (int i = 0; i < 300; i++) {
		struct kernfs_node *kn = new_file("churn", 0644, &watch_ops);

		if (i % 3)
			usleep(50);
		kernfs_remove(kn);
		/* nobody is left in any callback */
		ck_assert_int_eq(atomic_load(&opens), atomic_load(&releases));
	}
	atomic_store(&stop, true);
	for (int i = 0; i < 3; i++)
		pthread_join(user[i], NULL);
	ck_assert_int_eq(atomic_load(&opens), atomic_load(&releases));
}
END_TEST

static TCase *new_case(Suite *s, const char *name, void (*begin)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, begin, teardown);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	return tc;
}

static void add_open_tests(Suite *s)
{
	TCase *tc = new_case(s, "open", setup);

	tcase_add_test(tc, only_files_are_opened);
	tcase_add_test(tc, open_needs_an_active_node);
	tcase_add_test(tc, open_holds_no_active_reference);
	tcase_add_loop_test(tc, open_node_comes_and_goes, 0, 2);
	tcase_add_loop_test(tc, event_is_taken_when_content_is_read, 0, 2);
	tcase_add_loop_test(tc, open_callback_fails, 0, 2);
	tcase_add_test(tc, prealloc_together_with_show);
	tcase_add_loop_test(tc, no_check_without_the_flag, 0, NR_PERM_CASES);

	tc = new_case(s, "extra check", setup_strict);
	tcase_add_loop_test(tc, extra_check, 0, NR_PERM_CASES);
	tcase_add_test(tc, extra_check_goes_by_the_present_mode);
}

static void add_release_tests(Suite *s)
{
	TCase *tc = new_case(s, "release", setup);

	tcase_add_test(tc, release_at_close);
	tcase_add_test(tc, release_at_removal);
	tcase_add_test(tc, hide_kills_for_ever);
	tcase_add_test(tc, hide_without_release_is_survived);
	tcase_add_test(tc, directory_goes_with_its_open_files);
	tcase_add_loop_test(tc, open_callback_removes_its_node, 0, 2);
	tcase_add_test(tc, write_callback_removes_its_node);

	tc = new_case(s, "one lock", setup_one_lock);
	tcase_add_test(tc, locks_have_cache_lines_of_their_own);
	tcase_add_loop_test(tc, release_callback_uses_the_tree, 0, 3);
	tcase_add_loop_test(tc, release_callback_closes_its_sibling, 0, 3);
	tcase_add_test(tc, show_saves_what_hide_has_not_claimed);

	tc = new_case(s, "waiting", setup);
	tcase_add_loop_test(tc, all_wait_for_the_running_release, 0, 5);
	tcase_add_test(tc, show_ends_the_wait_of_hide);
	tcase_add_loop_test(tc, release_waits_for_callbacks, 0, 2);
}

static void add_race_tests(Suite *s, const char *name, void (*begin)(void))
{
	TCase *tc = new_case(s, name, begin);

	tcase_add_test(tc, close_races_drain);
	tcase_add_loop_test(tc, storm_of_hide_and_show, 0, 2);
	tcase_add_test(tc, storm_of_removal);
}

int main(void)
{
	Suite *s = suite_create("kernfs-open");
	SRunner *sr;
	int failed;

	add_open_tests(s);
	add_release_tests(s);
	add_race_tests(s, "races", setup);
	add_race_tests(s, "races on one lock", setup_one_lock);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
