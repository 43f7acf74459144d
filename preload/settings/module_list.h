/* SPDX-License-Identifier: MIT */
/*
 * Lists of modules, as INTERCEPT_FUNCTIONS has them: names with commas between. NAME.* is the module and all below it, * all; one with ! in
 * front is left out. The last that fits decides; where none does, a module is left out if any is named without !.
 */
#ifndef PRELOAD_SETTINGS_MODULE_LIST_H
#define PRELOAD_SETTINGS_MODULE_LIST_H

#include <stdbool.h>

#include "preload/base/hidden.h"

/* It names something, and each name is one: no space in it, a ! only in front, a * only at the end. Empty names are passed over. */
bool module_list_is_one(const char *list) PRELOAD_HIDDEN;

bool module_list_has(const char *list, const char *module) PRELOAD_HIDDEN;

#endif
