/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grace periods, from threads that never said they exist. */
#include "lock/rcu.h"

#include "lock/atomic.h"
#include "test/unit/util.h"

static void teardown(void)
{
	kf_rcu_barrier();
}

/* A thread in a read section for as long as it is told. */
struct reader {
	bool inside, leave;
	pthread_t id;
};

static void *reader_thread(void *arg)
{
	struct reader *r = arg;

	kf_rcu_read_lock();
	kf_rcu_read_lock();
	kf_rcu_read_unlock();
	/* still in: sections nest */
	SET(r->inside, true);
	wait_until(GET(r->leave));
	kf_rcu_read_unlock();
	return NULL;
}

static void reader_start(struct reader *r)
{
	*r = (struct reader){ .inside = false };
	r->id = thread_start(reader_thread, r);
	wait_until(GET(r->inside));
}

static void reader_end(struct reader *r)
{
	SET(r->leave, true);
	thread_join(r->id);
}

static void *synchronize_thread(void *done)
{
	kf_synchronize_rcu();
	SET(*(bool *)done, true);
	return NULL;
}

START_TEST(synchronize_waits_for_readers)
{
	struct reader reader;
	bool done = false;
	pthread_t id;

	reader_start(&reader);
	id = thread_start(synchronize_thread, &done);
	give_it_time();
	ck_assert(!GET(done));
	reader_end(&reader);
	thread_join(id);
	ck_assert(done);
}
END_TEST

struct counted {
	struct rcu_head rcu;
	unsigned int *count;
};

static void count(struct rcu_head *head)
{
	struct counted *c = caa_container_of(head, struct counted, rcu);

	kf_rcu_callback_begin(head);
	ADD(*c->count, 1);
	free(c);
}

static void call_count(unsigned int *counter)
{
	struct counted *c = malloc(sizeof(*c));

	must(c);
	c->count = counter;
	kf_call_rcu(&c->rcu, count);
}

START_TEST(callbacks_wait_for_readers)
{
	unsigned int called = 0;
	struct reader reader;

	reader_start(&reader);
	call_count(&called);
	give_it_time();
	ck_assert_uint_eq(GET(called), 0);
	reader_end(&reader);
	kf_rcu_barrier();
	ck_assert_uint_eq(GET(called), 1);
}
END_TEST

START_TEST(barrier_waits_for_all)
{
	unsigned int called = 0;

	kf_rcu_barrier();
	for (unsigned int i = 0; i < 1000; i++)
		call_count(&called);
	kf_rcu_barrier();
	ck_assert_uint_eq(GET(called), 1000);
}
END_TEST

/* Publish, replace, free: a reader never sees what was freed. */
struct object {
	struct rcu_head rcu;
	unsigned long value, copy;
};

static struct object *published;
static bool stop;

static struct object *new_object(unsigned long value)
{
	struct object *o = malloc(sizeof(*o));

	must(o);
	o->value = o->copy = value;
	return o;
}

static void free_object(struct rcu_head *head)
{
	struct object *o = caa_container_of(head, struct object, rcu);

	kf_rcu_callback_begin(head);
	o->value = 0;
	free(o);
}

static void *looking_thread(void *arg)
{
	(void)arg;
	while (!GET(stop)) {
		struct object *o;

		kf_rcu_read_lock();
		o = smp_load_acquire(&published);
		must(o->value && o->value == o->copy);
		kf_rcu_read_unlock();
	}
	return NULL;
}

START_TEST(objects_outlive_their_readers)
{
	uint64_t end = now_ms() + 200;
	pthread_t id[2];

	published = new_object(1);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		id[i] = thread_start(looking_thread, NULL);
	for (unsigned long value = 2; now_ms() < end; value++) {
		struct object *old = published;

		smp_store_release(&published, new_object(value));
		if (value % 16) {
			kf_call_rcu(&old->rcu, free_object);
		} else {
			kf_synchronize_rcu();
			old->value = 0;
			free(old);
		}
	}
	SET(stop, true);
	for (unsigned int i = 0; i < NR_OF(id); i++)
		thread_join(id[i]);
	free(published);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		synchronize_waits_for_readers,
		callbacks_wait_for_readers,
		barrier_waits_for_all,
		objects_outlive_their_readers,
	};

	return test_run("lock-rcu", tests, NR_OF(tests), NULL, teardown);
}
