/* SPDX-License-Identifier: MIT */
/*
 * Names from the program and names of files, as text that is safe to show: UTF-8 is checked,
 * characters that control a terminal or are invisible on it are written out, and the width in
 * columns is known. Anybody may have chosen these bytes, and they must neither break a table nor
 * look like another name.
 */
#ifndef REPORT_BASE_TEXT_H
#define REPORT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * False: the locale is not UTF-8, so everything beyond ASCII is escaped (converting to other
 * character sets would gain nothing). True by default. Set it before any other thread starts.
 */
void text_set_utf8(bool utf8);
/*
 * Decodes one character of at most `length` > 0 bytes; returns its bytes, 0 if they are not UTF-8.
 */
size_t text_decode(const char *text, size_t length, uint32_t *ret_character);
/* Columns on a terminal: 0, 1 or 2. */
unsigned int text_character_width(uint32_t character);
/*
 * False for control characters, for characters that are invisible or change the direction of the
 * text around them, and for those that the locale cannot show.
 */
bool text_is_shown(uint32_t character);

/*
 * Escapes `text`: characters that are not shown become \n, \t, \xNN or \u{NNNN}, and bytes that are
 * not UTF-8 become \xNN. Escaped text is not changed again. Returns the length. Writes at most
 * `room` bytes including the terminator, cut between characters.
 */
size_t text_escape(char *shown, size_t room, const char *text, size_t length);
/* Maximum number of bytes that text_escape() needs. */
size_t text_escape_room(size_t length);
/* Writes escaped text to a stream; `text` is terminated. */
void text_print(FILE *out, const char *text);

/* Number of columns of escaped text. */
size_t text_width(const char *text, size_t length);
/* Number of bytes at its start that fit into `width` columns. */
size_t text_fit(const char *text, size_t length, size_t width);
/*
 * Shortens escaped text to `width` columns by removing its middle; of a path (/..., ./..., ../...,
 * ~/...) whole folders at the front. `mark` (1 column per byte, or one UTF-8 character) stands for
 * what is removed; before a path it is "..." instead of "..". `shown` must have room for length +
 * strlen(mark) + 2.
 */
size_t text_shorten(char *shown, const char *text, size_t length, size_t width, const char *mark);
/*
 * Shortens a command line: keeps the program, without its folders, so that it can be recognised,
 * and removes the middle of the rest.
 */
size_t text_shorten_command(char *shown, const char *command, size_t length, size_t width,
			    const char *mark);
/*
 * Returns the start of the program's name in a command line, after its folders; `length` becomes
 * the length of the rest.
 */
const char *text_command_start(const char *command, size_t *length);
/* As text_shorten(), but removes the end. */
size_t text_shorten_end(char *shown, const char *text, size_t length, size_t width,
			const char *mark);

/*
 * Shortens a stack, frames outermost first with ; between them, to whole frames: the innermost
 * ones, and `mark` for the others. If the innermost frame leaves no room for its caller, it is
 * dropped too if it is shown `beside` in a column of its own. Otherwise it stays, and is shortened
 * if necessary. `shown` must have room for length + 2 * strlen(mark) + 2.
 */
size_t text_shorten_stack(char *shown, const char *text, size_t length, size_t width,
			  const char *mark, bool beside);
/*
 * As text_shorten_stack(), with the frame that ends at `end` before the innermost ones, and between
 * them the number of frames left out: "..;outer;(12);inner". `shown` must have room for length + 5
 * * strlen(mark) + 32.
 */
size_t text_shorten_stack_to(char *shown, const char *text, size_t length, size_t end, size_t width,
			     const char *mark, bool beside);

/* True if it begins with `start`, or with one of several, NULL at the end. */
bool text_begins(const char *text, size_t length, const char *start);
bool text_begins_any(const char *text, size_t length, const char *const *starts);

/* Glob with * and ?, over bytes; linear time in practice, no recursion. */
bool text_matches(const char *text, size_t length, const char *pattern, size_t pattern_length);

/*
 * The candidate nearest to `word` (edit distance at most a third of its length), NULL if none is
 * near.
 */
struct text_nearest {
	const char *word, *best;
	size_t distance;
};
void text_nearest_init(struct text_nearest *nearest, const char *word);
void text_nearest_try(struct text_nearest *nearest, const char *candidate);

#endif
