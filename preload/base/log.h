/* SPDX-License-Identifier: MIT */
/*
 * One-line messages on descriptor 2, without stdio, malloc or locale. Never raises SIGPIPE, waits
 * at most 100 ms for a slow reader, preserves errno. Any thread.
 *
 * Prints nothing if descriptor 2 was closed at log_init() or refers to another file now. The
 * program may have closed stderr and opened a file of its own under that number.
 */
#ifndef PRELOAD_BASE_LOG_H
#define PRELOAD_BASE_LOG_H

#include <stdbool.h>

#define LOG_LINES_MAX 20 /* per process; more lines would only fill the user's screen */

/* Remembers which file descriptor 2 refers to. Call in the constructor. */
void log_init(void);

/* True if descriptor 2 still refers to the same file, so that a line would be printed. */
bool log_can_speak(void);

/*
 * Prints "intercept: ", the text and a newline. Conversions: %s %d %u %x %lu %zu %c %% and %m (the
 * text of errno).
 */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As log_line(), without prefix and without limit: for INTERCEPT_HELP. */
void log_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
