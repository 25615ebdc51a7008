/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Listing: order, positions, resuming, and what changes meanwhile. */
#include "test/unit/kernfs-fixture.h"

static const struct ns_common red = { 1 }, blue = { 2 };

#define MAX_LISTED 8192

/* What a listing said. */
struct listing {
	unsigned int nr, max; /* takes max entries, then no more */
	struct {
		char name[24];
		uint64_t ino, pos, next;
		mode_t mode;
	} entry[MAX_LISTED];
};

static bool take(void *ctx, const struct kernfs_dirent *de)
{
	struct listing *l = ctx;

	if (l->nr == l->max)
		return false;
	must(l->nr < MAX_LISTED);
	snprintf(l->entry[l->nr].name, sizeof(l->entry[0].name), "%.23s",
		 de->name);
	l->entry[l->nr].ino = de->ino;
	l->entry[l->nr].pos = de->pos;
	l->entry[l->nr].next = de->next;
	l->entry[l->nr].mode = de->mode;
	l->nr++;
	return true;
}

static struct listing all;

/* Lists @dir from @pos on into all. */
static void list_from(struct kernfs_node *dir, const struct ns_common *ns,
		      uint64_t pos)
{
	all.nr = 0;
	all.max = MAX_LISTED;
	ck_assert_int_eq(kernfs_fop_readdir(dir, ns, pos, take, &all), 0);
}

static void list(struct kernfs_node *dir)
{
	list_from(dir, NULL, 0);
}

static int times_listed(const char *name)
{
	int times = 0;

	for (unsigned int i = 0; i < all.nr; i++)
		times += !strcmp(all.entry[i].name, name);
	return times;
}

START_TEST(empty_directory)
{
	struct kernfs_node *dir = add_dir(top, "d");

	list(dir);
	ck_assert_uint_eq(all.nr, 2);
	ck_assert_str_eq(all.entry[0].name, ".");
	ck_assert_uint_eq(all.entry[0].ino, kernfs_ino(dir));
	ck_assert_uint_eq(all.entry[0].mode, S_IFDIR | 0755);
	ck_assert_uint_eq(all.entry[0].pos, 0);
	ck_assert_uint_eq(all.entry[0].next, 1);
	ck_assert_str_eq(all.entry[1].name, "..");
	ck_assert_uint_eq(all.entry[1].ino, kernfs_ino(top));
	ck_assert_uint_eq(all.entry[1].mode, S_IFDIR | 0555);
	ck_assert_uint_eq(all.entry[1].pos, 1);
	ck_assert_uint_eq(all.entry[1].next, INT_MAX);
	/* nothing is above the root but the root */
	list(top);
	ck_assert_uint_eq(all.nr, 3);
	ck_assert_uint_eq(all.entry[1].ino, kernfs_ino(top));
}
END_TEST

START_TEST(entries)
{
	struct kernfs_node *dir = add_dir(top, "mm");
	struct kernfs_node *file = add_file(top, "notes");
	struct kernfs_node *link = add_link(top, "profiling", dir);

	add_file(top, "warn_count");
	list(top);
	ck_assert_uint_eq(all.nr, 6);
	ck_assert_str_eq(all.entry[2].name, "warn_count");
	ck_assert_str_eq(all.entry[3].name, "notes");
	ck_assert_str_eq(all.entry[4].name, "mm");
	ck_assert_str_eq(all.entry[5].name, "profiling");
	/* an entry's offset is the hash of the next one */
	ck_assert_uint_eq(all.entry[1].next, 90616424);
	ck_assert_uint_eq(all.entry[2].next, 242758998);
	ck_assert_uint_eq(all.entry[3].next, 638226875);
	ck_assert_uint_eq(all.entry[4].next, 786471518);
	ck_assert_uint_eq(all.entry[5].next, INT_MAX);
	ck_assert_uint_eq(all.entry[3].ino, kernfs_ino(file));
	ck_assert_uint_eq(all.entry[3].mode, S_IFREG | 0644);
	ck_assert_uint_eq(all.entry[4].ino, kernfs_ino(dir));
	ck_assert_uint_eq(all.entry[4].mode, S_IFDIR | 0755);
	ck_assert_uint_eq(all.entry[5].ino, kernfs_ino(link));
	ck_assert_uint_eq(all.entry[5].mode, S_IFLNK | 0777);
}
END_TEST

START_TEST(not_a_directory)
{
	ck_assert_int_eq(kernfs_fop_readdir(add_file(top, "f"), NULL, 0, take,
					    &all),
			 -ENOTDIR);
	ck_assert_int_eq(kernfs_fop_readdir(add_link(top, "l", top), NULL, 0,
					    take, &all),
			 -ENOTDIR);
}
END_TEST

/* Each entry once, in order, and each one's next is the next one's position. */
static void expect_consistent(unsigned int nr)
{
	ck_assert_uint_eq(all.nr, nr + 2);
	for (unsigned int i = 0; i < all.nr; i++) {
		must(all.entry[i].next == (i + 1 < all.nr ?
						   all.entry[i + 1].pos :
						   KERNFS_DIR_POS_END));
		must(i < 3 || (uint32_t)all.entry[i].pos >=
				      (uint32_t)all.entry[i - 1].pos);
		must(i < 2 ||
		     (uint32_t)all.entry[i].pos ==
			     kernfs_name_hash(all.entry[i].name, NULL));
	}
}

static void add_many(struct kernfs_node *dir, unsigned int nr)
{
	char name[24];

	for (unsigned int i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%u", i);
		add_file(dir, name);
	}
}

/* Around the size of a batch, and far beyond. */
START_TEST(many_entries)
{
	static const unsigned int nr[] = { 1, 31, 32, 33, 63, 64, 65, 3000 };

	for (unsigned int i = 0; i < NR_OF(nr); i++) {
		struct kernfs_node *dir = add_dir(top, "d");

		add_many(dir, nr[i]);
		list(dir);
		expect_consistent(nr[i]);
		kernfs_remove(dir);
	}
}
END_TEST

/* Names so long that a batch holds one of them. */
START_TEST(long_names)
{
	char name[KERNFS_PATH_MAX];

	memset(name, 'n', sizeof(name));
	name[KERNFS_PATH_MAX - 1] = '\0';
	for (unsigned int i = 0; i < 40; i++) {
		name[0] = (char)('A' + i);
		add_file(top, name);
	}
	list(top);
	ck_assert_uint_eq(all.nr, 42);
	for (unsigned int i = 2; i < all.nr; i++)
		must(i == 2 || all.entry[i].pos > all.entry[i - 1].pos);
}
END_TEST

/* --- resuming --- */

START_TEST(resume_at_every_position)
{
	static struct listing whole;

	add_many(top, 100);
	for (unsigned int i = 0; i < NR_COLLIDING; i++)
		add_file(top, colliding_name(i));
	list(top);
	expect_consistent(100 + NR_COLLIDING);
	whole = all;
	for (unsigned int i = 0; i < whole.nr; i++) {
		list_from(top, NULL, whole.entry[i].pos);
		must(all.nr == whole.nr - i);
		for (unsigned int j = 0; j < all.nr; j++)
			must(all.entry[j].ino == whole.entry[i + j].ino);
	}
	list_from(top, NULL, KERNFS_DIR_POS_END);
	ck_assert_uint_eq(all.nr, 0);
	list_from(top, NULL, UINT64_MAX);
	ck_assert_uint_eq(all.nr, 0);
}
END_TEST

/* By as few entries as one at a time: the receiver decides. */
START_TEST(resume_after_a_refusal)
{
	static struct listing whole, part;

	add_many(top, 70);
	list(top);
	whole = all;
	for (unsigned int step = 1; step < 40; step += 6) {
		unsigned int seen = 0;
		uint64_t pos = 0;

		while (pos != KERNFS_DIR_POS_END) {
			part.nr = 0;
			part.max = step;
			ck_assert_int_eq(kernfs_fop_readdir(top, NULL, pos,
							    take, &part),
					 0);
			must(part.nr);
			for (unsigned int i = 0; i < part.nr; i++)
				must(part.entry[i].ino ==
				     whole.entry[seen++].ino);
			pos = part.entry[part.nr - 1].next;
		}
		must(seen == whole.nr);
	}
}
END_TEST

/* A position that is gone is the next one after it. */
START_TEST(resume_where_nothing_is)
{
	struct kernfs_node *kn = add_file(top, "notes");
	uint32_t pos = kernfs_name_hash("notes", NULL);

	add_file(top, "warn_count");
	add_file(top, "mm");
	kernfs_remove(kn);
	list_from(top, NULL, pos);
	ck_assert_uint_eq(all.nr, 1);
	ck_assert_str_eq(all.entry[0].name, "mm");
	list_from(top, NULL, 2);
	ck_assert_uint_eq(all.nr, 2);
	list_from(top, NULL, KERNFS_DIR_POS_END - 1);
	ck_assert_uint_eq(all.nr, 0);
}
END_TEST

/* --- what is not listed --- */

START_TEST(invisible_entries)
{
	unsigned int left = 0;

	add_many(top, 100);
	list(top);
	for (unsigned int i = 2; i < all.nr; i++) {
		struct kernfs_node *kn =
			kernfs_find_and_get(top, all.entry[i].name);
		/* the first, the last, and more than a batch in a row */
		bool hide = i < 50 || i % 3 == 0 || i == all.nr - 1;

		if (hide)
			kernfs_show(kn, false);
		left += !hide;
		kernfs_put(kn);
	}
	list(top);
	expect_consistent(left);
	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	kernfs_activate(top);
	add_many(top, 3);
	list(top);
	ck_assert_uint_eq(all.nr, 2);
	ck_assert_uint_eq(all.entry[1].next, INT_MAX);
}
END_TEST

/* Ranks count the invisible too, so that positions stay when they come. */
START_TEST(invisible_collisions)
{
	struct kernfs_node *kn[NR_COLLIDING];
	uint32_t hash = kernfs_name_hash(colliding_name(0), NULL);

	for (unsigned int i = 0; i < NR_COLLIDING; i++)
		kn[i] = add_file(top, colliding_name(i));
	kernfs_show(kn[0], false);
	kernfs_show(kn[5], false);
	list(top);
	expect_consistent(NR_COLLIDING - 2);
	ck_assert_uint_eq(all.entry[2].pos, UINT64_C(1) << 32 | hash);
	ck_assert_uint_eq(all.entry[6].pos, UINT64_C(6) << 32 | hash);
	list_from(top, NULL, UINT64_C(5) << 32 | hash);
	ck_assert_uint_eq(all.nr, NR_COLLIDING - 6);
	ck_assert_str_eq(all.entry[0].name, colliding_name(6));
}
END_TEST

static void expect_dots(void)
{
	ck_assert_uint_eq(all.nr, 2);
	ck_assert_str_eq(all.entry[0].name, ".");
	ck_assert_str_eq(all.entry[1].name, "..");
	ck_assert_uint_eq(all.entry[1].next, KERNFS_DIR_POS_END);
}

START_TEST(removed_directory)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *file = add_file(dir, "f");
	struct remover r;

	kernfs_get(dir);
	kernfs_get(file);
	ck_assert_ptr_nonnull(kernfs_get_active(file));
	remover_start(&r, dir, file);
	list(dir);
	expect_dots();
	kernfs_put_active(file);
	remover_join(&r);
	list(dir);
	expect_dots();
	kernfs_put(file);
	kernfs_put(dir);
}
END_TEST

START_TEST(tagged_directory)
{
	struct kernfs_node *dir = add_tagged(top, "d");
	struct kernfs_node *r = add_file_ns(dir, "eth0", &red);
	struct kernfs_node *b = add_file_ns(dir, "eth0", &blue);

	add_file_ns(dir, "lo", &red);
	list_from(dir, &red, 0);
	ck_assert_uint_eq(all.nr, 4);
	ck_assert_int_eq(times_listed("eth0"), 1);
	ck_assert_int_eq(times_listed("lo"), 1);
	ck_assert(all.entry[2].ino == kernfs_ino(r) ||
		  all.entry[3].ino == kernfs_ino(r));
	list_from(dir, &blue, 0);
	ck_assert_uint_eq(all.nr, 3);
	ck_assert_uint_eq(all.entry[2].ino, kernfs_ino(b));
	ck_assert_uint_eq(all.entry[2].pos, kernfs_name_hash("eth0", &blue));
	list_from(dir, NULL, 0);
	ck_assert_uint_eq(all.nr, 2);
	/* the mount's tag matters only where there are tags */
	list_from(top, &red, 0);
	ck_assert_uint_eq(all.nr, 3);
}
END_TEST

/* --- changes meanwhile --- */

/* The receiver works on the tree itself: nothing is locked while it does. */
static bool change_and_take(void *ctx, const struct kernfs_dirent *de)
{
	char name[24];

	if (de->pos > 1) {
		snprintf(name, sizeof(name), "new%u", all.nr);
		add_file(top, name);
		if (de->name[0] != 'n' && all.nr % 2)
			must(kernfs_remove_by_name(top, de->name) == 0);
	}
	return take(ctx, de);
}

START_TEST(receiver_changes_the_directory)
{
	char name[24];

	add_many(top, 200);
	all.nr = 0;
	all.max = MAX_LISTED / 2;
	ck_assert_int_eq(
		kernfs_fop_readdir(top, NULL, 0, change_and_take, &all), 0);
	for (unsigned int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "%u", i);
		must(times_listed(name) == 1);
	}
}
END_TEST

/* The directory itself goes while its names are handed out. */
static bool remove_and_take(void *ctx, const struct kernfs_dirent *de)
{
	if (de->pos == 1)
		must(kernfs_remove_by_name(top, "d") == 0);
	return take(ctx, de);
}

START_TEST(receiver_removes_the_directory)
{
	struct kernfs_node *dir = add_dir(top, "d");

	kernfs_get(dir);
	add_many(dir, 200);
	all.nr = 0;
	all.max = MAX_LISTED;
	ck_assert_int_eq(
		kernfs_fop_readdir(dir, NULL, 0, remove_and_take, &all), 0);
	/* what was copied before it went, and no more */
	ck_assert_uint_le(all.nr, 34);
	kernfs_put(dir);
}
END_TEST

/*
 * Those that stay are listed exactly once, those that come and go at most
 * once, and none that never was.
 */
#define NR_STABLE 150
#define NR_COMING 150

static bool stop;

static bool count(void *ctx, const struct kernfs_dirent *de)
{
	unsigned int *times = ctx, nr;

	if (de->pos <= 1)
		return true;
	must(sscanf(de->name + 1, "%u", &nr) == 1);
	must(de->name[0] == 's' ? nr < NR_STABLE : nr < NR_COMING);
	times[de->name[0] == 's' ? nr : NR_STABLE + nr]++;
	return true;
}

static void *lister_thread(void *arg)
{
	unsigned int *rounds = arg;

	do {
		unsigned int times[NR_STABLE + NR_COMING] = { 0 };

		must(kernfs_fop_readdir(top, NULL, 0, count, times) == 0);
		for (unsigned int i = 0; i < NR_STABLE; i++)
			must(times[i] == 1);
		for (unsigned int i = NR_STABLE; i < NR_OF(times); i++)
			must(times[i] <= 1);
		++*rounds;
	} while (!GET(stop));
	return NULL;
}

START_TEST(stable_entries_are_listed_once)
{
	uint64_t state = 3, end = now_ms() + 400;
	struct kernfs_node *coming[NR_COMING] = { NULL };
	unsigned int rounds[2] = { 0 };
	pthread_t id[2];
	char name[16];

	for (unsigned int i = 0; i < NR_STABLE; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		add_file(top, name);
	}
	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(lister_thread, &rounds[i]);
	while (now_ms() < end) {
		unsigned int i = random_below(&state, NR_COMING);

		snprintf(name, sizeof(name), "c%u", i);
		if (coming[i]) {
			kernfs_remove(coming[i]);
			coming[i] = NULL;
		} else {
			coming[i] = add_file(top, name);
		}
	}
	SET(stop, true);
	for (unsigned int i = 0; i < NR_OF(id); i++) {
		thread_join(id[i]);
		ck_assert_uint_gt(rounds[i], 0);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		empty_directory,
		entries,
		not_a_directory,
		many_entries,
		long_names,
		resume_at_every_position,
		resume_after_a_refusal,
		resume_where_nothing_is,
		invisible_entries,
		invisible_collisions,
		removed_directory,
		tagged_directory,
		receiver_changes_the_directory,
		receiver_removes_the_directory,
		stable_entries_are_listed_once,
	};

	return test_run("kernfs-dir", tests, NR_OF(tests), setup, teardown);
}
