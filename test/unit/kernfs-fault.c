/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The n-th allocation fails, for each n until none does: alone, and with all
 * that follow. What fails says -ENOMEM and changes nothing, the tree checks
 * clean, what is removed needs no memory to go, and nothing leaks.
 *
 * The linker puts our functions into the place of malloc and its kind (--wrap
 * in local.mk), in our objects only.
 */
#include <kernfuse/kernfs.h>

#include "test/unit/kernfs-fixture.h"

#include <fcntl.h>
#include <sys/epoll.h>

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

static long in_use; /* atomic */
/* of this thread: allocations until one fails, 0: none does */
static __thread unsigned int countdown;
static __thread bool all_that_follow;
static __thread unsigned int nr_failed;

static bool fails(void)
{
	if (!countdown)
		return false;
	if (countdown > 1) {
		countdown--;
		return false;
	}
	if (!all_that_follow)
		countdown = 0;
	nr_failed++;
	return true;
}

static void *counted(void *mem)
{
	if (mem)
		ADD(in_use, 1);
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
		ADD(in_use, -1);
	__real_free(mem);
}

/* Check allocates for an assertion that holds, too. */
#undef must
#define must(cond)                                                             \
	do {                                                                   \
		if (!(cond)) {                                                 \
			countdown = 0;                                         \
			ck_abort_msg("%s", #cond);                             \
		}                                                              \
	} while (0)

/* --- the driver --- */

/* But for pages of ids, of which a new one comes every 512 ids. */
static long memory_in_use(void)
{
	kf_rcu_barrier();
	return GET(in_use) -
	       (root->ids.pages ? (long)root->ids.pages->live : 0);
}

/* How often it must have failed at least, so that we know it was tried. */
static void try_all(void (*scenario)(void), unsigned int at_least)
{
	unsigned int n = 0;
	long before;

	/* once without: what threads and tables keep for good is there then */
	scenario();
	before = memory_in_use();
	do {
		n++;
		for (int i = 0; i < 2; i++) {
			nr_failed = 0;
			countdown = n;
			all_that_follow = i;
			scenario();
			countdown = 0;
			must(kernfs_check_tree(root) == 0);
			if (memory_in_use() != before)
				ck_abort_msg("%ld leaked when allocation %u "
					     "failed%s",
					     memory_in_use() - before, n,
					     i ? ", and all that follow" : "");
		}
	} while (nr_failed && n < 1000);
	must(n > at_least);
	must(n < 1000);
}

/* It worked, or there was no memory. Fails if there was, but it did not. */
static bool worked(long err)
{
	if (err >= 0)
		return true;
	must(err == -ENOMEM);
	must(nr_failed > 0);
	return false;
}

static bool made(const struct kernfs_node *kn)
{
	return worked(IS_ERR(kn) ? PTR_ERR(kn) : 0);
}

/* --- trees --- */

static const struct ns_common red = { 1 }, blue = { 2 };

static void make_root(void)
{
	struct kernfs_root *r = kernfs_create_root(NULL, 0, NULL);

	if (worked(IS_ERR(r) ? PTR_ERR(r) : 0))
		kernfs_destroy_root(r);
}

START_TEST(roots)
{
	try_all(make_root, 5);
}
END_TEST

static struct kernfs_node *make_owned(struct kernfs_node *dir, const char *name)
{
	return __kernfs_create_file(dir, name, 0644, 5, 6, 0, &no_ops, NULL,
				    NULL);
}

/* One of each, some with an owner, which has a record of its own. */
static void make_one_of_each(void)
{
	struct kernfs_node *dir =
		kernfs_create_dir_ns(top, "d", 0755, 1, 1, NULL, NULL);
	struct kernfs_node *kn;

	if (!made(dir))
		return;
	made(make_owned(dir, "owned"));
	made(kernfs_create_empty_dir(dir, "empty"));
	made(kernfs_create_link(dir, "link", dir));
	made(kernfs_create_link_text(dir, "text", 1, 1, "to nowhere", NULL));
	kn = kernfs_create_dir(dir, "tagged", 0755, NULL);
	if (made(kn)) {
		kernfs_enable_ns(kn);
		made(try_file(kn, "f", &red));
		made(try_file(kn, "f", &blue));
	}
	kernfs_remove(dir);
}

START_TEST(creation)
{
	try_all(make_one_of_each, 10);
}
END_TEST

/* Tables grow on the way, and shrink. */
static void make_many(void)
{
	struct kernfs_node *dir = kernfs_create_dir(top, "d", 0755, NULL);
	unsigned int nr = 0, wanted = 0;
	char name[16];

	if (!made(dir))
		return;
	for (unsigned int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "%u", i);
		wanted += made(try_file(dir, name, NULL));
	}
	for (unsigned int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "%u", i);
		nr += !kernfs_remove_by_name(dir, name);
	}
	must(nr == wanted);
	kernfs_remove(dir);
}

START_TEST(growing_directories)
{
	try_all(make_many, 40);
}
END_TEST

static struct kernfs_node *from_dir, *to_dir, *file;

static bool path_is(const char *path)
{
	char buf[100];

	return kernfs_path(file, buf, sizeof(buf)) > 0 && !strcmp(buf, path);
}

static void rename_there_and_back(void)
{
	unsigned int to_nr = 0;
	char name[16];

	if (worked(kernfs_rename(file, to_dir, "another name"))) {
		must(path_is("/to/another name"));
		/* without memory it stays, and so it is put back by hand */
		if (!worked(kernfs_rename(file, from_dir, "f"))) {
			countdown = 0;
			must(kernfs_rename(file, from_dir, "f") == 0);
		}
	}
	must(path_is("/from/f"));
	/* the new directory's table is full when it comes */
	for (unsigned int i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "%u", i);
		to_nr += made(try_file(to_dir, name, NULL));
	}
	if (worked(kernfs_rename(file, to_dir, NULL))) {
		countdown = 0;
		must(kernfs_rename(file, from_dir, NULL) == 0);
	}
	while (to_nr)
		for (unsigned int i = 0; i < 5; i++) {
			snprintf(name, sizeof(name), "%u", i);
			to_nr -= !kernfs_remove_by_name(to_dir, name);
		}
}

START_TEST(renaming)
{
	from_dir = add_dir(top, "from");
	to_dir = add_dir(top, "to");
	file = add_file(from_dir, "f");
	try_all(rename_there_and_back, 4);
}
END_TEST

/* --- attributes --- */

static void change_attributes(void)
{
	const struct kernfs_iattr attr = {
		.valid = KERNFS_ATTR_UID,
		.uid = 7,
	};
	struct kernfs_node *kn = try_file(top, "f", NULL);
	char buf[64];

	if (!made(kn))
		return;
	if (worked(kernfs_setattr(kn, &attr)))
		must(stat_of(kn).st_uid == 7);
	else
		must(stat_of(kn).st_uid == 0);
	if (worked(kernfs_xattr_set(kn, "trusted.a", "value", 5, 0)))
		must(kernfs_xattr_get(kn, "trusted.a", buf, 64) == 5);
	else
		must(kernfs_xattr_get(kn, "trusted.a", buf, 64) == -ENODATA);
	if (worked(kernfs_iop_setxattr(kn, "user.b", "b", 1, 0)) &&
	    !worked(kernfs_iop_setxattr(kn, "user.b", "longer", 6, 0)))
		must(kernfs_iop_getxattr(kn, "user.b", buf, 64) == 1);
	worked(kernfs_iop_listxattr(kn, buf, sizeof(buf), true));
	kernfs_remove(kn);
}

static void list_attributes(void)
{
	struct kernfs_node *kn = try_file(top, "f", NULL);

	/* gives the node its record */
	if (made(kn))
		worked(kernfs_iop_listxattr(kn, NULL, 0, true));
	kernfs_remove(IS_ERR(kn) ? NULL : kn);
}

/* The same with a value to set, which is there when the record is not. */
static void set_first_attribute(void)
{
	struct kernfs_node *kn = try_file(top, "f", NULL);

	if (made(kn))
		worked(kernfs_iop_setxattr(kn, "user.a", "a", 1, 0));
	kernfs_remove(IS_ERR(kn) ? NULL : kn);
}

START_TEST(attributes)
{
	replace_root(KERNFS_ROOT_SUPPORT_USER_XATTR);
	try_all(change_attributes, 4);
	try_all(list_attributes, 1);
	try_all(set_first_attribute, 2);
}
END_TEST

/* --- open files --- */

static int long_show(struct seq_file *sf, void *v)
{
	(void)v;
	/* more than the first buffer holds, and the second */
	for (unsigned int i = 0; i < 3000; i++)
		seq_printf(sf, "%u\n", i);
	return 0;
}

static ssize_t take_all(struct kernfs_open_file *of, char *buf, size_t bytes,
			off_t off)
{
	(void)of, (void)buf, (void)off;
	return (ssize_t)bytes;
}

static unsigned int opened, released;

static int open_cb(struct kernfs_open_file *of)
{
	of->priv = malloc(10);
	if (!of->priv)
		return -ENOMEM;
	opened++;
	return 0;
}

static void release_cb(struct kernfs_open_file *of)
{
	free(of->priv);
	released++;
}

static const struct kernfs_ops text_ops = {
	.open = open_cb,
	.release = release_cb,
	.seq_show = long_show,
	.write = take_all,
};
static const struct kernfs_ops binary_ops = {
	.read = take_all,
	.write = take_all,
	.prealloc = true,
	.atomic_write_len = 8192,
};

static void wake_cb(struct poll_table_struct *pt)
{
	(void)pt;
}

/* Everything an open file is used for. */
static void use_file(struct kernfs_node *kn)
{
	struct poll_table_struct pt = { .wake = wake_cb };
	struct kernfs_open_file *of;
	char buf[100];
	ssize_t n;

	if (!worked(kernfs_fop_open(kn, O_RDWR, &of)))
		return;
	must(kernfs_fop_poll(of, &pt) & EPOLLPRI);
	/* a read that failed may be tried again */
	if (!worked(kernfs_fop_read(of, buf, sizeof(buf), 0)) &&
	    !all_that_follow)
		must(kernfs_fop_read(of, buf, sizeof(buf), 0) == 100);
	n = kernfs_fop_read(of, buf, sizeof(buf), 5000);
	if (worked(n))
		must(n == 100);
	worked(kernfs_fop_write(of, "x", 1, 0));
	kernfs_notify(kn);
	must(kernfs_fop_poll(of, &pt) & EPOLLPRI);
	kernfs_fop_poll_cancel(of, &pt);
	kernfs_fop_release(of);
}

static void use_text(void)
{
	opened = released = 0;
	use_file(file);
	must(released == opened);
}

static void use_binary(void)
{
	use_file(to_dir);
}

/* Removed while it is open. */
static void remove_open(void)
{
	struct kernfs_open_file *of;
	struct kernfs_node *kn = __kernfs_create_file(top, "gone", 0644, 0, 0,
						      0, &text_ops, NULL, NULL);

	opened = released = 0;
	if (!made(kn))
		return;
	if (!worked(kernfs_fop_open(kn, O_RDWR, &of)))
		of = NULL;
	kernfs_remove(kn);
	must(released == opened);
	kernfs_fop_release(of);
}

START_TEST(open_files)
{
	file = ok_node(__kernfs_create_file(top, "text", 0644, 0, 0, 0,
					    &text_ops, NULL, NULL));
	to_dir = ok_node(__kernfs_create_file(top, "binary", 0644, 0, 0, 0,
					      &binary_ops, NULL, NULL));
	try_all(use_text, 5);
	try_all(use_binary, 3);
	try_all(remove_open, 4);
}
END_TEST

/* --- looking --- */

static bool take_entry(void *ctx, const struct kernfs_dirent *de)
{
	(void)de;
	++*(unsigned int *)ctx;
	return true;
}

/* What only looks needs no memory, but for a walk that remembers. */
static void look_around(void)
{
	struct kernfs_walk *walk = kernfs_walk_create(top, "from/f", NULL);
	struct kernfs_node *kn;
	struct kernfs_dentry d;
	unsigned int nr = 0;
	char buf[100];

	if (worked(IS_ERR(walk) ? PTR_ERR(walk) : 0)) {
		must(kernfs_walk(walk, &kernfs_root_cred, &kn) == 0);
		kernfs_walk_destroy(walk);
	}
	must(kernfs_iop_lookup(from_dir, "f", NULL, &d) == 0);
	must(kernfs_dop_revalidate(&d));
	kernfs_put(d.kn);
	kn = kernfs_walk_and_get(top, "from/f");
	must(kn == file);
	kernfs_put(kn);
	kn = kernfs_find_and_get_node_by_id(root, kernfs_id(file));
	must(kn == file);
	kernfs_put(kn);
	must(kernfs_path(file, buf, sizeof(buf)) == 7);
	must(kernfs_fop_readdir(from_dir, NULL, 0, take_entry, &nr) == 0);
	must(nr == 3);
	kernfs_show(file, false);
	kernfs_show(file, true);
	kernfs_activate(top);
}

START_TEST(looking)
{
	from_dir = add_dir(top, "from");
	file = add_file(from_dir, "f");
	try_all(look_around, 2);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		roots,	    creation, growing_directories, renaming, attributes,
		open_files, looking,
	};

	return test_run("kernfs-fault", tests, NR_OF(tests), setup, teardown);
}
