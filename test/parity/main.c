// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * parity KIND BASE SCRATCH GROUP...
 *
 * KIND is "sysfs" or "cgroup", BASE the directory all names are relative to,
 * SCRATCH a directory below it that may be changed, PARITY_REMOVE in the
 * environment a command that removes it (rmdir does otherwise).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/parity/site.h"

static const struct {
	const char *name;
	void (*run)(void);
} groups[] = {
	{ "stat", group_stat },	      { "open", group_open },
	{ "read", group_read },	      { "write", group_write },
	{ "io", group_io },	      { "dir", group_dir },
	{ "link", group_link },	      { "forbid", group_forbid },
	{ "poll", group_poll },	      { "setattr", group_setattr },
	{ "perm", group_perm },	      { "userns", group_userns },
	{ "xattr", group_xattr },     { "hooks", group_hooks },
	{ "removed", group_removed },
};

static int run(const char *name)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (!strcmp(groups[i].name, name)) {
			groups[i].run();
			fflush(stdout);
			return 0;
		}
	fprintf(stderr, "parity: there is no group '%s'\n", name);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc < 5 || choose_site(argv[1], argv[3])) {
		fputs("usage: parity sysfs|cgroup BASE SCRATCH GROUP...\n",
		      stderr);
		return 2;
	}
	if (chdir(argv[2])) {
		perror(argv[2]);
		return 1;
	}
	/* the last line says where it hung */
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* nobody waits for ever, whatever is broken */
	alarm(60);
	umask(022);
	s.remove = getenv("PARITY_REMOVE");
	for (int i = 4; i < argc; i++)
		if (run(argv[i]))
			return 2;
	return 0;
}
