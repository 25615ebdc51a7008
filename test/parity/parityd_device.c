// SPDX-License-Identifier: LGPL-2.1-or-later
/* A device of sysfs: attributes that hold what is written to them. */
#include "test/parity/parityd.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct kernfs_node *device;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char values[200][KERNFS_PAGE_SIZE]; /* mutex */

static int show(struct seq_file *sf, void *v)
{
	struct kernfs_open_file *of = sf->private_data;

	(void)v;
	pthread_mutex_lock(&mutex);
	seq_puts(sf, kernfs_priv(of->kn));
	pthread_mutex_unlock(&mutex);
	return 0;
}

static ssize_t store(struct kernfs_open_file *of, char *buf, size_t bytes,
		     off_t off)
{
	(void)off;
	if (bytes >= KERNFS_PAGE_SIZE)
		return -EINVAL;
	pthread_mutex_lock(&mutex);
	memcpy(kernfs_priv(of->kn), buf, bytes + 1);
	pthread_mutex_unlock(&mutex);
	return (ssize_t)bytes;
}

static ssize_t remove_store(struct kernfs_open_file *of, char *buf,
			    size_t bytes, off_t off)
{
	(void)of, (void)buf, (void)off;
	kernfs_remove(device);
	return (ssize_t)bytes;
}

static const struct kernfs_ops ops = { .seq_show = show, .write = store };
static const struct kernfs_ops remove_ops = { .write = remove_store };

static int populate(struct kernfs_root *root)
{
	struct kernfs_node *kn = __kernfs_create_file(kernfs_root_to_node(root),
						      "remove", 0200, 0, 0,
						      KERNFS_PAGE_SIZE,
						      &remove_ops, NULL, NULL);

	for (size_t i = 0; i < nr_template_files && !IS_ERR(kn); i++) {
		const struct template_file *t = &template_files[i];

		strncpy(values[i], t->text, KERNFS_PAGE_SIZE - 1);
		kn = __kernfs_create_file(device, t->name, t->mode, 0, 0,
					  KERNFS_PAGE_SIZE, &ops, values[i],
					  NULL);
	}
	return IS_ERR(kn) ? (int)PTR_ERR(kn) : 0;
}

struct kernfs_root *device_create(const char *path)
{
	struct kernfs_root *root = kernfs_create_root(
		NULL, KERNFS_ROOT_EXTRA_OPEN_PERM_CHECK, NULL);
	char *copy = strdup(path), *name, *rest = NULL;

	if (IS_ERR(root) || !copy)
		die("kernfs_create_root");
	device = kernfs_root_to_node(root);
	for (name = strtok_r(copy, "/", &rest); name && !IS_ERR(device);
	     name = strtok_r(NULL, "/", &rest))
		device = kernfs_create_dir(device, name, 0755, NULL);
	free(copy);
	if (IS_ERR(device) || populate(root))
		die("kernfs_create_dir");
	/* removed by one client while others may look */
	kernfs_get(device);
	return root;
}
