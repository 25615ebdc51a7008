/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two indexes of a directory: order, positions, finding, balance. */
#include "test/unit/kernfs-fixture.h"

/* The children of @dir in order, as kernfs_child_at() and _next() have them. */
static unsigned int list_of(struct kernfs_node *dir, struct kernfs_node **list,
			    uint64_t *list_pos, unsigned int max)
{
	unsigned int nr = 0;
	uint64_t pos;
	struct kernfs_node *kn = kernfs_child_at(dir, 0, &pos);

	while (kn && nr < max) {
		list[nr] = kn;
		list_pos[nr++] = pos;
		kn = kernfs_child_next(dir, kn, pos, &pos);
	}
	ck_assert_ptr_null(kn);
	return nr;
}

static int name_order(const struct kernfs_name *a, const struct kernfs_name *b)
{
	struct kernfs_key key;

	kernfs_key_init(&key, a->str, a->ns);
	return kernfs_name_compare(&key, b);
}

static struct kernfs_node *find(struct kernfs_node *dir, const char *name,
				const struct ns_common *ns)
{
	struct kernfs_key key;

	kernfs_key_init(&key, name, ns);
	return kernfs_find_ns(dir, &key);
}

START_TEST(empty_directory)
{
	uint64_t pos;

	ck_assert_ptr_null(kernfs_child_at(top, 0, &pos));
	ck_assert_ptr_null(find(top, "x", NULL));
	ck_assert_ptr_null(kernfs_get_child_at(top, 0, &pos));
	ck_assert_ptr_null(kernfs_get_child_after(top, NULL));
}
END_TEST

START_TEST(children_are_in_order)
{
	struct kernfs_node *list[200];
	uint64_t pos[200];
	char name[8];

	for (unsigned int i = 0; i < NR_OF(list); i++) {
		snprintf(name, sizeof(name), "%u", i * 37 % 200);
		add_file(top, name);
	}
	ck_assert_uint_eq(list_of(top, list, pos, NR_OF(list)), NR_OF(list));
	for (unsigned int i = 0; i < NR_OF(list); i++) {
		must(!i || name_order(list[i - 1]->name, list[i]->name) < 0);
		must(pos[i] == list[i]->name->hash);
	}
}
END_TEST

/* The four of sysfs/kernel whose offsets are known. */
START_TEST(known_order)
{
	static const char *const name[] = { "warn_count", "notes", "mm",
					    "profiling" };
	struct kernfs_node *list[4];
	uint64_t pos[4];

	for (unsigned int i = 0; i < 4; i++)
		add_file(top, name[3 - i]);
	ck_assert_uint_eq(list_of(top, list, pos, 4), 4);
	for (unsigned int i = 0; i < 4; i++)
		ck_assert_str_eq(list[i]->name->str, name[i]);
	ck_assert_uint_eq(pos[0], 90616424);
	ck_assert_uint_eq(pos[3], 786471518);
}
END_TEST

/* Those that share a hash are told apart by their rank. */
START_TEST(ranks)
{
	struct kernfs_node *list[NR_COLLIDING + 1], *kn;
	uint64_t pos[NR_COLLIDING + 1], at;
	uint32_t hash;

	for (unsigned int i = 0; i < NR_COLLIDING; i++)
		add_file(top, colliding_name(i * 7 % NR_COLLIDING));
	hash = kernfs_name_hash(colliding_name(0), NULL);
	/* one that sorts after them all */
	add_file(top, "x0");
	ck_assert_uint_gt(kernfs_name_hash("x0", NULL), hash);
	ck_assert_uint_eq(list_of(top, list, pos, NR_OF(list)),
			  NR_COLLIDING + 1);
	for (uint64_t i = 0; i < NR_COLLIDING; i++) {
		ck_assert_str_eq(list[i]->name->str, colliding_name(i));
		ck_assert_uint_eq(pos[i], i << 32 | hash);
		ck_assert_ptr_eq(find(top, colliding_name(i), NULL), list[i]);
		/* found again by position */
		ck_assert_ptr_eq(kernfs_child_at(top, pos[i], &at), list[i]);
		ck_assert_uint_eq(at, pos[i]);
	}
	/* a rank that is not there is the next hash */
	kn = kernfs_child_at(top, UINT64_C(16) << 32 | hash, &at);
	ck_assert_ptr_eq(kn, list[NR_COLLIDING]);
	ck_assert_uint_eq(at, kernfs_name_hash("x0", NULL));
	kn = kernfs_child_at(top, UINT64_C(99) << 32 | hash, &at);
	ck_assert_ptr_eq(kn, list[NR_COLLIDING]);
	/* the rank of another hash means nothing */
	kn = kernfs_child_at(top, UINT64_C(3) << 32 | (hash - 1), &at);
	ck_assert_ptr_eq(kn, list[0]);
	ck_assert_uint_eq(at, hash);
}
END_TEST

START_TEST(positions_between)
{
	struct kernfs_node *a = add_file(top, "notes");
	struct kernfs_node *b = add_file(top, "mm");
	uint32_t ha = a->name->hash, hb = b->name->hash;
	uint64_t pos;

	ck_assert_ptr_eq(kernfs_child_at(top, ha - 1, &pos), a);
	ck_assert_uint_eq(pos, ha);
	ck_assert_ptr_eq(kernfs_child_at(top, ha, &pos), a);
	ck_assert_uint_eq(pos, ha);
	ck_assert_ptr_eq(kernfs_child_at(top, ha + 1, &pos), b);
	ck_assert_uint_eq(pos, hb);
	ck_assert_ptr_null(kernfs_child_at(top, hb + 1, &pos));
	ck_assert_ptr_null(kernfs_child_at(top, KERNFS_DIR_POS_END, &pos));
	ck_assert_ptr_eq(kernfs_child_next(top, a, ha, &pos), b);
	ck_assert_ptr_null(kernfs_child_next(top, b, hb, &pos));
}
END_TEST

START_TEST(order_by_tag)
{
	/* the same hash: see kernfs-name.c */
	static const struct ns_common one = { 1 }, seventeen = { 17 };
	struct kernfs_node *dir = add_tagged(top, "d");
	struct kernfs_node *a = add_file_ns(dir, "a", &seventeen);
	struct kernfs_node *b = add_file_ns(dir, "b", &one);
	struct kernfs_node *list[2];
	uint64_t pos[2];

	ck_assert_uint_eq(list_of(dir, list, pos, 2), 2);
	ck_assert_ptr_eq(list[0], b);
	ck_assert_ptr_eq(list[1], a);
	ck_assert_uint_eq(pos[1], UINT64_C(1) << 32 | pos[0]);
	ck_assert_ptr_eq(find(dir, "a", &seventeen), a);
	ck_assert_ptr_null(find(dir, "a", &one));
	ck_assert_ptr_null(find(dir, "b", &seventeen));
	ck_assert_ptr_null(find(dir, "b", NULL));
}
END_TEST

/* The same name and the same hash: only the tags tell them apart. */
START_TEST(same_name_and_hash)
{
	static struct ns_common tag[2];
	struct kernfs_node *dir = add_tagged(top, "d");
	struct kernfs_node *kn[2], *list[2];
	uint64_t pos[2];

	tag[0] = tag_for_a(UINT64_C(0x1234567800000001));
	tag[1] = tag_for_a(UINT64_C(0x1234567800000002));
	for (unsigned int i = 0; i < 2; i++) {
		kn[i] = add_file_ns(dir, "a", &tag[i]);
		ck_assert_uint_eq(kn[i]->name->hash, 0x12345678);
	}
	for (unsigned int i = 0; i < 2; i++)
		ck_assert_ptr_eq(find(dir, "a", &tag[i]), kn[i]);
	ck_assert_uint_eq(list_of(dir, list, pos, 2), 2);
	ck_assert_ptr_eq(list[0], kn[tag[0].ns_id > tag[1].ns_id]);
	kernfs_remove(kn[0]);
	ck_assert_ptr_null(find(dir, "a", &tag[0]));
	ck_assert_ptr_eq(find(dir, "a", &tag[1]), kn[1]);
}
END_TEST

START_TEST(references_for_writers)
{
	struct kernfs_node *a = add_file(top, "notes");
	struct kernfs_node *b = add_file(top, "mm");
	uint64_t pos;

	ck_assert_ptr_eq(kernfs_get_child_at(top, 0, &pos), a);
	ck_assert_int_eq(a->count, 2);
	ck_assert_uint_eq(pos, a->name->hash);
	kernfs_put(a);
	ck_assert_ptr_eq(kernfs_get_child_after(top, NULL), a);
	kernfs_put(a);
	ck_assert_ptr_eq(kernfs_get_child_after(top, a->name), b);
	ck_assert_int_eq(b->count, 2);
	kernfs_put(b);
	ck_assert_ptr_null(kernfs_get_child_after(top, b->name));
}
END_TEST

/* A record found in the table decides, not the place it was found in. */
START_TEST(entry_under_another_name)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(top, "a");
	struct kernfs_key key;
	struct kf_write w;

	kernfs_key_init(&key, "b", NULL);
	kf_write_lock(&w, &root->locks, top, dir, NULL);
	ck_assert_int_eq(kernfs_tree_reserve(top), 0);
	ck_assert_int_eq(kernfs_tree_reserve(dir), 0);
	kf_rcutab_add(top->dir.tab, key.hash, kn);
	kf_rcutab_add(dir->dir.tab, kn->name->hash, kn);
	ck_assert_ptr_null(find(top, "b", NULL));
	ck_assert_ptr_null(find(dir, "a", NULL));
	ck_assert_ptr_eq(find(top, "a", NULL), kn);
	kf_rcutab_del(&top->dir.tab, key.hash, kn);
	kf_rcutab_del(&dir->dir.tab, kn->name->hash, kn);
	kf_write_unlock(&w);
}
END_TEST

static unsigned int depth_of(const struct kernfs_node *kn)
{
	unsigned int left, right;

	if (!kn)
		return 0;
	left = depth_of(kn->left);
	right = depth_of(kn->right);
	return 1 + (left > right ? left : right);
}

/* Whatever the order they come and go in. */
START_TEST(balance)
{
	const unsigned int nr = 30000;
	struct kernfs_node **kn = calloc(nr, sizeof(struct kernfs_node *));
	char name[16];

	ck_assert_ptr_nonnull(kn);
	for (unsigned int i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%u", i);
		kn[i] = add_file(top, name);
	}
	/* about 2 ln n = 21 on average, so never this: */
	ck_assert_uint_lt(depth_of(top->dir.children), 60);
	/* those with the larger hashes go */
	for (unsigned int i = 0; i < nr; i++)
		if (kn[i]->name->hash > 0x1000000)
			kernfs_remove(kn[i]);
	ck_assert_uint_lt(depth_of(top->dir.children), 40);
	free(kn);
}
END_TEST

/* --- random, against an array --- */

#define NR_NAMES 300

/* A third of the names collide. */
static const char *random_name(unsigned int i)
{
	static char name[24];

	if (i % 3)
		snprintf(name, sizeof(name), "%u", i);
	else
		snprintf(name, sizeof(name), "%s%u",
			 colliding_name(i / 3 % NR_COLLIDING), i / 48);
	return name;
}

static void expect_children(struct kernfs_node **node)
{
	struct kernfs_node *list[NR_NAMES];
	uint64_t pos[NR_NAMES], at;
	unsigned int nr = list_of(top, list, pos, NR_NAMES), present = 0;

	for (unsigned int i = 0; i < NR_NAMES; i++) {
		must(find(top, random_name(i), NULL) == node[i]);
		present += !!node[i];
	}
	ck_assert_uint_eq(nr, present);
	for (unsigned int i = 0; i < nr; i++) {
		must(!i || name_order(list[i - 1]->name, list[i]->name) < 0);
		must(!i || (uint32_t)pos[i - 1] <= (uint32_t)pos[i]);
		must(kernfs_child_at(top, pos[i], &at) == list[i]);
		must(at == pos[i]);
	}
	ck_assert_uint_eq(kernfs_check_tree(root), 0);
}

START_TEST(random_operations)
{
	struct kernfs_node *node[NR_NAMES] = { NULL };
	uint64_t state = 4711;

	for (unsigned int op = 0; op < 20000; op++) {
		unsigned int i = random_below(&state, NR_NAMES);
		bool full = op / 2000 % 2;

		if (!node[i] && random_below(&state, 10) < (full ? 3 : 9)) {
			node[i] = add_file(top, random_name(i));
		} else if (node[i] && random_below(&state, 10) < 5) {
			kernfs_remove(node[i]);
			node[i] = NULL;
		}
		if (op % 500 == 0)
			expect_children(node);
	}
	expect_children(node);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		empty_directory,
		children_are_in_order,
		known_order,
		ranks,
		positions_between,
		order_by_tag,
		same_name_and_hash,
		references_for_writers,
		entry_under_another_name,
		balance,
		random_operations,
	};

	return test_run("kernfs-tree", tests, NR_OF(tests), setup, teardown);
}
