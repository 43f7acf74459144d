/* SPDX-License-Identifier: MIT */
/*
 * When a segment of the file ends and the next one begins, what its state is, and which segments
 * are given back (INTERCEPT_KEEP_LAST). One thread.
 */
#ifndef COLLECTOR_TURN_SEGMENTING_H
#define COLLECTOR_TURN_SEGMENTING_H

#include <stdint.h>

#include "collector/core/restate.h"
#include "collector/format/segment.h"
#include "collector/output/output.h"

struct collector;

struct segmenting {
	struct restate restate;
	uint64_t begun_ns;    /* steady time when the open segment began */
	uint64_t state_bytes; /* length of the last state and digest; 0: there was none */
	uint64_t tried_bytes; /* length of the file when a segment could not begin */
	uint64_t lost;        /* records lost before the open segment */
	uint64_t steps;       /* drain's `steps` when it began */
	uint64_t families;    /* of its records */
};

/* Call when the output is open. Returns an error of output_keep_last(). */
int segmenting_begin(struct collector *c);
/* Tells the program if nothing can be given back. Call when the file has its name. */
void segmenting_say(const struct collector *c);
void segmenting_release(struct segmenting *segmenting);

/* Call before a frame is closed, so that its families are counted. */
void segmenting_see(struct collector *c);

/*
 * Call when a frame was written and none is open: begins a new segment if it is time, and gives old
 * ones back.
 */
void segmenting_turn(struct collector *c, uint64_t steady_ns);

/* What the open segment's head has to say at its end. */
struct segment_head segmenting_end(const struct collector *c);

/* At the end of the file: the digest of the last segment; empty if the file needs none. */
struct output_digest segmenting_last_digest(struct collector *c);

#endif
