/* SPDX-License-Identifier: MIT */
/*
 * A terminal on which a program draws repeatedly, and which it restores however it ends: normally,
 * when it is stopped (Ctrl-Z), by a signal, or by a crash. It uses seven escape sequences that
 * every current terminal has (alternate screen, cursor, erase), so no library with a terminal
 * database is needed.
 *
 * One per process at a time.
 */
#ifndef REPORT_WATCH_TERMINAL_H
#define REPORT_WATCH_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

enum terminal_event {
	TERMINAL_TIME,  /* the time is over */
	TERMINAL_DRAW,  /* its size has changed, or something else has drawn on it */
	TERMINAL_CLOSE, /* q, Ctrl-C, or the end of the input */
};

/* True if stdout is a terminal that can be drawn on. */
bool terminal_is_there(void);

/* Takes over the signals, and with `draws` the screen and the keys. */
void terminal_open(bool draws);
/*
 * Restores everything. A signal that ended the wait is sent to the program again, unless it was
 * Ctrl-C.
 */
void terminal_close(void);

/* Columns and rows; unchanged if unknown. */
void terminal_size(size_t *ret_columns, size_t *ret_rows);
/*
 * Replaces the contents of the screen by these lines: not more lines than rows, none wider than the
 * screen.
 */
void terminal_draw(const char *text, size_t length);
/* Waits until something happens, at most `ms`. */
enum terminal_event terminal_wait(unsigned int ms);

#endif
