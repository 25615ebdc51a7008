/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open files: the callback table of a file node, and the operations that a
 * file server (the FUSE daemon, a test) performs on an open file.
 */
#ifndef KERNFUSE_FILE_H
#define KERNFUSE_FILE_H

#include <kernfuse/seq_file.h>
#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

/*
 * One open(2) of a file node, as callbacks see it. Created by
 * kernfs_fop_open(), freed by kernfs_fop_release().
 */
struct kernfs_open_file {
	/* published: fixed while the file is open */
	struct kernfs_node *kn;
	int flags; /* of open(2): O_RDONLY, ... */
	struct seq_file *seq_file;
	void *priv; /* the open callback's, for its own use */
	/* everything else is private to the library and follows this struct */
};

/*
 * Callbacks of a file; each is optional. Each runs with an active reference
 * on the node, except release: the node is not removed while it runs. read,
 * write and seq_* of one open file never run at the same time. None is called
 * with a lock held that another call of this library takes, but for those that
 * read, write or seek in an open file. So a callback may create, look up,
 * rename and remove other nodes, and open, poll, notify and close other files;
 * its own node it removes with kernfs_remove_self().
 */
struct kernfs_ops {
	/*
	 * Last step of open(2), with of->seq_file present; 0 or -errno, which
	 * open(2) returns.
	 */
	int (*open)(struct kernfs_open_file *of);
	/*
	 * Exactly once: at the last close, or when the node is drained. It may
	 * not remove its own node or a directory above: that waits for itself.
	 */
	void (*release)(struct kernfs_open_file *of);

	/*
	 * Text files. seq_show appends the content and returns 0 or -errno.
	 * Without seq_start the content is a single record; with it seq_start,
	 * seq_next and seq_stop iterate as in the kernel: a NULL from start or
	 * next ends the file, an ERR_PTR fails the read.
	 */
	int (*seq_show)(struct seq_file *sf, void *v);
	void *(*seq_start)(struct seq_file *sf, long long *ppos);
	void *(*seq_next)(struct seq_file *sf, void *v, long long *ppos);
	void (*seq_stop)(struct seq_file *sf, void *v);

	/*
	 * Binary files, where seq_show is NULL: up to @bytes bytes (at most
	 * KERNFS_PAGE_SIZE) of the content at @off into @buf; @bytes may be 0.
	 * Returns bytes, 0 at the end, or -errno.
	 */
	ssize_t (*read)(struct kernfs_open_file *of, char *buf, size_t bytes,
			off_t off);

	/*
	 * Longest write in bytes that is delivered in one piece: longer ones
	 * fail with -E2BIG. 0: one page at most, longer writes are short.
	 */
	size_t atomic_write_len;
	/*
	 * Allocate the buffer at open, so that reads and writes need no
	 * memory. Not together with seq_show: open then fails with -EINVAL.
	 */
	bool prealloc;
	/* @buf holds @bytes bytes, perhaps none, and a NUL; returns bytes
	 * taken or -errno */
	ssize_t (*write)(struct kernfs_open_file *of, char *buf, size_t bytes,
			 off_t off);

	/*
	 * read, write and seq_* may wait for long: a server calls them in a
	 * thread of their own. They ask kernfs_current_interrupted() a few
	 * times a second.
	 */
	bool may_block;

	/*
	 * EPOLL* bits; NULL: kernfs_generic_poll(), which a callback may call,
	 * too. @pt is queued already; it is woken by kernfs_notify(), and NULL
	 * if nobody waits. Runs beside the other callbacks of the open file.
	 */
	unsigned int (*poll)(struct kernfs_open_file *of,
			     struct poll_table_struct *pt);

	/* new offset or -errno; NULL: bounded by st_size for SEEK_END */
	off_t (*llseek)(struct kernfs_open_file *of, off_t pos, off_t offset,
			int whence);
};

/**
 * kernfs_fop_open - open a file node
 * @kn: file the caller keeps alive
 * @flags: of open(2); O_ACCMODE decides what the extra check asks for
 * @ret_of: set on success only; to be given to kernfs_fop_release()
 *
 * Mode bits are not checked against the caller's identity: that is
 * kernfs_iop_permission()'s work. On a root with
 * KERNFS_ROOT_EXTRA_OPEN_PERM_CHECK opening for an access that no mode bit or
 * no callback allows fails for everybody.
 *
 * Context: may sleep. Takes an active reference for the call, KF_RANK_OPEN.
 * Return: 0; -EINVAL not a file, or prealloc together with seq_show; -ENODEV
 * the node is not active; -EACCES the extra check; -ENOMEM; whatever the open
 * callback returned.
 */
KERNFUSE_PUBLIC int kernfs_fop_open(struct kernfs_node *kn, int flags,
				    struct kernfs_open_file **ret_of);

/**
 * kernfs_fop_read - read from an open file
 * @of: open file
 * @buf, @count: where to, bytes
 * @pos: file offset
 *
 * Text: a read at offset 0 runs seq_show again; short reads that follow one
 * another are served from the same output; one of no bytes returns 0 and does
 * nothing else. Binary: one page at most; one of no bytes is passed on, too.
 * (Over a mount none is: the kernel's FUSE answers it by itself.)
 *
 * Context: may sleep. Takes KF_RANK_PREALLOC (if preallocated),
 * KF_RANK_OF_MUTEX, then an active reference.
 * Return: bytes, 0 at the end; -ENODEV the node was removed or hidden since
 * the open; -EINVAL no read callback, or @pos is negative; -ENOMEM; whatever
 * the callback returned.
 */
KERNFUSE_PUBLIC ssize_t kernfs_fop_read(struct kernfs_open_file *of, char *buf,
					size_t count, off_t pos);

/**
 * kernfs_fop_write - write to an open file
 * @of: open file
 * @buf, @count: what to write, bytes
 * @pos: file offset
 *
 * A write of no bytes is passed on as any other, but for mounts, as above.
 *
 * Context: as kernfs_fop_read().
 * Return: bytes taken, which may be fewer; -E2BIG longer than
 * atomic_write_len; -ENODEV, -EINVAL, -ENOMEM as kernfs_fop_read(); whatever
 * the callback returned.
 */
KERNFUSE_PUBLIC ssize_t kernfs_fop_write(struct kernfs_open_file *of,
					 const char *buf, size_t count,
					 off_t pos);

/**
 * kernfs_fop_may_block - does a read or write of it need a thread to itself?
 * @of: open file
 *
 * Context: any. Takes no lock. Return: kernfs_ops.may_block.
 */
KERNFUSE_PUBLIC bool kernfs_fop_may_block(const struct kernfs_open_file *of);

/**
 * kernfs_fop_llseek - a new file offset
 * @of: open file
 * @pos: offset the file is at
 * @offset, @whence: of lseek(2)
 *
 * Context: may sleep. Takes KF_RANK_OF_MUTEX, then an active reference.
 * Return: the offset; -ENODEV; -EINVAL; -ENXIO SEEK_DATA or SEEK_HOLE at or
 * past st_size; whatever the callback returned.
 */
KERNFUSE_PUBLIC off_t kernfs_fop_llseek(struct kernfs_open_file *of, off_t pos,
					off_t offset, int whence);

/**
 * kernfs_fop_release - close an open file
 * @of: open file, freed by the call; NULL is ignored
 *
 * Waits for a release that a drain of the node is running.
 *
 * Context: may sleep. Takes KF_RANK_OPEN; calls release with no lock held. Not
 * with a lock of KF_RANK_DRAIN or above held.
 */
KERNFUSE_PUBLIC void kernfs_fop_release(struct kernfs_open_file *of);

KERNFUSE_END_DECLS

#endif /* KERNFUSE_FILE_H */
