/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mkdir, rmdir and rename: refused without a hook, passed through with one. */
#include "test/unit/kernfs-fixture.h"

#include <kernfuse/caller.h>

/* The call that came in, and what it is answered. */
static struct {
	unsigned int mkdirs, rmdirs, renames;
	struct kernfs_node *kn, *new_parent;
	const char *name;
	mode_t mode;
	int kn_active, new_parent_active;
	int ret;
} call;

static int note_mkdir(struct kernfs_node *parent, const char *name, mode_t mode)
{
	call.mkdirs++;
	call.kn = parent;
	call.name = name;
	call.mode = mode;
	call.kn_active = parent->active;
	return call.ret;
}

static int note_rmdir(struct kernfs_node *kn)
{
	call.rmdirs++;
	call.kn = kn;
	call.kn_active = kn->active;
	return call.ret;
}

static int note_rename(struct kernfs_node *kn, struct kernfs_node *new_parent,
		       const char *new_name)
{
	call.renames++;
	call.kn = kn;
	call.new_parent = new_parent;
	call.name = new_name;
	call.kn_active = kn->active;
	call.new_parent_active = new_parent->active;
	return call.ret;
}

static const struct kernfs_syscall_ops note_ops = {
	.mkdir = note_mkdir,
	.rmdir = note_rmdir,
	.rename = note_rename,
};

static unsigned int calls(void)
{
	return call.mkdirs + call.rmdirs + call.renames;
}

static void use_hooks(const struct kernfs_syscall_ops *ops)
{
	memset(&call, 0, sizeof(call));
	root->syscall_ops = ops;
}

START_TEST(no_hooks)
{
	static const struct kernfs_syscall_ops none;
	struct kernfs_node *dir = add_dir(top, "d");

	for (unsigned int i = 0; i < 2; i++) {
		use_hooks(i ? &none : NULL);
		ck_assert_int_eq(kernfs_iop_mkdir(top, "x", 0755), -EPERM);
		ck_assert_int_eq(kernfs_iop_rmdir(dir), -EPERM);
		ck_assert_int_eq(kernfs_iop_rename(dir, top, "x", 0), -EPERM);
		/* flags are looked at first */
		ck_assert_int_eq(kernfs_iop_rename(dir, top, "x", 1), -EINVAL);
	}
}
END_TEST

START_TEST(arguments_and_results)
{
	static const int ret[] = { 0, -EBUSY, -EEXIST, 7 };
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(top, "f");

	for (unsigned int i = 0; i < NR_OF(ret); i++) {
		use_hooks(&note_ops);
		call.ret = ret[i];
		ck_assert_int_eq(kernfs_iop_mkdir(dir, "new\nline", 0750),
				 ret[i]);
		ck_assert_uint_eq(call.mkdirs, 1);
		ck_assert_ptr_eq(call.kn, dir);
		ck_assert_str_eq(call.name, "new\nline");
		ck_assert_uint_eq(call.mode, 0750);
		ck_assert_int_eq(kernfs_iop_rmdir(dir), ret[i]);
		ck_assert_uint_eq(call.rmdirs, 1);
		ck_assert_ptr_eq(call.kn, dir);
		ck_assert_int_eq(kernfs_iop_rename(kn, dir, "x", 0), ret[i]);
		ck_assert_uint_eq(call.renames, 1);
		ck_assert_ptr_eq(call.kn, kn);
		ck_assert_ptr_eq(call.new_parent, dir);
		ck_assert_str_eq(call.name, "x");
		ck_assert_uint_eq(calls(), 3);
	}
	/* they are told, and that is all */
	ck_assert(is_child(top, "d", dir));
	ck_assert(is_child(top, "f", kn));
}
END_TEST

START_TEST(rename_flags)
{
	struct kernfs_node *kn = add_file(top, "f");

	use_hooks(&note_ops);
	for (unsigned int bit = 0; bit < 32; bit++)
		ck_assert_int_eq(kernfs_iop_rename(kn, top, "x", 1U << bit),
				 -EINVAL);
	ck_assert_uint_eq(calls(), 0);
}
END_TEST

/* One active reference on each node during the call, none afterwards. */
START_TEST(nodes_are_held)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(top, "f");

	use_hooks(&note_ops);
	call.ret = -EIO;
	kernfs_iop_mkdir(dir, "x", 0755);
	ck_assert_int_eq(call.kn_active, 1);
	kernfs_iop_rmdir(dir);
	ck_assert_int_eq(call.kn_active, 1);
	kernfs_iop_rename(kn, dir, "x", 0);
	ck_assert_int_eq(call.kn_active, 1);
	ck_assert_int_eq(call.new_parent_active, 1);
	ck_assert_int_eq(dir->active, 0);
	ck_assert_int_eq(kn->active, 0);
	/* within itself: one for each role */
	kernfs_iop_rename(dir, dir, "x", 0);
	ck_assert_int_eq(call.kn_active, 2);
	ck_assert_int_eq(dir->active, 0);
}
END_TEST

START_TEST(inactive_nodes)
{
	struct kernfs_node *gone = add_dir(top, "gone");
	struct kernfs_node *kn = add_file(top, "f");
	struct kernfs_node *hidden = add_file(top, "hidden");

	kernfs_get(gone);
	kernfs_remove(gone);
	kernfs_show(hidden, false);
	use_hooks(&note_ops);
	ck_assert_int_eq(kernfs_iop_mkdir(gone, "x", 0755), -ENODEV);
	ck_assert_int_eq(kernfs_iop_rmdir(gone), -ENODEV);
	ck_assert_int_eq(kernfs_iop_rename(gone, top, "x", 0), -ENODEV);
	ck_assert_int_eq(kernfs_iop_rename(hidden, top, "x", 0), -ENODEV);
	ck_assert_int_eq(kernfs_iop_rename(kn, gone, "x", 0), -ENODEV);
	ck_assert_uint_eq(calls(), 0);
	/* what was taken first is given back */
	ck_assert_int_eq(kn->active, 0);
	ck_assert_int_eq(gone->active, KN_DEACTIVATED_BIAS);
	kernfs_put(gone);
}
END_TEST

/* --- hooks that do it, as cgroup's --- */

static int real_mkdir(struct kernfs_node *parent, const char *name, mode_t mode)
{
	struct kernfs_node *kn = kernfs_create_dir(parent, name, mode, NULL);

	return IS_ERR(kn) ? (int)PTR_ERR(kn) : 0;
}

static int real_rmdir(struct kernfs_node *kn)
{
	if (kn->dir.children)
		return -EBUSY;
	return kernfs_remove_self(kn) ? 0 : -ENODEV;
}

static const struct kernfs_syscall_ops real_ops = {
	.mkdir = real_mkdir,
	.rmdir = real_rmdir,
	.rename = kernfs_rename,
};

START_TEST(real_hooks)
{
	struct kernfs_node *a, *b;

	use_hooks(&real_ops);
	ck_assert_int_eq(kernfs_iop_mkdir(top, "a", 0755), 0);
	ck_assert_int_eq(kernfs_iop_mkdir(top, "a", 0755), -EEXIST);
	a = kernfs_find_and_get(top, "a");
	ck_assert_int_eq(kernfs_iop_mkdir(a, "b", 0755), 0);
	b = kernfs_find_and_get(a, "b");
	ck_assert_int_eq(kernfs_iop_rmdir(a), -EBUSY);
	ck_assert_int_eq(kernfs_iop_rename(b, top, "c", 0), 0);
	ck_assert(is_child(top, "c", b));
	ck_assert_int_eq(kernfs_iop_rmdir(a), 0);
	ck_assert(is_child(top, "a", NULL));
	ck_assert_int_eq(a->active, KN_DEACTIVATED_BIAS);
	ck_assert_int_eq(kernfs_iop_rmdir(a), -ENODEV);
	kernfs_put(a);
	kernfs_put(b);
}
END_TEST

static int slow_mkdir(struct kernfs_node *parent, const char *name, mode_t mode)
{
	/* told to go while it works */
	wait_until(!kernfs_active(parent));
	return real_mkdir(parent, name, mode);
}

static void *mkdir_thread(void *dir)
{
	return (void *)(intptr_t)kernfs_iop_mkdir(dir, "x", 0755);
}

START_TEST(removal_waits_for_a_hook)
{
	static const struct kernfs_syscall_ops slow = { .mkdir = slow_mkdir };
	struct kernfs_node *dir = add_dir(top, "d");
	pthread_t id;

	use_hooks(&slow);
	kernfs_get(dir);
	id = thread_start(mkdir_thread, dir);
	wait_until(GET(dir->active) == 1);
	kernfs_remove(dir);
	ck_assert_int_eq((intptr_t)thread_join(id), -ENOENT);
	ck_assert_int_eq(dir->active, KN_DEACTIVATED_BIAS);
	kernfs_put(dir);
}
END_TEST

/* --- refresh --- */

static unsigned int refreshes;

/* The directory shows "now" and nothing else. */
static void note_refresh(struct kernfs_node *dir)
{
	refreshes++;
	ck_assert_int_eq(dir->active, 1);
	kernfs_remove_by_name(dir, "before");
	kernfs_create_dir(dir, "now", 0755, NULL);
}

START_TEST(refresh)
{
	static const struct kernfs_syscall_ops ops = { .refresh = note_refresh };
	struct kernfs_node *dir = add_dir(top, "d"), *kn;

	add_dir(dir, "before");
	use_hooks(&ops);
	refreshes = 0;
	kernfs_iop_refresh(dir);
	ck_assert_uint_eq(refreshes, 0);
	kernfs_enable_refresh(dir);
	kernfs_iop_refresh(dir);
	ck_assert_uint_eq(refreshes, 1);
	ck_assert(is_child(dir, "before", NULL));
	kn = kernfs_find_and_get(dir, "now");
	ck_assert_ptr_nonnull(kn);
	kernfs_put(kn);
	/* nobody asks a root without the hook, nor a directory that is gone */
	use_hooks(NULL);
	kernfs_iop_refresh(dir);
	use_hooks(&ops);
	kernfs_get(dir);
	kernfs_remove(dir);
	kernfs_iop_refresh(dir);
	ck_assert_uint_eq(refreshes, 1);
	kernfs_put(dir);
}
END_TEST

/* --- who asks --- */

static unsigned int asked;

static void tell_who(struct kernfs_request *rq, struct kernfs_caller *ret_who)
{
	(void)rq;
	asked++;
	*ret_who = (struct kernfs_caller){ .pid = 7, .fsuid = 1000 };
}

static bool given_up(struct kernfs_request *rq)
{
	(void)rq;
	return true;
}

static int who_mkdir(struct kernfs_node *parent, const char *name, mode_t mode)
{
	const struct kernfs_caller *who = kernfs_current_caller();

	(void)parent, (void)name, (void)mode;
	if (!who)
		return -ESRCH;
	ck_assert_ptr_eq(kernfs_current_caller(), who);
	ck_assert_uint_eq(who->fsuid, 1000);
	return who->pid;
}

START_TEST(caller)
{
	static const struct kernfs_syscall_ops ops = { .mkdir = who_mkdir };
	struct kernfs_request rq = { .who = tell_who };

	use_hooks(&ops);
	ck_assert_int_eq(kernfs_iop_mkdir(top, "x", 0755), -ESRCH);
	ck_assert(!kernfs_current_interrupted());
	ck_assert_ptr_null(kernfs_set_request(&rq));
	ck_assert_uint_eq(asked, 0);
	ck_assert_int_eq(kernfs_iop_mkdir(top, "x", 0755), 7);
	ck_assert_uint_eq(asked, 1);
	ck_assert(!kernfs_current_interrupted());
	rq.interrupted = given_up;
	ck_assert(kernfs_current_interrupted());
	ck_assert_ptr_eq(kernfs_set_request(NULL), &rq);
	ck_assert_ptr_null(kernfs_current_caller());
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		no_hooks,	arguments_and_results, rename_flags,
		nodes_are_held, inactive_nodes,	       real_hooks,
		removal_waits_for_a_hook, refresh, caller,
	};

	return test_run("kernfs-hooks", tests, NR_OF(tests), setup, teardown);
}
