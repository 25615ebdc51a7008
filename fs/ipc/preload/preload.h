/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the preload library share: one section for each .c file.
 *
 * The library runs inside programs that know nothing of it, in their threads,
 * signal handlers and half-made children. So: it holds no lock of its own,
 * prints nothing, changes errno only where a call fails, keeps its hands off
 * the program's descriptors and memory, and lets through unchanged what is
 * not for it.
 *
 * A file includes this first: it takes back what hardened builds do to the
 * system's headers, where names defined here would be inline functions.
 */
#ifndef FS_IPC_PRELOAD_H
#define FS_IPC_PRELOAD_H

#undef _FORTIFY_SOURCE

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "fs/ipc/msg.h"

/* A call of the program's that comes here. */
#define KF_CALL __attribute__((visibility("default")))
/* Another name of one. */
#if __has_attribute(copy)
#define KF_ALIAS(name)                                                         \
	__attribute__((visibility("default"), alias(#name), copy(name)))
#else
#define KF_ALIAS(name) __attribute__((visibility("default"), alias(#name)))
#endif

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Some programs ask whether a bad pointer gives EFAULT: the kernel shall say. */
static inline bool kf_is_pointer(const void *ptr)
{
	return (uintptr_t)ptr >= 4096 && (uintptr_t)ptr <= UINTPTR_MAX / 2;
}

/* --- real.c: the calls that ours stand before --- */

struct kf_real {
	int (*access)(const char *path, int mode);
	int (*capset)(void *header, const void *data);
	int (*clone)(int (*fn)(void *arg), void *stack, int flags, void *arg,
		     ...);
	int (*close)(int fd);
	int (*close_range)(unsigned int first, unsigned int last, int flags);
	int (*dup2)(int fd, int to);
	int (*dup3)(int fd, int to, int flags);
	int (*euidaccess)(const char *path, int mode);
	int (*execve)(const char *path, char *const argv[],
		      char *const envp[]);
	int (*execveat)(int dirfd, const char *path, char *const argv[],
			char *const envp[], int flags);
	int (*execvpe)(const char *file, char *const argv[],
		       char *const envp[]);
	int (*faccessat)(int dirfd, const char *path, int mode, int flags);
	int (*fclose)(FILE *stream);
	int (*fexecve)(int fd, char *const argv[], char *const envp[]);
	FILE *(*fopen)(const char *path, const char *mode);
	int (*fstat)(int fd, struct stat *st);
	int (*fstatat)(int dirfd, const char *path, struct stat *st,
		       int flags);
	int (*initgroups)(const char *user, gid_t group);
	int (*lstat)(const char *path, struct stat *st);
	int (*msgctl)(int id, int cmd, void *buf);
	int (*msgget)(key_t key, int flg);
	ssize_t (*msgrcv)(int id, void *msgp, size_t size, long type,
			  int flg);
	int (*msgsnd)(int id, const void *msgp, size_t size, int flg);
	int (*open)(const char *path, int flags, ...);
	int (*openat)(int dirfd, const char *path, int flags, ...);
	FILE *(*popen)(const char *command, const char *type);
	int (*posix_spawn)(pid_t *pid, const char *path,
			   const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attr, char *const argv[],
			   char *const envp[]);
	int (*posix_spawnp)(pid_t *pid, const char *file,
			    const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attr, char *const argv[],
			    char *const envp[]);
	int (*setegid)(gid_t egid);
	int (*seteuid)(uid_t euid);
	int (*setgid)(gid_t gid);
	int (*setgroups)(size_t nr, const gid_t *groups);
	int (*setns)(int fd, int type);
	int (*setregid)(gid_t rgid, gid_t egid);
	int (*setresgid)(gid_t rgid, gid_t egid, gid_t sgid);
	int (*setresuid)(uid_t ruid, uid_t euid, uid_t suid);
	int (*setreuid)(uid_t ruid, uid_t euid);
	int (*setuid)(uid_t uid);
	int (*sigaction)(int sig, const struct sigaction *action,
			 struct sigaction *old);
	void (*(*signal)(int sig, void (*fn)(int)))(int);
	void (*(*sigset)(int sig, void (*fn)(int)))(int);
	int (*stat)(const char *path, struct stat *st);
	int (*statx)(int dirfd, const char *path, int flags,
		     unsigned int mask, struct statx *stx);
	int (*system)(const char *command);
	void (*(*sysv_signal)(int sig, void (*fn)(int)))(int);
	int (*unshare)(int flags);
	ssize_t (*write)(int fd, const void *buf, size_t size);
};

/* What the next library, or the C library, has by these names. */
const struct kf_real *kf_real(void);

/* --- task.c: who is calling --- */

/*
 * The calling thread's credentials. They are asked of the kernel once, and
 * again after fork() in any form, after vfork() and after whatever changes
 * ids, groups or capabilities; see kf_task_forget_all().
 *
 * Return: good until the thread's next call of this.
 */
const struct ipc_cred *kf_task_cred(void);
/* All threads ask again. */
void kf_task_forget_all(void);
/* This thread asks again: it may have become another one. */
void kf_task_forget(void);

/* --- attach.c: which namespace --- */

/*
 * The namespace this process is in. Attached at the first call.
 *
 * Return: NULL and *@ret_err is -ENOSYS: there should be one, but it cannot be
 * reached; NULL and 0: none, this program was started without.
 */
struct ipc_namespace *kf_ns(int *ret_err);
/* There is one, or should be. Costs nothing. */
bool kf_in_ns(void);

/*
 * Makes @ns that of this process and of the programs it will start. @path
 * leads to its region, or is NULL for one that has no name. Takes @ns over
 * if it succeeds. Return: 0; -errno.
 */
int kf_ns_switch(struct ipc_namespace *ns, const char *path);
/* A new one as the present one is, without a name. Return: 0; -errno. */
int kf_ns_create(struct ipc_namespace **ret_ns);

/* Our descriptor, which the program may not close; -1: none. */
int kf_ns_fd(void);
/* Before a new program: the descriptor is there and will be there. */
void kf_ns_before_exec(void);
/* "KERNFUSE_IPC_NS=..." for an environment. */
const char *kf_ns_variable(void);

/* --- procfile.c: the files of /proc that are about queues --- */

enum kf_procfile {
	KF_PROC_NONE = -1,
	KF_PROC_SYSVIPC_MSG,
	KF_PROC_MSGMAX,
	KF_PROC_MSGMNB,
	KF_PROC_MSGMNI,
	KF_PROC_MSG_NEXT_ID,
	KF_NR_PROC,
};

/* Which of them @path is, if this process has a namespace. */
enum kf_procfile kf_procfile(const char *path);
/* What the memory file is called that stands for it. */
#define KF_PROCFILE_NAME_MAX 64
void kf_procfile_name(enum kf_procfile file, char *buf);
/* Which of them @fd is, of those that kf_procfile_open() made. */
enum kf_procfile kf_procfile_of_fd(int fd);
/* As for stat(). */
void kf_procfile_stat(enum kf_procfile file, struct stat *st);
/* May user @uid? @mode as for access(). Return: 0; -EACCES. */
int kf_procfile_access(enum kf_procfile file, int mode, uid_t uid);
/* Return: bytes, and *@ret_text is to be freed; -errno. */
ssize_t kf_procfile_read(enum kf_procfile file, char **ret_text);
/* As one write to it. Return: @size; -errno. */
ssize_t kf_procfile_write(enum kf_procfile file, const char *text,
			  size_t size);

/* --- open.c --- */

/*
 * A descriptor with the present content. What is written to it counts at the
 * write(); what the C library writes by itself, when it is closed or replaced
 * or the program ends. Return: fd; -errno.
 */
int kf_procfile_open(enum kf_procfile file, int flags);
/* Whether @fd is one that may be written to. */
bool kf_written(int fd);
/* @fd is about to be closed or replaced. Return: 0; -errno for the content. */
int kf_written_flush(int fd);
/* @to has become a duplicate of @fd. */
void kf_written_dup(int fd, int to);

/* --- syscall.c --- */

/* syscall() without a look at the number */
long kf_syscall_raw(long nr, long a, long b, long c, long d, long e, long f)
	__attribute__((visibility("hidden")));

/* --- signal.c --- */

/* As syscall(SYS_rt_sigaction, ...), where the handler comes first in it. */
long kf_signal_syscall(long sig, const void *action, void *old, long size);

#endif /* FS_IPC_PRELOAD_H */
