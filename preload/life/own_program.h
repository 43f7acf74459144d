/* SPDX-License-Identifier: MIT */
/*
 * Whether this process is one of our own programs, which are never recorded: prof-report, in a
 * shell that exports LD_PRELOAD, would open its own recording and wait for itself. A note in the
 * executable says so, not its name.
 */
#ifndef PRELOAD_LIFE_OWN_PROGRAM_H
#define PRELOAD_LIFE_OWN_PROGRAM_H

#include <stdbool.h>

/* In the constructor. */
bool own_program(void);

#endif
