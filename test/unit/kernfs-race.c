/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removal that wins at a chosen point of an operation on an open file: at its
 * entry, before the open file's mutex, after it, and after the active
 * reference. Up to the third the operation fails, after the fourth it succeeds
 * and the removal waits.
 *
 * The linker puts our functions into the place of two that the operation calls
 * (--wrap in local.mk); in the thread that is armed they stop, and the main
 * thread removes meanwhile.
 */
#include "fs/kernfs/open-file.h"
#include "test/unit/kernfs-fixture.h"

#include <fcntl.h>
#include <sys/epoll.h>

/* --- where to stop --- */

enum point {
	AT_ENTRY,
	BEFORE_MUTEX,
	AFTER_MUTEX, /* and before the active reference */
	AFTER_ACTIVE,
	NR_POINTS,
};

static __thread bool armed;
static enum point stop_at;
static bool stopped, go_on;

static void stop_here(enum point point)
{
	if (!armed || point != stop_at)
		return;
	armed = false;
	SET(stopped, true);
	wait_until(GET(go_on));
}

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
struct kernfs_node *__real_kernfs_get_active(struct kernfs_node *kn);
struct kernfs_node *__wrap_kernfs_get_active(struct kernfs_node *kn);

/* The first mutex of an operation is the open file's. */
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	stop_here(BEFORE_MUTEX);
	return __real_pthread_mutex_lock(mutex);
}

struct kernfs_node *__wrap_kernfs_get_active(struct kernfs_node *kn)
{
	stop_here(AFTER_MUTEX);
	kn = __real_kernfs_get_active(kn);
	stop_here(AFTER_ACTIVE);
	return kn;
}

/* --- the file --- */

static unsigned int calls, releases;

static int show_cb(struct seq_file *sf, void *v)
{
	(void)v;
	ADD(calls, 1);
	seq_putc(sf, 's');
	return 0;
}

static ssize_t io_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
		     off_t off)
{
	(void)of, (void)off;
	ADD(calls, 1);
	memset(buf, 'x', bytes);
	return (ssize_t)bytes;
}

static off_t llseek_cb(struct kernfs_open_file *of, off_t pos, off_t offset,
		       int whence)
{
	(void)of, (void)pos, (void)offset, (void)whence;
	ADD(calls, 1);
	return 1;
}

static unsigned int poll_cb(struct kernfs_open_file *of,
			    struct poll_table_struct *pt)
{
	(void)of, (void)pt;
	ADD(calls, 1);
	return EPOLLIN;
}

static int open_cb(struct kernfs_open_file *of)
{
	(void)of;
	ADD(calls, 1);
	return 0;
}

static void release_cb(struct kernfs_open_file *of)
{
	(void)of;
	ADD(releases, 1);
}

static const struct kernfs_ops text_ops = {
	.seq_show = show_cb,
	.release = release_cb,
};
static const struct kernfs_ops io_ops = {
	.read = io_cb,
	.write = io_cb,
	.llseek = llseek_cb,
	.poll = poll_cb,
	.release = release_cb,
};
static const struct kernfs_ops prealloc_ops = {
	.read = io_cb,
	.write = io_cb,
	.prealloc = true,
};
static const struct kernfs_ops open_ops = {
	.open = open_cb,
	.release = release_cb,
};

/* --- the operations; 1: it succeeded, else its error --- */

static char byte[1];

static long do_read(struct kernfs_node *kn, struct kernfs_open_file *of)
{
	(void)kn;
	return kernfs_fop_read(of, byte, 1, 0);
}

static long do_write(struct kernfs_node *kn, struct kernfs_open_file *of)
{
	(void)kn;
	return kernfs_fop_write(of, "x", 1, 0);
}

static long do_llseek(struct kernfs_node *kn, struct kernfs_open_file *of)
{
	(void)kn;
	return kernfs_fop_llseek(of, 0, 5, SEEK_SET);
}

static long do_poll(struct kernfs_node *kn, struct kernfs_open_file *of)
{
	(void)kn;
	return kernfs_fop_poll(of, NULL) & EPOLLPRI ? -ENODEV : 1;
}

static long do_open(struct kernfs_node *kn, struct kernfs_open_file *unused)
{
	struct kernfs_open_file *of;
	int err = kernfs_fop_open(kn, O_RDWR, &of);

	(void)unused;
	if (err)
		return err;
	kernfs_fop_release(of);
	return 1;
}

#define NO_MUTEX (1U << BEFORE_MUTEX) /* the operation takes none first */

static const struct {
	const char *name;
	const struct kernfs_ops *ops;
	long (*run)(struct kernfs_node *kn, struct kernfs_open_file *of);
	unsigned int skip; /* points it does not have */
} operations[] = {
	{ "show", &text_ops, do_read, 0 },
	{ "read", &io_ops, do_read, 0 },
	{ "write", &io_ops, do_write, 0 },
	{ "read preallocated", &prealloc_ops, do_read, 0 },
	{ "write preallocated", &prealloc_ops, do_write, 0 },
	{ "llseek", &io_ops, do_llseek, 0 },
	{ "poll", &io_ops, do_poll, NO_MUTEX },
	{ "open", &open_ops, do_open, NO_MUTEX },
};

/* --- an operation against a removal --- */

struct run {
	unsigned int op;
	struct kernfs_node *kn;
	struct kernfs_open_file *of;
	long ret;
	bool hide;
	bool removed;
};

static void *operate(void *arg)
{
	struct run *run = arg;

	armed = true;
	stop_here(AT_ENTRY);
	run->ret = operations[run->op].run(run->kn, run->of);
	armed = false;
	return NULL;
}

static void *go_away(void *arg)
{
	struct run *run = arg;

	if (run->hide)
		kernfs_show(run->kn, false);
	else
		kernfs_remove(run->kn);
	SET(run->removed, true);
	return NULL;
}

static void expect_early(const struct run *run, unsigned int point)
{
	if (run->ret != -ENODEV || calls)
		ck_abort_msg("%s, removed at point %u: %ld, %u calls",
			     operations[run->op].name, point, run->ret, calls);
}

static void expect_late(const struct run *run)
{
	if (run->ret != 1 || calls != 1)
		ck_abort_msg("%s, removed while it runs: %ld, %u calls",
			     operations[run->op].name, run->ret, calls);
}

static void race(unsigned int op, enum point point, bool hide)
{
	struct run run = { .op = op, .hide = hide };
	pthread_t operator, remover;

	run.kn = ok_node(__kernfs_create_file(top, "f", 0644, 0, 0, 4096,
					      operations[op].ops, NULL, NULL));
	kernfs_get(run.kn);
	ck_assert_int_eq(kernfs_fop_open(run.kn, O_RDWR, &run.of), 0);
	stop_at = point;
	calls = releases = 0;
	stopped = go_on = false;
	operator= thread_start(operate, &run);
	wait_until(GET(stopped));
	remover = thread_start(go_away, &run);
	if (point == AFTER_ACTIVE) {
		wait_until(!kernfs_active(run.kn));
		give_it_time();
		ck_assert(!GET(run.removed));
		ck_assert_uint_eq(GET(releases), 0);
	} else {
		/* does not wait for whoever is not inside */
		wait_until(GET(run.removed));
	}
	SET(go_on, true);
	thread_join(operator);
	thread_join(remover);
	if (point == AFTER_ACTIVE)
		expect_late(&run);
	else
		expect_early(&run, point);
	kernfs_fop_release(run.of);
	if (operations[op].ops->release)
		ck_assert_uint_eq(
			releases,
			run.ret == 1 && operations[op].run == do_open ? 2 : 1);
	kernfs_remove(run.kn);
	kernfs_put(run.kn);
}

static void race_all(bool hide)
{
	for (unsigned int op = 0; op < NR_OF(operations); op++)
		for (unsigned int point = 0; point < NR_POINTS; point++)
			if (!(operations[op].skip & 1U << point))
				race(op, (enum point)point, hide);
}

START_TEST(removal)
{
	race_all(false);
}
END_TEST

START_TEST(hiding)
{
	race_all(true);
}
END_TEST

/*
 * Before the mutex because another operation has it: that one is inside, so
 * the removal waits for it, but the one in the queue comes too late.
 */
static bool inside, let_go;

static ssize_t block_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
			off_t off)
{
	(void)of, (void)buf, (void)off;
	SET(inside, true);
	wait_until(GET(let_go));
	return (ssize_t)bytes;
}

static const struct kernfs_ops block_ops = { .read = block_cb, .write = io_cb };

struct call {
	struct kernfs_open_file *of;
	long ret;
};

static void *read_thread(void *arg)
{
	struct call *call = arg;

	call->ret = kernfs_fop_read(call->of, byte, 1, 0);
	return NULL;
}

static void *write_thread(void *arg)
{
	struct call *call = arg;

	call->ret = kernfs_fop_write(call->of, "x", 1, 0);
	return NULL;
}

START_TEST(in_the_queue)
{
	struct kernfs_node *kn = ok_node(__kernfs_create_file(
		top, "f", 0644, 0, 0, 4096, &block_ops, NULL, NULL));
	struct call reader, writer;
	struct kernfs_open_file *of;
	pthread_t id[2];
	struct remover r;

	ck_assert_int_eq(kernfs_fop_open(kn, O_RDWR, &of), 0);
	reader.of = writer.of = of;
	id[0] = thread_start(read_thread, &reader);
	wait_until(GET(inside));
	id[1] = thread_start(write_thread, &writer);
	give_it_time();
	remover_start(&r, kn, kn);
	give_it_time();
	ck_assert(!GET(r.done));
	SET(let_go, true);
	thread_join(id[0]);
	thread_join(id[1]);
	remover_join(&r);
	ck_assert_int_eq(reader.ret, 1);
	ck_assert_int_eq(writer.ret, -ENODEV);
	ck_assert_uint_eq(calls, 0);
	kernfs_fop_release(of);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { removal, hiding, in_the_queue };

	return test_run("kernfs-race", tests, NR_OF(tests), setup, teardown);
}
