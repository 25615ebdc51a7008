/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a name was good; see torture_rename.h. */
#include "torture_rename.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_ENTRIES 4096 /* names of a node that are remembered */
#define NR_RECENT 64	/* that may still be the node's name */
#define NEVER UINT64_MAX

struct entry {
	/* atomic, each; stamp last when written and first when read, and
	 * again at the end: who finds it unchanged has read what belongs to it
	 */
	uint64_t stamp;
	uint64_t parent;
	uint64_t begin; /* clock, before the rename */
	uint64_t end; /* clock, after a later one; NEVER while it may be good */
};

struct log {
	uint64_t last_stamp; /* atomic */
	struct entry entry[NR_ENTRIES];
	pthread_mutex_t lock;
	/* clock after the renames to these stamps, by the lock */
	struct {
		uint64_t stamp, done;
	} recent[NR_RECENT];
	unsigned int nr_recent;
};

static struct log log_of[NR_NODES] = {
	[0 ... NR_NODES - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER },
};

static uint64_t now; /* atomic */

uint64_t log_now(void)
{
	return __atomic_load_n(&now, __ATOMIC_SEQ_CST);
}

static uint64_t tick(void)
{
	return __atomic_fetch_add(&now, 1, __ATOMIC_SEQ_CST);
}

static struct entry *entry_of(unsigned int nr, uint64_t stamp)
{
	return &log_of[nr].entry[stamp % NR_ENTRIES];
}

uint64_t log_begin(unsigned int nr, unsigned int parent,
		   char ret_name[static NAME_LEN])
{
	uint64_t stamp =
		__atomic_add_fetch(&log_of[nr].last_stamp, 1, __ATOMIC_RELAXED);
	struct entry *e = entry_of(nr, stamp);

	snprintf(ret_name, NAME_LEN, "n%u.%llu", nr, (unsigned long long)stamp);
	__atomic_store_n(&e->stamp, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&e->parent, parent, __ATOMIC_SEQ_CST);
	__atomic_store_n(&e->end, NEVER, __ATOMIC_SEQ_CST);
	__atomic_store_n(&e->begin, tick(), __ATOMIC_SEQ_CST);
	__atomic_store_n(&e->stamp, stamp, __ATOMIC_SEQ_CST);
	return stamp;
}

static void bury(unsigned int nr, uint64_t stamp, uint64_t end)
{
	struct entry *e = entry_of(nr, stamp);

	if (__atomic_load_n(&e->stamp, __ATOMIC_SEQ_CST) == stamp)
		__atomic_store_n(&e->end, end, __ATOMIC_SEQ_CST);
}

/*
 * A name whose rename was done before this one began was replaced by this one
 * at the latest. Which of two renames that overlapped came first is not known.
 */
void log_end(unsigned int nr, uint64_t stamp)
{
	struct log *log = &log_of[nr];
	uint64_t begin, done;
	unsigned int kept = 0;

	begin = __atomic_load_n(&entry_of(nr, stamp)->begin, __ATOMIC_SEQ_CST);
	done = tick();
	pthread_mutex_lock(&log->lock);
	for (unsigned int i = 0; i < log->nr_recent; i++) {
		if (log->recent[i].done < begin)
			bury(nr, log->recent[i].stamp, done);
		else
			log->recent[kept++] = log->recent[i];
	}
	log->nr_recent = kept;
	/* if there is no room the name just stays good */
	if (kept < NR_RECENT) {
		log->recent[kept].stamp = stamp;
		log->recent[kept].done = done;
		log->nr_recent++;
	}
	pthread_mutex_unlock(&log->lock);
}

/* --- judging --- */

unsigned int log_node_of(const char *name)
{
	unsigned int nr = NR_NODES;

	if (name[0] == 'n')
		nr = (unsigned int)strtoul(name + 1, NULL, 10);
	torture_expect(nr < NR_NODES, "name %s", name);
	return nr;
}

static uint64_t stamp_of(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot ? strtoull(dot + 1, NULL, 10) : 0;
}

/* Return: false if the name is forgotten. */
static bool recall(const char *name, struct entry *ret_e)
{
	uint64_t stamp = stamp_of(name);
	struct entry *e = entry_of(log_node_of(name), stamp);

	ret_e->stamp = __atomic_load_n(&e->stamp, __ATOMIC_SEQ_CST);
	ret_e->parent = __atomic_load_n(&e->parent, __ATOMIC_SEQ_CST);
	ret_e->begin = __atomic_load_n(&e->begin, __ATOMIC_SEQ_CST);
	ret_e->end = __atomic_load_n(&e->end, __ATOMIC_SEQ_CST);
	return ret_e->stamp == stamp &&
	       __atomic_load_n(&e->stamp, __ATOMIC_SEQ_CST) == stamp;
}

struct span {
	uint64_t begin, end;
};

/* One name of a path. Return: false if it is forgotten. */
static bool judge_name(const char *path, const char *name, unsigned int *above,
		       struct span *span)
{
	unsigned int nr = log_node_of(name);
	struct entry e;

	/* those at level 0 are where they are */
	if (level_of(nr) > 0) {
		if (!recall(name, &e))
			return false;
		torture_expect(*above == NR_NODES || e.parent == *above,
			       "%s: %s is not below node %u", path, name,
			       *above);
		if (e.begin > span->begin)
			span->begin = e.begin;
		if (e.end < span->end)
			span->end = e.end;
	}
	*above = nr;
	return true;
}

bool log_judge(const char *names, unsigned int nr_names, unsigned int nr,
	       uint64_t start)
{
	struct span span = { start, NEVER };
	char copy[KERNFS_PATH_MAX], *name, *save;
	unsigned int above = NR_NODES, found = 0;

	snprintf(copy, sizeof(copy), "%s", names);
	for (name = strtok_r(copy, "/", &save); name;
	     name = strtok_r(NULL, "/", &save)) {
		if (!judge_name(names, name, &above, &span))
			return false;
		found++;
	}
	torture_expect(found == nr_names && above == nr,
		       "%s has not %u names down to node %u", names, nr_names,
		       nr);
	torture_expect(span.begin <= span.end, "%s never existed", names);
	return true;
}
