/* SPDX-License-Identifier: MIT */
/*
 * Templates of paths as Starlette and FastAPI write them: `/items/{id}`, `/files/{name:path}`.
 * Pure.
 */
#ifndef PRELOAD_ROUTES_TEMPLATE_H
#define PRELOAD_ROUTES_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/record/strings.h"

/*
 * Returns whether the template's text stands in the path, from `*ret_from` to its end, and anything
 * but a slash for each name in braces (or anything, where that is a path). The longest such end is
 * taken: what is in front of it is where the application is mounted.
 */
bool template_fits_end(struct string_view template, struct string_view path, size_t *ret_from);

#endif
