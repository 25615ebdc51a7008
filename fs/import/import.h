/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Taking in a directory: a real tree, copied or live, becomes nodes.
 *
 * Values are read once, while the directory is taken in; what the tree then
 * serves is memory. Nothing here writes to the source.
 *
 *	store = kf_content_store_create();
 *	r = kf_import_directory(kernfs_root_to_node(root), "/sys", &opts, ...);
 *	...
 *	kernfs_destroy_root(root);
 *	kf_content_store_destroy(store);
 */
#ifndef FS_IMPORT_IMPORT_H
#define FS_IMPORT_IMPORT_H

#include <signal.h>
#include <stddef.h>

#include "kernfuse/types.h"

/* What read_timeout_ms 0 stands for. */
#define KF_IMPORT_READ_TIMEOUT_MS 1000

/* Longest value taken in, bytes; a longer one keeps EFBIG instead. */
#define KF_IMPORT_VALUE_MAX (64u << 20)

/*
 * The values behind imported files. kernfs has no destructor for a node's
 * priv, so the store owns them.
 */
struct kf_content_store;

/**
 * kf_content_store_create - an empty store
 *
 * Context: may sleep. Takes no lock.
 * Return: the store, to be given to kf_content_store_destroy(); NULL no
 * memory.
 */
struct kf_content_store *kf_content_store_create(void);

/**
 * kf_content_store_destroy - free a store and every value in it
 * @store: the store; NULL is ignored
 *
 * Context: any, after kernfs_destroy_root() of every tree that was filled
 * from it: that call returns when no callback can touch a value any more.
 * Nodes that somebody still holds a reference on do no harm.
 */
void kf_content_store_destroy(struct kf_content_store *store);

struct kf_import_opts {
	/*
	 * How long opening and reading one file may take, together, in
	 * milliseconds; 0: KF_IMPORT_READ_TIMEOUT_MS.
	 */
	unsigned int read_timeout_ms;
	/*
	 * Receives one line without a newline for each thing that was left
	 * out, in the thread that called kf_import_directory(). May be NULL.
	 */
	void (*warn)(void *ctx, const char *msg);
	void *ctx;
	/*
	 * Not zero: end early. May be set by a signal handler, or atomically
	 * by another thread; looked at every 20 ms at least. May be NULL.
	 */
	const volatile sig_atomic_t *stop;
	/*
	 * Where the values go; required. Several imports may share one, also
	 * at the same time.
	 */
	struct kf_content_store *store;
};

struct kf_import_stats {
	/* created below the top, skipped mount points among them */
	unsigned long dirs;
	/* created, readable or not */
	unsigned long files;
	unsigned long links;
	/*
	 * Of the files: keep an errno instead of a value. Files without any
	 * read bit are not among them, since nobody can ask for their value.
	 */
	unsigned long unreadable;
	/* of the unreadable ones: took longer than read_timeout_ms */
	unsigned long timed_out;
	/* mount points below the top; a directory stays, empty, a file does
	 * not */
	unsigned long skipped_mounts;
	/* fifos, sockets, devices: not in the tree */
	unsigned long skipped_special;
};

/**
 * kf_import_directory - fill a directory node from a real directory
 * @into: directory node; its mode and owner become those of @path. Nothing
 *	but this call may add to it or remove from it before the call returns;
 *	looking is allowed
 * @path: directory to take in; may itself be a symbolic link, but no link
 *	below it is ever followed
 * @opts: see there; read during the call only
 * @ret_stats: what was found; set on success only; may be NULL
 * @err: on failure: one line that names a path and the reason
 * @errlen: bytes in @err; 0 for none
 *
 * Types, owners, permission bits, link texts and values are taken over as
 * they are; the setuid and setgid bits of files are not, and times are not.
 * A file that cannot be opened or read keeps the errno, which a read of its
 * node returns. Directories and entries that vanish or refuse during the walk
 * are left empty or out, with a warning. See README.md in this directory for
 * what st_size is reported and what can be written.
 *
 * On failure @into holds a part of the tree: destroy it.
 *
 * Signals: SIGURG has a handler that does nothing while the call runs. All
 * signals stay with the caller's threads. A thread is left behind only if a
 * file blocked and could not be interrupted; it touches neither the tree nor
 * the store and ends when the kernel lets it go.
 *
 * Context: may sleep. Takes KF_RANK_CONTENT, KF_RANK_NODE (write). Call with
 * no lock held.
 * Visible: the directories and links first, the files at the end.
 * Return: 0; -EINTR *opts->stop was set; -EEXIST @into has such an entry;
 * -ENOMEM; -EMFILE, -ENFILE no descriptor left; -EAGAIN no thread;
 * -ETIMEDOUT too many files blocked for good; -EINVAL no store; whatever
 * opening @path returned.
 */
int kf_import_directory(struct kernfs_node *into, const char *path,
			const struct kf_import_opts *opts,
			struct kf_import_stats *ret_stats, char *err,
			size_t errlen);

/**
 * kf_import_skeleton - the directories at the top of every sysfs
 * @into: directory node that has none of them yet
 * @err, @errlen: as for kf_import_directory()
 *
 * block bus class dev devices firmware fs kernel module power, each 0755 and
 * owned by root.
 *
 * Context: may sleep. Takes KF_RANK_NODE (write).
 * Return: 0; whatever kernfs_create_dir_ns() returned.
 */
int kf_import_skeleton(struct kernfs_node *into, char *err, size_t errlen);

#endif /* FS_IMPORT_IMPORT_H */
