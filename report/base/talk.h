/* SPDX-License-Identifier: MIT */
/*
 * What prof-report says to people on stderr: one line at a time, "prof-report: " in front. File names
 * and whatever else stands in it are escaped as names from a recording are (text.h).
 */
#ifndef REPORT_TALK_H
#define REPORT_TALK_H

/* printf() of a line without its end; what is longer than TALK_BYTES is cut. */
void talk_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A command that follows such a line, indented, for a shell; names in it are words of shell_word.h. */
void talk_print_command(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define TALK_BYTES 8192u

#endif
