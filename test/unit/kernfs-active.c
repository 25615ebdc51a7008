/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Active references, activation, hiding, and waiting for those inside. */
#include "test/unit/kernfs-fixture.h"

static struct kernfs_node *enter(struct kernfs_node *kn)
{
	ck_assert_ptr_eq(kernfs_get_active(kn), kn);
	return kn;
}

START_TEST(bias)
{
	ck_assert_int_eq(KN_DEACTIVATED_BIAS, INT_MIN + 1);
	ck_assert_int_eq(-KN_DEACTIVATED_BIAS, INT_MAX);
}
END_TEST

START_TEST(references)
{
	struct kernfs_node *kn = add_file(top, "f");

	ck_assert_int_eq(kn->active, 0);
	enter(kn);
	enter(kn);
	ck_assert_int_eq(kn->active, 2);
	ck_assert(kernfs_active(kn));
	kernfs_put_active(kn);
	kernfs_put_active(kn);
	ck_assert_int_eq(kn->active, 0);
	ck_assert_ptr_null(kernfs_get_active(NULL));
	kernfs_put_active(NULL);
}
END_TEST

START_TEST(no_way_in_when_inactive)
{
	struct kernfs_node *kn;

	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	kn = add_file(top, "f");
	ck_assert_ptr_null(kernfs_get_active(kn));
	ck_assert_int_eq(kn->active, KN_DEACTIVATED_BIAS);
	kernfs_activate(kn);
	enter(kn);
	kernfs_put_active(kn);
}
END_TEST

/* Those inside are counted on the other side of the bias, too. */
START_TEST(no_way_in_while_removed)
{
	struct kernfs_node *kn = add_file(top, "f");
	struct remover r;

	enter(kn);
	remover_start(&r, kn, kn);
	ck_assert_int_eq(GET(kn->active), KN_DEACTIVATED_BIAS + 1);
	ck_assert_ptr_null(kernfs_get_active(kn));
	ck_assert_int_eq(GET(kn->active), KN_DEACTIVATED_BIAS + 1);
	kernfs_put_active(kn);
	thread_join(r.id);
	ck_assert_int_eq(kn->active, KN_DEACTIVATED_BIAS);
	kernfs_put(kn);
}
END_TEST

/* --- activation --- */

START_TEST(activate_is_idempotent)
{
	struct kernfs_node *kn = enter(add_file(top, "f"));

	kernfs_activate(kn);
	kernfs_activate(top);
	ck_assert_int_eq(kn->active, 1);
	kernfs_put_active(kn);
}
END_TEST

/* All of it: deep, wide, and with names that collide. */
START_TEST(activate_subtree)
{
	struct kernfs_node *dir, *other, *kn, *list[400];
	unsigned int nr = 0;
	char name[16];

	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	dir = list[nr++] = add_dir(top, "d");
	other = add_dir(top, "other");
	for (unsigned int i = 0; i < NR_COLLIDING; i++)
		list[nr++] = add_file(dir, colliding_name(i));
	/* around the number of levels that one call of it handles */
	for (kn = dir; nr < 200;) {
		list[nr++] = add_file(kn, "f");
		list[nr++] = add_file(kn, "g");
		list[nr++] = kn = add_dir(kn, "d");
	}
	while (nr < NR_OF(list)) {
		snprintf(name, sizeof(name), "%u", nr);
		list[nr++] = add_file(kn, name);
	}
	kernfs_activate(dir);
	for (unsigned int i = 0; i < nr; i++)
		must(kernfs_active(list[i]));
	ck_assert(!kernfs_active(other));
	ck_assert(!kernfs_active(top));
	for (unsigned int i = 0; i < nr; i++)
		must(list[i]->count ==
		     1 + (int)(kernfs_is(list[i], KERNFS_DIR) ?
				       list[i]->dir.tab->live :
				       0));
	kernfs_activate(top);
	ck_assert(kernfs_active(other));
	ck_assert(kernfs_active(top));
}
END_TEST

START_TEST(activate_deep_tree)
{
	struct kernfs_node *kn;

	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	kn = top;
	for (unsigned int i = 0; i < 100000; i++)
		kn = add_dir(kn, "d");
	kernfs_activate(top);
	ck_assert(kernfs_active(top));
	ck_assert(kernfs_active(kn));
	kernfs_remove_by_name(top, "d");
}
END_TEST

/* Who finds the top finds all that was below it: children come first. */
static void *watcher_thread(void *list_)
{
	struct kernfs_node **list = list_;

	while (!kernfs_active(list[0]))
		sched_yield();
	for (unsigned int i = 1; list[i]; i++)
		must(kernfs_active(list[i]));
	return NULL;
}

START_TEST(children_before_parents)
{
	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	for (unsigned int round = 0; round < 50; round++) {
		struct kernfs_node *list[500] = { NULL };
		char name[16];
		pthread_t id;

		snprintf(name, sizeof(name), "%u", round);
		list[0] = add_dir(top, name);
		for (unsigned int i = 1; i + 1 < NR_OF(list); i++) {
			snprintf(name, sizeof(name), "%u", i);
			list[i] = add_dir(list[i / 4], name);
		}
		id = thread_start(watcher_thread, list);
		sched_yield();
		kernfs_activate(list[0]);
		thread_join(id);
	}
}
END_TEST

START_TEST(removing_stays_inactive)
{
	struct kernfs_node *dir = add_dir(top, "d");
	struct kernfs_node *kn = add_file(dir, "f");
	struct kernfs_node *held = add_file(dir, "held");
	struct remover r;

	kernfs_get(kn);
	enter(held);
	kernfs_get(held);
	remover_start(&r, dir, held);
	kernfs_activate(top);
	ck_assert(!kernfs_active(held));
	ck_assert(!kernfs_active(kn));
	kernfs_put_active(held);
	remover_join(&r);
	kernfs_put(kn);
	kernfs_put(held);
}
END_TEST

/* --- hiding --- */

START_TEST(hide_and_show)
{
	struct kernfs_node *kn = add_file(top, "f");
	unsigned long rev = top->dir.rev;
	struct kernfs_dentry d;

	kernfs_show(kn, false);
	ck_assert(!kernfs_active(kn));
	ck_assert_int_eq(kn->active, KN_DEACTIVATED_BIAS);
	ck_assert_ptr_null(kernfs_get_active(kn));
	/* it keeps its name, as far as anybody is told */
	ck_assert_int_eq(kernfs_iop_lookup(top, "f", NULL, &d), -EAGAIN);
	ck_assert_int_eq(PTR_ERR(try_file(top, "f", NULL)), -EEXIST);
	ck_assert(is_child(top, "f", kn));
	kernfs_show(kn, false);
	kernfs_show(kn, true);
	ck_assert_int_eq(kn->active, 0);
	kernfs_show(kn, true);
	ck_assert_int_eq(kn->active, 0);
	/* none of which links or unlinks anything */
	ck_assert_uint_eq(top->dir.rev, rev);
}
END_TEST

START_TEST(hidden_links_too)
{
	struct kernfs_node *kn = add_link(top, "l", top);

	kernfs_show(kn, false);
	ck_assert(!kernfs_active(kn));
	kernfs_show(kn, true);
	ck_assert(kernfs_active(kn));
}
END_TEST

START_TEST(directories_are_not_hidden)
{
	struct kernfs_node *dir = add_dir(top, "d");

	kernfs_show(dir, false);
	ck_assert(kernfs_active(dir));
	ck_assert_uint_eq(kernfs_flags(dir) & KERNFS_HIDDEN, 0);
}
END_TEST

/* Activation passes the hidden by, but is remembered. */
START_TEST(hidden_and_activated)
{
	struct kernfs_node *kn;

	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	kn = add_file(top, "f");
	kernfs_show(kn, false);
	kernfs_activate(top);
	ck_assert(!kernfs_active(kn));
	kernfs_show(kn, true);
	ck_assert(kernfs_active(kn));
}
END_TEST

/* What was never activated is not shown. */
START_TEST(shown_but_not_activated)
{
	struct kernfs_node *kn;

	replace_root(KERNFS_ROOT_CREATE_DEACTIVATED);
	kn = add_file(top, "f");
	kernfs_show(kn, true);
	ck_assert(!kernfs_active(kn));
	kernfs_show(kn, false);
	kernfs_show(kn, true);
	ck_assert(!kernfs_active(kn));
	kernfs_activate(kn);
	ck_assert(kernfs_active(kn));
}
END_TEST

struct hider {
	struct kernfs_node *kn;
	bool done;
};

static void *hider_thread(void *arg)
{
	struct hider *h = arg;

	kernfs_show(h->kn, false);
	SET(h->done, true);
	return NULL;
}

START_TEST(hide_waits)
{
	struct hider h = { enter(add_file(top, "f")), false };
	pthread_t id = thread_start(hider_thread, &h);

	wait_until(!kernfs_active(h.kn));
	give_it_time();
	ck_assert(!GET(h.done));
	kernfs_put_active(h.kn);
	thread_join(id);
	ck_assert(!kernfs_active(h.kn));
}
END_TEST

/* The one inside shows what another one hides. */
START_TEST(show_ends_a_hide)
{
	struct hider h = { enter(add_file(top, "f")), false };
	pthread_t id = thread_start(hider_thread, &h);

	wait_until(!kernfs_active(h.kn));
	kernfs_show(h.kn, true);
	thread_join(id);
	ck_assert_int_eq(h.kn->active, 1);
	kernfs_put_active(h.kn);
}
END_TEST

START_TEST(removal_of_the_hidden)
{
	struct hider h = { enter(add_file(top, "f")), false };
	pthread_t id = thread_start(hider_thread, &h);
	struct remover r;

	remover_start(&r, h.kn, h.kn);
	/* a show does not bring back what is being removed */
	wait_until(kernfs_flags(h.kn) & KERNFS_REMOVING);
	kernfs_show(h.kn, true);
	ck_assert(!kernfs_active(h.kn));
	give_it_time();
	ck_assert(!GET(h.done));
	ck_assert(!GET(r.done));
	kernfs_put_active(h.kn);
	thread_join(id);
	remover_join(&r);
}
END_TEST

/* --- letting go of one's own node --- */

START_TEST(break_and_unbreak)
{
	struct kernfs_node *kn = enter(add_file(top, "f"));

	kernfs_break_active_protection(kn);
	ck_assert_int_eq(kn->active, 0);
	kernfs_unbreak_active_protection(kn);
	ck_assert_int_eq(kn->active, 1);
	kernfs_put_active(kn);
}
END_TEST

/* The node goes meanwhile; the count balances all the same. */
START_TEST(removed_while_broken)
{
	struct kernfs_node *kn = enter(add_file(top, "f"));

	kernfs_get(kn);
	kernfs_break_active_protection(kn);
	kernfs_remove(kn);
	kernfs_unbreak_active_protection(kn);
	ck_assert_int_eq(kn->active, KN_DEACTIVATED_BIAS + 1);
	kernfs_put_active(kn);
	ck_assert_int_eq(kn->active, KN_DEACTIVATED_BIAS);
	kernfs_put(kn);
}
END_TEST

/* Breaking is leaving: it wakes whoever waits. */
START_TEST(break_lets_removal_go_on)
{
	struct kernfs_node *kn = enter(add_file(top, "f"));
	struct remover r;

	kernfs_get(kn);
	remover_start(&r, kn, kn);
	kernfs_break_active_protection(kn);
	remover_join(&r);
	kernfs_unbreak_active_protection(kn);
	kernfs_put_active(kn);
	kernfs_put(kn);
}
END_TEST

/* Protected again before the removal came: it waits, and is not confused. */
START_TEST(unbroken_before_removal)
{
	struct kernfs_node *kn = enter(add_file(top, "f"));
	struct remover r;

	kernfs_break_active_protection(kn);
	kernfs_unbreak_active_protection(kn);
	remover_start(&r, kn, kn);
	give_it_time();
	ck_assert(!GET(r.done));
	kernfs_put_active(kn);
	remover_join(&r);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		bias,
		references,
		no_way_in_when_inactive,
		no_way_in_while_removed,
		activate_is_idempotent,
		activate_subtree,
		activate_deep_tree,
		children_before_parents,
		removing_stays_inactive,
		hide_and_show,
		hidden_links_too,
		directories_are_not_hidden,
		hidden_and_activated,
		shown_but_not_activated,
		hide_waits,
		show_ends_a_hide,
		removal_of_the_hidden,
		break_and_unbreak,
		removed_while_broken,
		break_lets_removal_go_on,
		unbroken_before_removal,
	};

	return test_run("kernfs-active", tests, NR_OF(tests), setup, teardown);
}
