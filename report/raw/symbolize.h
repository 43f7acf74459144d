/* SPDX-License-Identifier: MIT */
/*
 * What every address of a recording belongs to, as far as this machine knows: the symbol frames for it. Reads the source to
 * its end; writes nothing. Memory grows with addresses, not with events.
 */
#ifndef REPORT_RAW_SYMBOLIZE_H
#define REPORT_RAW_SYMBOLIZE_H

#include "report/session/source.h"
#include "report/symbols/places.h"

#define SYMBOLIZE_ADDRESSES 32768u /* of one frame */

/* A symbol frame: head and payload, ready for the file. */
struct symbol_frame {
	uint8_t *bytes;
	size_t length;
};

struct symbolized {
	struct symbol_frame *frame;
	size_t count, room;
	uint64_t addresses, named; /* all, and those of which something is known */
	uint64_t split;            /* addresses that have no line while a .dwo file is not there */
	uint64_t left_out;         /* answers whose names are longer than a frame can be */
	char missing[512];         /* places_missing() */
};

/* 0, or EVT_NO_MEMORY; filled in either case. */
int symbolize(struct symbolized *symbolized, struct source *source);
void symbolized_release(struct symbolized *symbolized);

#endif
