// SPDX-License-Identifier: LGPL-2.1-or-later
/* What else a descriptor may be asked: lengths, locks, maps, ioctls. */
#include "test/parity/parity.h"

#include <linux/fs.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

static void lengths(void)
{
	int ro = FD(open(s.ro, O_RDONLY)), rw = FD(open(s.rw, O_RDWR));
	struct stat st;

	CALL(truncate(s.ro, 0));
	CALL(truncate(s.ro, 8192));
	CALL(truncate(s.rw, 0));
	CALL(truncate(s.rw, 1L << 40));
	CALL(truncate(s.wo, 0));
	CALL(truncate(s.ro, -1));
	CALL(truncate(s.dir, 0));
	CALL(truncate(s.link, 0));
	CALL(truncate("missing", 0));
	CALL(ftruncate(ro, 0));
	CALL(ftruncate(rw, 0));
	CALL(ftruncate(rw, 5));
	CALL(ftruncate(rw, -1));
	CALL(fstat(rw, &st));
	CALL(st.st_size);
	DATA(pread(rw, buf, 100, 0));
	CALL(fallocate(ro, 0, 0, 100));
	CALL(fallocate(rw, 0, 0, 100));
	CALL(fallocate(rw, FALLOC_FL_KEEP_SIZE, 0, 100));
	CALL(fallocate(rw, FALLOC_FL_PUNCH_HOLE, 0, 100));
	CALL(fallocate(rw, 0, 0, 0));
	CALL(posix_fallocate(rw, 0, 0));
	close(ro);
	close(rw);
}

static void synced(void)
{
	int ro = FD(open(s.ro, O_RDONLY)), rw = FD(open(s.rw, O_RDWR));
	int dir = FD(open(s.dir, O_RDONLY));

	CALL(fsync(ro));
	CALL(fdatasync(ro));
	CALL(fsync(rw));
	CALL(syncfs(ro));
	CALL(sync_file_range(ro, 0, 0, SYNC_FILE_RANGE_WRITE));
	CALL(fsync(dir));
	CALL(fdatasync(dir));
	CALL(syncfs(dir));
	close(ro);
	close(rw);
	close(dir);
}

static long mapped(int prot, int flags, int fd)
{
	void *map = mmap(NULL, 4096, prot, flags, fd, 0);

	if (map == MAP_FAILED)
		return -1;
	munmap(map, 4096);
	return 0;
}

static void maps(void)
{
	int ro = FD(open(s.ro, O_RDONLY)), rw = FD(open(s.rw, O_RDWR));
	int bin = FD(open(s.bin, O_RDONLY)), dir = FD(open(s.dir, O_RDONLY));

#define MAP(...) (errno = 0, say("mmap(" #__VA_ARGS__ ")", mapped(__VA_ARGS__)))
	MAP(PROT_READ, MAP_SHARED, ro);
	MAP(PROT_READ, MAP_PRIVATE, ro);
	MAP(PROT_READ | PROT_WRITE, MAP_SHARED, ro);
	MAP(PROT_READ | PROT_WRITE, MAP_SHARED, rw);
	MAP(PROT_READ | PROT_WRITE, MAP_PRIVATE, rw);
	MAP(PROT_READ | PROT_EXEC, MAP_SHARED, ro);
	MAP(PROT_READ, MAP_SHARED, bin);
	MAP(PROT_READ, MAP_SHARED_VALIDATE | MAP_SYNC, ro);
	MAP(PROT_READ, MAP_PRIVATE, dir);
#undef MAP
	close(ro);
	close(rw);
	close(bin);
	close(dir);
}

static void controls(int fd)
{
	int value = 0;
	struct fsxattr fsx;
	char uuid[64] = { 16 };

	CALL(ioctl(fd, FIGETBSZ, &value));
	CALL(value);
	CALL(ioctl(fd, FIONREAD, &value));
	CALL(value);
	CALL(lseek(fd, 1, SEEK_SET));
	CALL(ioctl(fd, FIONREAD, &value));
	CALL(value);
	CALL(ioctl(fd, FS_IOC_GETFLAGS, &value));
	CALL(ioctl(fd, FS_IOC_SETFLAGS, &value));
	CALL(ioctl(fd, FS_IOC_FSGETXATTR, &fsx));
	CALL(ioctl(fd, FS_IOC_GETVERSION, &value));
	CALL(ioctl(fd, FIBMAP, &value));
	CALL(ioctl(fd, FIOASYNC, &value));
	CALL(ioctl(fd, FIONBIO, &value));
	CALL(ioctl(fd, FICLONE, fd));
	CALL(ioctl(fd, FITRIM, uuid));
	/* FS_IOC_FIEMAP, FS_IOC_GETFSUUID, FS_IOC_GETFSSYSFSPATH */
	CALL(ioctl(fd, 0xc020660b, buf));
	CALL(ioctl(fd, 0x80111500, uuid));
	CALL(ioctl(fd, 0x80811501, buf));
	CALL(ioctl(fd, 0x5401, buf));
	CALL(ioctl(fd, 0xdead, buf));
}

static void locks(void)
{
	int fd = FD(open(s.rw, O_RDWR)), other = FD(open(s.rw, O_RDWR));
	int ro = FD(open(s.ro, O_RDONLY));
	struct flock fl = { .l_type = F_WRLCK };

	CALL(flock(fd, LOCK_EX | LOCK_NB));
	CALL(flock(other, LOCK_SH | LOCK_NB));
	CALL(flock(fd, LOCK_UN));
	CALL(flock(other, LOCK_SH | LOCK_NB));
	CALL(flock(ro, LOCK_EX | LOCK_NB));
	CALL(fcntl(fd, F_SETLK, &fl));
	CALL(fcntl(fd, F_GETLK, &fl));
	CALL(fl.l_type);
	fl.l_type = F_WRLCK;
	CALL(fcntl(ro, F_SETLK, &fl));
	fl.l_type = F_RDLCK;
	CALL(fcntl(ro, F_SETLK, &fl));
	CALL(fcntl(fd, F_OFD_SETLK, &fl));
	fl.l_type = F_WRLCK;
	CALL(fcntl(other, F_OFD_SETLK, &fl));
	CALL(fcntl(other, F_OFD_GETLK, &fl));
	CALL(fl.l_type);
	CALL(lockf(fd, F_TEST, 0));
	CALL(fcntl(ro, F_SETLEASE, F_RDLCK));
	CALL(fcntl(ro, F_GETLEASE));
	CALL(fcntl(ro, F_SETLEASE, F_UNLCK));
	CALL(fcntl(fd, F_SETLEASE, F_WRLCK));
	CALL(fcntl(ro, F_SETPIPE_SZ, 4096));
	CALL(fcntl(ro, F_ADD_SEALS, 0));
	CALL(fcntl(ro, F_NOTIFY, DN_MODIFY));
	close(fd);
	close(other);
	close(ro);
}

static void watched(void)
{
	int ifd = inotify_init1(IN_NONBLOCK), fd;

	CALL(inotify_add_watch(ifd, s.rw, IN_ALL_EVENTS));
	fd = FD(open(s.rw, O_RDWR));
	say_events(ifd);
	CALL(read(fd, buf, 10));
	say_events(ifd);
	CALL(write(fd, s.value, 1));
	say_events(ifd);
	close(fd);
	say_events(ifd);
	CALL(inotify_add_watch(ifd, s.dir, IN_ALL_EVENTS));
	close(open(s.dir, O_RDONLY));
	say_events(ifd);
	close(ifd);
}

static void misc(void)
{
	int fd = FD(open(s.ro, O_RDONLY)), dir = FD(open(s.dir, O_RDONLY));
	static char name[] = "name";
	char *const argv[] = { name, NULL };

	CALL(execve(s.ro, argv, NULL));
	CALL(execve(s.dir, argv, NULL));
	CALL(fchdir(fd));
	close(fd);
	close(dir);
}

void group_io(void)
{
	int fd;

	in_group("io");
	lengths();
	synced();
	maps();
	fd = FD(open(s.ro, O_RDONLY));
	controls(fd);
	close(fd);
	note("directory");
	fd = FD(open(s.dir, O_RDONLY));
	controls(fd);
	close(fd);
	locks();
	watched();
	misc();
}
