/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notification and poll: what a poll says, who is woken, that nobody is
 * forgotten and nobody woken who has cancelled.
 */
#include "fs/kernfs/open-file.h"
#include "test/unit/kernfs-fixture.h"

#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/epoll.h>

#define QUIET (EPOLLIN | EPOLLOUT | EPOLLRDNORM | EPOLLWRNORM)
#define NEWS (QUIET | EPOLLERR | EPOLLPRI)

/* --- files --- */

static atomic_int value, releases;
static bool entered, let_go;

static int show_cb(struct seq_file *sf, void *v)
{
	(void)v;
	seq_printf(sf, "%d\n", atomic_load(&value));
	return 0;
}

static ssize_t read_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
		       off_t off)
{
	(void)of, (void)bytes, (void)off;
	buf[0] = 'x';
	return 1;
}

static ssize_t notify_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
			 off_t off)
{
	(void)off;
	atomic_store(&value, atoi(buf));
	kernfs_notify(of->kn);
	return (ssize_t)bytes;
}

static ssize_t block_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
			off_t off)
{
	(void)of, (void)buf, (void)off;
	SET(entered, true);
	wait_until(GET(let_go));
	return (ssize_t)bytes;
}

static void release_cb(struct kernfs_open_file *of)
{
	(void)of;
	atomic_fetch_add(&releases, 1);
}

static ssize_t suicide_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
			  off_t off)
{
	(void)buf, (void)off;
	return kernfs_remove_self(of->kn) ? (ssize_t)bytes : -ENODEV;
}

static unsigned int poll_cb(struct kernfs_open_file *of,
			    struct poll_table_struct *pt)
{
	return (kernfs_generic_poll(of, pt) & EPOLLPRI) | EPOLLHUP;
}

static const struct kernfs_ops text_ops = {
	.seq_show = show_cb,
	.write = notify_cb,
};
static const struct kernfs_ops binary_ops = { .read = read_cb };
static const struct kernfs_ops block_ops = { .read = block_cb };
static const struct kernfs_ops release_ops = {
	.seq_show = show_cb,
	.release = release_cb,
};
static const struct kernfs_ops suicide_ops = { .write = suicide_cb };
static const struct kernfs_ops poll_ops = {
	.seq_show = show_cb,
	.poll = poll_cb,
};

static struct kernfs_node *file_in(struct kernfs_node *dir, const char *name,
				   const struct kernfs_ops *ops)
{
	return ok_node(__kernfs_create_file(dir, name, 0644, 0, 0, 4096, ops,
					    NULL, NULL));
}

static struct kernfs_open_file *open_ok(struct kernfs_node *kn)
{
	struct kernfs_open_file *of;

	ck_assert_int_eq(kernfs_fop_open(kn, O_RDWR, &of), 0);
	return of;
}

static ssize_t read_it(struct kernfs_open_file *of)
{
	char buf[16];

	return kernfs_fop_read(of, buf, sizeof(buf), 0);
}

/* --- a waiter that counts --- */

struct waiter {
	struct poll_table_struct pt;
	struct kernfs_open_file *of;
	atomic_uint woken;
};

static void count_cb(struct poll_table_struct *pt)
{
	struct waiter *w = caa_container_of(pt, struct waiter, pt);

	atomic_fetch_add(&w->woken, 1);
}

static void waiter_open(struct waiter *w, struct kernfs_node *kn)
{
	*w = (struct waiter){ .pt.wake = count_cb, .of = open_ok(kn) };
}

static unsigned int waiter_poll(struct waiter *w)
{
	return kernfs_fop_poll(w->of, &w->pt);
}

static void waiter_close(struct waiter *w)
{
	kernfs_fop_poll_cancel(w->of, &w->pt);
	kernfs_fop_release(w->of);
}

/* --- what poll says --- */

static void check_events(const struct kernfs_ops *ops)
{
	struct kernfs_node *kn = file_in(top, "f", ops);
	struct kernfs_open_file *of = open_ok(kn), *other = open_ok(kn);

	/* nothing read yet */
	ck_assert_uint_eq(kernfs_fop_poll(of, NULL), NEWS);
	ck_assert_int_gt(read_it(of), 0);
	ck_assert_uint_eq(kernfs_fop_poll(of, NULL), QUIET);
	/* each open file has a memory of its own */
	ck_assert_uint_eq(kernfs_fop_poll(other, NULL), NEWS);
	ck_assert_int_gt(read_it(other), 0);
	kernfs_notify(kn);
	kernfs_notify(kn);
	ck_assert_uint_eq(kernfs_fop_poll(of, NULL), NEWS);
	ck_assert_int_gt(read_it(of), 0);
	ck_assert_uint_eq(kernfs_fop_poll(of, NULL), QUIET);
	ck_assert_uint_eq(kernfs_fop_poll(other, NULL), NEWS);
	kernfs_fop_release(other);
	kernfs_fop_release(of);
	/* nobody has it open */
	kernfs_notify(kn);
	of = open_ok(kn);
	ck_assert_uint_eq(kernfs_fop_poll(of, NULL), NEWS);
	kernfs_fop_release(of);
	kernfs_remove(kn);
}

START_TEST(events)
{
	check_events(&text_ops);
	check_events(&binary_ops);
}
END_TEST

/* The rest of a value that was shown is no news of the next one. */
START_TEST(only_showing_is_reading)
{
	struct kernfs_node *kn = file_in(top, "f", &text_ops);
	struct kernfs_open_file *of = open_ok(kn);
	char c;

	atomic_store(&value, 12345);
	ck_assert_int_eq(kernfs_fop_read(of, &c, 1, 0), 1);
	kernfs_notify(kn);
	ck_assert_int_eq(kernfs_fop_read(of, &c, 1, 1), 1);
	ck_assert_int_eq(c, '2');
	ck_assert_uint_eq(kernfs_fop_poll(of, NULL), NEWS);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(callback_replaces_the_default)
{
	struct kernfs_node *kn = file_in(top, "f", &poll_ops);
	struct waiter w;

	waiter_open(&w, kn);
	ck_assert_uint_eq(waiter_poll(&w), EPOLLPRI | EPOLLHUP);
	ck_assert_int_gt(read_it(w.of), 0);
	ck_assert_uint_eq(waiter_poll(&w), EPOLLHUP);
	kernfs_notify(kn);
	ck_assert_uint_eq(w.woken, 1);
	ck_assert_uint_eq(kernfs_fop_poll(w.of, NULL), EPOLLPRI | EPOLLHUP);
	kernfs_remove(kn);
	/* the callback's owner may be gone */
	ck_assert_uint_eq(kernfs_fop_poll(w.of, NULL), NEWS);
	waiter_close(&w);
}
END_TEST

/* --- waking --- */

START_TEST(woken_once)
{
	struct kernfs_node *kn = file_in(top, "f", &text_ops);
	struct waiter w;

	waiter_open(&w, kn);
	kernfs_notify(kn);
	ck_assert_uint_eq(w.woken, 0);
	waiter_poll(&w);
	waiter_poll(&w);
	kernfs_notify(kn);
	kernfs_notify(kn);
	ck_assert_uint_eq(w.woken, 1);
	waiter_poll(&w);
	kernfs_notify(kn);
	ck_assert_uint_eq(w.woken, 2);
	waiter_poll(&w);
	kernfs_fop_poll_cancel(w.of, &w.pt);
	kernfs_fop_poll_cancel(w.of, &w.pt);
	kernfs_notify(kn);
	ck_assert_uint_eq(w.woken, 2);
	waiter_close(&w);
}
END_TEST

#define MANY 100

START_TEST(many_waiters)
{
	struct kernfs_node *kn = file_in(top, "f", &text_ops);
	struct kernfs_node *other = file_in(top, "g", &text_ops);
	static struct waiter w[MANY];

	for (unsigned int i = 0; i < MANY; i++) {
		waiter_open(&w[i], i % 2 ? kn : other);
		waiter_poll(&w[i]);
	}
	kernfs_fop_poll_cancel(w[1].of, &w[1].pt);
	kernfs_fop_poll_cancel(w[MANY - 1].of, &w[MANY - 1].pt);
	kernfs_notify(kn);
	for (unsigned int i = 0; i < MANY; i++)
		ck_assert_uint_eq(w[i].woken, i % 2 && i != 1 && i != MANY - 1);
	for (unsigned int i = 0; i < MANY; i++)
		waiter_close(&w[i]);
}
END_TEST

/* Two tables on one open file, as two pollers of a duplicated descriptor. */
START_TEST(two_of_one_file)
{
	struct kernfs_node *kn = file_in(top, "f", &text_ops);
	struct waiter a, b = { .pt.wake = count_cb };

	waiter_open(&a, kn);
	b.of = a.of;
	waiter_poll(&a);
	waiter_poll(&b);
	kernfs_notify(kn);
	ck_assert_uint_eq(a.woken, 1);
	ck_assert_uint_eq(b.woken, 1);
	kernfs_fop_poll_cancel(b.of, &b.pt);
	waiter_close(&a);
}
END_TEST

static void again_cb(struct poll_table_struct *pt)
{
	struct waiter *w = caa_container_of(pt, struct waiter, pt);

	kf_assert_may_drain();
	atomic_fetch_add(&w->woken, 1);
	waiter_poll(w);
}

START_TEST(wake_polls_again)
{
	struct kernfs_node *kn = file_in(top, "f", &text_ops);
	struct waiter w;

	waiter_open(&w, kn);
	w.pt.wake = again_cb;
	waiter_poll(&w);
	for (unsigned int i = 1; i < 10; i++) {
		kernfs_notify(kn);
		ck_assert_uint_eq(w.woken, i);
	}
	waiter_close(&w);
}
END_TEST

/* A callback that notifies, also its own file, holds of->mutex. */
START_TEST(callback_notifies)
{
	struct kernfs_node *kn = file_in(top, "f", &text_ops);
	struct waiter w;

	waiter_open(&w, kn);
	ck_assert_int_gt(read_it(w.of), 0);
	ck_assert_uint_eq(waiter_poll(&w), QUIET);
	ck_assert_int_eq(kernfs_fop_write(w.of, "7", 1, 0), 1);
	ck_assert_uint_eq(w.woken, 1);
	ck_assert_uint_eq(waiter_poll(&w), NEWS);
	waiter_close(&w);
}
END_TEST

/* --- cancelling against waking --- */

static void slow_cb(struct poll_table_struct *pt)
{
	(void)pt;
	SET(entered, true);
	wait_until(GET(let_go));
}

static void *notify_thread(void *arg)
{
	kernfs_notify(arg);
	return NULL;
}

static bool cancelled;

static void *cancel_thread(void *arg)
{
	struct waiter *w = arg;

	kernfs_fop_poll_cancel(w->of, &w->pt);
	SET(cancelled, true);
	return NULL;
}

START_TEST(cancel_waits_for_wake)
{
	struct kernfs_node *kn = file_in(top, "f", &text_ops);
	struct waiter slow, next;
	pthread_t notifier, canceller;

	waiter_open(&slow, kn);
	slow.pt.wake = slow_cb;
	waiter_open(&next, kn);
	waiter_poll(&slow);
	waiter_poll(&next);
	notifier = thread_start(notify_thread, kn);
	wait_until(GET(entered));
	/* taken to be woken, but not yet: may leave */
	kernfs_fop_poll_cancel(next.of, &next.pt);
	canceller = thread_start(cancel_thread, &slow);
	give_it_time();
	ck_assert(!GET(cancelled));
	/* no lock is held meanwhile */
	ck_assert_int_gt(read_it(next.of), 0);
	kernfs_notify(kn);
	SET(let_go, true);
	thread_join(notifier);
	thread_join(canceller);
	ck_assert_uint_eq(next.woken, 0);
	waiter_close(&next);
	kernfs_fop_release(slow.of);
}
END_TEST

/* --- removal and hiding --- */

START_TEST(removal_wakes)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct waiter w[4];

	waiter_open(&w[0], file_in(dir, "a", &text_ops));
	waiter_open(&w[1], file_in(dir, "b", &release_ops));
	waiter_open(&w[2], file_in(top, "c", &binary_ops));
	waiter_open(&w[3], file_in(top, "s", &suicide_ops));
	for (unsigned int i = 0; i < 4; i++) {
		read_it(w[i].of);
		waiter_poll(&w[i]);
	}
	kernfs_remove(dir);
	ck_assert_int_eq(kernfs_remove_by_name(top, "c"), 0);
	ck_assert_int_eq(kernfs_fop_write(w[3].of, "x", 1, 0), 1);
	for (unsigned int i = 0; i < 4; i++) {
		ck_assert_uint_eq(w[i].woken, 1);
		ck_assert_uint_eq(waiter_poll(&w[i]), NEWS);
	}
	for (unsigned int i = 0; i < 4; i++)
		waiter_close(&w[i]);
	ck_assert_int_eq(releases, 1);
}
END_TEST

static void *read_thread(void *arg)
{
	read_it(arg);
	return NULL;
}

/* The waiter must not wait for somebody else's callback. */
START_TEST(removal_wakes_at_once)
{
	struct kernfs_node *kn = file_in(top, "f", &block_ops);
	struct kernfs_open_file *of = open_ok(kn);
	struct remover r;
	struct waiter w;
	pthread_t reader;

	waiter_open(&w, kn);
	waiter_poll(&w);
	reader = thread_start(read_thread, of);
	wait_until(GET(entered));
	remover_start(&r, kn, kn);
	wait_until(w.woken == 1);
	ck_assert(!GET(r.done));
	SET(let_go, true);
	thread_join(reader);
	remover_join(&r);
	waiter_close(&w);
	kernfs_fop_release(of);
}
END_TEST

START_TEST(hide_wakes_and_show_revives)
{
	struct kernfs_node *kn = file_in(top, "f", &text_ops);
	struct waiter w;

	waiter_open(&w, kn);
	ck_assert_int_gt(read_it(w.of), 0);
	ck_assert_uint_eq(waiter_poll(&w), QUIET);
	kernfs_show(kn, false);
	ck_assert_uint_eq(w.woken, 1);
	ck_assert_uint_eq(waiter_poll(&w), NEWS);
	kernfs_show(kn, true);
	ck_assert_uint_eq(waiter_poll(&w), QUIET);
	kernfs_notify(kn);
	ck_assert_uint_eq(w.woken, 2);
	waiter_close(&w);
}
END_TEST

/* Released by the hide, the open file is dead also when the node is not. */
START_TEST(hide_with_release_is_for_ever)
{
	struct kernfs_node *kn = file_in(top, "f", &release_ops);
	struct waiter w;

	waiter_open(&w, kn);
	ck_assert_int_gt(read_it(w.of), 0);
	waiter_poll(&w);
	kernfs_show(kn, false);
	kernfs_show(kn, true);
	ck_assert_int_eq(releases, 1);
	ck_assert_uint_eq(waiter_poll(&w), NEWS);
	ck_assert_int_eq(read_it(w.of), -ENODEV);
	waiter_close(&w);
	ck_assert_int_eq(releases, 1);
}
END_TEST

/* --- storms --- */

#define FOLLOWERS 4
#define CHANGES 2000

struct follower {
	struct poll_table_struct pt;
	struct kernfs_node *kn;
	sem_t news;
};

static void post_cb(struct poll_table_struct *pt)
{
	sem_post(&caa_container_of(pt, struct follower, pt)->news);
}

/* Reads until it has seen the last value; one lost wake-up and it hangs. */
static void *follow(void *arg)
{
	struct follower *f = arg;
	struct kernfs_open_file *of = open_ok(f->kn);
	char buf[16];
	ssize_t n;

	f->pt.wake = post_cb;
	sem_init(&f->news, 0, 0);
	for (;;) {
		if (!(kernfs_fop_poll(of, &f->pt) & EPOLLPRI)) {
			sem_wait(&f->news);
			continue;
		}
		n = kernfs_fop_read(of, buf, sizeof(buf) - 1, 0);
		must(n > 0);
		buf[n] = '\0';
		if (atoi(buf) == CHANGES)
			break;
	}
	kernfs_fop_poll_cancel(of, &f->pt);
	kernfs_fop_release(of);
	sem_destroy(&f->news);
	return NULL;
}

static void *change(void *arg)
{
	struct kernfs_node *kn = arg;

	for (;;) {
		int old = atomic_load(&value);

		if (old == CHANGES)
			return NULL;
		if (atomic_compare_exchange_strong(&value, &old, old + 1))
			kernfs_notify(kn);
		/* now and then, so that followers do wait */
		if (old % 50 == 0)
			usleep(200);
	}
}

START_TEST(none_is_lost)
{
	struct kernfs_node *kn = file_in(top, "f", &text_ops);
	struct follower f[FOLLOWERS] = { 0 };
	pthread_t follower[FOLLOWERS], changer[2];

	for (unsigned int i = 0; i < FOLLOWERS; i++) {
		f[i].kn = kn;
		follower[i] = thread_start(follow, &f[i]);
	}
	changer[0] = thread_start(change, kn);
	changer[1] = thread_start(change, kn);
	thread_join(changer[0]);
	thread_join(changer[1]);
	/* the last value may be older than the last notification */
	kernfs_notify(kn);
	for (unsigned int i = 0; i < FOLLOWERS; i++)
		thread_join(follower[i]);
}
END_TEST

static bool over;

static void *come_and_go(void *arg)
{
	struct kernfs_node *kn = arg;

	while (!GET(over)) {
		struct waiter w = { .pt.wake = count_cb };

		if (kernfs_fop_open(kn, O_RDWR, &w.of))
			continue;
		waiter_poll(&w);
		waiter_poll(&w);
		waiter_close(&w);
	}
	return NULL;
}

static void *keep_notifying(void *arg)
{
	while (!GET(over))
		kernfs_notify(arg);
	return NULL;
}

START_TEST(storm_of_everything)
{
	struct kernfs_node *kn = file_in(top, "f", &release_ops);
	pthread_t id[5];

	kernfs_get(kn);
	for (unsigned int i = 0; i < 3; i++)
		id[i] = thread_start(come_and_go, kn);
	for (unsigned int i = 3; i < 5; i++)
		id[i] = thread_start(keep_notifying, kn);
	for (unsigned int i = 0; i < 300; i++) {
		kernfs_show(kn, false);
		sched_yield();
		kernfs_show(kn, true);
		usleep(100);
	}
	kernfs_remove(kn);
	SET(over, true);
	for (unsigned int i = 0; i < 5; i++)
		thread_join(id[i]);
	kernfs_put(kn);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		events,
		only_showing_is_reading,
		callback_replaces_the_default,
		woken_once,
		many_waiters,
		two_of_one_file,
		wake_polls_again,
		callback_notifies,
		cancel_waits_for_wake,
		removal_wakes,
		removal_wakes_at_once,
		hide_wakes_and_show_revives,
		hide_with_release_is_for_ever,
		none_is_lost,
		storm_of_everything,
	};

	return test_run("kernfs-poll", tests, NR_OF(tests), setup, teardown);
}
