/* SPDX-License-Identifier: MIT */
/*
 * Names from the program and of files as text that is safe to show: UTF-8 checked, characters that
 * steer a terminal or are not seen on it written out, width in terminal columns known. Anybody may
 * have chosen these bytes: they must neither break a table nor look like another name.
 */
#ifndef REPORT_BASE_TEXT_H
#define REPORT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * False: the locale is not UTF-8, so that whatever is beyond ASCII is written out (a conversion to
 * other character sets would gain nothing). True until it is set; before any other thread starts.
 */
void text_set_utf8(bool utf8);
/* One character of at most `length` > 0 bytes; returns its bytes, 0 when they are not UTF-8. */
size_t text_decode(const char *text, size_t length, uint32_t *ret_character);
/* Columns of a terminal: 0, 1 or 2. */
unsigned int text_character_width(uint32_t character);
/*
 * False for control characters, for those that are not seen or turn the direction of the text around
 * them, and for what the locale cannot show.
 */
bool text_is_shown(uint32_t character);

/*
 * `text` with what is not shown as \n, \t, \xNN or \u{NNNN} and bytes that are not UTF-8 as \xNN. A
 * text that has been escaped stays as it is. Returns the length; writes at most `room` bytes with an
 * end, cut between characters.
 */
size_t text_escape(char *shown, size_t room, const char *text, size_t length);
/* Bytes that text_escape() can need. */
size_t text_escape_room(size_t length);
/* The same to a stream; `text` ends with a NUL. */
void text_print(FILE *out, const char *text);

/* Columns of escaped text. */
size_t text_width(const char *text, size_t length);
/* Bytes of the longest start of it that fits into `width` columns. */
size_t text_fit(const char *text, size_t length, size_t width);
/*
 * Shortens escaped text to `width` columns by taking out its middle, of a path (/..., ./..., ../..., ~/...) whole
 * folders in front; `mark` (1 column a byte or one UTF-8 character) stands for what is left out, "..." instead of ".."
 * in front of a path. `shown` has room for length + strlen(mark) + 2.
 */
size_t text_shorten(char *shown, const char *text, size_t length, size_t width, const char *mark);
/*
 * Shortens a command line: keeps the program, without its folders, so that it can be recognised,
 * and cuts the middle of the rest.
 */
size_t text_shorten_command(char *shown, const char *command, size_t length, size_t width,
			    const char *mark);
/* Where the name of a command line's program begins, behind its folders; `length` becomes that of the rest. */
const char *text_command_start(const char *command, size_t *length);
/* text_shorten(), but what is left out is the end. */
size_t text_shorten_end(char *shown, const char *text, size_t length, size_t width,
			const char *mark);

/*
 * A stack, frames outermost first with ; between: whole frames, the innermost ones, and `mark` for the others. Where the
 * innermost one leaves no room for its caller it goes too if it stands `beside` in a column of its own; else it stays, and
 * is shortened if it must be. `shown` has room for length + 2 * strlen(mark) + 2.
 */
size_t text_shorten_stack(char *shown, const char *text, size_t length, size_t width,
			  const char *mark, bool beside);
/*
 * The same, with the frame that ends at `end` before the innermost ones, and between them how many are left out: "..;outer;(12);inner".
 * `shown` has room for length + 5 * strlen(mark) + 32.
 */
size_t text_shorten_stack_to(char *shown, const char *text, size_t length, size_t end, size_t width,
			     const char *mark, bool beside);

/* Whether it begins with `start`; or with one of several, NULL at the end. */
bool text_begins(const char *text, size_t length, const char *start);
bool text_begins_any(const char *text, size_t length, const char *const *starts);

/* Glob with * and ?, over bytes; linear time in practice, no recursion. */
bool text_matches(const char *text, size_t length, const char *pattern, size_t pattern_length);

/* The candidate nearest to `word` (edit distance at most a third of it), NULL when none is near. */
struct text_nearest {
	const char *word, *best;
	size_t distance;
};
void text_nearest_init(struct text_nearest *nearest, const char *word);
void text_nearest_try(struct text_nearest *nearest, const char *candidate);

#endif
