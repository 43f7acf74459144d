/* SPDX-License-Identifier: MIT */
/*
 * Expands INTERCEPT_OUTPUT to an absolute path: %p pid, %h host, %r rank, %e program, %% a percent
 * sign. No malloc. The working directory is the current one.
 */
#ifndef PRELOAD_SETTINGS_OUTPUT_PATH_H
#define PRELOAD_SETTINGS_OUTPUT_PATH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns false, with `path` "", if the pattern is not a file name, has an unknown %x, does not
 * fit, or is relative without a known working directory.
 */
bool output_path_expand(const char *pattern, char *path, size_t bytes);

/*
 * Returns the rank that the launcher of a distributed run has set, or "norank": a launcher itself
 * is not rank 0. Defined in settings.c.
 */
const char *settings_rank(void);

#endif
