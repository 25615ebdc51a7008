// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kernfuse: serve a tree taken in from SOURCE at MOUNTPOINT; kernfuse ipc:
 * namespaces for message queues.
 */
#include "fs/cli/cli-internal.h"

#include <string.h>

#include "fs/cli/ipc.h"

static int start(struct kf_options *o)
{
	struct kf_ready ready = { .fd = -1 };
	int status = kf_check(o);

	if (status)
		return status;
	if (!o->foreground) {
		status = kf_background(&ready, o);
		if (status >= 0)
			return status;
	}
	return kf_serve(o, &ready);
}

int main(int argc, char **argv)
{
	struct kf_options o;
	int status;

	if (argc > 1 && strcmp(argv[1], "ipc") == 0)
		return kf_ipc(argc - 1, argv + 1);
	status = kf_options_parse(&o, argc, argv);
	if (status == KF_EXIT_OK) {
		if (o.help)
			kf_print_help();
		else if (o.version)
			kf_print_version();
		else
			status = start(&o);
	}
	kf_options_finish(&o);
	return status;
}
