/* SPDX-License-Identifier: MIT */
/*
 * What the user has set of families, read into `settings`: which are recorded, which have stacks. All facts about single
 * families come from collector/format/families.def. Private to this folder.
 */
#ifndef PRELOAD_SETTINGS_FAMILY_SETTINGS_H
#define PRELOAD_SETTINGS_FAMILY_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/settings/settings.h"

/* Of the settings TRACE and STACKS. The default has a comma before each name, the first one too. */
extern const char family_trace_default[], family_trace_allowed[], family_stacks_allowed[];

/* INTERCEPT_TRACE. False: a name in it is no family's. */
bool family_trace_take(const char *value);
/* An item of INTERCEPT_STACKS: MODE or FAMILY:MODE, of these bytes. A mode alone is for all families. */
bool family_stacks_take(const char *item, size_t length);
/* An item of INTERCEPT_STACKS_MIN_TIME: TIME or FAMILY:TIME. A time alone is for all families that have calls. */
bool family_min_time_take(const char *item, size_t length);

bool family_has_stacks(enum settings_family family);
/* Of the families that have calls: any has stacks, any has a least time for them. */
bool family_calls_have_stacks(void);
bool family_calls_have_min_time(void);

static inline bool text_is(const char *text, size_t length, const char *word)
{
	return __builtin_strlen(word) == length && __builtin_memcmp(text, word, length) == 0;
}

#endif
