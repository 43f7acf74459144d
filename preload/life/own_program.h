/* SPDX-License-Identifier: MIT */
/*
 * Whether this process is a program of ours, which is never recorded: prof-report in a shell that has LD_PRELOAD exported
 * would look at its own recording, and wait for itself. Told by a note in the program, not by its name.
 */
#ifndef PRELOAD_LIFE_OWN_PROGRAM_H
#define PRELOAD_LIFE_OWN_PROGRAM_H

#include <stdbool.h>

/* In the constructor. */
bool own_program(void);

#endif
