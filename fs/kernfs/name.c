/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names: the hash that orders a directory, and comparing by it.
 *
 * The hash is the kernel's to the last bit, since it is visible: readdir of a
 * real sysfs reports it as offset. The constants come from there.
 */
#include "fs/kernfs/kernfs-internal.h"

#include <string.h>

#define GOLDEN_RATIO_64 UINT64_C(0x61C8864680B583EB)

uint32_t kernfs_name_hash(const char *name, const struct ns_common *ns)
{
	uint64_t x = kernfs_ns_id(ns);
	uint32_t hash;

	for (const unsigned char *c = (const unsigned char *)name; *c; c++)
		x = (x + ((uint64_t)*c << 4) + (*c >> 4)) * 11;
	hash = (uint32_t)((x * GOLDEN_RATIO_64) >> 32) & 0x7fffffff;
	/* 0, 1 and INT_MAX stand for ".", ".." and the end */
	if (hash < 2)
		hash += 2;
	if (hash >= KERNFS_DIR_POS_END)
		hash = KERNFS_DIR_POS_END - 1;
	return hash;
}

void kernfs_key_init(struct kernfs_key *key, const char *name,
		     const struct ns_common *ns)
{
	key->hash = kernfs_name_hash(name, ns);
	key->ns_id = kernfs_ns_id(ns);
	key->str = name;
}

int kernfs_name_compare(const struct kernfs_key *key,
			const struct kernfs_name *name)
{
	uint64_t ns_id;

	if (key->hash != name->hash)
		return key->hash < name->hash ? -1 : 1;
	ns_id = kernfs_ns_id(name->ns);
	if (key->ns_id != ns_id)
		return key->ns_id < ns_id ? -1 : 1;
	return strcmp(key->str, name->str);
}

int kernfs_check_name(const char *name)
{
	if (!name[0] || !strcmp(name, ".") || !strcmp(name, ".."))
		return -EINVAL;
	if (strchr(name, '/'))
		return -EINVAL;
	/* the kernel takes longer ones, which no system call can reach */
	return strlen(name) < KERNFS_PATH_MAX ? 0 : -ENAMETOOLONG;
}
