/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lookup and revalidation: what is found, and how long an answer holds. */
#include "test/unit/kernfs-fixture.h"

static const struct ns_common red = { 1 }, blue = { 2 }, also_red = { 1 };

/* Looks @name up; the answer is @err. Keeps no reference. */
static struct kernfs_dentry look_up_ns(struct kernfs_node *dir,
				       const char *name,
				       const struct ns_common *ns, int err)
{
	struct kernfs_dentry d;

	ck_assert_int_eq(kernfs_iop_lookup(dir, name, ns, &d), err);
	ck_assert(err ? !d.kn : !!d.kn);
	kernfs_put(d.kn);
	return d;
}

static struct kernfs_dentry look_up(struct kernfs_node *dir, const char *name,
				    int err)
{
	return look_up_ns(dir, name, NULL, err);
}

static bool holds(struct kernfs_dentry d)
{
	return kernfs_dop_revalidate(&d);
}

/* The name is taken, but by what may not be seen: nothing to remember. */
static void expect_unseen(struct kernfs_node *dir, const char *name)
{
	struct kernfs_dentry d, before;

	memset(&d, 0x5a, sizeof(d));
	before = d;
	ck_assert_int_eq(kernfs_iop_lookup(dir, name, NULL, &d), -EAGAIN);
	ck_assert_mem_eq(&d, &before, sizeof(d));
}

START_TEST(present)
{
	static const char name[] = "f";
	struct kernfs_node *kn = add_file(top, "f");
	struct kernfs_dentry d;

	ck_assert_int_eq(kernfs_iop_lookup(top, name, &red, &d), 0);
	ck_assert_ptr_eq(d.kn, kn);
	ck_assert_ptr_eq(d.parent, top);
	ck_assert_ptr_eq(d.name, name);
	ck_assert_ptr_eq(d.ns, &red);
	ck_assert_uint_eq(d.rev, top->dir.rev);
	ck_assert_int_eq(kn->count, 2);
	ck_assert_int_eq(top->count, 2);
	kernfs_put(kn);
}
END_TEST

START_TEST(absent)
{
	struct kernfs_dentry d = look_up(top, "f", -ENOENT);

	ck_assert_ptr_null(d.kn);
	ck_assert_ptr_eq(d.parent, top);
	ck_assert_uint_eq(d.rev, top->dir.rev);
	ck_assert_int_eq(top->count, 1);
	/* no name is too long to be asked for, or too odd */
	look_up(top, "", -ENOENT);
	look_up(top, ".", -ENOENT);
	look_up(top, "a/b", -ENOENT);
}
END_TEST

START_TEST(long_names)
{
	char name[2 * KERNFS_PATH_MAX];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	look_up(top, name, -ENOENT);
	name[256] = '\0';
	look_up(top, name, -ENOENT);
	add_file(top, name);
	look_up(top, name, 0);
}
END_TEST

START_TEST(not_in_a_directory)
{
	struct kernfs_node *file = add_file(top, "f");
	struct kernfs_node *link = add_link(top, "l", top);
	struct kernfs_dentry d;

	ck_assert_int_eq(kernfs_iop_lookup(file, "x", NULL, &d), -ENOTDIR);
	ck_assert_int_eq(kernfs_iop_lookup(link, "f", NULL, &d), -ENOTDIR);
	ck_assert_ptr_null(kernfs_find_and_get(file, "x"));
	ck_assert_ptr_null(kernfs_find_and_get(link, "f"));
}
END_TEST

START_TEST(colliding_names)
{
	struct kernfs_node *kn[NR_COLLIDING];

	for (unsigned int i = 1; i < NR_COLLIDING; i++)
		kn[i] = add_file(top, colliding_name(i));
	look_up(top, colliding_name(0), -ENOENT);
	for (unsigned int i = 1; i < NR_COLLIDING; i++) {
		struct kernfs_dentry d = look_up(top, colliding_name(i), 0);

		ck_assert_ptr_eq(d.kn, kn[i]);
	}
}
END_TEST

START_TEST(unseen)
{
	struct kernfs_node *hidden = add_file(top, "hidden");

	kernfs_show(hidden, false);
	expect_unseen(top, "hidden");
	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	add_file(top, "inactive");
	expect_unseen(top, "inactive");
	look_up(top, "absent", -ENOENT);
}
END_TEST

START_TEST(being_removed)
{
	struct kernfs_node *kn = add_file(top, "f");
	struct remover r;

	ck_assert_ptr_nonnull(kernfs_get_active(kn));
	remover_start(&r, kn, kn);
	expect_unseen(top, "f");
	kernfs_put_active(kn);
	remover_join(&r);
	look_up(top, "f", -ENOENT);
}
END_TEST

/* --- the same without a reference --- */

START_TEST(without_reference)
{
	struct kernfs_node *kn = add_file(top, "f");
	struct kernfs_dentry d;

	kernfs_rcu_read_lock();
	ck_assert_int_eq(kernfs_iop_lookup_rcu(top, "f", NULL, &d), 0);
	ck_assert_ptr_eq(d.kn, kn);
	ck_assert_int_eq(kn->count, 1);
	ck_assert(kernfs_tryget(d.kn));
	ck_assert_int_eq(kernfs_iop_lookup_rcu(top, "x", NULL, &d), -ENOENT);
	ck_assert_int_eq(kernfs_iop_lookup_rcu(kn, "x", NULL, &d), -ENOTDIR);
	kernfs_rcu_read_unlock();
	kernfs_put(kn);
	kernfs_show(kn, false);
	kernfs_rcu_read_lock();
	ck_assert_int_eq(kernfs_iop_lookup_rcu(top, "f", NULL, &d), -EAGAIN);
	kernfs_rcu_read_unlock();
}
END_TEST

/* --- remembered presence --- */

START_TEST(positive_holds)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(dir, "f");
	struct kernfs_dentry d = look_up(dir, "f", 0);

	ck_assert(holds(d));
	/* whatever happens beside it, above it and to its attributes */
	add_file(dir, "g");
	kernfs_remove_by_name(dir, "g");
	ck_assert_int_eq(kernfs_rename(dir, top, "e"), 0);
	kernfs_setattr(kn, &(struct kernfs_iattr){ KERNFS_ATTR_MODE,
						   .mode = 0600 });
	ck_assert(holds(d));
}
END_TEST

START_TEST(positive_ends_with_a_move)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(top, "f");
	struct kernfs_dentry d = look_up(top, "f", 0);

	ck_assert_int_eq(kernfs_rename(kn, top, "g"), 0);
	ck_assert(!holds(d));
	ck_assert_int_eq(kernfs_rename(kn, dir, "f"), 0);
	ck_assert(!holds(d));
	/* moved back it is the same name of the same node again */
	ck_assert_int_eq(kernfs_rename(kn, top, "f"), 0);
	ck_assert(holds(d));
}
END_TEST

START_TEST(positive_ends_with_removal)
{
	struct kernfs_node *kn = add_file(top, "f");
	struct kernfs_dentry d = look_up(top, "f", 0);
	struct remover r;

	kernfs_get(kn);
	ck_assert_ptr_nonnull(kernfs_get_active(kn));
	remover_start(&r, kn, kn);
	ck_assert(!holds(d));
	kernfs_put_active(kn);
	remover_join(&r);
	ck_assert(!holds(d));
	/* another one of that name is another one */
	add_file(top, "f");
	ck_assert(!holds(d));
	kernfs_put(kn);
}
END_TEST

START_TEST(positive_ends_with_hiding)
{
	struct kernfs_node *kn = add_file(top, "f");
	struct kernfs_dentry d = look_up(top, "f", 0);

	kernfs_show(kn, false);
	ck_assert(!holds(d));
	kernfs_show(kn, true);
	ck_assert(holds(d));
}
END_TEST

/* --- remembered absence --- */

START_TEST(negative_holds)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(dir, "f");
	struct kernfs_dentry d = look_up(dir, "x", -ENOENT);

	ck_assert(holds(d));
	/* nothing of this links or unlinks in the directory itself */
	kernfs_show(kn, false);
	kernfs_show(kn, true);
	kernfs_activate(dir);
	kernfs_setattr(dir, &(struct kernfs_iattr){ KERNFS_ATTR_MODE,
						    .mode = 0755 });
	add_file(top, "x");
	ck_assert_int_eq(kernfs_rename(dir, top, "e"), 0);
	ck_assert(holds(d));
}
END_TEST

START_TEST(negative_ends_with_a_link)
{
	struct kernfs_dentry d = look_up(top, "x", -ENOENT);

	add_file(top, "x");
	ck_assert(!holds(d));
	d = look_up(top, "x", 0);
	ck_assert(holds(d));
}
END_TEST

/* Any child that comes or goes will do. */
START_TEST(negative_ends_with_any_change)
{
	struct kernfs_dentry d = look_up(top, "x", -ENOENT);
	struct kernfs_node *kn = add_file(top, "y");

	ck_assert(!holds(d));
	d = look_up(top, "x", -ENOENT);
	ck_assert_int_eq(kernfs_rename(kn, top, "z"), 0);
	ck_assert(!holds(d));
	d = look_up(top, "x", -ENOENT);
	kernfs_remove(kn);
	ck_assert(!holds(d));
	d = look_up(top, "x", -ENOENT);
	ck_assert(holds(d));
}
END_TEST

/* Regression 410d591a1954: an absence that activation ended, unnoticed. */
START_TEST(lookup_before_activate)
{
	struct kernfs_node *kn;
	struct kernfs_dentry d;

	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	kernfs_activate(top);
	kn = add_file(top, "f");
	expect_unseen(top, "f");
	kernfs_activate(kn);
	d = look_up(top, "f", 0);
	ck_assert_ptr_eq(d.kn, kn);
}
END_TEST

/* Regression df38d852c681: removed, looked for, and created again. */
START_TEST(create_remove_create)
{
	struct kernfs_node *kn = add_dir(top, "d");
	struct kernfs_dentry positive = look_up(top, "d", 0), negative;

	kernfs_get(kn);
	kernfs_remove(kn);
	ck_assert(!holds(positive));
	/* turned into an absence without a lookup: with the number it had */
	positive.kn = NULL;
	ck_assert(!holds(positive));
	negative = look_up(top, "d", -ENOENT);
	ck_assert(holds(negative));
	add_dir(top, "d");
	ck_assert(!holds(negative));
	ck_assert(!holds(positive));
	look_up(top, "d", 0);
	kernfs_put(kn);
}
END_TEST

/* --- tags --- */

START_TEST(tagged_directory)
{
	struct kernfs_node *dir = add_tagged(top, "d");
	struct kernfs_node *r = add_file_ns(dir, "eth0", &red);
	struct kernfs_node *b = add_file_ns(dir, "eth0", &blue);
	struct kernfs_dentry d;

	d = look_up_ns(dir, "eth0", &red, 0);
	ck_assert_ptr_eq(d.kn, r);
	ck_assert(holds(d));
	d = look_up_ns(dir, "eth0", &also_red, 0);
	ck_assert_ptr_eq(d.kn, r);
	ck_assert(holds(d));
	d = look_up_ns(dir, "eth0", &blue, 0);
	ck_assert_ptr_eq(d.kn, b);
	/* moved to another namespace, away from this mount */
	ck_assert_int_eq(kernfs_rename_ns(b, dir, "eth1", &blue), 0);
	ck_assert_int_eq(kernfs_rename_ns(b, dir, "eth1", &red), 0);
	d.name = "eth1";
	ck_assert(!holds(d));
	d.ns = &red;
	ck_assert(holds(d));
	/* no tag, nothing to see */
	look_up_ns(dir, "eth0", NULL, -ENOENT);
	/* where there are no tags the mount's does not matter */
	d = look_up_ns(top, "d", &red, 0);
	ck_assert(holds(d));
}
END_TEST

START_TEST(find_with_tags)
{
	struct kernfs_node *dir = add_tagged(top, "d");
	struct kernfs_node *kn = add_file_ns(dir, "eth0", &red), *found;

	found = kernfs_find_and_get_ns(dir, "eth0", &red);
	ck_assert_ptr_eq(found, kn);
	ck_assert_int_eq(kn->count, 2);
	kernfs_put(found);
	ck_assert_ptr_null(kernfs_find_and_get_ns(dir, "eth0", &blue));
	/* a tag too much or too few is the caller's mistake */
	ck_assert_ptr_null(kernfs_find_and_get(dir, "eth0"));
	ck_assert_ptr_null(kernfs_find_and_get_ns(top, "d", &red));
}
END_TEST

/* --- find, walk, parent --- */

START_TEST(find)
{
	struct kernfs_node *kn = add_file(top, "f");

	ck_assert_ptr_eq(kernfs_find_and_get(top, "f"), kn);
	ck_assert_int_eq(kn->count, 2);
	kernfs_put(kn);
	ck_assert_ptr_null(kernfs_find_and_get(top, "g"));
	/* also what is not active */
	kernfs_show(kn, false);
	ck_assert(is_child(top, "f", kn));
}
END_TEST

static void expect_walk(const char *path, struct kernfs_node *kn)
{
	int count = kn ? kn->count : 0;
	struct kernfs_node *found = kernfs_walk_and_get(top, path);

	ck_assert_ptr_eq(found, kn);
	if (kn)
		ck_assert_int_eq(kn->count, count + 1);
	kernfs_put(found);
}

START_TEST(walk_and_get)
{
	struct kernfs_node *a = add_dir(top, "a");
	struct kernfs_node *b = add_dir(a, "b");
	struct kernfs_node *f = add_file(b, "f");

	add_link(a, "l", b);
	expect_walk("a", a);
	expect_walk("a/b", b);
	expect_walk("a/b/f", f);
	expect_walk("/a//b///f/", f);
	expect_walk("", top);
	expect_walk("///", top);
	expect_walk("a/x", NULL);
	expect_walk("x/b", NULL);
	expect_walk("a/b/f/x", NULL);
	expect_walk("a/l/f", NULL);
	expect_walk("a/./b", NULL);
	expect_walk("a/../a", NULL);
	expect_walk("ab", NULL);
	kernfs_show(f, false);
	expect_walk("a/b/f", f);
}
END_TEST

START_TEST(walk_and_get_long_path)
{
	char path[KERNFS_PATH_MAX + 1];
	struct kernfs_node *kn = add_file(top, "f");

	memset(path, '/', sizeof(path));
	path[KERNFS_PATH_MAX] = '\0';
	path[KERNFS_PATH_MAX - 1] = 'f';
	expect_walk(path, NULL);
	expect_walk(path + 1, kn);
}
END_TEST

START_TEST(walk_and_get_with_tags)
{
	struct kernfs_node *dir = add_tagged(add_dir(top, "class"), "net");
	struct kernfs_node *r = add_dir_ns(dir, "eth0", &red);
	struct kernfs_node *f = add_file(r, "mtu"), *found;

	add_dir_ns(dir, "eth0", &blue);
	found = kernfs_walk_and_get_ns(top, "class/net/eth0/mtu", &red);
	ck_assert_ptr_eq(found, f);
	kernfs_put(found);
	found = kernfs_walk_and_get_ns(top, "class/net/eth0/mtu", &blue);
	ck_assert_ptr_null(found);
	expect_walk("class/net/eth0", NULL);
}
END_TEST

START_TEST(get_parent)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(dir, "f"), *parent;

	ck_assert_ptr_null(kernfs_get_parent(top));
	parent = kernfs_get_parent(kn);
	ck_assert_ptr_eq(parent, dir);
	ck_assert_int_eq(dir->count, 3);
	kernfs_put(parent);
	ck_assert_int_eq(kernfs_rename(kn, top, NULL), 0);
	parent = kernfs_get_parent(kn);
	ck_assert_ptr_eq(parent, top);
	kernfs_put(parent);
}
END_TEST

/* --- threads --- */

/*
 * An absence that still holds after the name was created is a lie: the creator
 * says when it is done, and the reader asks once more after that.
 */
#define ROUNDS 5000

struct guess {
	unsigned int created; /* names that are there for sure */
	unsigned int at;      /* the name that the reader looks for */
};

static void *guesser_thread(void *arg)
{
	struct guess *g = arg;
	char name[16];

	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct kernfs_dentry d;
		int err;

		snprintf(name, sizeof(name), "%u", i);
		SET(g->at, i + 1);
		while ((err = kernfs_iop_lookup(top, name, NULL, &d))) {
			bool there = GET(g->created) > i;

			/* linked, but not activated yet */
			if (err == -EAGAIN)
				continue;
			must(err == -ENOENT);
			must(!there || !kernfs_dop_revalidate(&d));
		}
		must(kernfs_dop_revalidate(&d));
		kernfs_put(d.kn);
	}
	return NULL;
}

START_TEST(absences_do_not_outlive_a_create)
{
	struct guess g = { 0, 0 };
	pthread_t id;
	char name[16];

	id = thread_start(guesser_thread, &g);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		while (GET(g.at) <= i)
			sched_yield();
		add_file(top, name);
		SET(g.created, i + 1);
	}
	thread_join(id);
}
END_TEST

/* Those that stay are found at every moment, whoever comes and goes. */
static bool stop;

static void *finder_thread(void *arg)
{
	(void)arg;
	while (!GET(stop)) {
		for (unsigned int i = 0; i < NR_COLLIDING; i++) {
			struct kernfs_node *kn =
				kernfs_find_and_get(top, colliding_name(i));

			must(kn);
			kernfs_put(kn);
		}
		kernfs_put(kernfs_find_and_get(top, "blblblbl0"));
		kernfs_put(kernfs_walk_and_get(top, "blblblbl1/x"));
	}
	return NULL;
}

START_TEST(stable_names_are_always_found)
{
	uint64_t end = now_ms() + 300;
	pthread_t id[2];
	char name[16];

	for (unsigned int i = 0; i < NR_COLLIDING; i++)
		add_file(top, colliding_name(i));
	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(finder_thread, NULL);
	while (now_ms() < end) {
		for (unsigned int i = 0; i < 100; i++) {
			snprintf(name, sizeof(name), "blblblbl%u", i);
			add_file(add_dir(top, name), "x");
		}
		for (unsigned int i = 0; i < 100; i++) {
			snprintf(name, sizeof(name), "blblblbl%u", i);
			must(kernfs_remove_by_name(top, name) == 0);
		}
	}
	SET(stop, true);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		thread_join(id[i]);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		present,
		absent,
		long_names,
		not_in_a_directory,
		colliding_names,
		unseen,
		being_removed,
		without_reference,
		positive_holds,
		positive_ends_with_a_move,
		positive_ends_with_removal,
		positive_ends_with_hiding,
		negative_holds,
		negative_ends_with_a_link,
		negative_ends_with_any_change,
		lookup_before_activate,
		create_remove_create,
		tagged_directory,
		find_with_tags,
		find,
		walk_and_get,
		walk_and_get_long_path,
		walk_and_get_with_tags,
		get_parent,
		absences_do_not_outlive_a_create,
		stable_names_are_always_found,
	};

	return test_run("kernfs-lookup", tests, NR_OF(tests), setup, teardown);
}
