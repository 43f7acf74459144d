/* SPDX-License-Identifier: MIT */
/*
 * Which files may be read at all. If the environment has PROF_REPORT_BELOW=FOLDER, only files below
 * that folder are, whatever links and names say. Report mcp starts other reports that way.
 */
#ifndef REPORT_BASE_CONFINE_H
#define REPORT_BASE_CONFINE_H

#include <stdbool.h>

#define CONFINE_VARIABLE "PROF_REPORT_BELOW"

bool confine_is_on(void);
/* To be asked once the file is open: a name may be another file's by then. Keeps errno if true. */
bool confine_allows(int file);
/* True if the open file is below `folder`. */
bool confine_is_file_below(int file, const char *folder);
/* True if the path, without links in it, is `folder` or below it. */
bool confine_is_below(const char *path, const char *folder);

#endif
