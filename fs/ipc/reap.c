/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Freeing regions that nobody keeps any more: those that were put, and those
 * that an earlier keeper has left; see fs/ipc/namespace.h.
 */
#include "fs/ipc/namespace-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Memory is freed in steps, with a chance for others in between. */
#define STEP (32ull << 20)

static struct ipc_space *space_of(struct ipc_dying *dying)
{
	return llist_entry(dying, struct ipc_space, dying);
}

static int fd_of(const struct ipc_space *space)
{
	return space->ns ? ipc_ns_fd(space->ns) : space->fd;
}

uint64_t ipc_space_bytes(const struct ipc_space *space)
{
	struct stat st;

	if (fstat(fd_of(space), &st))
		return 0;
	return (uint64_t)st.st_blocks * 512;
}

/* The number of its inode makes the name unique. */
void ipc_space_rename_dead(struct ipc_space *space, const char *name)
{
	int dirfd = space->keeper->dirfd;
	struct stat st;

	if (fstat(fd_of(space), &st))
		return;
	snprintf(space->dead, sizeof(space->dead), IPC_DEAD_PREFIX "%llu",
		 (unsigned long long)st.st_ino);
	if (renameat(dirfd, name, dirfd, space->dead))
		*space->dead = '\0'; /* somebody has removed it */
}

/*
 * From the end: messages and queues are there, counters and header in front.
 * The file has no name any more, so a death in between leaves nothing. Most of
 * it may be holes; those are passed over.
 */
static void free_memory(int fd)
{
	struct stat st;
	off_t size = 0;

	if (fstat(fd, &st) == 0 && (uint64_t)st.st_blocks * 512 > STEP)
		size = st.st_size;
	while (size > (off_t)STEP) {
		size -= (off_t)STEP;
		if (lseek(fd, size, SEEK_DATA) < 0)
			continue;
		if (ftruncate(fd, size))
			break;
		sched_yield();
	}
	close(fd);
}

/*
 * Lets go of the mapping, and with it of our shared lock. The exclusive one
 * needs a description of its own: one that children of ours have inherited
 * would give us their lock.
 */
static void detach(struct ipc_space *space)
{
	char path[32];

	if (*space->dead) {
		space->fd = openat(space->keeper->dirfd, space->dead,
				   O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	} else {
		snprintf(path, sizeof(path), "/proc/self/fd/%d",
			 ipc_ns_fd(space->ns));
		space->fd = open(path, O_RDWR | O_CLOEXEC);
	}
	ipc_ns_close(space->ns);
	space->ns = NULL;
}

/* Without a descriptor the last one who has the region frees it. */
int ipc_space_free(struct ipc_dying *dying)
{
	struct ipc_space *space = space_of(dying);

	if (space->remove)
		space->remove(space, space->priv);
	space->remove = NULL;
	if (space->ns)
		detach(space);
	if (space->fd >= 0 && flock(space->fd, LOCK_EX | LOCK_NB))
		return -EBUSY;
	if (*space->dead)
		unlinkat(space->keeper->dirfd, space->dead, 0);
	if (space->fd >= 0)
		free_memory(space->fd);
	return 0;
}

void ipc_space_release(struct ipc_dying *dying)
{
	free(space_of(dying));
}

/* The keeper goes; the last holder frees the memory. */
void ipc_space_abandon(struct ipc_dying *dying)
{
	struct ipc_space *space = space_of(dying);

	if (*space->dead)
		unlinkat(space->keeper->dirfd, space->dead, 0);
	close(space->fd);
}

/* --- what others have left --- */

/* Puts a region that was never mapped here. Takes @fd if it returns 0. */
static int put_found(struct ipc_keeper *keeper, const char *name, int fd,
		     uid_t uid, bool may_wait)
{
	struct ipc_ucounts *user;
	struct ipc_space *space;
	int err = ipc_teardown_adopt(&keeper->td, uid, &user);

	if (err)
		return err;
	space = ipc_space_alloc(keeper, user);
	if (!space) {
		ipc_teardown_uncharge(&keeper->td, user);
		return -ENOMEM;
	}
	space->fd = fd;
	if (ipc_is_dead_name(name))
		strcpy(space->dead, name); /* scan_one() has measured it */
	else
		ipc_space_rename_dead(space, name);
	space->refs = 0;
	space->dying.bytes = ipc_space_bytes(space);
	ipc_teardown_put(&keeper->td, &space->dying, may_wait);
	return 0;
}

static int open_found(const struct ipc_keeper *keeper, const char *name,
		      struct stat *ret_stat)
{
	int fd = openat(keeper->dirfd, name,
			O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	if (fstat(fd, ret_stat) == 0 && S_ISREG(ret_stat->st_mode) &&
	    ret_stat->st_nlink)
		return fd;
	close(fd);
	return -EINVAL;
}

int ipc_keeper_reap(struct ipc_keeper *keeper, const char *name)
{
	struct stat st;
	int err = -EBUSY;
	int fd;

	kf_assert_none_held();
	if (!ipc_space_is_valid_name(name))
		return -EINVAL;
	fd = open_found(keeper, name, &st);
	if (fd < 0)
		return fd;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		err = put_found(keeper, name, fd, st.st_uid, true);
	if (err)
		close(fd);
	return err;
}

/* 1 if it was put, 0 if it is to stay. */
static int scan_one(struct ipc_keeper *keeper, const char *name,
		    bool (*keep)(const char *name, bool held, void *priv),
		    void *priv)
{
	bool dead = ipc_is_dead_name(name), held;
	struct stat st;
	int fd = open_found(keeper, name, &st);
	int ret = 0;

	if (fd < 0)
		return 0; /* gone, or not a region */
	if (dead && strlen(name) >= sizeof(((struct ipc_space *)0)->dead))
		goto stays;
	held = flock(fd, LOCK_EX | LOCK_NB);
	if (!dead && (keep(name, held, priv) || held))
		goto stays;
	ret = put_found(keeper, name, fd, st.st_uid, false);
	if (!ret)
		return 1;
stays:
	close(fd);
	return ret;
}

int ipc_keeper_scan(struct ipc_keeper *keeper,
		    bool (*keep)(const char *name, bool held, void *priv),
		    void *priv)
{
	int fd = openat(keeper->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *ent;
	int nr = 0, ret = 0;

	if (!dir) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (ret >= 0 && (ent = readdir(dir))) {
		if (ent->d_type != DT_REG && ent->d_type != DT_UNKNOWN)
			continue;
		if (ipc_space_is_kept(keeper, ent->d_name))
			continue;
		ret = scan_one(keeper, ent->d_name, keep, priv);
		nr += ret > 0;
	}
	closedir(dir);
	return ret < 0 ? ret : nr;
}
