/* SPDX-License-Identifier: MIT */
/*
 * What the user has set for families, read into `settings`: which are recorded, and which have
 * stacks. All facts about single families come from collector/format/families.def. Private to this
 * folder.
 */
#ifndef PRELOAD_SETTINGS_FAMILY_SETTINGS_H
#define PRELOAD_SETTINGS_FAMILY_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/settings/settings.h"

/*
 * Texts for the settings TRACE and STACKS. The default has a comma before each name, also before
 * the first.
 */
extern const char family_trace_default[], family_trace_allowed[], family_stacks_allowed[];

/*
 * Parses INTERCEPT_TRACE. A list that begins with + or - changes what was taken before: the
 * default, or the preset's. Returns false if a name in it belongs to no family.
 */
bool family_trace_take(const char *value);
/*
 * Parses an item of INTERCEPT_STACKS of `length` bytes: MODE or FAMILY:MODE. A mode alone is for
 * all families.
 */
bool family_stacks_take(const char *item, size_t length);
/*
 * Parses an item of INTERCEPT_STACKS_MIN_TIME: TIME or FAMILY:TIME. A time alone is for all
 * families that have calls.
 */
bool family_min_time_take(const char *item, size_t length);

/*
 * Where the user has not chosen, waits of the operating system have Python's lines: recorded ones
 * are long, and their line is what people ask for.
 */
void family_stacks_unasked(void);

bool family_has_stacks(enum settings_family family);
/* Whether any family that has calls has stacks, and whether any has a minimum time for them. */
bool family_calls_have_stacks(void);
bool family_calls_have_min_time(void);

static inline bool text_is(const char *text, size_t length, const char *word)
{
	return __builtin_strlen(word) == length && __builtin_memcmp(text, word, length) == 0;
}

#endif
