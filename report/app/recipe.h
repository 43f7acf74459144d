/* SPDX-License-Identifier: MIT */
/* How to record: what prof-report answers where there is no recording yet. */
#ifndef REPORT_APP_RECIPE_H
#define REPORT_APP_RECIPE_H

/* Lines on stderr: `path` is not there, the two commands that make it and read it. */
void recipe_print(const char *path);

#endif
