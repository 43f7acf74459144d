/* SPDX-License-Identifier: MIT */
/*
 * File names in commands that prof-report suggests: when copied into a shell, the word means that
 * file and runs nothing else.
 */
#ifndef REPORT_SHELL_WORD_H
#define REPORT_SHELL_WORD_H

#include <stddef.h>

/*
 * Writes the file's name as one word: unchanged if no shell would change it, else in '...', or in
 * $'...' if it contains characters that a terminal does not show (text.h). A leading - gets ./
 * before it. Writes at most `room` bytes including the terminator. Returns the length, 0 if there
 * is not enough room.
 */
size_t shell_word(char *word, size_t room, const char *name);
/* Maximum number of bytes that shell_word() needs. */
size_t shell_word_room(const char *name);

#endif
