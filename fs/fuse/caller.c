// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Who sent a request. The request itself names user, group and thread; groups
 * and capabilities are read from /proc, and only if a callback asks.
 */
#include "fs/fuse/fuse-internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As much as one may have: NGROUPS_MAX groups of 10 digits and a blank. */
#define STATUS_MAX (65536 * 11 + 8192)

static struct kfd_request *to_kfd(struct kernfs_request *rq)
{
	return caa_container_of(rq, struct kfd_request, rq);
}

/* Whether capabilities shown in /proc count here, too. */
static bool same_user_namespace(pid_t pid)
{
	struct stat ours, theirs;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	return stat("/proc/self/ns/user", &ours) == 0 &&
	       stat(path, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
	       ours.st_ino == theirs.st_ino;
}

static char *read_status(pid_t pid)
{
	char path[64], *text;
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	text = malloc(STATUS_MAX);
	if (text) {
		size = fread(text, 1, STATUS_MAX - 1, file);
		text[size] = '\0';
	}
	fclose(file);
	return text;
}

static const char *field(const char *status, const char *name)
{
	const char *p = strstr(status, name);

	return p ? p + strlen(name) : NULL;
}

static void read_groups(struct kfd_request *r, const char *text,
			struct kernfs_caller *who)
{
	size_t room = 0, nr = 0;
	gid_t *groups = NULL, *larger;
	char *end;

	for (;;) {
		unsigned long gid = strtoul(text, &end, 10);

		if (end == text)
			break;
		text = end;
		/* the list ends with its line */
		text += strspn(text, " ");
		if (nr == room) {
			room = room ? room * 2 : 32;
			larger = reallocarray(groups, room, sizeof(*groups));
			if (!larger)
				break;
			groups = larger;
		}
		groups[nr++] = (gid_t)gid;
		if (*text == '\n')
			break;
	}
	r->groups = groups;
	who->groups = groups;
	who->nr_groups = nr;
}

void kfd_request_who(struct kernfs_request *rq, struct kernfs_caller *who)
{
	struct kfd_request *r = to_kfd(rq);
	const struct fuse_ctx *ctx = &r->ctx;
	const char *text;
	char *status;

	*who = (struct kernfs_caller){
		.pid = ctx->pid,
		.fsuid = ctx->uid,
		.fsgid = ctx->gid,
	};
	status = ctx->pid ? read_status(ctx->pid) : NULL;
	if (!status)
		return;
	text = field(status, "\nTgid:");
	if (text)
		who->tgid = (pid_t)strtol(text, NULL, 10);
	text = field(status, "\nGroups:");
	if (text)
		read_groups(r, text, who);
	text = field(status, "\nCapEff:");
	if (text && same_user_namespace(ctx->pid))
		who->cap_effective = strtoull(text, NULL, 16);
	free(status);
}

static bool interrupted(struct kernfs_request *rq)
{
	const struct kfd_request *r = to_kfd(rq);

	return fuse_req_interrupted(r->req) || fuse_session_exited(r->kfd->se);
}

void kfd_request_init(struct kfd_request *r, struct kfd *kfd, fuse_req_t req)
{
	*r = (struct kfd_request){
		.rq = { .who = kfd_request_who, .interrupted = interrupted },
		.kfd = kfd,
		.req = req,
		.ctx = *fuse_req_ctx(req),
	};
}

void kfd_request_begin(struct kfd_request *r, struct kfd *kfd, fuse_req_t req)
{
	kfd_request_init(r, kfd, req);
	kernfs_set_request(&r->rq);
}

void kfd_request_end(struct kfd_request *r)
{
	kernfs_set_request(NULL);
	free(r->groups);
}
