/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keepers of real regions: names, references, holders, and what a keeper that
 * died has left. */
#include "fs/ipc/namespace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "test/unit/util.h"

static char path[64];
static int dir;
static struct ipc_keeper *keeper;
static const struct ipc_params defaults = { .owner = 0, .mode = 0600 };
static struct ipc_params params;

static void keep_with(const struct ipc_teardown_params *with)
{
	ck_assert_int_eq(ipc_keeper_create(dir, with, &keeper), 0);
}

static void setup(void)
{
	const char *base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";

	snprintf(path, sizeof(path), "%s/ipc-namespace.XXXXXX", base);
	ck_assert_ptr_nonnull(mkdtemp(path));
	dir = open(path, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
	params = defaults;
	params.owner = geteuid();
	params.group = getegid();
}

static void teardown(void)
{
	ipc_keeper_destroy(keeper);
	close(dir);
	ck_assert_int_eq(rmdir(path), 0); /* nothing was left */
}

static unsigned int files(void)
{
	DIR *d = opendir(path);
	unsigned int nr = 0;
	struct dirent *ent;

	while ((ent = readdir(d)))
		nr += ent->d_type == DT_REG;
	closedir(d);
	return nr;
}

static bool has_file(const char *name)
{
	return faccessat(dir, name, F_OK, 0) == 0;
}

/* A figure of the status, or one of this uid's. */
static unsigned long long figure_in(const char *line, const char *name)
{
	char *text, *at, want[64];
	unsigned long long value;

	ck_assert_int_gt(ipc_keeper_text(keeper, &text), 0);
	at = *line ? strstr(text, line) : text;
	ck_assert_ptr_nonnull(at);
	snprintf(want, sizeof(want), "%s%s ", *line ? " " : "\n", name);
	at = strstr(at, want);
	ck_assert_msg(at, "no %s in:\n%s", name, text);
	value = strtoull(at + strlen(want), NULL, 10);
	free(text);
	return value;
}

#define figure(name) figure_in("", name)
#define my_figure(name) figure_in("\nuid ", name)

static struct ipc_space *make(const char *name)
{
	struct ipc_space *space;

	ck_assert_int_eq(create_ipc_ns(keeper, name, &params, &space), 0);
	return space;
}

/* Makes a region large, as if there were messages in it. */
static void fill(struct ipc_space *space, off_t bytes)
{
	int fd = ipc_ns_fd(ipc_space_ns(space));
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(fallocate(fd, 0, st.st_size, bytes), 0);
}

/* Keeps the worker inside a removal. */
static bool hold;
static unsigned int removed;

static void remove_tree(struct ipc_space *space, void *priv)
{
	must(priv == &hold);
	must(ipc_space_ns(space) != NULL);
	must(!ipc_ns_dead(ipc_space_ns(space))); /* it can be looked at */
	ADD(removed, 1);
	wait_until(!GET(hold));
}

/* --- names and references --- */

START_TEST(made_and_put)
{
	struct ipc_space *space, *found;

	keep_with(NULL);
	space = make("one");
	ck_assert_str_eq(ipc_space_name(space), "one");
	ck_assert(has_file("one"));
	found = find_ipc_ns(keeper, "one");
	ck_assert_ptr_eq(found, space);
	ck_assert_ptr_null(find_ipc_ns(keeper, "two"));
	ck_assert_ptr_null(find_ipc_ns(keeper, ""));
	get_ipc_ns(space);
	put_ipc_ns(found);
	put_ipc_ns(space);
	ck_assert(has_file("one"));
	ck_assert_uint_eq(my_figure("namespaces"), 1);
	put_ipc_ns(space);
	ck_assert_uint_eq(files(), 0);
	ck_assert_ptr_null(find_ipc_ns(keeper, "one"));
	ck_assert_uint_eq(my_figure("namespaces"), 0);
	ck_assert_uint_eq(my_figure("freed"), 1);
	ck_assert_uint_gt(my_figure("freed_bytes"), 0);
}
END_TEST

START_TEST(without_a_name)
{
	struct ipc_space *a, *b;

	keep_with(NULL);
	a = make(NULL);
	b = make(NULL);
	ck_assert_str_eq(ipc_space_name(a), "");
	ck_assert_uint_eq(files(), 0);
	ck_assert_uint_eq(my_figure("namespaces"), 2);
	put_ipc_ns(a);
	put_ipc_ns_async(b);
	ipc_keeper_flush(keeper);
	ck_assert_uint_eq(my_figure("freed"), 2);
}
END_TEST

START_TEST(bad_names)
{
	static const char *const names[] = {
		"", ".", "..", "a/b", "/a", ".dead-", ".dead-1",
	};
	char too_long[300];
	struct ipc_space *space;

	keep_with(NULL);
	memset(too_long, 'a', sizeof(too_long));
	too_long[sizeof(too_long) - 1] = '\0';
	for (unsigned int i = 0; i <= NR_OF(names); i++) {
		const char *name = i < NR_OF(names) ? names[i] : too_long;

		ck_assert_int_eq(create_ipc_ns(keeper, name, &params, &space),
				 -EINVAL);
		ck_assert_int_eq(open_ipc_ns(keeper, name, &space), -EINVAL);
		ck_assert_ptr_null(find_ipc_ns(keeper, name));
	}
	ck_assert_int_eq(open_ipc_ns(keeper, "absent", &space), -ENOENT);
}
END_TEST

/* Whatever fails, nothing stays: no file, no charge, no entry. */
START_TEST(failed_creation)
{
	struct ipc_params tiny = params;
	struct ipc_space *space, *other;

	keep_with(NULL);
	tiny.limit = 1;
	ck_assert_int_eq(create_ipc_ns(keeper, "tiny", &tiny, &space), -EINVAL);
	ck_assert_int_eq(mkdirat(dir, "taken", 0700), 0);
	ck_assert_int_eq(create_ipc_ns(keeper, "taken", &params, &space),
			 -EEXIST);
	ck_assert_int_eq(unlinkat(dir, "taken", AT_REMOVEDIR), 0);
	ck_assert_uint_eq(my_figure("namespaces"), 0);
	space = make("one");
	ck_assert_int_eq(create_ipc_ns(keeper, "one", &params, &other),
			 -EEXIST);
	ck_assert_int_eq(open_ipc_ns(keeper, "one", &other), -EEXIST);
	ck_assert_uint_eq(my_figure("namespaces"), 1);
	/* the file was removed from under the keeper */
	ck_assert_int_eq(unlinkat(dir, "one", 0), 0);
	ck_assert_int_eq(create_ipc_ns(keeper, "one", &params, &other),
			 -EEXIST);
	ck_assert_uint_eq(my_figure("namespaces"), 1);
	ck_assert_uint_eq(files(), 0);
	put_ipc_ns(space);
	ck_assert_uint_eq(my_figure("namespaces"), 0);
}
END_TEST

/* The name is free as soon as the last put is made, the memory later. */
START_TEST(name_is_free_at_once)
{
	struct ipc_space *space;

	keep_with(NULL);
	SET(hold, true);
	for (unsigned int i = 1; i <= 3; i++) {
		space = make("again");
		fill(space, IPC_INLINE_BYTES);
		ipc_space_set_remove(space, remove_tree, &hold);
		put_ipc_ns(space);
		ck_assert_ptr_null(find_ipc_ns(keeper, "again"));
		ck_assert(!has_file("again"));
		ck_assert_uint_eq(files(), i);
		ck_assert_uint_eq(figure("pending"), i);
		ck_assert_uint_eq(my_figure("namespaces"), i);
	}
	SET(hold, false);
	ipc_keeper_flush(keeper);
	ck_assert_uint_eq(files(), 0);
	ck_assert_uint_eq(GET(removed), 3);
	ck_assert_uint_ge(my_figure("freed_bytes"), 3 * IPC_INLINE_BYTES);
	ck_assert_uint_eq(my_figure("namespaces"), 0);
}
END_TEST

START_TEST(sync_mode)
{
	struct ipc_teardown_params sync = { .mode = IPC_TEARDOWN_SYNC };
	struct ipc_space *space;

	keep_with(&sync);
	space = make("one");
	fill(space, 40 << 20);
	ipc_space_set_remove(space, remove_tree, &hold);
	put_ipc_ns(space);
	ck_assert_uint_eq(removed, 1);
	ck_assert_uint_eq(files(), 0);
	ck_assert_uint_ge(my_figure("freed_bytes"), 40 << 20);
	ck_assert_uint_eq(figure("batches"), 0);
}
END_TEST

/* --- limits --- */

START_TEST(limits_count_pending)
{
	struct ipc_teardown_params two = { .max_namespaces = 2 };
	struct ipc_space *a, *b, *c;

	keep_with(&two);
	a = make("a");
	b = make("b");
	ck_assert_int_eq(create_ipc_ns(keeper, "c", &params, &c), -ENOSPC);
	ck_assert_uint_eq(files(), 2);
	fill(a, IPC_INLINE_BYTES);
	put_ipc_ns(a);
	c = make("c"); /* perhaps after a flush */
	ck_assert_int_eq(create_ipc_ns(keeper, "d", &params, &a), -ENOSPC);
	put_ipc_ns(b);
	put_ipc_ns(c);
}
END_TEST

START_TEST(limit_of_bytes)
{
	struct ipc_teardown_params small = { .max_bytes = 64 << 20 };
	struct ipc_space *a, *b;

	keep_with(&small);
	a = make("a");
	b = make("b");
	fill(b, 64 << 20);
	put_ipc_ns(a);
	ck_assert_int_eq(create_ipc_ns(keeper, "a", &params, &a), -EDQUOT);
	put_ipc_ns(b);
	put_ipc_ns(make("a")); /* pending bytes are waited for */
}
END_TEST

/* --- holders the keeper does not know --- */

static void wait_for(pid_t pid, int want)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, want);
}

/* Uses the region until the pipe ends. */
static pid_t start_holder(struct ipc_namespace *inherited, int pipefd[2])
{
	struct ipc_namespace *ns = inherited;
	struct ipc_limits limits;
	int ready[2];
	pid_t pid;
	char c;

	ck_assert_int_eq(pipe(pipefd), 0);
	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		close(pipefd[1]);
		if (!ns && ipc_ns_open(dir, "one", &ns))
			_exit(2);
		if (write(ready[1], "", 1) != 1 || read(pipefd[0], &c, 1))
			_exit(3);
		ipc_get_limits(ns, &limits);
		_exit(limits.msgmax == 8192 ? 0 : 4);
	}
	close(pipefd[0]);
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void expect_held_until_exit(pid_t pid, int end)
{
	ipc_keeper_flush(keeper);
	ck_assert_uint_eq(figure("held"), 1);
	ck_assert_uint_eq(figure("pending"), 0);
	ck_assert_uint_eq(my_figure("namespaces"), 1);
	close(end);
	wait_for(pid, 0); /* it could still use it */
	wait_until(figure("held") == 0);
	ck_assert_uint_eq(my_figure("namespaces"), 0);
	ck_assert_uint_eq(files(), 0);
}

START_TEST(held_by_name)
{
	struct ipc_space *space;
	int pipefd[2];
	pid_t pid;

	keep_with(NULL);
	space = make("one");
	pid = start_holder(NULL, pipefd);
	put_ipc_ns(space);
	ck_assert(!has_file("one"));
	expect_held_until_exit(pid, pipefd[1]);
}
END_TEST

/* The child has our own descriptor, and so our lock. */
START_TEST(held_by_a_child)
{
	struct ipc_space *space;
	int pipefd[2];
	pid_t pid;

	keep_with(NULL);
	space = make(NULL);
	pid = start_holder(ipc_space_ns(space), pipefd);
	put_ipc_ns(space);
	expect_held_until_exit(pid, pipefd[1]);
}
END_TEST

START_TEST(held_when_the_keeper_goes)
{
	struct ipc_space *space;
	int pipefd[2];
	pid_t pid;

	keep_with(NULL);
	space = make("one");
	pid = start_holder(NULL, pipefd);
	put_ipc_ns(space);
	ipc_keeper_destroy(keeper);
	keeper = NULL;
	ck_assert_uint_eq(files(), 0);
	close(pipefd[1]);
	wait_for(pid, 0);
}
END_TEST

/* --- a keeper that died --- */

static bool keep_asked(const char *name, bool held, void *priv)
{
	unsigned int *asked = priv;

	(*asked)++;
	return strcmp(name, "live") == 0 || (held && strcmp(name, "used"));
}

/* Dies with two regions dead but not freed, and three live ones. */
static void leave_things(void)
{
	struct ipc_space *space;
	int status, ready[2];
	pid_t pid;
	char c;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		SET(hold, true);
		if (ipc_keeper_create(dir, NULL, &keeper))
			_exit(1);
		for (unsigned int i = 0; i < 2; i++) {
			if (create_ipc_ns(keeper, "dead", &params, &space))
				_exit(2);
			fill(space, IPC_INLINE_BYTES);
			ipc_space_set_remove(space, remove_tree, &hold);
			put_ipc_ns(space);
		}
		if (create_ipc_ns(keeper, "live", &params, &space) ||
		    create_ipc_ns(keeper, "used", &params, &space) ||
		    create_ipc_ns(keeper, "left", &params, &space) ||
		    write(ready[1], "", 1) != 1)
			_exit(3);
		pause();
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_uint_eq(files(), 5);
}

START_TEST(after_a_crash)
{
	struct ipc_namespace *used;
	unsigned int asked = 0;
	struct ipc_space *live;

	leave_things();
	ck_assert_int_eq(ipc_ns_open(dir, "used", &used), 0);
	/* names of ours that are not regions, or not files */
	ck_assert_int_eq(mkdirat(dir, ".dead-dir", 0700), 0);
	ck_assert_int_eq(symlinkat("live", dir, ".dead-link"), 0);
	keep_with(NULL);
	ck_assert_int_eq(ipc_keeper_scan(keeper, keep_asked, &asked), 3);
	ipc_keeper_flush(keeper);
	ck_assert_uint_eq(asked, 3);
	ck_assert(has_file("live"));
	ck_assert(has_file("used")); /* somebody has it */
	ck_assert(!has_file("left"));
	ck_assert_uint_eq(files(), 2);
	ck_assert_uint_eq(my_figure("freed"), 3);
	ck_assert_uint_ge(my_figure("freed_bytes"), 2 * IPC_INLINE_BYTES);
	ck_assert_uint_eq(my_figure("namespaces"), 0);

	ck_assert_int_eq(open_ipc_ns(keeper, "live", &live), 0);
	ck_assert_uint_eq(my_figure("namespaces"), 1);
	asked = 0;
	ck_assert_int_eq(ipc_keeper_scan(keeper, keep_asked, &asked), 0);
	ck_assert_uint_eq(asked, 1);
	put_ipc_ns(live);
	ipc_ns_close(used);
	ck_assert_int_eq(ipc_keeper_scan(keeper, keep_asked, &asked), 1);
	ipc_keeper_flush(keeper);
	ck_assert_uint_eq(files(), 0);
	unlinkat(dir, ".dead-dir", AT_REMOVEDIR);
	unlinkat(dir, ".dead-link", 0);
}
END_TEST

/* --- made and left by a process of its own --- */

START_TEST(made_by_another)
{
	struct ipc_namespace *ns;
	pid_t pid;

	keep_with(NULL);
	ck_assert_int_eq(ipc_keeper_reap(keeper, "one"), -ENOENT);
	ck_assert_int_eq(ipc_keeper_reap(keeper, ".dead-1"), -EINVAL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		_exit(ipc_ns_create(dir, "one", &params, &ns) ? 1 : 0);
	wait_for(pid, 0);
	ck_assert(has_file("one"));
	ck_assert_int_eq(ipc_keeper_reap(keeper, "one"), 0);
	ck_assert_uint_eq(files(), 0);
	ck_assert_uint_eq(my_figure("freed"), 1);

	ck_assert_int_eq(ipc_ns_create(dir, "one", &params, &ns), 0);
	ck_assert_int_eq(ipc_keeper_reap(keeper, "one"), -EBUSY);
	ck_assert(has_file("one"));
	ck_assert_uint_eq(my_figure("namespaces"), 0);
	ipc_ns_close(ns);
	ck_assert_int_eq(ipc_keeper_reap(keeper, "one"), 0);
	put_ipc_ns(make("one"));
}
END_TEST

/* --- many at once --- */

#define ROUNDS 60
static const char *const names[] = { "a", "b", "c" };

static void *using_thread(void *seed_)
{
	uint64_t *seed = seed_;
	struct ipc_space *space;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		const char *name = names[random_below(seed, NR_OF(names))];

		space = find_ipc_ns(keeper, name);
		if (!space && create_ipc_ns(keeper, name, &params, &space))
			continue; /* somebody else was faster */
		must(strcmp(ipc_space_name(space), name) == 0);
		must(!ipc_ns_dead(ipc_space_ns(space)));
		if (random_below(seed, 2))
			put_ipc_ns(space);
		else
			put_ipc_ns_async(space);
	}
	return NULL;
}

START_TEST(found_and_put_by_many)
{
	struct ipc_teardown_params large = { .inline_bytes = 1 };
	uint64_t seeds[4] = { 1, 2, 3, 4 };

	for (unsigned int i = 0; i < 2; i++) {
		keep_with(i ? &large : NULL);
		run_threads(NR_OF(seeds), using_thread, seeds,
			    sizeof(seeds[0]));
		ipc_keeper_flush(keeper);
		ck_assert_uint_eq(my_figure("namespaces"), 0);
		ck_assert_uint_eq(files(), 0);
		ipc_keeper_destroy(keeper);
		keeper = NULL;
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		made_and_put,
		without_a_name,
		bad_names,
		failed_creation,
		name_is_free_at_once,
		sync_mode,
		limits_count_pending,
		limit_of_bytes,
		held_by_name,
		held_by_a_child,
		held_when_the_keeper_goes,
		after_a_crash,
		made_by_another,
		found_and_put_by_many,
	};

	return test_run("ipc-namespace", tests, NR_OF(tests), setup, teardown);
}
