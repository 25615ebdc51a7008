/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages that have no caller to go to; see <kernfuse/log.h>. */
#ifndef LOCK_SAY_H
#define LOCK_SAY_H

#include <kernfuse/log.h>

/* One line, of at most a few paths' length, to whoever takes them. */
void kf_say(int priority, const char *fmt, ...) KERNFUSE_PRINTF(2, 3);

#endif /* LOCK_SAY_H */
