/* SPDX-License-Identifier: MIT */
/*
 * Whether this process is one of our own programs, which are never recorded. For example,
 * prof-report started in a shell that exports LD_PRELOAD would open its own recording and wait for
 * itself. The programs are recognised by a note in the executable, not by name.
 */
#ifndef PRELOAD_LIFE_OWN_PROGRAM_H
#define PRELOAD_LIFE_OWN_PROGRAM_H

#include <stdbool.h>

/* Call in the constructor. */
bool own_program(void);

#endif
