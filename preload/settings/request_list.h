/* SPDX-License-Identifier: MIT */
/*
 * The list of INTERCEPT_REQUEST: items with commas between, each of them label:NAME or
 * MODULE:FUNCTION. A NAME and a FUNCTION may end in *. The text is not copied.
 */
#ifndef PRELOAD_SETTINGS_REQUEST_LIST_H
#define PRELOAD_SETTINGS_REQUEST_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/base/hidden.h"

#define REQUEST_LABEL "label:"
#define REQUEST_LABEL_LENGTH (sizeof(REQUEST_LABEL) - 1)

/* Checks that there is an item, and that each has both parts; functions have no spaces. */
bool request_list_is_one(const char *list) PRELOAD_HIDDEN;

bool request_list_has_label(const char *list, const char *name, size_t length) PRELOAD_HIDDEN;
/*
 * `qualified` has the classes, as in Class.method; NULL: not known (CPython 3.8 to 3.10), so that
 * the last part decides.
 */
bool request_list_has_function(const char *list, const char *module, const char *qualified,
			       const char *name) PRELOAD_HIDDEN;
/* Returns whether it has an item of that kind. */
bool request_list_has_any(const char *list, bool label) PRELOAD_HIDDEN;

#endif
