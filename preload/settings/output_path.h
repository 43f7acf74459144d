/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_OUTPUT to an absolute path: %p pid, %h host, %r rank, %e program, %% a percent sign.
 * No malloc; the working directory is that of the call.
 */
#ifndef PRELOAD_SETTINGS_OUTPUT_PATH_H
#define PRELOAD_SETTINGS_OUTPUT_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* False when the pattern is no file name, has an unknown %x, or when the path does not fit or there is
 * no working directory to complete it; `path` is "" then. */
bool output_path_expand(const char *pattern, char *path, size_t bytes);

/* The rank that the launcher of a distributed run has set, "norank" when none: a launcher is not rank 0; in settings.c. */
const char *settings_rank(void);

#endif
