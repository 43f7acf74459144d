/* SPDX-License-Identifier: MIT */
/*
 * Texts that are stored once and numbered from 0, in the order in which they arrive. A text does
 * not move until all are released. Zero-initialised is empty. One thread.
 */
#ifndef REPORT_BASE_INTERNED_H
#define REPORT_BASE_INTERNED_H

#include "report/base/map.h"
#include "report/base/memory.h"

struct interned_text {
	const char *text;
	size_t length;
};

struct interned {
	struct map known; /* from hash to number */
	struct interned_text *text;
	size_t count, room;
	struct text_store store;
};

/* Returns the text's number. A new text gets the previous `count`. */
uint32_t interned_put(struct interned *interned, const char *text, size_t length);
void interned_release(struct interned *interned);

#endif
