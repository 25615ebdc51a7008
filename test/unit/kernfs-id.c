/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding nodes by their ids, while they come and go. */
#include "test/unit/kernfs-fixture.h"

static bool found(uint64_t id)
{
	struct kernfs_node *kn = kernfs_find_and_get_node_by_id(root, id);

	if (!kn)
		return false;
	must(kernfs_id(kn) == id);
	kernfs_put(kn);
	return true;
}

START_TEST(present_and_absent)
{
	struct kernfs_node *dir = add_dir(top, "d"), *kn;

	ck_assert(found(1));
	ck_assert(found(kernfs_id(dir)));
	ck_assert(found(kernfs_id(add_file(dir, "f"))));
	ck_assert(found(kernfs_id(add_link(dir, "l", dir))));
	ck_assert(!found(0));
	ck_assert(!found(1000));
	/* another generation is another node */
	ck_assert(!found(kernfs_id(dir) | UINT64_C(1) << 32));
	kn = kernfs_find_and_get_node_by_id(root, kernfs_id(dir));
	ck_assert_ptr_eq(kn, dir);
	kernfs_put(kn);
}
END_TEST

START_TEST(only_active_ones)
{
	struct kernfs_node *kn, *file;
	uint64_t id;

	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	kn = add_dir(top, "d");
	file = add_file(kn, "f");
	id = kernfs_id(file);
	ck_assert(!found(1));
	ck_assert(!found(id));
	kernfs_activate(top);
	ck_assert(found(1));
	ck_assert(found(id));
	kernfs_show(file, false);
	ck_assert(!found(id));
	kernfs_show(file, true);
	ck_assert(found(id));
	/* wherever it is, whatever its name */
	ck_assert_int_eq(kernfs_rename(file, top, "g"), 0);
	ck_assert(found(id));
	kernfs_get(file);
	kernfs_remove(file);
	ck_assert(!found(id));
	kernfs_put(file);
	ck_assert(!found(id));
	kn = add_file(top, "g");
	ck_assert_uint_ne(kernfs_id(kn), id);
	ck_assert(!found(id));
}
END_TEST

START_TEST(being_removed)
{
	struct kernfs_node *kn = add_file(top, "f");
	struct remover r;

	ck_assert_ptr_nonnull(kernfs_get_active(kn));
	remover_start(&r, kn, kn);
	ck_assert(!found(kernfs_id(kn)));
	kernfs_put_active(kn);
	remover_join(&r);
}
END_TEST

/* What failed to be created leaves no id behind. */
START_TEST(failed_creation)
{
	uint64_t next = kernfs_id(add_file(top, "f")) + 1;

	ck_assert(IS_ERR(try_file(top, "f", NULL)));
	ck_assert(!found(next));
	ck_assert_uint_eq(kernfs_id(add_file(top, "g")), next + 1);
}
END_TEST

#define MANY 5000

START_TEST(many)
{
	char name[16];

	for (unsigned int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%u", i);
		must(kernfs_id(add_file(top, name)) == i + 2);
	}
	for (unsigned int i = 0; i < MANY; i += 3) {
		snprintf(name, sizeof(name), "%u", i);
		must(kernfs_remove_by_name(top, name) == 0);
	}
	for (unsigned int i = 0; i < MANY; i++)
		must(found(i + 2) == (i % 3 != 0));
}
END_TEST

/* --- at once --- */

#define STABLE 100

static bool over;

static void *come_and_go(void *arg)
{
	uint64_t *last = arg;
	char name[32];

	snprintf(name, sizeof(name), "%p", arg);
	while (!GET(over)) {
		SET(*last, kernfs_id(add_file(top, name)));
		must(kernfs_remove_by_name(top, name) == 0);
		must(!found(*last));
	}
	return NULL;
}

static void *look(void *arg)
{
	uint64_t *last = arg;

	for (unsigned int i = 0; !GET(over); i++) {
		/* may be there or not, but it is what it says */
		found(GET(*last));
		found(GET(*last) + i % 3);
		must(found(2 + i % STABLE));
	}
	return NULL;
}

START_TEST(while_they_come_and_go)
{
	uint64_t last[2] = { 1, 1 };
	char name[16];
	pthread_t id[4];

	for (unsigned int i = 0; i < STABLE; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		add_file(top, name);
	}
	for (unsigned int i = 0; i < 2; i++) {
		id[i] = thread_start(come_and_go, &last[i]);
		id[i + 2] = thread_start(look, &last[i]);
	}
	usleep(300000);
	SET(over, true);
	for (unsigned int i = 0; i < 4; i++)
		thread_join(id[i]);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		present_and_absent,
		only_active_ones,
		being_removed,
		failed_creation,
		many,
		while_they_come_and_go,
	};

	return test_run("kernfs-id", tests, NR_OF(tests), setup, teardown);
}
