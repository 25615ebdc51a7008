/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of kernfuse-bench storm: the directories and files to hammer
 * (storm_files.c), the client processes (storm_client.c), and the run
 * (storm.c).
 */
#ifndef STORM_H
#define STORM_H

#include <stdbool.h>
#include <stdint.h>

#define STORM_MAX_DIRS 16
#define STORM_MAX_FILES 65536

/* Bytes each open file is read for: what the kernel author's test reads. */
#define STORM_READ_SIZE 40

enum storm_mode {
	STORM_OPEN, /* open, read, close */
	STORM_STAT, /* stat */
};

/* A tree under storm. */
struct storm_dir {
	const char *label;
	const char *path;
	int fd; /* of the directory: files are opened relative to it */
};

/* Paths relative to every directory. */
struct storm_files {
	char **paths;
	unsigned int nr;
};

/* --- storm_files.c; a failure ends the program --- */

/* The lines of a file; "-" is standard input. */
void storm_files_read(struct storm_files *files, const char *list);

/*
 * Adds the readable regular files of @dir that match a glob(3) pattern;
 * @first receives how many they were.
 */
void storm_files_glob(struct storm_files *files, const struct storm_dir *dir,
		      const char *pattern);

/* Keeps at most @max files, evenly spread over those there are. */
void storm_files_thin(struct storm_files *files, unsigned int max);

/* Drops what is not readable in all directories; returns how many. */
unsigned int storm_files_intersect(struct storm_files *files,
				   const struct storm_dir *dirs,
				   unsigned int nr_dirs);
void storm_files_finish(struct storm_files *files);

/* --- storm_client.c --- */

struct storm_run {
	const struct storm_dir *dirs;
	const struct storm_files *files;
	enum storm_mode mode;
	unsigned int nr_clients;
	uint64_t ops;	/* for each client in a round; 0: seconds count */
	double seconds; /* length of a round */
};

struct storm_result {
	uint64_t ops, errors; /* an op that fails is an error, not an op */
	double seconds;	      /* first client's begin to last client's end */
	int error;	      /* errno of a failed op, or 0 */
	const char *path;     /* the file it failed on */
};

struct storm_clients;

/* Forks the clients, which wait until they are sent to a directory. */
struct storm_clients *storm_clients_start(const struct storm_run *run);

/* One round in the directory @nth of the run. */
void storm_clients_round(struct storm_clients *clients, unsigned int nth,
			 struct storm_result *ret_result);
void storm_clients_stop(struct storm_clients *clients);

#endif /* STORM_H */
