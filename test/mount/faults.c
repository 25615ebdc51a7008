/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * faults MOUNTPOINT [TIMEOUT] - mounts and serves while one allocation fails: the n-th,
 * for each n until none does. A mount that fails says so and leaves nothing;
 * a request that fails says ENOMEM, and the next one is answered. In the end
 * nothing has leaked. TIMEOUT is callback_timeout in milliseconds.
 *
 * The client is a process of its own, forked before there are threads. The
 * linker puts our functions into the place of malloc and its kind (--wrap in
 * local.mk), in our objects only.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <kernfuse/kernfs.h>
#include <kernfuse/mount.h>

#include "fs/kernfs/kernfs-internal.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
char *__real_strdup(const char *str);
void __real_free(void *mem);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
char *__wrap_strdup(const char *str);
void __wrap_free(void *mem);

/* atomic, all: in any thread until one fails; 0: none does */
static int countdown;
static int nr_failed;
static long in_use;

static bool fails(void)
{
	if (__atomic_load_n(&countdown, __ATOMIC_RELAXED) <= 0 ||
	    __atomic_sub_fetch(&countdown, 1, __ATOMIC_RELAXED) != 0)
		return false;
	__atomic_add_fetch(&nr_failed, 1, __ATOMIC_RELAXED);
	return true;
}

static void *counted(void *mem)
{
	if (mem)
		__atomic_add_fetch(&in_use, 1, __ATOMIC_RELAXED);
	return mem;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return fails() ? NULL : counted(__real_calloc(nr, size));
}

void *__wrap_realloc(void *old, size_t size)
{
	void *mem = fails() ? NULL : __real_realloc(old, size);

	return old ? mem : counted(mem);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return fails() ? NULL : counted(__real_aligned_alloc(align, size));
}

char *__wrap_strdup(const char *str)
{
	return fails() ? NULL : counted(__real_strdup(str));
}

void __wrap_free(void *mem)
{
	if (mem)
		__atomic_sub_fetch(&in_use, 1, __ATOMIC_RELAXED);
	__real_free(mem);
}

static void die(const char *what, long detail)
{
	fprintf(stderr, "faults: %s: %ld (%s)\n", what, detail,
		strerror(errno));
	exit(1);
}

/* --- the client: each call works or says ENOMEM --- */

static unsigned int nr_enomem;

static bool ok(long ret, const char *what)
{
	if (ret >= 0)
		return true;
	if (errno != ENOMEM)
		die(what, errno);
	nr_enomem++;
	return false;
}

static void use_file(const char *name)
{
	int fd = open(name, O_RDWR);
	struct pollfd p = { .fd = fd, .events = POLLPRI };
	char buf[16];

	if (!ok(fd, "open"))
		return;
	ok(read(fd, buf, sizeof(buf)), "read");
	ok(pwrite(fd, "x", 1, 0), "write");
	ok(poll(&p, 1, 0), "poll");
	ok(fchmod(fd, 0600), "fchmod");
	ok(fsetxattr(fd, "trusted.x", "x", 1, 0), "fsetxattr");
	ok(fgetxattr(fd, "trusted.x", buf, sizeof(buf)), "fgetxattr");
	ok(flistxattr(fd, NULL, 0), "flistxattr");
	close(fd);
}

static void list_dir(const char *name)
{
	DIR *dir = opendir(name);

	if (!ok(dir ? 0 : -1, "opendir"))
		return;
	errno = 0;
	while (readdir(dir))
		;
	ok(errno ? -1 : 0, "readdir");
	closedir(dir);
}

/* Everything that may fail once does not fail twice. */
static void use_mount(const char *top)
{
	char buf[16];

	if (chdir(top)) {
		ok(-1, "chdir");
		return;
	}
	list_dir(".");
	use_file("f");
	ok(readlink("l", buf, sizeof(buf)), "readlink");
	if (ok(mkdir("new", 0755), "mkdir") &&
	    ok(rename("new", "newer"), "rename"))
		ok(rmdir("newer"), "rmdir");
	/* one of the three may not have */
	rmdir("new");
	rmdir("newer");
	if (chdir("/"))
		die("chdir", 0);
}

static pid_t client;
static int to_client[2], from_client[2];

static void run_client(const char *top)
{
	char c;

	close(to_client[1]);
	while (read(to_client[0], &c, 1) == 1) {
		nr_enomem = 0;
		use_mount(top);
		c = (char)nr_enomem;
		if (write(from_client[1], &c, 1) != 1)
			die("write", 0);
	}
	exit(0);
}

static void start_client(const char *top)
{
	if (pipe2(to_client, O_CLOEXEC) || pipe2(from_client, O_CLOEXEC))
		die("pipe", 0);
	client = fork();
	if (client < 0)
		die("fork", 0);
	if (client == 0)
		run_client(top);
	close(to_client[0]);
	close(from_client[1]);
}

static unsigned int ask_client(void)
{
	char c = 0;

	if (write(to_client[1], "", 1) != 1 || read(from_client[0], &c, 1) != 1)
		die("the client has died", 0);
	return (unsigned int)c;
}

/* --- the tree --- */

static struct kernfs_root *root;

static int show_cb(struct seq_file *sf, void *v)
{
	(void)v;
	seq_puts(sf, "text\n");
	return 0;
}

static ssize_t write_cb(struct kernfs_open_file *of, char *buf, size_t bytes,
			off_t off)
{
	(void)buf, (void)off;
	kernfs_notify(of->kn);
	return (ssize_t)bytes;
}

static const struct kernfs_ops ops = {
	.seq_show = show_cb,
	.write = write_cb,
};

static int mkdir_hook(struct kernfs_node *parent, const char *name, mode_t mode)
{
	struct kernfs_node *kn = kernfs_create_dir(parent, name, mode, NULL);

	return IS_ERR(kn) ? (int)PTR_ERR(kn) : 0;
}

static int rmdir_hook(struct kernfs_node *kn)
{
	return kernfs_remove_self(kn) ? 0 : -ENODEV;
}

static int rename_hook(struct kernfs_node *kn, struct kernfs_node *new_parent,
		       const char *new_name)
{
	return kernfs_rename(kn, new_parent, new_name);
}

static const struct kernfs_syscall_ops hooks = {
	.mkdir = mkdir_hook,
	.rmdir = rmdir_hook,
	.rename = rename_hook,
};

static void make_tree(void)
{
	struct kernfs_node *top, *kn;

	root = kernfs_create_root(&hooks, 0, NULL);
	if (IS_ERR(root))
		die("create_root", PTR_ERR(root));
	top = kernfs_root_to_node(root);
	kn = __kernfs_create_file(top, "f", 0644, 0, 0, 4096, &ops, NULL, NULL);
	if (IS_ERR(kn) || IS_ERR(kernfs_create_link(top, "l", kn)))
		die("create", 0);
}

/* But for pages of ids, of which a new one comes every 512 ids. */
static long memory_in_use(void)
{
	kf_rcu_barrier();
	return __atomic_load_n(&in_use, __ATOMIC_RELAXED) -
	       (long)root->ids.pages->live;
}

/* --- the faults --- */

static unsigned int timeout_ms;

/* Mounts, serves and unmounts. Return: how many requests said ENOMEM. */
static unsigned int mount_once(const char *mountpoint)
{
	const struct kernfuse_mount_params params = {
		.max_threads = 2,
		.callback_timeout_ms = timeout_ms,
	};
	struct kernfuse_mount *m = kernfuse_mount(root, mountpoint, &params);
	unsigned int failed;

	if (IS_ERR(m)) {
		if (!__atomic_load_n(&nr_failed, __ATOMIC_RELAXED))
			die("mount", PTR_ERR(m));
		return 0;
	}
	failed = ask_client();
	kernfuse_unmount(m);
	return failed;
}

int main(int argc, char **argv)
{
	unsigned int n = 0, refused = 0, enomem;
	long before;

	if (argc != 2 && argc != 3) {
		fputs("usage: faults MOUNTPOINT [TIMEOUT]\n", stderr);
		return 99;
	}
	if (argc == 3)
		timeout_ms = (unsigned int)strtoul(argv[2], NULL, 10);
	start_client(argv[1]);
	make_tree();
	/* twice: what is kept for good is there then */
	for (int i = 0; i < 2; i++)
		if (mount_once(argv[1]))
			die("a call failed though none was to", 0);
	before = memory_in_use();
	do {
		nr_failed = 0;
		__atomic_store_n(&countdown, (int)++n, __ATOMIC_RELAXED);
		enomem = mount_once(argv[1]);
		__atomic_store_n(&countdown, 0, __ATOMIC_RELAXED);
		if (enomem > 1)
			die("calls that failed for one fault", enomem);
		refused += enomem;
		if (kernfs_check_tree(root))
			die("the tree is broken by fault", n);
		/* what a table grew to meanwhile stays */
		if (memory_in_use() > before)
			die("leaked by fault", n);
	} while (nr_failed && n < 1000);
	printf("%u allocations, %u of them said ENOMEM to the client\n", n - 1,
	       refused);
	if (n < 20 || n == 1000 || !refused)
		die("not what was to be tried", n);
	close(to_client[1]);
	waitpid(client, NULL, 0);
	kernfs_destroy_root(root);
	return 0;
}
