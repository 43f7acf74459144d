/* SPDX-License-Identifier: MIT */
/* The words of --redact: which of args, paths and host are left out. */
#ifndef REPORT_RAW_REDACT_WORDS_H
#define REPORT_RAW_REDACT_WORDS_H

#include "report/core/report.h"

/* REDACT_... of the option, `unasked` without it. 0: a word is wrong, with the request's message. */
unsigned int redact_words_take(struct report_request *request, unsigned int unasked);
/* ": without args,paths" and a newline, on stdout. */
void redact_words_print(unsigned int what);

#endif
