// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Control groups, as far as a single empty one can be told from the kernel's:
 * the files, what may be written to them, and who is told of a change.
 */
#include "test/parity/parityd.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cgroup {
	struct cgroup *next; /* all of them, to be freed in the end */
	struct cgroup *parent;
	struct kernfs_node *kn, *events;
	int nr_children; /* mutex */
	int max[2];	 /* mutex: depth, descendants */
	int frozen;	 /* mutex */
};

static struct cgroup *all;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

struct file {
	struct file *next;
	struct cgroup *cgrp;
	const struct cftype *type;
	const char *text;
};

static struct file *files;

/* A control file; one without a table entry shows its template's text. */
struct cftype {
	const char *name;
	int (*show)(struct file *file, struct seq_file *sf);
	int (*write)(struct file *file, char *buf);
	int arg;
};

/* --- values --- */

static char *strip(char *buf)
{
	char *end;

	while (isspace((unsigned char)*buf))
		buf++;
	end = buf + strlen(buf);
	while (end > buf && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return buf;
}

static int to_int(const char *buf, int *ret)
{
	char *end;
	long value;

	if (!isdigit((unsigned char)*buf) && *buf != '-' && *buf != '+')
		return -EINVAL;
	errno = 0;
	value = strtol(buf, &end, 0);
	if (*end || end == buf)
		return -EINVAL;
	if (errno || value > INT_MAX || value < INT_MIN)
		return -ERANGE;
	*ret = (int)value;
	return 0;
}

static int max_show(struct file *file, struct seq_file *sf)
{
	int max = file->cgrp->max[file->type->arg];

	if (max == INT_MAX)
		seq_puts(sf, "max\n");
	else
		seq_printf(sf, "%d\n", max);
	return 0;
}

static int max_write(struct file *file, char *buf)
{
	int max = INT_MAX, err = 0;

	if (strcmp(buf, "max")) {
		err = to_int(buf, &max);
		if (!err && (max < 0 || max == INT_MAX))
			err = -ERANGE;
	}
	if (!err)
		file->cgrp->max[file->type->arg] = max;
	return err;
}

static int events_show(struct file *file, struct seq_file *sf)
{
	seq_printf(sf, "populated 0\nfrozen %d\n", file->cgrp->frozen);
	return 0;
}

static int freeze_show(struct file *file, struct seq_file *sf)
{
	seq_printf(sf, "%d\n", file->cgrp->frozen);
	return 0;
}

static int freeze_write(struct file *file, char *buf)
{
	int frozen, err = to_int(buf, &frozen);

	if (err)
		return err;
	if (frozen < 0 || frozen > 1)
		return -ERANGE;
	if (frozen == file->cgrp->frozen)
		return 0;
	file->cgrp->frozen = frozen;
	kernfs_notify(file->cgrp->events);
	return 0;
}

static int kill_write(struct file *file, char *buf)
{
	int value, err = to_int(buf, &value);

	(void)file;
	return err ? err : value == 1 ? 0 : -ERANGE;
}

static int type_show(struct file *file, struct seq_file *sf)
{
	(void)file;
	seq_puts(sf, "domain\n");
	return 0;
}

/* "threaded" alone would change it */
static int refuse(struct file *file, char *buf)
{
	(void)file, (void)buf;
	return -EINVAL;
}

static int text_show(struct file *file, struct seq_file *sf)
{
	seq_puts(sf, file->text);
	return 0;
}

static const struct cftype types[] = {
	{ "cgroup.events", events_show, NULL, 0 },
	{ "cgroup.freeze", freeze_show, freeze_write, 0 },
	{ "cgroup.kill", NULL, kill_write, 0 },
	{ "cgroup.max.depth", max_show, max_write, 0 },
	{ "cgroup.max.descendants", max_show, max_write, 1 },
	{ "cgroup.type", type_show, refuse, 0 },
	{ NULL, text_show, NULL, 0 },
};

static const struct cftype *type_of(const char *name)
{
	const struct cftype *type = types;

	while (type->name && strcmp(type->name, name))
		type++;
	return type;
}

/* --- files --- */

static int seq_show(struct seq_file *sf, void *v)
{
	struct kernfs_open_file *of = sf->private_data;
	struct file *file = kernfs_priv(of->kn);
	int err = -EINVAL;

	(void)v;
	pthread_mutex_lock(&mutex);
	if (file->type->show)
		err = file->type->show(file, sf);
	pthread_mutex_unlock(&mutex);
	return err;
}

static ssize_t write_file(struct kernfs_open_file *of, char *buf, size_t bytes,
			  off_t off)
{
	struct file *file = kernfs_priv(of->kn);
	int err = -EINVAL;

	(void)off;
	pthread_mutex_lock(&mutex);
	if (file->type->write)
		err = file->type->write(file, strip(buf));
	pthread_mutex_unlock(&mutex);
	return err ? err : (ssize_t)bytes;
}

static const struct kernfs_ops ops = {
	.seq_show = seq_show,
	.write = write_file,
	.atomic_write_len = KERNFS_PAGE_SIZE,
};

static struct kernfs_node *add_file(struct cgroup *cgrp,
				    const struct template_file *t, uid_t uid,
				    gid_t gid)
{
	struct file *file = malloc(sizeof(*file));

	if (!file)
		return ERR_PTR(-ENOMEM);
	*file = (struct file){ files, cgrp, type_of(t->name), t->text };
	files = file;
	return __kernfs_create_file(cgrp->kn, t->name, t->mode, uid, gid, 0,
				    &ops, file, NULL);
}

static int add_files(struct cgroup *cgrp, uid_t uid, gid_t gid)
{
	for (size_t i = 0; i < nr_template_files; i++) {
		struct kernfs_node *kn =
			add_file(cgrp, &template_files[i], uid, gid);

		if (IS_ERR(kn))
			return (int)PTR_ERR(kn);
		if (!strcmp(template_files[i].name, "cgroup.events"))
			cgrp->events = kn;
	}
	return 0;
}

/* --- hooks --- */

static int create_locked(struct kernfs_node *parent_kn, const char *name,
			 mode_t mode)
{
	struct cgroup *cgrp = calloc(1, sizeof(*cgrp));
	const struct kernfs_caller *who = kernfs_current_caller();
	uid_t uid = who ? who->fsuid : 0;
	gid_t gid = who ? who->fsgid : 0;
	struct kernfs_node *kn;
	int err;

	if (!cgrp)
		return -ENOMEM;
	kn = kernfs_create_dir_ns(parent_kn, name, mode, uid, gid, cgrp, NULL);
	if (IS_ERR(kn)) {
		free(cgrp);
		return (int)PTR_ERR(kn);
	}
	cgrp->next = all;
	all = cgrp;
	cgrp->kn = kn;
	cgrp->parent = kernfs_priv(parent_kn);
	cgrp->max[0] = cgrp->max[1] = INT_MAX;
	err = add_files(cgrp, uid, gid);
	if (err) {
		kernfs_remove(kn);
		return err;
	}
	cgrp->parent->nr_children++;
	kernfs_activate(kn);
	return 0;
}

static int cgroup_mkdir(struct kernfs_node *parent, const char *name,
			mode_t mode)
{
	int err;

	if (strchr(name, '\n'))
		return -EINVAL;
	pthread_mutex_lock(&mutex);
	err = create_locked(parent, name, mode);
	pthread_mutex_unlock(&mutex);
	return err;
}

static int cgroup_rmdir(struct kernfs_node *kn)
{
	struct cgroup *cgrp = kernfs_priv(kn);
	int err = 0;

	pthread_mutex_lock(&mutex);
	if (cgrp->nr_children)
		err = -EBUSY;
	else
		cgrp->parent->nr_children--;
	pthread_mutex_unlock(&mutex);
	if (err)
		return err;
	/* the call itself holds it */
	kernfs_break_active_protection(kn);
	kernfs_remove(kn);
	kernfs_unbreak_active_protection(kn);
	return 0;
}

static const struct kernfs_syscall_ops hooks = {
	.mkdir = cgroup_mkdir,
	.rmdir = cgroup_rmdir,
};

static void free_all(void)
{
	while (all) {
		struct cgroup *next = all->next;

		free(all);
		all = next;
	}
	while (files) {
		struct file *next = files->next;

		free(files);
		files = next;
	}
}

struct kernfs_root *cgroup_create(void)
{
	static struct cgroup top;
	struct kernfs_root *root = kernfs_create_root(
		&hooks,
		KERNFS_ROOT_CREATE_DEACTIVATED | KERNFS_ROOT_SUPPORT_EXPORTOP |
			KERNFS_ROOT_SUPPORT_USER_XATTR |
			KERNFS_ROOT_INVARIANT_PARENT,
		&top);

	if (IS_ERR(root))
		die("kernfs_create_root");
	kernfs_activate(kernfs_root_to_node(root));
	atexit(free_all);
	return root;
}
