/* SPDX-License-Identifier: MIT */
/*
 * Writes the command line and the modules of the process into the region (struct region_start) when
 * recording begins. If a process ends or executes another program before the collector has started,
 * they could not be found out later.
 *
 * Keeps nothing but the position of the arguments, and only while the constructor runs. One thread,
 * not in a forked child: takes ld.so's lock. Makes one system call for the program's path, and one
 * more for a library that was loaded by a relative path.
 */
#ifndef PRELOAD_LIFE_START_MAP_H
#define PRELOAD_LIFE_START_MAP_H

#include "collector/region/region.h"

/*
 * Sets the program's arguments. NULL: they may have changed since, and the command line is left
 * out.
 */
void start_map_arguments(char **argv);

void start_map_write(struct region_start *start);

#endif
