/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of test/parity/parity share.
 *
 * parity makes system calls and prints a line for each, so that two file
 * systems can be compared by comparing what it prints:
 *
 *	open: open(s.ro, O_WRONLY) = EACCES
 *
 * A line is the text of the call in the source and what it returned. Whatever
 * differs between two mounts by nature (numbers of inodes, times) is printed
 * as a relation that holds or does not. No call is made depending on what
 * another one returned: two outputs have the same lines.
 */
#ifndef TEST_PARITY_PARITY_H
#define TEST_PARITY_PARITY_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Names of one file system for what it has: see site.c. NULL: it has none. */
struct site {
	const char *dir;     /* a directory with all the files below in it */
	const char *subdir;  /* a directory in a directory */
	const char *ro;	     /* mode 0444, a few bytes that do not change */
	const char *rw;	     /* mode 0644 */
	const char *value;   /* accepted by rw, and what it reads as */
	const char *wo;	     /* mode 0200 */
	const char *link;    /* symbolic link to a directory */
	const char *bin;     /* 0444, read by a callback of its own */
	const char *failing; /* 0444, read gives an errno */
	const char *events;  /* says so when it changes */
	const char *trigger; /* 0644: "0" and "1" change it */
	const char *scratch; /* a directory that may be changed at will */
	const char *sro, *srw, *swo; /* files in it, like the above */
	const char *picky;	     /* 0644, refuses text that is no number */
	const char *remove;	     /* command that removes scratch */
	bool hooks;		     /* mkdir and rmdir work in scratch */
};
extern struct site s;

/* What data calls read into. */
extern char buf[1 << 16];
/* An address that nobody can read or write. */
extern char *nowhere;

/* Everything printed from here on belongs to this. */
void in_group(const char *name);
/* To be told apart from the same call a few lines up. */
void note(const char *what);

void say(const char *call, long ret);
void say_data(const char *call, long ret);
int say_fd(const char *call, int fd);
void say_holds(const char *what, bool holds);
void say_bits(const char *call, long ret, unsigned int bits);

/* The events an inotify descriptor has, in one line. */
void say_events(int fd);

/* 0 or more, or the errno */
#define CALL(expr) (errno = 0, say(#expr, (long)(expr)))
/* reads into buf: the bytes, too */
#define DATA(expr) (errno = 0, say_data(#expr, (long)(expr)))
/* a descriptor, to be used and closed */
#define FD(expr) (errno = 0, say_fd(#expr, (expr)))
/* a descriptor that is not needed */
#define TRY(expr) (errno = 0, close(say_fd(#expr, (expr))))
#define HOLDS(expr) say_holds(#expr, (expr))

/* Sleeps for that many milliseconds. */
void pause_ms(int ms);

/*
 * Runs @fn in a child with these ids and without capabilities unless @uid is
 * 0; @group is a supplementary group, or (gid_t)-1.
 */
void run_as(uid_t uid, gid_t gid, gid_t group, void (*fn)(void));
/* Runs @fn as id 0 of a user namespace where @outside is what 0 stands for. */
void run_in_userns(uid_t outside, void (*fn)(void));

/* --- the groups --- */

void group_dir(void);
void group_forbid(void);
void group_hooks(void);
void group_io(void);
void group_link(void);
void group_open(void);
void group_perm(void);
void group_poll(void);
void group_read(void);
void group_removed(void);
void group_setattr(void);
void group_stat(void);
void group_userns(void);
void group_write(void);
void group_xattr(void);

#endif /* TEST_PARITY_PARITY_H */
