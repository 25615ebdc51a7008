/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of fs/cli share: one section for each .c file.
 *
 * This room is the only one that prints, and each failure is printed once,
 * where it is known what was being done and to which path.
 */
#ifndef FS_CLI_INTERNAL_H
#define FS_CLI_INTERNAL_H

#include <kernfuse/locking.h>

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "fs/ipc/msg.h"
#include "fs/ipc/teardown.h"

/* Exit statuses, those of libfuse's fuse_main(). */
enum kf_exit {
	KF_EXIT_STOPPED = -1, /* asked to stop early; see kf_serve() */
	KF_EXIT_OK = 0,
	KF_EXIT_USAGE = 1,	   /* bad option or SOURCE */
	KF_EXIT_NO_MOUNTPOINT = 2, /* no MOUNTPOINT given */
	KF_EXIT_SETUP = 3,	   /* SOURCE could not be taken in */
	KF_EXIT_MOUNT = 4,	   /* could not be mounted */
	KF_EXIT_BACKGROUND = 5,	   /* could not go to the background */
	KF_EXIT_SIGNALS = 6,	   /* could not set up signal handlers */
	KF_EXIT_SILENT = 7,	   /* mounted, but does not answer */
	KF_EXIT_LOST = 8, /* ended by an error, or before it was ready */
};

/* --- message.c --- */

/* One line each: to stderr with the program's name, later to syslog. */
void kf_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A kf_error(), and where to read more. */
void kf_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Good to know; not with -q. */
void kf_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A kernfuse_log_fn: @priority is one of <syslog.h>. */
void kf_log(int priority, const char *line);
void kf_messages_quiet(void);
/* Whose --help a kf_usage_error() speaks of, kernfuse's at first. */
void kf_messages_help(const char *command);
void kf_messages_to_syslog(void);

/* --- options.c --- */

/* Who answers poll(2). */
enum kf_poll {
	KF_POLL_AUTO, /* we do, if a file can change */
	KF_POLL_ON,
	KF_POLL_OFF, /* the kernel: always readable and writable */
};

struct kf_options {
	const char *source;	/* as given; NULL: none yet */
	const char *mountpoint; /* as given; NULL: none yet */
	char *source_path;	/* absolute; NULL: SOURCE is "none" */
	char *mount_path;	/* absolute, or /dev/fd/N */
	bool foreground, debug, single_threaded, quiet;
	bool help, version;
	bool default_permissions; /* said by the user; on in any case */

	enum kernfs_locking locking;
	unsigned int nr_locks; /* 0: by the CPUs */
	unsigned int max_threads;
	unsigned int max_idle_threads; /* 0: none ever ends */
	unsigned int read_timeout_ms;
	unsigned int callback_timeout_ms; /* 0: none */
	unsigned int max_read; /* bytes; 0: the kernel's own limit */
	bool clone_fd;
	bool read_only;
	enum kf_poll poll;
	bool no_ipc;
	enum ipc_counters counters;
	enum ipc_teardown_mode teardown;
	bool set_uid, set_gid;
	uid_t uid;
	gid_t gid;
	mode_t umask;

	char *fsname;  /* NULL: SOURCE */
	char *subtype; /* NULL: kernfuse */
	char *flags;   /* words of the user's for libfuse: ",word,word" */
};

/* Return: KF_EXIT_OK, or an error that was told. */
enum kf_exit kf_options_parse(struct kf_options *o, int argc, char **argv);
void kf_options_finish(struct kf_options *o);
/* The -o string for libfuse, to be freed; NULL: no memory. */
char *kf_options_for_libfuse(const struct kf_options *o);

/* --- words.c: the words of -o --- */

/* Return: 0, or -1 and the error was told. */
int kf_words_parse(struct kf_options *o, const char *list);
/* Appends to a string that grows. Return: 0; -ENOMEM. */
int kf_append(char **str, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* --- help.c --- */

void kf_print_help(void);
void kf_print_version(void);

/* --- check.c: before anything is done --- */

/*
 * Resolves SOURCE and MOUNTPOINT and looks whether they, and /dev/fuse, can
 * serve. Return: KF_EXIT_OK, or an error that was told.
 */
enum kf_exit kf_check(struct kf_options *o);
/* A /dev/fuse that mount.fuse3 mounted already: the name leads nowhere. */
bool kf_is_fd_mountpoint(const char *mountpoint);
/* What to do about a mount that failed for the reason @why. */
const char *kf_mount_advice(const char *why);

/* --- background.c --- */

/* How the child tells its parent that the mount is there; -1: there is none. */
struct kf_ready {
	int fd;
};

/*
 * Forks. In the child: -1. In the parent: an exit status, when the mount
 * answers or the child has ended.
 */
int kf_background(struct kf_ready *ready, const struct kf_options *o);
/*
 * The mount is there: lets go of the terminal and tells the parent.
 * Return: 0; -errno there is no parent to tell any more.
 */
int kf_tell_ready(struct kf_ready *ready);

/* --- serve.c --- */

/* Takes SOURCE in, mounts, serves, unmounts. */
enum kf_exit kf_serve(const struct kf_options *o, struct kf_ready *ready);

#endif /* FS_CLI_INTERNAL_H */
