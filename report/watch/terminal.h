/* SPDX-License-Identifier: MIT */
/*
 * A terminal that a program draws on again and again, and gives back as it was however it ends: at the end, when it is
 * stopped (Ctrl-Z), on a signal, and when the program crashes. It uses seven escape sequences that every terminal of today
 * has (alternate screen, cursor, erase); so there is no library with a database of terminals for them.
 *
 * Of the process: one at a time.
 */
#ifndef REPORT_WATCH_TERMINAL_H
#define REPORT_WATCH_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

enum terminal_event {
	TERMINAL_TIME,  /* the time is over */
	TERMINAL_DRAW,  /* its size has changed, or somebody has drawn on it */
	TERMINAL_CLOSE, /* q, Ctrl-C, or the end of what is typed */
};

/* Whether stdout is one that can be drawn on. */
bool terminal_is_there(void);

/* Signals are taken over, and with `draws` the screen and the keys. */
void terminal_open(bool draws);
/* Everything as it was. A signal that ended the wait is sent to the program again, unless it was Ctrl-C. */
void terminal_close(void);

/* Columns and rows; unchanged where nothing is known. */
void terminal_size(size_t *ret_columns, size_t *ret_rows);
/* Replaces what is on the screen by these lines: no more than there are rows, none wider than it has columns. */
void terminal_draw(const char *text, size_t length);
/* Until something happens, no longer than `ms`. */
enum terminal_event terminal_wait(unsigned int ms);

#endif
