/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life of a node: ids, references, owner at birth, and its end. */
#include "test/unit/kernfs-fixture.h"

#define DEEP 100000

START_TEST(root_node)
{
	ck_assert_uint_eq(kernfs_id(top), 1);
	ck_assert_uint_eq(kernfs_ino(top), 1);
	ck_assert_uint_eq(kernfs_gen(top), 1);
	ck_assert_int_eq(kernfs_type(top), KERNFS_DIR);
	ck_assert_uint_eq(kernfs_mode(top), S_IFDIR | 0555);
	ck_assert_ptr_eq(kernfs_root(top), root);
	ck_assert_ptr_null(top->name->parent);
	ck_assert_str_eq(top->name->str, "");
	ck_assert_int_eq(top->count, 1);
}
END_TEST

START_TEST(accessors)
{
	int mine;
	struct kernfs_node *dir =
		ok_node(kernfs_create_dir(top, "d", 0711, &mine));
	struct kernfs_node *file = ok_node(__kernfs_create_file(
		dir, "f", 0640, 0, 0, 77, &no_ops, &root, NULL));
	struct kernfs_node *link = add_link(dir, "l", file);

	ck_assert_int_eq(kernfs_type(dir), KERNFS_DIR);
	ck_assert_int_eq(kernfs_type(file), KERNFS_FILE);
	ck_assert_int_eq(kernfs_type(link), KERNFS_LINK);
	ck_assert_ptr_eq(kernfs_priv(dir), &mine);
	ck_assert_ptr_eq(kernfs_priv(file), &root);
	ck_assert_ptr_null(kernfs_priv(link));
	ck_assert_uint_eq(kernfs_mode(dir), S_IFDIR | 0711);
	ck_assert_uint_eq(kernfs_mode(file), S_IFREG | 0640);
	ck_assert_uint_eq(kernfs_mode(link), S_IFLNK | 0777);
	ck_assert_ptr_eq(kernfs_root(link), root);
	ck_assert_uint_eq(kernfs_root_flags(link), 0);
	ck_assert(!kernfs_ns_enabled(dir));
}
END_TEST

/* --- ids --- */

START_TEST(ids_are_not_reused)
{
	for (uint64_t id = 2; id < 5; id++) {
		struct kernfs_node *kn = add_dir(top, "again");

		ck_assert_uint_eq(kernfs_id(kn), id);
		ck_assert_uint_eq(kernfs_ino(kn), id);
		kernfs_remove(kn);
	}
}
END_TEST

/* 31 low bits from 1 upwards; then the high word counts. */
START_TEST(ids_wrap)
{
	root->ids.last = INT_MAX - 1;
	ck_assert_uint_eq(kernfs_id(add_dir(top, "last")), INT_MAX);
	ck_assert_uint_eq(kernfs_id(add_dir(top, "first")), 0x100000001);
	ck_assert_uint_eq(kernfs_id(add_dir(top, "second")), 0x100000002);
	root->ids.last = UINT64_C(5) * INT_MAX - 1;
	ck_assert_uint_eq(kernfs_id(add_dir(top, "far")), 0x47fffffff);
	ck_assert_uint_eq(kernfs_id(add_dir(top, "farther")), 0x500000001);
}
END_TEST

/* --- references --- */

START_TEST(counts)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *file = add_file(dir, "f");
	struct kernfs_node *link;

	ck_assert_int_eq(top->count, 2);
	ck_assert_int_eq(dir->count, 2);
	ck_assert_int_eq(file->count, 1);
	link = add_link(dir, "l", file);
	ck_assert_int_eq(dir->count, 3);
	ck_assert_int_eq(file->count, 2);
	kernfs_get(file);
	ck_assert_int_eq(file->count, 3);
	kernfs_put(file);
	kernfs_remove(link);
	ck_assert_int_eq(dir->count, 2);
	ck_assert_int_eq(file->count, 1);
	kernfs_get(NULL);
	kernfs_put(NULL);
}
END_TEST

/* A create that fails leaves nothing behind. */
START_TEST(failed_create_counts)
{
	struct kernfs_node *file = add_file(top, "f");

	ck_assert_int_eq(PTR_ERR(try_file(top, "f", NULL)), -EEXIST);
	ck_assert_int_eq(PTR_ERR(kernfs_create_link(top, "f", file)), -EEXIST);
	ck_assert_int_eq(top->count, 2);
	ck_assert_int_eq(file->count, 1);
}
END_TEST

START_TEST(tryget)
{
	struct kernfs_node *kn = add_file(top, "f");

	kf_rcu_read_lock();
	ck_assert(kernfs_tryget(kn));
	kf_rcu_read_unlock();
	ck_assert_int_eq(kn->count, 2);
	kernfs_remove(kn);
	/* dying, but its memory stays for the section */
	kf_rcu_read_lock();
	kernfs_put(kn);
	ck_assert_int_eq(kn->count, 0);
	ck_assert(!kernfs_tryget(kn));
	ck_assert_str_eq(kernfs_rcu_name(kn)->str, "f");
	kf_rcu_read_unlock();
}
END_TEST

START_TEST(removed_node_pins_its_parents)
{
	struct kernfs_node *a = add_dir(top, "a");
	struct kernfs_node *b = add_dir(a, "b");
	struct kernfs_node *file = add_file(b, "f");
	struct kernfs_node *parent;

	kernfs_get(file);
	kernfs_remove(a);
	kf_rcu_barrier();
	ck_assert_int_eq(top->count, 2);
	ck_assert_int_eq(a->count, 1);
	ck_assert_int_eq(b->count, 1);
	parent = kernfs_get_parent(file);
	ck_assert_ptr_eq(parent, b);
	kernfs_put(parent);
	expect_path(file, "/a/b/f");
	kernfs_put(file);
	ck_assert_int_eq(top->count, 1);
}
END_TEST

START_TEST(link_pins_its_target)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *target = add_file(dir, "t");
	struct kernfs_node *link = add_link(top, "l", target);

	kernfs_get(link);
	kernfs_remove(dir);
	kernfs_remove(link);
	kf_rcu_barrier();
	ck_assert_int_eq(target->count, 1);
	expect_path(target, "/d/t");
	kernfs_put(link);
	ck_assert_int_eq(top->count, 1);
}
END_TEST

/* A removed tree outlives its root's destruction while somebody holds on. */
START_TEST(node_outlives_root)
{
	struct kernfs_root *other = test_create_root(0);
	struct kernfs_node *kn =
		add_file(add_dir(kernfs_root_to_node(other), "d"), "f");

	kernfs_get(kn);
	kernfs_destroy_root(other);
	kf_rcu_barrier();
	ck_assert_ptr_eq(kernfs_root(kn), other);
	expect_path(kn, "/d/f");
	kernfs_put(kn);
	kf_rcu_barrier();
}
END_TEST

/* --- long chains --- */

static void *on_small_stack(void *(*func)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t id;

	ck_assert_int_eq(pthread_attr_init(&attr), 0);
	ck_assert_int_eq(pthread_attr_setstacksize(&attr, 256 << 10), 0);
	ck_assert_int_eq(pthread_create(&id, &attr, func, arg), 0);
	ck_assert_int_eq(pthread_attr_destroy(&attr), 0);
	return thread_join(id);
}

static struct kernfs_node *dig(struct kernfs_node *dir, unsigned int levels)
{
	while (levels--)
		dir = add_dir(dir, "d");
	return dir;
}

static void *remove_thread(void *kn)
{
	kernfs_remove(kn);
	return NULL;
}

static void *put_thread(void *kn)
{
	kernfs_put(kn);
	return NULL;
}

START_TEST(deep_tree)
{
	struct kernfs_node *first = add_dir(top, "d");
	struct kernfs_node *last = dig(first, DEEP - 1);
	char buf[KERNFS_PATH_MAX];

	ck_assert_int_eq(kernfs_path(last, buf, sizeof(buf)), -E2BIG);
	ck_assert_str_eq(buf, "");
	ck_assert_uint_eq(kernfs_check_tree(root), 0);
	on_small_stack(remove_thread, first);
	ck_assert_int_eq(top->count, 1);
	ck_assert_ptr_null(top->dir.children);
}
END_TEST

/* One put that is the end of them all. */
START_TEST(deep_chain_of_parents)
{
	struct kernfs_node *first = add_dir(top, "d");
	struct kernfs_node *last = dig(first, DEEP - 1);

	kernfs_get(last);
	kernfs_remove(first);
	ck_assert_int_eq(top->count, 2);
	on_small_stack(put_thread, last);
	ck_assert_int_eq(top->count, 1);
}
END_TEST

START_TEST(long_chain_of_links)
{
	struct kernfs_node *kn = add_file(top, "target");
	char name[16];

	for (unsigned int i = 0; i < DEEP; i++) {
		snprintf(name, sizeof(name), "%u", i);
		kn = add_link(top, name, kn);
	}
	kernfs_get(kn);
	for (unsigned int i = 0; i < DEEP; i++) {
		snprintf(name, sizeof(name), "%u", i);
		must(kernfs_remove_by_name(top, name) == 0);
	}
	ck_assert_int_eq(kernfs_remove_by_name(top, "target"), 0);
	ck_assert_int_eq(top->count, 1 + DEEP + 1);
	on_small_stack(put_thread, kn);
	ck_assert_int_eq(top->count, 1);
}
END_TEST

/* Both ends of a link die with it, and with them chains of their own. */
START_TEST(link_between_deep_trees)
{
	struct kernfs_node *from = add_dir(top, "from");
	struct kernfs_node *to = add_dir(top, "to");
	struct kernfs_node *target = dig(to, 1000);
	struct kernfs_node *link = add_link(dig(from, 1000), "l", target);

	kernfs_get(link);
	kernfs_remove(from);
	kernfs_remove(to);
	ck_assert_int_eq(top->count, 3);
	kernfs_put(link);
	ck_assert_int_eq(top->count, 1);
}
END_TEST

/*
 * A listing without locks may stand on a node while it dies. Wherever its
 * links lead then must be nodes that die no earlier, not what was beside them
 * in a tree long ago.
 */
START_TEST(dying_nodes_lead_nowhere)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *node[64], *left;
	char name[16];

	/* parents that leave the tree while they have neighbours */
	for (unsigned int i = 0; i < NR_OF(node); i++) {
		snprintf(name, sizeof(name), "%u", i);
		node[i] = add_dir(dir, name);
	}
	for (unsigned int i = 0; i < NR_OF(node); i++) {
		struct kernfs_node *target = add_file(top, "t");
		struct kernfs_node *link = add_link(node[i], "l", target);

		kernfs_get(link);
		kernfs_remove(node[i]);
		kernfs_remove(target);
		kf_rcu_read_lock();
		kernfs_put(link);
		for (left = target->left; left; left = left->left) {
			ck_assert_int_eq(left->count, 0);
			ck_assert_ptr_null(left->right);
		}
		kf_rcu_read_unlock();
	}
}
END_TEST

/* --- owner at birth --- */

static struct kernfs_node *add_owned(struct kernfs_node *parent,
				     const char *name, mode_t mode, uid_t uid,
				     gid_t gid)
{
	return ok_node(kernfs_create_dir_ns(parent, name, mode, uid, gid, NULL,
					    NULL));
}

START_TEST(record_only_if_needed)
{
	struct kernfs_node *kn;

	ck_assert_ptr_null(top->iattr);
	kn = add_owned(top, "roots", 0755, 0, 0);
	ck_assert_ptr_null(kn->iattr);
	kn = add_owned(top, "uid", 0755, 1, 0);
	ck_assert_ptr_nonnull(kn->iattr);
	ck_assert_uint_eq(stat_of(kn).st_uid, 1);
	ck_assert_uint_eq(stat_of(kn).st_gid, 0);
	kn = add_owned(top, "gid", 0755, 0, 2);
	ck_assert_ptr_nonnull(kn->iattr);
	ck_assert_uint_eq(stat_of(kn).st_uid, 0);
	ck_assert_uint_eq(stat_of(kn).st_gid, 2);
	/* looking changes nothing */
	stat_of(top);
	ck_assert_ptr_null(top->iattr);
}
END_TEST

START_TEST(record_starts_now)
{
	struct timespec before, after;
	struct kernfs_node *kn;
	struct stat st;

	kernfs_now(&before);
	kn = add_owned(top, "d", 0755, 1, 1);
	kernfs_now(&after);
	st = stat_of(kn);
	ck_assert_int_ge(st.st_mtim.tv_sec, before.tv_sec);
	ck_assert_int_le(st.st_mtim.tv_sec, after.tv_sec);
	ck_assert_mem_eq(&st.st_atim, &st.st_mtim, sizeof(st.st_mtim));
	ck_assert_mem_eq(&st.st_ctim, &st.st_mtim, sizeof(st.st_mtim));
}
END_TEST

START_TEST(setgid_directory)
{
	struct kernfs_node *dir = add_owned(top, "d", S_ISGID | 0755, 1, 7);
	struct kernfs_node *sub = add_owned(dir, "sub", 0700, 3, 4);
	struct kernfs_node *file = ok_node(__kernfs_create_file(
		sub, "f", 0644, 3, 4, 0, &no_ops, NULL, NULL));

	ck_assert_uint_eq(kernfs_mode(sub), S_IFDIR | S_ISGID | 0700);
	ck_assert_uint_eq(stat_of(sub).st_uid, 3);
	ck_assert_uint_eq(stat_of(sub).st_gid, 7);
	/* the bit goes to directories only, the group to all */
	ck_assert_uint_eq(kernfs_mode(file), S_IFREG | 0644);
	ck_assert_uint_eq(stat_of(file).st_gid, 7);
}
END_TEST

/* A directory without a record has no group to pass on. */
START_TEST(setgid_without_record)
{
	struct kernfs_node *dir = add_owned(top, "d", S_ISGID | 0755, 0, 0);
	struct kernfs_node *sub = add_owned(dir, "sub", 0700, 3, 4);

	ck_assert_ptr_null(dir->iattr);
	ck_assert_uint_eq(kernfs_mode(sub), S_IFDIR | S_ISGID | 0700);
	ck_assert_uint_eq(stat_of(sub).st_gid, 4);
	sub = add_owned(dir, "plain", 0700, 0, 0);
	ck_assert_ptr_null(sub->iattr);
}
END_TEST

/* --- names of renamed nodes --- */

START_TEST(renamed_nodes_free_their_names)
{
	struct kernfs_node *kn = add_file(top, "first");
	const struct kernfs_name *first = kn->name;

	ck_assert_ptr_eq(first, &kn->first);
	ck_assert_int_eq(kernfs_rename(kn, top, "second"), 0);
	ck_assert_ptr_ne(kn->name, first);
	ck_assert_int_eq(kernfs_rename(kn, top, "third"), 0);
	ck_assert_int_eq(kernfs_rename(kn, top, "first"), 0);
	/* the first record is never used again */
	ck_assert_ptr_ne(kn->name, first);
	kf_rcu_barrier();
	ck_assert_str_eq(kn->name->str, "first");
	ck_assert_str_eq(first->str, "first");
	kernfs_remove(kn);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		root_node,
		accessors,
		ids_are_not_reused,
		ids_wrap,
		counts,
		failed_create_counts,
		tryget,
		removed_node_pins_its_parents,
		link_pins_its_target,
		node_outlives_root,
		deep_tree,
		deep_chain_of_parents,
		long_chain_of_links,
		link_between_deep_trees,
		dying_nodes_lead_nowhere,
		record_only_if_needed,
		record_starts_now,
		setgid_directory,
		setgid_without_record,
		renamed_nodes_free_their_names,
	};

	return test_run("kernfs-node", tests, NR_OF(tests), setup, teardown);
}
