/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who asks: what a callback can learn about the request it runs for.
 *
 * In the kernel a callback looks at `current`. Here the client is another
 * process, and the server that carries out its request says who it is.
 */
#ifndef KERNFUSE_CALLER_H
#define KERNFUSE_CALLER_H

#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

struct kernfs_caller {
	pid_t pid; /* thread that made the system call, as the server sees it;
		    * 0: not visible in its pid namespace */
	pid_t tgid; /* its process; 0 likewise */
	uid_t fsuid;
	gid_t fsgid;
	const gid_t *groups; /* supplementary groups */
	size_t nr_groups;
	/*
	 * CAP_* bits it has in the server's user namespace: none if it is in
	 * another one, whatever it may do there
	 */
	uint64_t cap_effective;
};

/**
 * kernfs_current_caller - who made the system call this callback runs for
 *
 * Context: inside a callback or hook; may sleep. Takes no lock. The first call
 * in a callback costs a server some system calls, the others nothing.
 * Return: the caller, valid until the callback returns; NULL: nobody, since
 * the program called the library itself.
 */
KERNFUSE_PUBLIC const struct kernfs_caller *kernfs_current_caller(void);

/**
 * kernfs_current_interrupted - has the client given up?
 *
 * For callbacks that wait: true when the client got a signal, the server is to
 * end, or the callback has had its callback_timeout. The callback should then
 * return -EINTR soon; ask a few times a second. Such callbacks set
 * kernfs_ops.may_block.
 *
 * Context: inside a callback, with any lock held.
 */
KERNFUSE_PUBLIC bool kernfs_current_interrupted(void);

/* --- for servers --- */

/* A request being carried out, in one thread. */
struct kernfs_request {
	/* fills in @ret_who, once, when somebody asks */
	void (*who)(struct kernfs_request *rq, struct kernfs_caller *ret_who);
	bool (*interrupted)(struct kernfs_request *rq); /* NULL: never */
	/* private to the library */
	struct kernfs_caller caller;
	bool known;
};

/**
 * kernfs_set_request - from here on this thread works for a request
 * @rq: the request, kept by reference; NULL: for none
 *
 * Context: any. Takes no lock.
 * Return: what was set before.
 */
KERNFUSE_PUBLIC struct kernfs_request *
kernfs_set_request(struct kernfs_request *rq);

KERNFUSE_END_DECLS

#endif /* KERNFUSE_CALLER_H */
