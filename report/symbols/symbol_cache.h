/* SPDX-License-Identifier: MIT */
/*
 * What was found out about files of code, kept between runs: a file for each build-id in
 * ${XDG_CACHE_HOME:-~/.cache}/intercept/symbols, or in the folder that PROF_REPORT_CACHE names; `off` there is no cache.
 *
 * Safe to delete at any time. A file is written beside and renamed, so that those who read it see all of it or the one before;
 * of two who write at once the last one wins. What cannot be read, written or believed is as if it were not there: nothing is
 * said. At most CACHE_BYTES_MAX: what has not been used for longest goes first.
 *
 * An answer that names function and line holds for ever: the build-id says so. One that lacks something may become better
 * when debug information is installed, so that it holds only as long as the files that it was made from are the same.
 */
#ifndef REPORT_SYMBOLS_SYMBOL_CACHE_H
#define REPORT_SYMBOLS_SYMBOL_CACHE_H

#include <stdbool.h>

#include "report/symbols/answers.h"

#define CACHE_VARIABLE "PROF_REPORT_CACHE"
#define CACHE_BYTES_MAX (256ull << 20)

/* Fills `answers`, which are new, with what is known of the file at `path`, a path of this machine. */
void symbol_cache_load(struct answers *answers, const char *path, const char *build_id);
/* `link`: name of its file of debug information, "" none. */
void symbol_cache_save(const struct answers *answers, const char *path, const char *build_id,
		       const char *link);

/* Removes the least lately used files of the folder until they have at most `bytes_max`, and what was left half written. */
void symbol_cache_trim(const char *folder, uint64_t bytes_max);

#endif
