/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a namespace: making it, mapping it, letting it grow. */
#include "fs/ipc/ipc-internal.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_LIMIT (4ull << 30)

#define MAX_COUNTERS (16u << 20) /* bytes */

#define DEFAULT_MSGMAX 8192
#define DEFAULT_MSGMNB 16384
#define DEFAULT_MSGMNI 32000

/*
 * What is mapped, for ipc_ns_fault(), which may run in a signal handler: the
 * entries are never freed, and base is stored last and cleared first.
 */
struct mapped {
	char *base;
	struct ipc_namespace *ns;
	struct mapped *next;
};
static struct mapped *all_mapped;
static pthread_mutex_t mapped_lock = PTHREAD_MUTEX_INITIALIZER;

static void (*log_line)(const char *line);

void ipc_set_log(void (*log)(const char *line))
{
	smp_store_release(&log_line, log);
}

int ipc_damaged(const char *what, uint32_t where)
{
	void (*log)(const char *) = smp_load_acquire(&log_line);
	char line[160];

	if (!log)
		return -EIO;
	snprintf(line, sizeof(line), "ipc: damaged region: %s (%u)", what,
		 where);
	log(line);
	return -EIO;
}

/* --- layout --- */

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static struct percpu_counter_params counter_params(enum ipc_counters mode)
{
	return (struct percpu_counter_params){
		.mode = mode == IPC_COUNTERS_ATOMIC ? PERCPU_COUNTER_ATOMIC :
						      PERCPU_COUNTER_PERCPU,
	};
}

static uint64_t next_page(uint64_t *off, uint64_t bytes)
{
	uint64_t at = *off;

	*off += round_up(bytes, IPC_PAGE);
	return at;
}

/* Where everything is, given the size of the counters and of it all. */
static void lay_out(struct ipc_super *s)
{
	uint64_t off = IPC_OFF_COUNTERS + round_up(s->counters_size, IPC_PAGE);
	uint64_t far = s->limit, bytes;

	s->off_arenas =
		next_page(&off, IPC_NR_ARENAS * sizeof(struct ipc_arena));
	s->off_slots =
		next_page(&off, IPC_NEAR_SLOTS * sizeof(struct ipc_slot));
	s->off_queues =
		next_page(&off, IPC_NEAR_QUEUES * sizeof(struct ipc_queue));
	s->off_units = next_page(&off, IPC_NEAR_UNITS * sizeof(uint32_t));
	s->off_heap = round_up(off, IPC_UNIT);
	bytes = (IPC_NR_SLOTS - IPC_NEAR_SLOTS) * sizeof(struct ipc_slot);
	s->far_slots = far -= round_up(bytes, IPC_PAGE);
	bytes = (IPC_NR_QUEUES - IPC_NEAR_QUEUES) * sizeof(struct ipc_queue);
	s->far_queues = far -= round_up(bytes, IPC_PAGE);
	bytes = s->limit / IPC_UNIT * sizeof(uint32_t);
	s->far_units = far -= round_up(bytes, IPC_PAGE);
}

static bool is_limit(uint64_t bytes)
{
	return bytes >= IPC_MEMORY_MIN && bytes <= IPC_MEMORY_MAX;
}

static int check_params(const struct ipc_params *p, struct ipc_super *s)
{
	struct percpu_counter_params counters = counter_params(p->counters);

	memset(s, 0, sizeof(*s));
	if (p->counters != IPC_COUNTERS_PERCPU &&
	    p->counters != IPC_COUNTERS_ATOMIC)
		return -EINVAL;
	s->limit = p->limit ? p->limit : DEFAULT_LIMIT;
	s->limit -= s->limit % IPC_UNIT;
	if (!is_limit(s->limit))
		return -EINVAL;
	s->counters_size =
		(uint32_t)percpu_counter_bytes(IPC_NR_COUNTERS, &counters);
	lay_out(s);
	if (s->off_heap + IPC_UNIT > s->far_units)
		return -EINVAL;
	return 0;
}

static void fill_super(struct ipc_super *s, const struct ipc_params *p)
{
	s->magic = IPC_MAGIC;
	s->version = IPC_VERSION;
	s->byte_order = IPC_BYTE_ORDER;
	s->super_size = sizeof(struct ipc_super);
	s->slot_size = sizeof(struct ipc_slot);
	s->queue_size = sizeof(struct ipc_queue);
	s->msg_size = sizeof(struct ipc_msg);
	s->counters = p->counters;
	s->owner = p->owner;
	s->group = p->group;
	s->nr_arenas = IPC_NR_ARENAS;
	s->msgmax = DEFAULT_MSGMAX;
	s->msgmnb = DEFAULT_MSGMNB;
	s->msgmni = DEFAULT_MSGMNI;
	s->next_id = -1;
	s->last_index = -1;
	s->highest = -1;
	s->nr_slots = IPC_PAGE / sizeof(struct ipc_slot);
	s->queues_ready = IPC_NEAR_QUEUES;
	if (getrandom(&s->secret, sizeof(s->secret), GRND_NONBLOCK) < 0)
		s->secret = (uint64_t)getpid() * 0x9e3779b97f4a7c15ull;
}

/* What is read here is checked against what this version would have made. */
static int check_super(struct ipc_namespace *ns)
{
	struct ipc_super s;

	memcpy(&s, ipc_super(ns), sizeof(s));
	if (s.magic != IPC_MAGIC || s.version != IPC_VERSION ||
	    s.byte_order != IPC_BYTE_ORDER || s.super_size != sizeof(s) ||
	    s.slot_size != sizeof(struct ipc_slot) ||
	    s.queue_size != sizeof(struct ipc_queue) ||
	    s.msg_size != sizeof(struct ipc_msg))
		return -EINVAL;
	if (s.limit % IPC_UNIT || !is_limit(s.limit) ||
	    s.counters_size > MAX_COUNTERS || s.nr_arenas < 1 ||
	    s.nr_arenas > IPC_NR_ARENAS ||
	    (s.counters != IPC_COUNTERS_PERCPU &&
	     s.counters != IPC_COUNTERS_ATOMIC))
		return ipc_damaged("header", 0);
	/* only what was checked says where things are */
	lay_out(&s);
	if (s.off_heap + IPC_UNIT > s.far_units || s.limit != ns->limit)
		return ipc_damaged("layout", 0);
	ns->off_arenas = s.off_arenas;
	ns->off_slots = s.off_slots;
	ns->off_queues = s.off_queues;
	ns->off_units = s.off_units;
	ns->off_heap = s.off_heap;
	ns->far_slots = s.far_slots;
	ns->far_queues = s.far_queues;
	ns->far_units = s.far_units;
	ns->nr_arenas = s.nr_arenas;
	ns->nr_units = (uint32_t)((s.far_units - s.off_heap) / IPC_UNIT);
	ns->counters_mode = (enum ipc_counters)s.counters;
	ns->owner.uid = s.owner;
	ns->owner.gid = s.group;
	ns->secret = s.secret;
	return 0;
}

/* --- memory --- */

int ipc_region_reserve(struct ipc_namespace *ns, uint64_t off, uint64_t len)
{
	off_t from = (off_t)(off - off % IPC_PAGE);
	off_t bytes = (off_t)round_up(off + len, IPC_PAGE) - from;

	if (off + len > ns->limit)
		return -ENOMEM;
	while (fallocate(ns->fd, FALLOC_FL_KEEP_SIZE, from, bytes) < 0) {
		/* no such call on this file system: sparse must do */
		if (errno == EOPNOTSUPP || errno == ENOSYS)
			return 0;
		if (errno != EINTR)
			return -ENOMEM;
	}
	return 0;
}

/* --- the list of what is mapped --- */

static int list_add(struct ipc_namespace *ns)
{
	struct mapped *m;

	pthread_mutex_lock(&mapped_lock);
	for (m = all_mapped; m && m->base; m = m->next)
		;
	if (!m) {
		m = calloc(1, sizeof(*m));
		if (!m) {
			pthread_mutex_unlock(&mapped_lock);
			return -ENOMEM;
		}
		m->next = all_mapped;
		smp_store_release(&all_mapped, m);
	}
	m->ns = ns;
	smp_store_release(&m->base, ns->base);
	pthread_mutex_unlock(&mapped_lock);
	return 0;
}

static void list_del(struct ipc_namespace *ns)
{
	pthread_mutex_lock(&mapped_lock);
	for (struct mapped *m = all_mapped; m; m = m->next) {
		if (m->base && m->ns == ns)
			smp_store_release(&m->base, NULL);
	}
	pthread_mutex_unlock(&mapped_lock);
}

bool ipc_region_known(const struct ipc_namespace *ns)
{
	for (struct mapped *m = smp_load_acquire(&all_mapped); m; m = m->next) {
		if (smp_load_acquire(&m->base) && m->ns == ns)
			return true;
	}
	return false;
}

bool ipc_ns_fault(const void *addr)
{
	for (struct mapped *m = smp_load_acquire(&all_mapped); m; m = m->next) {
		const char *base = smp_load_acquire(&m->base);
		struct ipc_namespace *ns = m->ns;

		if (!base || (const char *)addr < base ||
		    (const char *)addr >= base + ns->limit)
			continue;
		ns->gone = true;
		return mmap(ns->base, ns->limit, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				    MAP_FIXED,
			    -1, 0) == ns->base;
	}
	return false;
}

/* --- opening --- */

static void unmap(struct ipc_namespace *ns)
{
	if (ns->base)
		munmap(ns->base, ns->limit);
	close(ns->fd);
	ipc_trim_destroy(ns);
	free(ns);
}

/* The header tells the limit, the limit how much to map. */
static int map_file(struct ipc_namespace *ns)
{
	struct ipc_super s;
	struct stat st;
	void *base;

	if (fstat(ns->fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)IPC_PAGE ||
	    pread(ns->fd, &s, sizeof(s), 0) != (ssize_t)sizeof(s) ||
	    s.magic != IPC_MAGIC || s.version != IPC_VERSION ||
	    s.byte_order != IPC_BYTE_ORDER)
		return -EINVAL;
	if (!is_limit(s.limit) || (uint64_t)st.st_size < s.limit)
		return ipc_damaged("length", 0);
	ns->limit = s.limit;
	base = mmap(NULL, ns->limit, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_NORESERVE, ns->fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	ns->base = base;
	/* not in every core: a region without a name would be, all of it */
	madvise(base, ns->limit, MADV_DONTDUMP);
	return 0;
}

static int attach(struct ipc_namespace *ns)
{
	int err = map_file(ns);

	if (err)
		return err;
	err = check_super(ns);
	if (err)
		return err;
	err = percpu_counter_attach(ns->counters, IPC_NR_COUNTERS,
				    ipc_at(ns, IPC_OFF_COUNTERS),
				    ns->off_arenas - IPC_OFF_COUNTERS);
	if (err)
		return ipc_damaged("counters", 0);
	ipc_trim_init(ns);
	return list_add(ns);
}

int ipc_ns_open_fd(int fd, struct ipc_namespace **ret)
{
	struct ipc_namespace *ns = calloc(1, sizeof(*ns));
	int err;

	if (!ns) {
		close(fd);
		return -ENOMEM;
	}
	ns->fd = fd;
	ns->patience = IPC_PATIENCE_NS;
	err = flock(fd, LOCK_SH | LOCK_NB) < 0 ? -errno : attach(ns);
	if (err) {
		unmap(ns);
		return err;
	}
	*ret = ns;
	return 0;
}

int ipc_ns_open(int dirfd, const char *name, struct ipc_namespace **ret)
{
	int fd = openat(dirfd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	int err;

	if (fd < 0)
		return -errno;
	err = ipc_ns_open_fd(fd, ret);
	if (err)
		return err;
	/* its reaper may have been faster */
	if (fstat(fd, &st) == 0 && st.st_nlink > 0)
		return 0;
	ipc_ns_close(*ret);
	return -EWOULDBLOCK;
}

void ipc_ns_close(struct ipc_namespace *ns)
{
	list_del(ns);
	percpu_counter_destroy_many(ns->counters, IPC_NR_COUNTERS);
	unmap(ns);
}

/* --- creating --- */

/* Not in a mapping: making one costs more than all the rest. */
static int fill_counters(int fd, const struct ipc_super *s)
{
	struct percpu_counter_params params =
		counter_params((enum ipc_counters)s->counters);
	struct percpu_counter handles[IPC_NR_COUNTERS];
	size_t size = s->off_arenas - IPC_OFF_COUNTERS;
	void *mem = aligned_alloc(IPC_PAGE, size);
	int err;

	if (!mem)
		return -ENOMEM;
	memset(mem, 0, size);
	err = percpu_counter_init_at(handles, 0, IPC_NR_COUNTERS, mem, size,
				     &params);
	if (!err) {
		percpu_counter_destroy_many(handles, IPC_NR_COUNTERS);
		if (pwrite(fd, mem, size, IPC_OFF_COUNTERS) != (ssize_t)size)
			err = -errno;
	}
	free(mem);
	return err;
}

/* Where a file may not be that large the signal would end the program. */
static bool is_too_large(uint64_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	       limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size;
}

/* The rest of it is zeroes. */
static int fill_file(int fd, const struct ipc_super *s)
{
	if (is_too_large(s->limit))
		return -EFBIG;
	if (ftruncate(fd, (off_t)s->limit) < 0)
		return -errno;
	/* but for the keys, which few need */
	if ((fallocate(fd, 0, 0, IPC_OFF_KEYS) < 0 ||
	     fallocate(fd, 0, IPC_OFF_COUNTERS,
		       (off_t)(s->off_slots + IPC_PAGE - IPC_OFF_COUNTERS)) <
		     0 ||
	     fallocate(fd, 0, (off_t)s->off_queues,
		       (off_t)(s->off_heap - s->off_queues)) < 0) &&
	    errno != EOPNOTSUPP)
		return errno == ENOSPC ? -ENOMEM : -errno;
	if (pwrite(fd, s, sizeof(*s), 0) != (ssize_t)sizeof(*s))
		return -errno;
	return fill_counters(fd, s);
}

static int set_owner(int fd, const struct ipc_params *p)
{
	if (fchmod(fd, p->mode ? p->mode & 0777 : 0600) < 0)
		return -errno;
	if (p->owner == geteuid() && p->group == getegid())
		return 0;
	/* who may not give files away records the owner all the same */
	if (fchown(fd, p->owner, p->group) < 0 && errno != EPERM)
		return -errno;
	return 0;
}

/* A file without a name; where there is no such thing, one that has lost it. */
static int open_nameless(int dirfd, bool *no_tmpfile)
{
	char name[64];
	int fd = openat(dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	*no_tmpfile = fd < 0;
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR &&
			errno != ENOENT && errno != EINVAL))
		return fd < 0 ? -errno : fd;
	snprintf(name, sizeof(name), ".kernfuse-ipc-%ld-%lx", (long)getpid(),
		 (unsigned long)(uintptr_t)&name);
	fd = openat(dirfd, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	unlinkat(dirfd, name, 0);
	return fd;
}

static int make_file(int dirfd, const struct ipc_params *p, bool *no_tmpfile)
{
	struct ipc_super s;
	int err = check_params(p, &s);
	int fd;

	if (err)
		return err;
	fill_super(&s, p);
	fd = open_nameless(dirfd, no_tmpfile);
	if (fd < 0)
		return fd;
	err = fill_file(fd, &s);
	if (!err)
		err = set_owner(fd, p);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int ipc_ns_create_private(int dirfd, const struct ipc_params *p,
			  struct ipc_namespace **ret)
{
	bool no_tmpfile;
	int fd = make_file(dirfd, p, &no_tmpfile);

	return fd < 0 ? fd : ipc_ns_open_fd(fd, ret);
}

/* Gives the complete file its name, without replacing anything. */
static int link_file(int fd, int dirfd, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, path, dirfd, name, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	return -errno;
}

int ipc_ns_create(int dirfd, const char *name, const struct ipc_params *p,
		  struct ipc_namespace **ret)
{
	struct ipc_namespace *ns;
	bool no_tmpfile;
	int fd = make_file(dirfd, p, &no_tmpfile);
	int err;

	if (fd < 0)
		return fd;
	err = ipc_ns_open_fd(fd, &ns);
	if (err)
		return err;
	err = no_tmpfile ? -EOPNOTSUPP : link_file(ns->fd, dirfd, name);
	if (err) {
		ipc_ns_close(ns);
		return err;
	}
	*ret = ns;
	return 0;
}

/* --- small things --- */

int ipc_ns_fd(const struct ipc_namespace *ns)
{
	return ns->fd;
}

int ipc_ns_set_inherit(struct ipc_namespace *ns, bool inherit)
{
	return fcntl(ns->fd, F_SETFD, inherit ? 0 : FD_CLOEXEC) < 0 ? -errno :
								      0;
}

struct ipc_owner ipc_ns_owner(const struct ipc_namespace *ns)
{
	return ns->owner;
}

enum ipc_counters ipc_ns_counters(const struct ipc_namespace *ns)
{
	return ns->counters_mode;
}

bool ipc_ns_dead(const struct ipc_namespace *ns)
{
	return smp_load_acquire(&ipc_super(ns)->dead) != 0;
}
