/* SPDX-License-Identifier: MIT */
/*
 * One-line diagnostics on descriptor 2, without stdio, malloc or locale. Never raises SIGPIPE, never
 * waits for a slow reader for more than 100 ms, keeps errno. Any thread.
 *
 * Silent when descriptor 2 was closed at log_init() or is another file by now: a program may have
 * closed stderr and opened a file of its own under that number.
 */
#ifndef PRELOAD_BASE_LOG_H
#define PRELOAD_BASE_LOG_H

#include <stdbool.h>

#define LOG_LINES_MAX 20 /* a process; the rest is not worth the user's screen */

/* Remembers which file descriptor 2 is. In the constructor. */
void log_init(void);

/* Whether a line would be heard: descriptor 2 is what it was. */
bool log_can_speak(void);

/* "intercept: " + text + newline. Knows %s %d %u %x %lu %zu %c %% and %m (the text of errno). */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same without prefix and limit: for INTERCEPT_HELP. */
void log_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
