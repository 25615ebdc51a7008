/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moving and renaming: what is refused, what follows, and what is seen. */
#include "test/unit/kernfs-fixture.h"

static const struct ns_common red = { 1 }, blue = { 2 };

/* remembers what a lookup says of a name; no reference is kept */
static struct kernfs_dentry look_up(struct kernfs_node *dir, const char *name,
				    int err)
{
	struct kernfs_dentry d;

	ck_assert_int_eq(kernfs_iop_lookup(dir, name, NULL, &d), err);
	kernfs_put(d.kn);
	return d;
}

START_TEST(in_its_directory)
{
	struct kernfs_node *kn = add_file(top, "a");
	unsigned long rev = top->dir.rev;

	ck_assert_int_eq(kernfs_rename(kn, top, "b"), 0);
	ck_assert(is_child(top, "a", NULL));
	ck_assert(is_child(top, "b", kn));
	ck_assert_str_eq(kn->name->str, "b");
	ck_assert_uint_eq(kn->name->hash, kernfs_name_hash("b", NULL));
	ck_assert_ptr_eq(kn->name->parent, top);
	ck_assert_uint_eq(top->dir.rev, rev + 2);
	ck_assert_int_eq(kn->count, 1);
	ck_assert_int_eq(top->count, 2);
	/* the old name is free */
	add_file(top, "a");
}
END_TEST

START_TEST(across_directories)
{
	struct kernfs_node *from = add_dir(top, "from");
	struct kernfs_node *to = add_dir(top, "to");
	struct kernfs_node *kn = add_dir(from, "a");
	struct kernfs_node *below = add_file(kn, "f");

	ck_assert_int_eq(kernfs_rename(kn, to, "b"), 0);
	ck_assert(is_child(from, "a", NULL));
	ck_assert(is_child(to, "b", kn));
	ck_assert(is_child(kn, "f", below));
	expect_path(below, "/to/b/f");
	ck_assert_uint_eq(from->dir.rev, 4);
	ck_assert_uint_eq(to->dir.rev, 2);
	ck_assert_uint_eq(from->subdirs, 0);
	ck_assert_uint_eq(to->subdirs, 1);
	ck_assert_int_eq(from->count, 1);
	ck_assert_int_eq(to->count, 2);
	ck_assert_int_eq(kn->count, 2);
	/* without a name it keeps the one it has */
	ck_assert_int_eq(kernfs_rename(kn, top, NULL), 0);
	expect_path(kn, "/b");
	/* files are no subdirectories */
	ck_assert_int_eq(kernfs_rename(below, to, NULL), 0);
	ck_assert_uint_eq(kn->subdirs, 0);
	ck_assert_uint_eq(to->subdirs, 0);
}
END_TEST

/* Among those that share its hash, and to a name that does. */
START_TEST(colliding_names)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn[NR_COLLIDING / 2];

	for (unsigned int i = 0; i < NR_OF(kn); i++)
		kn[i] = add_file(dir, colliding_name(i));
	for (unsigned int i = 0; i < NR_OF(kn); i++) {
		ck_assert_int_eq(kernfs_rename(kn[i], dir,
					       colliding_name(15 - i)),
				 0);
		ck_assert(is_child(dir, colliding_name(i), NULL));
		ck_assert(is_child(dir, colliding_name(15 - i), kn[i]));
		ck_assert_uint_eq(kernfs_check_tree(root), 0);
	}
}
END_TEST

START_TEST(many_times)
{
	struct kernfs_node *a = add_dir(top, "a"), *b = add_dir(top, "b");
	struct kernfs_node *kn = add_file(a, "f");
	char name[16];

	for (unsigned int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "%u", i % 100);
		must(kernfs_rename(kn, i % 3 ? a : b, name) == 0);
	}
	ck_assert_int_eq(a->count + b->count, 3);
	ck_assert_uint_eq(a->dir.tab->live + b->dir.tab->live, 1);
}
END_TEST

/* --- nothing to do --- */

START_TEST(same_name)
{
	struct kernfs_node *kn = add_file(top, "a");
	const struct kernfs_name *name = kn->name;
	unsigned long rev = top->dir.rev;

	ck_assert_int_eq(kernfs_rename(kn, top, "a"), 0);
	ck_assert_int_eq(kernfs_rename(kn, top, NULL), 0);
	ck_assert_ptr_eq(kn->name, name);
	ck_assert_uint_eq(top->dir.rev, rev);
}
END_TEST

/* --- errors --- */

/* Refused, and nothing has changed. */
static void expect_error(struct kernfs_node *kn, struct kernfs_node *parent,
			 const char *name, int err)
{
	const struct kernfs_name *old = kn->name;

	ck_assert_int_eq(kernfs_rename(kn, parent, name), err);
	ck_assert_ptr_eq(kn->name, old);
}

START_TEST(root_node)
{
	expect_error(top, add_dir(top, "d"), "x", -EINVAL);
}
END_TEST

START_TEST(bad_targets)
{
	struct kernfs_root *other = test_create_root(0);
	struct kernfs_node *kn = add_file(top, "a");

	expect_error(kn, kernfs_root_to_node(other), NULL, -EINVAL);
	expect_error(kn, add_file(top, "f"), NULL, -EINVAL);
	expect_error(kn, add_link(top, "l", top), NULL, -EINVAL);
	expect_error(kn, ok_node(kernfs_create_empty_dir(top, "e")), NULL,
		     -ENOENT);
	test_destroy_root(other);
}
END_TEST

START_TEST(bad_names)
{
	struct kernfs_node *kn = add_file(top, "a");
	char name[KERNFS_PATH_MAX + 1];

	expect_error(kn, top, "", -EINVAL);
	expect_error(kn, top, ".", -EINVAL);
	expect_error(kn, top, "..", -EINVAL);
	expect_error(kn, top, "a/b", -EINVAL);
	memset(name, 'n', sizeof(name));
	name[KERNFS_PATH_MAX] = '\0';
	expect_error(kn, top, name, -ENAMETOOLONG);
	name[KERNFS_PATH_MAX - 1] = '\0';
	ck_assert_int_eq(kernfs_rename(kn, top, name), 0);
}
END_TEST

START_TEST(taken_name)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(top, "a");
	unsigned long rev = top->dir.rev;

	add_file(dir, "a");
	expect_error(kn, top, "d", -EEXIST);
	expect_error(kn, dir, NULL, -EEXIST);
	ck_assert_uint_eq(top->dir.rev, rev);
	ck_assert_int_eq(dir->count, 2);
	kernfs_show(add_file(top, "hidden"), false);
	expect_error(kn, top, "hidden", -EEXIST);
}
END_TEST

START_TEST(inactive)
{
	struct kernfs_node *a, *dir, *hidden = add_file(top, "hidden");

	kernfs_show(hidden, false);
	expect_error(hidden, top, "x", -ENOENT);
	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	a = add_file(top, "a");
	dir = add_dir(top, "d");
	expect_error(a, top, "x", -ENOENT);
	kernfs_activate(a);
	/* the top is not active yet */
	expect_error(a, top, "x", -ENOENT);
	expect_error(a, dir, NULL, -ENOENT);
	kernfs_activate(dir);
	ck_assert_int_eq(kernfs_rename(a, dir, NULL), 0);
	/* nor does the target's name have to be visible to be taken */
	add_file(dir, "b");
	expect_error(a, dir, "b", -EEXIST);
}
END_TEST

START_TEST(removed)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(top, "a");

	kernfs_get(dir);
	kernfs_remove(dir);
	expect_error(dir, top, "x", -ENOENT);
	expect_error(kn, dir, NULL, -ENOENT);
	kernfs_put(dir);
}
END_TEST

START_TEST(invariant_parent)
{
	struct kernfs_node *kn, *dir;

	replace_root(KERNFS_ROOT_INVARIANT_PARENT);
	kn = add_file(top, "a");
	dir = add_dir(top, "d");
	expect_error(kn, dir, NULL, -EINVAL);
	ck_assert_int_eq(kernfs_rename(kn, top, "b"), 0);
}
END_TEST

/* --- tags --- */

START_TEST(tags)
{
	struct kernfs_node *dir = add_tagged(top, "d");
	struct kernfs_node *plain = add_dir(top, "plain");
	struct kernfs_node *kn = add_file_ns(dir, "eth0", &red);
	struct kernfs_node *file = add_file(plain, "f");
	struct kernfs_node *found;

	/* keeps its tag by default */
	ck_assert_int_eq(kernfs_rename(kn, dir, "eth1"), 0);
	ck_assert_ptr_eq(kn->name->ns, &red);
	/* takes another one, with or without another name */
	ck_assert_int_eq(kernfs_rename_ns(kn, dir, NULL, &blue), 0);
	found = kernfs_find_and_get_ns(dir, "eth1", &blue);
	ck_assert_ptr_eq(found, kn);
	kernfs_put(found);
	ck_assert_ptr_null(kernfs_find_and_get_ns(dir, "eth1", &red));
	ck_assert_uint_eq(kn->name->hash, kernfs_name_hash("eth1", &blue));
	ck_assert_int_eq(kernfs_rename_ns(kn, dir, "eth1", &blue), 0);
	/* what a directory wants it gets */
	ck_assert_int_eq(kernfs_rename(kn, plain, NULL), -EINVAL);
	ck_assert_int_eq(kernfs_rename_ns(kn, dir, "x", NULL), -EINVAL);
	ck_assert_int_eq(kernfs_rename_ns(file, plain, "x", &red), -EINVAL);
	ck_assert_int_eq(kernfs_rename(file, dir, NULL), -EINVAL);
	ck_assert_int_eq(kernfs_rename_ns(file, dir, NULL, &red), 0);
	ck_assert_int_eq(kernfs_rename_ns(file, plain, NULL, NULL), 0);
	/* a name is taken in its tag only */
	add_file_ns(dir, "eth1", &red);
	ck_assert_int_eq(kernfs_rename_ns(kn, dir, "eth1", &red), -EEXIST);
}
END_TEST

/* --- what follows --- */

START_TEST(links_follow)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *target = add_file(dir, "t");
	struct kernfs_node *link = add_link(top, "l", target);
	char buf[KERNFS_PATH_MAX];

	ck_assert_int_eq(kernfs_rename(target, dir, "u"), 0);
	ck_assert_int_eq(kernfs_iop_get_link(link, buf), 3);
	ck_assert_str_eq(buf, "d/u");
	ck_assert_int_eq(kernfs_rename(dir, top, "e"), 0);
	ck_assert_int_eq(kernfs_iop_get_link(link, buf), 3);
	ck_assert_str_eq(buf, "e/u");
	ck_assert_int_eq(kernfs_rename(link, dir, "l"), 0);
	ck_assert_int_eq(kernfs_iop_get_link(link, buf), 1);
	ck_assert_str_eq(buf, "u");
}
END_TEST

START_TEST(remembered_names)
{
	struct kernfs_node *from = add_dir(top, "from");
	struct kernfs_node *to = add_dir(top, "to");
	struct kernfs_node *kn = add_file(from, "a");
	struct kernfs_dentry old = look_up(from, "a", 0);
	struct kernfs_dentry target = look_up(to, "b", -ENOENT);
	struct kernfs_dentry other_from = look_up(from, "x", -ENOENT);
	struct kernfs_dentry other_to = look_up(to, "x", -ENOENT);

	ck_assert_int_eq(kernfs_rename(kn, to, "b"), 0);
	ck_assert(!kernfs_dop_revalidate(&old));
	/* everything absent in either directory is asked for again */
	ck_assert(!kernfs_dop_revalidate(&target));
	ck_assert(!kernfs_dop_revalidate(&other_from));
	ck_assert(!kernfs_dop_revalidate(&other_to));
	old = look_up(from, "a", -ENOENT);
	target = look_up(to, "b", 0);
	ck_assert_ptr_eq(target.kn, kn);
	ck_assert(kernfs_dop_revalidate(&old));
	ck_assert(kernfs_dop_revalidate(&target));
}
END_TEST

/* Times stay as they are. */
START_TEST(times)
{
	const struct kernfs_iattr past = {
		.valid = KERNFS_ATTR_MTIME | KERNFS_ATTR_CTIME,
	};
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(dir, "a");

	ck_assert_int_eq(kernfs_setattr(dir, &past), 0);
	ck_assert_int_eq(kernfs_setattr(top, &past), 0);
	ck_assert_int_eq(kernfs_setattr(kn, &past), 0);
	ck_assert_int_eq(kernfs_rename(kn, top, "b"), 0);
	ck_assert_int_eq(stat_of(dir).st_mtim.tv_sec, 0);
	ck_assert_int_eq(stat_of(top).st_mtim.tv_sec, 0);
	ck_assert_int_eq(stat_of(kn).st_ctim.tv_sec, 0);
}
END_TEST

/* --- threads --- */

#define ROUNDS 2000

struct mover {
	struct kernfs_node *kn, *dir[3];
	unsigned int nr;
	int unexpected; /* an error that no race explains */
};

static void *mover_thread(void *arg)
{
	struct mover *m = arg;
	char name[16];
	int err;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		snprintf(name, sizeof(name), "%u.%u", m->nr, i % 7);
		err = kernfs_rename(m->kn, m->dir[(i + m->nr) % 3], name);
		if (err)
			m->unexpected = err;
	}
	return NULL;
}

static void make_dirs(struct mover *m, unsigned int nr)
{
	struct kernfs_node *dir[3];
	char name[8];

	for (unsigned int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		dir[i] = add_dir(top, name);
	}
	for (unsigned int i = 0; i < nr; i++) {
		m[i] = (struct mover){ .nr = i };
		memcpy(m[i].dir, dir, sizeof(dir));
	}
}

/* One node, pulled from all sides: it is in one place in the end. */
START_TEST(same_node)
{
	struct mover m[3];
	unsigned int found = 0;
	struct kernfs_node *kn;

	make_dirs(m, NR_OF(m));
	kn = add_dir(m[0].dir[0], "x");
	for (unsigned int i = 0; i < NR_OF(m); i++)
		m[i].kn = kn;
	run_threads(NR_OF(m), mover_thread, m, sizeof(m[0]));
	for (unsigned int i = 0; i < NR_OF(m); i++) {
		ck_assert_int_eq(m[i].unexpected, 0);
		found += m[0].dir[i]->dir.tab->live;
		ck_assert_uint_eq(m[0].dir[i]->subdirs,
				  m[0].dir[i]->dir.tab->live);
		ck_assert_int_eq(m[0].dir[i]->count,
				 1 + (int)m[0].dir[i]->dir.tab->live);
	}
	ck_assert_uint_eq(found, 1);
	ck_assert_int_eq(kn->count, 1);
}
END_TEST

START_TEST(many_nodes)
{
	struct mover m[3];
	unsigned int found = 0;

	make_dirs(m, NR_OF(m));
	for (unsigned int i = 0; i < NR_OF(m); i++)
		m[i].kn = add_file(m[0].dir[i], "x");
	run_threads(NR_OF(m), mover_thread, m, sizeof(m[0]));
	for (unsigned int i = 0; i < NR_OF(m); i++) {
		ck_assert_int_eq(m[i].unexpected, 0);
		found += m[0].dir[i]->dir.tab->live;
	}
	ck_assert_uint_eq(found, NR_OF(m));
}
END_TEST

/* Moved once, forward: seen there, it is gone here; gone here, it is there. */
struct observer {
	struct kernfs_node *from, *to;
	unsigned int round;
};

static bool sees(struct kernfs_node *dir, const char *name)
{
	struct kernfs_dentry d;
	int err = kernfs_iop_lookup(dir, name, NULL, &d);

	must(!err || err == -ENOENT);
	if (!err)
		kernfs_put(d.kn);
	return !err;
}

static void *observer_thread(void *arg)
{
	struct observer *o = arg;
	char a[16], b[16];

	for (unsigned int i = 0; i < ROUNDS; i++) {
		snprintf(a, sizeof(a), "a%u", i);
		snprintf(b, sizeof(b), "b%u", i);
		if (i % 2) {
			while (sees(o->from, a))
				sched_yield();
			must(sees(o->to, b));
		} else {
			while (!sees(o->to, b))
				sched_yield();
			must(!sees(o->from, a));
		}
		ADD(o->round, 1);
	}
	return NULL;
}

START_TEST(never_in_both_never_in_neither)
{
	struct observer o = { add_dir(top, "from"), add_dir(top, "to"), 0 };
	struct kernfs_node *kn[ROUNDS];
	char name[16];
	pthread_t id;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		snprintf(name, sizeof(name), "a%u", i);
		kn[i] = add_file(o.from, name);
	}
	id = thread_start(observer_thread, &o);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		snprintf(name, sizeof(name), "b%u", i);
		/* as close behind the observer as can be */
		while (GET(o.round) < i)
			sched_yield();
		must(kernfs_rename(kn[i], o.to, name) == 0);
	}
	thread_join(id);
}
END_TEST

/* A path names one moment: parent and name belong together. */
static bool stop;

static void *path_thread(void *kn)
{
	char buf[KERNFS_PATH_MAX];

	while (!GET(stop)) {
		must(kernfs_path(kn, buf, sizeof(buf)) > 0);
		must(!strcmp(buf, "/a/in-a") || !strcmp(buf, "/bb/in-bb"));
	}
	return NULL;
}

START_TEST(paths_are_of_one_moment)
{
	struct kernfs_node *a = add_dir(top, "a"), *b = add_dir(top, "bb");
	struct kernfs_node *kn = add_file(a, "in-a");
	uint64_t end = now_ms() + 200;
	pthread_t id = thread_start(path_thread, kn);

	for (unsigned int i = 0; now_ms() < end; i++)
		must(kernfs_rename(kn, i % 2 ? a : b,
				   i % 2 ? "in-a" : "in-bb") == 0);
	SET(stop, true);
	thread_join(id);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		in_its_directory,
		across_directories,
		colliding_names,
		many_times,
		same_name,
		root_node,
		bad_targets,
		bad_names,
		taken_name,
		inactive,
		removed,
		invariant_parent,
		tags,
		links_follow,
		remembered_names,
		times,
		same_node,
		many_nodes,
		never_in_both_never_in_neither,
		paths_are_of_one_moment,
	};

	return test_run("kernfs-rename", tests, NR_OF(tests), setup, teardown);
}
