/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mounts CASE DIRECTORY... - what <kernfuse/mount.h> promises, from inside a
 * process that uses the shared library and its public headers only. Looks at
 * its own mounts, which it may do from threads that serve none of them.
 *
 * Exit: 0; 1 and the line that was wrong.
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kernfuse/kernfs.h>
#include <kernfuse/kobject.h>
#include <kernfuse/mount.h>

static struct kernfs_root *root;
static struct kobject top;

/* --- the tree: "value", and "slow", which answers when it may --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned int nr_slow; /* readers inside */
static bool go_on;
static atomic_int value = 1;

static ssize_t value_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	(void)kobj, (void)attr;
	return sysfs_emit(buf, "%d\n", atomic_load(&value));
}

static ssize_t slow_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	(void)kobj, (void)attr;
	pthread_mutex_lock(&lock);
	nr_slow++;
	pthread_cond_broadcast(&changed);
	while (!go_on)
		pthread_cond_wait(&changed, &lock);
	nr_slow--;
	pthread_mutex_unlock(&lock);
	return sysfs_emit(buf, "done\n");
}

static struct kobj_attribute value_attr = __ATTR_RO(value);
static struct kobj_attribute slow_attr = __ATTR_RO(slow);
static const struct kobj_type top_ktype = { .sysfs_ops = &kobj_sysfs_ops };

static void make_tree(void)
{
	top.ktype = &top_ktype;
	root = sysfs_create_root(NULL, &top, NULL);
	assert(!IS_ERR(root));
	assert(sysfs_create_file(&top, &value_attr.attr) == 0);
	assert(sysfs_create_file(&top, &slow_attr.attr) == 0);
}

/* --- looking at a mount --- */

static int open_in(const char *dir, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* In a child: to standard output. No descriptor of ours stays open in it. */
static void copy_out(const char *path)
{
	char buf[100];
	ssize_t len = -1;
	int fd;

	close_range(3, ~0U, 0);
	fd = open(path, O_RDONLY);
	if (fd >= 0)
		len = read(fd, buf, sizeof(buf));
	if (len > 0)
		len = write(STDOUT_FILENO, buf, (size_t)len);
	_exit(len < 0);
}

/*
 * What the file there reads; "" if it cannot be opened or read. By a child,
 * since a process that dies while it waits for itself does not die.
 */
static const char *read_in(const char *dir, const char *name)
{
	static __thread char buf[100];
	char path[4096];
	ssize_t len;
	pid_t child;
	int fds[2];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert(pipe2(fds, O_CLOEXEC) == 0);
	child = fork();
	assert(child >= 0);
	if (!child) {
		dup2(fds[1], STDOUT_FILENO);
		copy_out(path);
	}
	close(fds[1]);
	len = read(fds[0], buf, sizeof(buf) - 1);
	buf[len > 0 ? len : 0] = '\0';
	close(fds[0]);
	waitpid(child, NULL, 0);
	return buf;
}

static bool is_mounted(const char *dir)
{
	char parent[4096];
	struct stat st, above;

	snprintf(parent, sizeof(parent), "%s/..", dir);
	assert(stat(dir, &st) == 0 && stat(parent, &above) == 0);
	return st.st_dev != above.st_dev;
}

static struct kernfuse_mount *
mount_on(const char *dir, const struct kernfuse_mount_params *params)
{
	struct kernfuse_mount *m = kernfuse_mount(root, dir, params);

	assert(!IS_ERR(m));
	return m;
}

/* --- cases --- */

/* Several mounts of one root and of another, changed while they are there. */
static void several(char **dir)
{
	struct kobject top2 = { .ktype = &top_ktype };
	struct kernfs_root *root2 = sysfs_create_root(NULL, &top2, NULL);
	struct kernfuse_mount *m[3];

	m[0] = mount_on(dir[0], NULL);
	m[1] = mount_on(dir[1], NULL);
	m[2] = kernfuse_mount(root2, dir[2], NULL);
	assert(!IS_ERR(m[2]));
	assert(!strcmp(read_in(dir[0], "value"), "1\n"));
	atomic_store(&value, 2);
	assert(!strcmp(read_in(dir[1], "value"), "2\n"));
	assert(!strcmp(read_in(dir[2], "value"), ""));
	assert(sysfs_create_file(&top2, &value_attr.attr) == 0);
	assert(!strcmp(read_in(dir[2], "value"), "2\n"));
	kernfuse_unmount(m[0]);
	assert(!is_mounted(dir[0]));
	assert(!strcmp(read_in(dir[1], "value"), "2\n"));
	kernfuse_unmount(m[2]);
	kernfuse_unmount(m[1]);
	assert(!is_mounted(dir[1]) && !is_mounted(dir[2]));
	sysfs_destroy_root(&top2);
	kernfuse_unmount(NULL);
}

static void *run_thread(void *m)
{
	return (void *)(intptr_t)kernfuse_mount_run(m);
}

static pthread_t start(void *(*fn)(void *), void *arg)
{
	pthread_t id;

	assert(pthread_create(&id, NULL, fn, arg) == 0);
	return id;
}

static int join(pthread_t id)
{
	void *ret;

	assert(pthread_join(id, &ret) == 0);
	return (int)(intptr_t)ret;
}

static atomic_uint readies;

static void ready(void *ctx)
{
	assert(ctx == &readies);
	readies++;
}

/* In the caller's threads: unmounted from outside, both return. */
static void caller_threads(char **dir)
{
	const struct kernfuse_mount_params params = {
		.caller_threads = true,
		.ready = ready,
		.ctx = &readies,
		.options = "fsname=mine",
	};
	struct kernfuse_mount *m = mount_on(dir[0], &params);
	pthread_t id[2];

	assert(readies == 0);
	id[0] = start(run_thread, m);
	id[1] = start(run_thread, m);
	assert(!strcmp(read_in(dir[0], "value"), "1\n"));
	assert(readies == 1);
	assert(umount2(dir[0], UMOUNT_NOFOLLOW) == 0);
	assert(join(id[0]) == 0 && join(id[1]) == 0);
	kernfuse_unmount(m);
	assert(!is_mounted(dir[0]));
}

static struct kernfuse_mount *signalled;

static void stop_it(int sig)
{
	(void)sig;
	kernfuse_mount_stop(signalled);
}

/* Stopped by a handler of the program's, in the thread that serves. */
static void stopped(char **dir)
{
	const struct kernfuse_mount_params params = { .caller_threads = true };
	struct kernfuse_mount *m = mount_on(dir[0], &params);
	pthread_t id;

	signalled = m;
	signal(SIGUSR1, stop_it);
	id = start(run_thread, m);
	assert(!strcmp(read_in(dir[0], "value"), "1\n"));
	pthread_kill(id, SIGUSR1);
	assert(join(id) == 0);
	/* nobody serves, and all the same it can be unmounted */
	kernfuse_unmount(m);
	assert(!is_mounted(dir[0]));
	/* before anybody serves */
	m = mount_on(dir[0], &params);
	kernfuse_mount_stop(m);
	assert(kernfuse_mount_run(m) == 0);
	kernfuse_unmount(m);
	assert(!is_mounted(dir[0]));
}

/* Waiting for the end of a mount that serves itself. */
static void waited_for(char **dir)
{
	struct kernfuse_mount *m = mount_on(dir[0], NULL);
	pthread_t id = start(run_thread, m);

	assert(!strcmp(read_in(dir[0], "value"), "1\n"));
	kernfuse_mount_stop(m);
	assert(join(id) == 0);
	kernfuse_unmount(m);
}

static void *read_slow(void *dir)
{
	assert(!strcmp(read_in(dir, "slow"), "done\n"));
	return NULL;
}

/* Callbacks that block hold up nobody else: more threads come. */
static void slow_callbacks(char **dir)
{
	const struct kernfuse_mount_params params = { .max_threads = 5 };
	struct kernfuse_mount *m = mount_on(dir[0], &params);
	pthread_t id[4];

	for (unsigned int i = 0; i < 4; i++)
		id[i] = start(read_slow, dir[0]);
	pthread_mutex_lock(&lock);
	while (nr_slow < 4)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	assert(!strcmp(read_in(dir[0], "value"), "1\n"));
	pthread_mutex_lock(&lock);
	go_on = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (unsigned int i = 0; i < 4; i++)
		join(id[i]);
	kernfuse_unmount(m);
}

/* A callback that waits for ever learns that the mount is to end. */
static ssize_t waiting_read(struct kernfs_open_file *of, char *buf,
			    size_t bytes, off_t off)
{
	(void)of, (void)buf, (void)bytes, (void)off;
	pthread_mutex_lock(&lock);
	nr_slow++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	while (!kernfs_current_interrupted())
		usleep(10000);
	pthread_mutex_lock(&lock);
	nr_slow--;
	pthread_mutex_unlock(&lock);
	return -EINTR;
}

static void *read_nothing(void *dir)
{
	assert(!strcmp(read_in(dir, "waiting"), ""));
	return NULL;
}

static void interrupted(char **dir)
{
	static const struct kernfs_ops blocking = {
		.read = waiting_read,
		.may_block = true,
	};
	static const struct kernfs_ops working = { .read = waiting_read };
	struct kernfuse_mount *m;
	pthread_t id;

	for (unsigned int i = 0; i < 2; i++) {
		assert(!IS_ERR(__kernfs_create_file(
			top.sd, "waiting", 0444, 0, 0, 0,
			i ? &working : &blocking, NULL, NULL)));
		m = mount_on(dir[0], NULL);
		id = start(read_nothing, dir[0]);
		pthread_mutex_lock(&lock);
		while (!nr_slow)
			pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
		kernfuse_unmount(m);
		assert(!nr_slow);
		join(id);
		kernfs_remove_by_name(top.sd, "waiting");
	}
}

static bool released; /* lock */

static ssize_t hanging_read(struct kernfs_open_file *of, char *buf,
			    size_t bytes, off_t off)
{
	(void)of, (void)bytes, (void)off;
	pthread_mutex_lock(&lock);
	nr_slow++;
	while (!go_on)
		pthread_cond_wait(&changed, &lock);
	nr_slow--;
	pthread_mutex_unlock(&lock);
	assert(kernfs_current_interrupted());
	*buf = 'x';
	return 1;
}

static void hanging_release(struct kernfs_open_file *of)
{
	(void)of;
	pthread_mutex_lock(&lock);
	assert(!nr_slow);
	released = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* A callback that hangs outlives the mount, not what it uses. */
static void timed_out(char **dir)
{
	static const struct kernfs_ops hanging = {
		.read = hanging_read,
		.release = hanging_release,
	};
	const struct kernfuse_mount_params params = {
		.callback_timeout_ms = 100,
	};
	struct kernfuse_mount *m;
	char c;
	int fd;

	released = false;
	assert(!IS_ERR(__kernfs_create_file(top.sd, "hanging", 0444, 0, 0, 0,
					    &hanging, NULL, NULL)));
	m = mount_on(dir[0], &params);
	fd = open_in(dir[0], "hanging");
	assert(fd >= 0);
	assert(read(fd, &c, 1) < 0 && errno == ETIMEDOUT);
	close(fd);
	kernfuse_unmount(m);
	pthread_mutex_lock(&lock);
	assert(nr_slow == 1 && !released);
	go_on = true;
	pthread_cond_broadcast(&changed);
	while (!released)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	kernfs_remove_by_name(top.sd, "hanging");
}

/* Files that are open when it ends, and a root that went before. */
static void left_open(char **dir)
{
	struct kernfuse_mount *m = mount_on(dir[0], NULL);
	int fd = open_in(dir[0], "value");
	char c;

	assert(fd >= 0);
	kernfuse_unmount(m);
	assert(!is_mounted(dir[0]));
	assert(read(fd, &c, 1) < 0 && errno == ENOTCONN);
	close(fd);
	m = mount_on(dir[0], NULL);
	sysfs_destroy_root(&top);
	assert(open_in(dir[0], "value") < 0 && errno == ENOENT);
	assert(is_mounted(dir[0]));
	kernfuse_unmount(m);
	make_tree();
}

static int poll_pri(int fd, int timeout_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLPRI };

	return poll(&pfd, 1, timeout_ms);
}

static void polls(char **dir)
{
	const struct kernfuse_mount_params quiet = { .no_poll = true };
	struct kernfuse_mount *m = mount_on(dir[0], NULL);
	int fd = open_in(dir[0], "value");
	char buf[8];

	assert(fd >= 0 && read(fd, buf, sizeof(buf)) == 2);
	assert(poll_pri(fd, 0) == 0);
	sysfs_notify(&top, NULL, "value");
	assert(poll_pri(fd, 10000) == 1);
	close(fd);
	kernfuse_unmount(m);
	m = mount_on(dir[0], &quiet);
	fd = open_in(dir[0], "value");
	assert(fd >= 0 && poll_pri(fd, 0) == 0);
	sysfs_notify(&top, NULL, "value");
	assert(poll_pri(fd, 100) == 0);
	close(fd);
	kernfuse_unmount(m);
}

/* --- what goes wrong --- */

static char said[1024];
static unsigned int nr_said;

static void take(int priority, const char *line)
{
	(void)priority;
	snprintf(said, sizeof(said), "%s", line);
	nr_said++;
}

static void expect_error(const char *dir, const char *options, int err)
{
	const struct kernfuse_mount_params params = { .options = options };
	struct kernfuse_mount *m = kernfuse_mount(root, dir, &params);

	nr_said--;
	if (PTR_ERR(m) != err || nr_said || !strstr(said, "cannot mount on"))
		fprintf(stderr, "%s, %s: %ld, %s\n", dir,
			options ? options : "", PTR_ERR(m), said);
	assert(PTR_ERR(m) == err && !nr_said && strstr(said, dir));
}

static void errors(char **dir)
{
	char path[4096];

	kernfuse_set_log(take);
	snprintf(path, sizeof(path), "%s/none", dir[0]);
	expect_error(path, NULL, -ENOENT);
	expect_error("/dev/null", NULL, -ENOTDIR);
	expect_error(dir[0], "max_read=4096", -EINVAL);
	expect_error(dir[0], "no_such_option", -EINVAL);
	expect_error(dir[0], "context=nonsense", -EIO);
	assert(!is_mounted(dir[0]));
}

/* --- what is left alone --- */

static void check_signals(void)
{
	for (int sig = 1; sig < NSIG; sig++) {
		struct sigaction action;

		/* the sanitizers have theirs */
		if (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE ||
		    sig == SIGUSR1 || sigaction(sig, NULL, &action))
			continue;
		assert(action.sa_handler == SIG_DFL);
	}
}

static void check_descriptors(int first)
{
	const char *sanitizer = getenv("KERNFUSE_SANITIZER");
	int next = open("/dev/null", O_RDONLY | O_CLOEXEC);

	/* ThreadSanitizer has pipes to the program that names its addresses */
	assert(next == first || (sanitizer && !strcmp(sanitizer, "thread")));
	close(next);
}

static const struct {
	const char *name;
	void (*run)(char **dir);
} cases[] = {
	{ "several", several },
	{ "caller_threads", caller_threads },
	{ "stopped", stopped },
	{ "waited_for", waited_for },
	{ "slow_callbacks", slow_callbacks },
	{ "interrupted", interrupted },
	{ "timed_out", timed_out },
	{ "left_open", left_open },
	{ "polls", polls },
	{ "errors", errors },
};

int main(int argc, char **argv)
{
	assert(argc == 5);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(argv[1], cases[i].name) != 0)
			continue;
		for (int sig = 1; sig < NSIG; sig++)
			signal(sig, SIG_DFL);
		make_tree();
		cases[i].run(argv + 2);
		check_signals();
		/* again: what the first time opened once stays */
		int first = open("/dev/null", O_RDONLY | O_CLOEXEC);
		close(first);
		go_on = false;
		readies = nr_said = 0;
		value = 1;
		cases[i].run(argv + 2);
		check_descriptors(first);
		sysfs_destroy_root(&top);
		return 0;
	}
	if (strcmp(argv[1], "list") != 0)
		return 99;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		puts(cases[i].name);
	return 0;
}
