/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_PRESET: values of other settings under one name (presets.def). Private to this folder.
 */
#ifndef PRELOAD_SETTINGS_PRESETS_H
#define PRELOAD_SETTINGS_PRESETS_H

/* Each name and what it stands for; a semicolon and a space before each, also before the first. */
extern const char presets_allowed[];

/* Returns the preset's name as a constant, or NULL if no preset has that name. */
const char *presets_find(const char *name);

/* Returns the value that the preset has for the setting, or NULL if it has none. */
const char *presets_value(const char *preset, const char *setting);

#endif
