// SPDX-License-Identifier: LGPL-2.1-or-later
/* Symbolic links. */
#include "test/parity/parity.h"

#include <stdio.h>

void group_link(void)
{
	char path[256];
	struct stat st;
	int fd;

	in_group("link");
	DATA(readlink(s.link, buf, sizeof(buf)));
	DATA(readlink(s.link, buf, 5));
	DATA(readlink(s.link, buf, 0));
	CALL(readlink(s.link, nowhere, 100));
	CALL(readlink(s.ro, buf, 100));
	CALL(readlink(s.dir, buf, 100));
	CALL(readlink("missing", buf, 100));
	fd = FD(open(s.link, O_PATH | O_NOFOLLOW));
	DATA(readlinkat(fd, "", buf, 100));
	CALL(fstat(fd, &st));
	CALL(st.st_size);
	CALL(fchmodat(AT_FDCWD, s.link, 0700, AT_SYMLINK_NOFOLLOW));
	close(fd);
	snprintf(path, sizeof(path), "%s/.", s.link);
	CALL(stat(path, &st));
	snprintf(path, sizeof(path), "%s/..", s.link);
	CALL(stat(path, &st));
	snprintf(path, sizeof(path), "%s/missing", s.link);
	CALL(stat(path, &st));
	CALL(lstat(s.link, &st));
	HOLDS(S_ISLNK(st.st_mode));
}
