/* SPDX-License-Identifier: MIT */
/* The bytes of frames with other texts. Whatever the bytes say, nothing is read or written beyond them. */
#ifndef REPORT_RAW_REDACT_FRAME_H
#define REPORT_RAW_REDACT_FRAME_H

#include "report/raw/redact_texts.h"

struct redact_bytes {
	uint8_t *at; /* owned */
	size_t length, room;
};

/* The content of a data frame. 0, or -1: it is not what the format says. `into` is filled anew. */
int redact_frame(const struct redact_texts *texts, const uint8_t *bytes, size_t length,
		 struct redact_bytes *into);
/* The payload of a symbol frame, likewise. */
int redact_symbols(const struct redact_texts *texts, const uint8_t *bytes, size_t length,
		   struct redact_bytes *into);

#endif
