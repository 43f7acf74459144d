/* SPDX-License-Identifier: MIT */
/* No malloc, no locale, no stdio. */
#include "preload/settings/presets.h"

#include <stddef.h>
#include <string.h>

static const char *const preset_names[] = {
#define PRESET(name, doc) #name,
#include "preload/settings/presets.def"
};
#define PRESETS (sizeof(preset_names) / sizeof(preset_names[0]))

static const struct {
	const char *preset, *setting, *value;
} preset_values[] = {
#define PRESET_SETS(name, SETTING, value) { #name, #SETTING, value },
#include "preload/settings/presets.def"
};
#define PRESET_VALUES (sizeof(preset_values) / sizeof(preset_values[0]))

const char presets_allowed[] = ""
#define PRESET(name, doc) "; " #name ": " doc
#define PRESET_SETS(name, SETTING, value) ", INTERCEPT_" #SETTING "=" value
#include "preload/settings/presets.def"
	;

const char *presets_find(const char *name)
{
	for (size_t i = 0; i < PRESETS; i++)
		if (strcmp(name, preset_names[i]) == 0)
			return preset_names[i];
	return NULL;
}

const char *presets_value(const char *preset, const char *setting)
{
	for (size_t i = 0; i < PRESET_VALUES; i++)
		if (strcmp(preset, preset_values[i].preset) == 0 &&
		    strcmp(setting, preset_values[i].setting) == 0)
			return preset_values[i].value;
	return NULL;
}
