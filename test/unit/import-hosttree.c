/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directories of this machine, made for the purpose and live, taken in. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/vfs.h>

#include "test/unit/import-fixture.h"

/* A path below scratch that the test need not spell out. */
static void expect_mode(const char *path, mode_t mode)
{
	ck_assert_msg(kernfs_mode(need(path)) == mode, "%s: mode %o", path,
		      kernfs_mode(need(path)));
}

static void expect_owner(const char *path, uid_t uid, gid_t gid)
{
	struct stat st = stat_node(path);

	ck_assert_msg(st.st_uid == uid && st.st_gid == gid, "%s: %u:%u", path,
		      st.st_uid, st.st_gid);
}

static void expect_link(const char *path, const char *text)
{
	char buf[KERNFS_PATH_MAX];

	ck_assert_int_eq(kernfs_iop_get_link(need(path), buf), strlen(text));
	ck_assert_str_eq(buf, text);
}

static bool count_entry(void *ctx, const struct kernfs_dirent *de)
{
	(void)de;
	++*(size_t *)ctx;
	return true;
}

static size_t count(const char *path)
{
	size_t n = 0;

	ck_assert_int_eq(kernfs_fop_readdir(need(path), NULL, 0, count_entry,
					    &n), 0);
	return n - 2; /* "." and ".." */
}

/*
 * From now on an ordinary user, who owns what is in scratch. Files are then
 * refused to us by their modes, also where the tests run as root.
 */
static void become_ordinary(void)
{
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
}

/* Also lets the leak checker look at us, which a change of user forbids. */
static void become_oneself(void)
{
	ck_assert_int_eq(seteuid(getuid()), 0);
	ck_assert_int_eq(prctl(PR_SET_DUMPABLE, 1), 0);
}

static void give_away(const char *name)
{
	if (geteuid() == 0)
		ck_assert_int_eq(chown(at(name), 65534, 65534), 0);
}

START_TEST(modes_are_kept_but_setuid)
{
	put_dir("d", 0700);
	put_dir("d/sticky", 01777);
	put_bytes("d/ro", "x", 1, 0444);
	put_bytes("d/rw", "x", 1, 0640);
	put_bytes("d/none", "x", 1, 0);
	put_bytes("d/suid", "x", 1, 06755);
	ck_assert_int_eq(chmod(scratch, 0751), 0);
	import(scratch);

	expect_mode("", S_IFDIR | 0751);
	expect_mode("d", S_IFDIR | 0700);
	expect_mode("d/sticky", S_IFDIR | 01777);
	expect_mode("d/ro", S_IFREG | 0444);
	expect_mode("d/rw", S_IFREG | 0640);
	expect_mode("d/none", S_IFREG);
	expect_mode("d/suid", S_IFREG | 0755);
	ck_assert_uint_eq(stats.dirs, 2);
	ck_assert_uint_eq(stats.files, 4);
	ck_assert_uint_eq(stats.unreadable, 0);
	ck_assert_str_eq(warnings, "");
}
END_TEST

START_TEST(owners_are_kept)
{
	put_dir("d", 0755);
	put_text("d/f", "x");
	ck_assert_int_eq(symlink("f", at("d/l")), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(scratch, 11, 12), 0);
		ck_assert_int_eq(chown(at("d"), 21, 22), 0);
		ck_assert_int_eq(chown(at("d/f"), 31, 32), 0);
		ck_assert_int_eq(lchown(at("d/l"), 41, 42), 0);
	}
	import(scratch);
	if (geteuid() == 0) {
		expect_owner("", 11, 12);
		expect_owner("d", 21, 22);
		expect_owner("d/f", 31, 32);
		expect_owner("d/l", 41, 42);
	} else {
		expect_owner("", geteuid(), getegid());
		expect_owner("d/f", geteuid(), getegid());
	}
}
END_TEST

START_TEST(link_texts_are_verbatim)
{
	char longest[KERNFS_PATH_MAX];

	memset(longest, 'l', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	put_dir("d", 0755);
	put_text("d/f", "x");
	ck_assert_int_eq(symlink("d", at("dir")), 0);
	ck_assert_int_eq(symlink("/etc", at("absolute")), 0);
	ck_assert_int_eq(symlink("../../no/such", at("dangling")), 0);
	ck_assert_int_eq(symlink("self", at("self")), 0);
	ck_assert_int_eq(symlink(" a\n\\b//./", at("odd")), 0);
	ck_assert_int_eq(symlink(longest, at("long")), 0);
	import(scratch);

	expect_link("dir", "d");
	expect_link("absolute", "/etc");
	expect_link("dangling", "../../no/such");
	expect_link("self", "self");
	expect_link("odd", " a\n\\b//./");
	expect_link("long", longest);
	ck_assert_uint_eq(stats.links, 6);
	ck_assert_uint_eq(stats.dirs, 1);
	ck_assert_uint_eq(stats.files, 1);
	ck_assert_str_eq(warnings, "");
}
END_TEST

/* The path that the user gives may be a link, unlike all that is below it. */
START_TEST(top_may_be_a_link)
{
	put_dir("d", 0755);
	put_text("d/f", "x");
	ck_assert_int_eq(symlink("d", at("l")), 0);
	import(at("l"));
	expect_text("f", "x");
}
END_TEST

START_TEST(odd_names_are_kept)
{
	static const char *const names[] = {
		" ", "a b", "new\nline", "back\\slash", "\x01\xff", "...",
		"-", "%s%n", ".hidden",
	};
	char longest[256];
	size_t i;

	memset(longest, 'n', 255);
	longest[255] = '\0';
	put_text(longest, "longest");
	put_dir("dir\n", 0755);
	for (i = 0; i < NR_OF(names); i++) {
		char name[32];

		put_text(names[i], names[i]);
		snprintf(name, sizeof(name), "dir\n/%s", names[i]);
		put_text(name, names[i]);
	}
	import(scratch);
	expect_text(longest, "longest");
	for (i = 0; i < NR_OF(names); i++) {
		char name[32];

		expect_text(names[i], names[i]);
		snprintf(name, sizeof(name), "dir\n/%s", names[i]);
		expect_text(name, names[i]);
	}
}
END_TEST

START_TEST(bytes_are_kept)
{
	static const size_t lengths[] = { 1, 4095, 4096, 4097, 65535, 65536,
					  65537, 262144 };
	char *bytes = malloc(262144), name[32];
	size_t i;

	for (i = 0; i < 262144; i++)
		bytes[i] = (char)(i * 31 + i / 4096);
	for (i = 0; i < NR_OF(lengths); i++) {
		snprintf(name, sizeof(name), "f%zu", lengths[i]);
		put_bytes(name, bytes, lengths[i], 0644);
	}
	put_bytes("nuls", "\0\0\0\0", 4, 0644);
	put_bytes("padded", "text\n\0\0\0", 8, 0644);
	put_text("no newline", "text");
	import(scratch);
	for (i = 0; i < NR_OF(lengths); i++) {
		snprintf(name, sizeof(name), "f%zu", lengths[i]);
		expect_bytes(name, bytes, lengths[i]);
	}
	expect_bytes("nuls", "\0\0\0\0", 4);
	expect_bytes("padded", "text\n\0\0\0", 8);
	expect_text("no newline", "text");
	free(bytes);
}
END_TEST

/* Of a copied tree: what sysfs would have reported. */
START_TEST(sizes_are_those_of_sysfs)
{
	char page[4097];

	memset(page, 'x', sizeof(page));
	put_text("empty", "");
	put_text("text", "0-1\n");
	put_bytes("page", page, 4096, 0644);
	put_bytes("more", page, 4097, 0644);
	put_bytes("binary", "a\0b", 3, 0644);
	put_bytes("write-only", "abc", 3, 0200);
	ck_assert_int_eq(symlink("text", at("link")), 0);
	import(scratch);
	ck_assert_int_eq(stat_node("empty").st_size, 4096);
	ck_assert_int_eq(stat_node("text").st_size, 4096);
	ck_assert_int_eq(stat_node("page").st_size, 4096);
	ck_assert_int_eq(stat_node("more").st_size, 4097);
	ck_assert_int_eq(stat_node("binary").st_size, 3);
	ck_assert_int_eq(stat_node("write-only").st_size, 4096);
	ck_assert_int_eq(stat_node("link").st_size, 0);
	ck_assert_int_eq(stat_node("").st_size, 0);
}
END_TEST

/* Empty, a value, an errno: three things, and a reader can tell. */
START_TEST(empty_value_and_error_differ)
{
	put_text("empty", "");
	put_text("value", "v");
	put_bytes("refused", "v", 1, 0044);
	give_away("refused");
	become_ordinary();
	import(scratch);
	become_oneself();
	expect_text("empty", "");
	expect_text("value", "v");
	expect_error("refused", EACCES);
	expect_mode("refused", S_IFREG | 0044);
	ck_assert_int_eq(stat_node("refused").st_size, 4096);
	ck_assert_uint_eq(stats.files, 3);
	ck_assert_uint_eq(stats.unreadable, 1);
	ck_assert_uint_eq(stats.timed_out, 0);
}
END_TEST

/* Who may write is decided by the mode, for everybody. */
START_TEST(writing_follows_the_mode)
{
	put_bytes("ro", "old", 3, 0444);
	put_bytes("rw", "old", 3, 0644);
	put_bytes("wo", "old", 3, 0200);
	import(scratch);
	ck_assert_int_eq(write_at(need("ro"), "new", 3, 0), -EACCES);
	ck_assert_int_eq(write_at(need("rw"), "new", 3, 0), 3);
	ck_assert_int_eq(write_at(need("wo"), "new", 3, 0), 3);
	expect_text("ro", "old");
	expect_text("rw", "new");
	expect_error("wo", EACCES);
}
END_TEST

/* Refused directories stay empty, entries that cannot be looked at go. */
START_TEST(what_is_refused_is_left_out)
{
	put_dir("closed", 0755);
	put_text("closed/f", "x");
	put_dir("blind", 0755);
	put_text("blind/f", "x");
	put_text("blind/g", "x");
	put_text("open", "x");
	give_away("closed");
	give_away("blind");
	ck_assert_int_eq(chmod(at("closed"), 0300), 0);
	ck_assert_int_eq(chmod(at("blind"), 0400), 0);
	become_ordinary();
	import(scratch);
	become_oneself();
	expect_text("open", "x");
	ck_assert_int_eq(count("closed"), 0);
	ck_assert_int_eq(count("blind"), 0);
	expect_mode("closed", S_IFDIR | 0300);
	ck_assert_ptr_nonnull(
		strstr(warnings, "/closed: Permission denied\n"));
	ck_assert_ptr_nonnull(strstr(
		warnings, "left out, with 1 more of this directory: "
			  "Permission denied\n"));
	chmod(at("closed"), 0700);
	chmod(at("blind"), 0700);
}
END_TEST

START_TEST(bad_source_is_named)
{
	put_text("file", "x");
	ck_assert_int_eq(try_import(at("file")), -ENOTDIR);
	ck_assert_ptr_nonnull(strstr(err, "/file: Not a directory"));
	ck_assert_int_eq(try_import(at("two\nlines")), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err, "/two\\012lines: No such file"));
	put_dir("closed", 0);
	give_away("closed");
	become_ordinary();
	ck_assert_int_eq(try_import(at("closed")), -EACCES);
	become_oneself();
	ck_assert_int_eq(count(""), 0);
	chmod(at("closed"), 0700);

	opts.store = NULL;
	ck_assert_int_eq(try_import(scratch), -EINVAL);
	ck_assert_int_eq(kf_import_directory(kernfs_root_to_node(root),
					     at("none"), &opts, NULL, NULL, 0),
			 -EINVAL);
}
END_TEST

/* A message that does not fit loses the beginning of the path. */
START_TEST(long_message_ends_in_the_reason)
{
	char path[2000];

	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	path[0] = '/';
	ck_assert_int_eq(try_import(path), -ENAMETOOLONG);
	ck_assert_uint_eq(strlen(err), sizeof(err) - 1);
	ck_assert_str_eq(strrchr(err, ':'), ": File name too long");
}
END_TEST

START_TEST(existing_entry_is_an_error)
{
	struct kernfs_node *top = kernfs_root_to_node(root);

	put_dir("d", 0755);
	put_text("d/f", "x");
	ck_assert(!IS_ERR(kernfs_create_dir(top, "d", 0755, NULL)));
	ck_assert_int_eq(try_import(scratch), -EEXIST);
	ck_assert_ptr_nonnull(strstr(err, "/d: File exists"));
}
END_TEST

START_TEST(special_files_are_left_out)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	put_text("f", "x");
	ck_assert_int_eq(mkfifo(at("fifo"), 0644), 0);
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%.100s", at("socket"));
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
	close(fd);
	import(scratch);
	ck_assert_ptr_null(find("fifo"));
	ck_assert_ptr_null(find("socket"));
	ck_assert_int_eq(count(""), 1);
	ck_assert_uint_eq(stats.skipped_special, 2);
	ck_assert_ptr_nonnull(strstr(warnings, ": 2 special files left out"));
}
END_TEST

/* Into a mount namespace of our own; false: not allowed to. */
static bool own_mounts(void)
{
	if (unshare(CLONE_NEWNS))
		return false;
	ck_assert_int_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	return true;
}

START_TEST(mount_points_are_not_entered)
{
	put_dir("other", 0755);
	put_dir("same", 0755);
	put_dir("d", 0755);
	put_text("d/f", "x");
	put_text("covered", "below");
	put_text("cover", "above");
	if (!own_mounts()) {
		fprintf(stderr, "no mount namespace: mounts not tested\n");
		return;
	}
	ck_assert_int_eq(mount("tmpfs", at("other"), "tmpfs", 0, "mode=0711"),
			 0);
	put_text("other/inside", "x");
	/* device numbers do not show these two */
	ck_assert_int_eq(mount(at("d"), at("same"), NULL, MS_BIND, NULL), 0);
	ck_assert_int_eq(mount(at("cover"), at("covered"), NULL, MS_BIND,
			       NULL), 0);
	import(scratch);
	expect_mode("other", S_IFDIR | 0711);
	ck_assert_int_eq(count("other"), 0);
	ck_assert_int_eq(count("same"), 0);
	ck_assert_int_eq(count("d"), 1);
	ck_assert_ptr_null(find("covered"));
	ck_assert_uint_eq(stats.skipped_mounts, 3);
	ck_assert_uint_eq(stats.dirs, 3);
	ck_assert_str_eq(warnings, "");
}
END_TEST

/* What is mounted on the source itself is what was asked for. */
START_TEST(top_may_be_a_mount_point)
{
	if (!own_mounts())
		return;
	ck_assert_int_eq(mount("tmpfs", scratch, "tmpfs", 0, "mode=0755"), 0);
	put_dir("d", 0755);
	put_text("d/f", "x");
	import(scratch);
	expect_text("d/f", "x");
	ck_assert_uint_eq(stats.skipped_mounts, 0);
}
END_TEST

START_TEST(directory_of_thousands)
{
	char name[32];
	int i;

	put_dir("d", 0755);
	for (i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "d/%d", i);
		put_text(name, name);
	}
	import(scratch);
	ck_assert_int_eq(count("d"), 3000);
	for (i = 0; i < 3000; i += 100) {
		snprintf(name, sizeof(name), "d/%d", i);
		expect_text(name, name);
	}
}
END_TEST

/* Goes @levels down from scratch, each 200 bytes; the current directory. */
static void make_deep(const char *name, int levels)
{
	ck_assert_int_eq(chdir(scratch), 0);
	while (levels--) {
		ck_assert_int_eq(mkdir(name, 0755), 0);
		ck_assert_int_eq(chdir(name), 0);
	}
	ck_assert_int_eq(chdir("/"), 0);
}

static void remove_deep(const char *name)
{
	char command[2400];

	/* nftw() gives up on paths longer than PATH_MAX */
	snprintf(command, sizeof(command), "cd '%s' && rm -rf '%s'", scratch,
		 name);
	ck_assert_int_eq(system(command), 0);
}

/* Paths that nobody can name are left out, and end the descent. */
START_TEST(paths_too_long_are_left_out)
{
	char name[201], path[KERNFS_PATH_MAX + 256] = "";
	int i;

	memset(name, 'n', 200);
	name[200] = '\0';
	make_deep(name, 25);
	import(scratch);
	remove_deep(name);
	/* 20 * 201 - 1 bytes fit, 21 do not */
	for (i = 0; i < 20; i++) {
		strcat(path, i ? "/" : "");
		strcat(path, name);
	}
	need(path);
	ck_assert_uint_eq(stats.dirs, 20);
	ck_assert_ptr_nonnull(strstr(warnings, ": left out: File name too "));
}
END_TEST

START_TEST(stop_ends_the_walk)
{
	static const volatile sig_atomic_t stop = 1;

	put_text("f", "x");
	opts.stop = &stop;
	ck_assert_int_eq(try_import(scratch), -EINTR);
	ck_assert_ptr_nonnull(strstr(err, scratch));
	ck_assert_ptr_nonnull(strstr(err, ": Interrupted"));
}
END_TEST

/* Two imports into one tree, side by side, from one store. */
START_TEST(directory_node_below_the_root)
{
	struct kernfs_node *top = kernfs_root_to_node(root), *kn;

	put_dir("d", 0711);
	put_text("d/f", "x");
	kn = kernfs_create_dir(top, "a", 0700, NULL);
	ck_assert_int_eq(kf_import_directory(kn, at("d"), &opts, NULL, NULL,
					     0), 0);
	kn = kernfs_create_dir(top, "b", 0700, NULL);
	ck_assert_int_eq(kf_import_directory(kn, at("d"), &opts, NULL, NULL,
					     0), 0);
	expect_mode("a", S_IFDIR | 0711);
	expect_text("a/f", "x");
	expect_text("b/f", "x");
}
END_TEST

START_TEST(skeleton_is_that_of_sysfs)
{
	static const char *const names[] = {
		"block", "bus", "class", "dev", "devices", "firmware",
		"fs", "kernel", "module", "power",
	};
	size_t i;

	ck_assert_int_eq(kf_import_skeleton(kernfs_root_to_node(root), err,
					    sizeof(err)), 0);
	for (i = 0; i < NR_OF(names); i++) {
		expect_mode(names[i], S_IFDIR | 0755);
		expect_owner(names[i], 0, 0);
	}
	ck_assert_int_eq(count(""), 10);
	ck_assert_int_eq(kf_import_skeleton(kernfs_root_to_node(root), err,
					    sizeof(err)), -EEXIST);
	ck_assert_str_eq(err, "block: File exists");
}
END_TEST

/* Compares a file that does not change with the node made of it. */
static void compare_file(const char *path)
{
	char real[8192], buf[8192], full[8192];
	struct stat st;
	ssize_t n;
	int fd;

	snprintf(full, sizeof(full), "/sys/%s", path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, real, sizeof(real));
	ck_assert_int_eq(fstat(fd, &st), 0);
	close(fd);
	ck_assert_int_ge(n, 0);
	ck_assert_int_eq(read_node(need(path), buf, sizeof(buf)), n);
	ck_assert_mem_eq(buf, real, (size_t)n);
	ck_assert_int_eq(stat_node(path).st_size, st.st_size);
	ck_assert_int_eq(stat_node(path).st_mode, st.st_mode);
}

START_TEST(live_sysfs)
{
	char text[KERNFS_PATH_MAX] = "";
	struct statfs fs;
	uint64_t begin;

	if (statfs("/sys", &fs) || fs.f_type != 0x62656572) {
		fprintf(stderr, "/sys is no sysfs: not tested\n");
		return;
	}
	begin = now_ms();
	import("/sys");
	printf("/sys: %lu dirs, %lu files (%lu unreadable, %lu timed out), "
	       "%lu links, %lu mounts in %.2f s\n", stats.dirs, stats.files,
	       stats.unreadable, stats.timed_out, stats.links,
	       stats.skipped_mounts, (double)(now_ms() - begin) / 1000);
	ck_assert_uint_gt(stats.files, 100);
	ck_assert_uint_gt(stats.links, 10);
	ck_assert_uint_eq(stats.timed_out, 0);
	compare_file("devices/system/cpu/online");
	compare_file("devices/system/cpu/possible");
	compare_file("kernel/vmcoreinfo");
	compare_file("kernel/notes");
	compare_file("power/state");
	if (readlink("/sys/class/mem/null", text, sizeof(text) - 1) > 0)
		expect_link("class/mem/null", text);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		modes_are_kept_but_setuid,
		owners_are_kept,
		link_texts_are_verbatim,
		top_may_be_a_link,
		odd_names_are_kept,
		bytes_are_kept,
		sizes_are_those_of_sysfs,
		empty_value_and_error_differ,
		writing_follows_the_mode,
		what_is_refused_is_left_out,
		bad_source_is_named,
		long_message_ends_in_the_reason,
		existing_entry_is_an_error,
		special_files_are_left_out,
		mount_points_are_not_entered,
		top_may_be_a_mount_point,
		directory_of_thousands,
		paths_too_long_are_left_out,
		stop_ends_the_walk,
		directory_node_below_the_root,
		skeleton_is_that_of_sysfs,
		live_sysfs,
	};

	return run_in_scratch("import-hosttree", tests, NR_OF(tests));
}
