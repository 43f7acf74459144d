/* SPDX-License-Identifier: MIT */
/*
 * Starts the collector, a process that is no child of the program. It inherits no signal setting,
 * variable or descriptor of the program except the region; the output's absolute path is in the
 * region. If the session has a nursery, the collector is the nursery's child, else the child of a
 * nursery of its own.
 */
#ifndef PRELOAD_LIFE_LAUNCH_H
#define PRELOAD_LIFE_LAUNCH_H

#include "collector/region/region.h"

/*
 * Runs `path` with the descriptor `region_fd`, whose number is argument 1. Returns when the new
 * program has started: 0, or -errno (-ENOENT: no such program). The caller keeps region_fd.
 * `header` is the region and gets the pid.
 *
 * No SIGCHLD is sent, no child is left behind, the signal mask is restored, and errno is preserved.
 */
int launch_collector(const char *path, int region_fd, struct region_header *header);

#endif
