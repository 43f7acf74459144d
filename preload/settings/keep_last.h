/* SPDX-License-Identifier: MIT */
/* INTERCEPT_KEEP_LAST: how much of the end of a recording is kept. Pure functions. */
#ifndef PRELOAD_SETTINGS_KEEP_LAST_H
#define PRELOAD_SETTINGS_KEEP_LAST_H

#include <stdbool.h>
#include <stdint.h>

/* At most one is not 0; all are 0: everything is kept. */
struct keep_last {
	uint64_t ns, bytes, steps;
};

static inline bool keep_last_is_on(const struct keep_last *keep)
{
	return keep->ns || keep->bytes || keep->steps;
}

/*
 * Parses "all", a time ("10m"), a size ("500M") or steps ("20steps"). If it returns false, the
 * result is all zeros.
 */
bool keep_last_parse(const char *text, struct keep_last *ret_keep);

#endif
