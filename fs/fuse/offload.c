// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Callbacks that may take long get a thread of their own, so that a client
 * that waits holds up nobody else: libfuse's few workers must never wait.
 *
 * Such a callback asks kernfs_current_interrupted() now and then; that is how
 * a signal to the client, and the end of the session, reach it.
 *
 * With callback_timeout a callback need not ask. When its time is over the
 * client gets ETIMEDOUT and the job is abandoned: it goes on in its thread,
 * with its buffer and its open file, but answers nobody. Then it may outlive
 * the session, so it touches neither that nor kfd any more. One that said that
 * it asks, by may_block, is given the time to: what it has just received, say,
 * would be lost otherwise.
 *
 * Whoever takes job->req out of the job, its thread or the clock, replies.
 *
 * A thread that is done waits for another job, since to make one takes longer
 * than most callbacks do; some few may. One whose job was abandoned ends.
 *
 * Locks: kfd->jobs_lock (KF_RANK_INODE) guards the list of jobs that have a
 * deadline, and that of idle threads; job->lock (KF_RANK_WAITQ) its req.
 * kfd->nr_job_threads is guarded by the lock of kfd->jobs_end, where the end of
 * the session waits for all that are not abandoned.
 */
#include "fs/fuse/fuse-internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lock/clock.h"

/* Threads that wait for a job at most. */
#define MAX_IDLE 16

/* From the end of its time until a callback that asks must have returned. */
#define GRACE_MS 1000

struct job {
	struct kfd_request r;
	struct kfd *kfd;
	void (*run)(struct job *job);			/* sets ret */
	void (*reply)(struct job *job, fuse_req_t req); /* as ret says */
	struct cds_list_head list; /* kfd->jobs_lock; empty: has no deadline */
	uint64_t deadline_ms;	   /* kfd->jobs_lock */
	bool late; /* atomic: its time is over, but for GRACE_MS */
	struct kf_mutex lock;
	fuse_req_t req;		     /* lock; NULL: somebody replies, or did */
	struct kernfs_node *kn;	     /* to be opened; counted, or NULL */
	struct kfd_handle *handle;   /* the others; counted, or NULL */
	struct kernfs_open_file *of; /* that was opened; NULL: passed on */
	struct fuse_file_info fi;
	off_t off, ret;
	int whence;
	size_t size; /* bytes of buf */
	char buf[];
};

/* A thread, on its stack. */
struct worker {
	struct cds_list_head list; /* kfd->jobs_lock; in kfd->jobs_idle */
	struct kf_waitq wq;
	struct job *job; /* wq.lock, while idle */
	bool end;	 /* wq.lock */
};

/* --- who replies --- */

/* NULL: somebody else does. */
static fuse_req_t take_request(struct job *job)
{
	fuse_req_t req;

	mutex_lock(&job->lock);
	req = job->req;
	job->req = NULL;
	mutex_unlock(&job->lock);
	return req;
}

static bool is_wanted(struct job *job)
{
	bool ret;

	mutex_lock(&job->lock);
	ret = job->req;
	mutex_unlock(&job->lock);
	return ret;
}

/* The thread uses kfd no more, which may be gone when it returns. */
static void forget_thread(struct kfd *kfd)
{
	wake_up_after(&kfd->jobs_end, kfd->nr_job_threads--);
}

/* Keeps the list sorted; mostly it is the last one. */
static void enlist_locked(struct kfd *kfd, struct job *job,
			  unsigned int timeout_ms)
{
	struct cds_list_head *at = kfd->jobs.prev;

	job->deadline_ms = kf_now_ms() + timeout_ms;
	while (at != &kfd->jobs &&
	       cds_list_entry(at, struct job, list)->deadline_ms >
		       job->deadline_ms)
		at = at->prev;
	cds_list_add(&job->list, at);
}

static bool has_grace(const struct job *job)
{
	return !READ_ONCE(job->late) && job->handle &&
	       kernfs_fop_may_block(job->handle->of);
}

/* NULL: it goes on a little, or somebody else replies. */
static fuse_req_t end_time_locked(struct kfd *kfd, struct job *job)
{
	cds_list_del_init(&job->list);
	if (!has_grace(job))
		/* the last look at it, if there was one to take */
		return take_request(job);
	/* relaxed, pairs with interrupted() and job_thread(): a hint */
	WRITE_ONCE(job->late, true);
	enlist_locked(kfd, job, GRACE_MS);
	return NULL;
}

/*
 * Deals with the first job on the list, if its time is over. Return: false if
 * it is not; then *@ret_left_ms is how long it has, 0 if there is none.
 */
static bool take_late(struct kfd *kfd, fuse_req_t *ret_req,
		      uint64_t *ret_left_ms)
{
	uint64_t now = kf_now_ms();
	bool over = false;
	struct job *job;

	*ret_left_ms = 0;
	mutex_lock(&kfd->jobs_lock);
	if (!cds_list_empty(&kfd->jobs)) {
		job = cds_list_first_entry(&kfd->jobs, struct job, list);
		over = job->deadline_ms <= now;
		if (over)
			*ret_req = end_time_locked(kfd, job);
		else
			*ret_left_ms = job->deadline_ms - now;
	}
	mutex_unlock(&kfd->jobs_lock);
	return over;
}

static void look_at_clock(struct work_struct *work)
{
	struct kfd *kfd = caa_container_of(work, struct kfd, jobs_clock);
	uint64_t left_ms;
	fuse_req_t req;

	while (take_late(kfd, &req, &left_ms)) {
		if (!req)
			continue;
		kfd_reply_err(req, -ETIMEDOUT);
		forget_thread(kfd);
	}
	if (left_ms)
		schedule_delayed_work(work, (unsigned int)left_ms);
}

static void set_deadline(struct kfd *kfd, struct job *job)
{
	unsigned int timeout_ms = kfd->params.callback_timeout_ms;

	if (!timeout_ms)
		return;
	mutex_lock(&kfd->jobs_lock);
	enlist_locked(kfd, job, timeout_ms);
	mutex_unlock(&kfd->jobs_lock);
	schedule_delayed_work(&kfd->jobs_clock, timeout_ms);
}

static void clear_deadline(struct kfd *kfd, struct job *job)
{
	if (!kfd->params.callback_timeout_ms)
		return;
	mutex_lock(&kfd->jobs_lock);
	cds_list_del_init(&job->list);
	mutex_unlock(&kfd->jobs_lock);
}

/* --- what a callback asks --- */

static struct job *job_of(struct kernfs_request *rq)
{
	return caa_container_of(rq, struct job, r.rq);
}

static bool interrupted(struct kernfs_request *rq)
{
	struct job *job = job_of(rq);
	bool ret;

	/* with the lock, or the request might be freed meanwhile */
	mutex_lock(&job->lock);
	ret = !job->req || READ_ONCE(job->late) ||
	      fuse_req_interrupted(job->req) ||
	      fuse_session_exited(job->kfd->se);
	mutex_unlock(&job->lock);
	return ret;
}

static void who(struct kernfs_request *rq, struct kernfs_caller *ret_who)
{
	struct job *job = job_of(rq);

	kfd_request_who(rq, ret_who);
	/* who has its answer may be gone, and another one have its number */
	if (!is_wanted(job)) {
		ret_who->nr_groups = 0;
		ret_who->cap_effective = 0;
	}
}

/* --- a job's life --- */

static struct job *new_job(struct kfd *kfd, fuse_req_t req,
			   struct kfd_handle *handle, size_t size)
{
	struct job *job = malloc(sizeof(*job) + size);

	if (!job) {
		kfd_reply_err(req, -ENOMEM);
		return NULL;
	}
	memset(job, 0, sizeof(*job));
	CDS_INIT_LIST_HEAD(&job->list);
	mutex_init(&job->lock, KF_RANK_WAITQ);
	/* now, since the request may be gone when its turn comes */
	kfd_request_init(&job->r, kfd, req);
	job->r.rq.who = who;
	job->r.rq.interrupted = interrupted;
	job->kfd = kfd;
	job->req = req;
	job->handle = handle;
	job->size = size;
	if (handle)
		kfd_handle_get(handle);
	return job;
}

static void free_job(struct job *job)
{
	kernfs_fop_release(job->of);
	if (job->handle)
		kfd_handle_put(job->handle);
	kernfs_put(job->kn);
	mutex_destroy(&job->lock);
	free(job);
}

/* Return: false if it was abandoned meanwhile. */
static bool do_job(struct job *job)
{
	struct kfd *kfd = job->kfd;
	fuse_req_t req;

	/* if it was too late before it began it is not begun */
	if (is_wanted(job)) {
		kernfs_set_request(&job->r.rq);
		job->run(job);
		kfd_request_end(&job->r);
	}
	if (job->ret == -EINTR && READ_ONCE(job->late))
		job->ret = -ETIMEDOUT;
	req = take_request(job);
	if (req) {
		job->reply(job, req);
		clear_deadline(kfd, job);
	}
	free_job(job);
	return req;
}

/* --- threads --- */

/* Sleeps until there is another job, or none will come: then w->job is NULL. */
static void wait_for_job(struct kfd *kfd, struct worker *w)
{
	bool idle;

	w->job = NULL;
	mutex_lock(&kfd->jobs_lock);
	idle = !kfd->jobs_ended && kfd->nr_jobs_idle < MAX_IDLE;
	if (idle) {
		kfd->nr_jobs_idle++;
		cds_list_add(&w->list, &kfd->jobs_idle);
	}
	mutex_unlock(&kfd->jobs_lock);
	if (idle)
		wait_event(&w->wq, w->job || w->end);
}

/* Off the list, the one that was busy last; NULL: there is none. */
static struct worker *take_idle(struct kfd *kfd, bool for_ever)
{
	struct worker *w = NULL;

	mutex_lock(&kfd->jobs_lock);
	kfd->jobs_ended |= for_ever;
	if (!cds_list_empty(&kfd->jobs_idle)) {
		w = cds_list_first_entry(&kfd->jobs_idle, struct worker, list);
		cds_list_del(&w->list);
		kfd->nr_jobs_idle--;
	}
	mutex_unlock(&kfd->jobs_lock);
	return w;
}

static void *worker_thread(void *arg)
{
	struct worker w = { .job = arg };
	struct kfd *kfd = w.job->kfd;
	bool ours = true;

	init_waitqueue(&w.wq);
	while (w.job && ours) {
		ours = do_job(w.job);
		if (ours)
			wait_for_job(kfd, &w);
	}
	destroy_waitqueue(&w.wq);
	if (ours)
		forget_thread(kfd);
	return NULL;
}

/* Signals are for the main thread. */
static int start_thread(struct job *job)
{
	sigset_t all, old;
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	if (pthread_attr_init(&attr))
		return -ENOMEM;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, &attr, worker_thread, job);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -err;
}

static void start(struct job *job)
{
	struct kfd *kfd = job->kfd;
	struct worker *w = take_idle(kfd, false);
	fuse_req_t req;
	int err;

	set_deadline(kfd, job);
	if (w) {
		wake_up_after(&w->wq, w->job = job);
		return;
	}
	wake_up_after(&kfd->jobs_end, kfd->nr_job_threads++);
	err = start_thread(job);
	if (!err)
		return;
	req = take_request(job);
	if (req)
		kfd_reply_err(req, err);
	clear_deadline(kfd, job);
	free_job(job);
	if (req)
		forget_thread(kfd);
}

/* --- the kinds of jobs --- */

static void run_open(struct job *job)
{
	job->ret = kfd_file_open(job->kn, job->fi.flags, &job->of);
}

static void reply_open(struct job *job, fuse_req_t req)
{
	struct kernfs_open_file *of = job->of;

	job->of = NULL;
	kfd_file_reply_open(job->kfd, req, &job->fi, of, (int)job->ret);
}

static void run_read(struct job *job)
{
	job->ret =
		kernfs_fop_read(job->handle->of, job->buf, job->size, job->off);
}

static void reply_read(struct job *job, fuse_req_t req)
{
	kfd_reply_buf(req, job->buf, job->ret);
}

static void run_write(struct job *job)
{
	job->ret = kfd_file_write(job->handle, job->buf, job->size, job->off);
}

static void reply_write(struct job *job, fuse_req_t req)
{
	kfd_reply_write(req, job->ret);
}

static void run_lseek(struct job *job)
{
	job->ret = kernfs_fop_llseek(job->handle->of, 0, job->off, job->whence);
}

static void reply_lseek(struct job *job, fuse_req_t req)
{
	kfd_reply_lseek(req, job->ret);
}

void kfd_offload_open(struct kfd *kfd, fuse_req_t req, struct kernfs_node *kn,
		      const struct fuse_file_info *fi)
{
	struct job *job = new_job(kfd, req, NULL, 0);

	if (!job)
		return;
	kernfs_get(kn);
	job->kn = kn;
	job->fi = *fi;
	job->run = run_open;
	job->reply = reply_open;
	start(job);
}

void kfd_offload_read(struct kfd *kfd, fuse_req_t req,
		      struct kfd_handle *handle, size_t size, off_t off)
{
	struct job *job = new_job(kfd, req, handle, size);

	if (!job)
		return;
	job->off = off;
	job->run = run_read;
	job->reply = reply_read;
	start(job);
}

void kfd_offload_write(struct kfd *kfd, fuse_req_t req,
		       struct kfd_handle *handle, const char *buf, size_t size,
		       off_t off)
{
	struct job *job = new_job(kfd, req, handle, size);

	if (!job)
		return;
	memcpy(job->buf, buf, size);
	job->off = off;
	job->run = run_write;
	job->reply = reply_write;
	start(job);
}

void kfd_offload_lseek(struct kfd *kfd, fuse_req_t req,
		       struct kfd_handle *handle, off_t off, int whence)
{
	struct job *job = new_job(kfd, req, handle, 0);

	if (!job)
		return;
	job->off = off;
	job->whence = whence;
	job->run = run_lseek;
	job->reply = reply_lseek;
	start(job);
}

/* --- the session's part --- */

int kfd_jobs_init(struct kfd *kfd)
{
	if (kfd->params.callback_timeout_ms) {
		kfd->jobs_wq = alloc_workqueue("kf-timeout");
		if (IS_ERR(kfd->jobs_wq))
			return (int)PTR_ERR(kfd->jobs_wq);
		init_work(&kfd->jobs_clock, kfd->jobs_wq, look_at_clock);
	}
	init_waitqueue(&kfd->jobs_end);
	mutex_init(&kfd->jobs_lock, KF_RANK_INODE);
	CDS_INIT_LIST_HEAD(&kfd->jobs);
	CDS_INIT_LIST_HEAD(&kfd->jobs_idle);
	return 0;
}

void kfd_jobs_wait(struct kfd *kfd)
{
	struct worker *w;

	while ((w = take_idle(kfd, true)))
		wake_up_after(&w->wq, w->end = true);
	wait_event(&kfd->jobs_end, kfd->nr_job_threads == 0);
}

void kfd_jobs_destroy(struct kfd *kfd)
{
	destroy_workqueue(kfd->jobs_wq);
	mutex_destroy(&kfd->jobs_lock);
	destroy_waitqueue(&kfd->jobs_end);
}
