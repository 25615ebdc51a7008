/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creating nodes: every error, and what a new child changes in its parent. */
#include "test/unit/kernfs-fixture.h"

static const struct ns_common red = { 1 }, blue = { 2 };

/* Creating a directory there fails with @err, and changes nothing. */
static void expect_error(struct kernfs_node *parent, const char *name,
			 const struct ns_common *ns, long err)
{
	int count = GET(parent->count);
	struct kernfs_node *kn =
		kernfs_create_dir_ns(parent, name, 0755, 0, 0, NULL, ns);

	ck_assert_msg(IS_ERR(kn), "'%s' was created", name);
	ck_assert_int_eq(PTR_ERR(kn), err);
	ck_assert_int_eq(GET(parent->count), count);
}

START_TEST(kinds)
{
	static const struct kernfs_ops ops;
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *empty = ok_node(kernfs_create_empty_dir(top, "e"));
	struct kernfs_node *file = ok_node(__kernfs_create_file(
		top, "f", 0640, 0, 0, 123, &ops, &root, NULL));
	struct kernfs_node *link = add_link(top, "l", file);

	ck_assert_uint_eq(kernfs_mode(dir), S_IFDIR | 0755);
	ck_assert_uint_eq(kernfs_mode(empty), S_IFDIR | 0555);
	ck_assert_ptr_null(kernfs_priv(empty));
	ck_assert_uint_eq(kernfs_mode(file), S_IFREG | 0640);
	ck_assert_ptr_eq(file->attr.ops, &ops);
	ck_assert_ptr_eq(kernfs_priv(file), &root);
	ck_assert_int_eq(stat_of(file).st_size, 123);
	ck_assert_uint_eq(kernfs_mode(link), S_IFLNK | 0777);
	ck_assert_ptr_eq(link->symlink.target, file);
	ck_assert_int_eq(stat_of(link).st_size, 0);
}
END_TEST

/* All of 07777 is kept, and nothing else. */
START_TEST(mode_bits)
{
	struct kernfs_node *dir =
		ok_node(kernfs_create_dir(top, "d", S_IFREG | 07777, NULL));
	struct kernfs_node *file = ok_node(__kernfs_create_file(
		top, "f", S_IFDIR | 06644, 0, 0, 0, &no_ops, NULL, NULL));

	ck_assert_uint_eq(kernfs_mode(dir), S_IFDIR | 07777);
	ck_assert_uint_eq(kernfs_mode(file), S_IFREG | 06644);
}
END_TEST

static int some_show(struct seq_file *sf, void *v)
{
	(void)sf, (void)v;
	return 0;
}

static void some_release(struct kernfs_open_file *of)
{
	(void)of;
}

START_TEST(callbacks_are_remembered)
{
	static const struct kernfs_ops shows = { .seq_show = some_show };
	static const struct kernfs_ops releases = { .release = some_release };
	const unsigned int both = KERNFS_HAS_SEQ_SHOW | KERNFS_HAS_RELEASE;
	struct kernfs_node *kn;

	kn = add_file(top, "none");
	ck_assert_uint_eq(kernfs_flags(kn) & both, 0);
	kn = ok_node(__kernfs_create_file(top, "shows", 0444, 0, 0, 0, &shows,
					  NULL, NULL));
	ck_assert_uint_eq(kernfs_flags(kn) & both, KERNFS_HAS_SEQ_SHOW);
	kn = ok_node(__kernfs_create_file(top, "releases", 0444, 0, 0, 0,
					  &releases, NULL, NULL));
	ck_assert_uint_eq(kernfs_flags(kn) & both, KERNFS_HAS_RELEASE);
}
END_TEST

/* --- errors --- */

START_TEST(parent_is_no_directory)
{
	struct kernfs_node *file = add_file(top, "f");

	expect_error(file, "x", NULL, -EINVAL);
	expect_error(add_link(top, "l", top), "x", NULL, -EINVAL);
	ck_assert_int_eq(PTR_ERR(try_file(file, "x", NULL)), -EINVAL);
	ck_assert_int_eq(PTR_ERR(kernfs_create_link(file, "x", top)), -EINVAL);
	ck_assert_int_eq(PTR_ERR(kernfs_create_empty_dir(file, "x")), -EINVAL);
}
END_TEST

START_TEST(bad_names)
{
	char name[KERNFS_PATH_MAX + 1];

	expect_error(top, "", NULL, -EINVAL);
	expect_error(top, ".", NULL, -EINVAL);
	expect_error(top, "..", NULL, -EINVAL);
	expect_error(top, "a/b", NULL, -EINVAL);
	memset(name, 'n', sizeof(name));
	name[KERNFS_PATH_MAX] = '\0';
	expect_error(top, name, NULL, -ENAMETOOLONG);
	/* longer than NAME_MAX is fine */
	name[KERNFS_PATH_MAX - 1] = '\0';
	add_dir(top, name);
	name[256] = '\0';
	add_file(top, name);
}
END_TEST

START_TEST(taken_name)
{
	static const char *const kind[] = { "d", "e", "f", "l", "t" };
	struct kernfs_node *file;
	unsigned long rev;

	add_dir(top, "d");
	ok_node(kernfs_create_empty_dir(top, "e"));
	file = add_file(top, "f");
	add_link(top, "l", file);
	ok_node(kernfs_create_link_text(top, "t", 0, 0, "x", NULL));
	rev = top->dir.rev;
	for (unsigned int i = 0; i < NR_OF(kind); i++) {
		expect_error(top, kind[i], NULL, -EEXIST);
		ck_assert_int_eq(PTR_ERR(try_file(top, kind[i], NULL)),
				 -EEXIST);
		ck_assert_int_eq(PTR_ERR(kernfs_create_link(top, kind[i],
							    file)),
				 -EEXIST);
	}
	ck_assert_uint_eq(top->dir.rev, rev);
	ck_assert_uint_eq(top->subdirs, 2);
}
END_TEST

/* Only the same name: others of the same hash are welcome. */
START_TEST(colliding_names)
{
	for (unsigned int i = 0; i < NR_COLLIDING; i++)
		add_file(top, colliding_name(i));
	for (unsigned int i = 0; i < NR_COLLIDING; i++)
		expect_error(top, colliding_name(i), NULL, -EEXIST);
}
END_TEST

START_TEST(name_taken_by_the_invisible)
{
	struct kernfs_node *file = add_file(top, "hidden");

	kernfs_show(file, false);
	expect_error(top, "hidden", NULL, -EEXIST);
	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	add_file(top, "inactive");
	expect_error(top, "inactive", NULL, -EEXIST);
}
END_TEST

START_TEST(permanently_empty)
{
	struct kernfs_node *kn = ok_node(kernfs_create_empty_dir(top, "e"));
	unsigned long rev = kn->dir.rev;

	expect_error(kn, "x", NULL, -ENOENT);
	ck_assert_int_eq(PTR_ERR(try_file(kn, "x", NULL)), -ENOENT);
	ck_assert_int_eq(PTR_ERR(kernfs_create_link(kn, "x", top)), -ENOENT);
	ck_assert_uint_eq(kn->dir.rev, rev);
}
END_TEST

START_TEST(parent_is_being_removed)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *sub = add_dir(dir, "sub");
	struct kernfs_node *file = add_file(sub, "f");
	struct remover r;

	kernfs_get(sub);
	kernfs_get(file);
	ck_assert_ptr_nonnull(kernfs_get_active(file));
	remover_start(&r, dir, file);
	/* still there, and closed on every level */
	expect_error(dir, "x", NULL, -ENOENT);
	expect_error(sub, "x", NULL, -ENOENT);
	kernfs_put_active(file);
	remover_join(&r);
	expect_error(sub, "x", NULL, -ENOENT);
	kernfs_put(file);
	kernfs_put(sub);
}
END_TEST

/* --- tags --- */

START_TEST(tags_are_required)
{
	struct kernfs_node *tagged = add_tagged(top, "tagged");
	struct kernfs_node *plain = add_dir(top, "plain");

	expect_error(tagged, "x", NULL, -EINVAL);
	expect_error(plain, "x", &red, -EINVAL);
	ck_assert_int_eq(PTR_ERR(kernfs_create_empty_dir(tagged, "x")),
			 -EINVAL);
	ck_assert_int_eq(PTR_ERR(kernfs_create_link_text(plain, "x", 0, 0, "t",
							 &red)),
			 -EINVAL);
}
END_TEST

START_TEST(one_name_for_each_tag)
{
	static const struct ns_common also_red = { 1 };
	struct kernfs_node *dir = add_tagged(top, "d");
	struct kernfs_node *a = add_dir_ns(dir, "eth0", &red);
	struct kernfs_node *b = add_dir_ns(dir, "eth0", &blue);

	ck_assert_ptr_ne(a, b);
	expect_error(dir, "eth0", &red, -EEXIST);
	expect_error(dir, "eth0", &also_red, -EEXIST);
	/* below them there are no tags */
	add_file(a, "mtu");
	expect_error(a, "x", &red, -EINVAL);
}
END_TEST

START_TEST(enable_ns)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *file = add_file(dir, "f");

	kernfs_enable_ns(dir);
	ck_assert(!kernfs_ns_enabled(dir));
	kernfs_enable_ns(file);
	ck_assert(!kernfs_ns_enabled(file));
	kernfs_remove(file);
	kernfs_enable_ns(dir);
	ck_assert(kernfs_ns_enabled(dir));
	add_file_ns(dir, "f", &red);
}
END_TEST

/* --- links --- */

START_TEST(link_has_its_targets_owner)
{
	struct kernfs_node *target = ok_node(kernfs_create_dir_ns(
		top, "d", 0700, 5, 6, NULL, NULL));
	struct kernfs_node *link = add_link(top, "l", target);

	ck_assert_uint_eq(stat_of(link).st_uid, 5);
	ck_assert_uint_eq(stat_of(link).st_gid, 6);
	link = add_link(top, "m", add_file(top, "roots"));
	ck_assert_uint_eq(stat_of(link).st_uid, 0);
	ck_assert_ptr_null(link->iattr);
}
END_TEST

START_TEST(link_has_its_targets_tag)
{
	struct kernfs_node *nets = add_tagged(top, "nets");
	struct kernfs_node *class = add_tagged(top, "class");
	struct kernfs_node *target = add_dir_ns(nets, "eth0", &blue);
	struct kernfs_node *link = add_link(class, "eth0", target);

	ck_assert_ptr_eq(link->name->ns, &blue);
	/* in a plain directory it has none */
	link = add_link(top, "eth0", target);
	ck_assert_ptr_null(link->name->ns);
	/* and a target without one cannot be linked into a tagged one */
	link = kernfs_create_link(class, "x", add_dir(top, "plain"));
	ck_assert_int_eq(PTR_ERR(link), -EINVAL);
}
END_TEST

START_TEST(link_stays_in_its_root)
{
	struct kernfs_root *other = test_create_root(0);
	struct kernfs_node *link =
		kernfs_create_link(top, "l", kernfs_root_to_node(other));

	ck_assert_int_eq(PTR_ERR(link), -EINVAL);
	test_destroy_root(other);
}
END_TEST

START_TEST(link_text)
{
	char text[KERNFS_PATH_MAX + 1], buf[KERNFS_PATH_MAX];
	struct kernfs_node *link;

	memset(text, 't', sizeof(text));
	text[KERNFS_PATH_MAX] = '\0';
	link = kernfs_create_link_text(top, "l", 0, 0, text, NULL);
	ck_assert_int_eq(PTR_ERR(link), -ENAMETOOLONG);
	link = kernfs_create_link_text(top, "l", 0, 0, "", NULL);
	ck_assert_int_eq(PTR_ERR(link), -EINVAL);
	text[KERNFS_PATH_MAX - 1] = '\0';
	link = ok_node(kernfs_create_link_text(top, "l", 3, 4, text, NULL));
	ck_assert_int_eq(kernfs_iop_get_link(link, buf), KERNFS_PATH_MAX - 1);
	ck_assert_str_eq(buf, text);
	ck_assert_uint_eq(stat_of(link).st_uid, 3);
	ck_assert_uint_eq(stat_of(link).st_gid, 4);
	ck_assert_uint_eq(kernfs_mode(link), S_IFLNK | 0777);
}
END_TEST

/* --- what changes in the parent --- */

START_TEST(parent_counts)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *sub;

	ck_assert_uint_eq(dir->dir.rev, 0);
	sub = add_dir(dir, "sub");
	ck_assert_uint_eq(dir->dir.rev, 2);
	ck_assert_uint_eq(dir->subdirs, 1);
	ck_assert_uint_eq(stat_of(dir).st_nlink, 3);
	add_file(dir, "f");
	add_link(dir, "l", sub);
	ck_assert_uint_eq(dir->dir.rev, 6);
	ck_assert_uint_eq(dir->subdirs, 1);
	ok_node(kernfs_create_empty_dir(dir, "e"));
	ck_assert_uint_eq(dir->dir.rev, 8);
	ck_assert_uint_eq(stat_of(dir).st_nlink, 4);
}
END_TEST

START_TEST(parent_times)
{
	const struct kernfs_iattr old = {
		.valid = KERNFS_ATTR_ATIME | KERNFS_ATTR_MTIME |
			 KERNFS_ATTR_CTIME,
	};
	struct kernfs_node *dir = add_dir(top, "d");
	struct timespec before;
	struct stat st;

	add_file(dir, "a");
	/* none to change without a record */
	ck_assert_ptr_null(dir->iattr);
	ck_assert_int_eq(kernfs_setattr(dir, &old), 0);
	kernfs_now(&before);
	add_file(dir, "b");
	st = stat_of(dir);
	ck_assert_int_eq(st.st_atim.tv_sec, 0);
	ck_assert_int_ge(st.st_mtim.tv_sec, before.tv_sec);
	ck_assert_mem_eq(&st.st_ctim, &st.st_mtim, sizeof(st.st_mtim));
	/* a create that fails changes none */
	ck_assert_int_eq(kernfs_setattr(dir, &old), 0);
	expect_error(dir, "b", NULL, -EEXIST);
	ck_assert_int_eq(stat_of(dir).st_mtim.tv_sec, 0);
}
END_TEST

/* --- visibility --- */

START_TEST(visible_at_once)
{
	struct kernfs_node *kn = add_file(top, "f");

	ck_assert(kernfs_active(kn));
	ck_assert_int_eq(kn->active, 0);
	ck_assert_uint_ne(kernfs_flags(kn) & KERNFS_ACTIVATED, 0);
}
END_TEST

START_TEST(visible_when_activated)
{
	struct kernfs_dentry d;
	struct kernfs_node *kn;

	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	kn = add_file(top, "f");
	ck_assert(!kernfs_active(kn));
	ck_assert_int_eq(kn->active, KN_DEACTIVATED_BIAS);
	ck_assert_uint_eq(kernfs_flags(kn) & KERNFS_ACTIVATED, 0);
	ck_assert_int_eq(kernfs_iop_lookup(top, "f", NULL, &d), -EAGAIN);
	ck_assert(is_child(top, "f", kn));
	kernfs_activate(kn);
	ck_assert_int_eq(kernfs_iop_lookup(top, "f", NULL, &d), 0);
	kernfs_put(d.kn);
}
END_TEST

/* --- creators against a remover --- */

#define NR_CREATORS 3

struct creator {
	struct kernfs_node *dir;
	unsigned int nr, created;
	long err;
};

static void *creator_thread(void *arg)
{
	struct creator *c = arg;
	struct kernfs_node *dir = c->dir, *kn;
	char name[16];

	kernfs_get(dir);
	for (unsigned int i = 0;; i++) {
		snprintf(name, sizeof(name), "%u.%u", c->nr, i);
		kn = kernfs_create_dir(dir, name, 0755, NULL);
		c->err = PTR_ERR(kn);
		if (IS_ERR(kn))
			break;
		c->created++;
		/* deeper as well: found anew, it may be gone already */
		kn = kernfs_find_and_get(dir, name);
		if (kn)
			kernfs_create_dir(kn, "below", 0755, NULL);
		kernfs_put(kn);
	}
	kernfs_put(dir);
	return NULL;
}

/*
 * However late a child comes: it is removed with the others, or refused. One
 * that slipped through would be found by kernfs_check_tree(), or leak.
 */
START_TEST(creators_against_a_remover)
{
	for (unsigned int round = 0; round < 30; round++) {
		struct creator c[NR_CREATORS] = { { .dir = NULL } };
		struct kernfs_node *dir = add_dir(add_dir(top, "a"), "b");
		pthread_t id[NR_CREATORS];

		kernfs_get(dir);
		for (unsigned int i = 0; i < NR_CREATORS; i++) {
			c[i].dir = dir;
			c[i].nr = i;
			id[i] = thread_start(creator_thread, &c[i]);
		}
		usleep(round * 100);
		ck_assert_int_eq(kernfs_remove_by_name(top, "a"), 0);
		for (unsigned int i = 0; i < NR_CREATORS; i++) {
			thread_join(id[i]);
			ck_assert_int_eq(c[i].err, -ENOENT);
		}
		ck_assert_ptr_null(dir->dir.children);
		ck_assert_uint_eq(dir->subdirs, 0);
		ck_assert_int_eq(dir->count, 1);
		kernfs_put(dir);
		ck_assert_int_eq(top->count, 1);
	}
}
END_TEST

/* One name, many creators: one of them gets it. */
static void *rival_thread(void *arg)
{
	struct creator *c = arg;

	for (c->nr = 0; c->nr < 200; c->nr++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", c->nr);
		if (!IS_ERR(try_file(c->dir, name, NULL)))
			c->created++;
	}
	return NULL;
}

START_TEST(rival_creators)
{
	struct creator c[NR_CREATORS] = { { .dir = NULL } };
	unsigned int created = 0;

	for (unsigned int i = 0; i < NR_CREATORS; i++)
		c[i].dir = top;
	run_threads(NR_CREATORS, rival_thread, c, sizeof(c[0]));
	for (unsigned int i = 0; i < NR_CREATORS; i++)
		created += c[i].created;
	ck_assert_uint_eq(created, 200);
	ck_assert_int_eq(top->count, 201);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		kinds,
		mode_bits,
		callbacks_are_remembered,
		parent_is_no_directory,
		bad_names,
		taken_name,
		colliding_names,
		name_taken_by_the_invisible,
		permanently_empty,
		parent_is_being_removed,
		tags_are_required,
		one_name_for_each_tag,
		enable_ns,
		link_has_its_targets_owner,
		link_has_its_targets_tag,
		link_stays_in_its_root,
		link_text,
		parent_counts,
		parent_times,
		visible_at_once,
		visible_when_activated,
		creators_against_a_remover,
		rival_creators,
	};

	return test_run("kernfs-add", tests, NR_OF(tests), setup, teardown);
}
