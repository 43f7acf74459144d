/* SPDX-License-Identifier: MIT */
/*
 * What was found out about files of code, kept between runs: one file for each build-id in
 * ${XDG_CACHE_HOME:-~/.cache}/intercept/symbols, or in the folder that PROF_REPORT_CACHE names;
 * `off`: no cache.
 *
 * Safe to delete at any time. A file is written beside and renamed, so that readers see either the
 * whole new file or the previous one. If two write at once, the last one wins. What cannot be read,
 * written or trusted is treated as absent, without a message. At most CACHE_BYTES_MAX: the least
 * recently used files are removed first.
 *
 * An answer with function and line is valid for ever, because of the build-id. An answer that lacks
 * something may become better when debug information is installed. So it is valid only as long as
 * the files that it was made from are unchanged.
 */
#ifndef REPORT_SYMBOLS_SYMBOL_CACHE_H
#define REPORT_SYMBOLS_SYMBOL_CACHE_H

#include <stdbool.h>

#include "report/symbols/answers.h"

#define CACHE_VARIABLE "PROF_REPORT_CACHE"
#define CACHE_BYTES_MAX (256ull << 20)

/* Fills new `answers` with what is known of the file at `path`, a path of this machine. */
void symbol_cache_load(struct answers *answers, const char *path, const char *build_id);
/* `link`: name of its file of debug information, "": none. */
void symbol_cache_save(const struct answers *answers, const char *path, const char *build_id,
		       const char *link);

/*
 * Removes the least recently used files of the folder until they have at most `bytes_max`, and
 * half-written files.
 */
void symbol_cache_trim(const char *folder, uint64_t bytes_max);

#endif
