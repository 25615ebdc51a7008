/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches, limits and accounts of the teardown; what is freed is made up. */
#include "fs/ipc/teardown.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "test/unit/util.h"

#define UID 1000

struct thing {
	struct ipc_dying dying;
	unsigned int busy;	  /* how often it is held yet */
	unsigned int nth;	  /* freed as the nth; atomic */
	bool released, abandoned; /* atomic */
	pthread_t by;
};

static struct ipc_teardown td;
static bool hold; /* atomic: free() waits */
static unsigned int inside, freed;
static uint64_t live;

static struct thing *thing_of(struct ipc_dying *dying)
{
	return llist_entry(dying, struct thing, dying);
}

static int free_thing(struct ipc_dying *dying)
{
	struct thing *thing = thing_of(dying);

	ADD(inside, 1);
	wait_until(!GET(hold));
	if (GET(thing->busy)) {
		ADD(thing->busy, -1);
		return -EBUSY;
	}
	must(!thing->nth);
	thing->by = pthread_self();
	SET(thing->nth, ADD(freed, 1));
	return 0;
}

static void release_thing(struct ipc_dying *dying)
{
	must(!GET(thing_of(dying)->released));
	SET(thing_of(dying)->released, true);
}

static void abandon_thing(struct ipc_dying *dying)
{
	thing_of(dying)->abandoned = true;
}

static uint64_t live_bytes(void *priv, uid_t uid)
{
	must(priv == &live && uid == UID);
	return live;
}

static const struct ipc_teardown_ops ops = {
	.free = free_thing,
	.release = release_thing,
	.live_bytes = live_bytes,
};

static void begin(const struct ipc_teardown_params *params)
{
	ck_assert_int_eq(ipc_teardown_init(&td, params, &ops, &live), 0);
}

static void end(void)
{
	ipc_teardown_destroy(&td, abandon_thing);
}

static void make(struct thing *thing, uint64_t bytes)
{
	memset(thing, 0, sizeof(*thing));
	ck_assert_int_eq(ipc_teardown_charge(&td, UID, &thing->dying.user), 0);
	thing->dying.bytes = bytes;
}

/* The figure that the status shows under a name. */
static unsigned long long figure(const char *name)
{
	char *text = NULL, *line;
	unsigned long long value = 0;
	size_t size, len = strlen(name);
	FILE *out = open_memstream(&text, &size);

	ipc_teardown_print(&td, out);
	fclose(out);
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) == 0 && line[len] == ' ')
			break;
	}
	ck_assert_msg(line, "no %s in:\n%s", name, text);
	value = strtoull(line + len, NULL, 10);
	free(text);
	return value;
}

#define LARGE ((uint64_t)IPC_INLINE_BYTES)

/* --- when --- */

START_TEST(deferred)
{
	struct thing thing;

	begin(NULL);
	make(&thing, LARGE);
	SET(hold, true);
	ipc_teardown_put(&td, &thing.dying, true);
	wait_until(GET(inside)); /* by somebody else */
	ck_assert_uint_eq(figure("pending"), 1);
	ck_assert_uint_eq(figure("pending_bytes"), LARGE);
	SET(hold, false);
	ipc_teardown_flush(&td);
	ck_assert_uint_eq(thing.nth, 1);
	ck_assert(!pthread_equal(thing.by, pthread_self()));
	ck_assert(thing.released);
	ck_assert_uint_eq(figure("pending"), 0);
	ck_assert_uint_eq(figure("pending_bytes"), 0);
	ck_assert_uint_eq(figure("batches"), 1);
	ck_assert_uint_eq(figure("freed_inline"), 0);
	end();
}
END_TEST

static void expect_inline(uint64_t bytes)
{
	struct thing thing;

	make(&thing, bytes);
	ipc_teardown_put(&td, &thing.dying, true);
	ck_assert_uint_ne(thing.nth, 0);
	ck_assert(pthread_equal(thing.by, pthread_self()));
	wait_until(GET(thing.released));
}

START_TEST(small_ones_inline)
{
	begin(NULL);
	expect_inline(LARGE - 1);
	ck_assert_uint_eq(figure("freed_inline"), 1);
	ck_assert_uint_eq(figure("batches"), 0);
	end();
}
END_TEST

START_TEST(sync_mode)
{
	struct ipc_teardown_params params = { .mode = IPC_TEARDOWN_SYNC };

	begin(&params);
	expect_inline(100 * LARGE);
	expect_inline(0);
	ck_assert_uint_eq(figure("freed_inline"), 2);
	end();
}
END_TEST

/* Who cannot wait for free() never has to, whatever the mode and the size. */
START_TEST(never_inline_if_it_must_not)
{
	struct ipc_teardown_params params = {
		.mode = IPC_TEARDOWN_SYNC,
		.max_pending = 1,
	};
	struct thing things[4];

	begin(&params);
	SET(hold, true);
	for (unsigned int i = 0; i < NR_OF(things); i++) {
		make(&things[i], i);
		ipc_teardown_put(&td, &things[i].dying, false);
		if (i < 2)
			wait_until(GET(inside)); /* charge() sees one or two */
		if (i == 1)
			SET(hold, false);
	}
	SET(hold, false);
	ipc_teardown_flush(&td);
	ck_assert_uint_eq(figure("freed_inline"), 0);
	ck_assert_uint_eq(figure("pushed_back"), 0);
	for (unsigned int i = 0; i < NR_OF(things); i++)
		ck_assert(!pthread_equal(things[i].by, pthread_self()));
	end();
}
END_TEST

/* What comes while a batch is freed is the next batch, however much. */
START_TEST(batches)
{
	struct thing first, things[50];

	begin(NULL);
	make(&first, LARGE);
	SET(hold, true);
	ipc_teardown_put(&td, &first.dying, true);
	wait_until(GET(inside));
	for (unsigned int i = 0; i < NR_OF(things); i++) {
		make(&things[i], LARGE + i);
		ipc_teardown_put(&td, &things[i].dying, true);
	}
	SET(hold, false);
	ipc_teardown_flush(&td);
	ck_assert_uint_eq(figure("batches"), 2);
	for (unsigned int i = 0; i < NR_OF(things); i++)
		ck_assert_uint_eq(things[i].nth, i + 2); /* oldest first */
	end();
}
END_TEST

static void *reading_thread(void *leave)
{
	kf_rcu_read_lock();
	SET(inside, 1);
	wait_until(GET(*(bool *)leave));
	kf_rcu_read_unlock();
	return NULL;
}

/* Nothing is freed under a reader, and nobody who puts waits for one. */
START_TEST(waits_for_readers)
{
	struct thing large, small;
	bool leave = false;
	pthread_t id = thread_start(reading_thread, &leave);

	begin(NULL);
	wait_until(GET(inside));
	make(&large, LARGE);
	make(&small, 1);
	ipc_teardown_put(&td, &large.dying, true);
	ipc_teardown_put(&td, &small.dying, true);
	give_it_time();
	ck_assert_uint_eq(GET(large.nth), 0);
	ck_assert(!GET(large.released));
	ck_assert_uint_eq(small.nth, 1);
	ck_assert(!GET(small.released));
	SET(leave, true);
	thread_join(id);
	ipc_teardown_flush(&td);
	ck_assert(large.released);
	wait_until(GET(small.released));
	end();
}
END_TEST

/* --- held by somebody --- */

START_TEST(held)
{
	struct thing thing;

	begin(NULL);
	make(&thing, LARGE);
	SET(thing.busy, 1000);
	ipc_teardown_put(&td, &thing.dying, true);
	ipc_teardown_flush(&td); /* does not wait for the holder */
	ck_assert_uint_eq(figure("pending"), 0);
	ck_assert_uint_eq(figure("held"), 1);
	ck_assert_uint_eq(thing.nth, 0);
	SET(thing.busy, 0);
	wait_until(GET(thing.released)); /* it is tried again */
	ck_assert_uint_eq(figure("held"), 0);
	ck_assert_uint_eq(figure("batches"), 1);
	end();
}
END_TEST

START_TEST(held_small_one)
{
	struct thing thing;

	begin(NULL);
	make(&thing, 1);
	SET(thing.busy, 3);
	ipc_teardown_put(&td, &thing.dying, true);
	ck_assert_uint_eq(thing.nth, 0);
	wait_until(GET(thing.released));
	ck_assert_uint_eq(figure("held"), 0);
	ck_assert_uint_eq(figure("freed_inline"), 0);
	end();
}
END_TEST

START_TEST(held_for_ever)
{
	struct thing things[2];

	begin(NULL);
	for (unsigned int i = 0; i < NR_OF(things); i++) {
		make(&things[i], LARGE);
		SET(things[i].busy, 1000000);
		ipc_teardown_put(&td, &things[i].dying, true);
	}
	end();
	for (unsigned int i = 0; i < NR_OF(things); i++) {
		ck_assert(things[i].abandoned);
		ck_assert(things[i].released);
	}
}
END_TEST

/* --- limits --- */

static void *charging_thread(void *ret)
{
	struct ipc_ucounts *user;

	*(int *)ret = ipc_teardown_charge(&td, UID, &user);
	return NULL;
}

START_TEST(too_many)
{
	struct ipc_teardown_params params = { .max_namespaces = 2 };
	struct ipc_ucounts *user;
	struct thing a, b;
	pthread_t id;
	int ret = 1;

	begin(&params);
	make(&a, LARGE);
	make(&b, LARGE);
	ck_assert_int_eq(ipc_teardown_charge(&td, UID, &user), -ENOSPC);
	ck_assert_uint_eq(figure("flushed"), 0); /* that would not help */
	/* an account of another's is another account */
	ck_assert_int_eq(ipc_teardown_charge(&td, UID + 1, &user), 0);
	ipc_teardown_uncharge(&td, user);
	ck_assert_int_eq(ipc_teardown_adopt(&td, UID, &user), 0);
	ipc_teardown_uncharge(&td, user);

	/* a pending one counts until it is freed, and the creator waits */
	SET(hold, true);
	ipc_teardown_put(&td, &a.dying, true);
	id = thread_start(charging_thread, &ret);
	wait_until(figure("flushed") == 1);
	give_it_time();
	ck_assert_int_eq(GET(ret), 1);
	SET(hold, false);
	thread_join(id);
	ck_assert_int_eq(ret, 0);
	ck_assert_int_eq(ipc_teardown_charge(&td, UID, &user), -ENOSPC);
	ipc_teardown_put(&td, &b.dying, true);
	end();
}
END_TEST

START_TEST(too_much)
{
	struct ipc_teardown_params params = { .max_bytes = 10 * LARGE };
	struct ipc_ucounts *user;
	struct thing a;

	begin(&params);
	make(&a, 6 * LARGE);
	live = 10 * LARGE;
	ck_assert_int_eq(ipc_teardown_charge(&td, UID, &user), -EDQUOT);
	live = 4 * LARGE;
	SET(a.busy, 1000000);
	ipc_teardown_put(&td, &a.dying, true);
	/* held ones count, and cannot be waited for */
	ck_assert_int_eq(ipc_teardown_charge(&td, UID, &user), -EDQUOT);
	SET(a.busy, 0);
	wait_until(GET(a.released));
	ck_assert_int_eq(ipc_teardown_charge(&td, UID, &user), 0);
	end();
}
END_TEST

struct putter {
	struct thing thing;
	bool done;
};

static void *putting_thread(void *arg)
{
	struct putter *putter = arg;

	ipc_teardown_put(&td, &putter->thing.dying, true);
	SET(putter->done, true);
	return NULL;
}

static void expect_push_back(const struct ipc_teardown_params *params)
{
	struct putter putters[3];
	pthread_t id;

	begin(params);
	for (unsigned int i = 0; i < NR_OF(putters); i++) {
		make(&putters[i].thing, 4 * LARGE);
		putters[i].done = false;
	}
	SET(hold, true);
	for (unsigned int i = 0; i < 2; i++)
		putting_thread(&putters[i]);
	id = thread_start(putting_thread, &putters[2]);
	wait_until(figure("pushed_back") == 1);
	give_it_time();
	ck_assert(!GET(putters[2].done));
	SET(hold, false);
	thread_join(id);
	for (unsigned int i = 0; i < NR_OF(putters); i++)
		ck_assert(putters[i].thing.released);
	end();
}

START_TEST(backlog)
{
	struct ipc_teardown_params many = { .max_pending = 2 };
	struct ipc_teardown_params much = { .max_pending_bytes = 10 * LARGE };

	expect_push_back(&many);
	expect_push_back(&much);
}
END_TEST

/* --- accounts --- */

#define THREADS 4
#define ROUNDS 300

static struct thing things[THREADS][ROUNDS];

static void *using_thread(void *mine)
{
	struct thing *thing = mine;

	for (unsigned int i = 0; i < ROUNDS; i++, thing++) {
		must(ipc_teardown_charge(&td, UID, &thing->dying.user) == 0);
		thing->dying.bytes = i % 3 ? LARGE : 1;
		thing->busy = i % 50 == 7;
		ipc_teardown_put(&td, &thing->dying, i % 5);
	}
	return NULL;
}

START_TEST(accounts_are_exact)
{
	struct ipc_teardown_params params = {
		.max_namespaces = 20,
		.max_pending = 10,
	};
	struct ipc_ucounts *user;

	begin(&params);
	run_threads(THREADS, using_thread, things, sizeof(things[0]));
	for (unsigned int i = 0; i < THREADS * ROUNDS; i++)
		wait_until(GET(things[i / ROUNDS][i % ROUNDS].released));
	ck_assert_uint_eq(freed, THREADS * ROUNDS);
	ck_assert_uint_eq(figure("pending"), 0);
	ck_assert_uint_eq(figure("pending_bytes"), 0);
	ck_assert_uint_eq(figure("held"), 0);
	user = td.users;
	ck_assert_uint_eq(user->uid, UID);
	ck_assert_uint_eq(user->namespaces, 0);
	ck_assert_uint_eq(user->pending, 0);
	ck_assert_uint_eq(user->pending_bytes, 0);
	ck_assert_uint_eq(user->held_bytes, 0);
	ck_assert_uint_eq(user->freed, THREADS * ROUNDS);
	ck_assert_uint_eq(user->freed_bytes,
			  (uint64_t)THREADS *
				  (ROUNDS / 3 * 2 * LARGE + ROUNDS / 3));
	ck_assert_uint_gt(user->cpu_ns, 0);
	end();
}
END_TEST

START_TEST(status)
{
	struct thing thing;
	char *text;
	size_t size;
	FILE *out;

	begin(NULL);
	make(&thing, LARGE);
	out = open_memstream(&text, &size);
	ipc_teardown_print(&td, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "teardown deferred\n"));
	ck_assert_ptr_nonnull(strstr(
		text, "\nuid 1000 namespaces 1 pending 0 pending_bytes 0 "
		      "held 0 held_bytes 0 freed 0 freed_bytes 0 cpu_ns 0\n"));
	free(text);
	ck_assert_uint_eq(figure("inline_bytes"), IPC_INLINE_BYTES);
	ck_assert_uint_eq(figure("max_namespaces"), IPC_MAX_NAMESPACES);
	ck_assert_uint_eq(figure("max_bytes"), 0);
	ck_assert_uint_eq(figure("max_pending"), IPC_MAX_PENDING);
	ck_assert_uint_eq(figure("max_pending_bytes"), IPC_MAX_PENDING_BYTES);
	ipc_teardown_put(&td, &thing.dying, true);
	end();
	ck_assert(thing.released); /* the end frees what is pending */
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		deferred,
		small_ones_inline,
		sync_mode,
		never_inline_if_it_must_not,
		batches,
		waits_for_readers,
		held,
		held_small_one,
		held_for_ever,
		too_many,
		too_much,
		backlog,
		accounts_are_exact,
		status,
	};

	return test_run("ipc-teardown", tests, NR_OF(tests), NULL, NULL);
}
