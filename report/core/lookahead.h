/* SPDX-License-Identifier: MIT */
/*
 * Facts for --step and --time that need the whole recording: where steps begin and end, and when
 * the recording ended. Reads the files once by itself, without waiting for more data, before the
 * report reads them.
 */
#ifndef REPORT_CORE_LOOKAHEAD_H
#define REPORT_CORE_LOOKAHEAD_H

#include "report/options/filter_settings.h"
#include "report/core/windows.h"
#include "report/session/source.h"

/* Returns whether a first reading is needed. */
bool lookahead_is_needed(const struct filter_settings *scope);

/*
 * Completes `scope` for `source`, which was opened from these paths. The caller releases
 * `ret_windows`. Returns 0, or -1 with one line in `message`: there is no such step, or the time
 * ends before it begins.
 */
int lookahead_complete(struct filter_settings *scope, struct windows *ret_windows,
		       const struct source *source, char *const *paths, size_t count, char *message,
		       size_t message_bytes);

#endif
