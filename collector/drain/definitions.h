/* SPDX-License-Identifier: MIT */
/*
 * Records in a ring that are no events: they define what the next ones refer to. Frames and lines
 * of Python, texts of names, the stack of the next record, and modules that were unloaded. What all
 * of drain.c works on stands here, too. For the thread of the collector that reads the ring.
 */
#ifndef COLLECTOR_DRAIN_DEFINITIONS_H
#define COLLECTOR_DRAIN_DEFINITIONS_H

#include "collector/drain/drain.h"
#include "collector/region/record.h"

#define FUTURE_TICKS (1ull << 40) /* minutes: the clocks of two cores never differ by that */

/* What the inner loop works on: contiguous words of the ring. */
struct span {
	const uint64_t *at;
	const uint64_t *soft; /* stop here to publish; a record may extend beyond */
	const uint64_t *stop; /* end of what is published, or of the ring */
	bool to_end;          /* `stop` is the ring's end */
	uint64_t limit;       /* in ticks */
	uint64_t ticks;       /* the last ticks seen */
	uint64_t records;
	struct clockmap_segment segment; /* its span is cut at the limit */
};

enum step {
	STEP_ON,
	STEP_SLOW,  /* the record at `at` needs the slow path */
	STEP_FULL,  /* the frame has no room for it */
	STEP_LATER, /* it is after the limit */
	STEP_BAD,
};

/* Decides by its time whether the record at span->at may be taken. */
static inline enum step span_judge_time(const struct span *span)
{
	uint64_t ticks = record_ticks(view_load64(span->at));

	if (ticks <= span->limit)
		return STEP_ON;
	return ticks - span->limit > FUTURE_TICKS ? STEP_BAD : STEP_LATER;
}

static inline bool definition_is(uint32_t type)
{
	return type == RECORD_TEXT || type == RECORD_FRAME || type == RECORD_STACK ||
	       type == RECORD_LINE || type == RECORD_UNLOADED;
}

/* Takes the definition at span->at. STEP_BAD: no recorder can have written it. */
enum step definition_take(struct drain *drain, struct stream *stream, struct span *span);

/* Takes a RECORD_FRAME. Returns false if no recorder can have written it. */
bool definition_put_frame(struct drain *drain, const uint64_t *at);

/* Looks a page of code up once. The cache can only be wrong by asking twice. */
void drain_note_caller(struct drain *drain, const struct stream *stream, uint64_t caller);

#endif
