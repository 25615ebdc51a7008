/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Namespaces that a keeper keeps; see fs/ipc/namespace.h. */
#include "fs/ipc/namespace-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lock/assert.h"

/* --- names --- */

bool ipc_space_is_valid_name(const char *name)
{
	size_t len = strlen(name);

	return len && len <= NAME_MAX && !strchr(name, '/') &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       !ipc_is_dead_name(name);
}

static struct ipc_space **bucket_of(struct ipc_keeper *keeper, const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return &keeper->bucket[hash % IPC_NR_BUCKETS];
}

/* In a read section, or with the lock. */
static struct ipc_space *lookup(struct ipc_keeper *keeper, const char *name)
{
	struct ipc_space *space;

	/* acquire, pairs with the releases in insert() and unlink_space() */
	for (space = smp_load_acquire(bucket_of(keeper, name)); space;
	     space = smp_load_acquire(&space->next))
		if (strcmp(space->name, name) == 0)
			return space;
	return NULL;
}

/* -EEXIST: the name is taken. One that is dying has left. */
static int insert(struct ipc_keeper *keeper, struct ipc_space *space)
{
	struct ipc_space **bucket = bucket_of(keeper, space->name);
	int ret = -EEXIST;

	mutex_lock(&keeper->lock);
	if (!*space->name || !lookup(keeper, space->name)) {
		space->next = *bucket;
		/* pairs with the acquire in lookup() */
		smp_store_release(bucket, space);
		ret = 0;
	}
	mutex_unlock(&keeper->lock);
	return ret;
}

/* Readers that are at @space go on from it: it keeps its next. */
static void unlink_space(struct ipc_keeper *keeper, struct ipc_space *space)
{
	struct ipc_space **link = bucket_of(keeper, space->name);

	mutex_lock(&keeper->lock);
	while (*link != space)
		link = &(*link)->next;
	/* pairs with the acquire in lookup() */
	smp_store_release(link, space->next);
	mutex_unlock(&keeper->lock);
}

bool ipc_space_is_kept(struct ipc_keeper *keeper, const char *name)
{
	bool ours;

	kf_rcu_read_lock();
	ours = lookup(keeper, name) != NULL;
	kf_rcu_read_unlock();
	return ours;
}

struct ipc_space *find_ipc_ns(struct ipc_keeper *keeper, const char *name)
{
	struct ipc_space *space;

	if (!ipc_space_is_valid_name(name))
		return NULL;
	kf_rcu_read_lock();
	space = lookup(keeper, name);
	if (space && !get_ipc_ns_not_zero(space))
		space = NULL;
	kf_rcu_read_unlock();
	return space;
}

/* --- references --- */

void get_ipc_ns(struct ipc_space *space)
{
	/* relaxed: the caller's reference keeps it from ending */
	kf_assert(__atomic_fetch_add(&space->refs, 1, __ATOMIC_RELAXED) > 0);
}

bool get_ipc_ns_not_zero(struct ipc_space *space)
{
	unsigned int refs = READ_ONCE(space->refs);

	do {
		if (!refs)
			return false;
		/* relaxed: the read section has shown what it is */
	} while (!__atomic_compare_exchange_n(&space->refs, &refs, refs + 1,
					      true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return true;
}

static void put_space(struct ipc_space *space, bool may_wait)
{
	/* release: what we did comes before the end; acquire: and what others
	 * did, before we go on to it */
	if (__atomic_sub_fetch(&space->refs, 1, __ATOMIC_ACQ_REL))
		return;
	unlink_space(space->keeper, space);
	if (*space->name)
		ipc_space_rename_dead(space, space->name);
	space->dying.bytes = ipc_space_bytes(space);
	ipc_teardown_put(&space->keeper->td, &space->dying, may_wait);
}

void put_ipc_ns(struct ipc_space *space)
{
	kf_assert_none_held();
	put_space(space, true);
}

void put_ipc_ns_async(struct ipc_space *space)
{
	put_space(space, false);
}

struct ipc_namespace *ipc_space_ns(const struct ipc_space *space)
{
	return space->ns;
}

const char *ipc_space_name(const struct ipc_space *space)
{
	return space->name;
}

void ipc_space_set_remove(struct ipc_space *space,
			  void (*remove)(struct ipc_space *space, void *priv),
			  void *priv)
{
	space->remove = remove;
	space->priv = priv;
}

static uint64_t live_bytes(void *priv, uid_t uid)
{
	struct ipc_keeper *keeper = priv;
	uint64_t bytes = 0;

	mutex_lock(&keeper->lock);
	for (unsigned int i = 0; i < IPC_NR_BUCKETS; i++)
		for (struct ipc_space *space = keeper->bucket[i]; space;
		     space = space->next)
			if (space->dying.user->uid == uid)
				bytes += ipc_space_bytes(space);
	mutex_unlock(&keeper->lock);
	return bytes;
}

static const struct ipc_teardown_ops teardown_ops = {
	.free = ipc_space_free,
	.release = ipc_space_release,
	.live_bytes = live_bytes,
};

/* --- making --- */

struct ipc_space *ipc_space_alloc(struct ipc_keeper *keeper,
				  struct ipc_ucounts *user)
{
	struct ipc_space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->keeper = keeper;
	space->dying.user = user;
	space->refs = 1;
	space->fd = -1;
	return space;
}

static int make_region(struct ipc_space *space, const char *name,
		       const struct ipc_params *params)
{
	int dirfd = space->keeper->dirfd;
	int ret;

	if (!name)
		return ipc_ns_create_private(dirfd, params, &space->ns);
	ret = ipc_ns_create(dirfd, name, params, &space->ns);
	if (!ret)
		strcpy(space->name, name);
	return ret;
}

int create_ipc_ns(struct ipc_keeper *keeper, const char *name,
		  const struct ipc_params *params, struct ipc_space **ret)
{
	struct ipc_ucounts *user;
	struct ipc_space *space;
	int err;

	if (name && !ipc_space_is_valid_name(name))
		return -EINVAL;
	err = ipc_teardown_charge(&keeper->td, params->owner, &user);
	if (err)
		return err;
	err = -ENOMEM;
	space = ipc_space_alloc(keeper, user);
	if (!space)
		goto uncharge;
	err = make_region(space, name, params);
	if (err)
		goto free_space;
	err = insert(keeper, space);
	if (err)
		goto remove_region;
	*ret = space;
	return 0;

remove_region:
	unlinkat(keeper->dirfd, name, 0);
	ipc_ns_close(space->ns);
free_space:
	free(space);
uncharge:
	ipc_teardown_uncharge(&keeper->td, user);
	return err;
}

int open_ipc_ns(struct ipc_keeper *keeper, const char *name,
		struct ipc_space **ret)
{
	struct ipc_namespace *ns;
	struct ipc_ucounts *user;
	struct ipc_space *space;
	int err;

	if (!ipc_space_is_valid_name(name))
		return -EINVAL;
	err = ipc_ns_open(keeper->dirfd, name, &ns);
	if (err)
		return err;
	err = ipc_teardown_adopt(&keeper->td, ipc_ns_owner(ns).uid, &user);
	if (err)
		goto close;
	err = -ENOMEM;
	space = ipc_space_alloc(keeper, user);
	if (!space)
		goto uncharge;
	space->ns = ns;
	strcpy(space->name, name);
	err = insert(keeper, space);
	if (err)
		goto free_space;
	*ret = space;
	return 0;

free_space:
	free(space);
uncharge:
	ipc_teardown_uncharge(&keeper->td, user);
close:
	ipc_ns_close(ns);
	return err;
}

/* --- keepers --- */

int ipc_keeper_create(int dirfd, const struct ipc_teardown_params *params,
		      struct ipc_keeper **ret)
{
	struct ipc_keeper *keeper = calloc(1, sizeof(*keeper));
	int err;

	if (!keeper)
		return -ENOMEM;
	mutex_init(&keeper->lock, KF_RANK_IPC);
	keeper->dirfd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (keeper->dirfd < 0) {
		err = -errno;
		goto free_keeper;
	}
	err = ipc_teardown_init(&keeper->td, params, &teardown_ops, keeper);
	if (err)
		goto close_dir;
	*ret = keeper;
	return 0;

close_dir:
	close(keeper->dirfd);
free_keeper:
	mutex_destroy(&keeper->lock);
	free(keeper);
	return err;
}

void ipc_keeper_destroy(struct ipc_keeper *keeper)
{
	if (!keeper)
		return;
	for (unsigned int i = 0; i < IPC_NR_BUCKETS; i++)
		kf_assert(!keeper->bucket[i]);
	ipc_teardown_destroy(&keeper->td, ipc_space_abandon);
	close(keeper->dirfd);
	mutex_destroy(&keeper->lock);
	free(keeper);
}

void ipc_keeper_flush(struct ipc_keeper *keeper)
{
	ipc_teardown_flush(&keeper->td);
}

ssize_t ipc_keeper_text(struct ipc_keeper *keeper, char **ret_text)
{
	size_t size;
	FILE *out = open_memstream(ret_text, &size);

	if (!out)
		return -ENOMEM;
	ipc_teardown_print(&keeper->td, out);
	if (fclose(out)) {
		free(*ret_text);
		return -ENOMEM;
	}
	return (ssize_t)size;
}
