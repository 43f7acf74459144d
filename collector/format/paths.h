/* SPDX-License-Identifier: MIT */
/*
 * What remains of paths and command lines when folders or arguments must not be in a file. The
 * collector uses it while recording (INTERCEPT_REDACT), prof-report redact on existing files.
 * Pure functions.
 */
#ifndef COLLECTOR_FORMAT_PATHS_H
#define COLLECTOR_FORMAT_PATHS_H

#include <stddef.h>

/*
 * A command line, words with spaces between, in place; the new length. A program may write its title over its arguments, with
 * spaces where ends were: so the first word ends at a space, too, and before its folders are looked for.
 */
size_t command_first_word(char *text, size_t length);
/* In each word, and in what follows its = : , and quotes, every character up to the last slash goes. */
size_t command_base_names(char *text, size_t length);
/* Behind the last slash; *length is that of the result. */
const char *path_base_name(const char *path, size_t *length);

#endif
