/* SPDX-License-Identifier: MIT */
/*
 * Lists of modules, as INTERCEPT_FUNCTIONS has them: names with commas between. NAME.* is the module and all below it, * all; one with ! in
 * front is left out. The last that fits decides; where none does, a module is left out if any is named without !.
 */
#ifndef PRELOAD_FUNCTIONS_MODULE_LIST_H
#define PRELOAD_FUNCTIONS_MODULE_LIST_H

#include <stdbool.h>

#include "preload/base/hidden.h"

bool module_list_has(const char *list, const char *module) PRELOAD_HIDDEN;

#endif
