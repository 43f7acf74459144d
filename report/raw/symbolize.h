/* SPDX-License-Identifier: MIT */
/*
 * Finds the functions and lines of every address of a recording, as far as this machine knows them,
 * and makes symbol frames for the recording. Reads the source to its end and writes nothing. Memory
 * grows with addresses, not with events.
 */
#ifndef REPORT_RAW_SYMBOLIZE_H
#define REPORT_RAW_SYMBOLIZE_H

#include "report/session/source.h"
#include "report/symbols/places.h"

#define SYMBOLIZE_ADDRESSES 32768u /* in one frame */

/* A symbol frame: header and payload, ready to be written to the file. */
struct symbol_frame {
	uint8_t *bytes;
	size_t length;
};

struct symbolized {
	struct symbol_frame *frame;
	size_t count, room;
	uint64_t addresses, named; /* all addresses, and those of which something is known */
	uint64_t split;            /* addresses without a line because a .dwo file is missing */
	uint64_t left_out;         /* answers whose names are longer than a frame can be */
	char missing[512];         /* text of places_missing() */
};

/* Returns 0 or EVT_NO_MEMORY; `symbolized` is filled in either case. */
int symbolize(struct symbolized *symbolized, struct source *source);
void symbolized_release(struct symbolized *symbolized);

#endif
