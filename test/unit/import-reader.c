/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that block, trickle, grow and fail while they are read.
 *
 * No regular file can be made to block at will, so the two calls that can are
 * replaced: what a file does follows from the first letter of its name.
 */
#include <semaphore.h>
#include <signal.h>
#include <sys/fanotify.h>

#include "fs/import/import-internal.h"
#include "test/unit/import-fixture.h"

/* Long enough that a busy machine does not make a quick file overdue. */
#define TIMEOUT_MS 300
/* What blocks does so for this long, if it is not interrupted. */
#define BLOCK_MS 20000

static char behaviour[1024]; /* of each descriptor: a letter */
static int stuck;	     /* calls inside be_stuck() */
static sem_t release;	     /* one post frees one stuck call */

/* As a call that sleeps and cannot be interrupted. */
static void be_stuck(void)
{
	ADD(stuck, 1);
	while (sem_wait(&release) && errno == EINTR)
		;
	ADD(stuck, -1);
}

static int nr_stuck(void)
{
	return GET(stuck);
}

/* -1 and EINTR as soon as a signal comes. */
static int sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	return nanosleep(&ts, NULL);
}

static int test_open(int dirfd, const char *name)
{
	int fd;

	if (name[0] == 'O' && sleep_ms(BLOCK_MS))
		return -1;
	if (name[0] == 'U')
		be_stuck();
	fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ck_assert_int_lt(fd, (int)sizeof(behaviour));
	if (fd >= 0)
		SET(behaviour[fd], name[0]);
	return fd;
}

static ssize_t failed(int error)
{
	errno = error;
	return -1;
}

static ssize_t test_read(int fd, void *buf, size_t count)
{
	static int eintr;

	switch (GET(behaviour[fd])) {
	case 'b': /* blocks; a signal ends it */
		return sleep_ms(BLOCK_MS) ? -1 : 0;
	case 'u': /* blocks; nothing ends it */
		be_stuck();
		break;
	case 't': /* trickles */
		sleep_ms(1);
		memset(buf, 't', 1);
		return 1;
	case 'g': /* grows for ever */
		memset(buf, 'g', count);
		return (ssize_t)count;
	case 's': /* slow, but in time */
		sleep_ms(TIMEOUT_MS / 5);
		break;
	case 'e':
		return failed(EIO);
	case 'i':
		return failed(EINTR);
	case 'j': /* a stray signal, once */
		return eintr++ ? read(fd, buf, count) : failed(EINTR);
	case 'h': /* a part of the value, then an error */
		if (lseek(fd, 0, SEEK_CUR) > 0)
			return failed(ENODEV);
		return read(fd, buf, 1);
	}
	return read(fd, buf, count);
}

static const struct kf_reader_ops test_ops = { test_open, test_read };

/* SIGURG as somebody else left it: to be found again in the end. */
static void somebodys_handler(int sig)
{
	(void)sig;
}

static void check_signal(void)
{
	struct sigaction sa;

	ck_assert_int_eq(sigaction(SIGURG, NULL, &sa), 0);
	ck_assert_ptr_eq(sa.sa_handler, somebodys_handler);
}

static void prepare(void)
{
	ck_assert_int_eq(sem_init(&release, 0, 0), 0);
	kf_reader_ops = &test_ops;
	opts.read_timeout_ms = TIMEOUT_MS;
	signal(SIGURG, somebodys_handler);
}

/* Lets all that is stuck go, and waits until it has gone. */
static void let_go(void)
{
	int i, n = nr_stuck();

	for (i = 0; i < n; i++)
		sem_post(&release);
	while (nr_stuck())
		sleep_ms(1);
	/* what a thread does from then on is short */
	sleep_ms(20);
}

/* A file for each letter, named <letter><place>, that holds its own name. */
static void put_row(const char *row)
{
	char name[16];
	int i;

	for (i = 0; row[i]; i++) {
		snprintf(name, sizeof(name), "%c%d", row[i], i);
		put_text(name, name);
	}
}

static void expect_own_name(const char *name)
{
	expect_text(name, name);
}

START_TEST(errors_are_kept)
{
	prepare();
	put_row("xeihjx");
	import(scratch);
	expect_own_name("x0");
	expect_error("e1", EIO);
	expect_error("i2", EINTR);
	expect_error("h3", ENODEV);
	expect_own_name("j4");
	expect_own_name("x5");
	ck_assert_uint_eq(stats.unreadable, 3);
	ck_assert_uint_eq(stats.timed_out, 0);
	ck_assert_str_eq(warnings, "");
	check_signal();
}
END_TEST

/* Blocks as most drivers do: the same reader goes on after a signal. */
START_TEST(blocked_call_is_interrupted)
{
	uint64_t begin = now_ms();

	prepare();
	put_row("xbOxbx");
	import(scratch);
	ck_assert_uint_lt(now_ms() - begin, BLOCK_MS / 2);
	expect_error("b1", ETIMEDOUT);
	expect_error("O2", ETIMEDOUT);
	expect_error("b4", ETIMEDOUT);
	expect_own_name("x0");
	expect_own_name("x3");
	expect_own_name("x5");
	ck_assert_uint_eq(stats.unreadable, 3);
	ck_assert_uint_eq(stats.timed_out, 3);
	ck_assert_ptr_nonnull(strstr(warnings, "/b1: not read in time\n"));
	check_signal();
}
END_TEST

/* Readers that are left behind, in read and in open, also in the last file. */
START_TEST(stuck_reader_is_left_behind)
{
	uint64_t begin = now_ms();

	prepare();
	put_row("xuUxu");
	import(scratch);
	ck_assert_uint_lt(now_ms() - begin, BLOCK_MS / 2);
	ck_assert_int_eq(nr_stuck(), 3);
	expect_error("u1", ETIMEDOUT);
	expect_error("U2", ETIMEDOUT);
	expect_error("u4", ETIMEDOUT);
	expect_own_name("x0");
	expect_own_name("x3");
	ck_assert_uint_eq(stats.timed_out, 3);
	check_signal();

	/* what they bring now, if anything, is thrown away */
	let_go();
	expect_error("u1", ETIMEDOUT);
	expect_own_name("x3");
}
END_TEST

static void *release_soon(void *arg)
{
	(void)arg;
	while (!nr_stuck())
		sleep_ms(1);
	/* after it was left behind, while the rest is being read */
	sleep_ms(TIMEOUT_MS + 200);
	sem_post(&release);
	return NULL;
}

/* One comes back while the import is still going on. */
START_TEST(late_result_is_thrown_away)
{
	pthread_t thread;

	prepare();
	put_row("ussssssssss");
	thread = thread_start(release_soon, NULL);
	import(scratch);
	thread_join(thread);
	let_go();
	expect_error("u0", ETIMEDOUT);
	expect_own_name("s1");
	expect_own_name("s10");
	ck_assert_uint_eq(stats.timed_out, 1);
}
END_TEST

/* A source in which everything blocks for good is given up. */
START_TEST(source_that_only_blocks_is_given_up)
{
	prepare();
	opts.read_timeout_ms = 1;
	put_row("uuuuuuuuuuuuuuuuuuuuuuuu");
	ck_assert_int_eq(try_import(scratch), -ETIMEDOUT);
	ck_assert_ptr_nonnull(strstr(err, "/u"));
	ck_assert_ptr_nonnull(strstr(err, "timed out"));
	check_signal();
	let_go();
}
END_TEST

/* Slow in sum is fine, as long as each file is in time. */
START_TEST(slow_in_sum_is_fine)
{
	prepare();
	put_row("ssssssss");
	import(scratch);
	expect_own_name("s0");
	expect_own_name("s7");
	ck_assert_uint_eq(stats.timed_out, 0);
}
END_TEST

START_TEST(trickling_file_is_overdue)
{
	prepare();
	put_row("xtx");
	import(scratch);
	expect_error("t1", ETIMEDOUT);
	expect_own_name("x0");
	expect_own_name("x2");
}
END_TEST

START_TEST(growing_file_has_an_end)
{
	prepare();
	opts.read_timeout_ms = BLOCK_MS;
	put_row("xgx");
	import(scratch);
	expect_error("g1", EFBIG);
	expect_own_name("x2");
	ck_assert_uint_eq(stats.unreadable, 1);
	ck_assert_uint_eq(stats.timed_out, 0);
	ck_assert_ptr_nonnull(strstr(warnings, "/g1: not read: longer than "));
}
END_TEST

/* Exactly the longest value is still one. */
START_TEST(longest_value_is_kept)
{
	struct stat st;

	put_text("f", "x");
	ck_assert_int_eq(truncate(at("f"), KF_IMPORT_VALUE_MAX), 0);
	put_text("g", "x");
	ck_assert_int_eq(truncate(at("g"), KF_IMPORT_VALUE_MAX + 1), 0);
	opts.read_timeout_ms = BLOCK_MS;
	import(scratch);
	st = stat_node("f");
	ck_assert_int_eq(st.st_size, KF_IMPORT_VALUE_MAX);
	expect_error("g", EFBIG);
}
END_TEST

/* --- stop --- */

static volatile sig_atomic_t stop;

static void *stop_soon(void *arg)
{
	(void)arg;
	sleep_ms(50);
	SET(stop, 1);
	return NULL;
}

static void expect_stop(const char *row)
{
	pthread_t thread;
	uint64_t begin;

	prepare();
	opts.read_timeout_ms = BLOCK_MS;
	opts.stop = &stop;
	put_row(row);
	thread = thread_start(stop_soon, NULL);
	begin = now_ms();
	ck_assert_int_eq(try_import(scratch), -EINTR);
	ck_assert_uint_lt(now_ms() - begin, BLOCK_MS / 2);
	thread_join(thread);
	check_signal();
}

START_TEST(stop_ends_a_blocked_call)
{
	expect_stop("xbx");
}
END_TEST

START_TEST(stop_leaves_a_stuck_reader)
{
	expect_stop("xux");
	let_go();
}
END_TEST

/* --- what else can happen to a file between walk and read --- */

/* Called in the place of the first open: the file is another thing by then. */
static int swap_open(int dirfd, const char *name)
{
	if (!strcmp(name, "fifo")) {
		unlinkat(dirfd, name, 0);
		mkfifoat(dirfd, name, 0644);
	} else if (!strcmp(name, "link")) {
		unlinkat(dirfd, name, 0);
		symlinkat("target", dirfd, name);
	} else if (!strcmp(name, "gone")) {
		unlinkat(dirfd, name, 0);
	}
	return openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					   O_NOCTTY | O_CLOEXEC);
}

START_TEST(swapped_file_is_not_read)
{
	static const struct kf_reader_ops ops = { swap_open, read };

	put_text("fifo", "x");
	put_text("link", "x");
	put_text("gone", "x");
	put_text("target", "x");
	kf_reader_ops = &ops;
	import(scratch);
	expect_error("fifo", ENOENT);
	expect_error("link", ELOOP);
	expect_error("gone", ENOENT);
	expect_text("target", "x");
}
END_TEST

/* Runs out of descriptors: not a property of the files. */
static int emfile_open(int dirfd, const char *name)
{
	(void)dirfd, (void)name;
	errno = EMFILE;
	return -1;
}

START_TEST(own_trouble_ends_the_import)
{
	static const struct kf_reader_ops ops = { emfile_open, read };

	put_text("f", "x");
	kf_reader_ops = &ops;
	ck_assert_int_eq(try_import(scratch), -EMFILE);
	ck_assert_ptr_nonnull(strstr(err, "/f: Too many open files"));
}
END_TEST

/* --- the real thing: an open that waits for a permission nobody gives --- */

static int block_file(const char *path)
{
	int fd = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY);

	if (fd < 0)
		return -1;
	if (!fanotify_mark(fd, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, path))
		return fd;
	close(fd);
	return -1;
}

START_TEST(open_that_really_blocks)
{
	int fd;

	put_text("blocked", "x");
	put_text("free", "x");
	fd = block_file(at("blocked"));
	if (fd < 0) {
		fprintf(stderr, "no fanotify: a real block is not tested\n");
		return;
	}
	opts.read_timeout_ms = TIMEOUT_MS;
	import(scratch);
	expect_error("blocked", ETIMEDOUT);
	expect_text("free", "x");
	ck_assert_uint_eq(stats.timed_out, 1);
	close(fd);
	sleep_ms(20);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		errors_are_kept,
		blocked_call_is_interrupted,
		stuck_reader_is_left_behind,
		late_result_is_thrown_away,
		source_that_only_blocks_is_given_up,
		slow_in_sum_is_fine,
		trickling_file_is_overdue,
		growing_file_has_an_end,
		longest_value_is_kept,
		stop_ends_a_blocked_call,
		stop_leaves_a_stuck_reader,
		swapped_file_is_not_read,
		own_trouble_ends_the_import,
		open_that_really_blocks,
	};

	return run_in_scratch("import-reader", tests, NR_OF(tests));
}
