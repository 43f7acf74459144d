/* SPDX-License-Identifier: MIT */
/*
 * Starts the collector: a process that is nobody's child, with no signal, descriptor or variable of
 * the program's but the region and, for its output, the working directory's absolute path in it. Where the session
 * has a nursery the collector is the nursery's child, else its own nursery's.
 */
#ifndef PRELOAD_LIFE_LAUNCH_H
#define PRELOAD_LIFE_LAUNCH_H

#include "collector/region/region.h"

/*
 * Runs `path` with the descriptor `region_fd` (its number is argument 1). Returns when the new image
 * has been entered: 0, or -errno (-ENOENT: no such program). The caller keeps region_fd; `header` is the
 * region and gets the pid.
 * No SIGCHLD is sent, no child is left behind, the signal mask is restored, errno preserved.
 */
int launch_collector(const char *path, int region_fd, struct region_header *header);

#endif
