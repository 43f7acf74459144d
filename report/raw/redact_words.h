/* SPDX-License-Identifier: MIT */
/* The words of option --redact: which of args, paths and host are left out. */
#ifndef REPORT_RAW_REDACT_WORDS_H
#define REPORT_RAW_REDACT_WORDS_H

#include "report/core/report.h"

/*
 * Returns the bits REDACT_... of the option, or `unasked` if the option is absent. Returns 0 if a
 * word is wrong; the request then has the message.
 */
unsigned int redact_words_take(struct report_request *request, unsigned int unasked);
/* Prints ": without args,paths" and a newline to stdout. */
void redact_words_print(unsigned int what);

#endif
