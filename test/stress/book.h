/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The book of the dead. A thread that saw a removal end buries the node, by
 * its id, and from then on no callback of it may run and no operation on it
 * may succeed. The book forgets the oldest entries, which only means that
 * some mistakes go unseen.
 */
#ifndef TEST_STRESS_BOOK_H
#define TEST_STRESS_BOOK_H

#include "torture.h"

void bury(const struct kernfs_node *kn);
bool is_buried(const struct kernfs_node *kn);

/* Dies if @kn is buried. @where: which callback of it runs. */
void must_live(const struct kernfs_node *kn, const char *where);

#endif /* TEST_STRESS_BOOK_H */
