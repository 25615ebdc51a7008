/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removal: what it waits for, what may go on meanwhile, and who wins.
 *
 * A thread that holds an active reference stands for a callback that runs.
 */
#include "test/unit/kernfs-fixture.h"

static const struct ns_common red = { 1 }, blue = { 2 };

static struct kernfs_node *enter(struct kernfs_node *kn)
{
	must(kernfs_get_active(kn) == kn);
	return kn;
}

static bool is_linked(const struct kernfs_node *kn)
{
	return kernfs_flags(kn) & KERNFS_LINKED;
}

START_TEST(a_file)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(dir, "f");
	unsigned long rev = dir->dir.rev;

	kernfs_get(kn);
	kernfs_remove(kn);
	ck_assert(!kernfs_active(kn));
	ck_assert(!is_linked(kn));
	ck_assert_int_eq(kn->active, KN_DEACTIVATED_BIAS);
	ck_assert_int_eq(kn->count, 1);
	ck_assert(is_child(dir, "f", NULL));
	ck_assert_uint_eq(dir->dir.rev, rev + 2);
	ck_assert_int_eq(dir->count, 2);
	/* once is enough */
	kernfs_remove(kn);
	ck_assert_int_eq(kn->count, 1);
	ck_assert_uint_eq(dir->dir.rev, rev + 2);
	kernfs_put(kn);
}
END_TEST

START_TEST(nothing)
{
	kernfs_remove(NULL);
	ck_assert_int_eq(kernfs_remove_by_name(NULL, "x"), -ENOENT);
	ck_assert_int_eq(kernfs_remove_by_name(top, "x"), -ENOENT);
	ck_assert_int_eq(kernfs_remove_by_name(add_file(top, "f"), "x"),
			 -ENOENT);
}
END_TEST

START_TEST(a_tree)
{
	struct kernfs_node *a = add_dir(top, "a");
	struct kernfs_node *b = add_dir(a, "b");
	struct kernfs_node *node[] = {
		a, b, add_file(a, "f"), add_link(a, "l", b), add_dir(b, "c"),
	};

	for (unsigned int i = 0; i < NR_OF(node); i++)
		kernfs_get(node[i]);
	kernfs_remove(a);
	for (unsigned int i = 0; i < NR_OF(node); i++) {
		ck_assert(!kernfs_active(node[i]));
		ck_assert(!is_linked(node[i]));
		ck_assert_uint_ne(kernfs_flags(node[i]) & KERNFS_REMOVING, 0);
	}
	ck_assert_uint_eq(a->subdirs, 0);
	ck_assert_uint_eq(b->subdirs, 0);
	ck_assert_ptr_null(a->dir.children);
	ck_assert_uint_eq(top->subdirs, 0);
	for (unsigned int i = 0; i < NR_OF(node); i++)
		kernfs_put(node[i]);
}
END_TEST

/* Below what collides as well, and many of them. */
START_TEST(a_wide_tree)
{
	struct kernfs_node *dir = add_dir(top, "d");
	char name[32];

	for (unsigned int i = 0; i < 5000; i++) {
		struct kernfs_node *kn;

		snprintf(name, sizeof(name), "%s%u",
			 colliding_name(i % NR_COLLIDING), i / NR_COLLIDING);
		kn = add_dir(dir, name);
		if (i % 10 == 0)
			add_file(kn, "f");
	}
	kernfs_remove(dir);
	ck_assert_int_eq(top->count, 1);
}
END_TEST

START_TEST(by_name)
{
	struct kernfs_node *dir = add_dir(top, "d");

	add_dir(add_dir(dir, "sub"), "below");
	for (unsigned int i = 0; i < NR_COLLIDING; i++)
		add_file(dir, colliding_name(i));
	ck_assert_int_eq(kernfs_remove_by_name(dir, "sub"), 0);
	ck_assert_int_eq(kernfs_remove_by_name(dir, "sub"), -ENOENT);
	ck_assert_int_eq(kernfs_remove_by_name(dir, colliding_name(5)), 0);
	ck_assert(is_child(dir, colliding_name(5), NULL));
	ck_assert(!is_child(dir, colliding_name(4), NULL));
	ck_assert(!is_child(dir, colliding_name(6), NULL));
}
END_TEST

START_TEST(by_name_what_cannot_be_seen)
{
	kernfs_show(add_file(top, "hidden"), false);
	ck_assert_int_eq(kernfs_remove_by_name(top, "hidden"), 0);
	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	add_file(top, "inactive");
	ck_assert_int_eq(kernfs_remove_by_name(top, "inactive"), 0);
	ck_assert_int_eq(top->count, 1);
}
END_TEST

START_TEST(by_name_and_tag)
{
	struct kernfs_node *dir = add_tagged(top, "d");
	struct kernfs_node *kept = add_file_ns(dir, "eth0", &blue);

	add_file_ns(dir, "eth0", &red);
	ck_assert_int_eq(kernfs_remove_by_name(dir, "eth0"), -ENOENT);
	ck_assert_int_eq(kernfs_remove_by_name_ns(dir, "eth0", &red), 0);
	ck_assert_int_eq(kernfs_remove_by_name_ns(dir, "eth0", &red), -ENOENT);
	ck_assert_int_eq(kernfs_remove_by_name_ns(top, "d", &red), -ENOENT);
	ck_assert(is_linked(kept));
}
END_TEST

START_TEST(parent_times)
{
	const struct kernfs_iattr old = { .valid = KERNFS_ATTR_MTIME };
	struct kernfs_node *dir = add_dir(top, "d");
	struct timespec before;

	add_file(dir, "a");
	add_file(dir, "b");
	kernfs_remove_by_name(dir, "a");
	ck_assert_ptr_null(dir->iattr);
	ck_assert_int_eq(kernfs_setattr(dir, &old), 0);
	kernfs_now(&before);
	kernfs_remove_by_name(dir, "b");
	ck_assert_int_ge(stat_of(dir).st_mtim.tv_sec, before.tv_sec);
}
END_TEST

/* --- waiting --- */

START_TEST(waits_for_callbacks)
{
	struct kernfs_node *kn = add_file(top, "f");
	struct remover r;

	enter(enter(kn));
	remover_start(&r, kn, kn);
	kernfs_put_active(kn);
	give_it_time();
	ck_assert(!GET(r.done));
	ck_assert(is_linked(kn));
	kernfs_put_active(kn);
	remover_join(&r);
}
END_TEST

/* Each node in the tree is waited for. */
START_TEST(waits_for_all_below)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *sub = add_dir(dir, "sub");
	struct kernfs_node *held[] = { dir, sub, add_file(sub, "f"),
				       add_file(dir, "g") };
	struct remover r;

	for (unsigned int i = 0; i < NR_OF(held); i++) {
		kernfs_get(held[i]);
		enter(held[i]);
	}
	remover_start(&r, dir, held[2]);
	for (unsigned int i = 0; i < NR_OF(held); i++) {
		give_it_time();
		ck_assert(!GET(r.done));
		kernfs_put_active(held[i]);
	}
	remover_join(&r);
	for (unsigned int i = 0; i < NR_OF(held); i++)
		kernfs_put(held[i]);
}
END_TEST

/* All doors close at once; then children go before their parents. */
START_TEST(order)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *sub = add_dir(dir, "sub");
	struct kernfs_node *file = add_file(sub, "f");
	struct remover r;

	kernfs_get(sub);
	enter(file);
	kernfs_get(file);
	remover_start(&r, dir, file);
	ck_assert_ptr_null(kernfs_get_active(dir));
	ck_assert_ptr_null(kernfs_get_active(sub));
	ck_assert_ptr_null(kernfs_get_active(file));
	give_it_time();
	ck_assert(is_linked(file) && is_linked(sub) && is_linked(dir));
	kernfs_put_active(file);
	remover_join(&r);
	ck_assert(!is_linked(file) && !is_linked(sub));
	kernfs_put(file);
	kernfs_put(sub);
}
END_TEST

START_TEST(parent_held_but_children_go)
{
	struct kernfs_node *dir = enter(add_dir(top, "d"));
	struct kernfs_node *file = add_file(dir, "f");
	struct remover r;

	kernfs_get(file);
	remover_start(&r, dir, dir);
	wait_until(!is_linked(file));
	ck_assert(is_linked(dir));
	kernfs_put(file);
	kernfs_put_active(dir);
	remover_join(&r);
}
END_TEST

START_TEST(overlapping_removals)
{
	struct kernfs_node *a = add_dir(top, "a");
	struct kernfs_node *b = add_dir(a, "b");
	struct kernfs_node *file = add_file(b, "f");
	struct remover r[3];

	kernfs_get(file);
	enter(file);
	remover_start(&r[0], b, file);
	remover_start(&r[1], a, a);
	remover_start(&r[2], file, file);
	give_it_time();
	for (unsigned int i = 0; i < NR_OF(r); i++)
		ck_assert(!GET(r[i].done));
	kernfs_put_active(file);
	for (unsigned int i = 0; i < NR_OF(r); i++)
		remover_join(&r[i]);
	kernfs_put(file);
	ck_assert_int_eq(top->count, 1);
}
END_TEST

/* --- what a callback may do while its own node is being removed --- */

static bool take_all(void *ctx, const struct kernfs_dirent *de)
{
	(void)de;
	++*(unsigned int *)ctx;
	return true;
}

static void use_the_tree(struct kernfs_node *mine)
{
	const struct kernfs_iattr chmod = { KERNFS_ATTR_MODE, .mode = 0700 };
	struct kernfs_node *other = add_dir(top, "other");
	struct kernfs_node *kn = add_file(other, "f");
	char buf[KERNFS_PATH_MAX];
	struct kernfs_dentry d;
	unsigned int nr = 0;

	ck_assert(is_child(other, "f", kn));
	ck_assert_int_eq(kernfs_iop_lookup(other, "f", NULL, &d), 0);
	ck_assert(kernfs_dop_revalidate(&d));
	kernfs_put(d.kn);
	ck_assert_int_eq(kernfs_iop_lookup(top, "mine", NULL, &d), -EAGAIN);
	ck_assert_int_eq(kernfs_rename(kn, top, "g"), 0);
	add_link(other, "l", mine);
	ck_assert_int_eq(kernfs_rename(kn, other, "h"), 0);
	ck_assert_int_eq(kernfs_setattr(kn, &chmod), 0);
	ck_assert_int_eq(kernfs_setattr(mine, &chmod), 0);
	ck_assert_int_eq(kernfs_iop_permission(mine, &kernfs_root_cred,
					       KERNFS_MAY_WRITE),
			 0);
	ck_assert_int_eq(kernfs_fop_readdir(other, NULL, 0, take_all, &nr), 0);
	ck_assert_uint_eq(nr, 4);
	ck_assert_int_eq(kernfs_path(mine, buf, sizeof(buf)), 5);
	kernfs_show(kn, false);
	kernfs_show(kn, true);
	kernfs_activate(other);
	ck_assert_int_eq(kernfs_remove_by_name(other, "h"), 0);
	kernfs_remove(other);
	/* its own node it can neither move nor replace */
	ck_assert_int_eq(kernfs_rename(mine, top, "x"), -ENOENT);
	ck_assert_int_eq(PTR_ERR(try_file(top, "mine", NULL)), -EEXIST);
}

START_TEST(callback_uses_the_tree)
{
	struct kernfs_node *kn = enter(add_file(top, "mine"));
	struct remover r;

	remover_start(&r, kn, kn);
	use_the_tree(kn);
	ck_assert(!GET(r.done));
	kernfs_put_active(kn);
	remover_join(&r);
}
END_TEST

/* The same where all nodes share one lock. */
START_TEST(callback_uses_the_tree_with_one_lock)
{
	struct kernfs_node *kn;
	struct remover r;

	teardown();
	root = test_create_root_locks(0, 1);
	top = kernfs_root_to_node(root);
	ck_assert_uint_eq(kernfs_root_nr_locks(root), 1);
	kn = enter(add_file(top, "mine"));
	remover_start(&r, kn, kn);
	use_the_tree(kn);
	kernfs_put_active(kn);
	remover_join(&r);
}
END_TEST

/* The whole root goes, and the callback still looks around in it. */
START_TEST(callback_while_the_root_goes)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = enter(add_file(dir, "f"));
	struct remover r;

	kernfs_get(kn);
	remover_start(&r, top, kn);
	ck_assert_int_eq(PTR_ERR(try_file(top, "x", NULL)), -ENOENT);
	ck_assert(is_child(dir, "f", kn));
	ck_assert_int_eq(kernfs_rename(kn, top, "x"), -ENOENT);
	expect_path(kn, "/d/f");
	kernfs_put_active(kn);
	remover_join(&r);
	kernfs_put(kn);
	/* what the root node was created with is gone: no teardown of it */
	setup();
}
END_TEST

/* --- moves into and out of what is being removed --- */

START_TEST(no_escape)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *held = enter(add_file(dir, "held"));
	struct kernfs_node *file = add_file(dir, "f");
	struct kernfs_node *outside = add_file(top, "outside");
	struct remover r;

	kernfs_get(held);
	kernfs_get(file);
	remover_start(&r, dir, held);
	ck_assert_int_eq(kernfs_rename(file, top, "free"), -ENOENT);
	ck_assert_int_eq(kernfs_rename(held, top, "free"), -ENOENT);
	ck_assert_int_eq(kernfs_rename(outside, dir, NULL), -ENOENT);
	kernfs_put_active(held);
	remover_join(&r);
	ck_assert_int_eq(kernfs_rename(outside, file, NULL), -EINVAL);
	ck_assert(is_linked(outside));
	kernfs_put(file);
	kernfs_put(held);
}
END_TEST

/* A directory moved out in time is none of the removal's business. */
START_TEST(moved_out_before)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *sub = add_dir(dir, "sub");

	add_file(sub, "f");
	ck_assert_int_eq(kernfs_rename(sub, top, NULL), 0);
	kernfs_remove(dir);
	ck_assert(kernfs_active(sub));
	ck_assert(is_child(top, "sub", sub));
}
END_TEST

struct mover {
	struct kernfs_node *kn, *to;
	int err;
};

static void *mover_thread(void *arg)
{
	struct mover *m = arg;

	m->err = kernfs_rename(m->kn, m->to, "moved");
	return NULL;
}

/* In or out, whole in either case. */
START_TEST(removal_against_moves)
{
	for (unsigned int round = 0; round < 300; round++) {
		struct kernfs_node *dir = add_dir(top, "d");
		struct kernfs_node *sub = add_dir(add_dir(dir, "a"), "sub");
		struct kernfs_node *file = add_file(sub, "f");
		struct mover m = { sub, top, 0 };
		pthread_t id;

		kernfs_get(sub);
		kernfs_get(file);
		id = thread_start(mover_thread, &m);
		if (round % 2)
			sched_yield();
		kernfs_remove(dir);
		thread_join(id);
		must(m.err == 0 || m.err == -ENOENT);
		must(kernfs_active(sub) == !m.err);
		must(kernfs_active(file) == !m.err);
		must(is_linked(file) == !m.err);
		kernfs_put(file);
		kernfs_remove(sub);
		kernfs_put(sub);
		must(top->count == 1);
	}
}
END_TEST

/*
 * Removal by name takes what has the name when it decides, not what had it a
 * moment ago. Both wait for the node's lock, so that the remover has found the
 * node and the renamer may still come first.
 */
static void *by_name_thread(void *err)
{
	*(int *)err = kernfs_remove_by_name(top, "name");
	return NULL;
}

START_TEST(by_name_against_rename)
{
	for (unsigned int round = 0; round < 200; round++) {
		struct kernfs_node *kn = add_file(top, "name");
		struct mover m = { kn, top, 0 };
		pthread_t remover, mover;
		struct kf_write w;
		int err;

		kernfs_get(kn);
		kf_write_lock(&w, &root->locks, kn, NULL, NULL);
		remover = thread_start(by_name_thread, &err);
		usleep(100);
		mover = thread_start(mover_thread, &m);
		usleep(100);
		kf_write_unlock(&w);
		thread_join(remover);
		thread_join(mover);
		/* one of the two, never both, never neither */
		must(m.err ? m.err == -ENOENT && !err : err == -ENOENT);
		must(is_linked(kn) == !m.err);
		kernfs_remove(kn);
		kernfs_put(kn);
	}
}
END_TEST

/* --- two of one name (4abc99652812) --- */

START_TEST(by_name_twice)
{
	struct kernfs_node *kn = enter(add_file(top, "name"));
	pthread_t id[2];
	int err[2];

	kernfs_get(kn);
	for (unsigned int i = 0; i < 2; i++)
		id[i] = thread_start(by_name_thread, &err[i]);
	wait_until(!kernfs_active(kn));
	/* the second one finds it as long as it is there */
	give_it_time();
	ck_assert(is_linked(kn));
	kernfs_put_active(kn);
	thread_join(id[0]);
	thread_join(id[1]);
	ck_assert(!err[0] || !err[1]);
	ck_assert(!is_linked(kn));
	ck_assert_int_eq(kn->count, 1);
	kernfs_put(kn);
}
END_TEST

static void *churn_thread(void *arg)
{
	unsigned int *created = arg;

	for (unsigned int i = 0; i < 1000; i++) {
		struct kernfs_node *kn;

		*created += !IS_ERR(try_file(top, "name", NULL));
		/* a callback that takes its time */
		kn = kernfs_find_and_get(top, "name");
		if (kernfs_get_active(kn)) {
			if (i % 16 == 0)
				usleep(10);
			kernfs_put_active(kn);
		}
		kernfs_put(kn);
		kernfs_remove_by_name(top, "name");
	}
	return NULL;
}

START_TEST(by_name_many_times)
{
	unsigned int created[4] = { 0 };

	run_threads(NR_OF(created), churn_thread, created, sizeof(created[0]));
	for (unsigned int i = 0; i < NR_OF(created); i++)
		ck_assert_uint_gt(created[i], 0);
	ck_assert_int_eq(top->count, 1);
}
END_TEST

/* --- removing oneself --- */

struct self {
	struct kernfs_node *kn;
	bool won;
	unsigned int slow_us; /* what the winner still does afterwards */
};

static unsigned int inside, inside_wanted, winner_is_done;

static void *self_thread(void *arg)
{
	struct self *s = arg;

	enter(s->kn);
	ADD(inside, 1);
	wait_until(GET(inside) == inside_wanted);
	s->won = kernfs_remove_self(s->kn);
	if (s->won) {
		usleep(s->slow_us);
		SET(winner_is_done, 1);
	} else {
		must(GET(winner_is_done));
	}
	kernfs_put_active(s->kn);
	return NULL;
}

static void expect_one_winner(unsigned int nr, unsigned int slow_us)
{
	struct kernfs_node *kn = add_file(top, "f");
	unsigned int winners = 0;
	struct self self[8];

	kernfs_get(kn);
	inside = winner_is_done = 0;
	inside_wanted = nr;
	for (unsigned int i = 0; i < nr; i++)
		self[i] = (struct self){ kn, false, slow_us };
	run_threads(nr, self_thread, self, sizeof(self[0]));
	for (unsigned int i = 0; i < nr; i++)
		winners += self[i].won;
	ck_assert_uint_eq(winners, 1);
	ck_assert(!is_linked(kn));
	ck_assert_int_eq(kn->active, KN_DEACTIVATED_BIAS);
	ck_assert_int_eq(kn->count, 1);
	kernfs_put(kn);
}

START_TEST(self_alone)
{
	expect_one_winner(1, 0);
}
END_TEST

/* Losers come back when the winner's whole callback has ended. */
START_TEST(self_one_winner)
{
	expect_one_winner(2, 20000);
	expect_one_winner(8, 20000);
	for (unsigned int i = 0; i < 200; i++)
		expect_one_winner(2 + i % 7, i % 3 * 50);
}
END_TEST

/* Gone when the call returns, while the callback still runs. */
START_TEST(self_at_once)
{
	struct kernfs_node *kn = enter(add_file(top, "f"));

	kernfs_get(kn);
	ck_assert(kernfs_remove_self(kn));
	ck_assert(is_child(top, "f", NULL));
	ck_assert_int_eq(kn->active, KN_DEACTIVATED_BIAS + 1);
	ck_assert_uint_ne(kernfs_flags(kn) & KERNFS_SUICIDAL, 0);
	ck_assert_uint_ne(kernfs_flags(kn) & KERNFS_SUICIDED, 0);
	/* the name is free again */
	add_file(top, "f");
	/* and removing it once more does nothing, waits for nothing */
	kernfs_remove(kn);
	kernfs_put_active(kn);
	kernfs_put(kn);
	ck_assert_int_eq(top->count, 2);
}
END_TEST

/* Waits for the others inside, as any removal. */
START_TEST(self_waits_for_others)
{
	struct kernfs_node *kn = enter(add_file(top, "f"));
	struct self s = { kn, false, 0 };
	pthread_t id;

	kernfs_get(kn);
	inside = winner_is_done = 0;
	inside_wanted = 1;
	id = thread_start(self_thread, &s);
	wait_until(!kernfs_active(kn));
	give_it_time();
	ck_assert(is_linked(kn));
	kernfs_put_active(kn);
	thread_join(id);
	ck_assert(s.won);
	kernfs_put(kn);
}
END_TEST

/* Somebody else removes it already: the callback wins all the same, and both
 * get on. */
START_TEST(self_against_a_remover)
{
	struct kernfs_node *kn = enter(add_file(top, "f"));
	struct remover r;

	kernfs_get(kn);
	remover_start(&r, kn, kn);
	ck_assert(kernfs_remove_self(kn));
	ck_assert(!is_linked(kn));
	kernfs_put_active(kn);
	remover_join(&r);
	ck_assert_int_eq(kn->count, 1);
	kernfs_put(kn);
}
END_TEST

START_TEST(self_with_a_subtree)
{
	struct kernfs_node *dir = enter(add_dir(top, "d"));

	add_file(add_dir(dir, "sub"), "f");
	kernfs_get(dir);
	ck_assert(kernfs_remove_self(dir));
	ck_assert_ptr_null(dir->dir.children);
	kernfs_put_active(dir);
	kernfs_put(dir);
	ck_assert_int_eq(top->count, 1);
}
END_TEST

/* Callbacks of two files that each remove the other's directory neighbour. */
struct pair {
	struct kernfs_node *mine, *victim;
};

static void *pair_thread(void *arg)
{
	struct pair *p = arg;

	enter(p->mine);
	kernfs_remove(p->victim);
	kernfs_put_active(p->mine);
	return NULL;
}

START_TEST(callbacks_remove_neighbours)
{
	for (unsigned int round = 0; round < 100; round++) {
		struct kernfs_node *a = add_file(top, "a");
		struct kernfs_node *b = add_file(top, "b");
		struct kernfs_node *c = add_dir(top, "c");
		struct kernfs_node *d = add_dir(top, "d");
		struct pair p[2] = { { a, c }, { b, d } };

		kernfs_get(c);
		kernfs_get(d);
		run_threads(2, pair_thread, p, sizeof(p[0]));
		must(!is_linked(c) && !is_linked(d));
		kernfs_put(c);
		kernfs_put(d);
		kernfs_remove(a);
		kernfs_remove(b);
	}
	ck_assert_int_eq(top->count, 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_file,
		nothing,
		a_tree,
		a_wide_tree,
		by_name,
		by_name_what_cannot_be_seen,
		by_name_and_tag,
		parent_times,
		waits_for_callbacks,
		waits_for_all_below,
		order,
		parent_held_but_children_go,
		overlapping_removals,
		callback_uses_the_tree,
		callback_uses_the_tree_with_one_lock,
		callback_while_the_root_goes,
		no_escape,
		moved_out_before,
		removal_against_moves,
		by_name_against_rename,
		by_name_twice,
		by_name_many_times,
		self_alone,
		self_one_winner,
		self_at_once,
		self_waits_for_others,
		self_against_a_remover,
		self_with_a_subtree,
		callbacks_remove_neighbours,
	};

	return test_run("kernfs-remove", tests, NR_OF(tests), setup, teardown);
}
