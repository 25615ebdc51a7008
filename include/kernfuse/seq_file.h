/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The buffer a show callback prints into, and the iterator behind it.
 *
 * The short names (seq_printf and so on) are the kernel's and are inline, so
 * that only kernfs_seq_* leaves the library.
 */
#ifndef KERNFUSE_SEQ_FILE_H
#define KERNFUSE_SEQ_FILE_H

#include <stdarg.h>

#include <kernfuse/types.h>

KERNFUSE_BEGIN_DECLS

struct seq_file {
	/* published: a callback may read these */
	void *private_data;		/* the kernfs_open_file */
	long long index;		/* record the iterator is at */
	/* private: the library's own */
	char *buf;
	size_t size;			/* bytes allocated */
	size_t from;			/* next byte to hand out */
	size_t count;			/* bytes in buf; == size: it overflowed */
	off_t read_pos;			/* file offset that buf + from stands for */
};

/**
 * kernfs_seq_write - append bytes
 * @sf: as given to the callback
 * @data, @len: what to append; may hold NULs
 *
 * Output that does not fit marks the buffer as overflowed: the library then
 * enlarges it and calls the callback again.
 *
 * Context: only inside a show callback. Takes no lock.
 * Return: 0; -1 it did not fit.
 */
KERNFUSE_PUBLIC int kernfs_seq_write(struct seq_file *sf, const void *data,
				     size_t len);
/* the others append text, in the same way */
KERNFUSE_PUBLIC void kernfs_seq_puts(struct seq_file *sf, const char *s);
/* one byte */
KERNFUSE_PUBLIC void kernfs_seq_putc(struct seq_file *sf, char c);
/* as printf(3) */
KERNFUSE_PUBLIC void kernfs_seq_printf(struct seq_file *sf, const char *fmt,
				       ...) KERNFUSE_PRINTF(2, 3);
/* as vprintf(3) */
KERNFUSE_PUBLIC void kernfs_seq_vprintf(struct seq_file *sf, const char *fmt,
					va_list ap) KERNFUSE_PRINTF(2, 0);

#define seq_write kernfs_seq_write
#define seq_puts kernfs_seq_puts
#define seq_putc kernfs_seq_putc
#define seq_printf kernfs_seq_printf
#define seq_vprintf kernfs_seq_vprintf

KERNFUSE_END_DECLS

#endif /* KERNFUSE_SEQ_FILE_H */
