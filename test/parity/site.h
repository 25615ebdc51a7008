/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TEST_PARITY_SITE_H
#define TEST_PARITY_SITE_H

#include "test/parity/parity.h"

/*
 * Fills in s for "sysfs" or "cgroup". @scratch: name of the directory that
 * may be changed, kept by reference. Return: 0; -1 there is no such kind.
 */
int choose_site(const char *kind, const char *scratch);

#endif /* TEST_PARITY_SITE_H */
