// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What can be told before SOURCE is taken in, which takes seconds: is it a
 * directory, is MOUNTPOINT one, may we use /dev/fuse?
 */
#include "fs/cli/cli-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool kf_is_fd_mountpoint(const char *mountpoint)
{
	unsigned int fd;
	int end = 0;

	return sscanf(mountpoint, "/dev/fd/%u%n", &fd, &end) == 1 &&
	       mountpoint[end] == '\0';
}

static enum kf_exit check_source(struct kf_options *o)
{
	struct stat st;

	if (strcmp(o->source, "none") == 0)
		return KF_EXIT_OK;
	if (stat(o->source, &st) == 0 && !S_ISDIR(st.st_mode)) {
		kf_error("cannot take in %s: it is no directory", o->source);
		return KF_EXIT_USAGE;
	}
	o->source_path = realpath(o->source, NULL);
	if (!o->source_path) {
		kf_error("cannot take in %s: %s", o->source, strerror(errno));
		return KF_EXIT_USAGE;
	}
	return KF_EXIT_OK;
}

static void tell_mountpoint_error(const char *mountpoint, int err)
{
	if (err == ENOTCONN || err == ECONNABORTED)
		kf_error("%s is a dead mount: its daemon has ended without "
			 "unmounting it; run 'fusermount3 -uz %s' first",
			 mountpoint, mountpoint);
	else
		kf_error("cannot mount on %s: %s", mountpoint, strerror(err));
}

static enum kf_exit check_mountpoint(struct kf_options *o)
{
	struct stat st;

	if (stat(o->mountpoint, &st)) {
		tell_mountpoint_error(o->mountpoint, errno);
		return KF_EXIT_MOUNT;
	}
	if (!S_ISDIR(st.st_mode)) {
		kf_error("cannot mount on %s: it is no directory",
			 o->mountpoint);
		return KF_EXIT_MOUNT;
	}
	o->mount_path = realpath(o->mountpoint, NULL);
	if (!o->mount_path) {
		tell_mountpoint_error(o->mountpoint, errno);
		return KF_EXIT_MOUNT;
	}
	return KF_EXIT_OK;
}

static const char *device_advice(int err)
{
	switch (err) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return "; is the kernel module fuse loaded ('modprobe fuse'), "
		       "and does this container have the device?";
	case EACCES:
	case EPERM:
		return "; this user, or this container, may not use FUSE";
	default:
		return "";
	}
}

static enum kf_exit check_device(const struct kf_options *o)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		int err = errno;

		kf_error("cannot mount on %s: /dev/fuse: %s%s", o->mountpoint,
			 strerror(err), device_advice(err));
		return KF_EXIT_MOUNT;
	}
	close(fd);
	return KF_EXIT_OK;
}

/*
 * It was mounted by somebody else, with the words it got. Without that one
 * nobody would check permission bits.
 */
static enum kf_exit check_fd_mountpoint(struct kf_options *o)
{
	if (!o->default_permissions) {
		kf_usage_error("%s is mounted without '-o "
			       "default_permissions', which is needed",
			       o->mountpoint);
		return KF_EXIT_USAGE;
	}
	o->mount_path = strdup(o->mountpoint);
	if (o->mount_path)
		return KF_EXIT_OK;
	kf_error("out of memory");
	return KF_EXIT_SETUP;
}

enum kf_exit kf_check(struct kf_options *o)
{
	enum kf_exit status = check_source(o);

	if (status)
		return status;
	if (kf_is_fd_mountpoint(o->mountpoint))
		return check_fd_mountpoint(o);
	status = check_mountpoint(o);
	return status ? status : check_device(o);
}

/* Where libfuse looks for it: where it was installed, then in PATH. */
static bool have_fusermount(void)
{
	const char *path = getenv("PATH");
	char name[4096];

	if (access("/usr/bin/fusermount3", X_OK) == 0 ||
	    access("/bin/fusermount3", X_OK) == 0)
		return true;
	while (path && *path) {
		size_t len = strcspn(path, ":");

		snprintf(name, sizeof(name), "%.*s/fusermount3", (int)len,
			 path);
		if (access(name, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

const char *kf_mount_advice(const char *why)
{
	if (strstr(why, "user_allow_other"))
		return "; ordinary users may use allow_other and allow_root "
		       "only where /etc/fuse.conf has the line "
		       "user_allow_other";
	/* root mounts without it, unless that was not permitted */
	if ((geteuid() || strstr(why, "fusermount3")) && !have_fusermount())
		return "; fusermount3 is missing: install the package fuse3";
	return "";
}
