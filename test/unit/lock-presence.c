/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Presence: the kernel marks the word of a thread that dies. */
#include "lock/presence.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "test/unit/util.h"

static uint32_t *word;

static void setup(void)
{
	word = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(word != MAP_FAILED);
}

static void teardown(void)
{
	munmap(word, 4096);
}

START_TEST(enter_and_leave)
{
	struct kf_presence *self = kf_presence_self();
	void *outer, *inner;

	ck_assert_ptr_nonnull(self);
	ck_assert_ptr_eq(kf_presence_self(), self);
	ck_assert_uint_eq(self->tid, (uint32_t)syscall(SYS_gettid));
	ck_assert(kf_presence_enter(self, &word[0], &outer));
	ck_assert_uint_eq(word[0], self->tid);
	/* nobody is there twice; an interrupted one comes back */
	ck_assert(!kf_presence_enter(self, &word[0], &inner));
	ck_assert(kf_presence_enter(self, &word[1], &inner));
	kf_presence_leave(self, &word[1], inner);
	ck_assert_uint_eq(word[1], 0);
	ck_assert_ptr_eq(*self->pending, (char *)&word[0] - self->offset);
	kf_presence_leave(self, &word[0], outer);
	ck_assert_uint_eq(word[0], 0);
	ck_assert_ptr_eq(*self->pending, outer);
}
END_TEST

/* @die: in the word, before, or after; true if it is to be seen. */
static void in_child(void (*die)(struct kf_presence *), bool seen)
{
	pid_t pid = fork();

	if (pid == 0) {
		die(kf_presence_self());
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(kf_presence_died(word[0]), seen);
	word[0] = 0;
}

static void killed_inside(struct kf_presence *self)
{
	void *outer;

	if (kf_presence_enter(self, &word[0], &outer))
		kill(getpid(), SIGKILL);
}

static void exits_inside(struct kf_presence *self)
{
	void *outer;

	if (kf_presence_enter(self, &word[0], &outer))
		_exit(0);
}

static void execs_inside(struct kf_presence *self)
{
	void *outer;

	if (kf_presence_enter(self, &word[0], &outer))
		execl("/bin/true", "true", (char *)NULL);
}

static void killed_outside(struct kf_presence *self)
{
	void *outer;

	if (kf_presence_enter(self, &word[0], &outer))
		kf_presence_leave(self, &word[0], outer);
	kill(getpid(), SIGKILL);
}

static void killed_at_the_door(struct kf_presence *self)
{
	*self->pending = (char *)&word[0] - self->offset;
	kill(getpid(), SIGKILL);
}

static void dies_where_another_is(struct kf_presence *self)
{
	word[0] = self->tid + 1;
	killed_at_the_door(self);
}

START_TEST(deaths)
{
	in_child(killed_inside, true);
	in_child(exits_inside, true);
	in_child(execs_inside, true);
	in_child(killed_outside, false);
	in_child(killed_at_the_door, false);
	in_child(dies_where_another_is, false);
}
END_TEST

static void *thread(void *arg)
{
	void *outer;

	(void)arg;
	must(kf_presence_enter(kf_presence_self(), &word[0], &outer));
	return NULL;
}

START_TEST(death_of_a_thread)
{
	thread_join(thread_start(thread, NULL));
	ck_assert(kf_presence_died(word[0]));
}
END_TEST

/* A child is not its parent, however it was made. */
START_TEST(children)
{
	uint32_t tid = kf_presence_self()->tid;
	uint32_t generation = kf_presence_self()->generation;
	int status;
	pid_t pid;

	for (int raw = 0; raw < 2; raw++) {
		pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL,
					   NULL) :
			    fork();
		if (pid == 0) {
			struct kf_presence *self = kf_presence_self();

			_exit(self->tid == (uint32_t)syscall(SYS_gettid) &&
					      self->tid != tid &&
					      self->generation != generation ?
				      0 :
				      1);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_uint_eq(kf_presence_self()->tid, tid);
	ck_assert_uint_eq(kf_presence_self()->generation, generation);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		enter_and_leave,
		deaths,
		death_of_a_thread,
		children,
	};

	return test_run("lock/presence", tests, NR_OF(tests), setup, teardown);
}
