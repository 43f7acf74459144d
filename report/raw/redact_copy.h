/* SPDX-License-Identifier: MIT */
/*
 * A copy of a recording whose texts are those that redact_texts.h leaves. Times, numbers, addresses and counts are the same, frame
 * by frame; what is not text is copied byte for byte. The copy appears under its name when it is complete.
 */
#ifndef REPORT_RAW_REDACT_COPY_H
#define REPORT_RAW_REDACT_COPY_H

#include "report/raw/redact_texts.h"

/* 0, or -1 with one line in `message`. */
int redact_copy_write(const struct redact_texts *texts, const struct session_file *file,
		      const char *copy, char *message, size_t message_bytes);

#endif
