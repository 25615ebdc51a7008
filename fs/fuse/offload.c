// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads and writes that may take long get a thread of their own, so that a
 * client that waits holds up nobody else: libfuse's few workers must never
 * wait.
 *
 * Such a callback asks kernfs_current_interrupted() now and then; that is how
 * a signal to the client, and the end of the session, reach it.
 *
 * kfd->nr_jobs is guarded by the lock of kfd->jobs_end, where the end of the
 * session waits for the last one.
 */
#include "fs/fuse/fuse-internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct job {
	struct kfd *kfd;
	fuse_req_t req;
	struct kernfs_open_file *of;
	off_t off;
	size_t size; /* bytes of buf */
	bool write;
	char buf[];
};

void kfd_jobs_init(struct kfd *kfd)
{
	init_waitqueue(&kfd->jobs_end);
}

void kfd_jobs_wait(struct kfd *kfd)
{
	wait_event(&kfd->jobs_end, kfd->nr_jobs == 0);
}

void kfd_jobs_destroy(struct kfd *kfd)
{
	destroy_waitqueue(&kfd->jobs_end);
}

static void job_begins(struct kfd *kfd)
{
	wake_up_after(&kfd->jobs_end, kfd->nr_jobs++);
}

/* The session may be gone when it returns. */
static void job_ends(struct kfd *kfd)
{
	wake_up_after(&kfd->jobs_end, kfd->nr_jobs--);
}

static void run(struct job *job)
{
	struct kfd_request r;
	ssize_t len;

	kfd_request_begin(&r, job->kfd, job->req);
	if (job->write)
		len = kernfs_fop_write(job->of, job->buf, job->size, job->off);
	else
		len = kernfs_fop_read(job->of, job->buf, job->size, job->off);
	kfd_request_end(&r);
	if (job->write)
		kfd_reply_write(job->req, len);
	else
		kfd_reply_buf(job->req, job->buf, len);
}

static void *job_thread(void *arg)
{
	struct job *job = arg;
	struct kfd *kfd = job->kfd;

	run(job);
	free(job);
	job_ends(kfd);
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
	err = pthread_create(&thread, &attr, job_thread, job);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -err;
}

static void start(struct kfd *kfd, struct job *job)
{
	int err;

	job_begins(kfd);
	err = start_thread(job);
	if (!err)
		return;
	kfd_reply_err(job->req, err);
	free(job);
	job_ends(kfd);
}

static struct job *new_job(struct kfd *kfd, fuse_req_t req,
			   struct kernfs_open_file *of, size_t size, off_t off)
{
	struct job *job = malloc(sizeof(*job) + size);

	if (!job) {
		kfd_reply_err(req, -ENOMEM);
		return NULL;
	}
	*job = (struct job){
		.kfd = kfd, .req = req, .of = of, .size = size, .off = off
	};
	return job;
}

void kfd_offload_read(struct kfd *kfd, fuse_req_t req,
		      struct kernfs_open_file *of, size_t size, off_t off)
{
	struct job *job = new_job(kfd, req, of, size, off);

	if (job)
		start(kfd, job);
}

void kfd_offload_write(struct kfd *kfd, fuse_req_t req,
		       struct kernfs_open_file *of, const char *buf,
		       size_t size, off_t off)
{
	struct job *job = new_job(kfd, req, of, size, off);

	if (!job)
		return;
	job->write = true;
	memcpy(job->buf, buf, size);
	start(kfd, job);
}
