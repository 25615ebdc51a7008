// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * parityd cgroup TEMPLATE MOUNTPOINT: control groups, made by mkdir
 * parityd device TEMPLATE MOUNTPOINT PATH: a device at PATH, which goes when
 * something is written to the file "remove"
 *
 * Files have the names, modes and texts of those in the directory TEMPLATE.
 * Serves until it is unmounted or told to stop.
 */
#include "test/parity/parityd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kernfuse/mount.h>

struct template_file template_files[200];
size_t nr_template_files;

void die(const char *what)
{
	perror(what);
	exit(1);
}

static const char *text_of(int dir, const char *name)
{
	static char buf[65536];
	int fd = openat(dir, name, O_RDONLY | O_NONBLOCK);
	ssize_t len = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);

	if (fd >= 0)
		close(fd);
	buf[len > 0 ? len : 0] = '\0';
	return strdup(buf);
}

static void read_template(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *de;
	struct stat st;

	if (!dir)
		die(path);
	while ((de = readdir(dir))) {
		if (fstatat(dirfd(dir), de->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode) || nr_template_files == 200)
			continue;
		template_files[nr_template_files++] = (struct template_file){
			.name = strdup(de->d_name),
			.mode = st.st_mode & 07777,
			.text = text_of(dirfd(dir), de->d_name),
		};
	}
	closedir(dir);
}

static struct kernfuse_mount *mount;

static void stop(int signo)
{
	(void)signo;
	kernfuse_mount_stop(mount);
}

static int serve(struct kernfs_root *root, const char *mountpoint)
{
	const struct kernfuse_mount_params params = {
		.options = "allow_other",
	};
	int err;

	mount = kernfuse_mount(root, mountpoint, &params);
	if (IS_ERR(mount)) {
		errno = (int)-PTR_ERR(mount);
		die(mountpoint);
	}
	signal(SIGTERM, stop);
	err = kernfuse_mount_run(mount);
	signal(SIGTERM, SIG_IGN);
	kernfuse_unmount(mount);
	return err;
}

int main(int argc, char **argv)
{
	struct kernfs_root *root = NULL;
	int err;

	if (argc == 4 && !strcmp(argv[1], "cgroup")) {
		read_template(argv[2]);
		root = cgroup_create();
	} else if (argc == 5 && !strcmp(argv[1], "device")) {
		read_template(argv[2]);
		root = device_create(argv[4]);
	}
	if (!root) {
		fputs("usage: parityd cgroup|device TEMPLATE MOUNTPOINT [PATH]\n",
		      stderr);
		return 2;
	}
	err = serve(root, argv[3]);
	kernfs_destroy_root(root);
	for (size_t i = 0; i < nr_template_files; i++) {
		free((char *)template_files[i].name);
		free((char *)template_files[i].text);
	}
	return err ? 1 : 0;
}
