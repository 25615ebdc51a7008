// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The names that stand for what the groups need: on sysfs some that every
 * kernel has, and those of a network device that was made for the purpose.
 */
#include "test/parity/site.h"

#include <stdio.h>
#include <string.h>

struct site s;

static char names[8][256];

static const char *join(int i, const char *dir, const char *name)
{
	snprintf(names[i], sizeof(names[i]), "%s/%s", dir, name);
	return names[i];
}

static void sysfs(const char *scratch)
{
	s = (struct site){
		.dir = "bus/platform",
		.subdir = "bus/platform/drivers",
		.ro = join(0, scratch, "addr_len"),
		.rw = "bus/platform/drivers_autoprobe",
		.value = "1\n",
		.wo = "bus/platform/drivers_probe",
		.link = "class/net/lo",
		.bin = "kernel/notes",
		.failing = "class/net/lo/speed",
		.scratch = scratch,
		.sro = join(0, scratch, "addr_len"),
		.srw = join(1, scratch, "ifalias"),
		.swo = "bus/platform/drivers_probe",
		.picky = join(2, scratch, "mtu"),
	};
}

static void cgroup(const char *scratch)
{
	s = (struct site){
		.dir = scratch,
		.subdir = join(0, scratch, "sub"),
		.ro = join(1, scratch, "cgroup.events"),
		.rw = join(2, scratch, "cgroup.max.depth"),
		.value = "max\n",
		.wo = join(3, scratch, "cgroup.kill"),
		.link = "missing-link",
		.bin = "missing-bin",
		.failing = "missing-failing",
		.events = join(1, scratch, "cgroup.events"),
		.trigger = join(5, scratch, "cgroup.freeze"),
		.scratch = scratch,
		.sro = join(1, scratch, "cgroup.events"),
		.srw = join(2, scratch, "cgroup.max.depth"),
		.swo = join(3, scratch, "cgroup.kill"),
		.picky = join(2, scratch, "cgroup.max.depth"),
		.hooks = true,
	};
}

int choose_site(const char *kind, const char *scratch)
{
	if (!strcmp(kind, "sysfs"))
		sysfs(scratch);
	else if (!strcmp(kind, "cgroup"))
		cgroup(scratch);
	else
		return -1;
	return 0;
}
