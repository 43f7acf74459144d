/* SPDX-License-Identifier: MIT */
/*
 * File names in commands that prof-report proposes: what is copied into a shell means that file and
 * runs nothing else.
 */
#ifndef REPORT_SHELL_WORD_H
#define REPORT_SHELL_WORD_H

#include <stddef.h>

/*
 * The file's name as one word: as it is when no shell would change it, else in '...', in $'...' when
 * it holds what a terminal does not show (text.h). A leading - gets a ./ in front. Writes at most
 * `room` bytes with an end; returns the length, 0 when there is no room for all of it.
 */
size_t shell_word(char *word, size_t room, const char *name);
/* Bytes that shell_word() can need. */
size_t shell_word_room(const char *name);

#endif
