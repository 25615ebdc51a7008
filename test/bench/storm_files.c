/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses the files of a storm: the same ones in all directories. */
#include "storm.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

/*
 * A file whose best read takes longer does real work in its driver: it would
 * measure that, not the tree.
 */
#define SLOW_READ_NS 1000000
#define PROBES 3

static void add_file(struct storm_files *files, const char *path)
{
	char **paths;

	if (files->nr == STORM_MAX_FILES)
		bench_fail("more than %d files", STORM_MAX_FILES);
	/* grows by steps of a power of two */
	if ((files->nr & (files->nr - 1)) == 0) {
		size_t max = files->nr ? 2 * (size_t)files->nr : 1;

		paths = reallocarray(files->paths, max, sizeof(*paths));
		if (!paths)
			bench_fail("out of memory");
		files->paths = paths;
	}
	files->paths[files->nr] = strdup(path);
	if (!files->paths[files->nr])
		bench_fail("out of memory");
	files->nr++;
}

void storm_files_read(struct storm_files *files, const char *list)
{
	FILE *stream = stdin;
	char *line = NULL;
	size_t size = 0;

	if (strcmp(list, "-") != 0)
		stream = fopen(list, "re");
	if (!stream)
		bench_fail("cannot open %s: %s", list, strerror(errno));
	while (getline(&line, &size, stream) >= 0) {
		const char *path = line + strspn(line, "/");

		line[strcspn(line, "\n")] = '\0';
		if (*path)
			add_file(files, path);
	}
	if (ferror(stream))
		bench_fail("cannot read %s: %s", list, strerror(errno));
	free(line);
	if (stream != stdin)
		fclose(stream);
}

/* Best of a few reads in ns; UINT64_MAX if it is no file or gives nothing. */
static uint64_t probe(int dirfd, const char *path)
{
	uint64_t best = UINT64_MAX;
	char buf[STORM_READ_SIZE];
	struct stat st;

	if (fstatat(dirfd, path, &st, 0) || !S_ISREG(st.st_mode))
		return UINT64_MAX;
	for (int i = 0; i < PROBES; i++) {
		uint64_t begin = bench_now_ns(), took;
		int fd = openat(dirfd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ssize_t n;

		if (fd < 0)
			return UINT64_MAX;
		n = read(fd, buf, sizeof(buf));
		close(fd);
		if (n <= 0)
			return UINT64_MAX;
		took = bench_now_ns() - begin;
		if (took < best)
			best = took;
	}
	return best;
}

/* glob(3) knows no directory descriptor, so the process goes there. */
void storm_files_glob(struct storm_files *files, const struct storm_dir *dir,
		      const char *pattern)
{
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	glob_t found;
	int ret;

	pattern += strspn(pattern, "/");
	if (here < 0 || fchdir(dir->fd))
		bench_fail("cannot enter %s: %s", dir->path, strerror(errno));
	ret = glob(pattern, 0, NULL, &found);
	if (ret && ret != GLOB_NOMATCH)
		bench_fail("cannot list %s/%s", dir->path, pattern);
	for (size_t i = 0; !ret && i < found.gl_pathc; i++)
		if (probe(dir->fd, found.gl_pathv[i]) <= SLOW_READ_NS)
			add_file(files, found.gl_pathv[i]);
	if (!ret)
		globfree(&found);
	if (fchdir(here))
		bench_fail("cannot go back: %s", strerror(errno));
	close(here);
}

void storm_files_thin(struct storm_files *files, unsigned int max)
{
	unsigned int kept = 0;

	if (files->nr <= max)
		return;
	for (unsigned int i = 0; i < files->nr; i++) {
		/* the first file of each of max equal stretches */
		if ((uint64_t)i * max / files->nr == kept) {
			files->paths[kept++] = files->paths[i];
			continue;
		}
		free(files->paths[i]);
	}
	files->nr = kept;
}

static bool is_everywhere(const char *path, const struct storm_dir *dirs,
			  unsigned int nr_dirs)
{
	for (unsigned int i = 0; i < nr_dirs; i++)
		if (faccessat(dirs[i].fd, path, R_OK, AT_EACCESS))
			return false;
	return true;
}

unsigned int storm_files_intersect(struct storm_files *files,
				   const struct storm_dir *dirs,
				   unsigned int nr_dirs)
{
	unsigned int nr = files->nr, kept = 0;

	for (unsigned int i = 0; i < nr; i++) {
		if (is_everywhere(files->paths[i], dirs, nr_dirs))
			files->paths[kept++] = files->paths[i];
		else
			free(files->paths[i]);
	}
	files->nr = kept;
	return nr - kept;
}

void storm_files_finish(struct storm_files *files)
{
	for (unsigned int i = 0; i < files->nr; i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct storm_files){ 0 };
}
