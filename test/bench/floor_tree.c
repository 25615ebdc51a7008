/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes a directory into the array of kernfuse-floor, and finds names in it.
 *
 * Runs once, before the first request, in one thread.
 */
#include "floor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/*
 * A read of the source that takes longer than one to two ticks fails: far
 * above what a sysfs attribute needs, low enough that a few blocking files do
 * not delay the mount for long.
 */
#define READ_TICK_US 200000

static uint32_t hash_name(uint32_t parent, const char *name)
{
	uint64_t hash = 14695981039346656037ULL + parent; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 1099511628211ULL;
	return (uint32_t)(hash ^ (hash >> 32));
}

uint32_t floor_tree_find(const struct floor_tree *tree, uint32_t parent,
			 const char *name)
{
	uint32_t slot = hash_name(parent, name) & tree->slot_mask;

	for (;; slot = (slot + 1) & tree->slot_mask) {
		uint32_t index = tree->slots[slot];

		if (!index)
			return 0;
		if (tree->nodes[index].parent == parent &&
		    strcmp(tree->nodes[index].name, name) == 0)
			return index;
	}
}

static int build_slots(struct floor_tree *tree)
{
	uint32_t size = 16;

	while (size < 4 * tree->nr_nodes)
		size *= 2;
	tree->slots = calloc(size, sizeof(*tree->slots));
	if (!tree->slots)
		return -ENOMEM;
	tree->slot_mask = size - 1;

	for (uint32_t i = 1; i < tree->nr_nodes; i++) {
		const struct floor_node *node = &tree->nodes[i];
		uint32_t slot = hash_name(node->parent, node->name);

		for (slot &= tree->slot_mask; tree->slots[slot];)
			slot = (slot + 1) & tree->slot_mask;
		tree->slots[slot] = i;
	}
	return 0;
}

/* Appends a child to the directory that is being scanned: see floor.h. */
static int add_node(struct floor_tree *tree, uint32_t parent, const char *name,
		    const struct stat *st, uint32_t *ret_index)
{
	uint32_t index = tree->nr_nodes;
	struct floor_node *node;

	if (index == tree->max_nodes) {
		uint32_t max = tree->max_nodes ? 2 * tree->max_nodes : 1024;

		node = reallocarray(tree->nodes, max, sizeof(*node));
		if (!node)
			return -ENOMEM;
		tree->nodes = node;
		tree->max_nodes = max;
	}

	node = &tree->nodes[index];
	*node = (struct floor_node){ .parent = parent, .st = *st };
	node->st.st_ino = index + 1; /* FUSE_ROOT_ID is 1 */
	node->name = strdup(name);
	if (!node->name)
		return -ENOMEM;
	tree->nr_nodes++;
	*ret_index = index;
	if (index == 0)
		return 0;

	if (tree->nodes[parent].nr_children++ == 0)
		tree->nodes[parent].first_child = index;
	return 0;
}

/* A failing read is no failure of ours: it is replayed to the reader. */
static int read_content(int dirfd, struct floor_node *node)
{
	char page[FLOOR_PAGE];
	ssize_t n = -1;
	int fd;

	fd = openat(dirfd, node->name,
		    O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		node->read_error = errno;
		return 0;
	}
	/* twice: a tick may hit a read that has only just begun */
	for (int i = 0; i < 2; i++) {
		n = read(fd, page, sizeof(page));
		if (n >= 0 || errno != EINTR)
			break;
	}
	if (n < 0)
		node->read_error = errno;
	close(fd);
	if (n <= 0)
		return 0;

	node->data = malloc((size_t)n);
	if (!node->data)
		return -ENOMEM;
	memcpy(node->data, page, (size_t)n);
	node->data_len = (uint32_t)n;
	return 0;
}

static int read_link(int dirfd, struct floor_node *node)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(dirfd, node->name, text, sizeof(text) - 1);

	if (n < 0) {
		node->read_error = errno;
		return 0;
	}
	text[n] = '\0';
	node->data = strdup(text);
	node->data_len = (uint32_t)n;
	return node->data ? 0 : -ENOMEM;
}

static bool is_fs(const struct floor_tree *tree, uint32_t dir)
{
	return dir && tree->nodes[dir].parent == 0 &&
	       strcmp(tree->nodes[dir].name, "fs") == 0;
}

static int add_entry(struct floor_tree *tree, uint32_t dir, int dirfd,
		     const char *name)
{
	struct stat st;
	uint32_t index;
	int ret;

	if (is_fs(tree, dir) && strcmp(name, "kernfuse") == 0)
		return 0; /* ours takes its place */
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0; /* gone since readdir */
	if (st.st_dev != tree->nodes[0].st.st_dev)
		return 0; /* another file system is mounted there */
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode) &&
	    !S_ISLNK(st.st_mode))
		return 0;

	ret = add_node(tree, dir, name, &st, &index);
	if (ret)
		return ret;
	if (S_ISREG(st.st_mode))
		return read_content(dirfd, &tree->nodes[index]);
	if (S_ISLNK(st.st_mode))
		return read_link(dirfd, &tree->nodes[index]);
	return 0;
}

/* The path of a directory seen from the source; "." for the source itself. */
static int node_path(const struct floor_tree *tree, uint32_t index, char *buf,
		     size_t size)
{
	char *pos = buf + size - 1;

	*pos = '\0';
	for (; index; index = tree->nodes[index].parent) {
		const char *name = tree->nodes[index].name;
		size_t len = strlen(name);

		if ((size_t)(pos - buf) < len + 3)
			return -ENAMETOOLONG;
		pos -= len;
		memcpy(pos, name, len);
		*--pos = '/';
	}
	*--pos = '.';
	memmove(buf, pos, strlen(pos) + 1);
	return 0;
}

static int add_made_node(struct floor_tree *tree, uint32_t dir,
			 const char *name, mode_t mode, enum floor_kind kind)
{
	struct stat st = tree->nodes[0].st;
	uint32_t index;
	int ret;

	st.st_mode = mode;
	st.st_size = S_ISREG(mode) ? FLOOR_PAGE : 0;
	ret = add_node(tree, dir, name, &st, &index);
	if (!ret)
		tree->nodes[index].kind = kind;
	return ret;
}

/*
 * The counter file that kernfuse has too, so that one benchmark reads both.
 * Only below a directory fs, as in a sysfs tree.
 */
static int add_made_child(struct floor_tree *tree, uint32_t dir)
{
	switch (tree->nodes[dir].kind) {
	case FLOOR_KERNFUSE_DIR:
		return add_made_node(tree, dir, "upcalls", S_IFDIR | 0755,
				     FLOOR_UPCALLS_DIR);
	case FLOOR_UPCALLS_DIR:
		return add_made_node(tree, dir, "total", S_IFREG | 0444,
				     FLOOR_UPCALLS);
	default:
		break;
	}
	if (!is_fs(tree, dir))
		return 0;
	return add_made_node(tree, dir, "kernfuse", S_IFDIR | 0755,
			     FLOOR_KERNFUSE_DIR);
}

static int scan_dir(struct floor_tree *tree, uint32_t dir, int source_fd)
{
	char path[PATH_MAX];
	struct dirent *de;
	DIR *stream;
	int fd, ret;

	ret = node_path(tree, dir, path, sizeof(path));
	if (ret)
		return ret;
	fd = openat(source_fd, path,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0; /* gone, or not for us: an empty directory */
	stream = fdopendir(fd);
	if (!stream) {
		close(fd);
		return -ENOMEM;
	}
	while (!ret && (de = readdir(stream))) {
		if (strcmp(de->d_name, ".") == 0 ||
		    strcmp(de->d_name, "..") == 0)
			continue;
		ret = add_entry(tree, dir, fd, de->d_name);
	}
	closedir(stream);
	return ret;
}

static int scan_all(struct floor_tree *tree, int source_fd)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < tree->nr_nodes; i++) {
		if (!S_ISDIR(tree->nodes[i].st.st_mode))
			continue;
		if (tree->nodes[i].kind == FLOOR_TAKEN_IN)
			ret = scan_dir(tree, i, source_fd);
		if (!ret)
			ret = add_made_child(tree, i);
	}
	return ret;
}

static void tick(int sig)
{
	(void)sig; /* interrupting read(2) is all it is for */
}

static void ticker(bool on, struct sigaction *saved)
{
	struct sigaction action = { .sa_handler = tick };
	struct itimerval timer = { 0 };

	if (on) {
		timer.it_interval.tv_usec = READ_TICK_US;
		timer.it_value = timer.it_interval;
		sigaction(SIGALRM, &action, saved);
	}
	setitimer(ITIMER_REAL, &timer, NULL);
	if (!on)
		sigaction(SIGALRM, saved, NULL);
}

int floor_tree_load(struct floor_tree *tree, const char *source)
{
	struct sigaction saved;
	struct stat st;
	uint32_t index;
	int fd, ret;

	fd = open(source, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		ret = -errno;
		goto out_close;
	}
	ret = add_node(tree, 0, "/", &st, &index);
	if (ret)
		goto out_close;

	ticker(true, &saved);
	ret = scan_all(tree, fd);
	ticker(false, &saved);
	if (!ret)
		ret = build_slots(tree);
out_close:
	close(fd);
	return ret;
}

void floor_tree_finish(struct floor_tree *tree)
{
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		free(tree->nodes[i].name);
		free(tree->nodes[i].data);
	}
	free(tree->nodes);
	free(tree->slots);
	*tree = (struct floor_tree){ 0 };
}
