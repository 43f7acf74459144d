/* SPDX-License-Identifier: MIT */
/* How to record: what prof-report answers where there is no recording yet. */
#ifndef REPORT_APP_RECIPE_H
#define REPORT_APP_RECIPE_H

#include <stdbool.h>

/* True when `path` (NAME.evt) is not there, nor what other processes of its run wrote (NAME.*.evt). */
bool recipe_is_needed(const char *path);
/* Lines on stderr: `path` is not there, the two commands that make it and read it. */
void recipe_print(const char *path);

#endif
