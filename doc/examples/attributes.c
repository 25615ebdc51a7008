/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* attributes MOUNTPOINT - sensor0/temperature goes up by itself and can be set;
 * poll(2) for POLLPRI wakes at each change. Ends by SIGINT, or unmounted. */
#include <kernfuse/kobject.h>
#include <kernfuse/mount.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int temperature = 20;
static atomic_bool stop;
static struct kobject top, *sensor;
static struct kernfuse_mount *mount;

static ssize_t show(struct kobject *kobj, struct kobj_attribute *a, char *buf)
{
	return sysfs_emit(buf, "%d\n", temperature);
}

static ssize_t store(struct kobject *kobj, struct kobj_attribute *a,
		     const char *buf, size_t count)
{
	temperature = atoi(buf);
	sysfs_notify(kobj, NULL, "temperature");
	return (ssize_t)count;
}

static struct kobj_attribute attr = __ATTR(temperature, 0644, show, store);

static void *warm_up(void *arg)
{
	for (; !stop; usleep(100000)) {
		temperature++;
		sysfs_notify(sensor, NULL, "temperature");
	}
	return NULL;
}

static void on_signal(int sig)
{
	kernfuse_mount_stop(mount);
}

int main(int argc, char **argv)
{
	struct kernfs_root *root = sysfs_create_root(NULL, &top, NULL);
	pthread_t thread;

	sensor = kobject_create_and_add("sensor0", &top);
	if (!sensor || sysfs_create_file(sensor, &attr.attr))
		return 1;
	mount = kernfuse_mount(root, argc == 2 ? argv[1] : "", NULL);
	if (IS_ERR(mount))
		return 1;
	signal(SIGINT, on_signal);
	pthread_create(&thread, NULL, warm_up, NULL);
	kernfuse_mount_run(mount);
	stop = true;
	pthread_join(thread, NULL);
	kernfuse_unmount(mount);
	kobject_put(sensor);
	sysfs_destroy_root(&top);
	return 0;
}
