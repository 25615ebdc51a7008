/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attributes: who may do what, what stat says, and who may change it. */
#include "test/unit/kernfs-fixture.h"

#define R KERNFS_MAY_READ
#define W KERNFS_MAY_WRITE
#define X KERNFS_MAY_EXEC

static struct kernfs_node *add_owned(const char *name, mode_t mode, uid_t uid,
				     gid_t gid)
{
	return ok_node(__kernfs_create_file(top, name, mode, uid, gid, 10,
					    &no_ops, NULL, NULL));
}

static struct kernfs_node *add_owned_dir(const char *name, mode_t mode,
					 uid_t uid, gid_t gid)
{
	return ok_node(kernfs_create_dir_ns(top, name, mode, uid, gid, NULL,
					    NULL));
}

/* --- permission --- */

/* The node is 10:20; what each of these may do to it follows from the mode. */
static const gid_t groups[] = { 7, 20, 9 };

static const struct kernfs_cred owner = { .fsuid = 10, .fsgid = 99 };
static const struct kernfs_cred owner_in_group = { .fsuid = 10, .fsgid = 20 };
static const struct kernfs_cred in_group = { .fsuid = 11, .fsgid = 20 };
static const struct kernfs_cred also_in_group = {
	.fsuid = 11, .fsgid = 99, .groups = groups, .nr_groups = 3
};
static const struct kernfs_cred cut_off_group = {
	.fsuid = 11, .fsgid = 99, .groups = groups, .nr_groups = 1
};
static const struct kernfs_cred other = { .fsuid = 11, .fsgid = 99 };
static const struct kernfs_cred override = {
	.fsuid = 11, .fsgid = 99, .cap_dac_override = true
};
static const struct kernfs_cred searcher = {
	.fsuid = 11, .fsgid = 99, .cap_dac_read_search = true
};
/* uid 0 alone is nobody */
static const struct kernfs_cred bare_root = { .fsuid = 0, .fsgid = 0 };

struct permission {
	mode_t mode;
	const struct kernfs_cred *cred;
	unsigned int may; /* mask bits that are granted, each alone */
};

static void expect_permission(struct kernfs_node *kn,
			      const struct permission *p, unsigned int nr)
{
	const struct kernfs_iattr chmod = { KERNFS_ATTR_MODE, .mode = p->mode };

	ck_assert_int_eq(kernfs_setattr(kn, &chmod), 0);
	for (int mask = 0; mask < 8; mask++) {
		int want = mask & ~(int)p->may ? -EACCES : 0;

		ck_assert_msg(kernfs_iop_permission(kn, p->cred, mask) == want,
			      "row %u, mask %d", nr, mask);
	}
}

START_TEST(file_permission)
{
	static const struct permission p[] = {
		{ 0640, &owner, R | W },
		{ 0640, &owner_in_group, R | W },
		{ 0640, &in_group, R },
		{ 0640, &also_in_group, R },
		{ 0640, &cut_off_group, 0 },
		{ 0640, &other, 0 },
		{ 0640, &bare_root, 0 },
		{ 0751, &owner, R | W | X },
		{ 0751, &in_group, R | X },
		{ 0751, &other, X },
		/* the first that fits counts, not the best */
		{ 0077, &owner, 0 },
		{ 0077, &owner_in_group, 0 },
		{ 0707, &in_group, 0 },
		{ 0707, &also_in_group, 0 },
		{ 0707, &other, R | W | X },
		{ 0077, &in_group, R | W | X },
		/* bits above do not matter */
		{ 07000, &owner, 0 },
		{ 07000, &other, 0 },
		/* override: all but executing what nobody may execute */
		{ 0000, &override, R | W },
		{ 0666, &override, R | W },
		{ 0100, &override, R | W | X },
		{ 0010, &override, R | W | X },
		{ 0001, &override, R | W | X },
	};
	struct kernfs_node *kn = add_owned("f", 0, 10, 20);

	for (unsigned int i = 0; i < NR_OF(p); i++)
		expect_permission(kn, &p[i], i);
}
END_TEST

START_TEST(directory_permission)
{
	static const struct permission p[] = {
		{ 0750, &owner, R | W | X },
		{ 0750, &in_group, R | X },
		{ 0750, &other, 0 },
		{ 0711, &other, X },
		/* a directory needs no x bit to be overridden */
		{ 0000, &override, R | W | X },
		{ 0000, &searcher, R | X },
		{ 0000, &bare_root, 0 },
	};
	struct kernfs_node *kn = add_owned_dir("d", 0, 10, 20);

	for (unsigned int i = 0; i < NR_OF(p); i++)
		expect_permission(kn, &p[i], i);
}
END_TEST

/* On files the capability to read and search gives reading, and reading only:
 * with anything else in the mask it gives nothing. */
START_TEST(searching_files)
{
	struct kernfs_node *kn = add_owned("f", 0000, 10, 20);

	ck_assert_int_eq(kernfs_iop_permission(kn, &searcher, R), 0);
	ck_assert_int_eq(kernfs_iop_permission(kn, &searcher, R | W), -EACCES);
	ck_assert_int_eq(kernfs_iop_permission(kn, &searcher, R | X), -EACCES);
	ck_assert_int_eq(kernfs_iop_permission(kn, &searcher, W), -EACCES);
	ck_assert_int_eq(kernfs_iop_permission(kn, &searcher, X), -EACCES);
	/* part of it from the bits does not help */
	kn = add_owned("g", 0002, 10, 20);
	ck_assert_int_eq(kernfs_iop_permission(kn, &searcher, W), 0);
	ck_assert_int_eq(kernfs_iop_permission(kn, &searcher, R | W), -EACCES);
}
END_TEST

START_TEST(root_cred)
{
	struct kernfs_node *kn = add_owned("f", 0000, 10, 20);

	ck_assert_int_eq(kernfs_iop_permission(kn, &kernfs_root_cred, R | W),
			 0);
	ck_assert_int_eq(kernfs_iop_permission(kn, &kernfs_root_cred, X),
			 -EACCES);
	ck_assert_int_eq(kernfs_iop_permission(top, &kernfs_root_cred,
					       R | W | X),
			 0);
	/* without a record a node is root's */
	kn = add_file(top, "roots");
	ck_assert_int_eq(kernfs_iop_permission(kn, &bare_root, R | W), 0);
	ck_assert_int_eq(kernfs_iop_permission(kn, &other, W), -EACCES);
}
END_TEST

/* --- stat --- */

START_TEST(stat_fields)
{
	struct kernfs_node *dir = add_owned_dir("d", 0711, 1, 2);
	struct kernfs_node *file = ok_node(__kernfs_create_file(
		dir, "f", 0640, 3, 4, INT64_C(1) << 40, &no_ops, NULL, NULL));
	struct kernfs_node *link = add_link(dir, "l", file);
	struct stat st = stat_of(file);

	ck_assert_uint_eq(st.st_ino, kernfs_ino(file));
	ck_assert_uint_eq(st.st_mode, S_IFREG | 0640);
	ck_assert_uint_eq(st.st_nlink, 1);
	ck_assert_uint_eq(st.st_uid, 3);
	ck_assert_uint_eq(st.st_gid, 4);
	ck_assert_int_eq(st.st_size, INT64_C(1) << 40);
	ck_assert_int_eq(st.st_blocks, 0);
	ck_assert_int_eq(st.st_blksize, 4096);
	ck_assert_uint_eq(st.st_rdev, 0);
	st = stat_of(dir);
	ck_assert_uint_eq(st.st_mode, S_IFDIR | 0711);
	ck_assert_uint_eq(st.st_nlink, 2);
	ck_assert_int_eq(st.st_size, 0);
	st = stat_of(link);
	ck_assert_uint_eq(st.st_mode, S_IFLNK | 0777);
	ck_assert_uint_eq(st.st_nlink, 1);
	ck_assert_int_eq(st.st_size, 0);
	ck_assert_uint_eq(st.st_uid, 3);
}
END_TEST

START_TEST(links_of_directories)
{
	struct kernfs_node *dir = add_dir(top, "d");

	ck_assert_uint_eq(stat_of(dir).st_nlink, 2);
	add_dir(dir, "a");
	add_dir(dir, "b");
	add_file(dir, "f");
	ck_assert_uint_eq(stat_of(dir).st_nlink, 4);
	kernfs_remove_by_name(dir, "a");
	ck_assert_uint_eq(stat_of(dir).st_nlink, 3);
}
END_TEST

/* A node that was never changed has the times of its inode. */
START_TEST(times_of_the_untouched)
{
	const struct kernfs_iattr chmod = { KERNFS_ATTR_MODE, .mode = 0600 };
	const struct timespec born = { 1234, 567 };
	struct kernfs_node *kn = add_file(top, "f");
	struct stat st = stat_of(kn);

	ck_assert_int_eq(st.st_mtim.tv_sec, 0);
	kernfs_iop_getattr(kn, &born, &st);
	ck_assert_mem_eq(&st.st_atim, &born, sizeof(born));
	ck_assert_mem_eq(&st.st_mtim, &born, sizeof(born));
	ck_assert_mem_eq(&st.st_ctim, &born, sizeof(born));
	ck_assert_ptr_null(kn->iattr);
	/* a record starts now, and then counts */
	ck_assert_int_eq(kernfs_setattr(kn, &chmod), 0);
	kernfs_iop_getattr(kn, &born, &st);
	ck_assert_int_gt(st.st_mtim.tv_sec, born.tv_sec);
	ck_assert_mem_eq(&st.st_atim, &st.st_mtim, sizeof(born));
	ck_assert_uint_eq(st.st_uid, 0);
	ck_assert_uint_eq(st.st_gid, 0);
}
END_TEST

START_TEST(removed_nodes_answer)
{
	const struct kernfs_iattr chown = { KERNFS_ATTR_UID, .uid = 8 };
	struct kernfs_node *kn = add_owned_dir("d", 0700, 10, 20);

	kernfs_get(kn);
	kernfs_remove(kn);
	ck_assert_int_eq(kernfs_iop_permission(kn, &owner, W), 0);
	ck_assert_int_eq(kernfs_setattr(kn, &chown), 0);
	ck_assert_uint_eq(stat_of(kn).st_uid, 8);
	ck_assert_uint_eq(stat_of(kn).st_nlink, 2);
	kernfs_put(kn);
}
END_TEST

/* --- changing --- */

START_TEST(fields_one_by_one)
{
	const struct kernfs_iattr want = {
		.mode = 04711, .uid = 5, .gid = 6, .atime = { 1, 2 },
		.mtime = { 3, 4 }, .ctime = { 5, 6 },
	};
	static const unsigned int valid[] = {
		KERNFS_ATTR_MODE,  KERNFS_ATTR_UID,   KERNFS_ATTR_GID,
		KERNFS_ATTR_ATIME, KERNFS_ATTR_MTIME, KERNFS_ATTR_CTIME,
	};

	for (unsigned int i = 0; i < NR_OF(valid); i++) {
		struct kernfs_node *kn = add_owned("f", 0644, 10, 20);
		struct kernfs_iattr attr = want;
		struct stat st;

		attr.valid = valid[i];
		ck_assert_int_eq(kernfs_setattr(kn, &attr), 0);
		st = stat_of(kn);
		ck_assert_uint_eq(st.st_mode, S_IFREG | (i == 0 ? 04711 : 0644));
		ck_assert_uint_eq(st.st_uid, i == 1 ? 5 : 10);
		ck_assert_uint_eq(st.st_gid, i == 2 ? 6 : 20);
		ck_assert(i == 3 ? st.st_atim.tv_sec == 1 &&
					   st.st_atim.tv_nsec == 2 :
				   st.st_atim.tv_sec > 1000);
		ck_assert(i == 4 ? st.st_mtim.tv_sec == 3 &&
					   st.st_mtim.tv_nsec == 4 :
				   st.st_mtim.tv_sec > 1000);
		ck_assert(i == 5 ? st.st_ctim.tv_sec == 5 &&
					   st.st_ctim.tv_nsec == 6 :
				   st.st_ctim.tv_sec > 1000);
		kernfs_remove(kn);
	}
}
END_TEST

START_TEST(all_mode_bits)
{
	const struct kernfs_iattr chmod = { KERNFS_ATTR_MODE,
					    .mode = S_IFSOCK | 07777 };
	struct kernfs_node *file = add_file(top, "f");
	struct kernfs_node *dir = add_dir(top, "d");

	ck_assert_int_eq(kernfs_setattr(file, &chmod), 0);
	ck_assert_int_eq(kernfs_setattr(dir, &chmod), 0);
	ck_assert_uint_eq(kernfs_mode(file), S_IFREG | 07777);
	ck_assert_uint_eq(kernfs_mode(dir), S_IFDIR | 07777);
}
END_TEST

/* truncate succeeds, and does nothing */
START_TEST(size_is_ignored)
{
	const struct kernfs_iattr truncate = { KERNFS_ATTR_SIZE, .mode = 0 };
	struct kernfs_node *kn = add_owned("f", 0644, 10, 20);
	struct stat before = stat_of(kn), after;

	ck_assert_int_eq(kernfs_setattr(kn, &truncate), 0);
	ck_assert_int_eq(kernfs_iop_setattr(kn, &other, &truncate), 0);
	after = stat_of(kn);
	ck_assert_mem_eq(&after, &before, sizeof(before));
}
END_TEST

/* --- changing on behalf of somebody --- */

static const struct kernfs_cred chowner = { .fsuid = 11, .cap_chown = true };
static const struct kernfs_cred fowner = { .fsuid = 11, .cap_fowner = true };
static const struct kernfs_cred owner_groups = {
	.fsuid = 10, .fsgid = 8, .groups = groups, .nr_groups = 3
};

struct change {
	const struct kernfs_cred *cred;
	struct kernfs_iattr attr;
	int err;
};

START_TEST(who_may_change)
{
	static const struct change c[] = {
		{ &owner, { KERNFS_ATTR_MODE, .mode = 0600 }, 0 },
		{ &fowner, { KERNFS_ATTR_MODE, .mode = 0600 }, 0 },
		{ &chowner, { KERNFS_ATTR_MODE, .mode = 0600 }, -EPERM },
		{ &in_group, { KERNFS_ATTR_MODE, .mode = 0600 }, -EPERM },
		{ &bare_root, { KERNFS_ATTR_MODE, .mode = 0600 }, -EPERM },
		{ &override, { KERNFS_ATTR_MODE, .mode = 0600 }, -EPERM },
		{ &owner, { KERNFS_ATTR_ATIME, .mode = 0 }, 0 },
		{ &other, { KERNFS_ATTR_ATIME, .mode = 0 }, -EPERM },
		{ &fowner, { KERNFS_ATTR_ATIME, .mode = 0 }, 0 },
		{ &owner, { KERNFS_ATTR_MTIME, .mode = 0 }, 0 },
		{ &other, { KERNFS_ATTR_MTIME, .mode = 0 }, -EPERM },
		{ &fowner, { KERNFS_ATTR_MTIME, .mode = 0 }, 0 },
		{ &other, { KERNFS_ATTR_SIZE, .mode = 0 }, 0 },
		/* owners change nothing by naming themselves */
		{ &owner, { KERNFS_ATTR_UID, .uid = 10 }, 0 },
		{ &owner, { KERNFS_ATTR_UID, .uid = 11 }, -EPERM },
		{ &fowner, { KERNFS_ATTR_UID, .uid = 11 }, -EPERM },
		{ &other, { KERNFS_ATTR_UID, .uid = 10 }, -EPERM },
		{ &chowner, { KERNFS_ATTR_UID, .uid = 11 }, 0 },
		{ &chowner, { KERNFS_ATTR_UID, .uid = 0 }, 0 },
		/* the group: to one of the owner's */
		{ &owner, { KERNFS_ATTR_GID, .gid = 20 }, 0 },
		{ &owner, { KERNFS_ATTR_GID, .gid = 99 }, 0 },
		{ &owner, { KERNFS_ATTR_GID, .gid = 7 }, -EPERM },
		{ &owner_groups, { KERNFS_ATTR_GID, .gid = 7 }, 0 },
		{ &owner_groups, { KERNFS_ATTR_GID, .gid = 8 }, 0 },
		{ &owner_groups, { KERNFS_ATTR_GID, .gid = 6 }, -EPERM },
		{ &in_group, { KERNFS_ATTR_GID, .gid = 20 }, -EPERM },
		{ &also_in_group, { KERNFS_ATTR_GID, .gid = 7 }, -EPERM },
		{ &fowner, { KERNFS_ATTR_GID, .gid = 7 }, -EPERM },
		{ &chowner, { KERNFS_ATTR_GID, .gid = 12345 }, 0 },
		/* all or nothing */
		{ &owner,
		  { KERNFS_ATTR_MODE | KERNFS_ATTR_UID, .mode = 0600,
		    .uid = 11 },
		  -EPERM },
		{ &chowner,
		  { KERNFS_ATTR_MODE | KERNFS_ATTR_UID, .mode = 0600,
		    .uid = 11 },
		  -EPERM },
	};

	for (unsigned int i = 0; i < NR_OF(c); i++) {
		struct kernfs_node *kn = add_owned("f", 0644, 10, 20);
		struct stat before = stat_of(kn), st;

		ck_assert_msg(kernfs_iop_setattr(kn, c[i].cred, &c[i].attr) ==
				      c[i].err,
			      "row %u", i);
		st = stat_of(kn);
		if (c[i].err)
			ck_assert_mem_eq(&st, &before, sizeof(st));
		if (!c[i].err && c[i].attr.valid & KERNFS_ATTR_MODE)
			ck_assert_uint_eq(st.st_mode & 07777, c[i].attr.mode);
		if (!c[i].err && c[i].attr.valid & KERNFS_ATTR_UID)
			ck_assert_uint_eq(st.st_uid, c[i].attr.uid);
		if (!c[i].err && c[i].attr.valid & KERNFS_ATTR_GID)
			ck_assert_uint_eq(st.st_gid, c[i].attr.gid);
		kernfs_remove(kn);
	}
}
END_TEST

/* chmod by one outside the file's group leaves no setgid bit. */
START_TEST(setgid_bit)
{
	const struct kernfs_iattr chmod = { KERNFS_ATTR_MODE, .mode = 06755 };
	const struct kernfs_iattr both = { KERNFS_ATTR_MODE | KERNFS_ATTR_GID,
					   .mode = 06755, .gid = 7 };
	const struct kernfs_cred fsetid = { .fsuid = 10, .cap_fsetid = true };
	struct kernfs_node *kn = add_owned("f", 0644, 10, 20);

	ck_assert_int_eq(kernfs_iop_setattr(kn, &owner, &chmod), 0);
	ck_assert_uint_eq(kernfs_mode(kn), S_IFREG | 04755);
	ck_assert_int_eq(kernfs_iop_setattr(kn, &owner_in_group, &chmod), 0);
	ck_assert_uint_eq(kernfs_mode(kn), S_IFREG | 06755);
	ck_assert_int_eq(kernfs_iop_setattr(kn, &owner, &chmod), 0);
	ck_assert_int_eq(kernfs_iop_setattr(kn, &fsetid, &chmod), 0);
	ck_assert_uint_eq(kernfs_mode(kn), S_IFREG | 06755);
	/* the group it gets counts, not the one it had */
	ck_assert_int_eq(kernfs_iop_setattr(kn, &owner_groups, &both), 0);
	ck_assert_uint_eq(kernfs_mode(kn), S_IFREG | 06755);
	ck_assert_int_eq(kernfs_iop_setattr(kn, &owner_in_group, &chmod), 0);
	ck_assert_uint_eq(kernfs_mode(kn), S_IFREG | 04755);
	/* and the library itself stores what it is told */
	ck_assert_int_eq(kernfs_setattr(kn, &chmod), 0);
	ck_assert_uint_eq(kernfs_mode(kn), S_IFREG | 06755);
}
END_TEST

START_TEST(ctime_moves)
{
	struct kernfs_iattr attr = { KERNFS_ATTR_CTIME, .ctime = { 1, 0 } };
	struct kernfs_node *kn = add_owned("f", 0644, 10, 20);

	ck_assert_int_eq(kernfs_setattr(kn, &attr), 0);
	/* not by itself */
	attr = (struct kernfs_iattr){ KERNFS_ATTR_MODE, .mode = 0600 };
	ck_assert_int_eq(kernfs_setattr(kn, &attr), 0);
	ck_assert_int_eq(stat_of(kn).st_ctim.tv_sec, 1);
	/* but for a caller */
	ck_assert_int_eq(kernfs_iop_setattr(kn, &owner, &attr), 0);
	ck_assert_int_gt(stat_of(kn).st_ctim.tv_sec, 1000);
	/* who may say when */
	attr.valid |= KERNFS_ATTR_CTIME;
	attr.ctime.tv_sec = 2;
	ck_assert_int_eq(kernfs_iop_setattr(kn, &owner, &attr), 0);
	ck_assert_int_eq(stat_of(kn).st_ctim.tv_sec, 2);
}
END_TEST

/* --- threads --- */

/* All fields of one call or none of them: owner, group, bits and times. */
static bool stop;

static void *stat_thread(void *kn_)
{
	struct kernfs_node *kn = kn_;

	while (!GET(stop)) {
		struct stat st = stat_of(kn);

		must(st.st_uid == st.st_gid);
		must((st.st_mode & 07777) == st.st_uid);
		must((uid_t)st.st_mtim.tv_sec == st.st_uid);
		must((uid_t)st.st_mtim.tv_nsec == st.st_uid);
		must((uid_t)st.st_ctim.tv_sec == st.st_uid);
	}
	return NULL;
}

static void set_all(struct kernfs_node *kn, unsigned int v)
{
	const struct kernfs_iattr attr = {
		.valid = KERNFS_ATTR_MODE | KERNFS_ATTR_UID | KERNFS_ATTR_GID |
			 KERNFS_ATTR_MTIME | KERNFS_ATTR_CTIME,
		.mode = v, .uid = v, .gid = v, .mtime = { v, v },
		.ctime = { v, v },
	};

	must(kernfs_setattr(kn, &attr) == 0);
}

START_TEST(stat_is_of_one_moment)
{
	struct kernfs_node *kn = add_file(top, "f");
	uint64_t end = now_ms() + 300;
	pthread_t id[2];

	set_all(kn, 0);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(stat_thread, kn);
	for (unsigned int v = 0; now_ms() < end; v = (v + 1) % 07777)
		set_all(kn, v);
	SET(stop, true);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		thread_join(id[i]);
}
END_TEST

/* Mode and owner are checked together: at no moment may this caller write. */
static void *access_thread(void *kn)
{
	while (!GET(stop))
		must(kernfs_iop_permission(kn, &owner, W) == -EACCES);
	return NULL;
}

START_TEST(permission_is_of_one_moment)
{
	const struct kernfs_iattr theirs = { KERNFS_ATTR_MODE | KERNFS_ATTR_UID,
					     .mode = 0644, .uid = 11 };
	const struct kernfs_iattr mine = { KERNFS_ATTR_MODE | KERNFS_ATTR_UID,
					   .mode = 0444, .uid = 10 };
	struct kernfs_node *kn = add_owned("f", 0444, 10, 20);
	uint64_t end = now_ms() + 300;
	pthread_t id[2];

	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(access_thread, kn);
	while (now_ms() < end) {
		must(kernfs_setattr(kn, &theirs) == 0);
		must(kernfs_setattr(kn, &mine) == 0);
	}
	SET(stop, true);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		thread_join(id[i]);
}
END_TEST

/* The first change makes the record: its defaults are not seen before. */
static void *first_change_thread(void *list_)
{
	struct kernfs_node **list = list_;

	for (unsigned int i = 0; list[i]; i++) {
		struct stat st;

		do {
			st = stat_of(list[i]);
			must(!st.st_uid == !st.st_mtim.tv_sec);
		} while (!st.st_uid);
	}
	return NULL;
}

START_TEST(first_change_is_whole)
{
	struct kernfs_node *list[3001] = { NULL };
	char name[16];
	pthread_t id;

	for (unsigned int i = 0; i + 1 < NR_OF(list); i++) {
		snprintf(name, sizeof(name), "%u", i);
		list[i] = add_file(top, name);
	}
	id = thread_start(first_change_thread, list);
	for (unsigned int i = 0; list[i]; i++)
		set_all(list[i], 1);
	thread_join(id);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		file_permission,
		directory_permission,
		searching_files,
		root_cred,
		stat_fields,
		links_of_directories,
		times_of_the_untouched,
		removed_nodes_answer,
		fields_one_by_one,
		all_mode_bits,
		size_is_ignored,
		who_may_change,
		setgid_bit,
		ctime_moves,
		stat_is_of_one_moment,
		permission_is_of_one_moment,
		first_change_is_whole,
	};

	return test_run("kernfs-attr", tests, NR_OF(tests), setup, teardown);
}
