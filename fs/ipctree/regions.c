/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the regions of a tree are: files in a directory of its own,
 *
 *	BASE/kernfuse-tree-XXXXXX
 *
 * BASE is $KERNFUSE_IPC_DIR, or the first that will do of /dev/shm,
 * $XDG_RUNTIME_DIR and /tmp. Everybody may pass through, nobody but us may
 * write: who may open a region is decided by the region's own mode.
 *
 * We hold a flock() on the directory. One that nobody holds is of a daemon
 * that did not get to clean up, and its regions are freed by the next one.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/ipc/namespace.h"
#include "fs/ipctree/ipctree-internal.h"

#define PREFIX "kernfuse-tree-"

static bool usable(const char *dir)
{
	return dir && dir[0] == '/' && access(dir, W_OK | X_OK) == 0;
}

static const char *find_base(void)
{
	const char *const places[] = {
		"/dev/shm",
		getenv("XDG_RUNTIME_DIR"),
		"/tmp",
	};
	const char *dir = getenv("KERNFUSE_IPC_DIR");

	if (dir && *dir) {
		/* made if it is not there; what is wrong with it shows later */
		mkdir(dir, 0755);
		return dir;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (usable(places[i]))
			return places[i];
	return "/dev/shm";
}

/* --- what others left --- */

/* The directory, if it is ours and its daemon has ended. */
static int open_abandoned(int basefd, const char *name)
{
	int fd = openat(basefd, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool keep_none(const char *name, bool held, void *priv)
{
	(void)name, (void)held, (void)priv;
	return false;
}

/* All in it is freed, or loses its name if some process still has it. */
static void free_abandoned(int basefd, const char *name, int fd)
{
	struct ipc_keeper *keeper;

	if (ipc_keeper_create(fd, NULL, &keeper))
		return;
	ipc_keeper_scan(keeper, keep_none, NULL);
	ipc_keeper_flush(keeper);
	ipc_keeper_destroy(keeper);
	unlinkat(basefd, name, AT_REMOVEDIR);
}

static void clean_up(const char *base)
{
	DIR *dir = opendir(base);
	struct dirent *de;
	int fd;

	if (!dir)
		return;
	while ((de = readdir(dir))) {
		if (strncmp(de->d_name, PREFIX, sizeof(PREFIX) - 1) != 0)
			continue;
		fd = open_abandoned(dirfd(dir), de->d_name);
		if (fd < 0)
			continue;
		free_abandoned(dirfd(dir), de->d_name, fd);
		close(fd);
	}
	closedir(dir);
}

/* --- our own --- */

/* Between making and locking it looks abandoned, and another daemon that
 * starts just then may remove it: then we make another one. */
static int make_and_lock(char *path)
{
	struct stat st;
	int fd, err;

	if (!mkdtemp(path))
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &st) || !st.st_nlink) {
		close(fd);
		return -EAGAIN;
	}
	if (fchmod(fd, 0711) == 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int create_in(struct ipctree *tree, const char *base)
{
	for (int tries = 0; tries < 100; tries++) {
		int fd;

		free(tree->path);
		if (asprintf(&tree->path, "%s/" PREFIX "XXXXXX", base) < 0) {
			tree->path = NULL;
			return -ENOMEM;
		}
		fd = make_and_lock(tree->path);
		if (fd >= 0) {
			tree->dirfd = fd;
			return 0;
		}
		if (fd != -EAGAIN)
			return fd;
	}
	return -EBUSY;
}

int ipc_regions_create(struct ipctree *tree, char *why, size_t size)
{
	const char *base = find_base();
	int err;

	clean_up(base);
	err = create_in(tree, base);
	if (!err)
		return 0;
	snprintf(why, size, "no directory for IPC namespaces in %s: %s", base,
		 strerror(-err));
	free(tree->path);
	tree->path = NULL;
	return err;
}

void ipc_regions_destroy(struct ipctree *tree)
{
	rmdir(tree->path);
	close(tree->dirfd);
	free(tree->path);
}
