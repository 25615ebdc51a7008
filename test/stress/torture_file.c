/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * torture_file: opening, reading, writing, seeking and closing of files that
 * are hidden, shown and removed meanwhile, from outside and from inside their
 * callbacks, alone and with several threads on one open file.
 *
 * What must hold: no callback of a file runs when its removal or a hide has
 * returned; release runs exactly once for each open that succeeded, and no
 * other callback of that open file beside or after it; then every operation
 * on it fails with -ENODEV; and what is read is of one moment.
 */
#include "torture_file.h"

struct file_tree tree;

const char *file_name(unsigned int i)
{
	static const char *const name[NR_FILES] = {
		"text", "plain", "records", "binary", "prealloc", "haunted",
	};

	return name[i];
}

enum file_kind kind_of(unsigned int i)
{
	return i == FILE_HAUNTED ? FILE_BINARY : (enum file_kind)i;
}

bool has_release(enum file_kind kind)
{
	return file_ops[kind].release;
}

static struct kernfs_node *make_dir(const char *str)
{
	struct kernfs_node *kn = kernfs_create_dir(
		kernfs_root_to_node(tree.root), str, 0755, NULL);

	torture_expect(!IS_ERR(kn), "create %s: %ld", str, PTR_ERR(kn));
	return kn;
}

static const struct torture_role roles[] = {
	{ "owner", 6, NULL, own_round, NULL },
	{ "user", 5, user_begin, user_round, user_end },
	{ "sharer", 3, NULL, share_round, NULL },
	{ "rival", 1, NULL, rival_round, NULL },
	{ "haunter", 3, NULL, haunt_round, NULL },
};

#define NR_ROLES (sizeof(roles) / sizeof(roles[0]))

static const struct torture_program program = {
	.name = "torture_file",
	.counter = {
		[COUNT_OPENS] = "opens",
		[COUNT_OPENS_REFUSED] = "opens refused",
		[COUNT_READS] = "reads",
		[COUNT_WRITES] = "writes",
		[COUNT_SEEKS] = "seeks",
		[COUNT_GONE] = "of these refused",
		[COUNT_AFTER] = "tried on a file that was hidden and shown",
		[COUNT_SHARED] = "on an open file that threads share",
		[COUNT_RELEASED_BY_CLOSE] = "releases by close",
		[COUNT_RELEASED_BY_DRAIN] = "releases by removal or hide",
		[COUNT_SUICIDES] = "removals from inside",
		[COUNT_BREAKS] = "callbacks that gave up protection",
		[COUNT_HIDES] = "hides and shows by the owner",
		[COUNT_HAUNTS] = "hides and shows by others",
		[COUNT_REMOVED] = "files removed by their owner",
		[COUNT_RIVALS] = "files removed by others",
	},
	.histogram = "files open when a removal or hide began",
	.threads = 18,
};

int main(int argc, char *argv[])
{
	static struct torture_thread last;

	torture_begin(&program, argc, argv);
	tree.root = torture_create_root(NULL, 0);
	tree.files = make_dir("files");
	tree.aux = make_dir("aux");
	torture_run(roles, NR_ROLES);
	torture_check_tree(tree.root);
	callbacks_of(&last, NULL);
	allow_callbacks(false);
	kernfs_destroy_root(tree.root);
	free_kept(&last);
	close_left_over(&last);
	torture_check_memory();
	return torture_end();
}
