/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's name hash to the last bit, its clamps, and the sibling order. */
#include "test/unit/kernfs-fixture.h"

/* Read from the directory offsets of a real sysfs. */
START_TEST(known_values)
{
	ck_assert_uint_eq(kernfs_name_hash("mm", NULL), 638226875);
	ck_assert_uint_eq(kernfs_name_hash("notes", NULL), 242758998);
	ck_assert_uint_eq(kernfs_name_hash("profiling", NULL), 786471518);
	ck_assert_uint_eq(kernfs_name_hash("warn_count", NULL), 90616424);
}
END_TEST

/* Bytes are unsigned: 0xff adds 255 * 16 + 15. */
START_TEST(bytes_above_127)
{
	uint64_t x = (255 * 16 + 15) * 11;

	x *= UINT64_C(0x61C8864680B583EB);
	ck_assert_uint_eq(kernfs_name_hash("\xff", NULL),
			  x >> 32 & 0x7fffffff);
	ck_assert_uint_ne(kernfs_name_hash("\xc3\xa4", NULL),
			  kernfs_name_hash("\xc3\xb6", NULL));
}
END_TEST

START_TEST(tags_salt)
{
	const struct ns_common one = { 1 }, two = { 2 }, also_one = { 1 };
	uint32_t plain = kernfs_name_hash("eth0", NULL);

	ck_assert_uint_ne(kernfs_name_hash("eth0", &one), plain);
	ck_assert_uint_ne(kernfs_name_hash("eth0", &two), plain);
	ck_assert_uint_ne(kernfs_name_hash("eth0", &one),
			  kernfs_name_hash("eth0", &two));
	/* the id counts, not the object */
	ck_assert_uint_eq(kernfs_name_hash("eth0", &one),
			  kernfs_name_hash("eth0", &also_one));
}
END_TEST

static uint32_t hash_from(uint64_t product)
{
	const struct ns_common ns = tag_for_a(product);

	return kernfs_name_hash("a", &ns);
}

START_TEST(clamps)
{
	ck_assert_uint_eq(hash_from(UINT64_C(0x12345678ffffffff)), 0x12345678);
	/* 0 and 1 stand for "." and ".." */
	ck_assert_uint_eq(hash_from(UINT64_C(0x00000000fedcba98)), 2);
	ck_assert_uint_eq(hash_from(UINT64_C(0x0000000100000000)), 3);
	ck_assert_uint_eq(hash_from(UINT64_C(0x0000000200000000)), 2);
	ck_assert_uint_eq(hash_from(UINT64_C(0x0000000300000000)), 3);
	ck_assert_uint_eq(hash_from(UINT64_C(0x0000000400000000)), 4);
	/* INT_MAX stands for the end */
	ck_assert_uint_eq(hash_from(UINT64_C(0x7ffffffd00000000)), 0x7ffffffd);
	ck_assert_uint_eq(hash_from(UINT64_C(0x7ffffffe00000000)), 0x7ffffffe);
	ck_assert_uint_eq(hash_from(UINT64_C(0x7fffffff00000000)), 0x7ffffffe);
	/* the top bit is not used */
	ck_assert_uint_eq(hash_from(UINT64_C(0x8000000000000000)), 2);
	ck_assert_uint_eq(hash_from(UINT64_C(0x8000000500000000)), 5);
	ck_assert_uint_eq(hash_from(UINT64_C(0xffffffff00000000)), 0x7ffffffe);
}
END_TEST

START_TEST(reserved_positions)
{
	ck_assert_uint_eq(KERNFS_DIR_POS_DOT, 0);
	ck_assert_uint_eq(KERNFS_DIR_POS_DOTDOT, 1);
	ck_assert_uint_eq(KERNFS_DIR_POS_END, INT_MAX);
}
END_TEST

/* --- collisions --- */

#define NR_NAMES (1 << 18)

struct hashed_name {
	uint32_t hash, nr;
};

static int by_hash(const void *a_, const void *b_)
{
	const struct hashed_name *a = a_, *b = b_;

	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

/* Twelve letters that look like chance, so that the names have no order. */
static const char *name_of(uint32_t nr, char buf[13])
{
	uint64_t state = (nr + UINT64_C(1)) << 32 | 0x5eed;

	for (unsigned int i = 0; i < 12; i++)
		buf[i] = (char)('a' + random_below(&state, 26));
	buf[12] = '\0';
	return buf;
}

static void record(struct kernfs_name **ret_name, const char *str,
		   const struct ns_common *ns)
{
	*ret_name = kernfs_new_name(NULL, str, ns);
	must(*ret_name);
}

/* @a sorts before @b, whichever is looked for. */
static void expect_order(const char *a, const struct ns_common *a_ns,
			 const char *b, const struct ns_common *b_ns)
{
	struct kernfs_name *a_name, *b_name;
	struct kernfs_key a_key, b_key;

	record(&a_name, a, a_ns);
	record(&b_name, b, b_ns);
	kernfs_key_init(&a_key, a, a_ns);
	kernfs_key_init(&b_key, b, b_ns);
	ck_assert_int_lt(kernfs_name_compare(&a_key, b_name), 0);
	ck_assert_int_gt(kernfs_name_compare(&b_key, a_name), 0);
	ck_assert_int_eq(kernfs_name_compare(&a_key, a_name), 0);
	ck_assert_int_eq(kernfs_name_compare(&b_key, b_name), 0);
	kernfs_free_name(a_name);
	kernfs_free_name(b_name);
}

/*
 * Names that meet by chance in 31 bits: as many as chance has it, which says
 * that the hash spreads names well, and ordered by their text.
 */
START_TEST(collisions_by_chance)
{
	struct hashed_name *n = calloc(NR_NAMES, sizeof(*n));
	unsigned int found = 0;
	char a[13], b[13];

	ck_assert_ptr_nonnull(n);
	for (uint32_t i = 0; i < NR_NAMES; i++)
		n[i] = (struct hashed_name){
			kernfs_name_hash(name_of(i, a), NULL), i
		};
	qsort(n, NR_NAMES, sizeof(*n), by_hash);
	for (uint32_t i = 1; i < NR_NAMES; i++) {
		if (n[i - 1].hash != n[i].hash)
			continue;
		found++;
		name_of(n[i - 1].nr, a);
		name_of(n[i].nr, b);
		if (strcmp(a, b) < 0)
			expect_order(a, NULL, b, NULL);
		else
			expect_order(b, NULL, a, NULL);
	}
	/* 2^18 names, 2^35 pairs, 2^31 values: 16 */
	ck_assert_uint_gt(found, 0);
	ck_assert_uint_lt(found, 64);
	free(n);
}
END_TEST

START_TEST(collisions_by_construction)
{
	uint32_t hash = kernfs_name_hash("blblblbl", NULL);
	char prev[16] = "";

	for (unsigned int i = 0; i < NR_COLLIDING; i++) {
		const char *name = colliding_name(i);

		ck_assert_uint_eq(kernfs_name_hash(name, NULL), hash);
		ck_assert_str_gt(name, prev);
		snprintf(prev, sizeof(prev), "%s", name);
	}
}
END_TEST

/* --- order --- */

START_TEST(hash_goes_first)
{
	expect_order("warn_count", NULL, "notes", NULL);
	expect_order("notes", NULL, "mm", NULL);
	expect_order("mm", NULL, "profiling", NULL);
}
END_TEST

START_TEST(tag_goes_second)
{
	/* salts that make up for what the letters differ by */
	const struct ns_common one = { 1 }, seventeen = { 17 };

	ck_assert_uint_eq(kernfs_name_hash("b", &one),
			  kernfs_name_hash("a", &seventeen));
	expect_order("b", &one, "a", &seventeen);
}
END_TEST

START_TEST(text_goes_last)
{
	expect_order("blbl", NULL, "blca", NULL);
	expect_order("blca", NULL, "cabl", NULL);
	expect_order("cabl", NULL, "caca", NULL);
}
END_TEST

/* Tags are compared as ids: large ones are not negative. */
START_TEST(tags_are_unsigned)
{
	const struct ns_common small = { 1 }, large = { UINT64_MAX };
	struct kernfs_name *name;
	struct kernfs_key key;

	record(&name, "a", &large);
	kernfs_key_init(&key, "a", &small);
	key.hash = name->hash;
	ck_assert_int_lt(kernfs_name_compare(&key, name), 0);
	kernfs_free_name(name);
	kernfs_free_name(NULL);
}
END_TEST

/* --- what may be a name --- */

START_TEST(good_names)
{
	static const char *const good[] = {
		"a", "...", "..a", ".a", "a.", "a b", "\n", "\xff", "~", "*",
	};
	char name[KERNFS_PATH_MAX];

	for (unsigned int i = 0; i < NR_OF(good); i++)
		ck_assert_int_eq(kernfs_check_name(good[i]), 0);
	memset(name, 'n', sizeof(name));
	name[256] = '\0';
	ck_assert_int_eq(kernfs_check_name(name), 0);
	name[256] = 'n';
	name[KERNFS_PATH_MAX - 1] = '\0';
	ck_assert_int_eq(kernfs_check_name(name), 0);
}
END_TEST

START_TEST(bad_names)
{
	static const char *const bad[] = { "", ".", "..", "/", "a/", "/a",
					   "a/b" };
	char name[KERNFS_PATH_MAX + 1];

	for (unsigned int i = 0; i < NR_OF(bad); i++)
		ck_assert_int_eq(kernfs_check_name(bad[i]), -EINVAL);
	memset(name, 'n', sizeof(name));
	name[KERNFS_PATH_MAX] = '\0';
	ck_assert_int_eq(kernfs_check_name(name), -ENAMETOOLONG);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		known_values,
		bytes_above_127,
		tags_salt,
		clamps,
		reserved_positions,
		collisions_by_chance,
		collisions_by_construction,
		hash_goes_first,
		tag_goes_second,
		text_goes_last,
		tags_are_unsigned,
		good_names,
		bad_names,
	};

	return test_run("kernfs-name", tests, NR_OF(tests), NULL, NULL);
}
