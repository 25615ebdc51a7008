/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of fs/kernfs share: a root, and short ways to fill it. */
#ifndef TEST_UNIT_KERNFS_FIXTURE_H
#define TEST_UNIT_KERNFS_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "test/unit/testroot.h"
#include "test/unit/util.h"

static struct kernfs_root *root;
static struct kernfs_node *top; /* its root node */

static inline void setup_with(unsigned int flags)
{
	root = test_create_root(flags);
	top = kernfs_root_to_node(root);
}

static inline void setup(void)
{
	setup_with(0);
}

static inline void teardown(void)
{
	test_destroy_root(root);
}

/* For tests that want another root than the one of setup(). */
static inline void replace_root(unsigned int flags)
{
	teardown();
	setup_with(flags);
}

/* --- nodes --- */

static const struct kernfs_ops no_ops;

static inline struct kernfs_node *ok_node(struct kernfs_node *kn)
{
	if (IS_ERR_OR_NULL(kn))
		ck_abort_msg("no node: %ld", PTR_ERR(kn));
	return kn;
}

static inline struct kernfs_node *add_dir(struct kernfs_node *parent,
					  const char *name)
{
	return ok_node(kernfs_create_dir(parent, name, 0755, NULL));
}

static inline struct kernfs_node *
add_dir_ns(struct kernfs_node *parent, const char *name,
	   const struct ns_common *ns)
{
	return ok_node(kernfs_create_dir_ns(parent, name, 0755, 0, 0, NULL,
					    ns));
}

/* a directory whose children carry tags */
static inline struct kernfs_node *add_tagged(struct kernfs_node *parent,
					     const char *name)
{
	struct kernfs_node *kn = add_dir(parent, name);

	kernfs_enable_ns(kn);
	ck_assert(kernfs_ns_enabled(kn));
	return kn;
}

/* what creating a file returns */
static inline struct kernfs_node *try_file(struct kernfs_node *parent,
					   const char *name,
					   const struct ns_common *ns)
{
	return __kernfs_create_file(parent, name, 0644, 0, 0, KERNFS_PAGE_SIZE,
				    &no_ops, NULL, ns);
}

static inline struct kernfs_node *add_file(struct kernfs_node *parent,
					   const char *name)
{
	return ok_node(try_file(parent, name, NULL));
}

static inline struct kernfs_node *
add_file_ns(struct kernfs_node *parent, const char *name,
	    const struct ns_common *ns)
{
	return ok_node(try_file(parent, name, ns));
}

static inline struct kernfs_node *add_link(struct kernfs_node *parent,
					   const char *name,
					   struct kernfs_node *target)
{
	return ok_node(kernfs_create_link(parent, name, target));
}

/* --- questions --- */

/* Is the child of that name there, active or not, and is it @kn? */
static inline bool is_child(struct kernfs_node *dir, const char *name,
			    const struct kernfs_node *kn)
{
	struct kernfs_node *found = kernfs_find_and_get(dir, name);

	kernfs_put(found);
	return found == kn;
}

static inline struct stat stat_of(struct kernfs_node *kn)
{
	struct stat st;

	kernfs_iop_getattr(kn, NULL, &st);
	return st;
}

static inline void expect_path(struct kernfs_node *kn, const char *path)
{
	char buf[KERNFS_PATH_MAX];

	ck_assert_int_eq(kernfs_path(kn, buf, sizeof(buf)), (int)strlen(path));
	ck_assert_str_eq(buf, path);
}

/* --- names that collide --- */

/*
 * The hash is linear enough that "ca" and "bl" add the same to it wherever
 * they stand, so the 16 names made of four such pairs share one hash.
 */
#define NR_COLLIDING 16

static inline const char *colliding_name(unsigned int nr)
{
	static __thread char name[9];

	for (unsigned int i = 0; i < 4; i++)
		memcpy(name + 2 * i, nr >> (3 - i) & 1 ? "ca" : "bl", 2);
	return name;
}

/* x with x * odd = 1 modulo 2^64 */
static inline uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;

	for (unsigned int i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

/* The tag with which "a" is scrambled to @product, whose high half makes the
 * hash: two tags that differ in the low half only give "a" the same hash. */
static inline struct ns_common tag_for_a(uint64_t product)
{
	const uint64_t a = 'a' * 16 + ('a' >> 4);

	return (struct ns_common){
		product * inverse(UINT64_C(0x61C8864680B583EB)) * inverse(11) -
			a,
	};
}

/* --- a removal that waits --- */

/* A thread that removes @kn, which an active reference keeps it from. */
struct remover {
	struct kernfs_node *kn;
	bool done;
	pthread_t id;
};

static inline void *remover_thread(void *arg)
{
	struct remover *r = arg;

	kernfs_remove(r->kn);
	SET(r->done, true);
	return NULL;
}

/* @held is the node in the subtree with the active reference. */
static inline void remover_start(struct remover *r, struct kernfs_node *kn,
				 struct kernfs_node *held)
{
	*r = (struct remover){ .kn = kn };
	kernfs_get(kn);
	r->id = thread_start(remover_thread, r);
	wait_until(!kernfs_active(held));
}

static inline void remover_join(struct remover *r)
{
	thread_join(r->id);
	ck_assert(r->done);
	kernfs_put(r->kn);
}

#endif /* TEST_UNIT_KERNFS_FIXTURE_H */
