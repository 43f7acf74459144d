/* SPDX-License-Identifier: MIT */
/* How to record: prof-report's answer if there is no recording yet. */
#ifndef REPORT_APP_RECIPE_H
#define REPORT_APP_RECIPE_H

#include <stdbool.h>

/*
 * True if `path` (NAME.evt) does not exist, and no other process of its run has written a file
 * (NAME.*.evt).
 */
bool recipe_is_needed(const char *path);
/* Prints on stderr that `path` does not exist, and the two commands that make it and read it. */
void recipe_print(const char *path);

#endif
