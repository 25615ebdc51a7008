/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text attributes: whole values, pages, modes, self removal, printing. */
#include "test/unit/sysfs-fixture.h"

#include <sys/epoll.h>

static struct attribute rw = { .name = "rw", .mode = 0644 };
static struct attribute ro = { .name = "ro", .mode = 0444 };
static struct attribute wo = { .name = "wo", .mode = 0200 };

static void create(const struct attribute *attr)
{
	ck_assert_int_eq(sysfs_create_file(&obj, attr), 0);
}

START_TEST(shows_and_stores)
{
	create(&rw);
	expect_mode("obj/rw", 0644);
	ck_assert_int_eq(stat_at("obj/rw").st_size, 4096);
	expect_content("obj/rw", "value\n");
	ck_assert_ptr_eq(seen.kobj, &obj);
	ck_assert_ptr_eq(seen.attr, &rw);
	/* the offset does not matter to a store */
	ck_assert_int_eq(write_at("obj/rw", "new\n", 4, 50), 4);
	ck_assert_str_eq(seen.stored, "new\n");
	ck_assert_uint_eq(seen.count, 4);
	ck_assert_int_eq(write_at("obj/rw", "", 0, 0), 0);
	ck_assert_uint_eq(seen.stores, 1);
}
END_TEST

START_TEST(short_reads_see_one_value)
{
	struct kernfs_open_file *of;

	create(&ro);
	of = open_at("obj/ro", O_RDONLY);
	expect_read(of, 2, 0, "va");
	seen.value = "other\n";
	expect_read(of, 10, 2, "lue\n");
	expect_read(of, 10, 6, "");
	expect_read(of, 10, 0, "other\n");
	kernfs_fop_release(of);
}
END_TEST

START_TEST(results_pass_through)
{
	char buf[KERNFS_PAGE_SIZE];

	create(&rw);
	seen.result = -EBUSY;
	ck_assert_int_eq(read_at("obj/rw", buf, 0), -EBUSY);
	ck_assert_int_eq(write_at("obj/rw", "12", 2, 0), -EBUSY);
	seen.result = 1;
	ck_assert_int_eq(write_at("obj/rw", "12", 2, 0), 1);
	ck_assert_uint_eq(nr_said, 0);
}
END_TEST

START_TEST(a_page_is_the_limit)
{
	char page[2 * KERNFS_PAGE_SIZE];

	create(&rw);
	memset(page, 'x', sizeof(page));
	ck_assert_int_eq(write_at("obj/rw", page, sizeof(page), 0), 4096);
	ck_assert_uint_eq(seen.count, 4096);
	ck_assert_int_eq(seen.stored[4096], '\0');
	/* a show that claims too much is cut */
	seen.result = KERNFS_PAGE_SIZE;
	ck_assert_int_eq(read_at("obj/rw", page, 0), 4095);
	expect_said(1, "show of 'rw' claims 4096 bytes, a page or more");
	seen.result = KERNFS_PAGE_SIZE - 1;
	ck_assert_int_eq(read_at("obj/rw", page, 0), 4095);
	ck_assert_uint_eq(nr_said, 1);
	/* what show did not write is zero */
	ck_assert_int_eq(page[0], '\0');
	ck_assert_int_eq(page[4094], '\0');
}
END_TEST

/* --- what a file can do follows from the callbacks --- */

static const struct sysfs_ops show_only = { .show = fixture_show };
static const struct sysfs_ops store_only = { .store = fixture_store };
static const struct sysfs_ops neither;

static void retype(const struct sysfs_ops *ops)
{
	static struct kobj_type ktype;

	ktype.sysfs_ops = ops;
	obj.ktype = &ktype;
}

START_TEST(callbacks_decide)
{
	retype(&show_only);
	create(&rw);
	expect_open("obj/rw", O_RDONLY, 0);
	expect_open("obj/rw", O_WRONLY, -EACCES);
	sysfs_remove_file(&obj, &rw);
	retype(&store_only);
	create(&rw);
	expect_open("obj/rw", O_RDONLY, -EACCES);
	expect_open("obj/rw", O_WRONLY, 0);
	sysfs_remove_file(&obj, &rw);
	retype(&neither);
	create(&rw);
	expect_open("obj/rw", O_RDONLY, -EACCES);
	expect_open("obj/rw", O_WRONLY, -EACCES);
}
END_TEST

START_TEST(modes_bind_everybody)
{
	create(&ro);
	create(&wo);
	expect_open("obj/ro", O_RDONLY, 0);
	expect_open("obj/ro", O_WRONLY, -EACCES);
	expect_open("obj/wo", O_RDONLY, -EACCES);
	expect_open("obj/wo", O_WRONLY, 0);
}
END_TEST

START_TEST(refusals)
{
	struct kobject bare = { .name = "bare", .ktype = &fixture_ktype };

	create(&rw);
	ck_assert_int_eq(sysfs_create_file(&obj, &rw), -EEXIST);
	expect_said(1, "cannot create duplicate filename '/obj/rw'");
	ck_assert_int_eq(sysfs_create_file(NULL, &ro), -EINVAL);
	ck_assert_int_eq(sysfs_create_file(&bare, &ro), -EINVAL);
	ck_assert_int_eq(sysfs_create_file(&obj, NULL), -EINVAL);
	obj.ktype = NULL;
	ck_assert_int_eq(sysfs_create_file(&obj, &ro), -EINVAL);
	ck_assert_str_eq(said, "object 'obj' has no sysfs_ops for 'ro'");
	expect_absent("obj/ro");
}
END_TEST

START_TEST(duplicate_at_the_top)
{
	struct attribute attr = { .name = "obj", .mode = 0444 };

	ck_assert_int_eq(sysfs_create_file(&top, &attr), -EEXIST);
	expect_said(1, "cannot create duplicate filename '/obj'");
}
END_TEST

START_TEST(all_or_none)
{
	const struct attribute *const attrs[] = { &rw, &ro, &wo, NULL };
	const struct attribute *const none[] = { NULL };

	ck_assert_int_eq(sysfs_create_files(&obj, none), 0);
	ck_assert_int_eq(sysfs_create_files(&obj, attrs), 0);
	expect_there("obj/wo");
	sysfs_remove_files(&obj, attrs);
	expect_absent("obj/rw");
	create(&wo);
	ck_assert_int_eq(sysfs_create_files(&obj, attrs), -EEXIST);
	expect_absent("obj/rw");
	expect_absent("obj/ro");
	/* which was there before stays */
	expect_there("obj/wo");
	sysfs_remove_files(&obj, attrs);
	expect_absent("obj/wo");
}
END_TEST

START_TEST(chmod_keeps_the_type)
{
	create(&rw);
	ck_assert_int_eq(sysfs_chmod_file(&obj, &rw, 0400), 0);
	ck_assert_uint_eq(stat_at("obj/rw").st_mode, S_IFREG | 0400);
	expect_open("obj/rw", O_WRONLY, -EACCES);
	ck_assert_int_eq(sysfs_chmod_file(&obj, &ro, 0400), -ENOENT);
}
END_TEST

/* --- preallocated --- */

START_TEST(prealloc_shows_at_every_read)
{
	struct attribute attr = { "pre", SYSFS_PREALLOC | 0644 };
	struct kernfs_open_file *of;

	create(&attr);
	expect_mode("obj/pre", 0644);
	of = open_at("obj/pre", O_RDWR);
	expect_read(of, 2, 0, "va");
	seen.value = "other\n";
	expect_read(of, 3, 2, "her");
	expect_read(of, 10, 6, "");
	expect_read(of, 10, 100, "");
	ck_assert_uint_eq(seen.shows, 4);
	ck_assert_int_eq(kernfs_fop_write(of, "12", 2, 9), 2);
	ck_assert_str_eq(seen.stored, "12");
	kernfs_fop_release(of);
}
END_TEST

/* --- groups of others --- */

START_TEST(file_in_a_group)
{
	struct attribute *attrs[] = { &ro, NULL };
	const struct attribute_group grp = { .name = "g", .attrs = attrs };

	ck_assert_int_eq(sysfs_add_file_to_group(&obj, &rw, "g"), -ENOENT);
	ck_assert_int_eq(sysfs_create_group(&obj, &grp), 0);
	ck_assert_int_eq(sysfs_add_file_to_group(&obj, &rw, "g"), 0);
	expect_content("obj/g/rw", "value\n");
	ck_assert_ptr_eq(seen.kobj, &obj);
	sysfs_remove_file_from_group(&obj, &rw, "g");
	expect_absent("obj/g/rw");
	sysfs_remove_file_from_group(&obj, &rw, "absent");
	ck_assert_int_eq(sysfs_add_file_to_group(&obj, &rw, NULL), 0);
	expect_there("obj/rw");
	sysfs_remove_file_from_group(&obj, &rw, NULL);
	expect_absent("obj/rw");
}
END_TEST

/* --- notification --- */

#define NO_NEWS ((unsigned int)(EPOLLIN | EPOLLOUT | EPOLLRDNORM | EPOLLWRNORM))
#define NEWS (NO_NEWS | (unsigned int)(EPOLLERR | EPOLLPRI))

/* A store that tells who waits. */
static ssize_t telling_store(struct kobject *kobj, struct attribute *attr,
			     const char *buf, size_t count)
{
	(void)buf;
	sysfs_notify(kobj, NULL, attr->name);
	return (ssize_t)count;
}

static const struct sysfs_ops telling_ops = {
	.show = fixture_show,
	.store = telling_store,
};

START_TEST(notifies)
{
	struct attribute *attrs[] = { &rw, NULL };
	const struct attribute_group grp = { .name = "g", .attrs = attrs };
	struct kernfs_open_file *of, *in_group;
	struct kobject bare = { .name = "bare" };

	retype(&telling_ops);
	create(&rw);
	ck_assert_int_eq(sysfs_create_group(&obj, &grp), 0);
	of = open_at("obj/rw", O_RDWR);
	in_group = open_at("obj/g/rw", O_RDWR);
	ck_assert_uint_eq(kernfs_fop_poll(of, NULL), NEWS);
	expect_read(of, 10, 0, "value\n");
	expect_read(in_group, 10, 0, "value\n");
	ck_assert_uint_eq(kernfs_fop_poll(of, NULL), NO_NEWS);
	sysfs_notify(&obj, "g", "rw");
	ck_assert_uint_eq(kernfs_fop_poll(of, NULL), NO_NEWS);
	ck_assert_uint_eq(kernfs_fop_poll(in_group, NULL), NEWS);
	/* from the file's own callback */
	ck_assert_int_eq(kernfs_fop_write(of, "1", 1, 0), 1);
	ck_assert_uint_eq(kernfs_fop_poll(of, NULL), NEWS);
	expect_read(of, 10, 0, "value\n");
	sysfs_notify_dirent(at("obj/rw"));
	ck_assert_uint_eq(kernfs_fop_poll(of, NULL), NEWS);
	/* nobody there */
	sysfs_notify(&obj, NULL, "none");
	sysfs_notify(&obj, "none", "rw");
	sysfs_notify(&bare, NULL, "rw");
	ck_assert_uint_eq(nr_said, 0);
	kernfs_fop_release(of);
	kernfs_fop_release(in_group);
}
END_TEST

/* --- printing --- */

START_TEST(emit_stays_on_the_page)
{
	static char page[2 * KERNFS_PAGE_SIZE]
		__attribute__((aligned(KERNFS_PAGE_SIZE)));
	char text[KERNFS_PAGE_SIZE + 10];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	page[KERNFS_PAGE_SIZE] = '#';
	ck_assert_int_eq(sysfs_emit(page, "%d\n", 42), 3);
	ck_assert_str_eq(page, "42\n");
	ck_assert_int_eq(sysfs_emit_at(page, 3, "%s", "more"), 4);
	ck_assert_str_eq(page, "42\nmore");
	ck_assert_int_eq(sysfs_emit(page, "%s", text), 4095);
	ck_assert_uint_eq(strlen(page), 4095);
	ck_assert_int_eq(sysfs_emit_at(page, 4090, "%s", text), 5);
	ck_assert_int_eq(sysfs_emit_at(page, 4095, "%s", text), 0);
	ck_assert_int_eq(page[KERNFS_PAGE_SIZE], '#');
	ck_assert_uint_eq(nr_said, 0);
}
END_TEST

START_TEST(emit_refuses)
{
	static char page[KERNFS_PAGE_SIZE]
		__attribute__((aligned(KERNFS_PAGE_SIZE)));

	page[1] = '#';
	ck_assert_int_eq(sysfs_emit(page + 1, "x"), 0);
	ck_assert_int_eq(sysfs_emit(NULL, "x"), 0);
	ck_assert_int_eq(sysfs_emit_at(page + 1, 0, "x"), 0);
	ck_assert_int_eq(sysfs_emit_at(page, -1, "x"), 0);
	ck_assert_int_eq(sysfs_emit_at(page, 4096, "x"), 0);
	ck_assert_int_eq(page[1], '#');
	ck_assert_uint_gt(nr_said, 0);
}
END_TEST

/* --- removal --- */

static struct attribute suicidal = { .name = "delete", .mode = 0200 };
static unsigned int winners;

static ssize_t delete_store(struct kobject *kobj, struct attribute *attr,
			    const char *buf, size_t count)
{
	(void)buf;
	if (sysfs_remove_file_self(kobj, attr))
		ADD(winners, 1);
	return (ssize_t)count;
}

static const struct sysfs_ops delete_ops = { .store = delete_store };

static void *delete_thread(void *of)
{
	ssize_t ret = kernfs_fop_write(of, "1", 1, 0);

	/* too late to get in, or among those that raced */
	must(ret == 1 || ret == -ENODEV);
	return NULL;
}

START_TEST(removes_itself_once)
{
	struct kernfs_open_file *of[4];
	pthread_t id[4];

	retype(&delete_ops);
	for (unsigned int round = 0; round < 20; round++) {
		winners = 0;
		create(&suicidal);
		for (unsigned int i = 0; i < NR_OF(of); i++)
			of[i] = open_at("obj/delete", O_WRONLY);
		for (unsigned int i = 0; i < NR_OF(of); i++)
			id[i] = thread_start(delete_thread, of[i]);
		for (unsigned int i = 0; i < NR_OF(of); i++) {
			thread_join(id[i]);
			kernfs_fop_release(of[i]);
		}
		ck_assert_uint_eq(winners, 1);
		expect_absent("obj/delete");
	}
	ck_assert(!sysfs_remove_file_self(&obj, &suicidal));
}
END_TEST

/* A store that takes its own object out of sysfs. */
static ssize_t unplug_store(struct kobject *kobj, struct attribute *attr,
			    const char *buf, size_t count)
{
	struct kernfs_node *kn = sysfs_break_active_protection(kobj, attr);

	(void)buf;
	must(kn);
	sysfs_remove_dir(kobj);
	must(!sysfs_break_active_protection(kobj, attr));
	sysfs_unbreak_active_protection(kn);
	return (ssize_t)count;
}

static const struct sysfs_ops unplug_ops = { .store = unplug_store };

START_TEST(breaks_protection)
{
	struct kernfs_open_file *of;

	retype(&unplug_ops);
	create(&wo);
	of = open_at("obj/wo", O_WRONLY);
	ck_assert_int_eq(kernfs_fop_write(of, "1", 1, 0), 1);
	ck_assert_ptr_null(obj.sd);
	expect_absent("obj");
	ck_assert_int_eq(kernfs_fop_write(of, "1", 1, 0), -ENODEV);
	kernfs_fop_release(of);
}
END_TEST

static bool inside, go_on, object_gone;

static ssize_t slow_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	(void)attr;
	SET(inside, true);
	wait_until(GET(go_on));
	must(!GET(object_gone));
	return sysfs_emit(buf, "%s\n", kobj->name);
}

static const struct sysfs_ops slow_ops = { .show = slow_show };

static void *slow_thread(void *of)
{
	char buf[8];

	must(kernfs_fop_read(of, buf, sizeof(buf), 0) == 4);
	return NULL;
}

static void *remove_thread(void *kobj)
{
	sysfs_remove_dir(kobj);
	SET(object_gone, true);
	return NULL;
}

/* An object outlives the callbacks that have it. */
START_TEST(removal_waits_for_callbacks)
{
	struct kernfs_open_file *of;
	pthread_t reader, remover;

	retype(&slow_ops);
	create(&ro);
	of = open_at("obj/ro", O_RDONLY);
	reader = thread_start(slow_thread, of);
	wait_until(GET(inside));
	remover = thread_start(remove_thread, &obj);
	give_it_time();
	ck_assert(!GET(object_gone));
	SET(go_on, true);
	thread_join(reader);
	thread_join(remover);
	kernfs_fop_release(of);
}
END_TEST

/* A directory that is gone takes its files along. */
START_TEST(removal_after_the_directory)
{
	create(&rw);
	sysfs_remove_dir(&obj);
	sysfs_remove_file(&obj, &rw);
	sysfs_remove_dir(&obj);
	ck_assert_uint_eq(nr_said, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		shows_and_stores,
		short_reads_see_one_value,
		results_pass_through,
		a_page_is_the_limit,
		callbacks_decide,
		modes_bind_everybody,
		refusals,
		duplicate_at_the_top,
		all_or_none,
		chmod_keeps_the_type,
		prealloc_shows_at_every_read,
		file_in_a_group,
		notifies,
		emit_stays_on_the_page,
		emit_refuses,
		removes_itself_once,
		breaks_protection,
		removal_waits_for_callbacks,
		removal_after_the_directory,
	};

	return test_run("sysfs-file", tests, NR_OF(tests), setup, teardown);
}
