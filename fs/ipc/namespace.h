/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The namespaces of one directory, with references: what a daemon keeps.
 *
 * A keeper has a directory of region files (fs/ipc/msg.h). For each namespace
 * there is a struct ipc_space with the region mapped. The last put takes it
 * out of the keeper, marks it dead by giving its file another name, and leaves
 * the rest to fs/ipc/teardown.h: removing its part of a tree, and freeing the
 * memory, messages first, the header last.
 *
 * Marking is one rename, so that a name can be used again at once, and so that
 * a keeper that dies leaves what it had not freed under names that say so:
 * ipc_keeper_scan() of the next one finds and frees it.
 *
 * A process may have a region mapped without its keeper knowing; it then has a
 * shared flock() on it. The keeper frees a region only with the exclusive one,
 * and tries again as long as it does not get that.
 */
#ifndef FS_IPC_NAMESPACE_H
#define FS_IPC_NAMESPACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "fs/ipc/msg.h"
#include "fs/ipc/teardown.h"

/* Names of dead regions begin so; others may not. */
#define IPC_DEAD_PREFIX ".dead-"

struct ipc_keeper;
struct ipc_space;

/*
 * ipc_keeper_create - begin to keep the namespaces of a directory
 * @dirfd: the directory; may be closed afterwards
 * @params: or NULL
 *
 * Starts a thread, which a child of fork() does not have.
 *
 * Return: 0, -errno.
 */
int ipc_keeper_create(int dirfd, const struct ipc_teardown_params *params,
		      struct ipc_keeper **ret);

/*
 * ipc_keeper_destroy - free what is pending, and the keeper
 *
 * All spaces have been put. Regions that are held by some process lose their
 * name; the last holder frees the memory. NULL is ignored.
 *
 * Context: sleeps; no lock held.
 */
void ipc_keeper_destroy(struct ipc_keeper *keeper);

/*
 * create_ipc_ns - make a namespace
 * @name: of its file; NULL: it has none, and cannot be found
 * @params: as for ipc_ns_create(); params->owner is charged
 * @ret: with one reference
 *
 * At a limit of the owner's, waits until all that is pending is freed.
 *
 * Context: sleeps; no lock held.
 * Return: 0; -ENOSPC, -EDQUOT limits; -EEXIST; -EINVAL the name cannot be
 * that of a file, or of a live region; what ipc_ns_create() returns. On
 * failure nothing is left.
 */
int create_ipc_ns(struct ipc_keeper *keeper, const char *name,
		  const struct ipc_params *params, struct ipc_space **ret);

/*
 * open_ipc_ns - keep a namespace that is there already, of an earlier keeper
 *
 * As create_ipc_ns(), but limits do not count. -EEXIST: it is kept already.
 */
int open_ipc_ns(struct ipc_keeper *keeper, const char *name,
		struct ipc_space **ret);

/*
 * find_ipc_ns - the namespace of that name, with a reference more
 *
 * Takes no lock.
 *
 * Return: NULL if there is none, or its last reference was just put.
 */
struct ipc_space *find_ipc_ns(struct ipc_keeper *keeper, const char *name);

/* One reference more: the caller has one. */
void get_ipc_ns(struct ipc_space *space);
/* One more if there is any; false if not. In a read section. */
bool get_ipc_ns_not_zero(struct ipc_space *space);

/*
 * put_ipc_ns - a reference less
 *
 * The last one frees the namespace now or later, see fs/ipc/teardown.h. Now
 * includes the function of ipc_space_set_remove(). put_ipc_ns_async() never
 * does it now and never waits: for callers whom that function would wait for,
 * as callbacks of the namespace's own files.
 *
 * Context: sleeps, no lock held; async: any but a read section.
 */
void put_ipc_ns(struct ipc_space *space);
void put_ipc_ns_async(struct ipc_space *space);

/* Valid as long as the caller has a reference. "" if it has no name. */
struct ipc_namespace *ipc_space_ns(const struct ipc_space *space);
const char *ipc_space_name(const struct ipc_space *space);

/*
 * ipc_space_set_remove - what else goes with the namespace
 * @remove: called once after the last put and before anything is freed, in
 *	    any thread, with no lock held. After it nobody may use the mapping:
 *	    it waits for those who do.
 *
 * Context: before others can put their references.
 */
void ipc_space_set_remove(struct ipc_space *space,
			  void (*remove)(struct ipc_space *space, void *priv),
			  void *priv);

/*
 * ipc_keeper_scan - look what is in the directory
 * @keep: called for each region that is not kept and not dead: false to have
 *	  it freed. @held: some process has it, and it stays in any case.
 *
 * Dead regions are freed, deferred whatever the mode; those that some process
 * has, once it has gone. To be called before anything was put: what is pending
 * here would look like what an earlier keeper has left.
 *
 * Context: sleeps; no lock held.
 * Return: how many were put to be freed, or -errno.
 */
int ipc_keeper_scan(struct ipc_keeper *keeper,
		    bool (*keep)(const char *name, bool held, void *priv),
		    void *priv);

/*
 * ipc_keeper_reap - free a region that a process made and left
 * @name: of its file
 *
 * As a last put, but the keeper never had it: there is nothing to remove from
 * a tree, and nothing is mapped. The owner of the file is charged until it is
 * freed.
 *
 * Context: as put_ipc_ns().
 * Return: 0; -EBUSY some process has it, or it is kept; -EINVAL it is no file
 * or the name of none; -ENOMEM; what open() returns.
 */
int ipc_keeper_reap(struct ipc_keeper *keeper, const char *name);

/* Waits until all that was put before is freed, or held by some process. */
void ipc_keeper_flush(struct ipc_keeper *keeper);

/* For kernel/ipc/teardown: lines as by ipc_teardown_print(), malloc()ed, with
 * a NUL behind. Return: the length; -ENOMEM. */
ssize_t ipc_keeper_text(struct ipc_keeper *keeper, char **ret_text);

#endif /* FS_IPC_NAMESPACE_H */
