/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whole directories: what a listing has and has not, how many links a
 * directory has, and the names and paths of nodes that stay.
 */
#include "torture_lookup.h"

#include <stdio.h>
#include <string.h>

#include "fs/kernfs/kernfs-internal.h"

#define MAX_IN_DIR 64

/* What is known of a directory's names before something is looked at. */
struct snapshot {
	const struct directory *d;
	uint64_t state[MAX_IN_DIR];
	bool is_dir[MAX_IN_DIR];
};

static void take(struct snapshot *s, const struct directory *d)
{
	s->d = d;
	for (unsigned int i = 0; i < d->nr; i++) {
		s->state[i] = name_state(&lookup_name[d->first + i]);
		s->is_dir[i] = READ_ONCE(lookup_name[d->first + i].is_dir);
	}
}

/* What was true of a name all the time since. */
enum knowledge { UNKNOWN, KNOWN_HERE, KNOWN_AWAY };

static enum knowledge known(const struct snapshot *s, unsigned int i)
{
	enum name_phase phase = phase_of(s->state[i]);

	if (name_state_after(&lookup_name[s->d->first + i]) != s->state[i])
		return UNKNOWN;
	if (phase == PHASE_HERE)
		return KNOWN_HERE;
	return phase == PHASE_AWAY ? KNOWN_AWAY : UNKNOWN;
}

/* --- listing --- */

struct listing {
	struct torture_thread *t;
	const struct directory *d;
	unsigned int seen[MAX_IN_DIR];
	unsigned int nr; /* entries, with "." and ".." */
	uint64_t last;	 /* position of the last one */
	uint64_t next;	 /* where to go on */
	bool stopped;
};

static unsigned int index_of(const struct directory *d, const char *str)
{
	for (unsigned int i = 0; i < d->nr; i++)
		if (!strcmp(lookup_name[d->first + i].str, str))
			return i;
	torture_fail(__FILE__, __LINE__, "%s has an entry %s", d->str, str);
}

static void check_dot(const struct listing *l, const struct kernfs_dirent *de)
{
	const char *name = l->nr ? ".." : ".";
	struct kernfs_node *kn = l->nr ? kernfs_root_to_node(lookup_root) :
					 l->d->kn;

	torture_expect(!strcmp(de->name, name) && de->pos == l->nr &&
			       de->ino == kernfs_id(kn),
		       "%s: entry %u is %s", l->d->str, l->nr, de->name);
}

static bool fill(void *ctx, const struct kernfs_dirent *de)
{
	struct listing *l = ctx;

	/* enough for now: the listing goes on at next, once or twice */
	if (l->nr > 1 && !torture_random(l->t, 64)) {
		l->stopped = true;
		return false;
	}
	if (l->nr < 2) {
		check_dot(l, de);
	} else {
		unsigned int i = index_of(l->d, de->name);

		torture_expect(!l->seen[i]++, "%s/%s is listed twice",
			       l->d->str, de->name);
		torture_expect(de->pos > l->last ||
				       (uint32_t)de->pos > (uint32_t)l->last,
			       "%s/%s is at %#lx, after %#lx", l->d->str,
			       de->name, (long)de->pos, (long)l->last);
		torture_expect(
			(uint32_t)de->pos == kernfs_name_hash(de->name, NULL),
			"%s/%s is at %#lx", l->d->str, de->name, (long)de->pos);
		l->last = de->pos;
	}
	l->next = de->next;
	l->nr++;
	return true;
}

static void judge_listing(struct torture_thread *t, const struct listing *l,
			  const struct snapshot *s)
{
	unsigned int changed = 0;

	for (unsigned int i = 0; i < l->d->nr; i++) {
		enum knowledge k = known(s, i);

		changed += k == UNKNOWN;
		torture_expect(k != KNOWN_HERE || l->seen[i] == 1,
			       "%s is here, but not listed",
			       lookup_name[l->d->first + i].path);
		torture_expect(k != KNOWN_AWAY || !l->seen[i],
			       "%s is away, but listed",
			       lookup_name[l->d->first + i].path);
	}
	torture_histogram(t, changed);
}

void check_listing(struct torture_thread *t)
{
	const struct directory *d = &lookup_dir[torture_random(t, NR_DIRS)];
	struct listing l = { .t = t, .d = d };
	struct snapshot s;

	take(&s, d);
	torture_doing(t, "readdir");
	do {
		int err;

		l.stopped = false;
		err = kernfs_fop_readdir(d->kn, NULL, l.next, fill, &l);
		torture_expect(!err, "readdir: %d", err);
	} while (l.stopped);
	judge_listing(t, &l, &s);
	torture_count(t, COUNT_LISTINGS);
}

/* --- attributes of the directory --- */

void check_dir_attrs(struct torture_thread *t)
{
	const struct directory *d = &lookup_dir[torture_random(t, NR_DIRS)];
	unsigned int least = 2, most = 2;
	struct snapshot s;
	struct stat st;

	take(&s, d);
	torture_doing(t, "getattr of a directory");
	kernfs_iop_getattr(d->kn, NULL, &st);
	for (unsigned int i = 0; i < d->nr; i++) {
		enum knowledge k = known(&s, i);

		least += k == KNOWN_HERE && s.is_dir[i];
		most += k == UNKNOWN || (k == KNOWN_HERE && s.is_dir[i]);
	}
	torture_expect(st.st_nlink >= least && st.st_nlink <= most,
		       "%s has %u links, not %u to %u", d->str,
		       (unsigned int)st.st_nlink, least, most);
	torture_expect(st.st_uid == 1 && st.st_gid == 1 &&
			       st.st_mode == (S_IFDIR | 0755),
		       "%s: attributes %u:%u %o", d->str, st.st_uid, st.st_gid,
		       st.st_mode);
	torture_expect(st.st_mtim.tv_sec == st.st_ctim.tv_sec &&
			       st.st_mtim.tv_nsec == st.st_ctim.tv_nsec,
		       "%s: mixed times", d->str);
}

/* --- nodes that stay --- */

/* Renames elsewhere in the tree do not show in their names and paths. */
void check_names_and_paths(struct torture_thread *t)
{
	struct name *n = &lookup_name[torture_random(t, nr_lookup_names)];
	char buf[KERNFS_PATH_MAX];
	struct kernfs_node *parent;
	int len;

	if (n->kind == NAME_CHURNED)
		return;
	torture_doing(t, "path");
	len = kernfs_path(n->kn, buf, sizeof(buf));
	torture_expect(len == (int)strlen(n->path) + 1 && buf[0] == '/' &&
			       !strcmp(buf + 1, n->path),
		       "path of %s is %s", n->path, buf);
	len = kernfs_name(n->kn, buf, sizeof(buf));
	torture_expect(len == (int)strlen(n->str) && !strcmp(buf, n->str),
		       "name of %s is %s", n->path, buf);
	parent = kernfs_get_parent(n->kn);
	torture_expect(parent == lookup_dir[n->dir].kn, "%s has moved",
		       n->path);
	kernfs_put(parent);
	torture_count(t, COUNT_PATHS);
}
