/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checker of trees: it finds what is broken on purpose, and only that. */
#include "test/unit/kernfs-fixture.h"

static struct kernfs_node *dir, *a, *b;

static void setup_tree(void)
{
	setup();
	dir = add_dir(top, "d");
	a = add_file(dir, "notes");
	b = add_dir(dir, "mm");
	add_link(b, "l", a);
	ck_assert_uint_eq(kernfs_check_tree(root), 0);
}

static void expect_wrong(void)
{
	ck_assert_uint_gt(kernfs_check_tree(root), 0);
}

static void expect_clean(void)
{
	ck_assert_uint_eq(kernfs_check_tree(root), 0);
}

START_TEST(clean_trees)
{
	struct kernfs_node *tagged = add_tagged(top, "tagged");
	static const struct ns_common red = { 1 }, blue = { 2 };

	add_file_ns(tagged, "eth0", &red);
	add_file_ns(tagged, "eth0", &blue);
	kernfs_show(a, false);
	ok_node(kernfs_create_empty_dir(top, "e"));
	for (unsigned int i = 0; i < NR_COLLIDING; i++)
		add_file(top, colliding_name(i));
	expect_clean();
	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	add_file(add_dir(top, "d"), "f");
	expect_clean();
}
END_TEST

START_TEST(wrong_counts)
{
	dir->subdirs++;
	expect_wrong();
	dir->subdirs--;
	dir->dir.tab->live++;
	expect_wrong();
	dir->dir.tab->live--;
	dir->count = 2;
	expect_wrong();
	dir->count = 3;
	a->count = 0;
	expect_wrong();
	a->count = 2;
	a->active = 1;
	expect_wrong();
	a->active = KN_DEACTIVATED_BIAS + 1;
	expect_wrong();
	a->active = 0;
	expect_clean();
}
END_TEST

START_TEST(wrong_flags)
{
	static const unsigned int wrong[] = { KERNFS_HIDDEN, KERNFS_REMOVING,
					      KERNFS_DIR };

	for (unsigned int i = 0; i < NR_OF(wrong); i++) {
		kernfs_set_flag(a, wrong[i]);
		expect_wrong();
		kernfs_clear_flag(a, wrong[i]);
	}
	kernfs_clear_flag(a, KERNFS_LINKED);
	expect_wrong();
	kernfs_set_flag(a, KERNFS_LINKED);
	kernfs_set_flag(dir, KERNFS_NS);
	expect_wrong();
	kernfs_clear_flag(dir, KERNFS_NS);
	expect_clean();
}
END_TEST

START_TEST(odd_numbers)
{
	a->seq++;
	expect_wrong();
	a->seq++;
	dir->dir.rev++;
	expect_wrong();
	dir->dir.rev++;
	expect_clean();
}
END_TEST

START_TEST(wrong_names)
{
	a->name->hash++;
	expect_wrong();
	a->name->hash--;
	a->name->str[0]++;
	expect_wrong();
	a->name->str[0]--;
	a->name->parent = b;
	expect_wrong();
	a->name->parent = dir;
	expect_clean();
}
END_TEST

/* The two indexes disagree. */
START_TEST(wrong_indexes)
{
	struct kernfs_node *kids = dir->dir.children;
	struct kf_write w;

	dir->dir.children = NULL;
	expect_wrong();
	dir->dir.children = kids;
	kf_write_lock(&w, &root->locks, dir, NULL, NULL);
	kf_rcutab_del(&dir->dir.tab, a->name->hash, a);
	kf_write_unlock(&w);
	expect_wrong();
	kf_write_lock(&w, &root->locks, dir, NULL, NULL);
	kf_rcutab_add(dir->dir.tab, a->name->hash, a);
	kf_write_unlock(&w);
	expect_clean();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		clean_trees, wrong_counts, wrong_flags,
		odd_numbers, wrong_names,  wrong_indexes,
	};

	return test_run("kernfs-check", tests, NR_OF(tests), setup_tree,
			teardown);
}
