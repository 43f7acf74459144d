/* SPDX-License-Identifier: MIT */
/*
 * Copies a recording and replaces its texts as redact_texts.h decides. Times, numbers, addresses
 * and counts stay the same, frame by frame. All that is not text is copied byte for byte. The copy
 * appears under its name only when it is complete.
 */
#ifndef REPORT_RAW_REDACT_COPY_H
#define REPORT_RAW_REDACT_COPY_H

#include "report/raw/redact_texts.h"

/* Returns 0, or -1 with one line in `message`. */
int redact_copy_write(const struct redact_texts *texts, const struct session_file *file,
		      const char *copy, char *message, size_t message_bytes);

#endif
