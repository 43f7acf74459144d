/* SPDX-License-Identifier: MIT */
/*
 * Messages of prof-report on stderr: one line at a time, with "prof-report: " before it. File names
 * and everything else in them are escaped as names of a recording are (text.h).
 */
#ifndef REPORT_TALK_H
#define REPORT_TALK_H

/* Prints a line without its newline, as printf(); it is cut at TALK_BYTES. */
void talk_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * Prints a shell command that follows such a line, indented. Names in it are words of shell_word.h.
 */
void talk_print_command(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define TALK_BYTES 8192u

#endif
