/* SPDX-License-Identifier: MIT */
/*
 * Texts of a trace for formats other than JSON: valid UTF-8 without NUL, whatever the bytes are.
 * Invalid bytes and NUL become U+FFFD. A result is valid until the next call with the same `room`,
 * or as long as its source.
 *
 * Zero-initialised is empty. One thread.
 */
#ifndef REPORT_EXPORT_PLAIN_TEXT_H
#define REPORT_EXPORT_PLAIN_TEXT_H

#include "report/trace/trace.h"

struct plain_text {
	char *byte;
	size_t room;
};

struct trace_text plain_text_clean(struct plain_text *room, struct trace_text text);
void plain_text_release(struct plain_text *room);

#endif
