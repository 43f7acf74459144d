/* SPDX-License-Identifier: MIT */
/*
 * What --step and --time ask for and only the whole recording tells: where steps begin and end, and when it
 * ended. Reads the files once on their own, without waiting, before the report does.
 */
#ifndef REPORT_CORE_LOOKAHEAD_H
#define REPORT_CORE_LOOKAHEAD_H

#include "report/options/filter_settings.h"
#include "report/core/windows.h"
#include "report/session/source.h"

/* Whether anything has to be looked for. */
bool lookahead_is_needed(const struct filter_settings *scope);

/*
 * Completes `scope` for reading `source`, which was opened from these paths; its windows are `ret_windows`, to be
 * released. 0, or -1 with one line in `message`: there is no such step, or the time ends before it begins.
 */
int lookahead_complete(struct filter_settings *scope, struct windows *ret_windows,
		       const struct source *source, char *const *paths, size_t count, char *message,
		       size_t message_bytes);

#endif
