/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Presence: finding a thread's robust list; see lock/presence.h. */
#include "lock/presence.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lock/assert.h"

uint32_t *kf_presence_page;
__thread struct kf_presence kf_presence_tls
	__attribute__((tls_model("initial-exec")));

/* for a thread without a list; never walked, so that it points to itself */
static __thread struct robust_list_head own_head
	__attribute__((tls_model("initial-exec")));

/* grows in every child; the page holds it, or 0 right after a fork */
static uint32_t generation = 1;
static uint32_t no_wipe; /* the page when there is no MADV_WIPEONFORK */

static void forked(void)
{
	WRITE_ONCE(*kf_presence_page, 0);
}

static void make_page(void)
{
	uint32_t *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE),
			      PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		page = &no_wipe;
	else
		/* on kernels before 4.14 only fork() itself is noticed */
		madvise(page, (size_t)sysconf(_SC_PAGESIZE), MADV_WIPEONFORK);
	*page = generation;
	smp_store_release(&kf_presence_page, page);
	kf_assert(pthread_atfork(NULL, NULL, forked) == 0);
}

static struct robust_list_head *find_list(void)
{
	struct robust_list_head *head = NULL;
	size_t length;

	if (syscall(SYS_get_robust_list, 0, &head, &length) < 0)
		return NULL;
	if (head)
		return head;
	own_head.list.next = &own_head.list;
	own_head.futex_offset = 0;
	own_head.list_op_pending = NULL;
	if (syscall(SYS_set_robust_list, &own_head, sizeof(own_head)) < 0)
		return NULL;
	return &own_head;
}

struct kf_presence *kf_presence_refresh(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct kf_presence *self = &kf_presence_tls;
	struct robust_list_head *head;

	pthread_once(&once, make_page);
	/* a child that has just been forked is alone */
	if (READ_ONCE(*kf_presence_page) == 0) {
		generation++;
		WRITE_ONCE(*kf_presence_page, generation);
	}
	head = find_list();
	if (!head)
		return NULL;
	self->pending = (void **)&head->list_op_pending;
	self->offset = head->futex_offset;
	self->tid = (uint32_t)syscall(SYS_gettid);
	self->generation = READ_ONCE(*kf_presence_page);
	return self;
}
