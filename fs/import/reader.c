/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading the values with a time limit for each.
 *
 * One thread, the reader, works through the list by itself and publishes
 * which file it is at and since when; the caller's thread, the watcher, looks
 * at that 50 times a second. Handing files over one by one would cost a
 * cross-CPU wake-up for each, about as much as reading a dozen files.
 *
 * When a file is overdue the watcher first interrupts the reader: SIGURG, with
 * a handler that does nothing and without SA_RESTART, makes a sleeping call
 * return EINTR. The signal is sent again and again, since one that arrives
 * just before the call goes to sleep is lost. SIGURG because its default is to
 * be ignored: one that is still pending when the old disposition is put back
 * does no harm. If the reader does not come back even so (a call that sleeps
 * uninterruptibly), it is left behind: detached, its results no longer taken,
 * and a new reader goes on with the next file.
 *
 * Invariants: only job->reader stores results and takes files. A reader owns
 * its buffer and descriptors and counts a reference on the job, which is all
 * it ever touches; so it may come back at any later time, or never.
 *
 * Locks: job->lock (KF_RANK_CONTENT), twice for each file and never during a
 * system call on the source; signal_lock (the same rank) at begin and end.
 */
#include "fs/import/import-internal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lock/clock.h"

/* The watcher's round: bounds how late an overdue file or a stop is noticed. */
#define TICK_MS 20
/* How long an interrupted reader has to come back; the interval of signals. */
#define GRACE_MS 100
#define GRACE_TICK_MS 5
/*
 * Readers that may be left behind. Each holds a stack and a descriptor; a
 * source that blocks this often is out of order altogether.
 */
#define MAX_LEFT_BEHIND 16
/* First size of a reader's buffer: one file in a thousand is longer. */
#define BUF_MIN (64u << 10)
/* A buffer that grew beyond this is not kept for the next file. */
#define BUF_KEEP (1u << 20)
/* EINTR that nobody asked for: a stray signal of ours, at most one a file. */
#define MAX_EINTR 3

struct kf_reader {
	struct kf_import_job *job; /* one reference */
	pthread_t thread;
	size_t first;
	/* guarded by job->lock */
	size_t file;
	uint64_t since_ns; /* CLOCK_MONOTONIC; 0: not at a file yet */
	bool finished;
	bool detached; /* frees itself */
	/*
	 * The file is overdue. Written with job->lock held, read without: the
	 * reader only needs to see it some time after the signal.
	 */
	bool give_up;
	/* the thread's own */
	int dirfd; /* of directory dir, or -1 */
	size_t dir;
	unsigned char *buf;
	size_t room;
};

/* What became of one file. */
struct result {
	int error; /* positive, of the file; or 0 and len bytes in r->buf */
	size_t len;
	bool too_long;
};

/* --- the two calls that can block --- */

static int plain_open(int dirfd, const char *name)
{
	return openat(dirfd, name,
		      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
			      O_CLOEXEC);
}

static const struct kf_reader_ops plain_ops = {
	.open = plain_open,
	.read = read,
};

const struct kf_reader_ops *kf_reader_ops = &plain_ops;

/* --- the reader's thread --- */

/*
 * After a failed call: 0 to try it again, else -errno. A file may return
 * EINTR of its own accord, so there is an end to it.
 */
static int call_failed(const struct kf_reader *r, unsigned int *tries)
{
	if (errno != EINTR)
		return -errno;
	return !READ_ONCE(r->give_up) && ++*tries < MAX_EINTR ? 0 : -EINTR;
}

/* Makes r->dirfd the directory of a file. */
static int enter_dir(struct kf_reader *r, size_t dir)
{
	int fd;

	if (r->dirfd >= 0 && r->dir == dir)
		return 0;
	if (r->dirfd >= 0)
		close(r->dirfd);
	fd = kf_import_job_open_dir(r->job, dir, O_PATH);
	r->dirfd = fd < 0 ? -1 : fd;
	r->dir = dir;
	return fd < 0 ? fd : 0;
}

static int open_file(struct kf_reader *r, const struct kf_import_file *file)
{
	const char *name = kf_import_job_name(r->job, file->name);
	unsigned int tries = 0;
	struct stat st;
	int fd, error;

	error = enter_dir(r, file->dir);
	if (error)
		return error;
	while ((fd = kf_reader_ops->open(r->dirfd, name)) < 0) {
		error = call_failed(r, &tries);
		if (error)
			return error;
	}
	/* the file that was walked is gone if something else has its name */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -ENOENT;
}

/* One byte more than a value may have tells longer from just fitting. */
static bool grow_buffer(struct kf_reader *r)
{
	size_t room = r->room ? r->room * 2 : BUF_MIN;
	unsigned char *buf;

	if (room > KF_IMPORT_VALUE_MAX)
		room = KF_IMPORT_VALUE_MAX + 1;
	buf = realloc(r->buf, room);
	if (!buf)
		return false;
	r->buf = buf;
	r->room = room;
	return true;
}

static void trim_buffer(struct kf_reader *r)
{
	if (r->room <= BUF_KEEP)
		return;
	free(r->buf);
	r->buf = NULL;
	r->room = 0;
}

/*
 * Reads until the end of file: sysfs gives a page at most each time. Returns
 * 0 or -ENOMEM, ours; the file's own errors are in @ret.
 */
static int read_all(struct kf_reader *r, int fd, struct result *ret)
{
	unsigned int tries = 0;
	ssize_t n;

	/* a file that trickles for ever is overdue as well */
	while (!READ_ONCE(r->give_up)) {
		if (ret->len > KF_IMPORT_VALUE_MAX) {
			ret->error = EFBIG;
			ret->too_long = true;
			return 0;
		}
		if (ret->len == r->room && !grow_buffer(r))
			return -ENOMEM;
		n = kf_reader_ops->read(fd, r->buf + ret->len,
					r->room - ret->len);
		if (!n)
			return 0;
		if (n > 0)
			ret->len += (size_t)n;
		else
			ret->error = -call_failed(r, &tries);
		if (ret->error)
			return 0;
	}
	ret->error = EINTR;
	return 0;
}

/* Returns 0 or an error that ends the import. */
static int read_file(struct kf_reader *r, const struct kf_import_file *file,
		     struct result *ret)
{
	int fd, fatal;

	fd = open_file(r, file);
	if (fd == -EMFILE || fd == -ENFILE)
		return fd;
	if (fd < 0) {
		ret->error = -fd;
		return 0;
	}
	fatal = read_all(r, fd, ret);
	close(fd);
	return fatal;
}

/* Publishes which file comes next; false: this reader is not wanted. */
static bool begin_file(struct kf_reader *r, size_t file)
{
	struct kf_import_job *job = r->job;
	bool wanted;

	mutex_lock(&job->lock);
	wanted = job->reader == r && file < job->nr_files;
	if (wanted) {
		r->file = file;
		r->since_ns = kf_now_ns();
		WRITE_ONCE(r->give_up, false);
	}
	mutex_unlock(&job->lock);
	return wanted;
}

/* Hands the result in; false: this reader is not wanted, or cannot go on. */
static bool end_file(struct kf_reader *r, int fatal, struct result *result)
{
	struct kf_import_job *job = r->job;
	struct kf_import_file *file = &job->files[r->file];
	bool timed_out = result->error && READ_ONCE(r->give_up);
	struct kf_content *content = NULL;
	bool wanted;

	if (timed_out)
		result->error = ETIMEDOUT;
	if (!fatal) {
		content = kf_content_create(r->buf, result->len,
					    result->error);
		fatal = content ? 0 : -ENOMEM;
	}
	mutex_lock(&job->lock);
	wanted = job->reader == r;
	if (wanted) {
		file->content = content;
		file->timed_out = timed_out;
		file->too_long = result->too_long;
		job->error = fatal;
	}
	mutex_unlock(&job->lock);
	if (!wanted)
		kf_content_free(content);
	return wanted && !fatal;
}

static void end_reader(struct kf_reader *r)
{
	struct kf_import_job *job = r->job;
	bool detached;

	if (r->dirfd >= 0)
		close(r->dirfd);
	free(r->buf);
	mutex_lock(&job->lock);
	r->finished = true;
	detached = r->detached;
	kf_assert(pthread_cond_signal(&job->cond) == 0);
	mutex_unlock(&job->lock);
	/* otherwise the watcher may have freed it by now */
	if (detached)
		free(r);
	kf_import_job_put(job);
}

static void *reader_main(void *arg)
{
	struct kf_reader *r = arg;
	size_t i;

	for (i = r->first; begin_file(r, i); i++) {
		struct result result = { 0 };
		int fatal = 0;

		/* nobody can ask for the value of a file without read bits */
		if (!(r->job->files[i].mode & 0444))
			continue;
		fatal = read_file(r, &r->job->files[i], &result);
		if (!end_file(r, fatal, &result))
			break;
		trim_buffer(r);
	}
	end_reader(r);
	return NULL;
}

/* --- the signal --- */

static void do_nothing(int sig)
{
	(void)sig;
}

/* guards the two below: imports in several threads share one disposition */
static struct kf_mutex signal_lock = KF_MUTEX_INITIALIZER(KF_RANK_CONTENT);
static unsigned int signal_users;
static struct sigaction signal_saved;

static void take_signal(void)
{
	struct sigaction sa = { .sa_handler = do_nothing };

	sigemptyset(&sa.sa_mask);
	mutex_lock(&signal_lock);
	if (!signal_users++)
		kf_assert(sigaction(SIGURG, &sa, &signal_saved) == 0);
	mutex_unlock(&signal_lock);
}

static void release_signal(void)
{
	mutex_lock(&signal_lock);
	if (!--signal_users)
		kf_assert(sigaction(SIGURG, &signal_saved, NULL) == 0);
	mutex_unlock(&signal_lock);
}

/* --- the watcher --- */

/* Only SIGURG may reach the thread: signals are the business of others. */
static int create_thread(struct kf_reader *r)
{
	sigset_t mask, saved;
	int error;

	sigfillset(&mask);
	sigdelset(&mask, SIGURG);
	pthread_sigmask(SIG_SETMASK, &mask, &saved);
	error = pthread_create(&r->thread, NULL, reader_main, r);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return -error;
}

static int start_reader(struct kf_import_job *job, size_t first,
			struct kf_reader **ret_reader)
{
	struct kf_reader *r = calloc(1, sizeof(*r));
	int error;

	if (!r)
		return -ENOMEM;
	r->job = job;
	r->first = r->file = first;
	r->dirfd = -1;
	kf_import_job_get(job);
	mutex_lock(&job->lock);
	job->reader = r;
	mutex_unlock(&job->lock);

	error = create_thread(r);
	if (!error) {
		*ret_reader = r;
		return 0;
	}
	mutex_lock(&job->lock);
	job->reader = NULL;
	mutex_unlock(&job->lock);
	kf_import_job_put(job);
	free(r);
	return error;
}

/* Sleeps until the reader finishes, at most @ms. job->lock is held. */
static void wait_tick(struct kf_import_job *job, unsigned int ms)
{
	uint64_t until = kf_now_ns() + ms * UINT64_C(1000000);
	struct timespec ts = {
		.tv_sec = (time_t)(until / 1000000000u),
		.tv_nsec = (long)(until % 1000000000u),
	};

	kf_assert_held_write(&job->lock);
	pthread_cond_timedwait(&job->cond, &job->lock.m, &ts);
}

static bool is_overdue(const struct kf_reader *r, unsigned int limit_ms)
{
	kf_assert_held(&r->job->lock);
	return r->since_ns &&
	       kf_now_ns() - r->since_ns >= limit_ms * UINT64_C(1000000);
}

/* Does the reader let go of its file? job->lock is held. */
static bool interrupt_reader(struct kf_reader *r)
{
	uint64_t until = kf_now_ns() + GRACE_MS * UINT64_C(1000000);
	size_t file = r->file;

	kf_assert_held_write(&r->job->lock);
	WRITE_ONCE(r->give_up, true);
	while (!r->finished && r->file == file) {
		if (kf_now_ns() >= until)
			return false;
		/* not finished: the thread is there to receive it */
		pthread_kill(r->thread, SIGURG);
		wait_tick(r->job, GRACE_TICK_MS);
	}
	return true;
}

/*
 * Until the reader has finished, is stuck, or the user wants to stop; from
 * then on nothing that it brings is taken. Returns whether it has finished.
 */
static bool watch_reader(struct kf_reader *r, const struct kf_import_opts *opts)
{
	struct kf_import_job *job = r->job;
	unsigned int limit_ms = opts->read_timeout_ms;
	unsigned int tick_ms;
	bool finished;

	if (!limit_ms)
		limit_ms = KF_IMPORT_READ_TIMEOUT_MS;
	tick_ms = limit_ms < TICK_MS ? limit_ms : TICK_MS;

	mutex_lock(&job->lock);
	while (!r->finished && !kf_import_stopped(opts)) {
		if (is_overdue(r, limit_ms) && !interrupt_reader(r))
			break;
		wait_tick(job, tick_ms);
	}
	finished = r->finished;
	job->reader = NULL;
	mutex_unlock(&job->lock);
	return finished;
}

/* Joins a reader, or leaves it behind. Returns the file it was at. */
static size_t retire_reader(struct kf_reader *r, bool interrupt)
{
	struct kf_import_job *job = r->job;
	pthread_t thread = r->thread;
	bool finished;
	size_t file;

	mutex_lock(&job->lock);
	if (interrupt)
		interrupt_reader(r);
	file = r->file;
	finished = r->finished;
	/* if it is to free itself, it may do so as soon as we unlock */
	r->detached = !finished;
	mutex_unlock(&job->lock);

	if (!finished) {
		kf_assert(pthread_detach(thread) == 0);
		return file;
	}
	kf_assert(pthread_join(thread, NULL) == 0);
	free(r);
	return file;
}

/* The result of the file that a reader was stuck in. */
static int blame_file(struct kf_import_file *file)
{
	/* it came back in the very end, and handed in before we closed */
	if (file->content)
		return 0;
	file->content = kf_content_create(NULL, 0, ETIMEDOUT);
	file->timed_out = true;
	return file->content ? 0 : -ENOMEM;
}

static int run_readers(struct kf_import_job *job,
		       const struct kf_import_opts *opts, size_t *ret_file)
{
	unsigned int left_behind;
	size_t file = 0;
	int error;

	for (left_behind = 0; left_behind < MAX_LEFT_BEHIND; left_behind++) {
		struct kf_reader *reader;
		bool finished, stopped;

		error = start_reader(job, file, &reader);
		if (error)
			return error;
		finished = watch_reader(reader, opts);
		stopped = !finished && kf_import_stopped(opts);
		file = retire_reader(reader, stopped);
		if (stopped)
			return -EINTR;
		*ret_file = job->error || !finished ? file : job->nr_files;
		if (finished)
			return job->error;
		error = blame_file(&job->files[file]);
		if (error)
			return error;
		if (++file == job->nr_files)
			return 0;
	}
	return -ETIMEDOUT;
}

int kf_import_read_files(struct kf_import_job *job,
			 const struct kf_import_opts *opts, size_t *ret_file)
{
	int r;

	*ret_file = job->nr_files;
	if (!job->nr_files)
		return 0;
	take_signal();
	r = run_readers(job, opts, ret_file);
	release_signal();
	return r;
}
