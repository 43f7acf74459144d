/* SPDX-License-Identifier: MIT */
/*
 * Starts the collector: a process that is nobody's child, with no signal, descriptor or variable of
 * the program's but the region and, for its output, the working directory's absolute path in it.
 */
#ifndef PRELOAD_LAUNCH_H
#define PRELOAD_LAUNCH_H

/*
 * Runs `path` with the descriptor `region_fd` (its number is argument 1). Returns when the new image
 * has been entered: 0, or -errno (-ENOENT: no such program). The caller keeps region_fd.
 * No SIGCHLD is sent, no child is left behind, the signal mask is restored, errno preserved.
 */
int launch_collector(const char *path, int region_fd);

#endif
