/* SPDX-License-Identifier: MIT */
/*
 * Lists of modules for INTERCEPT_FUNCTIONS: names separated by commas. NAME.* matches the module
 * and everything below it, and * matches everything. A name with ! in front is left out. The last
 * name that fits decides. If none fits, the module is left out if the list has any name without !.
 */
#ifndef PRELOAD_SETTINGS_MODULE_LIST_H
#define PRELOAD_SETTINGS_MODULE_LIST_H

#include <stdbool.h>

#include "preload/base/hidden.h"

/*
 * Checks that the list names something and each name is valid: no space, ! only in front, * only at
 * the end. Empty names are skipped.
 */
bool module_list_is_one(const char *list) PRELOAD_HIDDEN;

bool module_list_has(const char *list, const char *module) PRELOAD_HIDDEN;

#endif
