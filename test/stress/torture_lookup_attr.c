/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Owner, mode and times are changed together, to values that carry one tag; a
 * reader that sees two tags has seen half of a change.
 *
 * The modes are such that user BASE_ID may do nothing under any one tag: as
 * owner under tag 0, whose mode excludes the owner, as another user under the
 * others, whose modes exclude everybody else. Under a mixture it may.
 */
#include "torture_lookup.h"

#define NR_TAGGED 4
#define NR_TAGS 4
#define BASE_ID 1000

static struct kernfs_node *tagged[NR_TAGGED];

static const struct kernfs_ops no_ops;

static mode_t mode_of(unsigned int tag)
{
	return tag ? 0700 : 0077;
}

static struct timespec time_of(unsigned int tag)
{
	return (struct timespec){ .tv_sec = tag + 1, .tv_nsec = tag * 1000 };
}

static void set_tag(struct kernfs_node *kn, unsigned int tag, bool checked)
{
	const struct kernfs_iattr attr = {
		.valid = KERNFS_ATTR_MODE | KERNFS_ATTR_UID | KERNFS_ATTR_GID |
			 KERNFS_ATTR_ATIME | KERNFS_ATTR_MTIME |
			 KERNFS_ATTR_CTIME,
		.mode = mode_of(tag),
		.uid = BASE_ID + tag,
		.gid = BASE_ID + tag,
		.atime = time_of(tag),
		.mtime = time_of(tag),
		.ctime = time_of(tag),
	};
	int err = checked ? kernfs_iop_setattr(kn, &kernfs_root_cred, &attr) :
			    kernfs_setattr(kn, &attr);

	torture_expect(!err, "setattr: %d", err);
}

void attrs_build(void)
{
	struct kernfs_node *dir = kernfs_create_dir(
		kernfs_root_to_node(lookup_root), "tags", 0755, NULL);

	torture_expect(!IS_ERR(dir), "create tags: %ld", PTR_ERR(dir));
	for (unsigned int i = 0; i < NR_TAGGED; i++) {
		const char str[] = { 't', (char)('0' + i), '\0' };

		tagged[i] = __kernfs_create_file(dir, str, 0, 0, 0, 0, &no_ops,
						 NULL, NULL);
		torture_expect(!IS_ERR(tagged[i]), "create tags/%s: %ld", str,
			       PTR_ERR(tagged[i]));
		set_tag(tagged[i], 0, false);
	}
}

/* A directory's times: always both at once, as creating and removing do. */
static void touch_some_dir(struct torture_thread *t)
{
	struct kernfs_iattr attr = {
		.valid = KERNFS_ATTR_MTIME | KERNFS_ATTR_CTIME,
	};
	int err;

	attr.mtime = attr.ctime = time_of(torture_random(t, 1000));
	err = kernfs_setattr(lookup_dir[torture_random(t, NR_DIRS)].kn, &attr);
	torture_expect(!err, "setattr: %d", err);
}

void chmod_round(struct torture_thread *t)
{
	struct kernfs_node *kn = tagged[torture_random(t, NR_TAGGED)];

	torture_doing(t, "setattr");
	for (unsigned int i = 0; i < 32; i++) {
		set_tag(kn, torture_random(t, NR_TAGS), torture_random(t, 2));
		torture_count(t, COUNT_CHMODS);
		torture_pause(t);
	}
	touch_some_dir(t);
}

static bool is_time(const struct timespec *ts, unsigned int tag)
{
	const struct timespec expected = time_of(tag);

	return ts->tv_sec == expected.tv_sec && ts->tv_nsec == expected.tv_nsec;
}

static void check_getattr(struct torture_thread *t, struct kernfs_node *kn)
{
	unsigned int tag;
	struct stat st;

	torture_doing(t, "getattr");
	kernfs_iop_getattr(kn, NULL, &st);
	tag = st.st_uid - BASE_ID;
	torture_expect(tag < NR_TAGS && st.st_gid == st.st_uid &&
			       st.st_mode == (S_IFREG | mode_of(tag)),
		       "mixed attributes: %u:%u %o", st.st_uid, st.st_gid,
		       st.st_mode);
	torture_expect(is_time(&st.st_atim, tag) && is_time(&st.st_mtim, tag) &&
			       is_time(&st.st_ctim, tag),
		       "mixed times: %ld.%ld %ld.%ld %ld.%ld with tag %u",
		       st.st_atim.tv_sec, st.st_atim.tv_nsec, st.st_mtim.tv_sec,
		       st.st_mtim.tv_nsec, st.st_ctim.tv_sec,
		       st.st_ctim.tv_nsec, tag);
	torture_count(t, COUNT_GETATTRS);
}

static void check_permission(struct torture_thread *t, struct kernfs_node *kn)
{
	const struct kernfs_cred cred = { .fsuid = BASE_ID, .fsgid = 1 };
	int err;

	torture_doing(t, "permission");
	err = kernfs_iop_permission(kn, &cred, KERNFS_MAY_READ);
	torture_expect(err == -EACCES, "permission by mixed attributes: %d",
		       err);
	torture_count(t, COUNT_PERMISSIONS);
}

void check_attrs(struct torture_thread *t)
{
	struct kernfs_node *kn = tagged[torture_random(t, NR_TAGGED)];

	for (unsigned int i = 0; i < 64; i++) {
		check_getattr(t, kn);
		check_permission(t, kn);
	}
}
