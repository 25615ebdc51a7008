/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SysV message queues in a file that processes share: one region is one IPC
 * namespace, and these are its four calls. What each call does, in which
 * order it tests and what it fails with is that of Linux 6.18, except that
 * MSG_INFO holds its totals at INT_MAX, where that kernel's go negative.
 *
 * All return -errno. The names of the calls are the kernel's.
 *
 * Context. Calls may be made by any thread of any process that has the region
 * mapped; a mapping made before fork() serves the child, too. No memory is
 * allocated, but for ipc_ns_*open/create and the /proc text. The caller's
 * memory (@msgp, @buf) is touched only while no lock of the region is held,
 * by the calling thread: a pointer that is plainly none (below the first
 * page, or no user address at all) gives -EFAULT, any other bad one faults
 * in the caller, as in memcpy(), and harms nobody else.
 *
 * Death. A process may be killed at any instruction. What it held is put
 * right by the next one that meets it, at the latest by a sleeper, each of
 * which looks around every two seconds; see fs/ipc/README.md.
 *
 * A signal handler that interrupts a call may make calls itself, but not on
 * the queue that the interrupted call has locked: those get -EDEADLK. A call
 * that is left by longjmp() is cleaned up by the thread's next call.
 *
 * Trust. Whoever can open the file can write anything into it. Nothing found
 * there is believed: a damaged queue gives -EIDRM, a damaged region -EIO,
 * and a line through ipc_set_log().
 */
#ifndef FS_IPC_MSG_H
#define FS_IPC_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/msg.h>
#include <sys/types.h>
#include <time.h>

struct ipc_namespace; /* one mapped region */

/* Who calls. Nothing is kept; @tgid and @tid end up in lspid and lrpid. */
struct ipc_cred {
	uid_t euid;
	gid_t egid;
	const gid_t *groups; /* supplementary */
	size_t nr_groups;
	pid_t tgid;
	pid_t tid;
	bool cap_ipc_owner;	     /* passes every test of mode bits */
	bool cap_sys_admin;	     /* may IPC_SET and IPC_RMID any queue */
	bool cap_sys_resource;	     /* may raise a queue above msgmnb */
	bool cap_checkpoint_restore; /* for callers of IPC_LIMIT_NEXT_ID */
};

/* --- namespaces --- */

enum ipc_counters {
	IPC_COUNTERS_PERCPU,
	IPC_COUNTERS_ATOMIC,
};

/* How far a region may be allowed to grow, in bytes: at most half of what the
 * 32 bits of a reference reach. */
#define IPC_MEMORY_MIN (20ull << 20)
#define IPC_MEMORY_MAX (64ull << 30)

struct ipc_params {
	enum ipc_counters counters;
	uid_t owner; /* recorded, see ipc_ns_owner(); the file gets it if it
		      * is not the caller's and the caller may */
	gid_t group;
	mode_t mode;  /* of the file; 0: 0600 */
	size_t limit; /* how far the region may grow, in bytes; 0: 4 GiB */
};

/*
 * Makes the file @name in @dirfd (AT_FDCWD works) and maps it. The file has
 * its name only once it is complete. -EEXIST, -EINVAL for a limit too small
 * or too large, -ENOMEM, -EFBIG for RLIMIT_FSIZE, and whatever open() gives.
 */
int ipc_ns_create(int dirfd, const char *name, const struct ipc_params *params,
		  struct ipc_namespace **ret);

/* The same without a name: for private namespaces. Give the fd away by
 * fork() and exec(), it is close-on-exec until ipc_ns_set_inherit(). */
int ipc_ns_create_private(int dirfd, const struct ipc_params *params,
			  struct ipc_namespace **ret);

/*
 * Maps the region of an existing file, with a shared flock() on it. -EINVAL
 * if it is no region or one of another version or byte order, -EIO if its
 * header is damaged, -EWOULDBLOCK if its reaper has it (try again by name).
 */
int ipc_ns_open(int dirfd, const char *name, struct ipc_namespace **ret);

/* The same by descriptor: it must be open for reading and writing and
 * belongs to the namespace from then on, also if this fails. */
int ipc_ns_open_fd(int fd, struct ipc_namespace **ret);

/* Unmaps and closes. No thread may be in a call. The region lives on. */
void ipc_ns_close(struct ipc_namespace *ns);

/* The descriptor whose flock() (LOCK_SH) keeps the region alive. */
int ipc_ns_fd(const struct ipc_namespace *ns);

/* Whether the descriptor survives exec(). 0 or -errno. */
int ipc_ns_set_inherit(struct ipc_namespace *ns, bool inherit);

struct ipc_owner {
	uid_t uid;
	gid_t gid;
};
struct ipc_owner ipc_ns_owner(const struct ipc_namespace *ns);
enum ipc_counters ipc_ns_counters(const struct ipc_namespace *ns);

/*
 * The namespace is over: sleepers wake with -EIDRM, later calls get -EINVAL,
 * as on queues that were removed. Memory stays until the file goes. May be
 * called at any time, also when the region is damaged; takes queue locks,
 * each for a moment. What a call in progress has begun is finished.
 */
void ipc_ns_kill(struct ipc_namespace *ns);
bool ipc_ns_dead(const struct ipc_namespace *ns);

/* --- the calls --- */

/* -ENOENT -EEXIST -EACCES -ENOSPC -ENOMEM */
int ksys_msgget(struct ipc_namespace *ns, const struct ipc_cred *cred,
		key_t key, int flg);

/*
 * @msgp: a long, the type, then @size bytes of text. Sleeps while the queue
 * is full, unless IPC_NOWAIT. -EINTR when a signal handler has run while it
 * slept; never restarted.
 * -EFAULT -EINVAL -ENOMEM -EACCES -EIDRM -EAGAIN -EINTR
 */
int ksys_msgsnd(struct ipc_namespace *ns, const struct ipc_cred *cred, int id,
		const void *msgp, size_t size, int flg);

/*
 * Bytes copied, 0 for an empty message. As in the kernel a message is gone
 * when its buffer turns out to be bad (-EFAULT).
 * -EINVAL -EACCES -EIDRM -ENOMSG -E2BIG -EFAULT -EINTR
 */
ssize_t ksys_msgrcv(struct ipc_namespace *ns, const struct ipc_cred *cred,
		    int id, void *msgp, size_t size, long type, int flg);

/*
 * @buf: struct msqid_ds for IPC_STAT, IPC_SET, MSG_STAT, MSG_STAT_ANY; struct
 * msginfo for IPC_INFO, MSG_INFO; not used for IPC_RMID. 0, an id (MSG_STAT*)
 * or the highest index in use (*_INFO).
 * -EFAULT -EINVAL -EACCES -EPERM -EIDRM
 */
int ksys_msgctl(struct ipc_namespace *ns, const struct ipc_cred *cred, int id,
		int cmd, void *buf);

/*
 * For a process that makes calls on behalf of others: asked by each sleeper as
 * often as it looks around; true ends its sleep with -EINTR. NULL: nobody is
 * asked (default). To be set before there are calls.
 */
void ipc_set_interrupted(bool (*interrupted)(void));

/* --- limits and figures; none of these test permissions --- */

enum ipc_limit {
	IPC_LIMIT_MSGMAX, /* 0..INT_MAX, as msgmnb */
	IPC_LIMIT_MSGMNB,
	IPC_LIMIT_MSGMNI,  /* 0..32768 */
	IPC_LIMIT_NEXT_ID, /* 0..INT_MAX; reads -1 when not set */
};

struct ipc_limits {
	int msgmax;
	int msgmnb;
	int msgmni;
	int msg_next_id;
};

void ipc_get_limits(struct ipc_namespace *ns, struct ipc_limits *ret);
int ipc_set_limit(struct ipc_namespace *ns, enum ipc_limit which, long value);

/*
 * Exact when no call is in progress; else each is of some moment during this
 * call, and not below 0. Sums counters, takes no lock unless somebody died
 * while he counted: then it locks all queues and counts again. May sleep.
 */
struct ipc_totals {
	int64_t msg_hdrs;    /* messages in queues */
	int64_t msg_bytes;   /* bytes of their texts */
	int queues;	     /* in use */
	int highest_index;   /* -1: no queue */
	uint64_t recoveries; /* locks and slots of dead callers put right */
};
int ipc_get_totals(struct ipc_namespace *ns, struct ipc_totals *ret);

/* A system call. */
struct ipc_memory {
	uint64_t used;	/* bytes of memory that the file has */
	uint64_t limit; /* how far it may grow */
};
int ipc_get_memory(struct ipc_namespace *ns, struct ipc_memory *ret);

/*
 * Changes whenever a queue was made or removed: for who shows the queues of a
 * region and wants to know whether to look again. Read it before you look.
 */
uint64_t ipc_ns_generation(const struct ipc_namespace *ns);

/* Queue number @index (0..32767) at one moment; -ENOENT if there is none,
 * -EIO if it is damaged. Locks the queue for that moment. */
struct ipc_queue_stat {
	int id;
	key_t key;
	mode_t mode;
	uid_t uid, cuid;
	gid_t gid, cgid;
	uint64_t cbytes, qnum, qbytes;
	pid_t lspid, lrpid;
	time_t stime, rtime, ctime;
	unsigned int receivers, senders; /* asleep */
};
#define IPC_INDEX_MAX 32768
int ipc_queue_stat(struct ipc_namespace *ns, int index,
		   struct ipc_queue_stat *ret);

/*
 * The table of /proc/sysvipc/msg, header line included. Returns its length;
 * *@ret_text is malloc()ed and has a NUL behind it. -ENOMEM.
 */
ssize_t ipc_proc_sysvipc_msg(struct ipc_namespace *ns, char **ret_text);

/* --- looking after a region --- */

/*
 * Puts right what callers left that died: their messages go back, their
 * locks are freed, their slots given to others. How many dead callers there
 * were, or -EIO. Cheap when there were none. The daemon may call it now and
 * then; sleepers, and whoever lacks memory, do it by themselves.
 */
int ipc_ns_recover(struct ipc_namespace *ns);

struct ipc_audit {
	uint64_t queues, messages, bytes; /* found by walking */
	int64_t msg_hdrs, msg_bytes;	  /* the counters */
	uint64_t blocks_free, blocks_queued, blocks_held, blocks_lost;
	uint64_t slots, slots_busy; /* callers inside a call */
	unsigned int faults;
	char first_fault[128]; /* what and where, "" if none */
};

/*
 * Recovers, then walks everything with all queues locked: every link, index,
 * count and block. 0 if it is sound, -EIO if not (@ret says what), or if the
 * region is damaged. blocks_lost must be 0. Takes a while; sleeps.
 */
int ipc_ns_audit(struct ipc_namespace *ns, struct ipc_audit *ret);

/*
 * A file that shrinks under its mapping, or a full tmpfs, raises SIGBUS in
 * whoever touches it. A process with a SIGBUS handler hands the fault address
 * over: true if it was in a region, which is now dead for this process (reads
 * as zeros, calls give -EIO) and the handler can return. Async-signal-safe.
 */
bool ipc_ns_fault(const void *addr);

/*
 * To be called first in every signal handler, by whoever can see to that: a
 * call that has to sleep, or does so, is then sure to give -EINTR. Without, a
 * signal goes unnoticed that comes just before the sleep, or as a sleeper looks
 * around by himself, which takes some microseconds. The preload library does
 * so. Async-signal-safe; a few instructions if the thread is in no call.
 */
void ipc_note_signal(void);

/* One line of text, no newline, when damage is found. NULL: silent (default).
 * Called with no locks of the region held by this thread. */
void ipc_set_log(void (*log)(const char *line));

#endif /* FS_IPC_MSG_H */
