// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A session inside somebody else's process: <kernfuse/mount.h>.
 *
 * libfuse's loops want signals to end, so this has a loop of its own. The
 * connection does not block; a thread that finds no request sleeps on it and
 * on an event counter that becomes readable when the mount ends and then stays
 * so. EPOLLEXCLUSIVE makes the kernel wake one thread for a request.
 *
 * Locks: mount->lock (KF_RANK_SESSION) guards who serves. It is not held while
 * a request is answered.
 */
#include "fs/fuse/fuse-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <syslog.h>
#include <unistd.h>

#include <kernfuse/mount.h>

#include "lock/say.h"
#include "lock/wait.h"

struct kernfuse_mount {
	struct kfd *kfd;
	struct kernfs_node *top; /* the root's, counted */
	int end_fd;		 /* readable: the mount has ended */
	bool ended;		 /* atomic */
	int err;		 /* atomic: why, 0 or -errno */
	unsigned int nr_idle;	 /* atomic: threads that wait for a request */
	unsigned int nr_callers; /* atomic: in kernfuse_mount_run() */
	struct kf_waitq callers_gone;
	struct kf_mutex lock; /* KF_RANK_SESSION */
	unsigned int max_own; /* fixed */
	unsigned int nr_own;  /* lock */
	pthread_t own[];      /* lock; the first nr_own */
};

/* --- the end --- */

void kernfuse_mount_stop(struct kernfuse_mount *m)
{
	const uint64_t one = 1;
	int saved = errno;

	/* what tells callbacks that wait; see caller.c */
	fuse_session_exit(m->kfd->se);
	/* pairs with has_ended() */
	smp_store_release(&m->ended, true);
	/* fails only if it is readable already */
	if (write(m->end_fd, &one, sizeof(one)) < 0)
		errno = saved;
}

static bool has_ended(struct kernfuse_mount *m)
{
	return smp_load_acquire(&m->ended);
}

/* @err 0: it was unmounted. */
static void end_with(struct kernfuse_mount *m, int err)
{
	int none = 0;

	/* the first reason counts; relaxed: has_ended() orders it */
	if (err)
		__atomic_compare_exchange_n(&m->err, &none, err, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	kernfuse_mount_stop(m);
}

/* --- serving --- */

static int watch(int epfd, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events };

	return epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* What a thread sleeps on; or -errno. */
static int new_epoll(struct kernfuse_mount *m)
{
	int epfd = epoll_create1(EPOLL_CLOEXEC), err;

	if (epfd < 0)
		return -errno;
	err = watch(epfd, m->end_fd, EPOLLIN);
	if (!err)
		err = watch(epfd, fuse_session_fd(m->kfd->se),
			    EPOLLIN | EPOLLEXCLUSIVE);
	if (!err)
		return epfd;
	close(epfd);
	return err;
}

static void sleep_on(struct kernfuse_mount *m, int epfd)
{
	struct epoll_event event;

	/* relaxed: a hint for want_another() */
	__atomic_add_fetch(&m->nr_idle, 1, __ATOMIC_RELAXED);
	/* interrupted, it looks again */
	epoll_wait(epfd, &event, 1, -1);
	__atomic_sub_fetch(&m->nr_idle, 1, __ATOMIC_RELAXED);
}

static int start_thread(struct kernfuse_mount *m);

/* Another thread, if the next request would find none. */
static void want_another(struct kernfuse_mount *m)
{
	if (!m->max_own || READ_ONCE(m->nr_idle))
		return;
	mutex_lock(&m->lock);
	/* without it requests wait, and are served all the same */
	if (m->nr_own < m->max_own && !has_ended(m))
		start_thread(m);
	mutex_unlock(&m->lock);
}

static void serve(struct kernfuse_mount *m, int epfd)
{
	struct fuse_session *se = m->kfd->se;
	struct fuse_buf buf = { .mem = NULL };

	while (!has_ended(m)) {
		int res = fuse_session_receive_buf(se, &buf);

		if (res > 0) {
			want_another(m);
			fuse_session_process_buf(se, &buf);
		} else if (res == -EAGAIN) {
			sleep_on(m, epfd);
		} else if (res != -EINTR) {
			end_with(m, res);
		}
	}
	free(buf.mem);
}

static void *own_thread(void *arg)
{
	struct kernfuse_mount *m = arg;
	int epfd = new_epoll(m);

	if (epfd < 0) {
		kf_say(LOG_ERR, "a thread cannot serve: %s", strerror(-epfd));
		/* the others go on, if there are any */
		if (!READ_ONCE(m->nr_idle))
			end_with(m, epfd);
		return NULL;
	}
	serve(m, epfd);
	close(epfd);
	return NULL;
}

/* With the lock held, so that the new thread, which may want another at once,
 * finds itself counted. */
static int start_thread(struct kernfuse_mount *m)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&m->own[m->nr_own], NULL, own_thread, m);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!err)
		m->nr_own++;
	return -err;
}

int kernfuse_mount_run(struct kernfuse_mount *m)
{
	int epfd, err;

	__atomic_add_fetch(&m->nr_callers, 1, __ATOMIC_RELAXED);
	epfd = new_epoll(m);
	if (epfd >= 0) {
		serve(m, epfd);
		close(epfd);
	}
	err = epfd < 0 ? epfd : READ_ONCE(m->err);
	/* the last use of @m, with the queue locked: see kernfuse_unmount() */
	mutex_lock(&m->callers_gone.lock);
	if (!__atomic_sub_fetch(&m->nr_callers, 1, __ATOMIC_RELEASE))
		pthread_cond_broadcast(&m->callers_gone.cond);
	mutex_unlock(&m->callers_gone.lock);
	return err;
}

/* --- mounting --- */

/* Tells why it fails, in words if there are any. Return: @err, if not 0. */
static int told(const char *mountpoint, int err, const char *why)
{
	if (err)
		kf_say(LOG_ERR, "cannot mount on %s: %s", mountpoint,
		       why && *why ? why : strerror(-err));
	return err;
}

static bool is_fd(const char *mountpoint)
{
	return strncmp(mountpoint, "/dev/fd/", 8) == 0;
}

/*
 * libfuse says in words why it cannot mount; what can be known before, a
 * program may want as a number.
 */
static int look(const char *mountpoint)
{
	struct stat st;
	int fd;

	if (is_fd(mountpoint))
		return 0;
	if (stat(mountpoint, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* The string after -o, to be freed; NULL: no memory. */
static char *all_options(const char *more)
{
	char *str;

	return asprintf(&str,
			"default_permissions,nosuid,nodev,noexec,"
			"fsname=kernfuse,subtype=kernfuse%s%s",
			more && *more ? "," : "", more ? more : "") < 0 ?
		       NULL :
		       str;
}

static int new_daemon(struct kernfs_root *root, const char *mountpoint,
		      const struct kernfuse_mount_params *p,
		      struct kfd **ret_kfd)
{
	char *options = all_options(p->options);
	const struct kfd_params params = {
		.root = root,
		.ns = p->ns,
		.options = options,
		.poll = !p->no_poll,
		.callback_timeout_ms = p->callback_timeout_ms,
		.ready = p->ready,
		.ready_ctx = p->ctx,
		.in_process = true,
	};
	struct kfd_catch caught;
	int err = -ENOMEM;

	kfd_log_catch(&caught, false);
	/* libfuse wants to hear of it again; see kfd_op_init() */
	if (options && strstr(options, "max_read"))
		err = -EINVAL;
	else if (options)
		err = kfd_create(&params, ret_kfd);
	kfd_log_caught(&caught);
	free(options);
	return told(mountpoint, err, caught.line);
}

static int mount_daemon(struct kfd *kfd, const char *mountpoint)
{
	/* unmounting comes later, from another directory perhaps */
	char *path = is_fd(mountpoint) ? strdup(mountpoint) :
					 realpath(mountpoint, NULL);
	char why[512] = "";
	int err, fd;

	if (!path)
		return told(mountpoint, -errno, NULL);
	err = kfd_mount(kfd, path, why, sizeof(why)) ? -EIO : 0;
	free(path);
	if (err)
		return told(mountpoint, err, why);
	fd = fuse_session_fd(kfd->se);
	err = fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) ? -errno : 0;
	return told(mountpoint, err, NULL);
}

static int start_first_thread(struct kernfuse_mount *m)
{
	int err;

	mutex_lock(&m->lock);
	err = start_thread(m);
	mutex_unlock(&m->lock);
	return err;
}

static struct kernfuse_mount *new_mount(const struct kernfuse_mount_params *p)
{
	unsigned int max_own = p->max_threads ? p->max_threads :
						KERNFUSE_MAX_THREADS;
	struct kernfuse_mount *m;

	if (p->caller_threads)
		max_own = 0;
	m = calloc(1, sizeof(*m) + max_own * sizeof(m->own[0]));
	if (!m)
		return ERR_PTR(-ENOMEM);
	m->max_own = max_own;
	m->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (m->end_fd < 0) {
		int err = -errno;

		free(m);
		return ERR_PTR(err);
	}
	mutex_init(&m->lock, KF_RANK_SESSION);
	init_waitqueue(&m->callers_gone);
	return m;
}

static void free_mount(struct kernfuse_mount *m)
{
	kfd_destroy(m->kfd);
	kernfs_put(m->top);
	destroy_waitqueue(&m->callers_gone);
	mutex_destroy(&m->lock);
	close(m->end_fd);
	free(m);
}

struct kernfuse_mount *
kernfuse_mount(struct kernfs_root *root, const char *mountpoint,
	       const struct kernfuse_mount_params *params)
{
	static const struct kernfuse_mount_params defaults;
	const struct kernfuse_mount_params *p = params ? params : &defaults;
	struct kernfuse_mount *m;
	int err = told(mountpoint, look(mountpoint), NULL);

	if (err)
		return ERR_PTR(err);
	m = new_mount(p);
	if (IS_ERR(m)) {
		told(mountpoint, (int)PTR_ERR(m), NULL);
		return m;
	}
	m->top = kernfs_root_to_node(root);
	kernfs_get(m->top);
	err = new_daemon(root, mountpoint, p, &m->kfd);
	if (!err)
		err = mount_daemon(m->kfd, mountpoint);
	if (!err && m->max_own)
		err = told(mountpoint, start_first_thread(m), "no thread");
	if (!err)
		return m;
	free_mount(m);
	return ERR_PTR(err);
}

void kernfuse_unmount(struct kernfuse_mount *m)
{
	unsigned int nr_own;

	if (!m)
		return;
	kernfuse_mount_stop(m);
	/* a thread that is being started is counted after this, or before */
	mutex_lock(&m->lock);
	nr_own = m->nr_own;
	mutex_unlock(&m->lock);
	for (unsigned int i = 0; i < nr_own; i++)
		pthread_join(m->own[i], NULL);
	wait_event(&m->callers_gone, !smp_load_acquire(&m->nr_callers));
	kfd_jobs_wait(m->kfd);
	free_mount(m);
}
