/* SPDX-License-Identifier: MIT */
/*
 * What the process is when its recording begins: its command line and its modules, into the region (struct
 * region_start). Whoever ends or becomes another program in the milliseconds that the collector needs to come up
 * cannot be asked any more.
 *
 * Keeps nothing but where the arguments are, while the constructor runs. One thread, not in a forked child: takes ld.so's
 * lock. A system call for the program's path, and one more where a library was loaded by a relative path.
 */
#ifndef PRELOAD_LIFE_START_MAP_H
#define PRELOAD_LIFE_START_MAP_H

#include "collector/region/region.h"

/* The program's arguments, NULL: they may have changed since, the command line is left out. */
void start_map_arguments(char **argv);

void start_map_write(struct region_start *start);

#endif
