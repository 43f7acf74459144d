/* SPDX-License-Identifier: MIT */
/*
 * Replaces the texts in the bytes of frames. Whatever the bytes contain, nothing is read or written
 * beyond them.
 */
#ifndef REPORT_RAW_REDACT_FRAME_H
#define REPORT_RAW_REDACT_FRAME_H

#include "report/raw/redact_texts.h"

struct redact_bytes {
	uint8_t *at; /* owned */
	size_t length, room;
};

/*
 * Rewrites the content of a data frame into `into`, whose old content is replaced. Returns 0, or
 * -1: the bytes do not follow the format.
 */
int redact_frame(const struct redact_texts *texts, const uint8_t *bytes, size_t length,
		 struct redact_bytes *into);
/* The same for the payload of a symbol frame. */
int redact_symbols(const struct redact_texts *texts, const uint8_t *bytes, size_t length,
		   struct redact_bytes *into);

#endif
