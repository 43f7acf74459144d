/* SPDX-License-Identifier: MIT */
/*
 * Shortens paths and command lines if directories or arguments must not be in a file. The collector
 * uses it while recording (INTERCEPT_REDACT), prof-report redact on existing files. Pure functions.
 */
#ifndef COLLECTOR_FORMAT_PATHS_H
#define COLLECTOR_FORMAT_PATHS_H

#include <stddef.h>

/*
 * Shortens a command line in place to its first word; returns the new length. A program may write
 * its title over its arguments, with spaces instead of terminators. So the first word ends at a
 * space too, before directories are removed from it.
 */
size_t command_first_word(char *text, size_t length);
/*
 * In each word, and after each of its = : , and quotes, removes all characters up to the last
 * slash.
 */
size_t command_base_names(char *text, size_t length);
/* Returns the part after the last slash; *length becomes its length. */
const char *path_base_name(const char *path, size_t *length);

#endif
